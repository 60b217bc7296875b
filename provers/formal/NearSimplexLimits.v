(* Theorems 2.3 and 2.5 along the number of tokens: beta = gamma ln n, every configuration of Assumption 2, explicit
   rates for all n >= 2, and the o(1) statements as "for every eps there is an N that serves all configurations".
   Notation: n^-k is power n k; g1 = gamma (1 - rho1) and g2 = gamma (1 - rho2).
   Uses NearSimplex.v, NearSimplexJacobian.v, Powers.v and Limits.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Coquelicot Require Import Coquelicot.
From Critscale Require Import Sums Layer Weights Powers Limits Bounds NearSimplex NearSimplexJacobian.
Open Scope R_scope.

Lemma lim_log_power j k : 0 < k -> is_lim_seq (fun n => ln (INR n) ^ j * power n k) 0.
Proof.
  intros Hk. destruct j as [|j].
  - apply (is_lim_seq_ext (fun n => power n k)); [intros; simpl; ring|apply lim_power; auto].
  - apply (is_lim_seq_le_le_loc (fun _ => 0) _ (fun n => ((INR (S j) / (k / 2)) ^ S j * exp (- INR (S j))) * power n (k / 2))).
    + apply from_2. intros n Hn. pose proof (log_pos n Hn) as L. pose proof (power_pos n (k / 2)) as P. split.
      * apply Rmult_le_pos; [apply pow_le; lra|left; apply power_pos].
      * replace k with (k / 2 + k / 2) at 1 by field. rewrite power_plus, <- Rmult_assoc.
        apply Rmult_le_compat_r; [lra|]. apply (log_power_max (S j) (k / 2)); [lra|auto|lia].
    + apply is_lim_seq_const.
    + replace (Finite 0) with (Finite ((INR (S j) / (k / 2)) ^ S j * exp (- INR (S j)) * 0)) by (f_equal; ring).
      apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_power; lra].
Qed.

(* What tends to 0 is below eps from some N >= 2 on. *)
Lemma eventually_below u eps : is_lim_seq u 0 -> 0 < eps -> exists N, (2 <= N)%nat /\ forall n, (N <= n)%nat -> u n <= eps.
Proof.
  intros H He. apply is_lim_seq_spec in H. destruct (H (mkposreal eps He)) as [N HN]. simpl in HN.
  exists (max 2 N). split; [lia|]. intros n Hn. specialize (HN n ltac:(lia)). apply Rabs_def2 in HN. lra.
Qed.

Section Rates.
Variables (q1 q2 rho1 rho2 gamma alpha : R).
Hypotheses (Hq : 0 < q1) (Hr1 : 0 < rho1) (Hr : rho1 <= rho2) (Hr2 : rho2 < 1) (Hg : 0 <= gamma) (Ha : 0 <= alpha).
Notation beta n := (gamma * ln (INR n)).
Notation g1 := (gamma * (1 - rho1)).
Notation g2 := (gamma * (1 - rho2)).
Notation s2 := (alpha * sqrt q2).
Notation s1 := (alpha * sqrt q1).
Notation member d n x := (near_simplex d n q1 q2 rho1 rho2 x).

Lemma beta_nonneg n : (2 <= n)%nat -> 0 <= beta n.
Proof. intros Hn. pose proof (log_pos n Hn). apply Rmult_le_pos; lra. Qed.

Lemma factor_power n rho : exp (- beta n * (1 - rho)) = power n (gamma * (1 - rho)).
Proof. unfold power. f_equal. ring. Qed.

(* The largest self weight, where g1 <= 1: below 2/3, and at most 2 n^-(1-g1). *)
Lemma self_high_two_thirds n : (2 <= n)%nat -> g1 <= 1 -> self_high n rho1 (beta n) <= 2 / 3.
Proof.
  intros Hn H. unfold self_high. rewrite factor_power. pose proof (size_ge_2 n Hn) as HN.
  assert (P : / INR n <= power n g1) by (rewrite <- (power_1 n Hn); apply power_falls; auto).
  assert (Q : 1 / 2 <= (INR n - 1) * power n g1).
  { apply Rle_trans with ((INR n - 1) * / INR n); [|apply Rmult_le_compat_l; lra].
    apply (Rmult_le_reg_r (INR n)); [lra|]. rewrite Rmult_assoc, Rinv_l; lra. }
  apply Rle_trans with (/ (1 + 1 / 2)); [apply Rinv_le_contravar; lra|lra].
Qed.

Lemma self_high_rate n : (2 <= n)%nat -> self_high n rho1 (beta n) <= 2 * power n (1 - g1).
Proof.
  intros Hn. unfold self_high. rewrite factor_power. pose proof (size_ge_2 n Hn) as HN. pose proof (power_pos n g1) as P.
  replace (1 - g1) with (1 + - g1) by ring. rewrite power_plus, power_1, power_opp; auto.
  assert (Q : 0 < INR n / 2 * power n g1) by (apply Rmult_lt_0_compat; lra).
  replace (2 * (/ INR n * / power n g1)) with (/ (INR n / 2 * power n g1)) by (field; lra).
  apply Rinv_le_contravar; auto. assert (INR n / 2 * power n g1 <= (INR n - 1) * power n g1) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(* The mass that is not on the token itself, where g2 > 1: at most n^-(g2-1). *)
