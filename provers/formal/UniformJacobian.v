(* Theorem 2.4 with explicit rates on the whole of rho in (0,1), gamma >= 0, alpha >= 0, q > 0, for all n >= 2 and d >= 1, with
   t = ln n and g = gamma (1-rho): the distance of eta from (alpha + a*/sqrt q)^2 in terms of n^-|1-g|, 1/n, 1/d, g t/d and (g t)^2/d.
   Uses Simplex.v and Uniform.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Simplex Powers Uniform.
Open Scope R_scope.

Lemma abs_between z y : Rabs z <= y -> - y <= z <= y.
Proof. intros H. pose proof (Rle_abs z). pose proof (Rle_abs (- z)) as P. rewrite Rabs_Ropp in P. lra. Qed.

(* ---- The closed form: what is divided by q, and what by sqrt q, between simple bounds ---- *)

Section Parts.
Variables (rho a M b u w0 f1 f2 : R).
Hypotheses (Hr : 0 <= rho <= 1) (HS : a + M = 1) (Hb : 0 <= b) (HbM : b <= M) (Hba : b <= a) (Hbu : b <= u) (Hu : u <= 1 / 2).
Hypotheses (Hw : 0 <= w0 <= 1) (Hf1 : 0 <= f1) (Hf2 : 0 <= f2).

Definition squares_part : R :=
  a ^ 2 * (1 - w0) + 2 * a * (f1 * simplex_T rho a M b) + f2 * simplex_V rho a M b
  + M * b * ((1 - w0) - 2 * (f1 * (a + rho * (1 - b))) + f2 * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho))).
Definition roots_part : R := a * (1 - w0) + f1 * simplex_T rho a M b.

Lemma T_range : 0 <= simplex_T rho a M b <= 2 * M.
Proof.
  assert (0 <= a * rho <= a) by (split; [apply Rmult_le_pos; lra|rewrite <- (Rmult_1_r a) at 2; apply Rmult_le_compat_l; lra]).
  unfold simplex_T. split; [apply Rmult_le_pos; lra|]. rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
Qed.

Lemma V_range : 0 <= simplex_V rho a M b <= 2 * M.
Proof.
  assert (A2 : 0 <= a ^ 2 <= 1 - b).
  { split; [apply pow2_ge_0|]. assert (a * a <= 1 * a) by (apply Rmult_le_compat_r; lra). simpl. lra. }
  assert (B2 : 0 <= (1 - b) ^ 2 <= 1) by (split; [apply pow2_ge_0|rewrite <- (pow1 2) at 2; apply pow_incr; lra]).
  assert (b2 : 0 <= b ^ 2 <= b).
  { split; [apply pow2_ge_0|]. assert (b * b <= 1 * b) by (apply Rmult_le_compat_r; lra). simpl. lra. }
  assert (X1 : 0 <= rho * a ^ 2 * M <= a ^ 2).
  { split; [repeat apply Rmult_le_pos; lra|]. apply Rle_trans with (1 * a ^ 2 * 1); [|lra].
    apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]. }
  assert (X2 : 0 <= (1 + rho) * (a ^ 2 * b) <= 2 * (a ^ 2 * b)).
  { assert (0 <= a ^ 2 * b) by (apply Rmult_le_pos; lra). split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]. }
  assert (X3 : a ^ 2 * b <= (1 - b) * b) by (apply Rmult_le_compat_r; lra).
  assert (X4 : 0 <= b * (1 - b) ^ 2 <= b * 1) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
  assert (X5 : 0 <= (M - b) * b ^ 2 <= 1 * b ^ 2) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  replace (simplex_V rho a M b) with (M * (rho * a ^ 2 * M + (1 + rho) * (a ^ 2 * b) + b * (1 - b) ^ 2 + (M - b) * b ^ 2)) by (unfold simplex_V; ring).
  split; [apply Rmult_le_pos; lra|]. rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|].
  replace ((1 - b) * b) with (b - b ^ 2) in X3 by ring. lra.
Qed.

Lemma squares_part_range :
  a ^ 2 * (1 - w0) - 2 * (M * f1) <= squares_part <= a ^ 2 * (1 - w0) + M * (u + 4 * f1 + 4 * f2).
