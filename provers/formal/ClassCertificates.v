(* What the generated files of class certificates use: each quantity of a class for all n >= N, bounded by a function of
   N, rho1, rho2 and one exponent, which `interval` then bounds on the certificate's box.
   Near the simplex g = gamma (1 - rho1) below the threshold and g = gamma (1 - rho2) above it; for rows with bands the
   two gaps of a phase. Uses NearSimplexLimits.v and Rows.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Powers Bounds NearSimplex NearSimplexJacobian NearSimplexLimits Rows.
Open Scope R_scope.

(* N^-k for a real N *)
Definition decay (N k : R) : R := exp (- k * ln N).

Lemma power_le_decay N n k : 1 <= N -> N <= INR n -> 0 <= k -> power n k <= decay N k.
Proof. intros H1 H2 Hk. apply power_from; lra. Qed.

Section Size.
Variables (N : R) (n : nat).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n).

Lemma size_at_least_2 : (2 <= n)%nat.
Proof. apply INR_le. change (INR 2) with 2. lra. Qed.

Lemma log_at_least : 0 < ln N <= ln (INR n).
Proof. split; [rewrite <- ln_1; apply ln_increasing; lra|apply ln_le; lra]. Qed.

(* (n-1) n^-g rises in n for g <= 1 *)
Lemma odds_at_least g : g <= 1 -> (N - 1) * decay N g <= (INR n - 1) * power n g.
Proof.
  intros Hg. pose proof log_at_least as [L0 L1].
  assert (E : forall z, 0 < z -> (z - 1) * exp (- g * ln z) = exp ((1 - g) * ln z) * (1 - / z)).
  { intros z Hz. replace ((1 - g) * ln z) with (ln z + - g * ln z) by ring. rewrite exp_plus, exp_ln; auto. field. lra. }
  unfold decay, power. rewrite !E; [|lra|lra]. apply Rmult_le_compat.
  - left. apply exp_pos.
  - assert (/ N <= 1); [|lra]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - apply exp_le, Rmult_le_compat_l; lra.
  - assert (/ INR n <= / N) by (apply Rinv_le_contravar; lra). lra.
Qed.

Lemma odds_at_most g : 1 <= g -> (INR n - 1) * power n g <= decay N (g - 1).
Proof.
  intros Hg. pose proof (size_ge_2 n size_at_least_2) as H2. pose proof (power_pos n g) as P.
  apply Rle_trans with (power n (g - 1)); [|apply power_le_decay; lra].
  replace (g - 1) with (g + - (1)) by ring. rewrite power_plus, power_opp, power_1, Rinv_inv by apply size_at_least_2.
  rewrite Rmult_comm. apply Rmult_le_compat_l; lra.
Qed.

Lemma log_over_n : 1 <= ln N -> ln (INR n) / INR n <= ln N / N.
Proof.
  intros H1. pose proof log_at_least as L. pose proof (log_power_falls 1 1 (ln N) (ln (INR n)) ltac:(lra) ltac:(simpl; lra)) as B. simpl in B.
  replace (- (1) * ln (INR n)) with (- ln (INR n)) in B by ring. replace (- (1) * ln N) with (- ln N) in B by ring.
  rewrite !exp_Ropp, !exp_ln in B; unfold Rdiv; lra.
Qed.

Lemma log2_over_n : 2 <= ln N -> ln (INR n) ^ 2 / INR n <= ln N ^ 2 / N.
Proof.
  intros H1. pose proof log_at_least as L. pose proof (log_power_falls 2 1 (ln N) (ln (INR n)) ltac:(lra) ltac:(simpl; lra)) as B.
  replace (- (1) * ln (INR n)) with (- ln (INR n)) in B by ring. replace (- (1) * ln N) with (- ln N) in B by ring.
  rewrite !exp_Ropp, !exp_ln in B; unfold Rdiv; lra.
Qed.
End Size.

(* ---- The bounds ---- *)