Lemma self_low_power n : (2 <= n)%nat -> 1 - self_low n rho2 (beta n) <= power n (g2 - 1).
Proof.
  intros Hn. pose proof (beta_nonneg n Hn) as Hb. apply Rle_trans with (1 := self_low_rate n rho2 (beta n) Hn Hr2 Hb).
  unfold far_factor. rewrite factor_power. pose proof (size_ge_2 n Hn) as HN. pose proof (power_pos n g2) as P.
  replace (g2 - 1) with (g2 + - (1)) by ring. rewrite power_plus, power_opp, power_1, Rinv_inv; auto.
  rewrite Rmult_comm. apply Rmult_le_compat_l; lra.
Qed.

(* ---- Theorem 2.3, gamma below 1/(1 - rho1): all inner products grow ---- *)

Definition kappa_limit := (1 - rho2) * (1 + 2 * s2) / (1 + s2) ^ 2.

Lemma s2_nonneg : 0 <= s2.
Proof. apply Rmult_le_pos; auto. apply sqrt_pos. Qed.

Lemma kappa_limit_range : 0 < kappa_limit <= 1 - rho2.
Proof.
  pose proof s2_nonneg as S. unfold kappa_limit. assert (P : 0 < (1 + s2) ^ 2) by (apply pow_lt; lra). split.
  - apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; lra.
  - unfold Rdiv. rewrite Rmult_assoc. rewrite <- (Rmult_1_r (1 - rho2)) at 2. apply Rmult_le_compat_l; [lra|].
    apply (Rmult_le_reg_r ((1 + s2) ^ 2)); auto. rewrite Rmult_assoc, Rinv_l; [|lra].
    pose proof (pow2_ge_0 s2). lra.
Qed.

Lemma kappa_ge n a : (2 <= n)%nat -> 0 <= a <= 1 -> (1 - a) * kappa_limit <= growth_kappa rho2 (beta n) a s2.
Proof.
  intros Hn HA. pose proof s2_nonneg as S. unfold growth_kappa, kappa_limit.
  assert (P : 0 < (1 + s2) ^ 2) by (apply pow_lt; lra).
  destruct (far_factor_range rho2 (beta n) Hr2 (beta_nonneg n Hn)) as [_ F]. set (f := far_factor rho2 (beta n)) in *.
  replace ((1 - a) * ((1 - rho2) * (1 + 2 * s2) / (1 + s2) ^ 2)) with ((1 - rho2) * (1 - a) * (1 + 2 * s2) / (1 + s2) ^ 2) by (field; lra).
  unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. assert (0 <= a * (1 - f)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma growth_from n d x k i j : (2 <= n)%nat -> member d n x -> (i < n)%nat -> (j < n)%nat ->
  k <= growth_kappa rho2 (beta n) (self_high n rho1 (beta n)) s2 ->
  rho1 / (1 - k) <= output_inner d n (beta n) alpha x i j.
Proof.
  intros Hn HC Hi Hj Hk. pose proof (beta_nonneg n Hn) as Hb.
  apply Rle_trans with (2 := growth d n q1 q2 rho1 rho2 (beta n) alpha x Hn Hq Hr1 Hr2 Hb Ha HC i j Hi Hj).
  assert (K1 : growth_kappa rho2 (beta n) (self_high n rho1 (beta n)) s2 < 1).
  { apply (kappa_lt_1 d n q1 q2 rho1 rho2 (beta n) alpha x); auto.
    - pose proof (self_high_range n rho1 (beta n) Hn). lra.
    - apply s2_nonneg.
    - intros l Hl. apply (self_weight_between d n q1 q2 rho1 rho2 (beta n) x); auto.
    - intros l Hl. apply (residual_between d n q1 q2 rho1 rho2 alpha x); auto. }
  unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

(* For gamma <= 1/(1-rho1) every inner product grows by a fixed amount, at every n >= 2. *)
Theorem theorem_2_3_growth n d x i j : g1 <= 1 -> (2 <= n)%nat -> member d n x -> (i < n)%nat -> (j < n)%nat ->
  rho1 / (1 - kappa_limit / 3) <= output_inner d n (beta n) alpha x i j.
Proof.
  intros H Hn HC Hi Hj. apply growth_from; auto. pose proof kappa_limit_range as [K0 _].
  pose proof (self_high_two_thirds n Hn H) as A1. pose proof (self_high_range n rho1 (beta n) Hn) as A2.
  apply Rle_trans with (2 := kappa_ge n (self_high n rho1 (beta n)) Hn ltac:(lra)).
  assert (1 / 3 * kappa_limit <= (1 - self_high n rho1 (beta n)) * kappa_limit) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem theorem_2_3_growth_exists : g1 <= 1 -> exists eps, 0 < eps /\
  forall n d x i j, (2 <= n)%nat -> member d n x -> (i < n)%nat -> (j < n)%nat ->
  rho1 + eps <= output_inner d n (beta n) alpha x i j.
Proof.
  intros H. pose proof kappa_limit_range as [K0 K1]. exists (rho1 / (1 - kappa_limit / 3) - rho1). split.
  - replace (rho1 / (1 - kappa_limit / 3) - rho1) with (rho1 * (kappa_limit / 3) / (1 - kappa_limit / 3)) by (field; lra).
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra].
  - intros. replace (rho1 + (rho1 / (1 - kappa_limit / 3) - rho1)) with (rho1 / (1 - kappa_limit / 3)) by ring.
    apply theorem_2_3_growth; auto.