Proof.
  destruct T_range as [T0 T1]. destruct V_range as [V0 V1]. assert (M0 : 0 <= M) by lra.
  assert (X1 : 0 <= a * (f1 * simplex_T rho a M b) <= 1 * (f1 * (2 * M))).
  { split; [apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]|]. apply Rmult_le_compat; [lra|apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_l; lra]. }
  assert (X2 : 0 <= f2 * simplex_V rho a M b <= f2 * (2 * M)) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
  assert (Y0 : 0 <= rho * (1 - b) <= 1) by (split; [apply Rmult_le_pos; lra|rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra]).
  assert (Y1 : 0 <= f1 * (a + rho * (1 - b)) <= f1 * 2) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
  assert (Z0 : 0 <= 1 + a ^ 2 - b * (1 + a) <= 2).
  { assert (a ^ 2 <= 1) by (rewrite <- (pow1 2); apply pow_incr; lra). assert (0 <= b * (1 + a)) by (apply Rmult_le_pos; lra).
    assert (b * (1 + a) <= b + a * a) by (replace (b * (1 + a)) with (b + b * a) by ring; apply Rplus_le_compat_l, Rmult_le_compat_r; lra).
    assert (a ^ 2 = a * a) by ring. lra. }
  assert (Z1 : 0 <= f2 * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho)) <= f2 * 4).
  { assert (0 <= (1 + a ^ 2 - b * (1 + a)) * (1 + rho) <= 2 * 2) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra]).
    split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]. }
  assert (Mb : 0 <= M * b <= M * u /\ M * b <= M * (1 / 2)) by (repeat split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra|apply Rmult_le_compat_l; lra]).
  assert (W1 : M * b * (f1 * (a + rho * (1 - b))) <= M * (1 / 2) * (f1 * 2)) by (apply Rmult_le_compat; lra).
  assert (W2 : M * b * (f2 * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho))) <= M * (1 / 2) * (f2 * 4)) by (apply Rmult_le_compat; lra).
  assert (W3 : 0 <= M * b * (1 - w0) <= M * u * 1) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra]).
  assert (W4 : 0 <= M * b * (f1 * (a + rho * (1 - b)))) by (apply Rmult_le_pos; lra).
  assert (W5 : 0 <= M * b * (f2 * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho)))) by (apply Rmult_le_pos; lra).
  unfold squares_part. rewrite Rmult_plus_distr_l, Rmult_minus_distr_l. split; lra.
Qed.

Lemma roots_part_range : a * (1 - w0) <= roots_part <= a * (1 - w0) + 2 * (M * f1).
Proof.
  destruct T_range as [T0 T1]. assert (0 <= f1 * simplex_T rho a M b <= f1 * (2 * M)) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
  unfold roots_part. lra.
Qed.
End Parts.

(* ---- Theorem 2.4 ---- *)

Section Uniform.
Variables (d n : nat) (q rho alpha gamma : R) (x : tokens).
Hypotheses (Hn : (2 <= n)%nat) (Hd : (0 < d)%nat) (Hq : 0 < q) (Hr : 0 < rho < 1) (Ha : 0 <= alpha) (Hg : 0 <= gamma).
Hypothesis HS : simplex d n q rho x.
Notation t := (ln (INR n)).
Notation g := (gamma * (1 - rho)).
Notation beta := (gamma * t).
Notation eta := (jacobian_norm d n beta alpha x).
Notation f1 := (g * t / INR d).
Notation f2 := ((g * t) ^ 2 / INR d).
Notation a := (self_mass n rho beta).
Notation M := (other_mass n rho beta).
Notation b := (other_weight n rho beta).

Lemma eta_parts : eta = squares_part rho a M b (/ INR d) f1 f2 / q + 2 * alpha / sqrt q * roots_part rho a M b (/ INR d) f1 + alpha ^ 2.
Proof.
  assert (Hb : 0 <= beta) by (apply Rmult_le_pos; [auto|pose proof (log_pos n Hn); lra]).
  rewrite (simplex_jacobian_norm d n q rho beta alpha x); auto.
  replace ((1 - rho) * beta / INR d) with f1 by (unfold Rdiv; ring). replace (((1 - rho) * beta) ^ 2 / INR d) with f2 by (unfold Rdiv; ring).
  unfold simplex_eta, squares_part, roots_part. pose proof (sqrt_lt_R0 q Hq). assert (0 < INR d) by (apply lt_0_INR; auto). field. lra.
Qed.

Lemma eta_within P0 R0 p r : Rabs (squares_part rho a M b (/ INR d) f1 f2 - P0) <= p -> Rabs (roots_part rho a M b (/ INR d) f1 - R0) <= r ->
  Rabs (eta - (P0 / q + 2 * alpha / sqrt q * R0 + alpha ^ 2)) <= p / q + 2 * alpha / sqrt q * r.
Proof.
  intros HP HR. rewrite eta_parts. pose proof (sqrt_lt_R0 q Hq) as S. assert (0 < / q) by (apply Rinv_0_lt_compat; auto).
  assert (C0 : 0 <= 2 * alpha / sqrt q) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]).
  match goal with |- Rabs (?z / q + ?c * ?y + _ - _) <= _ => replace (z / q + c * y + alpha ^ 2 - (P0 / q + c * R0 + alpha ^ 2)) with ((z - P0) * / q + c * (y - R0)) by (field; lra) end.
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult, (Rabs_pos_eq (/ q)), (Rabs_pos_eq (2 * alpha / sqrt q)); try lra.
  unfold Rdiv at 2. apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|apply Rmult_le_compat_l; lra].
