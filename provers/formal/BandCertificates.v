(* What the generated files of certificates on three bands use: masses and partition function in the three phases with
   K = n^theta exactly, for all n >= N, against n^-k with k the smaller of the phase's two gaps. Uses ThreeBands.v and
   RowCertificates.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Bounds Rows Bands ThreeBands ClassCertificates RowCertificates NearSimplexLimits.
Open Scope R_scope.

Lemma ln_below z : 0 < z -> ln z <= z - 1.
Proof. intros Hz. rewrite <- (ln_exp (z - 1)). apply ln_le; auto. apply below_exp. Qed.

Lemma ln_above v : 0 <= v < 1 -> - (v / (1 - v)) <= ln (1 - v).
Proof.
  intros Hv. assert (P : 0 < / (1 - v)) by (apply Rinv_0_lt_compat; lra). pose proof (ln_below _ P) as L. rewrite ln_Rinv in L; [|lra].
  replace (/ (1 - v) - 1) with (v / (1 - v)) in L by (field; lra). lra.
Qed.

(* ln (1-v) - ln m, for a mass m short of p/(1-v) at most. *)
Lemma log_of_mass v m p : 0 <= v < 1 -> 0 < m <= 1 -> 0 <= p -> (1 - m) * (1 - v) <= m * p -> - (v / (1 - v)) <= ln (1 - v) - ln m <= p.
Proof.
  intros Hv Hm Hp H. split.
  - pose proof (ln_above v Hv). assert (ln m <= 0) by (rewrite <- ln_1; apply ln_le; lra). lra.
  - assert (Q : 1 - v <= m * (1 - v + p)) by lra. assert (R0 : 0 < 1 - v + p) by lra.
    apply ln_le in Q; [|lra]. rewrite ln_mult in Q; [|lra|lra]. pose proof (ln_below _ R0). lra.
Qed.

Section BandCertificates.
Variables (N theta gamma q r rho : R) (d n K i : nat) (x : tokens).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n) (Ht : 0 < theta < 1) (Hg : 0 <= gamma) (HK : INR K = Rpower (INR n) theta).
Hypotheses (Hq : 0 < q) (Hr : rho <= r <= 1) (HT : three_bands d n K q r rho x) (Hi : (i < n)%nat).
Notation beta := (gamma * ln (INR n)).
Notation A := (weight d n beta x i i).
Notation near := (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool).
Notation far := (fun j => negb (Nat.eqb (i / K) (j / K))).
Notation near_mass := (mass d n beta x i near).
Notation far_mass := (mass d n beta x i far).
Notation Z := (partition d n beta x i).

Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.
Let H0 : (0 < n)%nat.
Proof. lia. Qed.
Let HB := three_bands_nested d n K q r rho x H0 HT.
Let HR := three_bands_row d n K q r rho x i H0 Hq Hi HT.

Lemma near_set_band j : near_band n K i j = near j.
Proof. unfold band. rewrite (together_0 2 n _ (bands_nested d n 2 q _ _ x HB)). reflexivity. Qed.

Lemma near_mass_row : mass d n beta x i (near_band n K i) = near_mass.
Proof. apply sum_ext; intros j _. rewrite near_set_band. reflexivity. Qed.

Lemma far_mass_band : mass d n beta x i (far_band n K i) = far_mass.
Proof.
  apply sum_ext; intros j Hj. unfold band. rewrite (together_top 2 n _ (bands_nested d n 2 q _ _ x HB) i j Hi Hj). reflexivity.
Qed.

Lemma far_mass_row : mass d n beta x i (far_set i (near_band n K i)) = far_mass.
Proof.
  rewrite <- far_mass_band. apply sum_ext; intros j Hj. rewrite (far_set_band d n K q r rho x i H0 Hi HT j Hj). reflexivity.
Qed.

Lemma three_masses : A + near_mass + far_mass = 1 /\ 0 <= A /\ 0 <= near_mass /\ 0 <= far_mass.
Proof.
  rewrite <- near_mass_row, <- far_mass_row. split; [exact (masses_sum_to_1 d n K i beta r r rho rho _ x HR)|].
  split; [apply weight_nonneg; auto|]. split; apply mass_nonneg; auto.
