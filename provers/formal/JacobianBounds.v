(* Bounds of the Jacobian norm at any non-zero tokens, by each row's weights alone: 0 <= T_i <= 1 - Y_i and
   0 <= V_i <= (1 - Y_i)^2, and from them bounds of eta from above and below. Uses Frobenius.v and Bounds.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Jacobian Frobenius Bounds.
Open Scope R_scope.

Section Covariance.
Variables (d n : nat) (beta : R) (x : tokens).
Hypothesis Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i).
Notation y := (unit_token d x).
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation p := (attention_on d n beta x).
Notation Y := (attention_norm2 d n beta x).
Notation T := (trace_projected d n beta x).
Notation V := (covariance_norm2 d n beta x).
Notation w := (displacement d n beta x).

(* <w_j, w_l>, w_j = y_j - m_i, and <y_i, w_j> *)
Definition spread i j l := G j l - p i j - p i l + Y i.
Definition along i j := G i j - p i i.

Lemma spread_inner i j l : (i < n)%nat -> (j < n)%nat -> (l < n)%nat -> inner d (w i j) (w i l) = spread i j l.
Proof. intros. apply (displacement_displacement d n beta x); auto. Qed.

Lemma along_inner i j : inner d (y i) (w i j) = along i j.
Proof.
  unfold displacement, along. rewrite (inner_ext d _ _ (y i) (fun c => 1 * y j c + (-1) * attention d n beta x i c)); [|auto|intros; ring].
  rewrite inner_linear_r, (inner_sym d (y i) (attention d n beta x i)). unfold attention_on, gram. ring.
Qed.

(* P_i w_j *)
Definition across i j : vector := fun e => w i j e - along i j * y i e.

Lemma across_inner i j l : (i < n)%nat -> (j < n)%nat -> (l < n)%nat ->
  inner d (across i j) (across i l) = spread i j l - along i j * along i l.
Proof.
  intros Hi Hj Hl. unfold across.
  rewrite (inner_minus d (w i j) (fun e => along i j * y i e) (w i l) (fun e => along i l * y i e)).
  rewrite !inner_scal_r, !inner_scal, spread_inner, (inner_sym d (w i j) (y i)), !along_inner; auto.
  fold (gram d x i i). rewrite gram_self; auto. ring.
Qed.

Lemma p_sum i : (i < n)%nat -> sum_to n (fun j => A i j * p i j) = Y i.
Proof. intros. symmetry. apply attention_square. Qed.

Lemma G_sum i k : sum_to n (fun j => A i j * G j k) = p i k.
Proof. symmetry. apply attention_unit. Qed.

Lemma G_sum_sym i k : sum_to n (fun j => A i j * G k j) = p i k.
Proof. rewrite <- G_sum. apply sum_ext; intros. rewrite gram_sym. reflexivity. Qed.

(* sum_j A_ij |w_j|^2 = 1 - Y_i *)
Lemma spread_sum i : (i < n)%nat -> sum_to n (fun j => A i j * spread i j j) = 1 - Y i.
Proof.
  intros Hi. unfold spread.
  rewrite (sum_ext n _ (fun j => ((1 + Y i) * A i j) + (-2) * (A i j * p i j))).
  - rewrite sum_plus, !sum_scal, p_sum, weights_sum; auto. ring.
  - intros j Hj. rewrite gram_self; auto. ring.
Qed.

(* sum_l A_il w_l = 0 *)
Lemma spread_centred i j : (i < n)%nat -> sum_to n (fun l => A i l * spread i j l) = 0.
Proof.
  intros Hi. unfold spread.
  rewrite (sum_ext n _ (fun l => (Y i - p i j) * A i l + (A i l * G j l + (-1) * (A i l * p i l)))); [|intros; ring].
  rewrite !sum_plus, !sum_scal, p_sum, weights_sum, G_sum_sym; auto. ring.
Qed.

