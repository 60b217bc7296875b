(* Frobenius norms of the Jacobian's blocks at any non-zero tokens, and eta as a function of the Gram matrix, the
   norms and d alone. With p_ik = <m_i, y_k>, p_i = p_ii, Y_i = |m_i|^2, r_k = |x_k|:
     |block(i,k)|^2 = (A_ik/r_k)^2 [(d-1) + 2 beta (G_ik p_ik - p_i) + beta^2 (1 - 2 p_ik + Y_i)(1 - G_ik^2)]      k <> i
     |block(i,i)|^2 = (1/r_i^2) [A_ii^2 (d-1) + 2 A_ii beta T_i + beta^2 V_i] + (2 alpha/r_i) [A_ii (d-1) + beta T_i] + alpha^2 d
     T_i = tr(C_i P_i),  V_i = |C_i P_i|_F^2.
   Uses Jacobian.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Jacobian.
Open Scope R_scope.

(* ---- The inner product of d x d matrices ---- *)
Section Matrices.
Variable d : nat.
Definition matrix := nat -> nat -> R.
Definition frobenius (B C : matrix) := sum_to d (fun c => sum_to d (fun e => B c e * C c e)).

Lemma frobenius_ext B C B' C' :
  (forall c e, (c < d)%nat -> (e < d)%nat -> B c e * C c e = B' c e * C' c e) -> frobenius B C = frobenius B' C'.
Proof. intros H. apply sum_ext; intros; apply sum_ext; intros; apply H; auto. Qed.

Lemma frobenius_linear a b B C D :
  frobenius (fun c e => a * B c e + b * C c e) D = a * frobenius B D + b * frobenius C D.
Proof.
  unfold frobenius. rewrite <- !sum_scal, <- sum_plus. apply sum_ext; intros.
  rewrite <- !sum_scal, <- sum_plus. apply sum_ext; intros. ring.
Qed.

Lemma frobenius_sym B C : frobenius B C = frobenius C B.
Proof. apply frobenius_ext; intros; ring. Qed.

Lemma frobenius_linear_r a b B C D :
  frobenius D (fun c e => a * B c e + b * C c e) = a * frobenius D B + b * frobenius D C.
Proof. rewrite frobenius_sym, frobenius_linear, !(frobenius_sym _ D). reflexivity. Qed.

Lemma frobenius_rank1 w v w' v' :
  frobenius (fun c e => w c * v e) (fun c e => w' c * v' e) = inner d w w' * inner d v v'.
Proof.
  unfold frobenius, inner. rewrite sum_product. apply sum_ext; intros. apply sum_ext; intros. ring.
Qed.

Lemma frobenius_identity w v : frobenius delta (fun c e => w c * v e) = inner d w v.
Proof.
  unfold frobenius, inner. apply sum_ext; intros c Hc. rewrite <- (sum_delta d c (fun e => w c * v e)); auto.
  apply sum_ext; intros. rewrite (delta_sym c k). ring.
Qed.

Lemma frobenius_identity_identity : frobenius delta delta = INR d.
Proof.
  unfold frobenius. rewrite (sum_ext d _ (fun _ => 1)); [rewrite sum_const; ring|]. intros c Hc.
  rewrite (sum_ext d _ (fun e => delta e c * delta e c)); [|intros; rewrite (delta_sym c k); ring].
  rewrite (sum_delta d c (fun e => delta e c)); auto. apply delta_same.
Qed.

Lemma frobenius_sum n (B : nat -> matrix) C :
  frobenius (fun c e => sum_to n (fun j => B j c e)) C = sum_to n (fun j => frobenius (B j) C).
Proof.
  unfold frobenius. rewrite (sum_swap n d). apply sum_ext; intros. rewrite (sum_swap n d). apply sum_ext; intros.
  rewrite <- sum_scal_r. reflexivity.
Qed.

Lemma frobenius_nonneg B : 0 <= frobenius B B.
Proof. apply sum_nonneg; intros; apply sum_nonneg; intros. apply Rle_0_sqr. Qed.
End Matrices.

Section Blocks.
Variables (d n : nat) (beta alpha : R) (x : tokens).
Hypotheses (Hn : (0 < n)%nat) (Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i)).
Notation y := (unit_token d x).
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation m := (attention d n beta x).
Notation r i := (norm d (x i)).
Notation P k := (projection d x k).

(* p_ik and Y_i *)
Definition attention_on i k := inner d (m i) (y k).
Definition attention_norm2 i := inner d (m i) (m i).
Notation p := attention_on.
Notation Y := attention_norm2.

Lemma G_self i : (i < n)%nat -> G i i = 1.
Proof. intros. apply gram_self; auto. Qed.

(* ---- Inner products of the vectors that blocks are made of ---- *)
Lemma displacement_displacement i j l : (j < n)%nat -> (l < n)%nat ->
  inner d (displacement d n beta x i j) (displacement d n beta x i l) = G j l - p i j - p i l + Y i.
