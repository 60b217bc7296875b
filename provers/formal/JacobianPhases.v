(* The Jacobian norm of three bands without residual in the three phases, for all n >= N and d >= n, times n^-kappa: less than
   what `interval` bounds the functions of PhaseTerms.v by. Uses ThreeBandsScatter.v and PhaseTerms.v (which certificates unfold). *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Jacobian Frobenius Bounds JacobianBounds Rows Bands ThreeBands ThreeBandsForms
  ThreeBandsScaled ThreeBandsJacobian ClassCertificates ThreeBandsScatter.
From Critscale Require Export PhaseTerms.
Open Scope R_scope.

Section Phases.
Variables (N theta gamma q r rho kappa P hm km C B1 B2 : R) (d n K : nat) (x : tokens).
Hypotheses (HN : N <= INR n) (HN2 : 2 <= N) (HL : 2 <= ln N) (Hd : (n <= d)%nat) (Ht : 0 < theta < 1) (Hg : 0 <= gamma).
Hypotheses (HK : INR K = Rpower (INR n) theta) (Hq : 0 < q) (Hr : 0 <= rho <= r) (Hr1 : r <= 1) (HT : three_bands d n K q r rho x).
Notation p := (power n kappa).
Hypotheses (Hk0 : 0 <= kappa) (HP : p <= P) (Hh : power n theta <= hm) (Hk : power n (1 - theta) <= km).
Hypotheses (HB1 : ln N / N <= B1) (HB2 : ln N ^ 2 / N <= B2).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation h := (power n theta).
Notation k := (power n (1 - theta)).
Notation eta := (jacobian_norm d n beta 0 x).

Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.
Let H0 : (0 < n)%nat.
Proof. lia. Qed.
Let H0d : (0 < d)%nat.
Proof. lia. Qed.

Lemma phase_sizes : 2 <= t /\ 0 < h < 1 /\ 0 < k < 1 /\ 0 < p <= 1 /\ h * k = / INR n /\ 0 <= / INR n <= / N /\ 0 < / INR d <= / INR n /\
  0 <= t * / INR d <= B1 /\ 0 <= t ^ 2 * / INR d <= B2.
Proof.
  pose proof (log_at_least N n HN2 HN) as [L0 L1]. pose proof (size_ge_2 n Hn) as N2. pose proof (le_INR n d Hd) as D.
  assert (I : / INR n <= / N) by (apply Rinv_le_contravar; lra). assert (J : / INR d <= / INR n) by (apply Rinv_le_contravar; lra).
  assert (I0 : 0 < / INR n) by (apply Rinv_0_lt_compat; lra). assert (J0 : 0 < / INR d) by (apply Rinv_0_lt_compat; lra).
  pose proof (log_over_n N n HN2 HN ltac:(lra)) as Q1. pose proof (log2_over_n N n HN2 HN ltac:(lra)) as Q2. unfold Rdiv in Q1, Q2, HB1, HB2.
  assert (T2 : 0 <= t ^ 2) by apply pow2_ge_0.
  assert (W1 : t * / INR d <= t * / INR n) by (apply Rmult_le_compat_l; lra). assert (W2 : t ^ 2 * / INR d <= t ^ 2 * / INR n) by (apply Rmult_le_compat_l; lra).
  repeat split; try lra; try apply power_pos; try (apply power_lt_1; auto; lra); try (apply power_le_1; auto).
  - rewrite <- power_plus. replace (theta + (1 - theta)) with 1 by ring. apply power_1; auto.
  - apply Rmult_le_pos; lra.
  - apply Rmult_le_pos; lra.
Qed.

(* The weights with m0, m1, m2 for n^-e0 and the masses over it, T for their sum. *)
Lemma phase_weights e0 m0 m1 m2 : exp (- e0 * t) = m0 -> exp ((theta - gamma * (1 - r) - e0) * t) = m1 -> exp ((1 - gamma * (1 - rho) - e0) * t) = m2 ->
  let T := scaled_total m0 m1 m2 h k in
  0 < T /\ three_self n K r rho beta = m0 / T /\ (INR K - 1) * three_near n K r rho beta = m1 * (1 - h) / T /\
  (INR n - INR K) * three_far n K r rho beta = m2 * (1 - k) / T /\ three_near n K r rho beta = m1 * h / T /\
  three_far n K r rho beta = m2 * / INR n / T /\ INR K * three_far n K r rho beta = m2 * k / T.
Proof.
  intros E0 E1 E2 T. assert (Eh : exp (- theta * t) = h) by reflexivity. assert (Ek : exp ((theta - 1) * t) = k) by (unfold power; f_equal; ring).
  pose proof (scaled_total_pos d n K q r rho theta gamma e0 x Hn HK HT) as TP. pose proof (scaled_near_share d n K q r rho theta gamma e0 x Hn HK HT) as W1.
  pose proof (scaled_far_share d n K q r rho theta gamma e0 x Hn HK HT) as W2. pose proof (scaled_a d n K q r rho theta gamma e0 x Hn HK HT) as W3.
  pose proof (scaled_b d n K q r rho theta gamma e0 x Hn HK HT) as W4. pose proof (scaled_c d n K q r rho theta gamma e0 x Hn HK HT) as W5.
  rewrite E0, E1, E2, Eh, Ek in TP, W1, W2, W3, W4, W5. rewrite <- (scaled_u n Hn) in W5. fold T in TP, W1, W2, W3, W4, W5.
  repeat split; auto. rewrite W5. clear - TP Hn HK Ek. pose proof (scaled_k n K theta Hn HK) as S. rewrite Ek in S. rewrite <- S. unfold Rdiv. ring.
Qed.

Notation a_ := (three_self n K r rho beta).
Notation b_ := (three_near n K r rho beta).
Notation c_ := (three_far n K r rho beta).
Notation B_ := ((INR K - 1) * b_).
Notation C_ := ((INR n - INR K) * c_).
Notation E_ := (INR K * c_).
Notation e1 := (beta * (1 - r)).
Notation e2 := (beta * (1 - rho)).

Lemma phase_bound g o u v X : (beta * (1 - g)) ^ 2 = o -> (beta * (r - g)) ^ 2 = u -> (beta * (rho - g)) ^ 2 = v ->
  block_terms a_ B_ C_ b_ c_ e1 e2 (scatter_form a_ B_ C_ b_ c_ E_ o u v) <= X ->
  q * eta <= (1 - / INR d) * (a_ ^ 2 + B_ * b_ + C_ * c_) + / INR d * X.
Proof.
  intros <- <- <- HX. destruct phase_sizes as (T2 & _ & _ & _ & _ & _ & D0 & _).
  apply Rle_trans with (1 := three_jacobian_le d n K q r rho beta x H0 Hq HT ltac:(apply Rmult_le_pos; lra) Hr Hr1 g H0d).
  apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|]. apply Rle_trans with (2 := HX). right. f_equal. unfold scatter_form. ring.