Qed.

Lemma eta_sizes : a + M = 1 /\ 0 < a < 1 /\ 0 <= b /\ b <= M /\ b <= a /\ b <= / INR n /\ / INR n <= 1 / 2 /\ 0 <= / INR d <= 1 /\ 0 <= f1 /\ 0 <= f2.
Proof.
  pose proof (log_pos n Hn) as L. assert (Hb : 0 <= beta) by (apply Rmult_le_pos; lra).
  pose proof (other_weight_range n rho beta Hn). pose proof (other_weight_le_self n rho beta Hn Hb ltac:(lra)).
  pose proof (other_weight_mass n rho beta Hn) as E. pose proof (masses_sum n rho beta Hn) as S. pose proof (self_mass_range n rho beta Hn).
  pose proof (size_ge_2 n Hn) as N2. assert (D1 : 1 <= INR d) by (apply (le_INR 1); lia).
  assert (G : 0 <= g * t) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). assert (Di : 0 < / INR d) by (apply Rinv_0_lt_compat; lra).
  repeat split; try lra.
  - apply (Rmult_le_reg_l (INR n)); [lra|]. rewrite Rinv_r; lra.
  - apply (Rmult_le_reg_l (INR n)); [lra|]. rewrite Rinv_r; lra.
  - rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - apply Rmult_le_pos; lra.
  - apply Rmult_le_pos; [apply pow2_ge_0|lra].
Qed.

(* Each with `a` near its limit a*. *)
Lemma eta_bounds : a ^ 2 * (1 - / INR d) - 2 * (M * f1) <= squares_part rho a M b (/ INR d) f1 f2 <= a ^ 2 * (1 - / INR d) + M * (/ INR n + 4 * f1 + 4 * f2) /\
  a * (1 - / INR d) <= roots_part rho a M b (/ INR d) f1 <= a * (1 - / INR d) + 2 * (M * f1).
Proof. destruct eta_sizes as (S & A & B0 & BM & BA & Bu & U & D & F1 & F2). split; [apply squares_part_range|apply roots_part_range]; auto; lra. Qed.

(* Below the threshold (and wherever the right side is small): eta is near alpha^2. *)
Theorem jacobian_norm_uniform_below :
  Rabs (eta - alpha ^ 2) <= (2 * power n (1 - g) + / INR n + 4 * f1 + 4 * f2) / q + 2 * alpha / sqrt q * (2 * power n (1 - g) + 2 * f1).
Proof.
  destruct eta_sizes as (S & A & B0 & BM & BA & Bu & U & D & F1 & F2). destruct eta_bounds as [[P1 P2] [R1 R2]].
  assert (I : (0 < n)%nat) by lia. pose proof (self_weight_uniform_below d n q rho gamma x Hn Hq HS 0 I) as [_ W].
  rewrite (simplex_self_weight d n q rho beta x Hq Hn HS 0 I) in W.
  assert (A2 : 0 <= a ^ 2 <= a) by (split; [apply pow2_ge_0|assert (a * a <= 1 * a) by (apply Rmult_le_compat_r; lra); simpl; lra]).
  assert (A3 : 0 <= a ^ 2 * (1 - / INR d) <= a ^ 2 * 1) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
  assert (A4 : 0 <= a * (1 - / INR d) <= a * 1) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
  assert (M1 : M * (/ INR n + 4 * f1 + 4 * f2) <= 1 * (/ INR n + 4 * f1 + 4 * f2)) by (apply Rmult_le_compat_r; lra).
  assert (M2 : 0 <= M * f1 <= 1 * f1) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  replace (eta - alpha ^ 2) with (eta - (0 / q + 2 * alpha / sqrt q * 0 + alpha ^ 2)) by (unfold Rdiv; ring).
  apply eta_within; apply Rabs_le; split; lra.
Qed.

(* At the threshold: within (ln n)^2/n of (alpha + 1/(2 sqrt q))^2 for d >= n. *)
Theorem jacobian_norm_uniform_at : g = 1 ->
  Rabs (eta - (alpha + / 2 / sqrt q) ^ 2) <= (2 / INR n + / INR d + 4 * f1 + 4 * f2) / q + 2 * alpha / sqrt q * (/ INR n + / INR d + 2 * f1).
