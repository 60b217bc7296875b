(* The layer's output on nested clusters where one band l has nearly all mass: all inner products, with explicit errors,
   for any number of levels and any residual. eps = 1 - mass (band l) and share = (tokens of a cluster below l)/(tokens
   of band l). Inner products come from those of level t to level max t l. Uses Bands.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Bounds Rows Bands.
Open Scope R_scope.

(* Where averages go whose terms are near R0. *)
Lemma row_mean_near d n beta x i f g R0 : (i < n)%nat -> (forall k, (k < n)%nat -> Rabs (f k - R0) <= g k) ->
  Rabs (sum_to n (fun k => weight d n beta x i k * f k) - R0) <= sum_to n (fun k => weight d n beta x i k * g k).
Proof.
  intros Hi H. set (A := weight d n beta x i).
  assert (E : R0 = sum_to n (fun k => A k * R0)) by (rewrite sum_scal_r; unfold A; rewrite weights_sum; auto; ring).
  rewrite E at 1. rewrite <- sum_minus. apply Rabs_le. split.
  - replace (- sum_to n (fun k => A k * g k)) with (sum_to n (fun k => A k * - g k)).
    + apply sum_le; intros k Hk. specialize (H k Hk). pose proof (weight_nonneg d n beta x i k Hi) as P. fold A in P.
      assert (- g k <= f k - R0) by (pose proof (Rle_abs (- (f k - R0))) as Q; rewrite Rabs_Ropp in Q; lra).
      assert (A k * - g k <= A k * (f k - R0)) by (apply Rmult_le_compat_l; auto). lra.
    + rewrite <- (Rmult_1_l (sum_to n (fun k => A k * g k))), Ropp_mult_distr_l, <- sum_scal. apply sum_ext; intros; ring.
  - apply sum_le; intros k Hk. specialize (H k Hk). pose proof (weight_nonneg d n beta x i k Hi) as P. fold A in P.
    assert (f k - R0 <= g k) by (pose proof (Rle_abs (f k - R0)); lra).
    assert (A k * (f k - R0) <= A k * g k) by (apply Rmult_le_compat_l; auto). lra.
Qed.

(* |a/sqrt (b1 b2) - a0/b0| <= 2 eta/m *)
Lemma quotient_near a b1 b2 a0 b0 eta m : 0 < m -> m <= b1 -> m <= b2 -> 0 <= a0 <= b0 -> 0 < b0 ->
  Rabs (a - a0) <= eta -> Rabs (b1 - b0) <= eta -> Rabs (b2 - b0) <= eta ->
  Rabs (a / (sqrt b1 * sqrt b2) - a0 / b0) <= 2 * eta / m.
Proof.
  intros Hm H1 H2 Ha Hb Ea E1 E2. rewrite <- sqrt_mult_alt; [|lra]. set (c := sqrt (b1 * b2)).
  assert (eta0 : 0 <= eta) by (apply Rle_trans with (2 := Ea); apply Rabs_pos).
  assert (B : forall b, Rabs (b - b0) <= eta -> b0 - eta <= b <= b0 + eta).
  { intros b E. pose proof (Rle_abs (b - b0)) as P1. pose proof (Rle_abs (- (b - b0))) as P2. rewrite Rabs_Ropp in P2. lra. }
  destruct (B b1 E1) as [L1 U1]. destruct (B b2 E2) as [L2 U2].
  assert (cm : m <= c).
  { rewrite <- (sqrt_square m); [|lra]. apply sqrt_le_1_alt. apply Rmult_le_compat; lra. }
  assert (cu : c <= b0 + eta).
  { rewrite <- (sqrt_square (b0 + eta)); [|lra]. apply sqrt_le_1_alt. apply Rmult_le_compat; lra. }
  assert (cl : b0 - eta <= c).
  { destruct (Rle_or_lt (b0 - eta) 0) as [Q|Q]; [lra|].
    rewrite <- (sqrt_square (b0 - eta)); [|lra]. apply sqrt_le_1_alt. apply Rmult_le_compat; lra. }
  replace (a / c - a0 / b0) with (((a - a0) * b0 + a0 * (b0 - c)) / (c * b0)) by (field; lra).
  unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ (c * b0))); [|left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra].
  apply Rle_trans with (2 * eta * b0 * / (c * b0)).
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra|].
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult, (Rabs_pos_eq b0), (Rabs_pos_eq a0); try lra.
    assert (Rabs (b0 - c) <= eta) by (apply Rabs_le; lra).
    assert (Rabs (a - a0) * b0 <= eta * b0) by (apply Rmult_le_compat_r; lra).
    assert (a0 * Rabs (b0 - c) <= b0 * eta) by (apply Rmult_le_compat; try lra; apply Rabs_pos). lra.
  - replace (2 * eta * b0 * / (c * b0)) with (2 * eta * / c) by (field; lra).
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Section Output.
Variables (d n L : nat) (q beta alpha : R) (size : nat -> nat) (r : nat -> R) (x : tokens).
Hypotheses (Hq : 0 < q) (Hb : 0 <= beta) (Ha : 0 <= alpha).
Hypothesis HB : bands d n L q size r x.
(* 1 >= r_1 >= ... >= r_L >= 0 *)
Hypotheses (Hr : forall l, (l < L)%nat -> level r (S l) <= level r l) (Hr0 : 0 <= level r L).
Notation A := (weight d n beta x).
Notation G := (gram d x).
Notation y := (unit_token d x).
Notation m := (attention d n beta x).
Notation X := (output d n beta alpha x).
Notation band := (band size).
Notation rr := (level r).