Lemma spread_self_nonneg i j : (i < n)%nat -> (j < n)%nat -> 0 <= spread i j j.
Proof. intros. rewrite <- spread_inner; auto. apply inner_self_nonneg. Qed.

Lemma along_square_le i j : (i < n)%nat -> (j < n)%nat -> 0 <= spread i j j - along i j * along i j.
Proof. intros. rewrite <- across_inner; auto. apply inner_self_nonneg. Qed.

(* T_i = sum_j A_ij |P_i w_j|^2 *)
Lemma trace_squares i : (i < n)%nat -> T i = sum_to n (fun j => A i j * (spread i j j - along i j * along i j)).
Proof.
  intros Hi. unfold trace_projected.
  assert (E : sum_to n (fun j => A i j * (spread i j j - along i j * along i j))
     = (sum_to n (fun j => A i j * spread i j j) + (-1) * sum_to n (fun j => A i j * (G i j * G i j)))
       + (2 * p i i * sum_to n (fun j => A i j * G i j) + (- (p i i * p i i)) * sum_to n (A i))).
  { rewrite <- !sum_scal, <- !sum_plus. apply sum_ext; intros. unfold along. ring. }
  rewrite E, spread_sum, G_sum_sym, weights_sum; auto.
  rewrite (sum_ext n (fun j => A i j * (G j j - p i j - G i j * (G i j - p i i)))
     (fun j => (A i j + (-1) * (A i j * p i j)) + ((-1) * (A i j * (G i j * G i j)) + p i i * (A i j * G i j)))).
  - rewrite !sum_plus, !sum_scal, p_sum, G_sum_sym, weights_sum; auto. ring.
  - intros j Hj. rewrite gram_self; auto. ring.
Qed.

Theorem trace_nonneg i : (i < n)%nat -> 0 <= T i.
Proof.
  intros Hi. rewrite trace_squares; auto. apply sum_nonneg; intros j Hj.
  apply Rmult_le_pos; [apply weight_nonneg; auto|apply along_square_le; auto].
Qed.

Theorem trace_le i : (i < n)%nat -> T i <= 1 - Y i.
Proof.
  intros Hi. rewrite trace_squares, <- spread_sum; auto. apply sum_le; intros j Hj.
  apply Rmult_le_compat_l; [apply weight_nonneg; auto|]. pose proof (Rle_0_sqr (along i j)) as P. unfold Rsqr in P. lra.
Qed.

(* V_i = sum_jl A_ij A_il <w_j, w_l> <P_i w_j, P_i w_l> *)
Lemma covariance_squares i : (i < n)%nat ->
  V i = sum_to n (fun j => A i j * sum_to n (fun l => A i l * (spread i j l * (spread i j l - along i j * along i l)))).
Proof.
  intros Hi. unfold covariance_norm2.
  set (k := fun j => p i j - p i i * G i j). set (k0 := p i i * p i i - Y i).
  assert (E : forall j l, G j l - G i j * G i l = (spread i j l - along i j * along i l) + (k j + k l + k0)).
  { intros. unfold spread, along, k, k0. ring. }
  transitivity (sum_to n (fun j => A i j * sum_to n (fun l => A i l * (spread i j l * (spread i j l - along i j * along i l)))
     + sum_to n (fun l => A i l * (A i j * (spread i l j * (k j + k l + k0)))))).
  - apply sum_ext; intros j Hj. rewrite <- sum_scal, <- sum_plus. apply sum_ext; intros l Hl.
    rewrite E. fold (spread i j l).
    replace (spread i l j) with (spread i j l) by (unfold spread; rewrite (gram_sym d x l j); ring). ring.
  - rewrite sum_plus. match goal with |- _ + ?s = _ => assert (Z : s = 0) end; [|rewrite Z; ring].
    rewrite (sum_ext n _ (fun j => sum_to n (fun l => A i l * (A i j * spread i l j) * (k l + k0))
       + A i j * k j * sum_to n (fun l => A i l * spread i j l))).
    + rewrite sum_plus, (sum_zero n (fun j => A i j * k j * _)).
      * rewrite sum_swap, sum_zero; [ring|]. intros l Hl.
        rewrite (sum_ext n _ (fun j => (A i l * (k l + k0)) * (A i j * spread i l j))); [|intros; ring].
        rewrite sum_scal, spread_centred; auto. ring.
      * intros j Hj. rewrite spread_centred; auto. ring.
    + intros j Hj. rewrite <- sum_scal, <- sum_plus. apply sum_ext; intros l Hl.
      replace (spread i l j) with (spread i j l) by (unfold spread; rewrite (gram_sym d x l j); ring). ring.
