(* The Jacobian norm on nested clusters where one band l has nearly all mass (any number of levels, any residual):
   alpha^2 and terms that vanish with eps, with 1/(tokens of band l) and with beta^2/d where l >= 1; the identity's own
   where l = 0. Uses BandsOutput.v and JacobianBounds.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Jacobian Frobenius Powers Bounds JacobianBounds Rows Bands BandsOutput.
Open Scope R_scope.

Section BandsJacobian.
Variables (d n L : nat) (q beta alpha : R) (size : nat -> nat) (r : nat -> R) (x : tokens).
Hypotheses (Hd : (0 < d)%nat) (Hq : 0 < q) (Hb : 0 <= beta) (Ha : 0 <= alpha).
Hypothesis HB : bands d n L q size r x.
Hypotheses (Hr : forall l, (l < L)%nat -> level r (S l) <= level r l) (Hr0 : 0 <= level r L).
Notation A := (weight d n beta x).
Notation G := (gram d x).
Notation D := (INR d).
Notation band := (band size).
Notation eta := (jacobian_norm d n beta alpha x).
Notation Y := (attention_norm2 d n beta x).

Let Hn : (0 < n)%nat := bands_n_pos d n L q size r x HB.
Let Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i) := bands_nonzero d n L q size r x Hq HB.
Let Hunit i j (Hi : (i < n)%nat) (Hj : (j < n)%nat) : 0 <= G i j <= 1 := gram_unit d n L q size r x Hq HB Hr Hr0 i j Hi Hj.
Let Hq1 k (Hk : (k < n)%nat) : q <= inner d (x k) (x k).
Proof. rewrite (bands_norm2 d n L q size r x HB); auto. lra. Qed.

Lemma bands_reach i k : (i < n)%nat -> (k < n)%nat -> spread d n beta x i k k * (1 - G i k ^ 2) <= (3 / 2) ^ 2.
Proof.
  intros Hi Hk. pose proof (Hunit i k Hi Hk) as U.
  assert (P : spread d n beta x i k k <= 2 * (1 - 0)) by (apply (spread_self_le d n beta x Hx); auto; intros; apply Hunit; auto).
  assert (P0 : 0 <= spread d n beta x i k k) by (apply spread_self_nonneg; auto). pose proof (pow2_ge_0 (G i k)) as S0.
  assert (S1 : G i k ^ 2 <= 1 ^ 2) by (apply pow_incr; auto).
  apply Rle_trans with (2 * 1); [|lra]. apply Rmult_le_compat; lra.
Qed.

Lemma bands_norm2_nonneg i : (i < n)%nat -> 0 <= Y i.
Proof. intros Hi. apply (norm2_ge d n beta x i 0 Hi). intros k j Hk Hj. apply Hunit; auto. Qed.

(* ---- l >= 1: the layer contracts ---- *)
Section Contracting.
Variable l : nat.
Hypotheses (HL : (1 <= l <= L)%nat) (Hc : 0 < band_count size l).
Notation eps := (shortfall L beta size r l).
Notation w := (/ band_count size l).

Lemma self_outside i : (i < n)%nat -> A i i <= eps.
Proof.
  intros Hi. rewrite <- (outside_mass d n L q beta size r x Hq HB l (proj2 HL) i Hi).
  apply Rle_trans with (A i i * indicator (negb (band l i i))).
  - destruct l as [|p]; [lia|]. unfold Bands.band, Layer.together at 2. rewrite Nat.eqb_refl, andb_false_r. simpl. lra.
  - apply (term_le_sum n i (fun k => A i k * indicator (negb (band l i k)))); auto. intros k Hk.
    apply Rmult_le_pos; [apply weight_nonneg; auto|]. unfold indicator. destruct (negb (band l i k)); lra.
Qed.