Qed.

Lemma phase_e : 0 <= e1 <= e2.
Proof.
  destruct phase_sizes as (T2 & _). assert (0 <= beta) by (apply Rmult_le_pos; lra).
  split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra].
Qed.

Lemma phase_nonneg : 0 <= eta.
Proof.
  pose proof (three_jacobian_ge d n K q r rho beta x H0 Hq HT ltac:(destruct phase_sizes as (T2 & _); apply Rmult_le_pos; lra) H0d) as G.
  destruct phase_sizes as (_ & _ & _ & _ & _ & _ & D0 & _). pose proof (inverse_range n Hn).
  assert (0 <= (1 - / INR d) * three_self n K r rho beta ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
  apply (Rmult_le_reg_l q); [auto|lra].
Qed.

Lemma from_above F : q * eta <= p * F -> F / q <= C -> Rabs (eta - 0) <= C * p.
Proof.
  intros H HC. destruct phase_sizes as (_ & _ & _ & p0 & _). rewrite Rminus_0_r, Rabs_pos_eq; [|apply phase_nonneg].
  apply Rle_trans with (F / q * p); [|apply Rmult_le_compat_r; lra]. apply (Rmult_le_reg_l q); auto.
  replace (q * (F / q * p)) with (p * F) by (field; lra). auto.
Qed.

(* -- far -- *)
Section FarPhase.
Hypotheses (G1 : kappa <= 1 - theta - gamma * (r - rho)) (G2 : kappa <= 1 - gamma * (1 - rho)).

Theorem far_jacobian_norm :
  (forall p u v h w k l1 l2, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= h <= hm -> 0 <= w <= 1 -> 0 <= k <= km -> 0 <= l1 <= B1 -> 0 <= l2 <= B2 ->
    far_jacobian p u v h w k l1 l2 / q <= C) -> Rabs (eta - 0) <= C * p.
Proof.
  intros HF. destruct phase_sizes as (T2 & Rh & Rk & Rp & En & In & D0 & L1 & L2). pose proof phase_e as Re.
  set (u := power n (1 - gamma * (1 - rho) - kappa)). set (v := power n (1 - theta - gamma * (r - rho) - kappa)). set (w := power n (gamma * (r - rho))).
  assert (Ru : 0 <= u <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; lra]).
  assert (Rv : 0 <= v <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; lra]).
  assert (Rw : 0 <= w <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; apply Rmult_le_pos; lra]).
  assert (Ek : k = p * (v * w)) by (unfold v, w; rewrite <- !power_plus; f_equal; ring).
  apply (from_above (far_jacobian p u v h w k (t * / INR d) (t ^ 2 * / INR d))); [|apply HF; auto; lra].
  destruct (phase_weights (1 - gamma * (1 - rho)) (p * u) (p * v) 1) as (TP & Wa & WB & WC & Wb & Wc & WE).
  - unfold u. rewrite <- power_plus. unfold power. f_equal. ring.
  - unfold v. rewrite <- power_plus. unfold power. f_equal. ring.
  - rewrite <- exp_0. f_equal. ring.
  - assert (ES : scaled_total (p * u) (p * v) 1 h k = far_mass_sum p u v h k) by (unfold scaled_total, far_mass_sum; ring).
    rewrite ES in TP, Wa, WB, WC, Wb, Wc, WE.
    destruct (three_weights d n K q r rho beta x H0 HT ltac:(apply Rmult_le_pos; lra) Hr Hr1) as (c0 & [cb ba] & B0 & C0 & S & HbB & HcE & HEC).
    eapply Rle_trans; [apply (phase_bound rho (e2 ^ 2) ((e2 - e1) ^ 2) 0); [f_equal; ring|f_equal; ring|ring|]|].
    + apply (far_terms a_ B_ C_ b_ c_ E_ e1 e2) with (t := t); try assumption; try lra.
      apply Rle_trans with (1 * t); [|lra]. replace (beta * (1 - rho)) with (gamma * (1 - rho) * t) by ring. apply Rmult_le_compat_r; lra.
    + assert (Wc' : c_ = h * (p * (v * w)) / far_mass_sum p u v h k) by (rewrite Wc, <- En, <- Ek; field; lra).
      assert (WE' : E_ = p * (v * w) / far_mass_sum p u v h k) by (rewrite WE, <- Ek; field; lra).
      rewrite Wa, WB, WC, WE', Wb, Wc'. clear Wa WB WC WE WE' Wb Wc Wc'. set (D := / INR d) in *. set (SS := far_mass_sum p u v h k) in *.
      assert (Q0 : 0 <= p * ((p * u ^ 2 + far_squares p v h w k) / SS ^ 2)).
      { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, pow_lt; auto]. unfold far_squares.
        repeat first [lra | apply Rplus_le_le_0_compat | apply Rmult_le_pos | apply pow2_ge_0]. }
      match goal with |- (1 - D) * ?Q + ?R <= _ => replace Q with (p * ((p * u ^ 2 + far_squares p v h w k) / SS ^ 2)) by (unfold far_squares; field; lra) end.
      apply Rle_trans with (1 * (p * ((p * u ^ 2 + far_squares p v h w k) / SS ^ 2)) + D * (t * (4 * (p * u / SS) + 2 * (p * v * (1 - h) / SS * (p * v * h / SS)))
        + t ^ 2 * (p * ((p * (u + v * (1 - h)) ^ 2 + (1 - k) * (v * w) + 4 * far_squares p v h w k) / SS ^ 2)))).
      * apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|]. right. unfold far_squares. field. lra.
      * right. unfold far_jacobian. fold SS. field. lra.
