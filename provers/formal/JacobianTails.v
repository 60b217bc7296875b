(* Distances of the Jacobian norm of three bands from its limit, for dimensions d >= n: as in BandTails.v, with f and g for
   beta/d and beta^2/d over the scale. Uses BandTails.v and ThreeBandsJacobian.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Powers ThreeBands ThreeBandsForms ThreeBandsScaled BandTails ThreeBandsJacobian.
Open Scope R_scope.

(* 1/d is at most 1/n = n^-1. *)
Lemma dimension_share n d : (2 <= n)%nat -> (n <= d)%nat ->
  exists z, 0 <= z <= 1 /\ / INR d = z * power n 1 /\ (forall N, 0 < N -> N <= INR n -> 1 - / N <= 1 - / INR d <= 1).
Proof.
  intros Hn Hd. pose proof (size_ge_2 n Hn) as N2. apply le_INR in Hd. exists (INR n / INR d). rewrite power_1; auto.
  assert (D0 : 0 < / INR d) by (apply Rinv_0_lt_compat; lra). split; [split|split].
  - apply Rmult_le_pos; lra.
  - apply (Rmult_le_reg_r (INR d)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - field. lra.
  - intros N N0 HN. split; [|lra]. assert (/ INR d <= / N) by (apply Rinv_le_contravar; lra). lra.
Qed.

(* (ln n)^j n^-k from N on. *)
Lemma log_power_from N n j k B : 2 <= N -> N <= INR n -> INR j <= k * ln N -> ln N ^ j * exp (- k * ln N) <= B ->
  0 <= ln (INR n) ^ j * power n k <= B.
Proof.
  intros HN2 HN Hj HB. assert (T0 : 0 < ln N) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (T1 : ln N <= ln (INR n)) by (apply Powers.ln_le; lra). split.
  - apply Rmult_le_pos; [apply pow_le; lra|left; apply power_pos].
  - apply Rle_trans with (2 := HB). apply (log_power_falls j k (ln N) (ln (INR n))); auto.
Qed.

Definition tail_jacobian (r rho alpha q : R) (M0 M1 M2 H F : tail) (w f1 g1 : R) : R :=
  let T := value (tail_total M0 M1 M2 H F) in
  eta_distance r rho (value M0 / T) (value M1 * (1 - value H) / T) (value M2 * (1 - value F) / T) (value M1 * value H / T)
    (value M2 * (value H * value F) / T) (value M2 * value F / T) w alpha q (limit (tail_self M0 M1 M2 H F)) (distance (tail_self M0 M1 M2 H F))
    (distance H * (value M1 ^ 2 * (1 - value H) + value M2 ^ 2 * (1 - value F) * value F) / T ^ 2) f1 g1.

Theorem jacobian_tail d n K q r rho theta gamma alpha e0 p x M0 M1 M2 H F f1 g1 : (2 <= n)%nat -> (0 < d)%nat -> 0 < q ->
  INR K = Rpower (INR n) theta -> three_bands d n K q r rho x ->
  value M0 = exp (- e0 * ln (INR n)) -> value M1 = exp ((theta - gamma * (1 - r) - e0) * ln (INR n)) ->
  value M2 = exp ((1 - gamma * (1 - rho) - e0) * ln (INR n)) -> value H = exp (- theta * ln (INR n)) -> value F = exp ((theta - 1) * ln (INR n)) ->
  known p M0 -> known p M1 -> known p M2 -> known p H -> known p F -> limit H = 0 -> 0 < limit (tail_total M0 M1 M2 H F) ->
  gamma * ln (INR n) / INR d = p * f1 -> (gamma * ln (INR n)) ^ 2 / INR d = p * g1 ->
  jacobian_norm d n (gamma * ln (INR n)) alpha x
    - (alpha ^ 2 + (limit (tail_self M0 M1 M2 H F) ^ 2 / q + 2 * alpha / sqrt q * limit (tail_self M0 M1 M2 H F)) * (1 - / INR d))
  = p * tail_jacobian r rho alpha q M0 M1 M2 H F (1 - / INR d) f1 g1.
Proof.
  intros Hn Hd Hq HK HT V0 V1 V2 VH VF K0 K1 K2 KH KF LH HL Ef Eg.
  pose proof (tail_total_value n r rho theta gamma e0 M0 M1 M2 H F V0 V1 V2 VH VF) as ET.
  pose proof (tail_total_pos d n K q r rho theta gamma e0 x M0 M1 M2 H F Hn HK HT V0 V1 V2 VH VF) as TP.
  assert (KT : known p (tail_total M0 M1 M2 H F)) by (unfold tail_total; known_tail).
  assert (KS : known p (tail_self M0 M1 M2 H F)) by (unfold tail_self; apply known_over; auto; lra).
  assert (U : exp (- ln (INR n)) = value H * value F) by (rewrite VH, VF, <- exp_plus; f_equal; ring).
  rewrite (scaled_jacobian_norm d n K q r rho theta gamma e0 x Hn Hq HK HT Hd alpha). unfold scaled_eta. cbv zeta.
  rewrite U, <- ET, <- V0, <- V1, <- V2, <- VH, <- VF. unfold tail_jacobian. cbv zeta.
  apply eta_tail; auto.
  unfold known in KH. rewrite LH, Rminus_0_r in KH. set (T := value (tail_total M0 M1 M2 H F)) in *.
  replace (value M1 * (1 - value H) / T * (value M1 * value H / T) + value M2 * (1 - value F) / T * (value M2 * (value H * value F) / T))
    with (value H * (value M1 ^ 2 * (1 - value H) + value M2 ^ 2 * (1 - value F) * value F) / T ^ 2) by (field; lra).
  rewrite KH at 1. field. lra.
Qed.
