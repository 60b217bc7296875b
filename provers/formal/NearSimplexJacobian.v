(* The Jacobian of near-simplex configurations (Assumption 2) at any n >= 2 and any beta >= 0: its norm from above and
   below, and its blocks against those of the identity on directions. Rates in n are in NearSimplexLimits.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Jacobian Frobenius Bounds JacobianBounds NearSimplex.
Open Scope R_scope.

Lemma div_le a b q q' : 0 <= a -> a <= b -> 0 < q' <= q -> a / q <= b / q'.
Proof.
  intros Ha Hab Hq. unfold Rdiv. apply Rmult_le_compat; auto; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra].
Qed.

(* |y_k - m_i| |P_k y_i| <= c, c^2 = 2 (1 - rho1) (1 - rho1^2) *)
Definition block_reach (rho1 : R) := (1 - rho1) * sqrt (2 * (1 + rho1)).

Lemma block_reach_nonneg rho1 : rho1 <= 1 -> 0 <= block_reach rho1.
Proof. intros. apply Rmult_le_pos; [lra|apply sqrt_pos]. Qed.

Lemma block_reach_square rho1 : 0 <= rho1 -> block_reach rho1 ^ 2 = 2 * (1 - rho1) * (1 - rho1 ^ 2).
Proof. intros. unfold block_reach. rewrite Rpow_mult_distr, pow2_sqrt; [ring|lra]. Qed.

Section NearSimplexJacobian.
Variables (d n : nat) (q1 q2 rho1 rho2 beta alpha : R) (x : tokens).
Hypotheses (Hn : (2 <= n)%nat) (Hd : (0 < d)%nat) (Hq : 0 < q1) (Hr1 : 0 < rho1) (Hr2 : rho2 < 1) (Hb : 0 <= beta) (Ha : 0 <= alpha).
Hypothesis HC : near_simplex d n q1 q2 rho1 rho2 x.
Notation D := (INR d).
Notation y := (unit_token d x).
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation f := (far_factor rho2 beta).
Notation a := (self_high n rho1 beta).
Notation b := (self_low n rho2 beta).
Notation eta := (jacobian_norm d n beta alpha x).

Let Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i) := tokens_nonzero d n q1 q2 rho1 rho2 x Hq HC.
Let Hlow i j (Hi : (i < n)%nat) (Hj : (j < n)%nat) : rho1 <= G i j := gram_low d n q1 q2 rho1 rho2 x Hn Hq Hr2 HC i j Hi Hj.
Let Hself i (Hi : (i < n)%nat) : b <= A i i <= a := self_weight_between d n q1 q2 rho1 rho2 beta x Hn Hq Hr2 Hb HC i Hi.
Let Hrho : rho1 <= rho2 := rho_ordered d n q1 q2 rho1 rho2 x Hn HC.

Let Hnorm1 k (Hk : (k < n)%nat) : q1 <= inner d (x k) (x k) := proj1 (proj1 HC k Hk).
Let Hnorm2 k (Hk : (k < n)%nat) : inner d (x k) (x k) <= q2 := proj2 (proj1 HC k Hk).
Let Hother i (Hi : (i < n)%nat) : sum_but n i (fun k => A i k ^ 2) <= A i i * (1 - A i i) * f :=
  other_squares_le d n q1 q2 rho1 rho2 beta x Hq Hb HC i Hi.

Notation c := (block_reach rho1).
Let Hreach : 0 <= c.
Proof. apply block_reach_nonneg. lra. Qed.

Lemma spread_reach i k : (i < n)%nat -> (k < n)%nat -> spread d n beta x i k k * (1 - G i k ^ 2) <= c ^ 2.
Proof.
  intros Hi Hk. rewrite block_reach_square; [|lra]. pose proof (Hlow i k Hi Hk) as L.
  assert (U : G i k <= 1) by (apply (gram_bound d n x Hx); auto).
  assert (L2 : rho1 ^ 2 <= G i k ^ 2) by (apply pow_incr; lra).
  assert (U2 : G i k ^ 2 <= 1 ^ 2) by (apply pow_incr; lra).
  apply Rmult_le_compat.
  - apply spread_self_nonneg; auto.
  - lra.
  - apply (spread_self_le d n beta x Hx); auto.
  - lra.
Qed.

Lemma norm_defect_le i : (i < n)%nat -> 1 - attention_norm2 d n beta x i <= 1 - rho1.
Proof. intros Hi. pose proof (norm2_ge d n beta x i rho1 Hi Hlow). lra. Qed.

(* 1/4, and the self weight where it is smaller: a bound of A (1-A). *)
Notation v := (Rmin a (1 / 4)).