Qed.

(* In the limit rho1/(1 - kappa), without residual rho1/rho2; the rate for all n >= 2. *)
Theorem theorem_2_3_growth_rate n d x i j : (2 <= n)%nat -> member d n x -> (i < n)%nat -> (j < n)%nat ->
  rho1 / (1 - kappa_limit) - 2 * (1 - rho2) / rho2 * power n (1 - g1) <= output_inner d n (beta n) alpha x i j.
Proof.
  intros Hn HC Hi Hj. pose proof kappa_limit_range as [K0 K1]. set (a := self_high n rho1 (beta n)).
  pose proof (self_high_range n rho1 (beta n) Hn) as A2. pose proof (self_high_rate n Hn) as A1. fold a in A1, A2.
  set (k := (1 - a) * kappa_limit).
  assert (k1 : k <= kappa_limit) by (unfold k; assert (0 <= a * kappa_limit) by (apply Rmult_le_pos; lra); lra).
  apply Rle_trans with (rho1 / (1 - k)); [|apply growth_from; auto; apply kappa_ge; auto; fold a; lra].
  assert (E : rho1 / (1 - kappa_limit) - rho1 / (1 - k) = a * kappa_limit * (rho1 / (1 - kappa_limit)) * / (1 - k)) by (unfold k; field; unfold k in k1; lra).
  assert (B1 : rho1 / (1 - kappa_limit) <= 1).
  { apply (Rmult_le_reg_r (1 - kappa_limit)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (B0 : 0 <= rho1 / (1 - kappa_limit)) by (left; apply Rdiv_lt_0_compat; lra).
  assert (B2 : / (1 - k) <= / rho2) by (apply Rinv_le_contravar; lra).
  assert (B3 : 0 <= / (1 - k)) by (left; apply Rinv_0_lt_compat; lra).
  assert (B4 : 0 <= a * kappa_limit) by (apply Rmult_le_pos; lra).
  assert (B5 : a * kappa_limit <= 2 * power n (1 - g1) * (1 - rho2)) by (apply Rmult_le_compat; lra).
  assert (B6 : a * kappa_limit * (rho1 / (1 - kappa_limit)) <= 2 * power n (1 - g1) * (1 - rho2)).
  { rewrite <- (Rmult_1_r (2 * power n (1 - g1) * (1 - rho2))). apply Rmult_le_compat; auto. }
  assert (B7 : a * kappa_limit * (rho1 / (1 - kappa_limit)) * / (1 - k) <= 2 * power n (1 - g1) * (1 - rho2) * / rho2).
  { apply Rmult_le_compat; auto. apply Rmult_le_pos; auto. }
  replace (2 * (1 - rho2) / rho2 * power n (1 - g1)) with (2 * power n (1 - g1) * (1 - rho2) * / rho2) by (field; lra). lra.
Qed.

Theorem theorem_2_3_growth_limit eps : g1 < 1 -> 0 < eps -> exists N, forall n d x i j, (N <= n)%nat ->
  member d n x -> (i < n)%nat -> (j < n)%nat -> rho1 / (1 - kappa_limit) - eps <= output_inner d n (beta n) alpha x i j.
Proof.
  intros H He. destruct (eventually_below (fun n => 2 * (1 - rho2) / rho2 * power n (1 - g1)) eps) as [N [N2 HN]]; auto.
  - replace (Finite 0) with (Finite (2 * (1 - rho2) / rho2 * 0)) by (f_equal; ring).
    apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_power; lra].
  - exists N. intros n d x i j Hn HC Hi Hj. pose proof (theorem_2_3_growth_rate n d x i j ltac:(lia) HC Hi Hj). specialize (HN n Hn). lra.
Qed.

(* ---- Theorem 2.3, gamma above 1/(1 - rho2): attention is near the identity ---- *)

Theorem theorem_2_3_kept n d x i : (2 <= n)%nat -> member d n x -> (i < n)%nat ->
  norm d (fun c => attention d n (beta n) x i c - unit_token d x i c) <= power n (g2 - 1) * sqrt (2 * (1 - rho1)).
Proof.
  intros Hn HC Hi. pose proof (beta_nonneg n Hn) as Hb.
  apply Rle_trans with (1 := attention_near_identity_simple d n q1 q2 rho1 rho2 (beta n) x Hn Hq Hr2 Hb HC i Hi).
  apply Rmult_le_compat_r; [apply sqrt_pos|apply self_low_power; auto].
Qed.

(* The sharper form: (1 - A)^2 (1 + rho2 - 2 rho1) besides a term smaller by the factor 1/n. *)
Theorem theorem_2_3_kept_sharp n d x i : (2 <= n)%nat -> member d n x -> (i < n)%nat ->
  norm d (fun c => attention d n (beta n) x i c - unit_token d x i c) <=
  power n (g2 - 1) * sqrt ((1 + rho2 - 2 * rho1) + (1 - rho2) * / INR n).
Proof.
  intros Hn HC Hi. pose proof (beta_nonneg n Hn) as Hb.
  apply Rle_trans with (1 := attention_near_identity d n q1 q2 rho1 rho2 (beta n) x Hn Hq Hr2 Hb HC i Hi). unfold displacement_high.
  pose proof (self_low_power n Hn) as P. destruct (self_low_range n rho2 (beta n) Hn Hr2 Hb) as [_ L].
  pose proof (power_pos n (g2 - 1)) as P0. set (b := self_low n rho2 (beta n)) in *. set (p := power n (g2 - 1)) in *.
  assert (F : far_factor rho2 (beta n) = p * / INR n).
  { unfold far_factor, p. rewrite factor_power, <- (power_1 n Hn), <- power_plus. f_equal. ring. }
  pose proof (inverse_range n Hn) as I. replace p with (sqrt (p ^ 2)) by (apply sqrt_pow2; lra).
  rewrite <- sqrt_mult_alt; [|apply pow2_ge_0]. apply sqrt_le_1_alt. rewrite F.
  assert ((1 - b) ^ 2 * (1 + rho2 - 2 * rho1) <= p ^ 2 * (1 + rho2 - 2 * rho1)) by (apply Rmult_le_compat_r; [lra|apply pow_incr; lra]).
  assert ((1 - b) * (p * / INR n) <= p * (p * / INR n)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]).
  assert ((1 - rho2) * ((1 - b) * (p * / INR n)) <= (1 - rho2) * (p * (p * / INR n))) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* Inner products are kept. *)
