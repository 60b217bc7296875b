(* The settings of BandTails.v in the three phases of three bands: which masses vanish, over p = n^-kappa, and in which ranges
   everything lies for all n >= N. No generated file uses this: it is for a
   residual or for quantities beside those of BandInners.v, whose distances a reader can bound on these ranges. Uses BandCertificates.v and
   BandTails.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Bounds Rows ThreeBands ClassCertificates RowCertificates BandCertificates
  ThreeBandsForms ThreeBandsScaled BandTails.
Open Scope R_scope.

(* Two masses and the rest; h = 1/K and k = K/n are kept, or vanish over p with eh and ek. *)
Definition far_setting (a ea b eb h k ek : R) : setting :=
  Setting (vanishing a ea) (vanishing b eb) (rest (plus (vanishing a ea) (vanishing b eb))) (constant h) (constant (h / (1 - h)))
    (vanishing k ek) (Tail (1 / (1 - k)) 1 (ek / (1 - k))).
Definition near_setting (a ea m em h eh : R) (F G : tail) : setting :=
  Setting (vanishing a ea) (rest (plus (vanishing a ea) (vanishing m em))) (vanishing m em) (vanishing h eh) (vanishing (h / (1 - h)) (eh / (1 - h))) F G.
Definition self_setting (b eb m em h k : R) : setting :=
  Setting (rest (plus (vanishing b eb) (vanishing m em))) (vanishing b eb) (vanishing m em) (constant h) (constant (h / (1 - h)))
    (constant k) (constant (1 / (1 - k))).

Section Phases.
Variables (N theta gamma q r rho kappa c P hm km : R) (d n K : nat) (x : tokens).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n) (Ht : 0 < theta < 1) (Hg : 0 <= gamma) (HK : INR K = Rpower (INR n) theta).
Hypotheses (Hq : 0 < q) (Hr : rho <= r <= 1) (HT : three_bands d n K q r rho x).
Notation p := (power n kappa).
Hypotheses (HP : p <= P) (Hh : power n theta <= hm) (Hk : power n (1 - theta) <= km).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation m0 e0 := (exp (- e0 * t)).
Notation m1 e0 := (exp ((theta - gamma * (1 - r) - e0) * t)).
Notation m2 e0 := (exp ((1 - gamma * (1 - rho) - e0) * t)).
Notation h := (exp (- theta * t)).
Notation k := (exp ((theta - 1) * t)).
Notation T e0 := (scaled_total (m0 e0) (m1 e0) (m2 e0) h k).

Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.
Let H0 : (0 < n)%nat.
Proof. lia. Qed.

Lemma sizes : 0 < h < 1 /\ 0 < k < 1 /\ h = power n theta /\ k = power n (1 - theta) /\ 0 < p.
Proof.
  assert (E1 : h = power n theta) by reflexivity. assert (E2 : k = power n (1 - theta)) by (unfold power; f_equal; ring).
  rewrite E2. repeat split; auto; try apply power_pos; try apply exp_pos; [rewrite E1|]; apply power_lt_1; auto; lra.
Qed.

Lemma masses_of e0 : 0 < T e0 /\ m0 e0 / T e0 + m1 e0 * (1 - h) / T e0 + m2 e0 * (1 - k) / T e0 = 1.
Proof.
  pose proof (scaled_total_pos d n K q r rho theta gamma e0 x Hn HK HT) as TP. split; auto.
  set (T0 := T e0) in *. assert (E : T0 = m0 e0 + m1 e0 * (1 - h) + m2 e0 * (1 - k)) by reflexivity.
  replace (m0 e0 / T0 + m1 e0 * (1 - h) / T0 + m2 e0 * (1 - k) / T0) with ((m0 e0 + m1 e0 * (1 - h) + m2 e0 * (1 - k)) / T0) by (field; lra).
  rewrite <- E. field. lra.
Qed.

Lemma over_p v : v = p * (v / p).
Proof. pose proof sizes. field. lra. Qed.

