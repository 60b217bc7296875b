(* Theorem C.2 for the symmetric three bands {1, r, rho}: clusters of K tokens, n^theta/C <= K <= C n^theta,
   beta = gamma ln n, any residual. Masses, inner products and Jacobian norm in the three phases, with explicit rates,
   and as limits where one N serves all d, K and tokens. Uses Rows.v and BandsJacobian.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
From Critscale Require Import Sums Layer Weights Jacobian Frobenius Powers Limits Bounds NearSimplexLimits Rows Bands BandsOutput BandsJacobian.
Open Scope R_scope.

(* ---- Three bands are nested clusters with two levels, and each of their rows is a row with bands ---- *)

Definition three_sizes (n K l : nat) : nat := match l with O => 1%nat | S O => K | _ => n end.
Definition three_levels (r rho : R) (l : nat) : R := match l with S O => r | _ => rho end.

Lemma three_bands_nested d n K q r rho x : (0 < n)%nat -> three_bands d n K q r rho x ->
  bands d n 2 q (three_sizes n K) (three_levels r rho) x.
Proof.
  intros Hn [HK [[m Hm] [H1 H2]]]. repeat split; auto.
  - intros l Hl. destruct l as [|[|l]]; [exists K; simpl; lia|exists m; exact Hm|lia].
  - intros i j l Hi Hj Hl [J1 J2]. assert (Hij : i <> j).
    { intros ->. specialize (J2 O ltac:(lia)). unfold together in J2. rewrite Nat.eqb_refl in J2. discriminate. }
    rewrite H2; auto. destruct l as [|[|[|l]]]; try lia.
    + unfold together in J1. simpl in J1. rewrite J1. reflexivity.
    + specialize (J2 1%nat ltac:(lia)). unfold together in J2. simpl in J2. rewrite J2. reflexivity.
Qed.

Notation near_band n K := (band (three_sizes n K) 1).
Notation far_band n K := (band (three_sizes n K) 2).

Lemma three_bands_row d n K q r rho x i : (0 < n)%nat -> 0 < q -> (i < n)%nat -> three_bands d n K q r rho x ->
  row_bands d n K i (near_band n K i) r r rho rho x.
Proof.
  intros Hn Hq Hi HT. pose proof (three_bands_nested d n K q r rho x Hn HT) as HB.
  pose proof (bands_nested d n 2 q _ _ x HB) as HN. destruct HT as [HK [_ [H1 H2]]].
  assert (E : forall j, near_band n K i j = (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool).
  { intros j. unfold band. rewrite (together_0 2 n _ HN). reflexivity. }
  split; [auto|]. split; [rewrite E, !Nat.eqb_refl; reflexivity|]. split; [rewrite H1; auto|].
  split; [apply (band_has 2 n _ HN 1 i ltac:(lia) Hi)|].
  split; intros j Hj Hji B; rewrite E in B; rewrite H2; auto.
  - apply andb_true_iff in B. destruct B as [-> _]. lra.
  - destruct (Nat.eqb_spec i j) as [->|_]; [contradiction|]. rewrite andb_true_r in B. rewrite B. lra.
Qed.

(* The far set of the row is the band of level 2. *)
Lemma far_set_band d n K q r rho x i : (0 < n)%nat -> (i < n)%nat -> three_bands d n K q r rho x ->
  forall j, (j < n)%nat -> far_set i (near_band n K i) j = far_band n K i j.
Proof.
  intros Hn Hi HT j Hj. pose proof (bands_nested d n 2 q _ _ x (three_bands_nested d n K q r rho x Hn HT)) as HN.
  unfold far_set, band. rewrite (together_top 2 n _ HN i j Hi Hj), (together_0 2 n _ HN), (Nat.eqb_sym j i).
  unfold together. destruct (Nat.eqb_spec i j) as [->|_]; simpl; [rewrite Nat.eqb_refl; reflexivity|].
  destruct (Nat.eqb (i / K) (j / K)); reflexivity.
Qed.

(* Sequences that vanish, for the Jacobian norm with d >= n. *)
Lemma lim_beta gamma : is_lim_seq (fun n => gamma * ln (INR n) / INR n) 0.
Proof.
  apply (is_lim_seq_ext_loc (fun n => gamma * (ln (INR n) ^ 1 * power n 1))).
  - apply from_2. intros n Hn. rewrite power_1; auto. simpl. unfold Rdiv. ring.
  - replace (Finite 0) with (Finite (gamma * 0)) by (f_equal; ring). apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_log_power; lra].
Qed.

Lemma lim_beta2 gamma : is_lim_seq (fun n => (gamma * ln (INR n)) ^ 2 / INR n) 0.
Proof.
  apply (is_lim_seq_ext_loc (fun n => gamma ^ 2 * (ln (INR n) ^ 2 * power n 1))).
  - apply from_2. intros n Hn. rewrite power_1; auto. unfold Rdiv. ring.
  - replace (Finite 0) with (Finite (gamma ^ 2 * 0)) by (f_equal; ring). apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_log_power; lra].