Theorem theorem_2_3_angles n d x i j : (2 <= n)%nat -> member d n x -> (i < n)%nat -> (j < n)%nat ->
  let e := Rmin (sqrt 2) (power n (g2 - 1) * sqrt (2 * (1 - rho1))) in
  Rabs (output_inner d n (beta n) alpha x i j - gram d x i j) <= 4 * e / (2 * (1 + s1) - e).
Proof.
  intros Hn HC Hi Hj e. pose proof (beta_nonneg n Hn) as Hb.
  assert (S2 : sqrt 2 < 2) by (apply Rsqr_incrst_0; [unfold Rsqr; rewrite sqrt_sqrt; lra|apply sqrt_pos|lra]).
  apply (kept d n q1 q2 rho1 rho2 (beta n) alpha x); auto.
  - unfold e. apply Rle_lt_trans with (1 := Rmin_l _ _). auto.
  - intros k Hk. unfold e. apply Rmin_glb; [|apply theorem_2_3_kept; auto].
    apply Rle_trans with (1 := attention_near_identity_simple d n q1 q2 rho1 rho2 (beta n) x Hn Hq Hr2 Hb HC k Hk).
    destruct (self_low_range n rho2 (beta n) Hn Hr2 Hb) as [L0 L]. rewrite <- (Rmult_1_l (sqrt 2)).
    apply Rmult_le_compat; [lra|apply sqrt_pos|lra|apply sqrt_le_1_alt; lra].
Qed.

Theorem theorem_2_3_angles_rate n d x i j : (2 <= n)%nat -> member d n x -> (i < n)%nat -> (j < n)%nat ->
  Rabs (output_inner d n (beta n) alpha x i j - gram d x i j) <= 10 * power n (g2 - 1).
Proof.
  intros Hn HC Hi Hj. pose proof (theorem_2_3_angles n d x i j Hn HC Hi Hj) as K. cbv zeta in K.
  apply Rle_trans with (1 := K). set (e := Rmin (sqrt 2) (power n (g2 - 1) * sqrt (2 * (1 - rho1)))).
  pose proof (power_pos n (g2 - 1)) as P. pose proof (sqrt_pos (2 * (1 - rho1))) as Q.
  assert (S2 : sqrt 2 <= 1415 / 1000).
  { apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. rewrite sqrt_sqrt; lra. }
  assert (e1 : e <= 1415 / 1000) by (apply Rle_trans with (1 := Rmin_l _ _); auto).
  assert (e2 : e <= power n (g2 - 1) * (1415 / 1000)).
  { apply Rle_trans with (1 := Rmin_r _ _). apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (sqrt 2); auto. apply sqrt_le_1_alt. lra. }
  assert (e0 : 0 <= e) by (apply Rmin_glb; [apply sqrt_pos|apply Rmult_le_pos; lra]).
  assert (S1 : 0 <= s1) by (apply Rmult_le_pos; auto; apply sqrt_pos).
  apply Rle_trans with (4 * e / (2 - 1415 / 1000)).
  - unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  - lra.