Qed.

Lemma Z_pos : 0 < Z.
Proof. apply partition_pos; auto. Qed.

Lemma three_K : 1 < INR K < INR n /\ INR K / INR n = power n (1 - theta) /\ / INR K = power n theta.
Proof.
  destruct (K_power N theta n K HN2 HN HK) as [_ [E1 E2]]. destruct (K_between N theta n K HN2 HN Ht HK) as [E3 _]. auto.
Qed.

(* The weights of the three bands over the partition function. *)
Lemma far_of_Z : far_mass = (INR n - INR K) * exp (beta * rho) / Z.
Proof.
  rewrite <- far_mass_band, (bands_mass d n 2 q beta _ _ x Hq HB 2 i ltac:(lia) Hi). unfold band_weight.
  rewrite <- (bands_partition_function d n 2 q beta _ _ x Hq HB i Hi). simpl. unfold Rdiv. ring.
Qed.

Lemma near_of_Z : near_mass = (INR K - 1) * exp (beta * r) / Z.
Proof.
  rewrite <- near_mass_row, (bands_mass d n 2 q beta _ _ x Hq HB 1 i ltac:(lia) Hi). unfold band_weight.
  rewrite <- (bands_partition_function d n 2 q beta _ _ x Hq HB i Hi). simpl. unfold Rdiv. ring.
Qed.

Lemma self_of_Z : A = exp beta / Z.
Proof. unfold weight. rewrite gram_self, Rmult_1_r; auto. rewrite (proj1 (proj2 (proj2 HT)) i Hi). auto. Qed.

Lemma log_Z c e m : 0 < c -> m = c * exp e / Z -> ln Z = ln c + e - ln m.
Proof.
  intros Hc E. pose proof Z_pos as P. pose proof (exp_pos e) as Pe.
  rewrite E. unfold Rdiv. rewrite !ln_mult, ln_Rinv, ln_exp; auto; try (apply Rmult_lt_0_compat; auto); [ring|apply Rinv_0_lt_compat; auto].
Qed.

(* ---- Far ---- *)
Notation f1 := (1 - theta - gamma * (r - rho)).
Notation f2 := (1 - gamma * (1 - rho)).
Notation kf := (Rmin f1 f2).

Lemma scale_min a b : power n a <= power n (Rmin a b) /\ power n b <= power n (Rmin a b).
Proof. split; apply power_falls; auto; [apply Rmin_l|apply Rmin_r]. Qed.

(* p (1 - w) <= s where p <= s *)
Lemma falls_by p w s : 0 < p <= s -> 0 < w < 1 -> 0 <= p * (1 - w) <= s.
Proof.
  intros Hp Hw. split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (p * 1); [apply Rmult_le_compat_l; lra|lra].
Qed.

(* From what a mass is at most times 1 - v with v <= V < 1 to what it is at most. *)
Lemma by_share z v V p c C0 : 0 <= z -> v <= V -> V < 1 -> 0 < p -> z * (1 - v) <= c * p -> c / (1 - V) <= C0 -> z <= C0 * p.
Proof.
  intros Hz Hv HV Hp H HC. apply Rle_trans with (c / (1 - V) * p); [|apply Rmult_le_compat_r; lra].
  apply (Rmult_le_reg_r (1 - V)); [lra|]. replace (c / (1 - V) * p * (1 - V)) with (c * p) by (field; lra).
  apply Rle_trans with (2 := H). apply Rmult_le_compat_l; lra.
Qed.

Theorem far_masses C : 0 <= f1 -> 0 <= f2 ->
  (1 / (1 - decay N (1 - theta)) <= C -> Rabs (A - 0) <= C * power n kf /\ Rabs (near_mass - 0) <= C * power n kf) /\
  (2 / (1 - decay N (1 - theta)) <= C -> Rabs (far_mass - 1) <= C * power n kf /\ Rabs (ln Z - (1 + gamma * rho) * ln (INR n)) <= C * power n kf).