Qed.

Section ThreeBands.
Variables (theta C gamma q r rho alpha : R).
Hypotheses (HC : 1 <= C) (Hg : 0 <= gamma) (Hq : 0 < q) (Hrho : 0 < rho <= r) (Hr : r <= 1) (Ha : 0 <= alpha).
Notation beta n := (gamma * ln (INR n)).
Notation s := (alpha * sqrt q).
Notation member d n K x := (three_bands d n K q r rho x).
Notation order n K := (of_order theta C n K).
Notation eps n K l := (shortfall 2 (beta n) (three_sizes n K) (three_levels r rho) l).
Notation share n K l := (nested_share (three_sizes n K) l).

Lemma order_n n K : order n K -> (2 <= n)%nat.
Proof. intros [H1 [H2 _]]. lia. Qed.

Lemma order_beta n K : order n K -> 0 <= beta n.
Proof. intros H. pose proof (log_pos n (order_n n K H)). apply Rmult_le_pos; lra. Qed.

Lemma levels_fall : forall l, (l < 2)%nat -> level (three_levels r rho) (S l) <= level (three_levels r rho) l.
Proof. intros l Hl. destruct l as [|[|l]]; simpl; lra || lia. Qed.

Lemma last_level : level (three_levels r rho) 2 = rho.
Proof. reflexivity. Qed.

Lemma counts n K l : order n K -> (l <= 2)%nat -> 0 < band_count (three_sizes n K) l.
Proof.
  intros [H1 [H2 _]] Hl. apply le_INR in H1. apply le_INR in H2. rewrite mult_INR in H2. simpl (INR 2) in *. destruct l as [|[|[|l]]]; simpl; lra || lia.
Qed.

(* What each band is short of in its phase. *)
Definition far_rate n := 2 * C * power n ((1 - theta) - gamma * (r - rho)) + 2 * power n (1 - gamma * (1 - rho)).
Definition near_rate n := 2 * C * power n (gamma * (r - rho) - (1 - theta)) + 2 * C * power n (theta - gamma * (1 - r)).
Definition self_rate n := C * power n (gamma * (1 - r) - theta) + power n (gamma * (1 - rho) - 1).

Theorem three_bands_far_mass d n K x : order n K -> member d n K x -> eps n K 2%nat <= far_rate n.
Proof.
  intros HO HT. pose proof (order_n n K HO) as Hn. pose proof (order_beta n K HO) as Hb. assert (H0 : (0 < n)%nat) by lia.
  pose proof (row_far_rate theta C gamma r r rho rho HC Hg d n K O _ x HO (three_bands_row d n K q r rho x O H0 Hq H0 HT)) as P.
  unfold shortfall, band_mass. rewrite <- (bands_mass d n 2 q (beta n) _ _ x Hq (three_bands_nested d n K q r rho x H0 HT) 2 O ltac:(lia) H0).
  replace (mass d n (beta n) x O (far_band n K O)) with (mass d n (beta n) x O (far_set O (near_band n K O))); [exact P|].
  apply sum_ext; intros j Hj. rewrite (far_set_band d n K q r rho x O H0 H0 HT j Hj). reflexivity.