Qed.

Theorem theorem_2_3_kept_limit eps : 1 < g2 -> 0 < eps -> exists N, forall n d x i j, (N <= n)%nat ->
  member d n x -> (i < n)%nat -> (j < n)%nat ->
  norm d (fun c => attention d n (beta n) x i c - unit_token d x i c) <= eps /\
  Rabs (output_inner d n (beta n) alpha x i j - gram d x i j) <= eps.
Proof.
  intros H He. destruct (eventually_below (fun n => 10 * power n (g2 - 1)) eps) as [N [N2 HN]]; auto.
  - replace (Finite 0) with (Finite (10 * 0)) by (f_equal; ring).
    apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_power; lra].
  - exists N. intros n d x i j Hn HC Hi Hj. assert (Hn2 : (2 <= n)%nat) by lia. specialize (HN n Hn). split.
    + apply Rle_trans with (1 := theorem_2_3_kept n d x i Hn2 HC Hi). apply Rle_trans with (2 := HN). rewrite Rmult_comm.
      apply Rmult_le_compat_r; [left; apply power_pos|].
      apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. rewrite sqrt_sqrt; lra.
    + apply Rle_trans with (1 := theorem_2_3_angles_rate n d x i j Hn2 HC Hi Hj). auto.
Qed.

(* ---- Theorem 2.5, gamma below 1/(1 - rho1) ---- *)

Lemma block_reach_le : 0 <= block_reach rho1 <= 3 / 2.
Proof.
  pose proof (block_reach_nonneg rho1 ltac:(lra)) as B0.
  split; auto. apply Rsqr_incr_0_var; [|lra]. unfold Rsqr.
  replace (block_reach rho1 * block_reach rho1) with (block_reach rho1 ^ 2) by ring. rewrite block_reach_square; [|lra].
  assert (0 < rho1 ^ 2) by (apply pow_lt; auto). assert (rho1 ^ 2 < 1) by (replace (rho1 ^ 2) with (rho1 * rho1) by ring; nra).
  assert ((1 - rho1) * (1 - rho1 ^ 2) <= 1 * 1) by (apply Rmult_le_compat; lra). lra.
Qed.