(* Largest self weight at g = gamma (1-rho1) <= 1, largest factor of another token's weight. *)
Definition self_bound (N g : R) : R := / (1 + (N - 1) * decay N g).
Definition factor_bound (N r1 r2 g : R) : R := decay N (g * (1 - r2) / (1 - r1)).

(* every <y'_i, y'_j> less rho1 is at least this; S at least alpha sqrt q2 *)
Definition growth_bound (N S r1 r2 g : R) : R :=
  let a := self_bound N g in
  let k := (1 - r2) * (1 - a) * (1 + 2 * S + a * (1 - factor_bound N r1 r2 g)) / (1 + S) ^ 2 in r1 * k / (1 - k).

(* |ATT(y_i) - y_i| is at most this, g = gamma (1-rho2) >= 1 *)
Definition displacement_bound (N r1 r2 g : R) : R :=
  let w := decay N (g - 1) / (1 + decay N (g - 1)) in sqrt (w ^ 2 * (1 + r2 - 2 * r1) + (1 - r2) * w * decay N g).

(* |<y'_i, y'_j> - <y_i, y_j>| is at most this; s at most alpha sqrt q1 *)
Definition change_bound (N s r1 r2 g : R) : R :=
  let e := displacement_bound N r1 r2 g in 4 * e / (2 * (1 + s) - e).

(* eta beyond (g ln n)^2/(q1 d) is at most this, g = gamma (1-rho1) <= 1, d >= n, alpha = 0 *)
Definition vanishing_bound (N q1 r1 r2 g : R) : R :=
  let a := self_bound N g in let f := factor_bound N r1 r2 g in
  1 / q1 * (a * (1 - a) * f + a ^ 2
    + a * f * (2 * g * sqrt (2 * (1 + r1)) * (ln N / N) + 2 * g ^ 2 * (1 + r1) * (ln N ^ 2 / N)) + 2 * a * g * (ln N / N)).

(* eta/(1 - 1/d) is at least this, g = gamma (1-rho2) >= 1, alpha = 0 *)
Definition kept_bound (N q2 g : R) : R := 1 / (q2 * (1 + decay N (g - 1)) ^ 2).

Section Certificates.
Variables (N q1 q2 rho1 rho2 gamma alpha : R) (d n : nat) (x : tokens).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n) (Hq : 0 < q1) (Hr1 : 0 < rho1) (Hr2 : rho2 < 1) (Hg : 0 <= gamma) (Ha : 0 <= alpha).
Hypothesis HC : near_simplex d n q1 q2 rho1 rho2 x.
Notation beta := (gamma * ln (INR n)).
Notation g1 := (gamma * (1 - rho1)).
Notation g2 := (gamma * (1 - rho2)).

Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.
Let Hr : rho1 <= rho2 := rho_ordered d n q1 q2 rho1 rho2 x Hn HC.
Let Hb : 0 <= beta.
Proof. apply beta_nonneg; auto. Qed.

Lemma self_high_bound : g1 <= 1 -> self_high n rho1 beta <= self_bound N g1.
Proof.
  intros H. unfold self_high, self_bound. rewrite factor_power. apply Rinv_le_contravar.
  - assert (0 <= (N - 1) * decay N g1) by (apply Rmult_le_pos; [lra|left; apply exp_pos]). lra.
  - pose proof (odds_at_least N n HN2 HN g1 H). lra.
Qed.

Lemma self_bound_range : 0 < self_bound N g1 < 1.
Proof. apply share_range. apply Rmult_lt_0_compat; [lra|apply exp_pos]. Qed.

Lemma far_factor_bound : 0 < far_factor rho2 beta <= factor_bound N rho1 rho2 g1.
Proof.
  split; [apply exp_pos|]. unfold far_factor, factor_bound. rewrite factor_power.
  replace (g1 * (1 - rho2) / (1 - rho1)) with g2 by (field; lra). apply power_le_decay; try lra. apply Rmult_le_pos; lra.
Qed.

Lemma self_low_bound : 1 <= g2 -> / (1 + decay N (g2 - 1)) <= self_low n rho2 beta.
Proof.
  intros H. unfold self_low, far_factor. rewrite factor_power. pose proof (odds_at_most N n HN2 HN g2 H).
  apply Rinv_le_contravar; [|lra]. pose proof (power_pos n g2). pose proof (size_ge_2 n Hn).
  assert (0 <= (INR n - 1) * power n g2) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem class_growth S i j : g1 <= 1 -> alpha * sqrt q2 <= S -> (i < n)%nat -> (j < n)%nat ->
  growth_bound N S rho1 rho2 g1 <= output_inner d n beta alpha x i j - rho1.
