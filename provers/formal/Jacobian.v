(* The Jacobian of a layer at any non-zero tokens: the layer is differentiable, and its blocks are
     d x'_i / d x_k = (A_ik/r_k) [P_k + beta (y_k - m_i) (P_k y_i)^T]        k <> i,   P_k = I - y_k y_k^T,  r_k = |x_k|
     d x'_i / d x_i = (1/r_i) [A_ii P_i + beta C_i P_i] + alpha I,           C_i = sum_j A_ij (y_j - m_i)(y_j - m_i)^T.
   Uses Weights.v and Coquelicot's derivatives. *)
From Coq Require Import Reals Lra Lia Arith.
From Coquelicot Require Import Coquelicot.
From Critscale Require Import Sums Layer Weights.
Open Scope R_scope.

Lemma is_derive_sum n (f : nat -> R -> R) (l : nat -> R) t :
  (forall k, (k < n)%nat -> is_derive (f k) t (l k)) ->
  is_derive (fun t => sum_to n (fun k => f k t)) t (sum_to n l).
Proof.
  induction n; intros H; simpl; [apply @is_derive_const|].
  apply @is_derive_plus; [apply IHn; intros; apply H; lia|apply H; lia].
Qed.

Lemma is_derive_product (f g : R -> R) t a b :
  is_derive f t a -> is_derive g t b -> is_derive (fun t => f t * g t) t (a * g t + f t * b).
Proof. intros H K. apply (is_derive_mult f g t a b); auto. intros; apply Rmult_comm. Qed.

Lemma is_derive_quotient (f g : R -> R) t a b : is_derive f t a -> is_derive g t b -> g t <> 0 ->
  is_derive (fun t => f t / g t) t ((a * g t - f t * b) / g t ^ 2).
Proof. intros H K L. apply (is_derive_div f g t a b); auto. Qed.

Section Jacobian.
Variables (d n : nat) (beta alpha : R) (x : tokens).
Hypotheses (Hn : (0 < n)%nat) (Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i)).
Notation y := (unit_token d x).
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation m := (attention d n beta x).
Notation r i := (norm d (x i)).

Lemma r_pos i : (i < n)%nat -> 0 < r i.
Proof. intros. apply norm_pos, Hx; auto. Qed.

(* ---- Moving coordinate e of token k by t ---- *)
Section Derivative.
Variables (k e : nat).
Hypothesis He : (e < d)%nat.
Let X t := moved x k e t.

Lemma moved_0 i c : X 0 i c = x i c.
Proof. unfold X, moved. destruct (_ && _)%bool; ring. Qed.

Lemma d_moved i c : is_derive (fun t => X t i c) 0 (delta i k * delta c e).
Proof.
  unfold X, moved, delta.
  destruct (Nat.eqb i k), (Nat.eqb c e); simpl; rewrite ?Rmult_1_l, ?Rmult_0_l, ?Rmult_0_r; auto_derive; auto; ring.
Qed.

Lemma inner_moved_0 i j : inner d (X 0 i) (X 0 j) = inner d (x i) (x j).
Proof. apply inner_ext; intros; apply moved_0. Qed.

Lemma d_square i : is_derive (fun t => inner d (X t i) (X t i)) 0 (2 * delta i k * x i e).
Proof.
  unfold inner.
  replace (2 * delta i k * x i e)
    with (sum_to d (fun c => delta i k * delta c e * X 0 i c + X 0 i c * (delta i k * delta c e))).
  - apply is_derive_sum. intros. apply is_derive_product; apply d_moved.
  - rewrite (sum_ext d _ (fun c => (2 * delta i k * x i c) * delta c e)); [apply sum_delta; auto|].
    intros. rewrite moved_0. ring.
Qed.

(* d y_j[c] *)
Definition d_unit j c := delta j k * (delta c e - y j c * y j e) / r j.

Lemma norm_moved_0 i : norm d (X 0 i) = r i.
Proof. unfold norm. rewrite inner_moved_0. reflexivity. Qed.

