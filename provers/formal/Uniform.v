(* Explicit rates on the whole of rho in (0,1), gamma >= 0, alpha >= 0, q > 0, for all n >= 2: no box, nothing hidden.
   Below the threshold the inner products have no such rate (the limit at rho -> 0 is another one); there the bound
   carries 1/rho (Layers.v, collapse). Uses Tails.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Simplex Powers Tails.
Open Scope R_scope.

Lemma times_at_most_1 a b : 0 <= a -> b <= 1 -> a * b <= a.
Proof. intros. apply Rle_trans with (a * 1); [apply Rmult_le_compat_l; auto|lra]. Qed.

Section Uniform.
Variables (d n : nat) (q rho alpha gamma : R) (x : tokens).
Hypotheses (Hn : (2 <= n)%nat) (Hq : 0 < q) (Hr : 0 < rho < 1) (Ha : 0 <= alpha) (Hg : 0 <= gamma).
Hypothesis HS : simplex d n q rho x.
Notation g := (gamma * (1 - rho)).
Notation beta := (gamma * ln (INR n)).
Notation s := (alpha * sqrt q).
Notation u := (/ INR n).

Lemma u_half : 0 < u <= 1 / 2.
Proof. pose proof (inverse_range n Hn). lra. Qed.

(* ---- Self weight: A_ii is within n^-|1-g| of 0 or 1 up to a factor 2, and within 1/(2n) of 1/2 at g = 1 ---- *)

Theorem self_weight_uniform_below i : (i < n)%nat -> 0 < weight d n beta x i i <= 2 * power n (1 - g).
Proof.
  intros Hi. split; [apply weight_pos; lia|]. pose proof (self_weight_below d n q rho gamma x Hn Hq HS i Hi) as E.
  pose proof u_half. pose proof (power_pos n (1 - g)) as P. rewrite Rminus_0_r in E. rewrite E, (Rmult_comm 2).
  apply Rmult_le_compat_l; [lra|]. replace 2 with (1 / (1 / 2)) at 1 by field. unfold Rdiv at 1 2.
  apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Theorem self_weight_uniform_at i : g = 1 -> (i < n)%nat -> Rabs (weight d n beta x i i - / 2) <= 1 / (2 * INR n).
Proof.
  intros H1 Hi. rewrite (self_weight_at d n q rho gamma x Hn Hq HS i H1 Hi). pose proof u_half. pose proof (size_ge_2 n Hn).
  replace (1 / (2 * INR n)) with (u * (1 / 2)) by (field; lra).
  assert (P : 1 / (2 * (2 - u)) <= 1 / 2). { unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (Q : 0 < 1 / (2 * (2 - u))) by (apply Rdiv_lt_0_compat; lra).
  rewrite Rabs_pos_eq; [apply Rmult_le_compat_l; lra|apply Rmult_le_pos; lra].
Qed.

Theorem self_weight_uniform_above i : (i < n)%nat -> 0 < 1 - weight d n beta x i i <= power n (g - 1).
Proof.
  intros Hi. pose proof (self_weight_above d n q rho gamma x Hn Hq HS i Hi) as E.
  pose proof u_half. pose proof (power_pos n (g - 1)) as P. set (v := power n (g - 1)) in *.
  assert (W : 0 < v * (1 - u)) by (apply Rmult_lt_0_compat; lra).
  assert (F : 0 < (1 - u) / (1 + v * (1 - u)) <= 1).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_le_reg_r (1 + v * (1 - u))); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  replace (1 - weight d n beta x i i) with (v * ((1 - u) / (1 + v * (1 - u)))) by lra. split; [apply Rmult_lt_0_compat; lra|].
  apply times_at_most_1; lra.
Qed.

(* ---- The partition function: ln Z_i is within n^-|1-g| of its leading term, within 1/n at g = 1 ---- *)

Theorem log_partition_uniform_below i : 0 < g < 1 -> (i < n)%nat ->
  Rabs (ln (partition d n beta x i) - (1 + gamma * rho) * ln (INR n)) <= power n (1 - g).
Proof.
  intros H1 Hi. destruct (log_partition_below d n q rho gamma x Hn Hq Hr HS i (proj2 H1) (proj1 H1) Hi) as (f & Hf & E).
  pose proof (power_pos n (1 - g)) as P. pose proof (power_pos n g) as Pe. pose proof (power_lt_1 n Hn g (proj1 H1)) as Le.
  assert (W : 0 < power n (1 - g) * (1 - power n g)) by (apply Rmult_lt_0_compat; lra).
  assert (Hf0 : 0 <= f) by (apply Rle_trans with (2 := proj1 Hf); left; apply Rinv_0_lt_compat; lra).
  rewrite E, Rabs_pos_eq; [|apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]].
  apply times_at_most_1; [lra|]. apply Rle_trans with (1 - power n g); [apply times_at_most_1|]; lra.