Qed.
End FarPhase.

(* C e and C e^2 for e = y t and a share v n^-kappa of C, where y is at most c more than the exponent s of v. *)
Lemma moments c s y : 1 <= c -> 0 <= s -> 0 <= y <= s + c -> 0 <= power n s * (y * t) <= c * t /\ 0 <= power n s * (y * t) ^ 2 <= c ^ 2 * t ^ 2.
Proof.
  intros Hc Hs Hy. destruct phase_sizes as (T2 & _). destruct (share_moments n c s Hc Hs T2) as [[_ M1] [_ M2]]. pose proof (power_pos n s) as V.
  assert (Y2 : 0 <= y ^ 2 <= (s + c) ^ 2) by (split; [apply pow2_ge_0|apply pow_incr; auto]). assert (T0 : 0 <= t ^ 2) by apply pow2_ge_0.
  assert (L1 : y * power n s <= (s + c) * power n s) by (apply Rmult_le_compat_r; lra).
  assert (L2 : y ^ 2 * power n s <= (s + c) ^ 2 * power n s) by (apply Rmult_le_compat_r; lra).
  replace (power n s * (y * t)) with (y * power n s * t) by ring. replace (power n s * (y * t) ^ 2) with (y ^ 2 * power n s * t ^ 2) by ring.
  repeat split; try (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra); apply Rmult_le_compat_r; lra.