Qed.

Lemma spread_product i j l : (i < n)%nat -> (j < n)%nat -> (l < n)%nat ->
  spread i j l * (spread i j l - along i j * along i l) <= spread i j j * spread i l l.
Proof.
  intros Hi Hj Hl. rewrite <- across_inner; auto.
  pose proof (abs_inner_le_norms d (w i j) (w i l)) as P1. rewrite spread_inner in P1; auto.
  pose proof (abs_inner_le_norms d (across i j) (across i l)) as P2.
  pose proof (Rle_0_sqr (along i j)) as Q1. pose proof (Rle_0_sqr (along i l)) as Q2. unfold Rsqr in *.
  assert (N : forall k, (k < n)%nat -> norm d (across i k) <= norm d (w i k)).
  { intros k Hk. apply sqrt_le_1_alt. rewrite across_inner, spread_inner; auto.
    pose proof (Rle_0_sqr (along i k)) as P. unfold Rsqr in P. lra. }
  assert (P3 : Rabs (inner d (across i j) (across i l)) <= norm d (w i j) * norm d (w i l)).
  { apply Rle_trans with (1 := P2). apply Rmult_le_compat; auto; apply norm_nonneg. }
  apply Rle_trans with (Rabs (spread i j l * inner d (across i j) (across i l))); [apply Rle_abs|].
  rewrite Rabs_mult, <- !spread_inner, <- !norm_square; auto.
  replace (norm d (w i j) * norm d (w i j) * (norm d (w i l) * norm d (w i l)))
    with ((norm d (w i j) * norm d (w i l)) * (norm d (w i j) * norm d (w i l))) by ring.
  apply Rmult_le_compat; try apply Rabs_pos; auto. rewrite spread_inner; auto.
Qed.

Theorem covariance_le i : (i < n)%nat -> V i <= (1 - Y i) ^ 2.
Proof.
  intros Hi. rewrite covariance_squares; auto.
  apply Rle_trans with (sum_to n (fun j => A i j * sum_to n (fun l => A i l * (spread i j j * spread i l l)))).
  - apply sum_le; intros j Hj. apply Rmult_le_compat_l; [apply weight_nonneg; auto|]. apply sum_le; intros l Hl.
    apply Rmult_le_compat_l; [apply weight_nonneg; auto|apply spread_product; auto].
  - right. rewrite <- (spread_sum i Hi). simpl. rewrite Rmult_1_r, <- sum_scal_r. apply sum_ext; intros j Hj.
    rewrite Rmult_assoc. f_equal. rewrite <- sum_scal. apply sum_ext; intros; ring.
Qed.

(* |y_k - m_i|^2 <= 2 (1 - g) where no inner product is below g. *)
Lemma spread_self_le i k g : (i < n)%nat -> (k < n)%nat -> (forall j, (j < n)%nat -> g <= G j k) -> spread i k k <= 2 * (1 - g).
Proof.
  intros Hi Hk H. unfold spread. rewrite gram_self; auto.
  assert (g <= p i k) by (rewrite <- G_sum; apply row_mean_ge; auto).
  assert (Y i <= 1) by (apply attention_norm2_le_1; auto). lra.