Proof.
  intros G1 G2. destruct (far_parts N theta gamma r r rho rho d n K i _ x HN2 HN Ht Hg HK HR) as [P1 P2].
  rewrite near_mass_row, far_mass_row in P1. rewrite far_mass_row in P2. destruct three_masses as [S [A0 [M0 F0]]].
  destruct (scale_min f1 f2) as [K1 K2]. pose proof (power_pos n kf) as Kp. pose proof (decay_lt_1 N (1 - theta) HN2 ltac:(lra)) as V.
  pose proof (power_le_decay N n (1 - theta) ltac:(lra) HN ltac:(lra)) as B. pose proof (power_pos n (1 - theta)) as v0.
  pose proof (power_pos n f1) as pf1. pose proof (power_pos n f2) as pf2. destruct three_K as [[KK Kn] [E1 _]].
  set (v := power n (1 - theta)) in *. set (V0 := decay N (1 - theta)) in *. set (s := power n kf) in *.
  pose proof (falls_by (power n f1) (power n theta) s ltac:(lra) ltac:(apply (shares_range N theta n); auto)) as W1.
  assert (W2 : power n f1 * (1 - power n theta) <= power n f1) by (pose proof (power_pos n theta); apply Rle_trans with (power n f1 * 1); [apply Rmult_le_compat_l; lra|lra]).
  assert (P1' : near_mass * (1 - v) <= far_mass * power n f1) by (apply Rle_trans with (1 := P1); apply Rmult_le_compat_l; lra).
  assert (Q1 : near_mass * (1 - v) <= 1 * s) by (apply Rle_trans with (1 := P1); apply Rmult_le_compat; lra).
  assert (Q2 : A * (1 - v) <= 1 * s) by (apply Rle_trans with (1 := P2); apply Rmult_le_compat; lra).
  split; intros HC.
  - rewrite !Rminus_0_r, !Rabs_pos_eq; auto. split; [apply (by_share A v V0 s 1)|apply (by_share near_mass v V0 s 1)]; lra.
  - split.
    + replace (far_mass - 1) with (- (A + near_mass)) by lra. rewrite Rabs_Ropp, Rabs_pos_eq; [|lra].
      apply (by_share (A + near_mass) v V0 s 2); lra.
    + assert (Fp : 0 < far_mass).
      { rewrite far_of_Z. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [lra|apply exp_pos]|apply Z_pos]. }
      assert (L : ln Z = ln (INR n - INR K) + beta * rho - ln far_mass) by (apply log_Z; [lra|apply far_of_Z]).
      assert (L2 : ln (INR n - INR K) = ln (INR n) + ln (1 - v)).
      { rewrite <- ln_mult; [|lra|lra]. f_equal. rewrite <- E1. field. lra. }
      assert (H : (1 - far_mass) * (1 - v) <= far_mass * (power n f1 + power n f2)).
      { replace (1 - far_mass) with (A + near_mass) by lra. lra. }
      destruct (log_of_mass v far_mass (power n f1 + power n f2) ltac:(lra) ltac:(lra) ltac:(lra) H) as [D1 D2].
      replace (ln Z - (1 + gamma * rho) * ln (INR n)) with (ln (1 - v) - ln far_mass) by (rewrite L, L2; ring).
      assert (vk : v <= s).
      { unfold v, s. apply power_falls; auto. apply Rle_trans with f1; [apply Rmin_l|].
        assert (0 <= gamma * (r - rho)) by (apply Rmult_le_pos; lra). lra. }
      assert (I : 1 <= / (1 - V0)) by (rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra).
      assert (C2 : 2 * s <= C * s) by (apply Rmult_le_compat_r; [lra|]; unfold Rdiv in HC; lra).
      assert (VV : v / (1 - v) <= / (1 - V0) * s).
      { unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. }
      assert (C1 : / (1 - V0) * s <= C * s) by (apply Rmult_le_compat_r; [lra|]; unfold Rdiv in HC; lra).
      apply Rabs_le. lra.
Qed.

(* ---- Near ---- *)
Notation m1 := (gamma * (r - rho) - (1 - theta)).
Notation m2 := (theta - gamma * (1 - r)).
Notation km := (Rmin m1 m2).