Qed.

Lemma decay_moment : 0 <= power n (gamma * (1 - r)) * (e1 * e1) <= 4 * exp (- (2)).
Proof.
  pose proof phase_e as Re. pose proof (square_decay e1 ltac:(lra)) as Q. replace (power n (gamma * (1 - r))) with (exp (- e1)) by (unfold power; f_equal; ring).
  split; [apply Rmult_le_pos; [left; apply exp_pos|apply Rmult_le_pos; lra]|]. replace (exp (- e1) * (e1 * e1)) with (e1 ^ 2 * exp (- e1)) by ring. auto.
Qed.

(* -- near -- *)
Section NearPhase.
Hypotheses (G1 : kappa <= gamma * (r - rho) - (1 - theta)) (G2 : kappa <= theta - gamma * (1 - r)) (H1 : r < 1).
Notation R0 := ((1 - rho) / (1 - r)).

Theorem near_jacobian_norm :
  (forall p u v w k m z l1 l2, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= w <= 1 -> 0 <= k <= km -> 0 <= m <= / N -> 0 <= z <= / N ->
    0 <= l1 <= B1 -> 0 <= l2 <= B2 -> near_jacobian p u v w k m z l1 l2 R0 / q <= C) -> Rabs (eta - 0) <= C * p.
Proof.
  intros HF. destruct phase_sizes as (T2 & Rh & Rk & Rp & En & In & D0 & L1 & L2). pose proof phase_e as Re.
  set (s := gamma * (r - rho) - (1 - theta) - kappa). pose proof decay_moment as DM.
  set (u := power n (theta - gamma * (1 - r) - kappa)). set (v := power n s). set (w := power n (gamma * (1 - r))) in *. set (m := / INR n) in *. set (D := / INR d) in *.
  assert (y0 : 0 <= gamma * (1 - r)) by (apply Rmult_le_pos; lra). assert (z0 : 0 <= gamma * (1 - rho)) by (apply Rmult_le_pos; lra).
  assert (Ru : 0 <= u <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; lra]).
  assert (Rv : 0 <= v <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; unfold s; lra]).
  assert (Rw : 0 <= w <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; lra]).
  assert (Eh : h = p * (u * w)) by (unfold u, w; rewrite <- !power_plus; f_equal; ring).
  assert (Zs : gamma * (1 - rho) <= s + 1).
  { unfold s. replace (gamma * (1 - rho)) with (gamma * (r - rho) + gamma * (1 - r)) by ring. lra. }
  destruct (moments 1 s (gamma * (1 - rho)) (Rle_refl 1) ltac:(unfold s; lra) (conj z0 Zs)) as [Me Me2]. fold v in Me, Me2.
  apply (from_above (near_jacobian p u v w k m D (t * D) (t ^ 2 * D) R0)); [|apply HF; auto; lra].
  destruct (phase_weights (theta - gamma * (1 - r)) (p * u) 1 (p * v)) as (TP & Wa & WB & WC & Wb & Wc & WE).
  - unfold u. rewrite <- power_plus. unfold power. f_equal. ring.
  - rewrite <- exp_0. f_equal. ring.
  - unfold v, s. rewrite <- power_plus. unfold power. f_equal. ring.
  - assert (ES : scaled_total (p * u) 1 (p * v) h k = near_mass_sum p u v w k) by (rewrite Eh; unfold scaled_total, near_mass_sum; ring).
    rewrite ES in TP, Wa, WB, WC, Wb, Wc, WE.
    destruct (three_weights d n K q r rho beta x H0 HT ltac:(apply Rmult_le_pos; lra) Hr Hr1) as (c0 & [cb ba] & B0 & C0 & S & HbB & HcE & HEC).
    assert (Bb : 0 <= B_ * b_) by (apply Rmult_le_pos; lra).
    eapply Rle_trans; [apply (phase_bound r (e1 ^ 2) 0 ((e2 - e1) ^ 2)); [f_equal; ring|ring|ring|]|].
    + apply (near_terms a_ B_ C_ b_ c_ E_ e1 e2) with (t := t); try assumption; try lra.
      apply Rle_trans with (1 * t); [|lra]. replace e1 with (gamma * (1 - r) * t) by ring. apply Rmult_le_compat_r; lra.
    + fold D. fold m in Wc. set (SS := near_mass_sum p u v w k) in *. replace (gamma * (1 - rho) * t) with e2 in Me, Me2 by ring.
      assert (pS : 0 <= p * (1 - k) / SS <= p / SS).
      { assert (0 < / SS) by (apply Rinv_0_lt_compat; auto). assert (0 <= p * (1 - k) <= p * 1) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
        unfold Rdiv. split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_r; lra. }
      assert (X1 : C_ * e2 <= p / SS * t).
      { rewrite WC. replace (p * v * (1 - k) / SS * e2) with (p * (1 - k) / SS * (v * e2)) by (field; lra). apply Rmult_le_compat; lra. }
      assert (X2 : C_ * e2 ^ 2 <= p / SS * t ^ 2).
      { rewrite WC. replace (p * v * (1 - k) / SS * e2 ^ 2) with (p * (1 - k) / SS * (v * e2 ^ 2)) by (field; lra). apply Rmult_le_compat; lra. }
      assert (X3 : B_ * b_ * (e1 * e2) <= p * ((1 - h) * u / SS ^ 2) * R0 * (4 * exp (- (2)))).
      { rewrite WB, Wb. replace e2 with (R0 * e1) by (field; lra). rewrite Eh at 2.
        replace (1 * (1 - h) / SS * (1 * (p * (u * w)) / SS) * (e1 * (R0 * e1))) with (p * ((1 - h) * u / SS ^ 2) * R0 * (w * (e1 * e1))) by (field; lra).
        apply Rmult_le_compat_l; [|lra]. assert (0 < / SS ^ 2) by (apply Rinv_0_lt_compat, pow_lt; auto). assert (0 < / (1 - r)) by (apply Rinv_0_lt_compat; lra).
        unfold Rdiv. repeat apply Rmult_le_pos; lra. }
      assert (Y1 : a_ * (t + C_ * e2) <= a_ * (t + p / SS * t)) by (apply Rmult_le_compat_l; lra).
      assert (Y2 : B_ * b_ * (C_ * e2) <= B_ * b_ * (p / SS * t)) by (apply Rmult_le_compat_l; lra).
      assert (Y3 : C_ * c_ * e2 ^ 2 <= c_ * (p / SS * t ^ 2)) by (replace (C_ * c_ * e2 ^ 2) with (c_ * (C_ * e2 ^ 2)) by ring; apply Rmult_le_compat_l; lra).
      assert (Q0 : 0 <= a_ ^ 2 + B_ * b_ + C_ * c_).
      { pose proof (pow2_ge_0 a_). assert (0 <= C_ * c_) by (apply Rmult_le_pos; lra). lra. }
      apply Rle_trans with (1 * (a_ ^ 2 + B_ * b_ + C_ * c_) + D * (4 * (a_ * (t + p / SS * t)) + 2 * (B_ * b_ * (p / SS * t)) + t ^ 2 * (a_ ^ 2 + B_ * b_ + C_ * c_)
        + 2 * (p / SS * t ^ 2) + 4 * (p * ((1 - h) * u / SS ^ 2) * R0 * (4 * exp (- (2)))) + 4 * (c_ * (p / SS * t ^ 2)))).
      { apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|apply Rmult_le_compat_l; lra]. }
      rewrite WB, WC, Wa, Wb, Wc. rewrite Eh. right. unfold near_jacobian, near_squares, near_pairs. fold SS m. field. lra.