Qed.

(* Y_i >= g where no inner product is below g. *)
Lemma norm2_ge i g : (i < n)%nat -> (forall k j, (k < n)%nat -> (j < n)%nat -> g <= G k j) -> g <= Y i.
Proof.
  intros Hi H. rewrite <- p_sum; auto. apply row_mean_ge; auto. intros k Hk. rewrite <- G_sum. apply row_mean_ge; auto.
Qed.

(* 1 - Y_i <= sum_j A_ij |y_j - y_i|^2 <= 2 (1 - A_ii) (1 - g) *)
Lemma norm2_near i g : (i < n)%nat -> (forall j, (j < n)%nat -> g <= G i j) -> 1 - Y i <= 2 * (1 - A i i) * (1 - g).
Proof.
  intros Hi H.
  assert (P : (1 - p i i) + (1 - p i i) - (1 - Y i) >= 0).
  { pose proof (inner_self_nonneg d (w i i)) as P. rewrite spread_inner in P; auto. unfold spread in P.
    rewrite gram_self in P; auto. lra. }
  assert (Q : 1 - p i i <= (1 - A i i) * (1 - g)).
  { rewrite <- G_sum_sym, (sum_split n i) by auto. rewrite gram_self; auto.
    assert (K : g * sum_but n i (A i) <= sum_but n i (fun j => A i j * G i j)).
    { rewrite <- sum_but_scal. apply sum_but_le; intros k Hk _. rewrite Rmult_comm. apply Rmult_le_compat_l; [apply weight_nonneg; auto|auto]. }
    rewrite weight_others in K; auto. lra. }
  lra.
Qed.
End Covariance.

(* ---- eta, row by row ---- *)
Section Eta.
Variables (d n : nat) (beta alpha : R) (x : tokens).
Hypotheses (Hn : (0 < n)%nat) (Hd : (0 < d)%nat) (Hb : 0 <= beta) (Ha : 0 <= alpha).
Hypothesis Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i).
Notation A := (weight d n beta x).
Notation G := (gram d x).
Notation Y := (attention_norm2 d n beta x).
Notation block := (block_norm2 d n beta alpha x).
Notation D := (INR d).

Lemma dimension_ge_1 : 1 <= D.
Proof. exact (le_INR 1 d Hd). Qed.

Theorem jacobian_norm_le_rows M : (forall i, (i < n)%nat -> sum_to n (fun k => block i k) <= M * D) ->
  jacobian_norm d n beta alpha x <= M.