Lemma squares_outside i : (i < n)%nat -> sum_but n i (fun k => A i k ^ 2) <= eps + w.
Proof.
  intros Hi. apply Rle_trans with (sum_to n (fun k => A i k * (indicator (negb (band l i k)) + w))).
  - assert (W0 : 0 <= w) by (left; apply Rinv_0_lt_compat; auto).
    apply sum_le; intros k Hk. pose proof (weight_nonneg d n beta x i k Hi) as A0.
    assert (A1 : A i k <= 1) by (apply weight_le_1; auto). unfold indicator.
    assert (Z : 0 <= A i k * ((if negb (band l i k) then 1 else 0) + w)).
    { apply Rmult_le_pos; auto. destruct (negb (band l i k)); lra. }
    destruct (Nat.eqb k i); auto. replace (A i k ^ 2) with (A i k * A i k) by ring. apply Rmult_le_compat_l; auto.
    destruct (band l i k) eqn:E; cbn [negb]; [|lra].
    rewrite (bands_weight d n L q beta size r x Hq HB l i k (proj2 HL) Hi Hk E).
    pose proof (band_weight_le d n L q beta size r x Hq HB l (proj2 HL) Hc). lra.
  - rewrite (sum_ext n _ (fun k => A i k * indicator (negb (band l i k)) + w * A i k)); [|intros; ring].
    rewrite sum_plus, sum_scal, weights_sum, (outside_mass d n L q beta size r x Hq HB l (proj2 HL) i Hi); auto. lra.
Qed.

Theorem bands_jacobian_contracting :
  alpha ^ 2 <= eta <=
  alpha ^ 2 + 1 / q * ((2 * eps + w) * (1 + (3 * beta + 3 * beta ^ 2) / D) + beta ^ 2 / D) + 2 * alpha / sqrt q * (eps + beta / D).
Proof.
  pose proof (dimension_ge_1 d Hd) as HD. pose proof (sqrt_lt_R0 q Hq) as Sq.
  assert (Iq : 0 < / q) by (apply Rinv_0_lt_compat; auto). assert (Is : 0 <= 2 * alpha / sqrt q) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]).
  split.
  - apply jacobian_norm_ge_rows; auto. intros i Hi.
    apply Rle_trans with (2 := row_ge d n beta alpha x Hn Hd Hb Ha Hx i q Hi (Req_le _ _ (bands_norm2 d n L q size r x HB i Hi))).
    pose proof (weight_nonneg d n beta x i i Hi) as A0.
    assert (0 <= A i i ^ 2 * (D - 1) / q) by (apply Rmult_le_pos; [apply Rmult_le_pos; [apply pow2_ge_0|lra]|lra]).
    assert (0 <= 2 * alpha / sqrt q * (A i i * (D - 1))) by (apply Rmult_le_pos; auto; apply Rmult_le_pos; lra). lra.
  - apply jacobian_norm_le_rows; auto. intros i Hi.
    pose proof (bands_norm2_nonneg i Hi) as Y0.
    apply Rle_trans with (1 := row_le d n beta alpha x Hn Hd Hb Ha Hx i q (3 / 2) 1 (eps + w) Hi Hq Hq1 ltac:(lra)
      (fun k Hk => bands_reach i k Hi Hk) ltac:(lra) (squares_outside i Hi)).
    pose proof (weight_nonneg d n beta x i i Hi) as A0. pose proof (self_outside i Hi) as A1.
    pose proof (shortfall_range d n L q beta size r x Hq HB l (proj2 HL)) as E.
    assert (W0 : 0 < w) by (apply Rinv_0_lt_compat; auto).
    set (e := eps) in *. set (v := w) in *. set (a := A i i) in *.
    assert (b2 : 0 <= beta ^ 2) by apply pow2_ge_0.
    assert (T1 : a ^ 2 * (D - 1) <= e * (D - 1)).
    { apply Rmult_le_compat_r; [lra|]. replace (a ^ 2) with (a * a) by ring. rewrite <- (Rmult_1_r e). apply Rmult_le_compat; lra. }
    assert (T2 : a * beta <= e * beta) by (apply Rmult_le_compat_r; auto).
    assert (T3 : 0 <= e * beta) by (apply Rmult_le_pos; lra). assert (T4 : 0 <= v * beta) by (apply Rmult_le_pos; lra).
    assert (T5 : 0 <= e * beta ^ 2) by (apply Rmult_le_pos; lra). assert (T6 : 0 <= v * beta ^ 2) by (apply Rmult_le_pos; lra).
    assert (T7 : a * (D - 1) <= e * D) by (apply Rmult_le_compat; lra).
    replace ((alpha ^ 2 + 1 / q * ((2 * e + v) * (1 + (3 * beta + 3 * beta ^ 2) / D) + beta ^ 2 / D) + 2 * alpha / sqrt q * (e + beta / D)) * D)
      with (1 / q * ((2 * e + v) * (D + (3 * beta + 3 * beta ^ 2)) + beta ^ 2) + 2 * alpha / sqrt q * (e * D + beta) + alpha ^ 2 * D)
      by (field; repeat split; lra).
    apply Rplus_le_compat_r, Rplus_le_compat.
    + apply Rmult_le_compat_l; [unfold Rdiv; lra|]. lra.
    + apply Rmult_le_compat_l; lra.