Qed.

Theorem three_bands_near_mass d n K x : order n K -> member d n K x -> eps n K 1%nat <= near_rate n.
Proof.
  intros HO HT. assert (H0 : (0 < n)%nat) by (pose proof (order_n n K HO); lia).
  unfold shortfall, band_mass. rewrite <- (bands_mass d n 2 q (beta n) _ _ x Hq (three_bands_nested d n K q r rho x H0 HT) 1 O ltac:(lia) H0).
  exact (row_near_rate theta C gamma r r rho rho HC Hg d n K O _ x HO (three_bands_row d n K q r rho x O H0 Hq H0 HT)).
Qed.

Theorem three_bands_self_mass d n K x : order n K -> member d n K x -> eps n K O <= self_rate n.
Proof.
  intros HO HT. assert (H0 : (0 < n)%nat) by (pose proof (order_n n K HO); lia).
  unfold shortfall, band_mass. rewrite <- (bands_mass d n 2 q (beta n) _ _ x Hq (three_bands_nested d n K q r rho x H0 HT) 0 O ltac:(lia) H0).
  replace (mass d n (beta n) x O (band (three_sizes n K) 0 O)) with (weight d n (beta n) x O O); [|symmetry; apply mass_singleton; auto].
  exact (row_self_rate theta C gamma r r rho rho HC Hg d n K O _ x HO (three_bands_row d n K q r rho x O H0 Hq H0 HT)).
Qed.

(* Shares of what is below the dominating band. *)
Lemma far_share n K : order n K -> share n K 2%nat <= 2 * C * power n (1 - theta) /\ / band_count (three_sizes n K) 2 <= 2 / INR n.
Proof.
  intros HO. destruct (of_order_parts theta C HC n K HO) as [Hn [[K0 K1] _]]. destruct HO as [H1 [H2 _]].
  apply le_INR in H2. rewrite mult_INR in H2. simpl (INR 2) in H2. pose proof (size_ge_2 n Hn) as N2. simpl.
  assert (I : / (INR n - INR K) <= 2 / INR n).
  { replace (2 / INR n) with (/ (INR n / 2)) by (field; lra). apply Rinv_le_contravar; lra. }
  split; auto. replace (1 - theta) with (1 + - theta) by ring. rewrite power_plus, power_1; auto.
  replace (2 * C * (/ INR n * power n (- theta))) with (C * power n (- theta) * (2 / INR n)) by (unfold Rdiv; ring).
  unfold Rdiv at 1. apply Rmult_le_compat; try lra. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma near_share n K : order n K -> share n K 1%nat <= 2 * C * power n theta /\ / band_count (three_sizes n K) 1 <= 2 * C * power n theta.
Proof.
  intros HO. destruct (of_order_parts theta C HC n K HO) as [Hn [[K0 _] K2]]. destruct HO as [H1 _].
  apply le_INR in H1. simpl (INR 2) in H1. simpl.
  assert (I : / (INR K - 1) <= 2 / INR K).
  { replace (2 / INR K) with (/ (INR K / 2)) by (field; lra). apply Rinv_le_contravar; lra. }
  unfold Rdiv in *. rewrite Rmult_1_l. split; lra.
Qed.

(* ---- Inner products, for tokens of one cluster (t = 1) and of two (t = 2) ---- *)
Notation lim_inner l t := (limit_inner q alpha (three_levels r rho) l t / limit_inner q alpha (three_levels r rho) l O).

Lemma three_output d n K x l t i j : order n K -> member d n K x -> (l <= 2)%nat -> (t <= 2)%nat -> (i < n)%nat -> (j < n)%nat ->
  joins (three_sizes n K) t i j ->
  Rabs (output_inner d n (beta n) alpha x i j - lim_inner l t) <= 2 * (2 * eps n K l + share n K l) / rho.