Proof.
  intros G1. destruct eta_sizes as (S & A & B0 & BM & BA & Bu & U & D & F1 & F2). destruct eta_bounds as [[P1 P2] [R1 R2]].
  assert (I : (0 < n)%nat) by lia. pose proof (self_weight_uniform_at d n q rho gamma x Hn Hq Hr HS 0 G1 I) as W.
  rewrite (simplex_self_weight d n q rho beta x Hq Hn HS 0 I) in W. pose proof (size_ge_2 n Hn) as N2.
  replace (1 / (2 * INR n)) with (/ INR n / 2) in W by (field; lra). apply abs_between in W.
  assert (A2 : / 4 - / INR n <= a ^ 2 <= / 4 + / INR n).
  { replace (a ^ 2) with (/ 4 + (a - / 2) * (a + / 2)) by field. set (e := a - / 2) in *. assert (Rabs (e * (a + / 2)) <= / INR n / 2 * 2).
    { rewrite Rabs_mult, (Rabs_pos_eq (a + / 2)); [|lra]. apply Rmult_le_compat; [apply Rabs_pos|lra|apply Rabs_le; lra|lra]. }
    apply abs_between in H. lra. }
  assert (a2 : 0 <= a ^ 2 <= 1) by (split; [apply pow2_ge_0|rewrite <- (pow1 2); apply pow_incr; lra]).
  assert (A3 : 0 <= a ^ 2 * / INR d <= 1 * / INR d) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  assert (A4 : 0 <= a * / INR d <= 1 * / INR d) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  assert (M1 : M * (/ INR n + 4 * f1 + 4 * f2) <= 1 * (/ INR n + 4 * f1 + 4 * f2)) by (apply Rmult_le_compat_r; lra).
  assert (M2 : 0 <= M * f1 <= 1 * f1) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  assert (E : (alpha + / 2 / sqrt q) ^ 2 = / 4 / q + 2 * alpha / sqrt q * / 2 + alpha ^ 2).
  { assert (Z : forall z, 0 < z -> (alpha + / 2 / z) ^ 2 = / 4 / (z * z) + 2 * alpha / z * / 2 + alpha ^ 2) by (intros; field; lra).
    rewrite (Z (sqrt q) (sqrt_lt_R0 q Hq)), sqrt_sqrt; lra. }
  change (2 / INR n) with (2 * / INR n). rewrite E. apply eta_within; apply Rabs_le; split; lra.
Qed.

(* Above: near (alpha + 1/sqrt q)^2. *)
Theorem jacobian_norm_uniform_above :
  Rabs (eta - (alpha + / sqrt q) ^ 2) <= (power n (g - 1) * (3 + 4 * f1 + 4 * f2) + / INR d) / q
    + 2 * alpha / sqrt q * (power n (g - 1) * (1 + 2 * f1) + / INR d).
Proof.
  destruct eta_sizes as (S & A & B0 & BM & BA & Bu & U & D & F1 & F2). destruct eta_bounds as [[P1 P2] [R1 R2]].
  assert (I : (0 < n)%nat) by lia. pose proof (self_weight_uniform_above d n q rho gamma x Hn Hq Hr HS 0 I) as W.
  rewrite (simplex_self_weight d n q rho beta x Hq Hn HS 0 I) in W. assert (M1 : 0 <= M <= power n (g - 1)) by lra. clear W. set (v := power n (g - 1)) in *.
  assert (A2 : 1 - 2 * M <= a ^ 2 <= 1).
  { assert (Q : a ^ 2 = 1 - 2 * M + M * M) by (replace a with (1 - M) by lra; ring).
    assert (0 <= M * M) by (apply Rmult_le_pos; lra). assert (M * M <= 1 * M) by (apply Rmult_le_compat_r; lra). lra. }
  pose proof (pow2_ge_0 a) as a2.
  assert (A3 : 0 <= a ^ 2 * / INR d <= 1 * / INR d) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  assert (A4 : 0 <= a * / INR d <= 1 * / INR d) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  assert (N0 : 0 < / INR n) by (apply Rinv_0_lt_compat; pose proof (size_ge_2 n Hn); lra).
  assert (M2 : M * (/ INR n + 4 * f1 + 4 * f2) <= v * (1 + 4 * f1 + 4 * f2)) by (apply Rmult_le_compat; lra).
  assert (M3 : 0 <= M * f1 <= v * f1) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  assert (M4 : 0 <= v * f2) by (apply Rmult_le_pos; lra).
  assert (E : (alpha + / sqrt q) ^ 2 = 1 / q + 2 * alpha / sqrt q * 1 + alpha ^ 2).
  { assert (Z : forall z, 0 < z -> (alpha + / z) ^ 2 = 1 / (z * z) + 2 * alpha / z * 1 + alpha ^ 2) by (intros; field; lra).
    rewrite (Z (sqrt q) (sqrt_lt_R0 q Hq)), sqrt_sqrt; lra. }
  rewrite E. apply eta_within; apply Rabs_le; split; lra.
Qed.
End Uniform.