Lemma unit_moved_0 i c : unit_token d (X 0) i c = y i c.
Proof. unfold unit_token, direction. rewrite norm_moved_0, moved_0. reflexivity. Qed.

Lemma d_norm j : (j < n)%nat -> is_derive (fun t => norm d (X t j)) 0 (2 * delta j k * x j e * / (2 * r j)).
Proof.
  intros Hj. unfold norm. rewrite <- (inner_moved_0 j j).
  apply (is_derive_comp sqrt (fun t => inner d (X t j) (X t j)) 0 (/ (2 * sqrt (inner d (X 0 j) (X 0 j)))) (2 * delta j k * x j e)).
  - rewrite inner_moved_0. apply is_derive_Reals. apply derivable_pt_lim_sqrt; auto.
  - apply d_square.
Qed.

Lemma is_derive_unit j c : (j < n)%nat -> is_derive (fun t => unit_token d (X t) j c) 0 (d_unit j c).
Proof.
  intros Hj. unfold unit_token, direction. pose proof (r_pos j Hj) as Q.
  pose proof (is_derive_quotient (fun t => X t j c) (fun t => norm d (X t j)) 0 _ _ (d_moved j c) (d_norm j Hj)) as D.
  simpl in D. rewrite norm_moved_0, moved_0 in D.
  replace (d_unit j c) with
    ((delta j k * delta c e * r j - x j c * (2 * delta j k * x j e * / (2 * r j))) / (r j * (r j * 1))).
  - apply D. lra.
  - unfold d_unit, unit_token, direction. field. lra.
Qed.

(* d G_ij *)
Definition d_gram i j := inner d (d_unit i) (y j) + inner d (y i) (d_unit j).

Lemma is_derive_gram i j : (i < n)%nat -> (j < n)%nat -> is_derive (fun t => gram d (X t) i j) 0 (d_gram i j).
Proof.
  intros Hi Hj. unfold gram, d_gram, inner. rewrite <- sum_plus. apply is_derive_sum. intros c _.
  rewrite <- (unit_moved_0 j c), <- (unit_moved_0 i c) at 1. apply is_derive_product; apply is_derive_unit; auto.
Qed.

Lemma gram_moved_0 i j : gram d (X 0) i j = G i j.
Proof. apply inner_ext; intros; apply unit_moved_0. Qed.

Lemma is_derive_score i j : (i < n)%nat -> (j < n)%nat ->
  is_derive (fun t => exp (beta * gram d (X t) i j)) 0 (exp (beta * G i j) * (beta * d_gram i j)).
Proof.
  intros Hi Hj. rewrite <- gram_moved_0, Rmult_comm.
  apply (is_derive_comp exp (fun t => beta * gram d (X t) i j) 0 (exp (beta * gram d (X 0) i j)) (beta * d_gram i j)).
  - apply is_derive_exp.
  - apply (is_derive_scal (fun t => gram d (X t) i j) 0 beta). apply is_derive_gram; auto.
Qed.

Lemma partition_moved_0 i : partition d n beta (X 0) i = partition d n beta x i.
Proof. apply sum_ext; intros; rewrite gram_moved_0; auto. Qed.

Lemma weight_moved_0 i j : weight d n beta (X 0) i j = A i j.
Proof. unfold weight. rewrite gram_moved_0, partition_moved_0. reflexivity. Qed.

(* d A_ij *)
Definition d_weight i j := A i j * beta * (d_gram i j - sum_to n (fun l => A i l * d_gram i l)).

Lemma is_derive_weight i j : (i < n)%nat -> (j < n)%nat ->
  is_derive (fun t => weight d n beta (X t) i j) 0 (d_weight i j).