Theorem near_masses C : 0 <= m1 -> 0 <= m2 ->
  (1 / (1 - decay N theta) <= C -> Rabs (A - 0) <= C * power n km /\ Rabs (far_mass - 0) <= C * power n km) /\
  (2 / (1 - decay N theta) <= C -> Rabs (near_mass - 1) <= C * power n km /\ Rabs (ln Z - (theta + gamma * r) * ln (INR n)) <= C * power n km).
Proof.
  intros G1 G2. destruct (near_parts N theta gamma r r rho rho d n K i _ x HN2 HN Ht Hg HK HR) as [P1 P2].
  rewrite near_mass_row, far_mass_row in P1. rewrite near_mass_row in P2. destruct three_masses as [S [A0 [M0 F0]]].
  destruct (scale_min m1 m2) as [K1 K2]. pose proof (power_pos n km) as Kp. pose proof (decay_lt_1 N theta HN2 ltac:(lra)) as V.
  pose proof (power_le_decay N n theta ltac:(lra) HN ltac:(lra)) as B. pose proof (power_pos n theta) as v0.
  pose proof (power_pos n m1) as pf1. pose proof (power_pos n m2) as pf2. destruct three_K as [[KK Kn] [_ E2]].
  assert (LK : ln (INR K) = theta * ln (INR n)) by (rewrite HK; unfold Rpower; apply ln_exp).
  set (v := power n theta) in *. set (V0 := decay N theta) in *. set (s := power n km) in *.
  pose proof (falls_by (power n m1) (power n (1 - theta)) s ltac:(lra) ltac:(apply (shares_range N theta n); auto)) as W1.
  assert (W2 : power n m1 * (1 - power n (1 - theta)) <= power n m1) by (pose proof (power_pos n (1 - theta)); apply Rle_trans with (power n m1 * 1); [apply Rmult_le_compat_l; lra|lra]).
  assert (P1' : far_mass * (1 - v) <= near_mass * power n m1) by (apply Rle_trans with (1 := P1); apply Rmult_le_compat_l; lra).
  assert (Q1 : far_mass * (1 - v) <= 1 * s) by (apply Rle_trans with (1 := P1); apply Rmult_le_compat; lra).
  assert (Q2 : A * (1 - v) <= 1 * s) by (apply Rle_trans with (1 := P2); apply Rmult_le_compat; lra).
  split; intros HC.
  - rewrite !Rminus_0_r, !Rabs_pos_eq; auto. split; [apply (by_share A v V0 s 1)|apply (by_share far_mass v V0 s 1)]; lra.
  - split.
    + replace (near_mass - 1) with (- (A + far_mass)) by lra. rewrite Rabs_Ropp, Rabs_pos_eq; [|lra].
      apply (by_share (A + far_mass) v V0 s 2); lra.
    + assert (Fp : 0 < near_mass).
      { rewrite near_of_Z. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [lra|apply exp_pos]|apply Z_pos]. }
      assert (L : ln Z = ln (INR K - 1) + beta * r - ln near_mass) by (apply log_Z; [lra|apply near_of_Z]).
      assert (L2 : ln (INR K - 1) = theta * ln (INR n) + ln (1 - v)).
      { rewrite <- LK, <- ln_mult; [|lra|lra]. f_equal. rewrite <- E2. field. lra. }
      assert (H : (1 - near_mass) * (1 - v) <= near_mass * (power n m1 + power n m2)).
      { replace (1 - near_mass) with (A + far_mass) by lra. lra. }
      destruct (log_of_mass v near_mass (power n m1 + power n m2) ltac:(lra) ltac:(lra) ltac:(lra) H) as [D1 D2].
      replace (ln Z - (theta + gamma * r) * ln (INR n)) with (ln (1 - v) - ln near_mass) by (rewrite L, L2; ring).
      assert (vk : v <= s).
      { unfold v, s. apply power_falls; auto. apply Rle_trans with m2; [apply Rmin_r|].
        assert (0 <= gamma * (1 - r)) by (apply Rmult_le_pos; lra). lra. }
      assert (I : 1 <= / (1 - V0)) by (rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra).
      assert (C2 : 2 * s <= C * s) by (apply Rmult_le_compat_r; [lra|]; unfold Rdiv in HC; lra).
      assert (VV : v / (1 - v) <= / (1 - V0) * s).
      { unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. }
      assert (C1 : / (1 - V0) * s <= C * s) by (apply Rmult_le_compat_r; [lra|]; unfold Rdiv in HC; lra).
      apply Rabs_le. lra.