Proof.
  intros HO HT Hl Ht Hi Hj J. assert (H0 : (0 < n)%nat) by lia.
  pose proof (bands_output_inner d n 2 q (beta n) alpha (three_sizes n K) (three_levels r rho) x Hq Ha
    (three_bands_nested d n K q r rho x H0 HT) levels_fall) as P. rewrite last_level in P.
  apply P; auto; try lra. apply counts; auto.
Qed.

Lemma rate_le e a d0 b : 0 <= a -> e <= a -> d0 <= b -> 2 * (2 * e + d0) / rho <= 2 * (2 * a + b) / rho.
Proof. intros. unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra]. Qed.

Lemma rates_pos n : 0 <= far_rate n /\ 0 <= near_rate n /\ 0 <= self_rate n.
Proof.
  assert (P : forall c k, 0 <= c -> 0 <= c * power n k) by (intros c k Hc; apply Rmult_le_pos; auto; left; apply power_pos).
  unfold far_rate, near_rate, self_rate. repeat split; apply Rplus_le_le_0_compat; try (apply P; lra). left; apply power_pos.
Qed.

Theorem three_bands_far_inner d n K x t i j : order n K -> member d n K x -> (t <= 2)%nat -> (i < n)%nat -> (j < n)%nat ->
  joins (three_sizes n K) t i j ->
  Rabs (output_inner d n (beta n) alpha x i j - lim_inner 2%nat t) <= 2 * (2 * far_rate n + 2 * C * power n (1 - theta)) / rho.
Proof.
  intros HO HT Ht Hi Hj J. apply Rle_trans with (1 := three_output d n K x 2 t i j HO HT (le_n 2) Ht Hi Hj J).
  apply rate_le; [apply rates_pos|apply (three_bands_far_mass d n K x); auto|apply far_share; auto].
Qed.

Theorem three_bands_near_inner d n K x t i j : order n K -> member d n K x -> (t <= 2)%nat -> (i < n)%nat -> (j < n)%nat ->
  joins (three_sizes n K) t i j ->
  Rabs (output_inner d n (beta n) alpha x i j - lim_inner 1%nat t) <= 2 * (2 * near_rate n + 2 * C * power n theta) / rho.
Proof.
  intros HO HT Ht Hi Hj J. apply Rle_trans with (1 := three_output d n K x 1 t i j HO HT ltac:(lia) Ht Hi Hj J).
  apply rate_le; [apply rates_pos|apply (three_bands_near_mass d n K x); auto|apply near_share; auto].
Qed.

Theorem three_bands_self_inner d n K x i j : order n K -> member d n K x -> (i < n)%nat -> (j < n)%nat ->
  Rabs (output_inner d n (beta n) alpha x i j - gram d x i j) <= 4 * self_rate n / rho.
Proof.
  intros HO HT Hi Hj. assert (H0 : (0 < n)%nat) by lia.
  destruct (gram_is_level d n 2 q _ _ x Hq (three_bands_nested d n K q r rho x H0 HT) i j Hi Hj) as [t [Ht [J E]]].
  pose proof (three_output d n K x 0 t i j HO HT ltac:(lia) Ht Hi Hj J) as P.
  assert (S : 0 <= s) by (apply Rmult_le_pos; auto; apply sqrt_pos).
  replace (lim_inner O t) with (gram d x i j) in P.
  - apply Rle_trans with (1 := P). replace (4 * self_rate n / rho) with (2 * (2 * self_rate n + 0) / rho) by (field; lra).
    apply rate_le; [apply rates_pos|apply (three_bands_self_mass d n K x); auto|simpl; lra].
  - rewrite E. unfold limit_inner. rewrite Nat.max_0_r. simpl Nat.max. simpl (level _ 0). field.
    assert (0 <= s ^ 2) by apply pow2_ge_0. lra.
Qed.

(* The limits, without residual: 1 and 1 in the far phase; 1 and rho/r in the near phase; kept in the self phase. *)
Theorem three_bands_limits : alpha = 0 ->
  lim_inner 2%nat 1%nat = 1 /\ lim_inner 2%nat 2%nat = 1 /\ lim_inner 1%nat 1%nat = 1 /\ lim_inner 1%nat 2%nat = rho / r.