Proof.
  intros Hj Hl. unfold displacement. rewrite inner_minus, (inner_sym d (y j) (m i)). unfold p, Y, gram. ring.
Qed.

Lemma projected_projected k i j : (k < n)%nat -> inner d (projected d x k i) (projected d x k j) = G i j - G k i * G k j.
Proof.
  intros Hk. unfold projected.
  rewrite (inner_minus d (y i) (fun e => G k i * y k e) (y j) (fun e => G k j * y k e)).
  rewrite !inner_scal_r, !inner_scal. fold (gram d x i k) (gram d x k j) (gram d x k k) (gram d x i j).
  rewrite (gram_sym d x i k), G_self; auto. ring.
Qed.

Lemma unit_projected k i : (k < n)%nat -> inner d (y k) (projected d x k i) = 0.
Proof.
  intros Hk. unfold projected. rewrite (inner_ext d _ _ (y k) (fun e => 1 * y i e + (- G k i) * y k e)); [|auto|intros; ring].
  rewrite inner_linear_r. fold (gram d x k i) (gram d x k k). rewrite G_self; auto. ring.
Qed.

Lemma displacement_projected i j k l :
  inner d (displacement d n beta x i j) (projected d x k l) = G j l - p i l - G k l * (G j k - p i k).
Proof.
  unfold displacement, projected. rewrite (inner_minus d (y j) (m i) (y l) (fun e => G k l * y k e)), !inner_scal_r.
  unfold p, gram. ring.
Qed.

(* ---- P_k in the Frobenius inner product ---- *)
Lemma projection_projection k : (k < n)%nat -> frobenius d (P k) (P k) = INR d - 1.
Proof.
  intros Hk. unfold projection.
  rewrite (frobenius_ext d _ _ (fun c e => 1 * delta c e + (-1) * (y k c * y k e)) (fun c e => 1 * delta c e + (-1) * (y k c * y k e))); [|intros; ring].
  rewrite frobenius_linear, !(frobenius_sym d _ (fun c e => 1 * delta c e + _)), !frobenius_linear,
    (frobenius_sym d (fun c e => y k c * y k e) delta), !frobenius_identity, frobenius_identity_identity, frobenius_rank1.
  fold (gram d x k k). rewrite G_self; auto. ring.
Qed.

Lemma projection_rank1 k w v :
  frobenius d (P k) (fun c e => w c * v e) = inner d w v - inner d (y k) w * inner d (y k) v.
Proof.
  rewrite (frobenius_ext d (P k) _ (fun c e => 1 * delta c e + (-1) * (y k c * y k e)) (fun c e => w c * v e)); [|intros; unfold projection; ring].
  rewrite frobenius_linear, frobenius_identity, frobenius_rank1. ring.
Qed.

Lemma projection_identity i : (i < n)%nat -> frobenius d (P i) delta = INR d - 1.
Proof.
  intros Hi. rewrite frobenius_sym.
  rewrite (frobenius_ext d delta (P i) (fun c e => 1 * delta c e + (-1) * (y i c * y i e)) delta); [|intros; unfold projection; ring].
  rewrite frobenius_linear, frobenius_identity_identity, frobenius_sym, frobenius_identity.
  fold (gram d x i i). rewrite G_self; auto. ring.
Qed.

(* ---- Blocks ---- *)
Definition block_norm2 i k := sum_to d (fun c => sum_to d (fun e => jacobian d n beta alpha x i c k e ^ 2)).

Theorem block_norm2_off i k : (i < n)%nat -> (k < n)%nat -> i <> k ->
  block_norm2 i k =
  (A i k / r k) ^ 2 * ((INR d - 1) + 2 * beta * (G i k * p i k - p i i) + beta ^ 2 * ((1 - 2 * p i k + Y i) * (1 - G i k ^ 2))).
Proof.
  intros Hi Hk Hik. set (w := displacement d n beta x i k). set (v := projected d x k i).
  transitivity ((A i k / r k) ^ 2 * frobenius d (fun c e => 1 * P k c e + beta * (w c * v e)) (fun c e => 1 * P k c e + beta * (w c * v e))).
  - unfold frobenius, block_norm2. rewrite <- sum_scal. apply sum_ext; intros c Hc. rewrite <- sum_scal.
    apply sum_ext; intros e He. rewrite (block_off d n beta alpha x Hn Hx); auto. fold (w c) (v e). ring.
  - rewrite frobenius_linear, !(frobenius_sym d _ (fun c e => 1 * P k c e + _)), !frobenius_linear,
      (frobenius_sym d (fun c e => w c * v e) (P k)), projection_projection, !projection_rank1, frobenius_rank1; auto.
    unfold v, w. rewrite unit_projected, projected_projected, displacement_displacement, displacement_projected, !G_self,
      (gram_sym d x k i); auto. f_equal. ring.
