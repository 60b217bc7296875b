(* Inequalities at any non-zero tokens: Cauchy and Schwarz, weighted means, and what the distances 1 - G_ik of a row
   say of its weights. Uses Weights.v and Powers.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Powers.
Open Scope R_scope.

(* ---- Sums with one term apart, as bounds ---- *)

Lemma sum_apart_le n i f y :
  (i < n)%nat -> (forall k, (k < n)%nat -> k <> i -> f k <= y) -> sum_to n f <= f i + (INR n - 1) * y.
Proof.
  intros Hi H. rewrite <- (sum_apart n i (fun k => if Nat.eqb k i then f i else y) (f i) y); auto.
  - apply sum_le; intros k Hk. destruct (Nat.eqb_spec k i) as [->|]; [lra|auto].
  - rewrite Nat.eqb_refl; auto.
  - intros k _ Hk. destruct (Nat.eqb_spec k i); [contradiction|auto].
Qed.

Lemma sum_apart_ge n i f y :
  (i < n)%nat -> (forall k, (k < n)%nat -> k <> i -> y <= f k) -> f i + (INR n - 1) * y <= sum_to n f.
Proof.
  intros Hi H. rewrite <- (sum_apart n i (fun k => if Nat.eqb k i then f i else y) (f i) y); auto.
  - apply sum_le; intros k Hk. destruct (Nat.eqb_spec k i) as [->|]; [lra|auto].
  - rewrite Nat.eqb_refl; auto.
  - intros k _ Hk. destruct (Nat.eqb_spec k i); [contradiction|auto].
Qed.

(* The sum over all k <> i. *)
Definition sum_but (n i : nat) (f : nat -> R) : R := sum_to n (fun k => if Nat.eqb k i then 0 else f k).

Lemma sum_split n i f : (i < n)%nat -> sum_to n f = f i + sum_but n i f.
Proof.
  intros Hi. unfold sum_but. rewrite (sum_one n i f (fun k => if Nat.eqb k i then 0 else f k)); auto.
  - rewrite Nat.eqb_refl. ring.
  - intros k _ Hk. destruct (Nat.eqb_spec k i); [contradiction|reflexivity].
Qed.

Lemma sum_but_le n i f g :
  (forall k, (k < n)%nat -> k <> i -> f k <= g k) -> sum_but n i f <= sum_but n i g.
Proof. intros H. apply sum_le; intros k Hk. destruct (Nat.eqb_spec k i); [lra|auto]. Qed.

Lemma sum_but_ext n i f g :
  (forall k, (k < n)%nat -> k <> i -> f k = g k) -> sum_but n i f = sum_but n i g.
Proof. intros H. apply sum_ext; intros k Hk. destruct (Nat.eqb_spec k i); auto. Qed.

Lemma sum_but_scal n i a f : sum_but n i (fun k => a * f k) = a * sum_but n i f.
Proof.
  unfold sum_but. rewrite <- sum_scal. apply sum_ext; intros k _. destruct (Nat.eqb k i); ring.
Qed.

Lemma sum_but_scal_r n i a f : sum_but n i (fun k => f k * a) = sum_but n i f * a.
Proof. rewrite Rmult_comm, <- sum_but_scal. apply sum_but_ext; intros; ring. Qed.

Lemma sum_but_plus n i f g : sum_but n i (fun k => f k + g k) = sum_but n i f + sum_but n i g.
Proof. unfold sum_but. rewrite <- sum_plus. apply sum_ext; intros k _. destruct (Nat.eqb k i); ring. Qed.

Lemma sum_but_nonneg n i f : (forall k, (k < n)%nat -> k <> i -> 0 <= f k) -> 0 <= sum_but n i f.
Proof. intros H. apply sum_nonneg; intros k Hk. destruct (Nat.eqb_spec k i); [lra|auto]. Qed.

Lemma sum_but_abs n i f g :
  (forall k, (k < n)%nat -> k <> i -> Rabs (f k) <= g k) -> Rabs (sum_but n i f) <= sum_but n i g.
Proof.
  intros H. apply Rabs_le. split; [|apply sum_but_le; intros k Hk Hki; apply Rle_trans with (1 := Rle_abs _); auto].
  replace (- sum_but n i g) with (sum_but n i (fun k => (-1) * g k)) by (rewrite sum_but_scal; ring).
  apply sum_but_le; intros k Hk Hki. pose proof (Rle_abs (- f k)) as P. rewrite Rabs_Ropp in P. specialize (H k Hk Hki). lra.
Qed.

(* ---- Weighted means: a_k >= 0 ---- *)

Lemma combination_le n a f c :
  (forall k, (k < n)%nat -> 0 <= a k) -> (forall k, (k < n)%nat -> f k <= c) ->
  sum_to n (fun k => a k * f k) <= sum_to n a * c.
Proof.
  intros Ha Hf. rewrite <- sum_scal_r. apply sum_le; intros k Hk. apply Rmult_le_compat_l; auto.
Qed.

Lemma combination_ge n a f c :
  (forall k, (k < n)%nat -> 0 <= a k) -> (forall k, (k < n)%nat -> c <= f k) ->
  sum_to n a * c <= sum_to n (fun k => a k * f k).
Proof.
  intros Ha Hf. rewrite <- sum_scal_r. apply sum_le; intros k Hk. apply Rmult_le_compat_l; auto.
Qed.

(* ---- Vectors ---- *)

(* Cauchy and Schwarz. *)
Lemma cauchy_schwarz d u v : inner d u v * inner d u v <= inner d u u * inner d v v.
Proof.
  assert (P : forall t, 0 <= inner d u u + t * (-2 * inner d u v + t * inner d v v)).
  { intros t. pose proof (inner_self_nonneg d (fun c => 1 * u c + (- t) * v c)) as P.
    rewrite inner_linear, !inner_linear_r, (inner_sym d v u) in P. lra. }
  pose proof (inner_self_nonneg d v) as V. destruct (Req_dec (inner d v v) 0) as [E|E].
  - rewrite E in *. destruct (Req_dec (inner d u v) 0) as [->|F]; [lra|].
    specialize (P ((inner d u u + 1) / (2 * inner d u v))).
    replace (inner d u u + (inner d u u + 1) / (2 * inner d u v) * (-2 * inner d u v + (inner d u u + 1) / (2 * inner d u v) * 0))
      with (-1) in P by (field; auto). lra.
  - specialize (P (inner d u v / inner d v v)).
    apply (Rmult_le_reg_r (/ inner d v v)); [apply Rinv_0_lt_compat; lra|].
    replace (inner d u u * inner d v v * / inner d v v) with (inner d u u) by (field; auto).
    replace (inner d u u + inner d u v / inner d v v * (-2 * inner d u v + inner d u v / inner d v v * inner d v v))
      with (inner d u u - inner d u v * inner d u v * / inner d v v) in P by (field; auto). lra.
Qed.

Lemma inner_le_norms d u v : inner d u v <= norm d u * norm d v.
Proof.
  pose proof (norm_nonneg d u). pose proof (norm_nonneg d v).
  destruct (Rle_or_lt (inner d u v) 0) as [H1|H1].
  - apply Rle_trans with 0; auto. apply Rmult_le_pos; auto.
  - apply Rsqr_incr_0_var; [|apply Rmult_le_pos; auto]. unfold Rsqr.
    replace (norm d u * norm d v * (norm d u * norm d v)) with ((norm d u * norm d u) * (norm d v * norm d v)) by ring.
    rewrite !norm_square. apply cauchy_schwarz.
Qed.

Lemma inner_opp d u v : inner d (fun c => - u c) v = - inner d u v.
Proof. rewrite (inner_ext d _ v (fun c => (-1) * u c) v); [rewrite inner_scal; ring|intros; ring|auto]. Qed.

Lemma abs_inner_le_norms d u v : Rabs (inner d u v) <= norm d u * norm d v.
Proof.
  apply Rabs_le. split; [|apply inner_le_norms].
  pose proof (inner_le_norms d (fun c => - u c) v) as P. rewrite inner_opp in P.
  assert (E : norm d (fun c => - u c) = norm d u).
  { unfold norm. rewrite inner_opp, inner_sym, inner_opp. f_equal. ring. }
  rewrite E in P. lra.
Qed.

(* Minkowski. *)
Lemma norm_triangle d u v : norm d (fun c => u c + v c) <= norm d u + norm d v.
Proof.
  pose proof (norm_nonneg d u). pose proof (norm_nonneg d v).
  apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. rewrite norm_square.
  rewrite (inner_ext d _ _ (fun c => 1 * u c + 1 * v c) (fun c => 1 * u c + 1 * v c)); [|intros; ring|intros; ring].
  rewrite inner_linear, !inner_linear_r, (inner_sym d v u).
  pose proof (inner_le_norms d u v). pose proof (norm_square d u). pose proof (norm_square d v). nra.
Qed.

Lemma norm_scal d a u : 0 <= a -> norm d (fun c => a * u c) = a * norm d u.
Proof.
  intros Ha. unfold norm. rewrite inner_scal, inner_scal_r, <- Rmult_assoc.
  rewrite sqrt_mult_alt; [|apply Rmult_le_pos; auto]. rewrite sqrt_square; auto.
Qed.

(* A coordinate is at most the norm. *)
Lemma coordinate_le_norm d u c : (c < d)%nat -> Rabs (u c) <= norm d u.
Proof.
  intros Hc. rewrite <- (sqrt_Rsqr_abs (u c)). apply sqrt_le_1_alt.
  apply (term_le_sum d c (fun c => u c * u c)); auto. intros; apply Rle_0_sqr.
Qed.

Lemma share_range w : 0 < w -> 0 < / (1 + w) < 1.
Proof.
  intros H. split; [apply Rinv_0_lt_compat; lra|]. apply (Rmult_lt_reg_r (1 + w)); [lra|]. rewrite Rinv_l; lra.
Qed.

Section Row.
Variables (d n : nat) (beta : R) (x : tokens).
Hypothesis Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i).
Notation y := (unit_token d x).
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation m := (attention d n beta x).