Proof. intros ->. unfold limit_inner. simpl. repeat split; field; lra. Qed.

(* ---- Jacobian norm ---- *)

Lemma three_jacobian d n K x l e w : order n K -> (n <= d)%nat -> member d n K x -> (1 <= l <= 2)%nat ->
  eps n K l <= e -> / band_count (three_sizes n K) l <= w ->
  alpha ^ 2 <= jacobian_norm d n (beta n) alpha x <=
  alpha ^ 2 + (1 / q * ((2 * e + w) * (1 + 3 * (beta n / INR n) + 3 * (beta n ^ 2 / INR n)) + beta n ^ 2 / INR n)
               + 2 * alpha / sqrt q * (e + beta n / INR n)).
Proof.
  intros HO Hd HT Hl He Hw. pose proof (order_n n K HO) as Hn. pose proof (order_beta n K HO) as Hb.
  pose proof (three_bands_nested d n K q r rho x ltac:(lia) HT) as HB.
  assert (R0 : 0 <= level (three_levels r rho) 2) by (simpl; lra).
  pose proof (bands_jacobian_contracting d n 2 q (beta n) alpha _ _ x ltac:(lia) Hq Hb Ha HB levels_fall R0 l Hl (counts n K l HO (proj2 Hl))) as [P1 P2].
  split; auto. apply Rle_trans with (1 := P2). rewrite Rplus_assoc. apply Rplus_le_compat_l.
  pose proof (shortfall_range d n 2 q (beta n) _ _ x Hq HB l (proj2 Hl)) as E. pose proof (counts n K l HO (proj2 Hl)) as Cn.
  assert (W : 0 < / band_count (three_sizes n K) l) by (apply Rinv_0_lt_compat; auto).
  set (e0 := shortfall 2 (beta n) (three_sizes n K) (three_levels r rho) l) in *. set (w0 := / band_count (three_sizes n K) l) in *.
  pose proof (size_ge_2 n Hn) as N2. apply le_INR in Hd. set (b := beta n) in *.
  assert (Id : 0 < / INR d <= / INR n) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (b2 : 0 <= b ^ 2) by apply pow2_ge_0.
  assert (B1 : b / INR d <= b / INR n) by (apply Rmult_le_compat_l; lra).
  assert (B2 : b ^ 2 / INR d <= b ^ 2 / INR n) by (apply Rmult_le_compat_l; lra).
  assert (B3 : 0 <= b / INR d) by (apply Rmult_le_pos; lra). assert (B4 : 0 <= b ^ 2 / INR d) by (apply Rmult_le_pos; lra).
  assert (Iq : 0 < / q) by (apply Rinv_0_lt_compat; auto). assert (Is : 0 <= 2 * alpha / sqrt q) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat, sqrt_lt_R0; auto]).
  replace ((3 * b + 3 * b ^ 2) / INR d) with (3 * (b / INR d) + 3 * (b ^ 2 / INR d)) by (field; lra).
  apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [unfold Rdiv; lra|]. apply Rplus_le_compat; auto. apply Rmult_le_compat; lra.
  - apply Rmult_le_compat_l; lra.
Qed.

Lemma jacobian_vanishes (e w : nat -> R) : is_lim_seq e 0 -> is_lim_seq w 0 ->
  is_lim_seq (fun n => 1 / q * ((2 * e n + w n) * (1 + 3 * (beta n / INR n) + 3 * (beta n ^ 2 / INR n)) + beta n ^ 2 / INR n)
               + 2 * alpha / sqrt q * (e n + beta n / INR n)) 0.
Proof.
  intros He Hw. pose proof (lim_beta gamma) as L1. pose proof (lim_beta2 gamma) as L2.
  replace (Finite 0) with (Finite (1 / q * ((2 * 0 + 0) * (1 + 3 * 0 + 3 * 0) + 0) + 2 * alpha / sqrt q * (0 + 0))) by (f_equal; ring).
  repeat first [assumption | apply is_lim_seq_const | apply is_lim_seq_plus' | apply is_lim_seq_mult'].