Qed.

Theorem log_partition_uniform_at i : g = 1 -> (i < n)%nat ->
  Rabs (ln (partition d n beta x i) - (gamma * ln (INR n) + ln 2)) <= 1 / INR n.
Proof.
  intros H1 Hi. destruct (log_partition_at d n q rho gamma x Hn Hq Hr HS i H1 Hi) as (f & Hf & E). pose proof u_half.
  assert (F : f <= 2).
  { apply Rle_trans with (1 := proj2 Hf). replace 2 with (1 / (1 / 2)) at 2 by field. unfold Rdiv at 1 3.
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  rewrite E, Rabs_mult, Rabs_Ropp, (Rabs_pos_eq u), (Rabs_pos_eq (f / 2)); try lra. unfold Rdiv at 2. rewrite Rmult_1_l.
  apply times_at_most_1; lra.
Qed.

Theorem log_partition_uniform_above i : (i < n)%nat ->
  Rabs (ln (partition d n beta x i) - gamma * ln (INR n)) <= power n (g - 1).
Proof.
  intros Hi. destruct (log_partition_above d n q rho gamma x Hn Hq Hr HS i Hi) as (f & Hf & E). pose proof u_half.
  pose proof (power_pos n (g - 1)) as P.
  assert (W : 0 < power n (g - 1) * (1 - u)) by (apply Rmult_lt_0_compat; lra).
  assert (Hf0 : 0 <= f) by (apply Rle_trans with (2 := proj1 Hf); left; apply Rinv_0_lt_compat; lra).
  rewrite E, Rabs_pos_eq; [|apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]].
  apply times_at_most_1; [lra|]. apply Rle_trans with (1 - u); [apply times_at_most_1|]; lra.
Qed.

(* ---- Inner products at the threshold: within 9/n ---- *)

(* lambda_at with s = 1/z - 1, z in (0,1]: bounded although s is not. *)
Definition lambda_at_z (z v : R) : R :=
  let C0 := 2 - z in let C := C0 - v in
  (z * ((1 - rho) * C0 ^ 2 * (2 * C + z)) + z * rho * (2 * C0 * C + z * (C0 + C)))
  / ((C0 ^ 2 + rho * z * (2 * C0 + z)) * (C ^ 2 + z * (rho + (1 - rho) * v) * (2 * C + z))).

Lemma lambda_at_bounded r v : 0 <= r -> 0 < v < 1 -> lambda_at rho r v = - lambda_at_z (/ (1 + r)) v.
Proof.
  intros Hs Hv. unfold lambda_at, lambda_at_z. cbv zeta. set (z := / (1 + r)).
  assert (Hz : 0 < z) by (apply Rinv_0_lt_compat; lra).
  assert (H1 : 0 < 1 + 2 * r - v * (1 + r)). { assert (v * (1 + r) < 1 * (1 + r)) by (apply Rmult_lt_compat_r; lra). lra. }
  replace (2 - z) with ((1 + 2 * r) * z) by (unfold z; field; lra).
  replace ((1 + 2 * r) * z - v) with ((1 + 2 * r - v * (1 + r)) * z) by (unfold z; field; lra).
  set (C0 := 1 + 2 * r) in *. set (C := C0 - v * (1 + r)) in *.
  assert (0 < C0) by (unfold C0; lra). assert (0 < (1 - rho) * v) by (apply Rmult_lt_0_compat; lra).
  assert (0 < C0 ^ 2) by (apply pow_lt; auto). assert (0 < C ^ 2) by (apply pow_lt; auto).
  assert (0 < rho * (2 * C0 + 1)) by (apply Rmult_lt_0_compat; lra).
  assert (0 < (rho + (1 - rho) * v) * (2 * C + 1)) by (apply Rmult_lt_0_compat; lra).
  replace ((C0 * z) ^ 2 + rho * z * (2 * (C0 * z) + z)) with (z ^ 2 * (C0 ^ 2 + rho * (2 * C0 + 1))) by ring.
  replace ((C * z) ^ 2 + z * (rho + (1 - rho) * v) * (2 * (C * z) + z))
    with (z ^ 2 * (C ^ 2 + (rho + (1 - rho) * v) * (2 * C + 1))) by ring.
  replace (1 + r) with (/ z) by (unfold z; field; lra). field. repeat split; lra.