Proof.
  intros H HS Hi Hj. pose proof (self_high_bound H) as A1. pose proof (self_high_range n rho1 beta Hn) as A2.
  pose proof self_bound_range as A3. destruct far_factor_bound as [F0 F1]. destruct (far_factor_range rho2 beta Hr2 Hb) as [_ F2].
  set (a := self_bound N g1) in *. set (a0 := self_high n rho1 beta) in *. set (f := factor_bound N rho1 rho2 g1) in *. set (f0 := far_factor rho2 beta) in *.
  set (k := (1 - rho2) * (1 - a) * (1 + 2 * S + a * (1 - f)) / (1 + S) ^ 2).
  set (s2 := alpha * sqrt q2) in *. assert (S0 : 0 <= s2) by (apply Rmult_le_pos; auto; apply sqrt_pos).
  assert (K : k <= growth_kappa rho2 beta a0 s2).
  { unfold k, growth_kappa. fold f0.
    assert (K1 : (1 - rho2) * (1 - a) * (1 + 2 * S + a * (1 - f)) / (1 + S) ^ 2 <= (1 - rho2) * (1 - a) * (1 + 2 * S + a * (1 - f0)) / (1 + S) ^ 2).
    { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|].
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. assert (a * (1 - f) <= a * (1 - f0)) by (apply Rmult_le_compat_l; lra). lra. }
    assert (K2 : (1 - rho2) * (1 - a) * (1 + 2 * S + a * (1 - f0)) / (1 + S) ^ 2 <= (1 - rho2) * (1 - a0) * (1 + 2 * S + a0 * (1 - f0)) / (1 + S) ^ 2).
    { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|]. rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|].
      assert (0 <= (a - a0) * (2 * S + (1 - (1 - f0) * (1 - a - a0)))).
      { apply Rmult_le_pos; [lra|]. assert ((1 - f0) * (1 - a - a0) <= 1); [|lra].
        destruct (Rle_or_lt (1 - a - a0) 0) as [Q|Q].
        - assert (0 <= (1 - f0) * - (1 - a - a0)) by (apply Rmult_le_pos; lra). lra.
        - rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra. }
      lra. }
    assert (K3 : (1 - rho2) * (1 - a0) * (1 + 2 * S + a0 * (1 - f0)) / (1 + S) ^ 2 <= (1 - rho2) * (1 - a0) * (1 + 2 * s2 + a0 * (1 - f0)) / (1 + s2) ^ 2).
    { unfold Rdiv. rewrite !(Rmult_assoc ((1 - rho2) * (1 - a0))). apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
      set (c := a0 * (1 - f0)). assert (Hc : 0 <= c) by (apply Rmult_le_pos; lra).
      apply (Rmult_le_reg_r ((1 + S) ^ 2 * (1 + s2) ^ 2)); [apply Rmult_lt_0_compat; apply pow_lt; lra|].
      replace ((1 + 2 * S + c) * / (1 + S) ^ 2 * ((1 + S) ^ 2 * (1 + s2) ^ 2)) with ((1 + 2 * S + c) * (1 + s2) ^ 2) by (field; lra).
      replace ((1 + 2 * s2 + c) * / (1 + s2) ^ 2 * ((1 + S) ^ 2 * (1 + s2) ^ 2)) with ((1 + 2 * s2 + c) * (1 + S) ^ 2) by (field; lra).
      assert (0 <= (S - s2) * (s2 + S + 2 * s2 * S + c * (2 + s2 + S))).
      { apply Rmult_le_pos; [lra|]. assert (0 <= s2 * S) by (apply Rmult_le_pos; lra). assert (0 <= c * (2 + s2 + S)) by (apply Rmult_le_pos; lra). lra. }
      lra. }
    lra. }
  assert (K1 : growth_kappa rho2 beta a0 s2 < 1).
  { apply (kappa_lt_1 d n q1 q2 rho1 rho2 beta alpha x); auto; try lra.
    - intros l Hl. apply (self_weight_between d n q1 q2 rho1 rho2 beta x); auto.
    - intros l Hl. apply (residual_between d n q1 q2 rho1 rho2 alpha x); auto. }
  pose proof (growth_from q1 q2 rho1 rho2 gamma alpha Hq Hr1 Hr2 Hg Ha n d x k i j Hn HC Hi Hj K) as G.
  unfold growth_bound. cbv zeta. fold a f k. replace (rho1 * k / (1 - k)) with (rho1 / (1 - k) - rho1) by (field; lra). lra.
Qed.

Theorem class_displacement i : 1 <= g2 -> (i < n)%nat ->
  norm d (fun c => attention d n beta x i c - unit_token d x i c) <= displacement_bound N rho1 rho2 g2.
Proof.
  intros H Hi. apply Rle_trans with (1 := attention_near_identity d n q1 q2 rho1 rho2 beta x Hn Hq Hr2 Hb HC i Hi).
  unfold displacement_high, displacement_bound. cbv zeta. apply sqrt_le_1_alt. pose proof (self_low_bound H) as L.
  destruct (self_low_range n rho2 beta Hn Hr2 Hb) as [L0 L1]. set (b := self_low n rho2 beta) in *.
  assert (W : 0 < decay N (g2 - 1)) by apply exp_pos. set (W0 := decay N (g2 - 1)) in *.
  assert (E : 1 - b <= W0 / (1 + W0)) by (replace (W0 / (1 + W0)) with (1 - / (1 + W0)) by (field; lra); lra).
  assert (F : 0 < far_factor rho2 beta <= decay N g2).
  { split; [apply exp_pos|]. unfold far_factor. rewrite factor_power. apply power_le_decay; lra. }
  set (f := far_factor rho2 beta) in *. set (w := W0 / (1 + W0)) in *. apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [lra|apply pow_incr; lra].
  - apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra].
Qed.

Theorem class_change s i j : 1 <= g2 -> 0 <= s <= alpha * sqrt q1 -> displacement_bound N rho1 rho2 g2 < 2 -> (i < n)%nat -> (j < n)%nat ->
  Rabs (output_inner d n beta alpha x i j - gram d x i j) <= change_bound N s rho1 rho2 g2.