Lemma other_squares_high i : (i < n)%nat -> sum_but n i (fun k => A i k ^ 2) <= v * f.
Proof.
  intros Hi. apply Rle_trans with (1 := Hother i Hi).
  destruct (far_factor_range rho2 beta Hr2 Hb). apply Rmult_le_compat_r; [lra|].
  destruct (Hself i Hi). assert (0 <= A i i) by (apply weight_nonneg; auto). pose proof (Rle_0_sqr (A i i - 1 / 2)) as P. unfold Rsqr in P.
  assert (0 <= A i i * A i i) by (apply Rmult_le_pos; auto).
  apply Rmin_glb; lra.
Qed.

(* A (1-A) f + A^2 rises in A. *)
Lemma squares_high i : (i < n)%nat -> A i i * (1 - A i i) * f + A i i ^ 2 <= a * (1 - a) * f + a ^ 2.
Proof.
  intros Hi. destruct (far_factor_range rho2 beta Hr2 Hb). destruct (Hself i Hi).
  assert (0 <= A i i) by (apply weight_nonneg; auto). set (t := A i i) in *.
  assert (0 <= (a - t) * (f + (1 - f) * (a + t))).
  { apply Rmult_le_pos; [lra|]. assert (0 <= (1 - f) * (a + t)) by (apply Rmult_le_pos; lra). lra. }
  lra.
Qed.

(* Theorem 2.5 from above: what is left beside (beta (1-rho1))^2/(q1 d) carries the largest self weight a. *)
Theorem jacobian_norm_high : eta <=
  1 / q1 * ((a * (1 - a) * f + a ^ 2) * (1 - 1 / D) + v * f * (2 * c * (beta / D) + c ^ 2 * (beta ^ 2 / D))
            + 2 * a * (1 - rho1) * (beta / D) + (1 - rho1) ^ 2 * (beta ^ 2 / D))
  + 2 * alpha / sqrt q1 * (a * (1 - 1 / D) + (1 - rho1) * (beta / D)) + alpha ^ 2.
Proof.
  pose proof (dimension_ge_1 d Hd) as HD. apply jacobian_norm_le_rows; auto; try lia. intros i Hi.
  assert (P := row_le d n beta alpha x ltac:(lia) Hd Hb Ha Hx i q1 c (1 - rho1) (A i i * (1 - A i i) * f) Hi Hq
    Hnorm1 Hreach
    ltac:(intros; apply spread_reach; auto) (norm_defect_le i Hi)
    (Hother i Hi)).
  apply Rle_trans with (1 := P).
  set (t := A i i). destruct (Hself i Hi) as [_ Ht]. fold t in Ht. assert (t0 : 0 <= t) by (apply weight_nonneg; auto).
  pose proof Hreach as Hc. pose proof (squares_high i Hi) as HS. fold t in HS.
  assert (HV : t * (1 - t) * f <= v * f).
  { destruct (far_factor_range rho2 beta Hr2 Hb). apply Rmult_le_compat_r; [lra|]. pose proof (Rle_0_sqr (t - 1 / 2)) as P2. unfold Rsqr in P2.
    assert (0 <= t * t) by (apply Rmult_le_pos; auto). apply Rmin_glb; lra. }
  assert (E1 : (t * (1 - t) * f + t ^ 2) * (D - 1) <= (a * (1 - a) * f + a ^ 2) * (D - 1)) by (apply Rmult_le_compat_r; lra).
  assert (E2 : t * (1 - t) * f * (2 * beta * c + beta ^ 2 * c ^ 2) <= v * f * (2 * beta * c + beta ^ 2 * c ^ 2)).
  { apply Rmult_le_compat_r; auto. assert (0 <= beta * c) by (apply Rmult_le_pos; auto).
    assert (0 <= beta ^ 2 * c ^ 2) by (apply Rmult_le_pos; apply pow2_ge_0). lra. }
  assert (b0 : 0 <= beta * (1 - rho1)) by (apply Rmult_le_pos; lra).
  assert (E3 : t * (beta * (1 - rho1)) <= a * (beta * (1 - rho1))) by (apply Rmult_le_compat_r; auto).
  assert (E4 : t * (D - 1) <= a * (D - 1)) by (apply Rmult_le_compat_r; lra).
  replace ((1 / q1 * ((a * (1 - a) * f + a ^ 2) * (1 - 1 / D) + v * f * (2 * c * (beta / D) + c ^ 2 * (beta ^ 2 / D))
            + 2 * a * (1 - rho1) * (beta / D) + (1 - rho1) ^ 2 * (beta ^ 2 / D))
            + 2 * alpha / sqrt q1 * (a * (1 - 1 / D) + (1 - rho1) * (beta / D)) + alpha ^ 2) * D)
    with (1 / q1 * ((a * (1 - a) * f + a ^ 2) * (D - 1) + v * f * (2 * beta * c + beta ^ 2 * c ^ 2)
            + 2 * (a * (beta * (1 - rho1))) + beta ^ 2 * (1 - rho1) ^ 2)
          + 2 * alpha / sqrt q1 * (a * (D - 1) + beta * (1 - rho1)) + alpha ^ 2 * D).
  - apply Rplus_le_compat; [apply Rplus_le_compat|lra].
    + apply Rmult_le_compat_l; [unfold Rdiv; rewrite Rmult_1_l; left; apply Rinv_0_lt_compat; auto|lra].
    + apply Rmult_le_compat_l; [|lra]. pose proof (sqrt_lt_R0 q1 Hq). unfold Rdiv. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto].
  - pose proof (sqrt_lt_R0 q1 Hq). field. repeat split; lra.