Qed.

Lemma lambda_at_z_bound z v : 0 <= z <= 1 -> 0 <= v <= 1 / 2 -> Rabs (- ((1 - rho) * - lambda_at_z z v)) <= 9.
Proof.
  intros Hz Hv. unfold lambda_at_z. cbv zeta. set (C0 := 2 - z). set (C := C0 - v).
  assert (H0 : 1 <= C0) by (unfold C0; lra). assert (H1 : 1 / 2 <= C) by (unfold C, C0; lra).
  set (j := / C0). set (i := / C). assert (Hj : 0 < j <= 1).
  { unfold j. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (Hi : 0 < i <= 2).
  { unfold i. split; [apply Rinv_0_lt_compat; lra|]. replace 2 with (/ (1 / 2)) by field. apply Rinv_le_contravar; lra. }
  set (num := z * ((1 - rho) * C0 ^ 2 * (2 * C + z)) + z * rho * (2 * C0 * C + z * (C0 + C))).
  set (den := (C0 ^ 2 + rho * z * (2 * C0 + z)) * (C ^ 2 + z * (rho + (1 - rho) * v) * (2 * C + z))).
  assert (P0 : 0 < C0 ^ 2) by (apply pow_lt; lra). assert (P1 : 0 < C ^ 2) by (apply pow_lt; lra).
  assert (D : C0 ^ 2 * C ^ 2 <= den).
  { unfold den. assert (0 <= (1 - rho) * v) by (apply Rmult_le_pos; lra). apply Rmult_le_compat; try lra.
    - assert (0 <= rho * z * (2 * C0 + z)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
    - assert (0 <= z * (rho + (1 - rho) * v) * (2 * C + z)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra. }
  assert (PD : 0 < C0 ^ 2 * C ^ 2) by (apply Rmult_lt_0_compat; auto).
  assert (i2 : i * i <= 4) by (replace 4 with (2 * 2) by ring; apply Rmult_le_compat; lra).
  assert (ij : j * i <= 2) by (replace 2 with (1 * 2) by ring; apply Rmult_le_compat; lra).
  assert (iij : j * i * i <= 4) by (replace 4 with (2 * 2) by ring; apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra).
  assert (ijj : j * (j * i) <= 2) by (replace 2 with (1 * 2) by ring; apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra).
  assert (Pij : 0 <= j * i * i + j * (j * i)).
  { apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; lra. }
  assert (Pii : 0 <= i * i) by (apply Rmult_le_pos; lra). assert (Pji : 0 <= j * i) by (apply Rmult_le_pos; lra).
  (* num over C0^2 C^2 *)
  set (b := (1 - rho) * (2 * i + z * (i * i)) + rho * (2 * (j * i) + z * (j * i * i + j * (j * i)))).
  assert (E : num = z * b * (C0 ^ 2 * C ^ 2)) by (unfold num, b, i, j; field; lra).
  assert (Z1 : 0 <= z * (i * i) <= 4) by (split; [apply Rmult_le_pos; lra|apply Rle_trans with (1 * (i * i)); [apply Rmult_le_compat_r|]; lra]).
  assert (Z2 : 0 <= z * (j * i * i + j * (j * i)) <= 6).
  { split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (1 * (j * i * i + j * (j * i))); [apply Rmult_le_compat_r|]; lra. }
  assert (B1 : 0 <= (1 - rho) * (2 * i + z * (i * i)) <= (1 - rho) * 8) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
  assert (B2 : 0 <= rho * (2 * (j * i) + z * (j * i * i + j * (j * i))) <= rho * 10) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
  assert (B : 0 <= b <= 8 + 2 * rho) by (unfold b; lra).
  assert (Zb : 0 <= z * b <= 8 + 2 * rho).
  { split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (1 * b); [apply Rmult_le_compat_r|]; lra. }
  assert (Q : 0 <= num / den <= 8 + 2 * rho).
  { rewrite E. split; [apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r den); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|lra].
    apply Rmult_le_compat; lra. }
  replace (- ((1 - rho) * - (num / den))) with ((1 - rho) * (num / den)) by ring.
  rewrite Rabs_pos_eq; [|apply Rmult_le_pos; lra].
  apply Rle_trans with ((1 - rho) * (8 + 2 * rho)); [apply Rmult_le_compat_l; lra|]. nra.
Qed.

Theorem inner_product_uniform_at i j : g = 1 -> (i < n)%nat -> (j < n)%nat -> i <> j ->
  Rabs (output_inner d n beta alpha x i j - rho * (1 + s) ^ 2 / (s ^ 2 + s * (1 + rho) + (1 + 3 * rho) / 4)) <= 9 / INR n.
Proof.
  intros H1 Hi Hj Hij. pose proof u_half as Hu. pose proof (s_nonneg q alpha Ha) as Hs.
  replace (rho * (1 + s) ^ 2 / (s ^ 2 + s * (1 + rho) + (1 + 3 * rho) / 4)) with (1 - (1 - rho) * lambda_limit_at rho s).
  2: { set (t := s) in *. clearbody t. assert (0 <= t * rho) by (apply Rmult_le_pos; lra). pose proof (pow2_ge_0 t).
       unfold lambda_limit_at. field. repeat split; nra. }
  unfold Rdiv. apply (scaled _ _ (- ((1 - rho) * lambda_at rho s u))); [lra| |].
  - apply (inner_product_at d n q rho alpha gamma x); auto.
  - rewrite lambda_at_bounded; [|auto|lra]. apply lambda_at_z_bound; [|lra].
    split; [left; apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.

(* ---- Inner products above the threshold: within 15 n^-(g-1) ---- *)

Theorem inner_product_uniform_above i j : 1 < g -> (i < n)%nat -> (j < n)%nat -> i <> j ->
  0 <= output_inner d n beta alpha x i j - rho <= 15 * power n (g - 1).
Proof.
  intros H1 Hi Hj Hij. rewrite (inner_product_above d n q rho alpha gamma x); auto.
  pose proof u_half as Hu. pose proof (s_nonneg q alpha Ha) as Hs. pose proof (power_pos n (g - 1)) as Pv.
  pose proof (power_lt_1 n Hn (g - 1) ltac:(lra)) as Lv. unfold lambda_above. cbv zeta.
  set (v := power n (g - 1)) in *. set (r := s) in *. set (w := u) in *. clearbody v r w.
  assert (Hw : 0 < v * (1 - w)) by (apply Rmult_lt_0_compat; lra).
  set (S := 1 + v * (1 - w)) in *. assert (HS1 : 1 < S) by (unfold S; lra). set (c := 1 + r - v / S).
  assert (Hv : 0 < v / S) by (apply Rdiv_lt_0_compat; lra).
  assert (Hvs : v / S <= 2 / 3).
  { apply (Rmult_le_reg_r S); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|lra]. unfold S. nra. }
  assert (Hc : 1 / 3 <= c) by (unfold c; lra).
  assert (Hm : 0 < w + rho * (1 - w) <= 1).
  { assert (0 < rho * (1 - w)) by (apply Rmult_lt_0_compat; lra). assert (rho * (1 - w) <= 1 * (1 - w)) by (apply Rmult_le_compat_r; lra). lra. }
  set (h := v * (w + rho * (1 - w)) / S * (2 * c + v / S)).
  assert (Hh : 0 < h). { apply Rmult_lt_0_compat; [|lra]. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; lra. }
  assert (Hcc : 0 < c ^ 2) by (apply pow_lt; lra).
  set (f := (w + rho * (1 - w)) * (2 * c + v / S) / (S * (c ^ 2 + h))).
  assert (HSc : c ^ 2 <= S * (c ^ 2 + h)) by nra.
  assert (Hf : 0 <= f <= 15).
  { unfold f. split.
    - apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat; lra].
    - apply (Rmult_le_reg_r (S * (c ^ 2 + h))); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|lra].
      apply Rle_trans with (1 * (2 * c + 1)); [apply Rmult_le_compat; lra|]. apply Rle_trans with (15 * c ^ 2); [nra|lra]. }
  replace (v * - ((1 - rho) * - f)) with (v * ((1 - rho) * f)) by ring.
  assert (0 <= (1 - rho) * f <= 15) by (split; [apply Rmult_le_pos; lra|nra]).
  split; [apply Rmult_le_pos; lra|]. rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
Qed.
End Uniform.