Let HN : nested L n size := bands_nested d n L q size r x HB.
Let Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i) := bands_nonzero d n L q size r x Hq HB.

Lemma level_falls k l : (l <= k)%nat -> (k <= L)%nat -> rr k <= rr l.
Proof.
  intros H. induction H as [|k H IH]; intros HL; [lra|]. apply Rle_trans with (rr k); [apply Hr; lia|apply IH; lia].
Qed.

Lemma level_range l : (l <= L)%nat -> 0 <= rr l <= 1.
Proof.
  intros HL. split; [pose proof (level_falls L l HL (le_n L)); lra|]. apply (level_falls l O); lia.
Qed.

Lemma gram_is_level i j : (i < n)%nat -> (j < n)%nat -> exists l, (l <= L)%nat /\ joins size l i j /\ G i j = rr l.
Proof.
  intros Hi Hj. destruct (joins_exists L n size HN i j Hi Hj) as [l [HL J]]. exists l. split; [|split]; auto.
  apply (gram_joins d n L q size r x Hq HB); auto.
Qed.

Lemma gram_range i j : (i < n)%nat -> (j < n)%nat -> rr L <= G i j <= 1.
Proof.
  intros Hi Hj. destruct (gram_is_level i j Hi Hj) as [l [HL [_ ->]]]. split; [apply level_falls; auto|apply level_range; auto].
Qed.

(* The band that dominates. *)
Variable l : nat.
Hypotheses (HL : (l <= L)%nat) (Hc : 0 < band_count size l).
Definition shortfall := 1 - band_mass L beta size r l.
Definition nested_share := match l with O => 0 | S k => INR (size k) / band_count size (S k) end.
Notation eps := shortfall.
Notation dl := nested_share.

Lemma shortfall_range : 0 <= eps <= 1.
Proof.
  unfold shortfall. pose proof (band_mass_le_1 d n L q beta size r x Hq HB l HL).
  pose proof (band_mass_nonneg d n L q beta size r x Hq HB l HL). lra.
Qed.

Lemma nested_share_nonneg : 0 <= dl.
Proof.
  unfold nested_share. destruct l as [|k]; [lra|]. apply Rmult_le_pos; [apply pos_INR|left; apply Rinv_0_lt_compat; auto].
Qed.

(* Mass outside the band, and mass of a cluster below l inside the band. *)
Lemma outside_mass i : (i < n)%nat -> sum_to n (fun k => A i k * indicator (negb (band l i k))) = eps.
Proof.
  intros Hi. unfold shortfall, band_mass. rewrite <- (bands_mass d n L q beta size r x Hq HB l i HL Hi).
  rewrite <- (weights_sum d n beta x i Hi). unfold mass. rewrite <- sum_minus. apply sum_ext; intros k Hk.
  unfold indicator. destruct (band l i k); simpl; ring.
Qed.

(* k is in the band of i, and shares with j a cluster below l *)
Definition crowd (i j k : nat) : bool := match l with O => false | S p => (together size p j k && band (S p) i k)%bool end.

Lemma crowd_mass i j : (i < n)%nat -> (j < n)%nat -> sum_to n (fun k => A i k * indicator (crowd i j k)) <= dl.
Proof.
  intros Hi Hj. unfold crowd, nested_share. destruct l as [|p] eqn:El.
  - right. rewrite sum_zero; auto. intros k _. unfold indicator. ring.
  - rewrite <- (cluster_count L n size HN p j ltac:(lia) Hj). unfold Rdiv. rewrite Rmult_comm. unfold count. rewrite <- sum_scal.
    apply sum_le; intros k Hk. pose proof (weight_nonneg d n beta x i k Hi) as A0. unfold indicator.
    assert (I : 0 <= / band_count size (S p)) by (left; apply Rinv_0_lt_compat; auto).
    destruct (together size p j k) eqn:Et; [|cbn [andb]; lra]. destruct (band (S p) i k) eqn:Eb; [|cbn [andb]; lra].
    cbn [andb]. rewrite (bands_weight d n L q beta size r x Hq HB (S p)); auto.
    rewrite !Rmult_1_r. apply (band_weight_le d n L q beta size r x Hq HB); auto.