Lemma gram_bound i j : (i < n)%nat -> (j < n)%nat -> G i j <= 1.
Proof. intros. apply gram_le_1; auto. Qed.

Lemma weight_nonneg i k : (i < n)%nat -> 0 <= A i k.
Proof. intros. left. apply weight_pos. lia. Qed.

Lemma weights_sum i : (i < n)%nat -> sum_to n (A i) = 1.
Proof. intros. apply weights_sum_to_1. lia. Qed.

Lemma weight_others i : (i < n)%nat -> sum_but n i (A i) = 1 - A i i.
Proof. intros H. pose proof (sum_split n i (A i) H) as E. rewrite weights_sum in E; auto. lra. Qed.

Lemma weight_le_others i k : (i < n)%nat -> (k < n)%nat -> k <> i -> A i k <= 1 - A i i.
Proof.
  intros Hi Hk Hki. rewrite <- weight_others; auto. unfold sum_but.
  replace (A i k) with (if Nat.eqb k i then 0 else A i k) by (destruct (Nat.eqb_spec k i); [contradiction|auto]).
  apply (term_le_sum n k (fun k => if Nat.eqb k i then 0 else A i k)); auto.
  intros j _. destruct (Nat.eqb j i); [lra|apply weight_nonneg; auto].
Qed.

