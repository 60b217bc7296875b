(* What the generated files of class certificates on rows with interval bands use: of the row only counts and bounds are
   known, K = n^theta near tokens with the token itself. With m at most both gaps of a phase and L = ln n, the dominating
   mass is at least 1/(1 + keys n^-m) and short of 1 by at most keys n^-m; keys depends on n and theta alone.
   Uses Rows.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Powers Bounds NearSimplexLimits Rows ClassCertificates.
Open Scope R_scope.

(* The weight of the two other bands beside the dominating one, over n^-m; L = ln n. *)
Definition far_keys (L theta : R) : R := (2 - exp (- (theta * L))) / (1 - exp (- ((1 - theta) * L))).
Definition near_keys (L theta : R) : R := (2 - exp (- ((1 - theta) * L))) / (1 - exp (- (theta * L))).
Definition self_keys (L theta : R) : R := 2 - exp (- (theta * L)) - exp (- ((1 - theta) * L)).
Definition share_bound (L m keys : R) : R := 1 / (1 + keys * exp (- (m * L))).

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

Lemma far_parts : near_mass * (1 - power n (1 - theta)) <= far_mass * (power n far_gap_1 * (1 - power n theta)) /\
  A * (1 - power n (1 - theta)) <= far_mass * power n far_gap_2.
Proof.
  pose proof (near_over_far d n K i beta l_near u_near l_far u_far near x Hb HR) as P1.
  pose proof (self_over_far d n K i beta l_near u_near l_far u_far near x Hb HR) as P2.
  replace (- beta * (l_far - u_near)) with (gamma * ln (INR n) * (u_near - l_far)) in P1 by ring.
  replace (- beta * (l_far - 1)) with (gamma * ln (INR n) * (1 - l_far)) in P2 by ring. rewrite power_of_exp in P1, P2.
  destruct K_power as [_ [E2 E3]]. destruct K_between as [[K1 Kn] _]. destruct rows_nonneg as [A0 [[M0 _] [F0 _]]].
  assert (N0 : 0 < INR n) by lra.
  assert (Q1 : INR K / INR n * power n (- (gamma * (u_near - l_far))) = power n far_gap_1) by (rewrite E2, <- power_plus; f_equal; ring).
  assert (Q2 : / INR n * power n (- (gamma * (1 - l_far))) = power n far_gap_2) by (rewrite <- (power_1 n Hn), <- power_plus; f_equal; ring).
  pose proof (power_pos n (- (gamma * (u_near - l_far)))) as Z1. pose proof (power_pos n (- (gamma * (1 - l_far)))) as Z2.
  set (e1 := power n (- (gamma * (u_near - l_far)))) in *. set (e2 := power n (- (gamma * (1 - l_far)))) in *.
  rewrite <- E2, <- E3. split; apply (Rmult_le_reg_r (INR n)); auto.
  - rewrite <- Q1. replace (near_mass * (1 - INR K / INR n) * INR n) with (near_mass * (INR n - INR K)) by (field; lra).
    replace (far_mass * (INR K / INR n * e1 * (1 - / INR K)) * INR n) with (far_mass * (INR K - 1) * e1) by (field; lra). exact P1.
  - rewrite <- Q2. replace (A * (1 - INR K / INR n) * INR n) with (A * (INR n - INR K)) by (field; lra).
    replace (far_mass * (/ INR n * e2) * INR n) with (far_mass * e2) by (field; lra). exact P2.
Qed.

Lemma near_parts : far_mass * (1 - power n theta) <= near_mass * (power n near_gap_1 * (1 - power n (1 - theta))) /\
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
  rewrite <- E3, <- E2. split; apply (Rmult_le_reg_r (INR K)); try lra.
  - rewrite <- Q1. replace (far_mass * (1 - / INR K) * INR K) with (far_mass * (INR K - 1)) by (field; lra).
    replace (near_mass * (INR n / INR K * e1 * (1 - INR K / INR n)) * INR K) with (near_mass * (INR n - INR K) * e1) by (field; lra). exact P1.
  - rewrite <- Q2. replace (A * (1 - / INR K) * INR K) with (A * (INR K - 1)) by (field; lra).
    replace (near_mass * (/ INR K * e2) * INR K) with (near_mass * e2) by (field; lra). exact P2.
Qed.

Lemma self_parts : near_mass <= A * (power n self_gap_1 * (1 - power n theta)) /\ far_mass <= A * (power n self_gap_2 * (1 - power n (1 - theta))).
Proof.
  pose proof (near_over_self d n K i beta l_near u_near l_far u_far near x Hb HR) as P1.
  pose proof (far_over_self d n K i beta l_near u_near l_far u_far near x Hb HR) as P2.
  replace (- beta * (1 - u_near)) with (- (gamma * ln (INR n)) * (1 - u_near)) in P1 by ring.
  replace (- beta * (1 - u_far)) with (- (gamma * ln (INR n)) * (1 - u_far)) in P2 by ring. rewrite power_of_exp_opp in P1, P2.
  destruct K_power as [E1 [E2 E3]]. destruct K_between as [[K1 Kn] _].
  assert (Q1 : INR K * power n (gamma * (1 - u_near)) = power n self_gap_1) by (rewrite E1, <- power_plus; f_equal; ring).
  assert (Q2 : INR n * power n (gamma * (1 - u_far)) = power n self_gap_2).
  { rewrite <- (Rinv_inv (INR n)), <- (power_1 n Hn), <- power_opp, <- power_plus. f_equal. ring. }
  rewrite <- Q1, <- Q2, <- E2, <- E3. split.
  - apply Rle_trans with (1 := P1). right. field. lra.
  - apply Rle_trans with (1 := P2). right. field. lra.
Qed.

Lemma row_masses_sum : A + near_mass + far_mass = 1.
Proof. exact (masses_sum_to_1 d n K i beta l_near u_near l_far u_far near x HR). Qed.

(* ---- The dominating mass, m at most both gaps ---- *)
Notation L := (ln (INR n)).

Lemma keys_powers : exp (- (theta * L)) = power n theta /\ exp (- ((1 - theta) * L)) = power n (1 - theta) /\ (forall m, exp (- (m * L)) = power n m).
Proof. unfold power. repeat split; intros; f_equal; ring. Qed.

Lemma shares_range : 0 < power n theta < 1 /\ 0 < power n (1 - theta) < 1.
Proof. repeat split; try apply power_pos; apply power_lt_1; auto; lra. Qed.

(* From a (1-v) <= M p and b (1-v) <= M q with p <= c1 s, q <= c2 s, a + b + M = 1. *)
Lemma dominating a b M p q v c s : a + b + M = 1 -> 0 <= M <= 1 -> 0 <= v < 1 -> 0 <= s -> 0 <= c -> p + q <= c * s ->
  a * (1 - v) <= M * p -> b * (1 - v) <= M * q -> 1 / (1 + c / (1 - v) * s) <= M /\ - (c / (1 - v) * s) <= M - 1.
Proof.
  intros E HM Hv Hs Hc Hpq H1 H2. assert (B : (1 - M) * (1 - v) <= M * (c * s)).
  { replace (1 - M) with (a + b) by lra. apply Rle_trans with (M * (p + q)); [lra|apply Rmult_le_compat_l; lra]. }
  assert (I : 0 < / (1 - v)) by (apply Rinv_0_lt_compat; lra). assert (C0 : 0 <= c / (1 - v) * s) by (apply Rmult_le_pos; auto; apply Rmult_le_pos; lra).
  assert (B2 : 1 - M <= M * (c / (1 - v) * s)).
  { apply (Rmult_le_reg_r (1 - v)); [lra|]. replace (M * (c / (1 - v) * s) * (1 - v)) with (M * (c * s)) by (field; lra). exact B. }
  set (z := c / (1 - v) * s) in *. split.
  - apply (Rmult_le_reg_r (1 + z)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - assert (M * z <= 1 * z) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem row_far_mass m : m <= far_gap_1 -> m <= far_gap_2 ->
  share_bound L m (far_keys L theta) <= far_mass /\ - (far_keys L theta * power n m) <= far_mass - 1.
Proof.
  intros H1 H2. destruct far_parts as [P1 P2]. pose proof row_masses_sum as S. destruct rows_nonneg as [A0 [[M0 M1] [F0 F1]]].
  destruct shares_range as [R1 R2]. destruct keys_powers as [E1 [E2 E3]]. pose proof (power_falls n Hn m _ H1) as D1. pose proof (power_falls n Hn m _ H2) as D2.
  pose proof (power_pos n m) as D0. pose proof (power_pos n far_gap_1). unfold share_bound, far_keys. rewrite E1, E2, E3.
  apply (dominating near_mass A far_mass (power n far_gap_1 * (1 - power n theta)) (power n far_gap_2)); try lra.
  assert (power n far_gap_1 * (1 - power n theta) <= power n m * (1 - power n theta)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem row_near_mass m : m <= near_gap_1 -> m <= near_gap_2 ->
  share_bound L m (near_keys L theta) <= near_mass /\ - (near_keys L theta * power n m) <= near_mass - 1.
Proof.
  intros H1 H2. destruct near_parts as [P1 P2]. pose proof row_masses_sum as S. destruct rows_nonneg as [A0 [[M0 M1] [F0 F1]]].
  destruct shares_range as [R1 R2]. destruct keys_powers as [E1 [E2 E3]]. pose proof (power_falls n Hn m _ H1) as D1. pose proof (power_falls n Hn m _ H2) as D2.
  pose proof (power_pos n m) as D0. unfold share_bound, near_keys. rewrite E1, E2, E3.
  apply (dominating far_mass A near_mass (power n near_gap_1 * (1 - power n (1 - theta))) (power n near_gap_2)); try lra.
  assert (power n near_gap_1 * (1 - power n (1 - theta)) <= power n m * (1 - power n (1 - theta))) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem row_self_weight m : m <= self_gap_1 -> m <= self_gap_2 ->
  share_bound L m (self_keys L theta) <= A /\ - (self_keys L theta * power n m) <= A - 1.
Proof.
  intros H1 H2. destruct self_parts as [P1 P2]. pose proof row_masses_sum as S. destruct rows_nonneg as [A0 [[M0 M1] [F0 F1]]].
  destruct shares_range as [R1 R2]. destruct keys_powers as [E1 [E2 E3]]. pose proof (power_falls n Hn m _ H1) as D1. pose proof (power_falls n Hn m _ H2) as D2.
  pose proof (power_pos n m) as D0. unfold share_bound, self_keys. rewrite E1, E2, E3.
  replace (2 - power n theta - power n (1 - theta)) with ((2 - power n theta - power n (1 - theta)) / (1 - 0)) by (field; lra).
  apply (dominating near_mass far_mass A (power n self_gap_1 * (1 - power n theta)) (power n self_gap_2 * (1 - power n (1 - theta)))); try lra.
  assert (power n self_gap_1 * (1 - power n theta) <= power n m * (1 - power n theta)) by (apply Rmult_le_compat_r; lra).
  assert (power n self_gap_2 * (1 - power n (1 - theta)) <= power n m * (1 - power n (1 - theta))) by (apply Rmult_le_compat_r; lra). lra.
Qed.
End RowCertificates.