Lemma range_over_p v : 0 <= v <= c * p -> 0 <= c -> 0 <= v <= c * P /\ 0 <= v / p <= c.
Proof.
  intros Hv Hc. pose proof sizes as S. assert (c * p <= c * P) by (apply Rmult_le_compat_l; lra). split; [lra|]. split.
  - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
  - apply (Rmult_le_reg_r p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma size_over_p e : kappa <= e -> 0 <= power n e / p <= 1.
Proof.
  intros He. pose proof sizes as S. pose proof (power_pos n e). pose proof (power_falls n Hn kappa e He). split.
  - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
  - apply (Rmult_le_reg_r p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma masses_are e0 : weight d n beta x 0 0 = m0 e0 / T e0 /\
  mass d n beta x 0 (fun j => (Nat.eqb (0 / K) (j / K) && negb (Nat.eqb 0 j))%bool) = m1 e0 * (1 - h) / T e0 /\
  mass d n beta x 0 (fun j => negb (Nat.eqb (0 / K) (j / K))) = m2 e0 * (1 - k) / T e0.
Proof.
  repeat split; [apply (scaled_self_weight d n K q r rho theta gamma e0 x)|apply (scaled_near_mass d n K q r rho theta gamma e0 x)
    |apply (scaled_far_mass d n K q r rho theta gamma e0 x)]; auto.
Qed.

(* What vanishes, of a size v < 1 over p. *)
Lemma known_ratio v e : v < 1 -> v = p * e -> known p (vanishing (v / (1 - v)) (e / (1 - v))) /\ known p (Tail (1 / (1 - v)) 1 (e / (1 - v))).
Proof. intros Hv E. unfold known, vanishing. cbn [value limit distance]. split; rewrite E; rewrite E in Hv; field; lra. Qed.

Ltac masses_known := repeat first [assumption | apply known_rest | apply known_plus | apply known_vanishing | apply known_constant].

Theorem far_phase : 0 <= 1 - theta - gamma * (r - rho) -> 0 <= 1 - gamma * (1 - rho) ->
  kappa <= 1 - theta - gamma * (r - rho) -> kappa <= 1 - gamma * (1 - rho) -> 1 / (1 - decay N (1 - theta)) <= c ->
  exists a ea b eb h k ek, (0 <= a <= c * P /\ 0 <= ea <= c) /\ (0 <= b <= c * P /\ 0 <= eb <= c) /\ (0 <= h <= hm /\ h < 1) /\
    (0 <= k <= km /\ k < 1 /\ 0 <= ek <= 1) /\ actual n r rho theta gamma (1 - gamma * (1 - rho)) p (far_setting a ea b eb h k ek).
Proof.
  intros G1 G2 K1 K2 Hc. set (e0 := 1 - gamma * (1 - rho)) in *. destruct sizes as (R1 & R2 & E1 & E2 & P0).
  pose proof (decay_lt_1 N (1 - theta) HN2 ltac:(lra)) as V. assert (c0 : 0 <= c).
  { apply Rle_trans with (2 := Hc). left. apply Rdiv_lt_0_compat; lra. }
  destruct (far_masses N theta gamma q r rho d n K 0 x HN2 HN Ht Hg HK Hq Hr HT H0 c G1 G2) as [Q _]. destruct (Q Hc) as [QA QB]. fold e0 in QA, QB. clear Q.
  destruct (masses_are e0) as (MA & MB & MF). destruct (masses_of e0) as [TP S].
  assert (Kp : power n (Rmin (1 - theta - gamma * (r - rho)) e0) <= p) by (apply power_falls; auto; apply Rmin_glb; auto).
  assert (Kc : c * power n (Rmin (1 - theta - gamma * (r - rho)) e0) <= c * p) by (apply Rmult_le_compat_l; auto).
  rewrite MA in QA. rewrite MB in QB. rewrite Rminus_0_r in QA, QB.
  assert (A0 : 0 <= m0 e0 / T e0) by (rewrite <- MA; apply weight_nonneg; auto).
  assert (B0 : 0 <= m1 e0 * (1 - h) / T e0) by (rewrite <- MB; apply mass_nonneg; auto).
  rewrite Rabs_pos_eq in QA, QB; auto. set (a := m0 e0 / T e0) in *. set (b := m1 e0 * (1 - h) / T e0) in *.
  assert (Kk : 0 <= k / p <= 1).
  { rewrite E2. apply size_over_p. assert (0 <= gamma * (r - rho)) by (apply Rmult_le_pos; lra). lra. }
  exists a, (a / p), b, (b / p), h, k, (k / p). split; [apply range_over_p; lra|]. split; [apply range_over_p; lra|].
  split; [rewrite E1 at 2; lra|]. split; [rewrite E2 at 2; lra|].
  unfold actual, far_setting. cbn [A_ B_ M_ H_ H1_ F_ G_]. pose proof (known_ratio k (k / p) ltac:(lra) (over_p k)) as [_ KG].
  pose proof (over_p a). pose proof (over_p b). pose proof (over_p k).
  repeat split; try reflexivity; masses_known. unfold rest, plus, vanishing. cbn [value]. lra.
Qed.

(* h vanishes; k is kept, or vanishes where kappa <= 1 - theta. *)
Theorem near_phase : 0 <= gamma * (r - rho) - (1 - theta) -> 0 <= theta - gamma * (1 - r) ->
  kappa <= gamma * (r - rho) - (1 - theta) -> kappa <= theta - gamma * (1 - r) -> 1 / (1 - decay N theta) <= c ->
  exists a ea m em h eh k ek, (0 <= a <= c * P /\ 0 <= ea <= c) /\ (0 <= m <= c * P /\ 0 <= em <= c) /\ (0 <= h <= hm /\ h < 1 /\ 0 <= eh <= 1) /\
    (0 <= k <= km /\ k < 1) /\
    actual n r rho theta gamma (theta - gamma * (1 - r)) p (near_setting a ea m em h eh (constant k) (constant (1 / (1 - k)))) /\
    (kappa <= 1 - theta -> 0 <= ek <= 1 /\
     actual n r rho theta gamma (theta - gamma * (1 - r)) p (near_setting a ea m em h eh (vanishing k ek) (Tail (1 / (1 - k)) 1 (ek / (1 - k))))).
Proof.
  intros G1 G2 K1 K2 Hc. set (e0 := theta - gamma * (1 - r)) in *. destruct sizes as (R1 & R2 & E1 & E2 & P0).
  pose proof (decay_lt_1 N theta HN2 ltac:(lra)) as V. assert (c0 : 0 <= c).
  { apply Rle_trans with (2 := Hc). left. apply Rdiv_lt_0_compat; lra. }
  destruct (near_masses N theta gamma q r rho d n K 0 x HN2 HN Ht Hg HK Hq Hr HT H0 c G1 G2) as [Q _]. destruct (Q Hc) as [QA QB]. fold e0 in QA, QB. clear Q.
  destruct (masses_are e0) as (MA & MB & MF). destruct (masses_of e0) as [TP S].
  assert (Kp : power n (Rmin (gamma * (r - rho) - (1 - theta)) e0) <= p) by (apply power_falls; auto; apply Rmin_glb; auto).
  assert (Kc : c * power n (Rmin (gamma * (r - rho) - (1 - theta)) e0) <= c * p) by (apply Rmult_le_compat_l; auto).
  rewrite MA in QA. rewrite MF in QB. rewrite Rminus_0_r in QA, QB.
  assert (A0 : 0 <= m0 e0 / T e0) by (rewrite <- MA; apply weight_nonneg; auto).
  assert (B0 : 0 <= m2 e0 * (1 - k) / T e0) by (rewrite <- MF; apply mass_nonneg; auto).
  rewrite Rabs_pos_eq in QA, QB; auto. set (a := m0 e0 / T e0) in *. set (m := m2 e0 * (1 - k) / T e0) in *.
  assert (Kh : 0 <= h / p <= 1).
  { rewrite E1. apply size_over_p. assert (0 <= gamma * (1 - r)) by (apply Rmult_le_pos; lra). unfold e0 in K2. lra. }
  exists a, (a / p), m, (m / p), h, (h / p), k, (k / p). split; [apply range_over_p; lra|]. split; [apply range_over_p; lra|].
  split; [rewrite E1 at 2; lra|]. split; [rewrite E2 at 2; lra|].
  pose proof (known_ratio h (h / p) ltac:(lra) (over_p h)) as [KH1 _]. pose proof (known_ratio k (k / p) ltac:(lra) (over_p k)) as [_ KG].
  pose proof (over_p a). pose proof (over_p m). pose proof (over_p h). pose proof (over_p k). split.
  - unfold actual, near_setting. cbn [A_ B_ M_ H_ H1_ F_ G_].
    repeat split; try reflexivity; masses_known. unfold rest, plus, vanishing. cbn [value]. lra.
  - intros K3. split; [rewrite E2; apply size_over_p; auto|]. unfold actual, near_setting. cbn [A_ B_ M_ H_ H1_ F_ G_].
    repeat split; try reflexivity; masses_known. unfold rest, plus, vanishing. cbn [value]. lra.
Qed.

Theorem self_phase : 0 <= gamma * (1 - r) - theta -> 0 <= gamma * (1 - rho) - 1 ->
  kappa <= gamma * (1 - r) - theta -> kappa <= gamma * (1 - rho) - 1 -> 1 <= c ->
  exists b eb m em h k, (0 <= b <= c * P /\ 0 <= eb <= c) /\ (0 <= m <= c * P /\ 0 <= em <= c) /\ (0 <= h <= hm /\ h < 1) /\ (0 <= k <= km /\ k < 1) /\
    actual n r rho theta gamma 0 p (self_setting b eb m em h k).
Proof.
  intros G1 G2 K1 K2 Hc. destruct sizes as (R1 & R2 & E1 & E2 & P0).
  destruct (self_masses N theta gamma q r rho d n K 0 x HN2 HN Ht Hg HK Hq HT H0 c G1 G2) as [Q _]. destruct (Q Hc) as [QA QB]. clear Q.
  destruct (masses_are 0) as (MA & MB & MF). destruct (masses_of 0) as [TP S].
  set (kk := Rmin (gamma * (1 - r) - theta) (gamma * (1 - rho) - 1)) in *.
  assert (Kp : power n kk <= p) by (apply power_falls; auto; apply Rmin_glb; auto).
  assert (Kc : c * power n kk <= c * p) by (apply Rmult_le_compat_l; lra).
  rewrite MB in QA. rewrite MF in QB. rewrite Rminus_0_r in QA, QB.
  assert (A0 : 0 <= m1 0 * (1 - h) / T 0) by (rewrite <- MB; apply mass_nonneg; auto).
  assert (B0 : 0 <= m2 0 * (1 - k) / T 0) by (rewrite <- MF; apply mass_nonneg; auto).
  rewrite Rabs_pos_eq in QA, QB; auto. set (b := m1 0 * (1 - h) / T 0) in *. set (m := m2 0 * (1 - k) / T 0) in *.
  exists b, (b / p), m, (m / p), h, k. split; [apply range_over_p; lra|]. split; [apply range_over_p; lra|].
  split; [rewrite E1 at 2; lra|]. split; [rewrite E2 at 2; lra|].
  pose proof (over_p b). pose proof (over_p m).
  unfold actual, self_setting. cbn [A_ B_ M_ H_ H1_ F_ G_].
  repeat split; try reflexivity; masses_known. unfold rest, plus, vanishing. cbn [value]. lra.
Qed.
End Phases.