Proof.
  intros H. pose proof dimension_ge_1. assert (0 < INR n) by (apply lt_0_INR; auto).
  rewrite (jacobian_norm_blocks d n beta alpha x). apply (Rmult_le_reg_r (INR n * D)); [apply Rmult_lt_0_compat; lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
  replace (M * (INR n * D)) with (INR n * (M * D)) by ring. rewrite <- sum_const. apply sum_le; auto.
Qed.

Theorem jacobian_norm_ge_rows M : (forall i, (i < n)%nat -> M * D <= sum_to n (fun k => block i k)) ->
  M <= jacobian_norm d n beta alpha x.
Proof.
  intros H. pose proof dimension_ge_1. assert (0 < INR n) by (apply lt_0_INR; auto).
  rewrite (jacobian_norm_blocks d n beta alpha x). apply (Rmult_le_reg_r (INR n * D)); [apply Rmult_lt_0_compat; lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
  replace (M * (INR n * D)) with (INR n * (M * D)) by ring. rewrite <- sum_const. apply sum_le; auto.
Qed.

Lemma block_nonneg i k : 0 <= block i k.
Proof. apply sum_nonneg; intros; apply sum_nonneg; intros. apply pow2_ge_0. Qed.

(* An off-diagonal block, c an upper bound of |y_k - m_i| |P_k y_i|. *)
Lemma block_off_le i k q1 c : (i < n)%nat -> (k < n)%nat -> i <> k -> 0 < q1 <= inner d (x k) (x k) -> 0 <= c ->
  spread d n beta x i k k * (1 - G i k ^ 2) <= c ^ 2 ->
  block i k <= A i k ^ 2 / q1 * ((D - 1) + 2 * beta * c + beta ^ 2 * c ^ 2).
Proof.
  intros Hi Hk Hik Hq Hc H. rewrite block_norm2_off; auto. pose proof dimension_ge_1 as HD.
  set (p := attention_on d n beta x).
  replace (1 - 2 * p i k + Y i) with (spread d n beta x i k k) by (unfold spread; rewrite gram_self; auto; unfold p; ring).
  assert (E : G i k * p i k - p i i <= c).
  { assert (E2 : (G i k * p i k - p i i) * (G i k * p i k - p i i) <= c ^ 2).
    { apply Rle_trans with (2 := H).
      pose proof (cauchy_schwarz d (displacement d n beta x i k) (projected d x k i)) as CS.
      rewrite displacement_projected, (displacement_displacement d n beta x) in CS; auto.
      rewrite (projected_projected d n x Hx) in CS; auto. rewrite !gram_self in CS; auto.
      rewrite (gram_sym d x k i) in CS. fold p in CS. unfold spread. fold p. rewrite gram_self; auto.
      replace (G i k * p i k - p i i) with (G i k - p i i - G i k * (1 - p i k)) by ring.
      replace (1 - G i k ^ 2) with (1 - G i k * G i k) by ring. exact CS. }
    apply Rsqr_incr_0_var; auto. unfold Rsqr. simpl in E2. lra. }
  assert (F : INR d - 1 + 2 * beta * (G i k * p i k - p i i) + beta ^ 2 * (spread d n beta x i k k * (1 - G i k ^ 2))
     <= (D - 1) + 2 * beta * c + beta ^ 2 * c ^ 2).
  { assert (2 * beta * (G i k * p i k - p i i) <= 2 * beta * c) by (apply Rmult_le_compat_l; lra).
    assert (beta ^ 2 * (spread d n beta x i k k * (1 - G i k ^ 2)) <= beta ^ 2 * c ^ 2) by (apply Rmult_le_compat_l; [apply pow2_ge_0|auto]).
    lra. }
  assert (R0 : (A i k / norm d (x k)) ^ 2 <= A i k ^ 2 / q1).
  { unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. replace (norm d (x k) ^ 2) with (inner d (x k) (x k)) by (rewrite <- norm_square; ring).
    apply Rmult_le_compat_l; [apply pow2_ge_0|]. apply Rinv_le_contravar; lra. }
  apply Rle_trans with ((A i k / norm d (x k)) ^ 2 * ((D - 1) + 2 * beta * c + beta ^ 2 * c ^ 2)).
  - apply Rmult_le_compat_l; [apply pow2_ge_0|exact F].
  - apply Rmult_le_compat_r; [|exact R0]. assert (0 <= beta * c) by (apply Rmult_le_pos; auto).
    assert (0 <= beta ^ 2 * c ^ 2) by (apply Rmult_le_pos; apply pow2_ge_0). lra.
Qed.

(* The diagonal block, t an upper bound of 1 - Y_i. *)
Lemma block_diagonal_le i q1 t : (i < n)%nat -> 0 < q1 <= inner d (x i) (x i) -> 1 - Y i <= t ->
  block i i <= 1 / q1 * (A i i ^ 2 * (D - 1) + 2 * A i i * beta * t + beta ^ 2 * t ^ 2)
    + 2 * alpha / sqrt q1 * (A i i * (D - 1) + beta * t) + alpha ^ 2 * D.
Proof.
  intros Hi Hq Ht. rewrite block_norm2_diagonal; auto. pose proof dimension_ge_1 as HD.
  pose proof (trace_nonneg d n beta x Hx i Hi) as T0. pose proof (trace_le d n beta x Hx i Hi) as T1.
  pose proof (covariance_norm2_nonneg d n beta x Hx i Hi) as V0. pose proof (covariance_le d n beta x Hx i Hi) as V1.
  set (T := trace_projected d n beta x i) in *. set (V := covariance_norm2 d n beta x i) in *.
  assert (V2 : V <= t ^ 2) by (apply Rle_trans with (1 := V1); apply pow_incr; lra).
  pose proof (weight_nonneg d n beta x i i Hi) as A0. set (a := A i i) in *.
  assert (S1 : 0 < sqrt q1) by (apply sqrt_lt_R0; lra).
  assert (S2 : sqrt q1 <= norm d (x i)) by (apply sqrt_le_1_alt; lra).
  assert (bT : 0 <= beta * T) by (apply Rmult_le_pos; auto).
  assert (bt : beta * T <= beta * t) by (apply Rmult_le_compat_l; lra).
  assert (bV : beta ^ 2 * V <= beta ^ 2 * t ^ 2) by (apply Rmult_le_compat_l; [apply pow2_ge_0|auto]).
  assert (bV0 : 0 <= beta ^ 2 * V) by (apply Rmult_le_pos; [apply pow2_ge_0|auto]).
  assert (aD : 0 <= a * (D - 1)) by (apply Rmult_le_pos; lra).
  assert (a2D : 0 <= a ^ 2 * (D - 1)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
  assert (abT : a * (beta * T) <= a * (beta * t)) by (apply Rmult_le_compat_l; auto).
  assert (abT0 : 0 <= a * (beta * T)) by (apply Rmult_le_pos; auto).
  apply Rplus_le_compat; [apply Rplus_le_compat|lra].
  - replace (norm d (x i) ^ 2) with (inner d (x i) (x i)) by (rewrite <- norm_square; ring).
    apply Rmult_le_compat; [| |unfold Rdiv; rewrite !Rmult_1_l; apply Rinv_le_contravar; lra|lra].
    + unfold Rdiv. rewrite Rmult_1_l. left. apply Rinv_0_lt_compat. lra.
    + lra.
  - apply Rmult_le_compat; [| |unfold Rdiv; apply Rmult_le_compat_l; [lra|apply Rinv_le_contravar; lra]|lra].
    + unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    + lra.
Qed.

(* A row of blocks from above: sq a bound of the sum of A_ik^2 over k <> i. *)
Theorem row_le i q1 c t sq : (i < n)%nat -> 0 < q1 -> (forall k, (k < n)%nat -> q1 <= inner d (x k) (x k)) -> 0 <= c ->
  (forall k, (k < n)%nat -> spread d n beta x i k k * (1 - G i k ^ 2) <= c ^ 2) -> 1 - Y i <= t ->
  sum_but n i (fun k => A i k ^ 2) <= sq ->
  sum_to n (fun k => block i k) <=
    1 / q1 * (sq * ((D - 1) + 2 * beta * c + beta ^ 2 * c ^ 2) + A i i ^ 2 * (D - 1) + 2 * A i i * beta * t + beta ^ 2 * t ^ 2)
    + 2 * alpha / sqrt q1 * (A i i * (D - 1) + beta * t) + alpha ^ 2 * D.
Proof.
  intros Hi Hq Hx1 Hc HW Ht Hs. rewrite (sum_split n i); auto. pose proof dimension_ge_1 as HD.
  assert (B : sum_but n i (fun k => block i k) <= sq / q1 * ((D - 1) + 2 * beta * c + beta ^ 2 * c ^ 2)).
  { set (K := (D - 1) + 2 * beta * c + beta ^ 2 * c ^ 2).
    assert (HK : 0 <= K).
    { assert (0 <= beta * c) by (apply Rmult_le_pos; auto).
      assert (0 <= beta ^ 2 * c ^ 2) by (apply Rmult_le_pos; apply pow2_ge_0). unfold K; lra. }
    apply Rle_trans with (sum_but n i (fun k => (K / q1) * A i k ^ 2)).
    - apply sum_but_le; intros k Hk Hki. replace (K / q1 * A i k ^ 2) with (A i k ^ 2 / q1 * K) by (field; lra).
      apply block_off_le; auto.
    - rewrite sum_but_scal. replace (sq / q1 * K) with (K / q1 * sq) by (field; lra).
      apply Rmult_le_compat_l; auto. unfold Rdiv. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; lra. }
  pose proof (block_diagonal_le i q1 t Hi (conj Hq (Hx1 i Hi)) Ht) as C.
  replace (1 / q1 * (sq * (D - 1 + 2 * beta * c + beta ^ 2 * c ^ 2) + A i i ^ 2 * (D - 1) + 2 * A i i * beta * t + beta ^ 2 * t ^ 2))
    with (1 / q1 * (A i i ^ 2 * (D - 1) + 2 * A i i * beta * t + beta ^ 2 * t ^ 2) + sq / q1 * ((D - 1) + 2 * beta * c + beta ^ 2 * c ^ 2)) by (field; lra).
  lra.
Qed.

(* And from below, by the self weight. *)
Theorem row_ge i q2 : (i < n)%nat -> inner d (x i) (x i) <= q2 ->
  A i i ^ 2 * (D - 1) / q2 + 2 * alpha / sqrt q2 * (A i i * (D - 1)) + alpha ^ 2 * D <= sum_to n (fun k => block i k).
Proof.
  intros Hi Hq. pose proof dimension_ge_1 as HD. pose proof (Hx i Hi) as Hxi.
  apply Rle_trans with (block i i); [|apply (term_le_sum n i (fun k => block i k)); auto; intros; apply block_nonneg].
  rewrite block_norm2_diagonal; auto.
  pose proof (trace_nonneg d n beta x Hx i Hi) as T0. pose proof (covariance_norm2_nonneg d n beta x Hx i Hi) as V0.
  set (T := trace_projected d n beta x i) in *. set (V := covariance_norm2 d n beta x i) in *.
  pose proof (weight_nonneg d n beta x i i Hi) as A0. set (a := A i i) in *.
  assert (S1 : 0 < norm d (x i)) by (apply norm_pos; auto).
  assert (S2 : norm d (x i) <= sqrt q2) by (apply sqrt_le_1_alt; lra).
  assert (bT : 0 <= beta * T) by (apply Rmult_le_pos; auto).
  assert (bV0 : 0 <= beta ^ 2 * V) by (apply Rmult_le_pos; [apply pow2_ge_0|auto]).
  assert (aD : 0 <= a * (D - 1)) by (apply Rmult_le_pos; lra).
  assert (a2D : 0 <= a ^ 2 * (D - 1)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
  assert (abT0 : 0 <= a * (beta * T)) by (apply Rmult_le_pos; auto).
  apply Rplus_le_compat; [apply Rplus_le_compat|lra].
  - replace (norm d (x i) ^ 2) with (inner d (x i) (x i)) by (rewrite <- norm_square; ring).
    replace (a ^ 2 * (D - 1) / q2) with (1 / q2 * (a ^ 2 * (D - 1))) by (field; lra).
    apply Rmult_le_compat; [unfold Rdiv; rewrite Rmult_1_l; left; apply Rinv_0_lt_compat; lra|auto|
      unfold Rdiv; rewrite !Rmult_1_l; apply Rinv_le_contravar; lra|lra].
  - apply Rmult_le_compat; [unfold Rdiv; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|auto|
      unfold Rdiv; apply Rmult_le_compat_l; [lra|apply Rinv_le_contravar; lra]|lra].
Qed.
End Eta.