Qed.

(* Tokens k and k' of the bands l of i and j meet where i and j do, or on level l, or crowd. *)
Lemma pair_level t i j k k' : (i < n)%nat -> (j < n)%nat -> (k < n)%nat -> (k' < n)%nat -> (t <= L)%nat -> joins size t i j ->
  band l i k = true -> (k' = j \/ band l j k' = true) -> crowd i k' k = false -> G k k' = rr (Nat.max t l).
Proof.
  intros Hi Hj Hk Hk' Ht J Bk Bk' Ck. pose proof (band_joins L n size HN l i k HL Bk) as [Jk1 Jk2].
  assert (Tk' : together size l j k' = true).
  { destruct Bk' as [-> |B]; [unfold together; apply Nat.eqb_refl|apply (band_joins L n size HN l j k' HL B)]. }
  destruct J as [J1 J2].
  assert (Tmove : forall p, (l <= p)%nat -> (p <= L)%nat -> together size p k k' = together size p i j).
  { intros p Hp HpL. rewrite (together_same size p k i k') by (rewrite together_sym; apply (together_up L n size HN p l); auto).
    rewrite together_sym, (together_same size p k' j i), together_sym; auto. rewrite together_sym. apply (together_up L n size HN p l); auto. }
  destruct (le_lt_dec t l) as [Htl|Htl].
  - replace (Nat.max t l) with l by lia.
    assert (Tl : together size l k k' = true) by (rewrite Tmove; auto; apply (together_up L n size HN l t); auto).
    apply (gram_joins d n L q size r x Hq HB); auto. split; auto. intros p Hp.
    destruct (together size p k k') eqn:E; auto. unfold crowd in Ck. destruct l as [|p'] eqn:El; [lia|].
    rewrite Bk, andb_true_r, together_sym in Ck. rewrite (together_up L n size HN p' p) in Ck; auto; lia.
  - replace (Nat.max t l) with t by lia. apply (gram_joins d n L q size r x Hq HB); auto. split.
    + rewrite Tmove; auto; lia.
    + intros p Hp. destruct (together size p k k') eqn:E; auto.
      assert (E2 : together size (Nat.max p l) k k' = true) by (apply (together_up L n size HN (Nat.max p l) p); auto; lia).
      rewrite Tmove in E2; [|lia|lia]. rewrite J2 in E2; [discriminate|lia].
Qed.

Lemma near_level g t : 0 <= g <= 1 -> (t <= L)%nat -> Rabs (g - rr t) <= 1.
Proof. intros Hg Ht. pose proof (level_range t Ht). apply Rabs_le. lra. Qed.

Lemma gram_unit i j : (i < n)%nat -> (j < n)%nat -> 0 <= G i j <= 1.
Proof. intros Hi Hj. pose proof (gram_range i j Hi Hj). lra. Qed.

(* <m_i, y_j> is near r_(max t l) where i and j join on level t. *)
Theorem attention_unit_near t i j : (i < n)%nat -> (j < n)%nat -> (t <= L)%nat -> joins size t i j ->
  Rabs (inner d (m i) (y j) - rr (Nat.max t l)) <= eps + dl.
Proof.
  intros Hi Hj Ht J. rewrite attention_unit.
  apply Rle_trans with (sum_to n (fun k => A i k * (indicator (negb (band l i k)) + indicator (crowd i j k)))).
  - apply row_mean_near; auto. intros k Hk. unfold indicator.
    destruct (band l i k) eqn:Bk; simpl negb; cbv iota.
    + destruct (crowd i j k) eqn:Ck.
      * pose proof (near_level (G k j) (Nat.max t l) (gram_unit k j Hk Hj) ltac:(lia)). lra.
      * rewrite (pair_level t i j k j); auto. rewrite Rminus_eq_0, Rabs_R0. lra.
    + pose proof (near_level (G k j) (Nat.max t l) (gram_unit k j Hk Hj) ltac:(lia)). destruct (crowd i j k); lra.
  - rewrite (sum_ext n _ (fun k => A i k * indicator (negb (band l i k)) + A i k * indicator (crowd i j k))); [|intros; ring].
    rewrite sum_plus, outside_mass; auto. pose proof (crowd_mass i j Hi Hj). lra.
Qed.

(* <m_i, m_j> too. *)
Theorem attention_attention_near t i j : (i < n)%nat -> (j < n)%nat -> (t <= L)%nat -> joins size t i j ->
  Rabs (inner d (m i) (m j) - rr (Nat.max t l)) <= 2 * eps + dl.
Proof.
  intros Hi Hj Ht J. rewrite attention_inner. set (e := eps) in *. pose proof shortfall_range as E0. fold e in E0. pose proof nested_share_nonneg as D0.
  apply Rle_trans with (sum_to n (fun k' => A j k' * (indicator (negb (band l j k')) + (e + dl)))).
  - apply row_mean_near; auto. intros k' Hk'. rewrite attention_unit. unfold indicator.
    destruct (band l j k') eqn:Bk'; simpl negb; cbv iota.
    + rewrite Rplus_0_l. apply Rle_trans with (sum_to n (fun k => A i k * (indicator (negb (band l i k)) + indicator (crowd i k' k)))).
      * apply row_mean_near; auto. intros k Hk. unfold indicator.
        destruct (band l i k) eqn:Bk; simpl negb; cbv iota.
        -- destruct (crowd i k' k) eqn:Ck.
           ++ pose proof (near_level (G k k') (Nat.max t l) (gram_unit k k' Hk Hk') ltac:(lia)). lra.
           ++ rewrite (pair_level t i j k k'); auto. rewrite Rminus_eq_0, Rabs_R0. lra.
        -- pose proof (near_level (G k k') (Nat.max t l) (gram_unit k k' Hk Hk') ltac:(lia)). destruct (crowd i k' k); lra.
      * rewrite (sum_ext n _ (fun k => A i k * indicator (negb (band l i k)) + A i k * indicator (crowd i k' k))); [|intros; ring].
        rewrite sum_plus, outside_mass; auto. fold e. pose proof (crowd_mass i k' Hi Hk'). lra.
    + assert (M : 0 <= sum_to n (fun k => A i k * G k k') <= 1).
      { split; [apply row_mean_ge|apply row_mean_le]; auto; intros k Hk; apply gram_unit; auto. }
      pose proof (near_level _ (Nat.max t l) M ltac:(lia)). lra.
  - rewrite (sum_ext n _ (fun k => A j k * indicator (negb (band l j k)) + (e + dl) * A j k)); [|intros; ring].
    rewrite sum_plus, outside_mass, sum_scal, weights_sum; auto. fold e. lra.
Qed.

(* ---- With the residual ---- *)
Notation s := (alpha * sqrt q).

Lemma residual_s i : (i < n)%nat -> residual d x alpha i = s.
Proof. intros Hi. unfold residual, norm. rewrite (bands_norm2 d n L q size r x HB); auto. Qed.

Lemma output_parts i j : (i < n)%nat -> (j < n)%nat ->
  inner d (X i) (X j) = inner d (m i) (m j) + s * inner d (m j) (y i) + s * inner d (m i) (y j) + s * s * G i j.
Proof.
  intros Hi Hj.
  assert (E : forall k c, (k < n)%nat -> X k c = 1 * m k c + s * y k c).
  { intros k c Hk. unfold output. rewrite (token_unit d x k c (Hx k Hk)). rewrite <- (residual_s k Hk). unfold residual. ring. }
  rewrite (inner_ext d (X i) (X j) (fun c => 1 * m i c + s * y i c) (fun c => 1 * m j c + s * y j c)); [|intros; apply E; auto|intros; apply E; auto].
  rewrite inner_linear, !inner_linear_r, (inner_sym d (y i) (m j)). unfold gram. ring.
Qed.

(* Limit of <x'_i, x'_j> for tokens that join on level t. *)
Definition limit_inner (t : nat) : R := rr (Nat.max t l) * (1 + 2 * s) + s ^ 2 * rr t.

Lemma s_nonneg : 0 <= s.
Proof. apply Rmult_le_pos; auto. apply sqrt_pos. Qed.

Theorem output_near t i j : (i < n)%nat -> (j < n)%nat -> (t <= L)%nat -> joins size t i j ->
  Rabs (inner d (X i) (X j) - limit_inner t) <= (1 + s) ^ 2 * (2 * eps + dl).
Proof.
  intros Hi Hj Ht J. rewrite output_parts; auto. rewrite (gram_joins d n L q size r x Hq HB t i j Ht Hi Hj J).
  assert (J' : joins size t j i).
  { destruct J as [J1 J2]. split; [rewrite together_sym; auto|]. intros k Hk. rewrite together_sym. auto. }
  pose proof (attention_attention_near t i j Hi Hj Ht J) as P1. pose proof (attention_unit_near t i j Hi Hj Ht J) as P2.
  pose proof (attention_unit_near t j i Hj Hi Ht J') as P3. pose proof s_nonneg as S. unfold limit_inner.
  generalize dependent (alpha * sqrt q). intros s S.
  set (R0 := rr (Nat.max t l)) in *. set (u := inner d (m i) (m j)) in *. set (v := inner d (m i) (y j)) in *. set (w := inner d (m j) (y i)) in *.
  replace (u + s * w + s * v + s * s * rr t - (R0 * (1 + 2 * s) + s ^ 2 * rr t)) with ((u - R0) + (s * (w - R0) + s * (v - R0))) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). apply Rle_trans with ((2 * eps + dl) + (s * (eps + dl) + s * (eps + dl))).
  - apply Rplus_le_compat; auto. apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult, (Rabs_pos_eq s); auto.
    apply Rplus_le_compat; apply Rmult_le_compat_l; auto.
  - pose proof shortfall_range. pose proof nested_share_nonneg.
    assert (0 <= s * eps) by (apply Rmult_le_pos; lra). assert (0 <= s ^ 2 * (2 * eps + dl)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]). lra.
Qed.

Lemma output_low i : (i < n)%nat -> rr L * (1 + s) ^ 2 <= inner d (X i) (X i).
Proof.
  intros Hi. rewrite output_gram; auto. rewrite <- (residual_s i Hi), <- (coefficients_sum d n beta x alpha i Hi).
  set (W := coefficient d n beta x alpha i). assert (W0 : forall k, (k < n)%nat -> 0 <= W k) by (intros; apply coefficient_nonneg; auto; lia).
  replace (rr L * sum_to n W ^ 2) with (sum_to n W * (sum_to n W * rr L)) by ring.
  apply combination_ge; auto. intros k Hk. apply combination_ge; auto. intros k' Hk'. apply gram_range; auto.
Qed.

Hypothesis Hrp : 0 < rr L.

(* Theorem C.2, inner products: on level t they come to limit_inner t/limit_inner 0. *)
Theorem bands_output_inner t i j : (i < n)%nat -> (j < n)%nat -> (t <= L)%nat -> joins size t i j ->
  Rabs (output_inner d n beta alpha x i j - limit_inner t / limit_inner O) <= 2 * (2 * eps + dl) / rr L.
Proof.
  intros Hi Hj Ht J. rewrite output_inner_quotient. unfold norm. pose proof s_nonneg as S.
  assert (S2 : 0 < (1 + s) ^ 2) by (apply pow_lt; lra).
  replace (2 * (2 * eps + dl) / rr L) with (2 * ((1 + s) ^ 2 * (2 * eps + dl)) / (rr L * (1 + s) ^ 2)) by (field; split; lra).
  assert (JJ : forall k, joins size O k k) by (intros k; split; [unfold together; apply Nat.eqb_refl|lia]).
  assert (M1 : rr L <= rr l) by (apply level_falls; auto). assert (s2 : 0 <= s ^ 2) by apply pow2_ge_0.
  assert (B0 : 0 < limit_inner O).
  { unfold limit_inner. replace (Nat.max 0 l) with l by lia. simpl level at 2. assert (0 < rr l * (1 + 2 * s)) by (apply Rmult_lt_0_compat; lra). lra. }
  apply quotient_near.
  - apply Rmult_lt_0_compat; auto.
  - apply output_low; auto.
  - apply output_low; auto.
  - unfold limit_inner. replace (Nat.max 0 l) with l by lia. simpl (level r 0).
    pose proof (level_range (Nat.max t l) ltac:(lia)) as [R1 _]. pose proof (level_range t Ht) as [R2 R3].
    pose proof (level_falls (Nat.max t l) l ltac:(lia) ltac:(lia)) as R4. split.
    + apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
    + apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|apply Rmult_le_compat_l; lra].
  - auto.
  - apply output_near; auto.
  - apply (output_near O); auto. lia.
  - apply (output_near O); auto. lia.
Qed.

(* Without residual: r_(max t l)/r_l. *)
Lemma limit_without_residual t : alpha = 0 -> limit_inner t / limit_inner O = rr (Nat.max t l) / rr l.
Proof.
  intros E. pose proof (level_falls L l HL (le_n L)) as M1. unfold limit_inner. replace (Nat.max 0 l) with l by lia. rewrite E. field. lra.
Qed.
End Output.