(* Terms of size beta/d and beta^2/d, and a remainder of size n^-(1-g1) (ln n)^2; alpha^2 is the residual's own share. *)
Theorem theorem_2_5_vanishing n d x : (2 <= n)%nat -> (0 < d)%nat -> member d n x ->
  jacobian_norm d n (beta n) alpha x <=
    alpha ^ 2 + 2 * alpha * (1 - rho1) / sqrt q1 * (beta n / INR d) + (1 - rho1) ^ 2 / q1 * (beta n ^ 2 / INR d)
    + (2 / q1 * (1 + (5 * beta n + 3 * beta n ^ 2) / INR d) + 4 * alpha / sqrt q1) * power n (1 - g1).
Proof.
  intros Hn Hd HC. pose proof (beta_nonneg n Hn) as Hb.
  apply Rle_trans with (1 := jacobian_norm_high d n q1 q2 rho1 rho2 (beta n) alpha x Hn Hd Hq Hr1 Hr2 Hb Ha HC).
  set (a := self_high n rho1 (beta n)). set (b := beta n) in *. set (D := INR d). set (f := far_factor rho2 b). set (c := block_reach rho1).
  pose proof (self_high_range n rho1 b Hn) as A2. pose proof (self_high_rate n Hn) as A1. fold b in A1. fold a in A1, A2.
  destruct (far_factor_range rho2 b Hr2 Hb) as [F0 F1]. fold f in F0, F1. pose proof block_reach_le as C. fold c in C.
  assert (HD : 1 <= D) by exact (le_INR 1 d Hd). assert (ID : 0 < / D <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  set (p := power n (1 - g1)) in *. pose proof (sqrt_lt_R0 q1 Hq) as Sq.
  assert (b1 : 0 <= b / D) by (apply Rmult_le_pos; lra).
  assert (b2 : 0 <= b ^ 2 / D) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
  assert (T1 : (a * (1 - a) * f + a ^ 2) * (1 - 1 / D) <= a).
  { unfold Rdiv. rewrite Rmult_1_l. rewrite <- (Rmult_1_r a) at 4.
    assert (a * (1 - a) * f <= a * (1 - a)) by (rewrite <- (Rmult_1_r (a * (1 - a))) at 2; apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
    assert (0 <= a * (1 - a) * f + a ^ 2) by (apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]|apply pow2_ge_0]).
    apply Rmult_le_compat; lra. }
  assert (V : Rmin a (1 / 4) * f <= a).
  { rewrite <- (Rmult_1_r a) at 2. apply Rmult_le_compat; [apply Rmin_glb; lra|lra|apply Rmin_l|lra]. }
  assert (V0 : 0 <= Rmin a (1 / 4) * f) by (apply Rmult_le_pos; [apply Rmin_glb; lra|lra]).
  assert (T2 : Rmin a (1 / 4) * f * (2 * c * (b / D) + c ^ 2 * (b ^ 2 / D)) <= a * (3 * (b / D) + 3 * (b ^ 2 / D))).
  { assert (C2 : c ^ 2 <= 3) by (apply Rle_trans with ((3 / 2) ^ 2); [apply pow_incr; lra|lra]).
    apply Rmult_le_compat; auto.
    - apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto; [lra|apply pow2_ge_0].
    - apply Rplus_le_compat; apply Rmult_le_compat_r; lra. }
  assert (T3 : 2 * a * (1 - rho1) * (b / D) <= a * (2 * (b / D))).
  { replace (2 * a * (1 - rho1) * (b / D)) with (a * (2 * (b / D)) * (1 - rho1)) by ring.
    rewrite <- (Rmult_1_r (a * (2 * (b / D)))) at 2. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
  assert (T4 : a * (1 - 1 / D) <= a) by (unfold Rdiv; rewrite Rmult_1_l; rewrite <- (Rmult_1_r a) at 2; apply Rmult_le_compat_l; lra).
  assert (E1 : a * (1 + (5 * (b / D) + 3 * (b ^ 2 / D))) <= 2 * p * (1 + (5 * (b / D) + 3 * (b ^ 2 / D)))) by (apply Rmult_le_compat_r; lra).
  assert (iq : 0 < / q1) by (apply Rinv_0_lt_compat; auto). assert (is : 0 <= 2 * alpha / sqrt q1) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]).
  assert (G1 : 1 / q1 * ((a * (1 - a) * f + a ^ 2) * (1 - 1 / D) + Rmin a (1 / 4) * f * (2 * c * (b / D) + c ^ 2 * (b ^ 2 / D))
      + 2 * a * (1 - rho1) * (b / D) + (1 - rho1) ^ 2 * (b ^ 2 / D))
      <= 1 / q1 * (2 * p * (1 + (5 * (b / D) + 3 * (b ^ 2 / D))) + (1 - rho1) ^ 2 * (b ^ 2 / D))) by (apply Rmult_le_compat_l; lra).
  assert (G2 : 2 * alpha / sqrt q1 * (a * (1 - 1 / D) + (1 - rho1) * (b / D)) <= 2 * alpha / sqrt q1 * (2 * p + (1 - rho1) * (b / D)))
    by (apply Rmult_le_compat_l; lra).
  replace (alpha ^ 2 + 2 * alpha * (1 - rho1) / sqrt q1 * (b / D) + (1 - rho1) ^ 2 / q1 * (b ^ 2 / D)
    + (2 / q1 * (1 + (5 * b + 3 * b ^ 2) / D) + 4 * alpha / sqrt q1) * p)
   with (1 / q1 * (2 * p * (1 + (5 * (b / D) + 3 * (b ^ 2 / D))) + (1 - rho1) ^ 2 * (b ^ 2 / D))
      + 2 * alpha / sqrt q1 * (2 * p + (1 - rho1) * (b / D)) + alpha ^ 2) by (field; repeat split; lra).
  lra.
Qed.