Proof.
  intros H Hs He Hi Hj.
  apply Rle_trans with (1 := kept d n q1 q2 rho1 rho2 beta alpha x Hn Hq Hr1 Hr2 Ha HC _ i j Hi Hj He (fun k Hk => class_displacement k H Hk)).
  unfold change_bound. cbv zeta. set (e := displacement_bound N rho1 rho2 g2) in *.
  assert (0 <= e) by apply sqrt_pos. unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Theorem class_vanishing : alpha = 0 -> g1 <= 1 -> 2 <= ln N -> (n <= d)%nat ->
  jacobian_norm d n beta alpha x - (g1 * ln (INR n)) ^ 2 / (q1 * INR d) <= vanishing_bound N q1 rho1 rho2 g1.
Proof.
  intros Ha0 H HL Hd. pose proof (size_ge_2 n Hn) as H2. pose proof (le_INR n d Hd) as Hd'.
  pose proof (jacobian_norm_high d n q1 q2 rho1 rho2 beta alpha x Hn ltac:(lia) Hq Hr1 Hr2 Hb Ha HC) as P.
  pose proof (self_high_bound H) as A1. pose proof (self_high_range n rho1 beta Hn) as A2. pose proof self_bound_range as A3.
  destruct far_factor_bound as [F0 F1]. destruct (far_factor_range rho2 beta Hr2 Hb) as [_ F2].
  assert (F3 : factor_bound N rho1 rho2 g1 <= 1).
  { unfold factor_bound, decay. apply Rle_trans with (exp 0); [|rewrite exp_0; lra]. apply exp_le. replace (g1 * (1 - rho2) / (1 - rho1)) with g2 by (field; lra).
    assert (0 <= g2 * ln N) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]). lra. }
  set (a := self_bound N g1) in *. set (a0 := self_high n rho1 beta) in *. set (f := factor_bound N rho1 rho2 g1) in *. set (f0 := far_factor rho2 beta) in *.
  assert (Id : 0 < / INR d <= / INR n) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (Id1 : / INR n < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  assert (G0 : 0 <= g1) by (apply Rmult_le_pos; lra). pose proof (log_pos n Hn) as Ln.
  assert (B1 : (1 - rho1) * (beta / INR d) <= g1 * (ln N / N)).
  { replace ((1 - rho1) * (beta / INR d)) with (g1 * (ln (INR n) * / INR d)) by (unfold Rdiv; ring). apply Rmult_le_compat_l; auto.
    apply Rle_trans with (2 := log_over_n N n HN2 HN ltac:(lra)). unfold Rdiv. apply Rmult_le_compat_l; lra. }
  assert (B2 : (1 - rho1) ^ 2 * (beta ^ 2 / INR d) <= g1 ^ 2 * (ln N ^ 2 / N)).
  { replace ((1 - rho1) ^ 2 * (beta ^ 2 / INR d)) with (g1 ^ 2 * (ln (INR n) ^ 2 * / INR d)) by (unfold Rdiv; ring). apply Rmult_le_compat_l; [apply pow2_ge_0|].
    apply Rle_trans with (2 := log2_over_n N n HN2 HN HL). unfold Rdiv. apply Rmult_le_compat_l; [apply pow2_ge_0|lra]. }
  assert (B10 : 0 <= (1 - rho1) * (beta / INR d)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (B20 : 0 <= (1 - rho1) ^ 2 * (beta ^ 2 / INR d)) by (apply Rmult_le_pos; [apply pow2_ge_0|apply Rmult_le_pos; [apply pow2_ge_0|lra]]).
  set (b1 := (1 - rho1) * (beta / INR d)) in *. set (b2 := (1 - rho1) ^ 2 * (beta ^ 2 / INR d)) in *.
  set (l1 := ln N / N) in *. set (l2 := ln N ^ 2 / N) in *. set (t := sqrt (2 * (1 + rho1))).
  assert (T0 : 0 <= t) by apply sqrt_pos. assert (T2 : t * t = 2 * (1 + rho1)) by (apply sqrt_sqrt; lra).
  assert (C1 : 2 * block_reach rho1 * (beta / INR d) = 2 * t * b1) by (unfold block_reach, b1; fold t; ring).
  assert (C2 : block_reach rho1 ^ 2 * (beta ^ 2 / INR d) = 2 * (1 + rho1) * b2) by (rewrite block_reach_square; [unfold b2; ring|lra]).
  rewrite C1, C2 in P.
  assert (C3 : (1 - rho1) ^ 2 * (beta ^ 2 / INR d) = (g1 * ln (INR n)) ^ 2 / INR d) by (unfold Rdiv; ring).
  assert (M1 : (a0 * (1 - a0) * f0 + a0 ^ 2) * (1 - 1 / INR d) <= a * (1 - a) * f + a ^ 2).
  { assert (Q0 : 0 <= a0 * (1 - a0)) by (apply Rmult_le_pos; lra).
    assert (Q1 : a0 * (1 - a0) * f0 <= a0 * (1 - a0) * f) by (apply Rmult_le_compat_l; auto).
    assert (Q2 : 0 <= (a - a0) * (f + (1 - f) * (a + a0))).
    { apply Rmult_le_pos; [lra|]. assert (0 <= (1 - f) * (a + a0)) by (apply Rmult_le_pos; lra). lra. }
    assert (Q3 : 0 <= a0 * (1 - a0) * f0) by (apply Rmult_le_pos; lra). assert (Q4 : 0 <= a0 ^ 2) by apply pow2_ge_0.
    apply Rle_trans with (a0 * (1 - a0) * f0 + a0 ^ 2); [|lra]. unfold Rdiv. rewrite Rmult_1_l, <- (Rmult_1_r (a0 * (1 - a0) * f0 + a0 ^ 2)) at 1.
    rewrite Rmult_1_r. rewrite <- (Rmult_1_r (a0 * (1 - a0) * f0 + a0 ^ 2)) at 2. apply Rmult_le_compat_l; lra. }
  assert (M2 : Rmin a0 (1 / 4) * f0 * (2 * t * b1 + 2 * (1 + rho1) * b2) <= a * f * (2 * g1 * t * l1 + 2 * g1 ^ 2 * (1 + rho1) * l2)).
  { assert (V0 : 0 <= Rmin a0 (1 / 4)) by (apply Rmin_glb; lra). assert (V1 : Rmin a0 (1 / 4) <= a0) by apply Rmin_l.
    assert (U1 : t * b1 <= t * (g1 * l1)) by (apply Rmult_le_compat_l; auto).
    assert (U2 : (1 + rho1) * b2 <= (1 + rho1) * (g1 ^ 2 * l2)) by (apply Rmult_le_compat_l; lra).
    assert (U3 : 0 <= t * b1) by (apply Rmult_le_pos; auto). assert (U4 : 0 <= (1 + rho1) * b2) by (apply Rmult_le_pos; lra).
    apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat; lra|lra]. }
  assert (M3 : a0 * b1 <= a * (g1 * l1)) by (apply Rmult_le_compat; lra).
  assert (Iq : 0 < 1 / q1) by (unfold Rdiv; rewrite Rmult_1_l; apply Rinv_0_lt_compat; auto).
  rewrite Ha0 in P. unfold vanishing_bound. cbv zeta. fold a f t l1 l2.
  replace ((g1 * ln (INR n)) ^ 2 / (q1 * INR d)) with (1 / q1 * b2) by (unfold b2; rewrite C3; field; split; lra).
  set (v := Rmin a0 (1 / 4) * f0 * (2 * t * b1 + 2 * (1 + rho1) * b2)) in *.
  set (w := (a0 * (1 - a0) * f0 + a0 ^ 2) * (1 - 1 / INR d)) in *.
  assert (R1 : 1 / q1 * (w + v + 2 * (a0 * b1)) <= 1 / q1 * (a * (1 - a) * f + a ^ 2 + a * f * (2 * g1 * t * l1 + 2 * g1 ^ 2 * (1 + rho1) * l2) + 2 * a * g1 * l1)).
  { apply Rmult_le_compat_l; lra. }
  replace (2 * a0 * (1 - rho1) * (beta / INR d)) with (2 * (a0 * b1)) in P by (unfold b1; ring). fold b2 in P.
  rewrite Ha0. lra.
Qed.

Theorem class_kept : alpha = 0 -> 1 <= g2 -> (2 <= d)%nat -> kept_bound N q2 g2 <= jacobian_norm d n beta alpha x / (1 - 1 / INR d).
Proof.
  intros Ha0 H Hd. pose proof (jacobian_norm_low d n q1 q2 rho1 rho2 beta alpha x Hn ltac:(lia) Hq Hr1 Hr2 Hb Ha HC) as P.
  pose proof (self_low_bound H) as L. rewrite Ha0 in *. pose proof (size_ge_2 d Hd) as D2.
  assert (Id : 0 < / INR d <= / 2) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  pose proof (proj1 HC O ltac:(lia)) as Q. assert (q2p : 0 < q2) by lra. assert (W : 0 < decay N (g2 - 1)) by apply exp_pos.
  set (W0 := decay N (g2 - 1)) in *. set (b := self_low n rho2 beta) in *. unfold kept_bound. fold W0.
  apply (Rmult_le_reg_r (1 - 1 / INR d)); [unfold Rdiv; lra|]. unfold Rdiv at 3. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|unfold Rdiv; lra].
  apply Rle_trans with (2 := P). replace (2 * 0 / sqrt q2 * (b * (1 - 1 / INR d))) with 0 by (unfold Rdiv; ring).
  replace (0 ^ 2) with 0 by ring. rewrite !Rplus_0_r. apply Rmult_le_compat_r; [unfold Rdiv; lra|].
  replace (1 / (q2 * (1 + W0) ^ 2)) with ((/ (1 + W0)) ^ 2 / q2) by (field; split; lra).
  unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|]. apply pow_incr. split; [left; apply Rinv_0_lt_compat; lra|auto].