Qed.

Lemma lim_two_powers a b k l : 0 < k -> 0 < l -> is_lim_seq (fun n => a * power n k + b * power n l) 0.
Proof.
  intros Hk Hl. replace (Finite 0) with (Finite (a * 0 + b * 0)) by (f_equal; ring).
  apply is_lim_seq_plus'; (apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_power; auto]).
Qed.

(* ---- Theorem C.2 ---- *)

Theorem theorem_C_2_far delta : gamma * (r - rho) < 1 - theta -> gamma * (1 - rho) < 1 -> theta < 1 -> 0 < delta ->
  exists N, forall d n K x i j t, (N <= n)%nat -> order n K -> (n <= d)%nat -> member d n K x -> (i < n)%nat -> (j < n)%nat ->
  (t <= 2)%nat -> joins (three_sizes n K) t i j ->
  1 - delta <= mass d n (beta n) x i (far_band n K i) /\
  Rabs (output_inner d n (beta n) alpha x i j - lim_inner 2%nat t) <= delta /\
  Rabs (jacobian_norm d n (beta n) alpha x - alpha ^ 2) <= delta.
Proof.
  intros H1 H2 H3 Hdl.
  assert (L0 : is_lim_seq far_rate 0) by (unfold far_rate; apply lim_two_powers; lra).
  assert (L1 : is_lim_seq (fun n => 2 * (2 * far_rate n + 2 * C * power n (1 - theta)) / rho) 0).
  { replace (Finite 0) with (Finite (2 * (2 * 0 + 2 * C * 0) * / rho)) by (f_equal; ring).
    repeat first [assumption | apply is_lim_seq_const | apply lim_power; lra | apply is_lim_seq_plus' | apply is_lim_seq_mult']. }
  assert (Lw : is_lim_seq (fun n => 2 / INR n) 0).
  { replace (Finite 0) with (Finite (2 * 0)) by (f_equal; ring). apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_inverse]. }
  destruct (eventually_below _ delta L0 Hdl) as [N0 [_ HN0]]. destruct (eventually_below _ delta L1 Hdl) as [N1 [_ HN1]].
  destruct (eventually_below _ delta (jacobian_vanishes _ _ L0 Lw) Hdl) as [N2 [_ HN2]].
  exists (max N0 (max N1 N2)). intros d n K x i j t Hn HO Hd HT Hi Hj Ht J. assert (Hp : (0 < n)%nat) by lia.
  pose proof (three_bands_far_mass d n K x HO HT) as M. split; [|split].
  - specialize (HN0 n ltac:(lia)). rewrite (bands_mass d n 2 q (beta n) _ _ x Hq (three_bands_nested d n K q r rho x Hp HT) 2 i ltac:(lia) Hi).
    unfold shortfall, band_mass in M. lra.
  - apply Rle_trans with (1 := three_bands_far_inner d n K x t i j HO HT Ht Hi Hj J). apply HN1. lia.
  - destruct (three_jacobian d n K x 2 _ _ HO Hd HT ltac:(lia) M (proj2 (far_share n K HO))) as [P1 P2].
    specialize (HN2 n ltac:(lia)). cbv beta in HN2. apply Rabs_le. lra.
Qed.

Theorem theorem_C_2_near delta : 1 - theta < gamma * (r - rho) -> gamma * (1 - r) < theta -> 0 < theta -> 0 < delta ->
  exists N, forall d n K x i j t, (N <= n)%nat -> order n K -> (n <= d)%nat -> member d n K x -> (i < n)%nat -> (j < n)%nat ->
  (t <= 2)%nat -> joins (three_sizes n K) t i j ->
  1 - delta <= mass d n (beta n) x i (near_band n K i) /\
  Rabs (output_inner d n (beta n) alpha x i j - lim_inner 1%nat t) <= delta /\
  Rabs (jacobian_norm d n (beta n) alpha x - alpha ^ 2) <= delta.