(* The paper's form, without residual: eta <= (1-rho1)^2 gamma^2 (ln n)^2/(q1 d) + o(1), uniformly in d and the class. *)
Theorem theorem_2_5_vanishing_limit eps : alpha = 0 -> g1 < 1 -> 0 < eps -> exists N, forall n d x, (N <= n)%nat -> (0 < d)%nat ->
  member d n x -> jacobian_norm d n (beta n) alpha x <= ((1 - rho1) * gamma) ^ 2 * ln (INR n) ^ 2 / (q1 * INR d) + eps.
Proof.
  intros Ha0 H He. set (u := fun n => 2 / q1 * (1 + (5 * gamma * ln (INR n) + 3 * gamma ^ 2 * ln (INR n) ^ 2)) * power n (1 - g1)).
  destruct (eventually_below u eps) as [N [N2 HN]]; auto.
  - apply (is_lim_seq_ext (fun n => 2 / q1 * (ln (INR n) ^ 0 * power n (1 - g1)) + (10 * gamma / q1 * (ln (INR n) ^ 1 * power n (1 - g1))
      + 6 * gamma ^ 2 / q1 * (ln (INR n) ^ 2 * power n (1 - g1))))).
    { intros n. unfold u. simpl. field. lra. }
    replace (Finite 0) with (Finite (2 / q1 * 0 + (10 * gamma / q1 * 0 + 6 * gamma ^ 2 / q1 * 0))) by (f_equal; ring).
    repeat apply is_lim_seq_plus'; (apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_log_power; lra]).
  - exists N. intros n d x Hn Hd HC. assert (Hn2 : (2 <= n)%nat) by lia.
    apply Rle_trans with (1 := theorem_2_5_vanishing n d x Hn2 Hd HC). specialize (HN n Hn).
    assert (HD : 1 <= INR d) by exact (le_INR 1 d Hd). pose proof (beta_nonneg n Hn2) as Hb. pose proof (sqrt_lt_R0 q1 Hq) as Sq.
    assert (R0 : (5 * beta n + 3 * beta n ^ 2) / INR d <= 5 * gamma * ln (INR n) + 3 * gamma ^ 2 * ln (INR n) ^ 2).
    { apply (Rmult_le_reg_r (INR d)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|lra].
      replace (5 * gamma * ln (INR n) + 3 * gamma ^ 2 * ln (INR n) ^ 2) with (5 * beta n + 3 * beta n ^ 2) by ring.
      rewrite <- (Rmult_1_r (5 * beta n + 3 * beta n ^ 2)) at 1. apply Rmult_le_compat_l; auto.
      apply Rplus_le_le_0_compat; [lra|]. apply Rmult_le_pos; [lra|apply pow2_ge_0]. }
    assert (R1 : 2 / q1 * (1 + (5 * beta n + 3 * beta n ^ 2) / INR d) * power n (1 - g1) <= u n).
    { unfold u. apply Rmult_le_compat_r; [left; apply power_pos|]. apply Rmult_le_compat_l; [|lra].
      apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]. }
    rewrite Ha0 in *. replace (((1 - rho1) * gamma) ^ 2 * ln (INR n) ^ 2 / (q1 * INR d)) with ((1 - rho1) ^ 2 / q1 * (beta n ^ 2 / INR d)) by (field; split; lra).
    replace (0 ^ 2 + 2 * 0 * (1 - rho1) / sqrt q1 * (beta n / INR d) + (1 - rho1) ^ 2 / q1 * (beta n ^ 2 / INR d)
       + (2 / q1 * (1 + (5 * beta n + 3 * beta n ^ 2) / INR d) + 4 * 0 / sqrt q1) * power n (1 - g1))
      with ((1 - rho1) ^ 2 / q1 * (beta n ^ 2 / INR d) + 2 / q1 * (1 + (5 * beta n + 3 * beta n ^ 2) / INR d) * power n (1 - g1)) by (field; split; lra).
    lra.
Qed.

(* So it vanishes if (ln n)^2/d does. *)
Theorem theorem_2_5_vanishes (d : nat -> nat) (x : nat -> tokens) : alpha = 0 -> g1 < 1 ->
  (forall n, (2 <= n)%nat -> (0 < d n)%nat /\ member (d n) n (x n)) ->
  is_lim_seq (fun n => ln (INR n) ^ 2 / INR (d n)) 0 ->
  is_lim_seq (fun n => jacobian_norm (d n) n (beta n) alpha (x n)) 0.
Proof.
  intros Ha0 H HX HL. apply is_lim_seq_spec. intros eps. pose proof (cond_pos eps) as He.
  destruct (theorem_2_5_vanishing_limit (eps / 4) Ha0 H ltac:(lra)) as [N HN].
  set (K := ((1 - rho1) * gamma) ^ 2 / q1).
  destruct (eventually_below (fun n => K * (ln (INR n) ^ 2 / INR (d n))) (eps / 4)) as [N' [N2 HN']]; [|lra|].
  - replace (Finite 0) with (Finite (K * 0)) by (f_equal; ring). apply is_lim_seq_mult'; [apply is_lim_seq_const|auto].
  - exists (max N N'). intros n Hn. destruct (HX n ltac:(lia)) as [Hd HC].
    specialize (HN n (d n) (x n) ltac:(lia) Hd HC). specialize (HN' n ltac:(lia)).
    assert (HD : 1 <= INR (d n)) by exact (le_INR 1 (d n) Hd).
    replace (((1 - rho1) * gamma) ^ 2 * ln (INR n) ^ 2 / (q1 * INR (d n))) with (K * (ln (INR n) ^ 2 / INR (d n))) in HN by (unfold K; field; split; lra).
    assert (0 <= jacobian_norm (d n) n (beta n) alpha (x n)).
    { unfold jacobian_norm. apply Rmult_le_pos; [repeat (apply sum_nonneg; intros); apply pow2_ge_0|].
      left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; [apply lt_0_INR; lia|lra]. }
    rewrite Rminus_0_r, Rabs_pos_eq; lra.
Qed.

(* ---- Theorem 2.5, gamma above 1/(1 - rho2) ---- *)

Theorem theorem_2_5_kept n d x : (2 <= n)%nat -> (0 < d)%nat -> 1 <= g2 -> member d n x ->
  (1 - 2 * power n (g2 - 1)) / q2 * (1 - 1 / INR d) + 2 * alpha / sqrt q2 * ((1 - power n (g2 - 1)) * (1 - 1 / INR d)) + alpha ^ 2
  <= jacobian_norm d n (beta n) alpha x.
Proof.
  intros Hn Hd H HC. pose proof (beta_nonneg n Hn) as Hb.
  apply Rle_trans with (2 := jacobian_norm_low d n q1 q2 rho1 rho2 (beta n) alpha x Hn Hd Hq Hr1 Hr2 Hb Ha HC).
  destruct (self_low_range n rho2 (beta n) Hn Hr2 Hb) as [L0 L]. pose proof (self_low_power n Hn) as P.
  pose proof (power_le_1 n Hn (g2 - 1) ltac:(lra)) as P1. set (b := self_low n rho2 (beta n)) in *. set (p := power n (g2 - 1)) in *.
  assert (HD : 1 <= INR d) by exact (le_INR 1 d Hd). assert (ID : 0 < / INR d <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (q2p : 0 < q2) by (pose proof (proj1 HC O ltac:(lia)); lra). pose proof (sqrt_lt_R0 q2 q2p) as Sq.
  assert (B : 1 - 2 * p <= b ^ 2).
  { apply Rle_trans with ((1 - p) ^ 2); [pose proof (pow2_ge_0 p); lra|]. apply pow_incr. lra. }
  unfold Rdiv. rewrite Rmult_1_l. apply Rplus_le_compat_r, Rplus_le_compat.
  - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|auto].
  - apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]|].
    apply Rmult_le_compat_r; lra.