Qed.
End NearPhase.

(* -- self -- *)
Section SelfPhase.
Hypotheses (G1 : kappa <= gamma * (1 - r) - theta) (G2 : kappa <= gamma * (1 - rho) - 1) (H1 : r < 1).
Notation R0 := ((1 - rho) / (1 - r)).

Theorem self_jacobian_norm :
  (forall p u v h k, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= h <= hm -> 0 <= k <= km -> self_below p u v h k / q <= C) ->
  (forall h m l1 l2, 0 <= h <= hm -> 0 <= m <= / N -> 0 <= l1 <= B1 -> 0 <= l2 <= B2 -> self_above h m l1 l2 R0 (1 + kappa) / q <= C) ->
  Rabs (eta - / q * (1 - / INR d)) <= C * p.
Proof.
  intros HF1 HF2. destruct phase_sizes as (T2 & Rh & Rk & Rp & En & In & D0 & L1 & L2). pose proof phase_e as Re. pose proof (inverse_range n Hn) as Nr.
  set (s1 := gamma * (1 - r) - theta - kappa). set (s2 := gamma * (1 - rho) - 1 - kappa). set (e := 1 + kappa) in *.
  set (u := power n s1). set (v := power n s2). set (m := / INR n) in *. set (D := / INR d) in *.
  assert (Ru : 0 <= u <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; unfold s1; lra]).
  assert (Rv : 0 <= v <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; unfold s2; lra]).
  destruct (moments e s1 (gamma * (1 - r)) ltac:(unfold e; lra) ltac:(unfold s1; lra) ltac:(unfold s1, e; lra)) as [Mu Mu2]. fold u in Mu, Mu2.
  destruct (moments e s2 (gamma * (1 - rho)) ltac:(unfold e; lra) ltac:(unfold s2; lra) ltac:(unfold s2, e; lra)) as [Mv Mv2]. fold v in Mv, Mv2.
  replace (gamma * (1 - r) * t) with e1 in Mu, Mu2 by ring. replace (gamma * (1 - rho) * t) with e2 in Mv, Mv2 by ring.
  destruct (phase_weights 0 1 (p * u) (p * v)) as (TP & Wa & WB & WC & Wb & Wc & WE).
  - rewrite <- exp_0. f_equal. ring.
  - unfold u, s1. rewrite <- power_plus. unfold power. f_equal. ring.
  - unfold v, s2. rewrite <- power_plus. unfold power. f_equal. ring.
  - assert (ES : scaled_total 1 (p * u) (p * v) h k = 1 + p * u * (1 - h) + p * v * (1 - k)) by (unfold scaled_total; ring).
    rewrite ES in TP, Wa, WB, WC, Wb, Wc, WE. fold m in Wc.
    destruct (three_weights d n K q r rho beta x H0 HT ltac:(apply Rmult_le_pos; lra) Hr Hr1) as (c0 & [cb ba] & B0 & C0 & S & HbB & HcE & HEC).
    pose proof (phase_bound 1 0 (e1 ^ 2) (e2 ^ 2) _ ltac:(ring) ltac:(ring) ltac:(ring) (self_terms a_ B_ C_ b_ c_ E_ e1 e2 ltac:(lra) ltac:(lra) ltac:(lra) S ltac:(lra) ltac:(lra) Re HbB HcE)) as U.
    assert (Q1 : a_ ^ 2 + B_ * b_ + C_ * c_ <= 1) by (eapply squares_at_most_1; try eassumption; lra).
    pose proof (three_jacobian_ge d n K q r rho beta x H0 Hq HT ltac:(apply Rmult_le_pos; lra) H0d) as W. fold D in W, U. cbv beta in U.
    set (SS := 1 + p * u * (1 - h) + p * v * (1 - k)) in *.
    assert (S1 : 1 <= SS) by (unfold SS; assert (0 <= p * u * (1 - h)) by (repeat apply Rmult_le_pos; lra); assert (0 <= p * v * (1 - k)) by (repeat apply Rmult_le_pos; lra); lra).
    assert (SI : 0 < / SS <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
    assert (sh : forall g, 0 < g < 1 -> 0 <= p * (1 - g) / SS <= p).
    { intros g Hgg. unfold Rdiv. assert (0 <= p * (1 - g) <= p * 1) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
      split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (p * 1 * 1); [apply Rmult_le_compat; lra|lra]. }
    pose proof (sh h Rh) as Sh. pose proof (sh k Rk) as Sk.
    assert (X1 : B_ * e1 <= p * (e * t)) by (rewrite WB; replace (p * u * (1 - h) / SS * e1) with (p * (1 - h) / SS * (u * e1)) by (field; lra); apply Rmult_le_compat; lra).
    assert (X2 : C_ * e2 <= p * (e * t)) by (rewrite WC; replace (p * v * (1 - k) / SS * e2) with (p * (1 - k) / SS * (v * e2)) by (field; lra); apply Rmult_le_compat; lra).
    assert (X3 : B_ * e1 ^ 2 <= p * (e ^ 2 * t ^ 2)) by (rewrite WB; replace (p * u * (1 - h) / SS * e1 ^ 2) with (p * (1 - h) / SS * (u * e1 ^ 2)) by (field; lra); apply Rmult_le_compat; lra).
    assert (X4 : C_ * e2 ^ 2 <= p * (e ^ 2 * t ^ 2)) by (rewrite WC; replace (p * v * (1 - k) / SS * e2 ^ 2) with (p * (1 - k) / SS * (v * e2 ^ 2)) by (field; lra); apply Rmult_le_compat; lra).
    assert (bh : b_ <= h).
    { rewrite Wb. unfold Rdiv. assert (p * u <= 1 * 1) by (apply Rmult_le_compat; lra). assert (0 <= p * u) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (1 * h * 1); [|lra]. apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_r; lra|lra]. }
    assert (cm : c_ <= m).
    { rewrite Wc. unfold Rdiv. assert (p * v <= 1 * 1) by (apply Rmult_le_compat; lra). assert (0 <= p * v) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (1 * m * 1); [|lra]. apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_r; lra|lra]. }
    assert (R1 : 0 <= R0) by (unfold Rdiv; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
    assert (Z0 : 0 <= p * (e ^ 2 * t ^ 2)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; apply pow2_ge_0]).
    assert (X5 : B_ * b_ * (e1 * e2) <= R0 * h * (p * (e ^ 2 * t ^ 2))).
    { replace (B_ * b_ * (e1 * e2)) with (R0 * b_ * (B_ * e1 ^ 2)) by (field; lra). pose proof (pow2_ge_0 e1) as E2.
      apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra|auto]. }
    assert (X6 : C_ * c_ * e2 ^ 2 <= m * (p * (e ^ 2 * t ^ 2))).
    { replace (C_ * c_ * e2 ^ 2) with (c_ * (C_ * e2 ^ 2)) by ring. pose proof (pow2_ge_0 e2) as E2. apply Rmult_le_compat; [lra|apply Rmult_le_pos; lra|lra|auto]. }
    assert (Up : q * eta - (1 - D) <= p * self_above h m (t * D) (t ^ 2 * D) R0 e).
    { apply Rle_trans with (D * (4 * (2 * (p * (e * t))) + 2 * (p * (e * t)) + 2 * (p * (e ^ 2 * t ^ 2)) + 2 * (p * (e ^ 2 * t ^ 2))
        + 4 * (R0 * h * (p * (e ^ 2 * t ^ 2))) + 4 * (m * (p * (e ^ 2 * t ^ 2))))).
      - assert (A1 : (1 - D) * (a_ ^ 2 + B_ * b_ + C_ * c_) <= (1 - D) * 1) by (apply Rmult_le_compat_l; lra).
        match type of U with _ <= _ + D * ?y => match goal with |- _ <= D * ?z => assert (A2 : D * y <= D * z) by (apply Rmult_le_compat_l; lra) end end. lra.
      - right. unfold self_above. field. lra. }
    assert (Lo : - (p * self_below p u v h k) <= q * eta - (1 - D)).
    { assert (Ea : 1 - a_ ^ 2 = p * self_below p u v h k).
      { assert (F : p * (u * (1 - h) + v * (1 - k)) = SS - 1) by (unfold SS; ring). rewrite Wa. unfold self_below. cbv zeta. fold SS.
        replace (p * ((u * (1 - h) + v * (1 - k)) * (SS + 1) / SS ^ 2)) with (p * (u * (1 - h) + v * (1 - k)) * (SS + 1) / SS ^ 2) by (field; lra).
        rewrite F. field. lra. }
      assert (A0 : 0 <= a_ <= 1) by lra. assert (a_ ^ 2 <= 1 ^ 2) by (apply pow_incr; lra). assert (0 <= D * (1 - a_ ^ 2)) by (apply Rmult_le_pos; lra).
      assert ((1 - D) * a_ ^ 2 = 1 - D - (1 - a_ ^ 2) + D * (1 - a_ ^ 2)) by ring. lra. }
    specialize (HF1 p u v h k ltac:(lra) Ru Rv ltac:(lra) ltac:(lra)). specialize (HF2 h m (t * D) (t ^ 2 * D) ltac:(lra) ltac:(lra) L1 L2).
    assert (Qi : 0 < / q) by (apply Rinv_0_lt_compat; auto).
    replace (eta - / q * (1 - D)) with ((q * eta - (1 - D)) * / q) by (field; lra). apply Rabs_le. unfold Rdiv in HF1, HF2. split.
    + apply Rle_trans with (- (p * self_below p u v h k) * / q); [|apply Rmult_le_compat_r; lra].
      assert (p * (self_below p u v h k * / q) <= p * C) by (apply Rmult_le_compat_l; lra). lra.
    + apply Rle_trans with (p * self_above h m (t * D) (t ^ 2 * D) R0 e * / q); [apply Rmult_le_compat_r; lra|].
      rewrite Rmult_assoc, (Rmult_comm C). apply Rmult_le_compat_l; lra.
Qed.
End SelfPhase.
End Phases.