Proof.
  intros H1 H2 H3 Hdl.
  assert (L0 : is_lim_seq near_rate 0) by (unfold near_rate; apply lim_two_powers; lra).
  assert (Lw : is_lim_seq (fun n => 2 * C * power n theta) 0).
  { replace (Finite 0) with (Finite (2 * C * 0)) by (f_equal; ring). apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_power; auto]. }
  assert (L1 : is_lim_seq (fun n => 2 * (2 * near_rate n + 2 * C * power n theta) / rho) 0).
  { replace (Finite 0) with (Finite (2 * (2 * 0 + 0) * / rho)) by (f_equal; ring).
    repeat first [assumption | apply is_lim_seq_const | apply is_lim_seq_plus' | apply is_lim_seq_mult']. }
  destruct (eventually_below _ delta L0 Hdl) as [N0 [_ HN0]]. destruct (eventually_below _ delta L1 Hdl) as [N1 [_ HN1]].
  destruct (eventually_below _ delta (jacobian_vanishes _ _ L0 Lw) Hdl) as [N2 [_ HN2]].
  exists (max N0 (max N1 N2)). intros d n K x i j t Hn HO Hd HT Hi Hj Ht J. assert (Hp : (0 < n)%nat) by lia.
  pose proof (three_bands_near_mass d n K x HO HT) as M. split; [|split].
  - specialize (HN0 n ltac:(lia)). rewrite (bands_mass d n 2 q (beta n) _ _ x Hq (three_bands_nested d n K q r rho x Hp HT) 1 i ltac:(lia) Hi).
    unfold shortfall, band_mass in M. lra.
  - apply Rle_trans with (1 := three_bands_near_inner d n K x t i j HO HT Ht Hi Hj J). apply HN1. lia.
  - destruct (three_jacobian d n K x 1 _ _ HO Hd HT ltac:(lia) M (proj2 (near_share n K HO))) as [P1 P2].
    specialize (HN2 n ltac:(lia)). cbv beta in HN2. apply Rabs_le. lra.
Qed.

(* (alpha + 1/sqrt q)^2 but for the 1/d of the direction that normalising removes. *)
Theorem theorem_C_2_self delta : theta < gamma * (1 - r) -> 1 < gamma * (1 - rho) -> 0 < delta ->
  exists N, forall d n K x i j, (N <= n)%nat -> order n K -> (n <= d)%nat -> member d n K x -> (i < n)%nat -> (j < n)%nat ->
  1 - delta <= weight d n (beta n) x i i /\
  Rabs (output_inner d n (beta n) alpha x i j - gram d x i j) <= delta /\
  Rabs (jacobian_norm d n (beta n) alpha x - (alpha ^ 2 + (1 / q + 2 * alpha / sqrt q) * (1 - 1 / INR d))) <= delta.