(* Where all others are at distance at least gap, each has at most exp (- beta gap) of the token's own weight. *)
Lemma weight_other_le i k gap : 0 <= beta -> (i < n)%nat -> (k < n)%nat -> gap <= 1 - G i k ->
  A i k <= A i i * exp (- beta * gap).
Proof.
  intros Hb Hi Hk H. rewrite (weight_ratio d n beta x i k i), gram_self; auto; try lia.
  apply Rmult_le_compat_l; [apply weight_nonneg; auto|]. apply exp_le.
  replace (beta * (G i k - 1)) with (- (beta * (1 - G i k))) by ring.
  replace (- beta * gap) with (- (beta * gap)) by ring. apply Ropp_le_contravar, Rmult_le_compat_l; auto.
Qed.

Lemma weight_other_ge i k gap : 0 <= beta -> (i < n)%nat -> (k < n)%nat -> 1 - G i k <= gap ->
  A i i * exp (- beta * gap) <= A i k.
Proof.
  intros Hb Hi Hk H. rewrite (weight_ratio d n beta x i k i), gram_self; auto; try lia.
  apply Rmult_le_compat_l; [apply weight_nonneg; auto|]. apply exp_le.
  replace (beta * (G i k - 1)) with (- (beta * (1 - G i k))) by ring.
  replace (- beta * gap) with (- (beta * gap)) by ring. apply Ropp_le_contravar, Rmult_le_compat_l; auto.
Qed.

(* Attention to oneself is strongest. *)
Lemma weight_le_self i k : 0 <= beta -> (i < n)%nat -> (k < n)%nat -> A i k <= A i i.
Proof.
  intros Hb Hi Hk. replace (A i i) with (A i i * exp (- beta * 0)).
  - apply weight_other_le; auto. pose proof (gram_bound i k Hi Hk). lra.
  - rewrite Rmult_0_r, exp_0. ring.
Qed.

(* 1/(1 + (n-1) exp (-beta gap)) with the smallest gap is below A_ii, with the largest above. *)
Lemma self_weight_ge i gap : 0 <= beta -> (i < n)%nat ->
  (forall k, (k < n)%nat -> k <> i -> gap <= 1 - G i k) -> / (1 + (INR n - 1) * exp (- beta * gap)) <= A i i.
Proof.
  intros Hb Hi H. set (e := exp (- beta * gap)). pose proof (exp_pos (- beta * gap)) as He. fold e in He.
  assert (HN : 1 <= INR n) by (apply (le_INR 1); lia).
  assert (E : 1 <= A i i * (1 + (INR n - 1) * e)).
  { rewrite <- (weights_sum i Hi) at 1.
    apply Rle_trans with (A i i + (INR n - 1) * (A i i * e)); [|lra].
    apply sum_apart_le; auto. intros k Hk Hki. apply weight_other_le; auto. }
  assert (0 <= (INR n - 1) * e) by (apply Rmult_le_pos; lra).
  apply (Rmult_le_reg_r (1 + (INR n - 1) * e)); [lra|]. rewrite Rinv_l; lra.
Qed.

Lemma self_weight_le i gap : 0 <= beta -> (i < n)%nat ->
  (forall k, (k < n)%nat -> k <> i -> 1 - G i k <= gap) -> A i i <= / (1 + (INR n - 1) * exp (- beta * gap)).
Proof.
  intros Hb Hi H. set (e := exp (- beta * gap)). pose proof (exp_pos (- beta * gap)) as He. fold e in He.
  assert (HN : 1 <= INR n) by (apply (le_INR 1); lia).
  assert (E : A i i * (1 + (INR n - 1) * e) <= 1).
  { apply Rle_trans with (sum_to n (A i)); [|rewrite weights_sum; auto; lra].
    apply Rle_trans with (A i i + (INR n - 1) * (A i i * e)); [lra|].
    apply sum_apart_ge; auto. intros k Hk Hki. apply weight_other_ge; auto. }
  assert (0 <= (INR n - 1) * e) by (apply Rmult_le_pos; lra).
  apply (Rmult_le_reg_r (1 + (INR n - 1) * e)); [lra|]. rewrite Rinv_l; lra.
Qed.

(* Squares of the weights of the others. *)
Lemma squares_others_le i e : (i < n)%nat ->
  (forall k, (k < n)%nat -> k <> i -> A i k <= A i i * e) ->
  sum_but n i (fun k => A i k ^ 2) <= A i i * (1 - A i i) * e.
Proof.
  intros Hi H. rewrite <- weight_others; auto.
  replace (A i i * sum_but n i (A i) * e) with (sum_but n i (fun k => A i i * e * A i k)) by (rewrite sum_but_scal; ring).
  apply sum_but_le; intros k Hk Hki. simpl. rewrite Rmult_1_r. apply Rmult_le_compat_r; [apply weight_nonneg; auto|auto].
Qed.

Lemma squares_others_le_square i : (i < n)%nat -> sum_but n i (fun k => A i k ^ 2) <= (1 - A i i) ^ 2.
Proof.
  intros Hi. replace ((1 - A i i) ^ 2) with ((1 - A i i) * sum_but n i (A i)) by (rewrite weight_others; auto; ring).
  rewrite <- sum_but_scal. apply sum_but_le; intros k Hk Hki. simpl. rewrite Rmult_1_r.
  apply Rmult_le_compat_r; [apply weight_nonneg; auto|apply weight_le_others; auto].
Qed.

(* Means over a row lie between bounds of what is averaged. *)
Lemma row_mean_le i f c : (i < n)%nat -> (forall k, (k < n)%nat -> f k <= c) -> sum_to n (fun k => A i k * f k) <= c.
Proof.
  intros Hi H. rewrite <- (Rmult_1_l c), <- (weights_sum i Hi). apply combination_le; auto. intros; apply weight_nonneg; auto.
Qed.

Lemma row_mean_ge i f c : (i < n)%nat -> (forall k, (k < n)%nat -> c <= f k) -> c <= sum_to n (fun k => A i k * f k).
Proof.
  intros Hi H. rewrite <- (Rmult_1_l c), <- (weights_sum i Hi). apply combination_ge; auto. intros; apply weight_nonneg; auto.
Qed.

Lemma attention_norm2_le_1 i : (i < n)%nat -> inner d (m i) (m i) <= 1.
Proof.
  intros Hi. rewrite attention_square. apply row_mean_le; auto. intros k Hk. rewrite attention_unit.
  apply row_mean_le; auto. intros; apply gram_bound; auto.
Qed.
End Row.