Qed.
End Certificates.

(* ---- Rows with bands: K = n^theta near tokens, the token itself counted; p1, p2 are N to minus the two gaps ---- *)

Definition row_far_bound (N theta k1 k2 : R) : R := 1 / (1 + (decay N k1 + decay N k2) / (1 - decay N (1 - theta))).
Definition row_near_bound (N theta k1 k2 : R) : R := 1 / (1 + (decay N k1 + decay N k2) / (1 - decay N theta)).
Definition row_self_bound (N k1 k2 : R) : R := 1 / (1 + (decay N k1 + decay N k2)).

Lemma decay_lt_1 N k : 2 <= N -> 0 < k -> 0 < decay N k < 1.
Proof.
  intros HN Hk. split; [apply exp_pos|]. unfold decay. apply Rlt_le_trans with (exp 0); [|rewrite exp_0; lra].
  apply exp_increasing. assert (0 < k * ln N) by (apply Rmult_lt_0_compat; auto; rewrite <- ln_1; apply ln_increasing; lra). lra.
Qed.

Section RowCertificates.
Variables (N theta gamma l_near u_near l_far u_far : R) (d n K i : nat) (near : nat -> bool) (x : tokens).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n) (Ht : 0 < theta < 1) (Hg : 0 <= gamma) (HK : INR K = Rpower (INR n) theta).
Hypothesis HR : row_bands d n K i near l_near u_near l_far u_far x.
Notation beta := (gamma * ln (INR n)).
Notation A := (weight d n beta x i i).
Notation near_mass := (mass d n beta x i near).
Notation far_mass := (mass d n beta x i (far_set i near)).

Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.
Let Hb : 0 <= beta.
Proof. apply beta_nonneg; auto. Qed.