Qed.

(* And from below. *)
Theorem jacobian_norm_low :
  b ^ 2 / q2 * (1 - 1 / D) + 2 * alpha / sqrt q2 * (b * (1 - 1 / D)) + alpha ^ 2 <= eta.
Proof.
  pose proof (dimension_ge_1 d Hd) as HD. apply jacobian_norm_ge_rows; auto; try lia. intros i Hi.
  assert (Q2 : inner d (x i) (x i) <= q2) by (apply Hnorm2; auto).
  assert (q2p : 0 < q2) by (pose proof (Hx i Hi); lra).
  apply Rle_trans with (2 := row_ge d n beta alpha x ltac:(lia) Hd Hb Ha Hx i q2 Hi Q2).
  destruct (Hself i Hi) as [L _]. destruct (self_low_range n rho2 beta Hn Hr2 Hb) as [L0 _].
  pose proof (sqrt_lt_R0 q2 q2p) as S2.
  replace ((b ^ 2 / q2 * (1 - 1 / D) + 2 * alpha / sqrt q2 * (b * (1 - 1 / D)) + alpha ^ 2) * D)
    with (b ^ 2 * (D - 1) / q2 + 2 * alpha / sqrt q2 * (b * (D - 1)) + alpha ^ 2 * D) by (field; repeat split; lra).
  apply Rplus_le_compat; [apply Rplus_le_compat|lra].
  - apply div_le; [apply Rmult_le_pos; [apply pow2_ge_0|lra]| |lra]. apply Rmult_le_compat_r; [lra|]. apply pow_incr. lra.
  - apply Rmult_le_compat_l; [unfold Rdiv; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]|].
    apply Rmult_le_compat_r; lra.
Qed.