Proof.
  intros H1 H2 Hdl.
  assert (L0 : is_lim_seq self_rate 0).
  { apply (is_lim_seq_ext (fun n => C * power n (gamma * (1 - r) - theta) + 1 * power n (gamma * (1 - rho) - 1))).
    - intros n. unfold self_rate. ring.
    - apply lim_two_powers; lra. }
  assert (L1 : is_lim_seq (fun n => 4 * self_rate n / rho) 0).
  { replace (Finite 0) with (Finite (4 * 0 * / rho)) by (f_equal; ring).
    repeat first [assumption | apply is_lim_seq_const | apply is_lim_seq_mult']. }
  assert (L2 : is_lim_seq (fun n => self_rate n * (2 / q * (1 + 4 * (beta n / INR n) + 4 * (beta n ^ 2 / INR n)) + 2 * alpha / sqrt q * (1 + 2 * (beta n / INR n)))) 0).
  { pose proof (lim_beta gamma) as B1. pose proof (lim_beta2 gamma) as B2.
    replace (Finite 0) with (Finite (0 * (2 / q * (1 + 4 * 0 + 4 * 0) + 2 * alpha / sqrt q * (1 + 2 * 0)))) by (f_equal; ring).
    repeat first [assumption | apply is_lim_seq_const | apply is_lim_seq_plus' | apply is_lim_seq_mult']. }
  destruct (eventually_below _ delta L0 Hdl) as [N0 [_ HN0]]. destruct (eventually_below _ delta L1 Hdl) as [N1 [_ HN1]].
  destruct (eventually_below _ delta L2 Hdl) as [N2 [_ HN2]].
  exists (max N0 (max N1 N2)). intros d n K x i j Hn HO Hd HT Hi Hj. assert (Hp : (0 < n)%nat) by lia.
  pose proof (three_bands_self_mass d n K x HO HT) as M. pose proof (three_bands_nested d n K q r rho x Hp HT) as HB. split; [|split].
  - specialize (HN0 n ltac:(lia)).
    pose proof (bands_mass d n 2 q (beta n) _ _ x Hq HB 0 i ltac:(lia) Hi) as E.
    change (band (three_sizes n K) 0 i) with (fun j => Nat.eqb j i) in E. rewrite mass_singleton in E; auto. rewrite E.
    unfold shortfall, band_mass in M. lra.
  - apply Rle_trans with (1 := three_bands_self_inner d n K x i j HO HT Hi Hj). apply HN1. lia.
  - pose proof (order_beta n K HO) as Hb. assert (R0 : 0 <= level (three_levels r rho) 2) by (simpl; lra).
    apply Rle_trans with (1 := bands_jacobian_identity d n 2 q (beta n) alpha _ _ x ltac:(lia) Hq Hb Ha HB levels_fall R0).
    apply Rle_trans with (2 := HN2 n ltac:(lia)). cbv beta.
    pose proof (shortfall_range d n 2 q (beta n) _ _ x Hq HB 0 ltac:(lia)) as E.
    set (e0 := shortfall 2 (beta n) (three_sizes n K) (three_levels r rho) 0) in *. set (b := beta n) in *.
    pose proof (size_ge_2 n (order_n n K HO)) as N2'. apply le_INR in Hd.
    assert (Id : 0 < / INR d <= / INR n) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
    assert (b2 : 0 <= b ^ 2) by apply pow2_ge_0.
    assert (B1 : b / INR d <= b / INR n) by (apply Rmult_le_compat_l; lra).
    assert (B2 : b ^ 2 / INR d <= b ^ 2 / INR n) by (apply Rmult_le_compat_l; lra).
    assert (B3 : 0 <= b / INR d) by (apply Rmult_le_pos; lra). assert (B4 : 0 <= b ^ 2 / INR d) by (apply Rmult_le_pos; lra).
    assert (Iq : 0 < / q) by (apply Rinv_0_lt_compat; auto). assert (Is : 0 <= 2 * alpha / sqrt q) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat, sqrt_lt_R0; auto]).
    replace ((4 * b + 4 * b ^ 2) / INR d) with (4 * (b / INR d) + 4 * (b ^ 2 / INR d)) by (field; lra).
    replace (2 * b / INR d) with (2 * (b / INR d)) by (field; lra).
    assert (Q1 : 2 / q * (1 + (4 * (b / INR d) + 4 * (b ^ 2 / INR d))) <= 2 / q * (1 + 4 * (b / INR n) + 4 * (b ^ 2 / INR n))) by (apply Rmult_le_compat_l; [unfold Rdiv; lra|lra]).
    assert (Q2 : 2 * alpha / sqrt q * (1 + 2 * (b / INR d)) <= 2 * alpha / sqrt q * (1 + 2 * (b / INR n))) by (apply Rmult_le_compat_l; lra).
    assert (Q3 : 0 <= 2 / q * (1 + (4 * (b / INR d) + 4 * (b ^ 2 / INR d)))) by (apply Rmult_le_pos; [unfold Rdiv; lra|lra]).
    assert (Q4 : 0 <= 2 * alpha / sqrt q * (1 + 2 * (b / INR d))) by (apply Rmult_le_pos; lra).
    apply Rmult_le_compat; lra.
Qed.
End ThreeBands.