Qed.

Definition trace_projected i := sum_to n (fun j => A i j * (G j j - p i j - G i j * (G i j - p i i))).
Definition covariance_norm2 i := sum_to n (fun j => sum_to n (fun l =>
  A i j * A i l * ((G j l - p i j - p i l + Y i) * (G j l - G i j * G i l)))).
Notation T := trace_projected.
Notation V := covariance_norm2.
Notation C i := (covariance_projected d n beta x i).

Lemma covariance_trace i : sum_to n (fun j => A i j * inner d (displacement d n beta x i j) (projected d x i j)) = T i.
Proof. apply sum_ext; intros j Hj. rewrite displacement_projected, (gram_sym d x j i). reflexivity. Qed.

Lemma covariance_with (D : matrix) i :
  frobenius d (C i) D = sum_to n (fun j => A i j * frobenius d (fun c e => displacement d n beta x i j c * projected d x i j e) D).
Proof.
  unfold covariance_projected. rewrite (frobenius_sum d n (fun j c e => A i j * displacement d n beta x i j c * projected d x i j e)).
  apply sum_ext; intros j Hj.
  rewrite (frobenius_ext d _ D (fun c e => A i j * (displacement d n beta x i j c * projected d x i j e) + 0 * 0) D); [|intros; ring].
  rewrite (frobenius_linear d (A i j) 0 (fun c e => displacement d n beta x i j c * projected d x i j e) (fun _ _ => 0)). ring.
Qed.

Lemma projection_covariance i : (i < n)%nat -> frobenius d (P i) (C i) = T i.
Proof.
  intros Hi. rewrite frobenius_sym, covariance_with, <- covariance_trace. apply sum_ext; intros j Hj.
  rewrite frobenius_sym, projection_rank1, unit_projected; auto. ring.
Qed.

Lemma identity_covariance i : frobenius d delta (C i) = T i.
Proof.
  rewrite frobenius_sym, covariance_with, <- covariance_trace. apply sum_ext; intros j Hj.
  rewrite frobenius_sym, frobenius_identity. reflexivity.
Qed.

Lemma covariance_covariance i : (i < n)%nat -> frobenius d (C i) (C i) = V i.
Proof.
  intros Hi. rewrite covariance_with. apply sum_ext; intros j Hj. rewrite frobenius_sym, covariance_with, <- sum_scal.
  apply sum_ext; intros l Hl. rewrite frobenius_rank1, displacement_displacement, projected_projected; auto.
  rewrite (gram_sym d x l j). ring.
Qed.

Theorem covariance_norm2_nonneg i : (i < n)%nat -> 0 <= V i.
Proof. intros Hi. rewrite <- covariance_covariance; auto. apply frobenius_nonneg. Qed.

Theorem block_norm2_diagonal i : (i < n)%nat ->
  block_norm2 i i =
  1 / r i ^ 2 * (A i i ^ 2 * (INR d - 1) + 2 * A i i * beta * T i + beta ^ 2 * V i)
  + 2 * alpha / r i * (A i i * (INR d - 1) + beta * T i) + alpha ^ 2 * INR d.
Proof.
  intros Hi. pose proof (r_pos d n x Hx i Hi) as Ri.
  set (K2 := fun c e => (beta / r i) * C i c e + alpha * delta c e).
  set (K := fun c e => (A i i / r i) * P i c e + 1 * K2 c e).
  transitivity (frobenius d K K).
  { unfold frobenius, block_norm2. apply sum_ext; intros c Hc. apply sum_ext; intros e He.
    rewrite (block_diagonal d n beta alpha x Hn Hx); auto. unfold K, K2. field. lra. }
  assert (EX : forall D, frobenius d D K = (A i i / r i) * frobenius d D (P i) + ((beta / r i) * frobenius d D (C i) + alpha * frobenius d D delta)).
  { intros D. unfold K. rewrite frobenius_linear_r. unfold K2. rewrite frobenius_linear_r. ring. }
  rewrite EX, (frobenius_sym d K (P i)), (frobenius_sym d K (C i)), (frobenius_sym d K delta), !EX,
    (frobenius_sym d (C i) (P i)), (frobenius_sym d delta (P i)), (frobenius_sym d (C i) delta),
    projection_projection, projection_covariance, projection_identity, covariance_covariance, identity_covariance,
    frobenius_identity_identity; auto.
  field. lra.
Qed.

Theorem jacobian_norm_blocks :
  jacobian_norm d n beta alpha x = sum_to n (fun i => sum_to n (fun k => block_norm2 i k)) / (INR n * INR d).
Proof.
  unfold jacobian_norm. f_equal. apply sum_ext; intros i Hi. unfold block_norm2. rewrite sum_swap. reflexivity.
Qed.
End Blocks.