Lemma K_power : INR K = power n (- theta) /\ INR K / INR n = power n (1 - theta) /\ / INR K = power n theta.
Proof.
  assert (E : INR K = power n (- theta)) by (rewrite HK; unfold power, Rpower; f_equal; ring). pose proof (power_pos n theta) as P.
  split; auto. split.
  - unfold Rdiv. rewrite E, <- (power_1 n Hn), <- power_plus. f_equal. ring.
  - rewrite E, power_opp, Rinv_inv; auto.
Qed.

Lemma K_between : 1 < INR K < INR n /\ / INR K <= decay N theta /\ INR K / INR n <= decay N (1 - theta).
Proof.
  destruct K_power as [E1 [E2 E3]]. pose proof (size_ge_2 n Hn) as N2. pose proof (power_lt_1 n Hn theta ltac:(lra)) as P1.
  pose proof (power_lt_1 n Hn (1 - theta) ltac:(lra)) as P2. pose proof (power_pos n (- theta)) as P0.
  assert (KP : 0 < INR K) by lra.
  split; [split|split].
  - apply (Rmult_lt_reg_r (/ INR K)); [apply Rinv_0_lt_compat; auto|]. rewrite Rinv_r; lra.
  - apply (Rmult_lt_reg_r (/ INR n)); [apply Rinv_0_lt_compat; lra|]. rewrite Rinv_r; [|lra]. unfold Rdiv in E2. lra.
  - rewrite E3. apply power_le_decay; lra.
  - rewrite E2. apply power_le_decay; lra.
Qed.

(* From 1 = a + b + m, a <= m p/(1-v), b <= m q/(1-v). *)
Lemma share_of_rest a b m p q v : a + b + m = 1 -> 0 <= v < 1 -> 0 <= p -> 0 <= q -> a * (1 - v) <= m * p -> b * (1 - v) <= m * q ->
  1 / (1 + (p + q) / (1 - v)) <= m.
Proof.
  intros E Hv Hp Hq H1 H2. assert (D : 0 < 1 + (p + q) / (1 - v)).
  { assert (0 <= (p + q) / (1 - v)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]). lra. }
  apply (Rmult_le_reg_r (1 + (p + q) / (1 - v))); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|lra].
  apply (Rmult_le_reg_r (1 - v)); [lra|]. replace (m * (1 + (p + q) / (1 - v)) * (1 - v)) with (m * (1 - v) + m * p + m * q) by (field; lra).
  replace (1 * (1 - v)) with (a * (1 - v) + b * (1 - v) + m * (1 - v)) by (rewrite <- E; ring). lra.
Qed.

Lemma rows_nonneg : 0 <= A /\ 0 <= near_mass <= 1 /\ 0 <= far_mass <= 1.
Proof.
  pose proof (proj1 HR) as Hi. split; [apply weight_nonneg; auto|]. split; split; try (apply mass_nonneg; auto); apply mass_le_1; auto.
Qed.

(* The two smaller masses by the dominating one. *)
Notation far_gap_1 := ((1 - theta) - gamma * (u_near - l_far)).
Notation far_gap_2 := (1 - gamma * (1 - l_far)).
Notation near_gap_1 := (gamma * (l_near - u_far) - (1 - theta)).
Notation near_gap_2 := (theta - gamma * (1 - l_near)).
Notation self_gap_1 := (gamma * (1 - u_near) - theta).
Notation self_gap_2 := (gamma * (1 - u_far) - 1).