Qed.

(* ---- Self ---- *)
Notation s1 := (gamma * (1 - r) - theta).
Notation s2 := (gamma * (1 - rho) - 1).
Notation ks := (Rmin s1 s2).

Theorem self_masses C : 0 <= s1 -> 0 <= s2 ->
  (1 <= C -> Rabs (near_mass - 0) <= C * power n ks /\ Rabs (far_mass - 0) <= C * power n ks) /\
  (2 <= C -> Rabs (A - 1) <= C * power n ks /\ Rabs (ln Z - gamma * ln (INR n)) <= C * power n ks).
Proof.
  intros G1 G2. destruct (self_parts N theta gamma r r rho rho d n K i _ x HN2 HN Ht Hg HK HR) as [P1 P2].
  rewrite near_mass_row in P1. rewrite far_mass_row in P2. destruct three_masses as [S [A0 [M0 F0]]].
  destruct (scale_min s1 s2) as [K1 K2]. pose proof (power_pos n ks) as Kp. pose proof (power_pos n s1) as pf1. pose proof (power_pos n s2) as pf2.
  set (s := power n ks) in *.
  pose proof (falls_by (power n s1) (power n theta) s ltac:(lra) ltac:(apply (shares_range N theta n); auto)) as W1.
  pose proof (falls_by (power n s2) (power n (1 - theta)) s ltac:(lra) ltac:(apply (shares_range N theta n); auto)) as W2.
  assert (W3 : power n s1 * (1 - power n theta) <= power n s1) by (pose proof (power_pos n theta); apply Rle_trans with (power n s1 * 1); [apply Rmult_le_compat_l; lra|lra]).
  assert (W4 : power n s2 * (1 - power n (1 - theta)) <= power n s2) by (pose proof (power_pos n (1 - theta)); apply Rle_trans with (power n s2 * 1); [apply Rmult_le_compat_l; lra|lra]).
  assert (P1' : near_mass <= A * power n s1) by (apply Rle_trans with (1 := P1); apply Rmult_le_compat_l; lra).
  assert (P2' : far_mass <= A * power n s2) by (apply Rle_trans with (1 := P2); apply Rmult_le_compat_l; lra).
  assert (Q1 : near_mass <= 1 * s) by (apply Rle_trans with (1 := P1); apply Rmult_le_compat; lra).
  assert (Q2 : far_mass <= 1 * s) by (apply Rle_trans with (1 := P2); apply Rmult_le_compat; lra).
  split; intros HC; assert (Cs : 1 * s <= C * s) by (apply Rmult_le_compat_r; lra).
  - rewrite !Rminus_0_r, !Rabs_pos_eq; auto. lra.
  - assert (C2 : 2 * s <= C * s) by (apply Rmult_le_compat_r; lra). split.
    + replace (A - 1) with (- (near_mass + far_mass)) by lra. rewrite Rabs_Ropp, Rabs_pos_eq; lra.
    + assert (Ap : 0 < A) by (apply weight_pos; auto).
      assert (L : ln Z = ln 1 + beta - ln A) by (apply log_Z; [lra|rewrite self_of_Z; unfold Rdiv; ring]).
      assert (H : (1 - A) * (1 - 0) <= A * (power n s1 + power n s2)) by (replace (1 - A) with (near_mass + far_mass) by lra; lra).
      destruct (log_of_mass 0 A (power n s1 + power n s2) ltac:(lra) ltac:(lra) ltac:(lra) H) as [D1 D2].
      replace (ln Z - gamma * ln (INR n)) with (ln (1 - 0) - ln A) by (rewrite L, Rminus_0_r; ring).
      replace (- (0 / (1 - 0))) with 0 in D1 by field. apply Rabs_le. lra.
Qed.
End BandCertificates.