Qed.

Theorem theorem_2_5_kept_limit eps : alpha = 0 -> 1 < g2 -> 0 < eps -> exists N, forall n d x, (N <= n)%nat -> (0 < d)%nat ->
  member d n x -> 1 / q2 * (1 - 1 / INR d) - eps <= jacobian_norm d n (beta n) alpha x.
Proof.
  intros Ha0 H He. destruct (eventually_below (fun n => 2 / q1 * power n (g2 - 1)) eps) as [N [N2 HN]]; auto.
  - replace (Finite 0) with (Finite (2 / q1 * 0)) by (f_equal; ring).
    apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_power; lra].
  - exists N. intros n d x Hn Hd HC. assert (Hn2 : (2 <= n)%nat) by lia. specialize (HN n Hn).
    apply Rle_trans with (2 := theorem_2_5_kept n d x Hn2 Hd ltac:(lra) HC). rewrite Ha0.
    assert (HD : 1 <= INR d) by exact (le_INR 1 d Hd). assert (ID : 0 < / INR d <= 1).
    { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    pose proof (proj1 HC O ltac:(lia)) as [Q1 Q2]. assert (q2p : 0 < q2) by lra.
    assert (Iq : 0 < / q2 <= / q1) by (split; [apply Rinv_0_lt_compat; auto|apply Rinv_le_contravar; lra]).
    pose proof (power_pos n (g2 - 1)) as P0. set (p := power n (g2 - 1)) in *.
    assert (K : 2 * p * / q2 * (1 - / INR d) <= 2 / q1 * p).
    { replace (2 / q1 * p) with (2 * p * / q1 * 1) by (unfold Rdiv; ring). apply Rmult_le_compat; try lra.
      - apply Rmult_le_pos; lra.
      - apply Rmult_le_compat_l; lra. }
    unfold Rdiv in *. rewrite !Rmult_1_l. 
    replace (2 * 0 * / sqrt q2 * ((1 - p) * (1 - / INR d))) with 0 by ring.
    replace ((1 - 2 * p) * / q2 * (1 - / INR d)) with (/ q2 * (1 - / INR d) - 2 * p * / q2 * (1 - / INR d)) by ring. lra.
Qed.

(* d x'_i/d x_k = [i = k] ((I - y_i y_i^T)/|x_i| + alpha I) + o(1), in operator norm. *)
Theorem theorem_2_5_blocks n d x i k u w : (2 <= n)%nat -> (0 < d)%nat -> member d n x -> (i < n)%nat -> (k < n)%nat ->
  Rabs (block_defect d n (beta n) alpha x i k u w) <=
  (1 + 3 / 2 * beta n) / sqrt q1 * power n (g2 - 1) * (norm d u * norm d w).
Proof.
  intros Hn Hd HC Hi Hk. pose proof (beta_nonneg n Hn) as Hb.
  apply Rle_trans with (1 := blocks_near_identity d n q1 q2 rho1 rho2 (beta n) alpha x Hn Hd Hq Hr1 Hr2 Hb HC i k u w Hi Hk).
  apply Rmult_le_compat_r; [apply Rmult_le_pos; apply norm_nonneg|].
  pose proof (self_low_power n Hn) as P. destruct (self_low_range n rho2 (beta n) Hn Hr2 Hb) as [L0 L]. pose proof block_reach_le as C.
  pose proof (sqrt_lt_R0 q1 Hq) as Sq.
  replace ((1 + 3 / 2 * beta n) / sqrt q1 * power n (g2 - 1)) with (power n (g2 - 1) * (1 + beta n * (3 / 2)) / sqrt q1) by (field; lra).
  unfold Rdiv at 1 3. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
  assert (0 <= beta n * block_reach rho1) by (apply Rmult_le_pos; lra).
  assert (beta n * block_reach rho1 <= beta n * (3 / 2)) by (apply Rmult_le_compat_l; lra).
  apply Rmult_le_compat; lra.
Qed.
End Rates.