(* ---- Blocks near those of y_i -> (y_i, identity): d x'_i/d x_k = delta_ik (I - y_i y_i^T)/|x_i| + o(1) ---- *)

(* <y, u><y, v> taken from <u, v>: at most |u| |v|. *)
Lemma projected_form_le k u w : (k < n)%nat -> Rabs (inner d u w - inner d (y k) u * inner d (y k) w) <= norm d u * norm d w.
Proof.
  intros Hk. set (pr := fun (u : vector) e => u e - inner d (y k) u * y k e).
  assert (U : inner d (y k) (y k) = 1) by (apply direction_unit; auto).
  assert (E : forall u w, inner d (pr u) (pr w) = inner d u w - inner d (y k) u * inner d (y k) w).
  { intros u0 w0. unfold pr. rewrite (inner_minus d u0 (fun e => inner d (y k) u0 * y k e) w0 (fun e => inner d (y k) w0 * y k e)).
    rewrite !inner_scal_r, !inner_scal, U, (inner_sym d u0 (y k)). ring. }
  assert (L : forall u, norm d (pr u) <= norm d u).
  { intros u0. apply sqrt_le_1_alt. rewrite E. pose proof (Rle_0_sqr (inner d (y k) u0)) as P. unfold Rsqr in P. lra. }
  rewrite <- E. apply Rle_trans with (1 := abs_inner_le_norms d _ _). apply Rmult_le_compat; auto; apply norm_nonneg.
Qed.

(* u^T (d x'_i/d x_k - [i = k] ((I - y_i y_i^T)/|x_i| + alpha I)) w *)
Definition block_defect i k (u w : vector) := sum_to d (fun c0 => sum_to d (fun e =>
  (jacobian d n beta alpha x i c0 k e - delta i k * ((delta c0 e - y i c0 * y i e) / norm d (x i) + alpha * delta c0 e)) * (u c0 * w e))).

Lemma reach_product i k : (i < n)%nat -> (k < n)%nat ->
  norm d (displacement d n beta x i k) * norm d (projected d x k i) <= c.
Proof.
  intros Hi Hk. apply Rsqr_incr_0_var; [|apply Hreach]. unfold Rsqr.
  replace (norm d (displacement d n beta x i k) * norm d (projected d x k i) * (norm d (displacement d n beta x i k) * norm d (projected d x k i)))
    with (norm d (displacement d n beta x i k) * norm d (displacement d n beta x i k) * (norm d (projected d x k i) * norm d (projected d x k i))) by ring.
  rewrite !norm_square, (projected_projected d n x Hx), spread_inner, gram_self, (gram_sym d x k i); auto.
  replace (c * c) with (c ^ 2) by ring. replace (1 - G i k * G i k) with (1 - G i k ^ 2) by ring. apply spread_reach; auto.
Qed.

Lemma form_le t s1 s2 u w : 0 <= t -> Rabs s1 <= norm d u * norm d w -> Rabs s2 <= c * (norm d u * norm d w) ->
  Rabs (t * (s1 + beta * s2)) <= t * (1 + beta * c) * (norm d u * norm d w).
Proof.
  intros Ht H1 H2. rewrite Rabs_mult, (Rabs_pos_eq t), Rmult_assoc; auto. apply Rmult_le_compat_l; auto.
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_mult, (Rabs_pos_eq beta); auto.
  apply Rle_trans with (norm d u * norm d w + beta * (c * (norm d u * norm d w))); [|lra].
  apply Rplus_le_compat; auto. apply Rmult_le_compat_l; auto.
Qed.

Lemma rank1_form_le p1 p2 u w : norm d p1 * norm d p2 <= c -> Rabs (inner d p1 u * inner d p2 w) <= c * (norm d u * norm d w).
Proof.
  intros H. rewrite Rabs_mult. apply Rle_trans with (norm d p1 * norm d u * (norm d p2 * norm d w)).
  - apply Rmult_le_compat; try apply Rabs_pos; apply abs_inner_le_norms.
  - replace (norm d p1 * norm d u * (norm d p2 * norm d w)) with (norm d p1 * norm d p2 * (norm d u * norm d w)) by ring.
    apply Rmult_le_compat_r; auto. apply Rmult_le_pos; apply norm_nonneg.
Qed.

(* The operator norm of every block's distance from its limit is at most (1 - A)(1 + beta c)/sqrt q1. *)
Theorem blocks_near_identity i k u w : (i < n)%nat -> (k < n)%nat ->
  Rabs (block_defect i k u w) <= (1 - b) * (1 + beta * c) / sqrt q1 * (norm d u * norm d w).
Proof.
  intros Hi Hk. pose proof Hreach as Hc. assert (bc : 0 <= beta * c) by (apply Rmult_le_pos; auto).
  assert (NN : 0 <= norm d u * norm d w) by (apply Rmult_le_pos; apply norm_nonneg).
  destruct (Hself i Hi) as [L _]. assert (A1 : A i i <= 1) by (apply weight_le_1; auto; lia).
  assert (Sq : 0 < sqrt q1) by (apply sqrt_lt_R0; auto).
  assert (Rk : sqrt q1 <= norm d (x k)) by (apply sqrt_le_1_alt, Hnorm1; auto).
  apply Rle_trans with ((1 - A i i) / norm d (x k) * (1 + beta * c) * (norm d u * norm d w)).
  2: { apply Rmult_le_compat_r; auto. replace ((1 - b) * (1 + beta * c) / sqrt q1) with ((1 - b) / sqrt q1 * (1 + beta * c)) by (field; lra).
       apply Rmult_le_compat_r; [lra|]. apply div_le; lra. }
  unfold block_defect. destruct (Nat.eq_dec i k) as [<-|Hik].
  - (* the diagonal block *)
    set (B := covariance_projected d n beta x i).
    assert (FB : Rabs (frobenius d B (fun c0 e => u c0 * w e)) <= (1 - A i i) * (c * (norm d u * norm d w))).
    { unfold B. rewrite (covariance_with d n beta x).
      rewrite (sum_split n i) by auto. rewrite frobenius_rank1.
      assert (Z : inner d (projected d x i i) w = 0).
      { unfold projected. rewrite (inner_ext d _ w (fun _ => 0 * 0) w); [rewrite (inner_scal d 0 (fun _ => 0)); ring| |auto].
        intros. rewrite gram_self; auto. ring. }
      rewrite Z, !Rmult_0_r, Rplus_0_l.
      rewrite <- (weight_others d n beta x i Hi), <- sum_but_scal_r. apply sum_but_abs. intros j Hj Hji.
      rewrite frobenius_rank1, Rabs_mult, (Rabs_pos_eq (A i j)) by (apply weight_nonneg; auto).
      apply Rmult_le_compat_l; [apply weight_nonneg; auto|]. apply rank1_form_le.
      replace (norm d (projected d x i j)) with (norm d (projected d x j i)).
      - apply reach_product; auto.
      - unfold norm. rewrite !(projected_projected d n x Hx), !gram_self, (gram_sym d x j i); auto. }
    assert (E : sum_to d (fun c0 => sum_to d (fun e =>
        (jacobian d n beta alpha x i c0 i e - delta i i * ((delta c0 e - y i c0 * y i e) / norm d (x i) + alpha * delta c0 e)) * (u c0 * w e)))
      = (- (1 - A i i) / norm d (x i)) * frobenius d (projection d x i) (fun c0 e => u c0 * w e)
        + (beta / norm d (x i)) * frobenius d B (fun c0 e => u c0 * w e)).
    { rewrite <- frobenius_linear. unfold frobenius. apply sum_ext; intros c0 Hc0. apply sum_ext; intros e He.
      rewrite (block_diagonal d n beta alpha x ltac:(lia) Hx i c0 e Hi Hc0 He), delta_same. fold B. unfold projection.
      pose proof (norm_pos d (x i) (Hx i Hi)). field. lra. }
    rewrite E, projection_rank1. pose proof (projected_form_le i u w Hi) as FP.
    set (s1 := inner d u w - inner d (y i) u * inner d (y i) w) in *. set (s2 := frobenius d B (fun c0 e => u c0 * w e)) in *.
    pose proof (norm_pos d (x i) (Hx i Hi)) as Ri. set (r := norm d (x i)) in *.
    replace ((1 - A i i) / r * (1 + beta * c) * (norm d u * norm d w))
      with ((1 - A i i) / r * (norm d u * norm d w) + beta / r * ((1 - A i i) * (c * (norm d u * norm d w)))) by (field; lra).
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult. apply Rplus_le_compat.
    + replace (- (1 - A i i) / r) with (- ((1 - A i i) / r)) by (field; lra).
      rewrite Rabs_Ropp, Rabs_pos_eq; [apply Rmult_le_compat_l; auto|]; (unfold Rdiv; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]).
    + rewrite (Rabs_pos_eq (beta / r)); [apply Rmult_le_compat_l; auto|]; (unfold Rdiv; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]).
  - (* off the diagonal *)
    assert (E : sum_to d (fun c0 => sum_to d (fun e =>
        (jacobian d n beta alpha x i c0 k e - delta i k * ((delta c0 e - y i c0 * y i e) / norm d (x i) + alpha * delta c0 e)) * (u c0 * w e)))
      = A i k / norm d (x k) * (frobenius d (projection d x k) (fun c0 e => u c0 * w e)
         + beta * frobenius d (fun c0 e => displacement d n beta x i k c0 * projected d x k i e) (fun c0 e => u c0 * w e))).
    { transitivity (A i k / norm d (x k) * frobenius d (fun c0 e => 1 * projection d x k c0 e
        + beta * (fun c0 e => displacement d n beta x i k c0 * projected d x k i e) c0 e) (fun c0 e => u c0 * w e)); [|rewrite frobenius_linear; ring].
      unfold frobenius. rewrite <- sum_scal. apply sum_ext; intros c0 Hc0. rewrite <- sum_scal. apply sum_ext; intros e He.
      rewrite (block_off d n beta alpha x ltac:(lia) Hx i k c0 e Hi Hk Hik Hc0 He), delta_other; auto. ring. }
    rewrite E, projection_rank1, frobenius_rank1. pose proof (norm_pos d (x k) (Hx k Hk)) as Pk.
    apply Rle_trans with (A i k / norm d (x k) * (1 + beta * c) * (norm d u * norm d w)).
    + apply form_le; [unfold Rdiv; apply Rmult_le_pos; [apply weight_nonneg; auto|left; apply Rinv_0_lt_compat; auto]|apply projected_form_le; auto|].
      apply rank1_form_le, reach_product; auto.
    + apply Rmult_le_compat_r; auto. apply Rmult_le_compat_r; [lra|]. apply div_le; [apply weight_nonneg; auto| |lra].
      apply (weight_le_others d n beta x); auto.
Qed.
End NearSimplexJacobian.