Lemma far_parts : near_mass * (1 - power n (1 - theta)) <= far_mass * power n far_gap_1 /\
  A * (1 - power n (1 - theta)) <= far_mass * power n far_gap_2.
Proof.
  pose proof (near_over_far d n K i beta l_near u_near l_far u_far near x Hb HR) as P1.
  pose proof (self_over_far d n K i beta l_near u_near l_far u_far near x Hb HR) as P2.
  replace (- beta * (l_far - u_near)) with (gamma * ln (INR n) * (u_near - l_far)) in P1 by ring.
  replace (- beta * (l_far - 1)) with (gamma * ln (INR n) * (1 - l_far)) in P2 by ring. rewrite power_of_exp in P1, P2.
  destruct K_power as [_ [E2 _]]. destruct K_between as [[K1 Kn] _]. destruct rows_nonneg as [A0 [[M0 _] [F0 _]]].
  assert (N0 : 0 < INR n) by lra.
  assert (Q1 : INR K / INR n * power n (- (gamma * (u_near - l_far))) = power n far_gap_1) by (rewrite E2, <- power_plus; f_equal; ring).
  assert (Q2 : / INR n * power n (- (gamma * (1 - l_far))) = power n far_gap_2) by (rewrite <- (power_1 n Hn), <- power_plus; f_equal; ring).
  pose proof (power_pos n (- (gamma * (u_near - l_far)))) as Z1. pose proof (power_pos n (- (gamma * (1 - l_far)))) as Z2.
  set (e1 := power n (- (gamma * (u_near - l_far)))) in *. set (e2 := power n (- (gamma * (1 - l_far)))) in *.
  rewrite <- E2. split; apply (Rmult_le_reg_r (INR n)); auto.
  - rewrite <- Q1. replace (near_mass * (1 - INR K / INR n) * INR n) with (near_mass * (INR n - INR K)) by (field; lra).
    replace (far_mass * (INR K / INR n * e1) * INR n) with (far_mass * INR K * e1) by (field; lra).
    apply Rle_trans with (1 := P1). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
  - rewrite <- Q2. replace (A * (1 - INR K / INR n) * INR n) with (A * (INR n - INR K)) by (field; lra).
    replace (far_mass * (/ INR n * e2) * INR n) with (far_mass * e2) by (field; lra). exact P2.
Qed.

Lemma near_parts : far_mass * (1 - power n theta) <= near_mass * power n near_gap_1 /\
  A * (1 - power n theta) <= near_mass * power n near_gap_2.
Proof.
  pose proof (far_over_near d n K i beta l_near u_near l_far u_far near x Hb HR) as P1.
  pose proof (self_over_near d n K i beta l_near u_near l_far u_far near x Hb HR) as P2.
  replace (- beta * (l_near - u_far)) with (- (gamma * ln (INR n)) * (l_near - u_far)) in P1 by ring.
  replace (- beta * (l_near - 1)) with (gamma * ln (INR n) * (1 - l_near)) in P2 by ring. rewrite power_of_exp_opp in P1. rewrite power_of_exp in P2.
  destruct K_power as [_ [E2 E3]]. destruct K_between as [[K1 Kn] _]. destruct rows_nonneg as [A0 [[M0 _] [F0 _]]].
  assert (Q1 : INR n / INR K * power n (gamma * (l_near - u_far)) = power n near_gap_1).
  { replace (INR n / INR K) with (/ (INR K / INR n)) by (field; lra). rewrite E2, <- power_opp, <- power_plus. f_equal. ring. }
  assert (Q2 : / INR K * power n (- (gamma * (1 - l_near))) = power n near_gap_2) by (rewrite E3, <- power_plus; f_equal; ring).
  pose proof (power_pos n (gamma * (l_near - u_far))) as Z1. pose proof (power_pos n (- (gamma * (1 - l_near)))) as Z2.
  set (e1 := power n (gamma * (l_near - u_far))) in *. set (e2 := power n (- (gamma * (1 - l_near)))) in *.
  rewrite <- E3. split; apply (Rmult_le_reg_r (INR K)); try lra.
  - rewrite <- Q1. replace (far_mass * (1 - / INR K) * INR K) with (far_mass * (INR K - 1)) by (field; lra).
    replace (near_mass * (INR n / INR K * e1) * INR K) with (near_mass * INR n * e1) by (field; lra).
    apply Rle_trans with (1 := P1). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
  - rewrite <- Q2. replace (A * (1 - / INR K) * INR K) with (A * (INR K - 1)) by (field; lra).
    replace (near_mass * (/ INR K * e2) * INR K) with (near_mass * e2) by (field; lra). exact P2.
Qed.