Proof.
  intros Hi Hj. pose proof (partition_pos d n beta x i Hn) as P. set (Z := partition d n beta x i) in *.
  assert (DZ : is_derive (fun t => partition d n beta (X t) i) 0 (sum_to n (fun l => exp (beta * G i l) * (beta * d_gram i l)))).
  { unfold partition. apply is_derive_sum. intros. apply is_derive_score; auto. }
  pose proof (is_derive_quotient _ _ 0 _ _ (is_derive_score i j Hi Hj) DZ) as D. cbv beta in D.
  rewrite gram_moved_0, partition_moved_0 in D. fold Z in D.
  replace (d_weight i j) with
    ((exp (beta * G i j) * (beta * d_gram i j) * Z
      - exp (beta * G i j) * sum_to n (fun l => exp (beta * G i l) * (beta * d_gram i l))) / Z ^ 2).
  - apply D. lra.
  - unfold d_weight, weight. fold Z.
    replace (sum_to n (fun l => exp (beta * G i l) * (beta * d_gram i l)))
      with (beta * Z * sum_to n (fun l => exp (beta * G i l) / Z * d_gram i l)).
    + field. lra.
    + rewrite <- sum_scal. apply sum_ext. intros. field. lra.
Qed.

(* d x'_i[c] *)
Lemma is_derive_output i c : (i < n)%nat ->
  is_derive (fun t => output d n beta alpha (X t) i c) 0
    (sum_to n (fun j => d_weight i j * y j c + A i j * d_unit j c) + alpha * (delta i k * delta c e)).
Proof.
  intros Hi. unfold output, attention. apply @is_derive_plus.
  - apply is_derive_sum. intros j Hj. rewrite <- (unit_moved_0 j c), <- (weight_moved_0 i j) at 1.
    apply is_derive_product; [apply is_derive_weight; auto|apply is_derive_unit; auto].
  - apply (is_derive_scal (fun t => X t i c) 0 alpha). apply d_moved.
Qed.
End Derivative.

(* The derivative in the definition of the Jacobian exists. *)
Theorem output_differentiable i c k e : (i < n)%nat -> (e < d)%nat ->
  ex_derive (fun t => output d n beta alpha (moved x k e t) i c) 0.
Proof. intros Hi He. eexists. apply is_derive_output; auto. Qed.

Lemma jacobian_sum i c k e : (i < n)%nat -> (e < d)%nat ->
  jacobian d n beta alpha x i c k e =
  sum_to n (fun j => d_weight k e i j * y j c + A i j * d_unit k e j c) + alpha * (delta i k * delta c e).
Proof. intros Hi He. apply is_derive_unique, is_derive_output; auto. Qed.

(* ---- Blocks ---- *)

(* P_k[c, e] *)
Definition projection k c e := delta c e - y k c * y k e.
(* (P_k y_j)[e] = y_j[e] - G_jk y_k[e] *)
Definition projected k j e := y j e - G k j * y k e.
(* y_k - m_i *)
Definition displacement i k c := y k c - m i c.

Lemma unit_unit i : (i < n)%nat -> inner d (y i) (y i) = 1.
Proof. intros. apply direction_unit; auto. Qed.

Lemma d_unit_projection k e j c : d_unit k e j c = delta j k * projection j c e / r j.
Proof. unfold d_unit, projection. reflexivity. Qed.

Lemma inner_d_unit k e j u : (j < n)%nat -> (e < d)%nat ->
  inner d u (d_unit k e j) = delta j k * (u e - inner d u (y j) * y j e) / r j.
Proof.
  intros Hj He. pose proof (r_pos j Hj). unfold inner at 1.
  rewrite (sum_ext d _ (fun c => (delta j k / r j) * (u c * delta c e) + (- delta j k * y j e / r j) * (u c * y j c))).
  - rewrite sum_plus, !sum_scal, (sum_delta d e u); auto. fold (inner d u (y j)). field. lra.
  - intros c Hc. unfold d_unit. field. lra.
Qed.

Theorem block_off i k c e : (i < n)%nat -> (k < n)%nat -> i <> k -> (c < d)%nat -> (e < d)%nat ->
  jacobian d n beta alpha x i c k e =
  A i k / r k * (projection k c e + beta * (displacement i k c * projected k i e)).
Proof.
  intros Hi Hk Hik Hc He. rewrite jacobian_sum; auto. pose proof (r_pos k Hk) as Rk.
  set (v := projected k i e / r k).
  assert (EG : forall j, (j < n)%nat -> d_gram k e i j = v * delta j k).
  { intros j Hj. pose proof (r_pos i Hi). pose proof (r_pos j Hj).
    unfold d_gram. rewrite (inner_sym d (d_unit k e i)), !inner_d_unit; auto. rewrite (delta_other i k); auto.
    destruct (Nat.eq_dec j k) as [->|Hjk].
    - rewrite delta_same. unfold v, projected. fold (gram d x i k). rewrite (gram_sym d x i k). field. lra.
    - rewrite (delta_other j k); auto. field. lra. }
  assert (ES : sum_to n (fun l => A i l * d_gram k e i l) = A i k * v).
  { rewrite (sum_ext n _ (fun l => (A i l * v) * delta l k)); [apply (sum_delta n k (fun l => A i l * v)); auto|].
    intros. rewrite EG; auto. ring. }
  rewrite (sum_ext n _ (fun j => (A i j * (beta * v * y j c + projection j c e / r k)) * delta j k
                                 + (- beta * A i k * v) * (A i j * y j c))).
  - rewrite sum_plus, sum_scal, (sum_delta n k (fun j => A i j * (beta * v * y j c + projection j c e / r k))); auto.
    fold (m i c). unfold v, displacement. rewrite (delta_other i k); auto. field. lra.
  - intros j Hj. unfold d_weight. rewrite ES, EG, d_unit_projection; auto. pose proof (r_pos j Hj).
    destruct (Nat.eq_dec j k) as [->|Hjk]; [field; lra|]. rewrite (delta_other j k); auto. field. lra.
Qed.

(* (C_i P_i)[c, e] = sum_j A_ij (y_j - m_i)[c] (P_i y_j)[e]: sum_j A_ij (y_j - m_i) is 0, so m_i may be dropped on the right. *)
Definition covariance_projected i c e := sum_to n (fun j => A i j * displacement i j c * projected i j e).

Theorem block_diagonal i c e : (i < n)%nat -> (c < d)%nat -> (e < d)%nat ->
  jacobian d n beta alpha x i c i e =
  1 / r i * (A i i * projection i c e + beta * covariance_projected i c e) + alpha * delta c e.
Proof.
  intros Hi Hc He. rewrite jacobian_sum; auto. pose proof (r_pos i Hi) as Ri.
  assert (EG : forall j, (j < n)%nat -> d_gram i e i j = projected i j e / r i).
  { intros j Hj. pose proof (r_pos j Hj). unfold d_gram, projected.
    rewrite (inner_sym d (d_unit i e i)), !inner_d_unit; auto. rewrite delta_same.
    destruct (Nat.eq_dec j i) as [->|Hji].
    - rewrite delta_same, unit_unit, gram_self; auto. field. lra.
    - rewrite (delta_other j i); auto. fold (gram d x j i). rewrite (gram_sym d x j i). field. lra. }
  set (w := sum_to n (fun l => A i l * d_gram i e i l)).
  assert (Ew : w = / r i * sum_to n (fun l => A i l * projected i l e)).
  { unfold w. rewrite <- sum_scal. apply sum_ext; intros. rewrite EG; auto. field. lra. }
  rewrite (sum_ext n _ (fun j => (A i j * (projection j c e / r i)) * delta j i
     + (beta * / r i * (A i j * displacement i j c * projected i j e)
        + (beta * m i c / r i * (A i j * projected i j e) + (- beta * w) * (A i j * y j c))))).
  - rewrite sum_plus, (sum_delta n i (fun j => A i j * (projection j c e / r i))); auto. rewrite !sum_plus, !sum_scal.
    fold (m i c). fold (covariance_projected i c e). rewrite Ew, delta_same. field. lra.
  - intros j Hj. unfold d_weight. fold w. rewrite EG, d_unit_projection; auto. unfold displacement. pose proof (r_pos j Hj).
    destruct (Nat.eq_dec j i) as [->|Hji]; [field; lra|]. rewrite (delta_other j i); auto. field. lra.
Qed.
End Jacobian.