Qed.
End Contracting.

(* ---- l = 0: the layer is near the identity ---- *)
Notation eps := (shortfall L beta size r O).

Lemma self_is_rest i : (i < n)%nat -> 1 - A i i = eps.
Proof.
  intros Hi. rewrite <- (outside_mass d n L q beta size r x Hq HB O ltac:(lia) i Hi).
  rewrite <- (weight_others d n beta x i Hi). apply sum_ext; intros k Hk. unfold Bands.band, indicator.
  destruct (Nat.eqb k i); simpl; ring.
Qed.

Theorem bands_jacobian_identity :
  Rabs (eta - (alpha ^ 2 + (1 / q + 2 * alpha / sqrt q) * (1 - 1 / D))) <=
  eps * (2 / q * (1 + (4 * beta + 4 * beta ^ 2) / D) + 2 * alpha / sqrt q * (1 + 2 * beta / D)).
Proof.
  pose proof (dimension_ge_1 d Hd) as HD. pose proof (sqrt_lt_R0 q Hq) as Sq.
  assert (Iq : 0 < / q) by (apply Rinv_0_lt_compat; auto). assert (Is : 0 <= 2 * alpha / sqrt q) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]).
  assert (ID : 0 < / D <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  pose proof (shortfall_range d n L q beta size r x Hq HB O ltac:(lia)) as E. set (e := eps) in *.
  assert (b2 : 0 <= beta ^ 2) by apply pow2_ge_0.
  assert (eb : 0 <= e * beta) by (apply Rmult_le_pos; lra). assert (eb2 : 0 <= e * beta ^ 2) by (apply Rmult_le_pos; lra).
  assert (e2 : 0 <= e * e <= e) by (split; [apply Rmult_le_pos; lra|rewrite <- (Rmult_1_r e) at 3; apply Rmult_le_compat_l; lra]).
  set (bd := beta / D). set (b2d := beta ^ 2 / D).
  assert (bd0 : 0 <= bd) by (apply Rmult_le_pos; lra). assert (b2d0 : 0 <= b2d) by (apply Rmult_le_pos; lra).
  replace ((4 * beta + 4 * beta ^ 2) / D) with (4 * bd + 4 * b2d) by (unfold bd, b2d; field; lra).
  replace (2 * beta / D) with (2 * bd) by (unfold bd; field; lra).
  assert (ebd : 0 <= e * bd) by (apply Rmult_le_pos; lra). assert (eb2d : 0 <= e * b2d) by (apply Rmult_le_pos; lra).
  set (z := 1 - 1 / D). assert (Z : 0 <= z <= 1) by (unfold z, Rdiv; rewrite Rmult_1_l; lra).
  assert (Up : eta <= alpha ^ 2 + (1 / q + 2 * alpha / sqrt q) * z + e * (2 / q * (1 + (4 * bd + 4 * b2d)) + 2 * alpha / sqrt q * (1 + 2 * bd))).
  { apply jacobian_norm_le_rows; auto. intros i Hi. pose proof (self_is_rest i Hi) as Ae. fold e in Ae.
    pose proof (weight_nonneg d n beta x i i Hi) as A0.
    assert (Hs : sum_but n i (fun k => A i k ^ 2) <= e ^ 2) by (rewrite <- Ae; apply squares_others_le_square; auto).
    assert (Ht : 1 - Y i <= 2 * e).
    { pose proof (norm2_near d n beta x Hx i 0 Hi (fun j Hj => proj1 (Hunit i j Hi Hj))) as P. rewrite Ae in P. lra. }
    apply Rle_trans with (1 := row_le d n beta alpha x Hn Hd Hb Ha Hx i q (3 / 2) (2 * e) (e ^ 2) Hi Hq Hq1 ltac:(lra)
      (fun k Hk => bands_reach i k Hi Hk) Ht Hs).
    set (a := A i i) in *. assert (Ea : a = 1 - e) by lra.
    replace ((alpha ^ 2 + (1 / q + 2 * alpha / sqrt q) * z + e * (2 / q * (1 + (4 * bd + 4 * b2d)) + 2 * alpha / sqrt q * (1 + 2 * bd))) * D)
      with (1 / q * ((D - 1) + 2 * e * (D + 4 * beta + 4 * beta ^ 2)) + 2 * alpha / sqrt q * ((D - 1) + e * D + 2 * (e * beta)) + alpha ^ 2 * D)
      by (unfold z, bd, b2d; field; repeat split; lra).
    assert (eD : 0 <= e * (D - 1)) by (apply Rmult_le_pos; lra).
    assert (eeD : e * e * (D - 1) <= e * (D - 1)) by (apply Rmult_le_compat_r; lra).
    assert (eeb : e * e * beta <= e * beta) by (apply Rmult_le_compat_r; lra).
    assert (eeb0 : 0 <= e * e * beta) by (apply Rmult_le_pos; lra).
    assert (eeb2 : e * e * beta ^ 2 <= e * beta ^ 2) by (apply Rmult_le_compat_r; lra).
    apply Rplus_le_compat_r, Rplus_le_compat.
    - apply Rmult_le_compat_l; [unfold Rdiv; lra|]. rewrite Ea. lra.
    - apply Rmult_le_compat_l; auto. rewrite Ea. lra. }
  assert (Lo : alpha ^ 2 + (1 / q + 2 * alpha / sqrt q) * z - e * (2 / q + 2 * alpha / sqrt q) <= eta).
  { apply jacobian_norm_ge_rows; auto. intros i Hi. pose proof (self_is_rest i Hi) as Ae. fold e in Ae.
    apply Rle_trans with (2 := row_ge d n beta alpha x Hn Hd Hb Ha Hx i q Hi (Req_le _ _ (bands_norm2 d n L q size r x HB i Hi))).
    set (a := A i i) in *. assert (Ea : a = 1 - e) by lra. rewrite Ea.
    replace ((alpha ^ 2 + (1 / q + 2 * alpha / sqrt q) * z - e * (2 / q + 2 * alpha / sqrt q)) * D)
      with (1 / q * ((D - 1) - 2 * (e * D)) + 2 * alpha / sqrt q * ((D - 1) - e * D) + alpha ^ 2 * D) by (unfold z; field; repeat split; lra).
    replace ((1 - e) ^ 2 * (D - 1) / q) with (1 / q * ((1 - e) ^ 2 * (D - 1))) by (field; lra).
    apply Rplus_le_compat_r, Rplus_le_compat.
    - apply Rmult_le_compat_l; [unfold Rdiv; lra|]. assert (0 <= e * e * (D - 1)) by (apply Rmult_le_pos; lra). lra.
    - apply Rmult_le_compat_l; auto. lra. }
  assert (K1 : 0 <= e * (2 / q)) by (apply Rmult_le_pos; [lra|unfold Rdiv; lra]).
  assert (K2 : 0 <= e * (2 * alpha / sqrt q)) by (apply Rmult_le_pos; lra).
  assert (K3 : 0 <= e * (2 / q) * (4 * bd + 4 * b2d)) by (apply Rmult_le_pos; lra).
  assert (K4 : 0 <= e * (2 * alpha / sqrt q) * (2 * bd)) by (apply Rmult_le_pos; lra).
  apply Rabs_le. split; lra.
Qed.
End BandsJacobian.