Lemma self_parts : near_mass <= A * power n self_gap_1 /\ far_mass <= A * power n self_gap_2.
Proof.
  pose proof (near_over_self d n K i beta l_near u_near l_far u_far near x Hb HR) as P1.
  pose proof (far_over_self d n K i beta l_near u_near l_far u_far near x Hb HR) as P2.
  replace (- beta * (1 - u_near)) with (- (gamma * ln (INR n)) * (1 - u_near)) in P1 by ring.
  replace (- beta * (1 - u_far)) with (- (gamma * ln (INR n)) * (1 - u_far)) in P2 by ring. rewrite power_of_exp_opp in P1, P2.
  destruct K_power as [E1 _]. destruct K_between as [[K1 Kn] _]. destruct rows_nonneg as [A0 _].
  assert (Q1 : INR K * power n (gamma * (1 - u_near)) = power n self_gap_1) by (rewrite E1, <- power_plus; f_equal; ring).
  assert (Q2 : INR n * power n (gamma * (1 - u_far)) = power n self_gap_2).
  { rewrite <- (Rinv_inv (INR n)), <- (power_1 n Hn), <- power_opp, <- power_plus. f_equal. ring. }
  pose proof (power_pos n (gamma * (1 - u_near))) as Z1. pose proof (power_pos n (gamma * (1 - u_far))) as Z2.
  rewrite <- Q1, <- Q2, <- !Rmult_assoc. split.
  - apply Rle_trans with (1 := P1). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
  - apply Rle_trans with (1 := P2). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma row_masses_sum : A + near_mass + far_mass = 1.
Proof. exact (masses_sum_to_1 d n K i beta l_near u_near l_far u_far near x HR). Qed.

Lemma less_rest m z v v' p p' : 0 <= z -> 0 <= m -> v <= v' -> p <= p' -> z * (1 - v) <= m * p -> z * (1 - v') <= m * p'.
Proof.
  intros Hz Hm Hv Hp H. apply Rle_trans with (z * (1 - v)); [apply Rmult_le_compat_l; lra|].
  apply Rle_trans with (1 := H). apply Rmult_le_compat_l; auto.
Qed.

Theorem certified_far_mass : 0 <= far_gap_1 -> 0 <= far_gap_2 -> row_far_bound N theta far_gap_1 far_gap_2 <= far_mass.
Proof.
  intros H1 H2. destruct far_parts as [P1 P2]. pose proof row_masses_sum as S. destruct rows_nonneg as [A0 [[M0 _] [F0 _]]].
  pose proof (decay_lt_1 N (1 - theta) HN2 ltac:(lra)) as V. pose proof (power_le_decay N n (1 - theta) ltac:(lra) HN ltac:(lra)) as B.
  pose proof (power_le_decay N n _ ltac:(lra) HN H1) as D1. pose proof (power_le_decay N n _ ltac:(lra) HN H2) as D2.
  apply (share_of_rest near_mass A far_mass _ _ (decay N (1 - theta))); try lra; try (left; apply exp_pos).
  - apply (less_rest far_mass near_mass _ _ _ _ M0 F0 B D1 P1).
  - apply (less_rest far_mass A _ _ _ _ A0 F0 B D2 P2).
Qed.

Theorem certified_near_mass : 0 <= near_gap_1 -> 0 <= near_gap_2 -> row_near_bound N theta near_gap_1 near_gap_2 <= near_mass.
Proof.
  intros H1 H2. destruct near_parts as [P1 P2]. pose proof row_masses_sum as S. destruct rows_nonneg as [A0 [[M0 _] [F0 _]]].
  pose proof (decay_lt_1 N theta HN2 ltac:(lra)) as V. pose proof (power_le_decay N n theta ltac:(lra) HN ltac:(lra)) as B.
  pose proof (power_le_decay N n _ ltac:(lra) HN H1) as D1. pose proof (power_le_decay N n _ ltac:(lra) HN H2) as D2.
  apply (share_of_rest far_mass A near_mass _ _ (decay N theta)); try lra; try (left; apply exp_pos).
  - apply (less_rest near_mass far_mass _ _ _ _ F0 M0 B D1 P1).
  - apply (less_rest near_mass A _ _ _ _ A0 M0 B D2 P2).
Qed.

Theorem certified_self_weight : 0 <= self_gap_1 -> 0 <= self_gap_2 -> row_self_bound N self_gap_1 self_gap_2 <= A.
Proof.
  intros H1 H2. destruct self_parts as [P1 P2]. pose proof row_masses_sum as S. destruct rows_nonneg as [A0 [[M0 _] [F0 _]]].
  pose proof (power_le_decay N n _ ltac:(lra) HN H1) as D1. pose proof (power_le_decay N n _ ltac:(lra) HN H2) as D2.
  unfold row_self_bound. match goal with |- 1 / (1 + ?s) <= _ => replace s with (s / (1 - 0)) by (field; lra) end.
  apply (share_of_rest near_mass far_mass A _ _ 0); try lra; try (left; apply exp_pos).
  - apply (less_rest A near_mass 0 0 _ _ M0 A0 (Rle_refl 0) D1). lra.
  - apply (less_rest A far_mass 0 0 _ _ F0 A0 (Rle_refl 0) D2). lra.
Qed.
End RowCertificates.
