(* The covariance of the attended tokens by how far their inner products scatter about any number g, for any tokens:
   V_i <= |C_i|^2 <= sum_jl A_ij A_il (G_jl - g)^2, and T_i <= 2 (1 - <m_i, y_i>).
   Uses Jacobian.v, Frobenius.v, Bounds.v and JacobianBounds.v. *)
From Coq Require Import Reals Lra Lia.
From Critscale Require Import Sums Layer Weights Jacobian Frobenius Bounds JacobianBounds.
Open Scope R_scope.

Section Scatter.
Variables (d n : nat) (beta : R) (x : tokens).
Hypothesis Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i).
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation p := (attention_on d n beta x).
Notation Y := (attention_norm2 d n beta x).
Notation V := (covariance_norm2 d n beta x).

Lemma spread_sym i j l : spread d n beta x i j l = spread d n beta x i l j.
Proof. unfold spread. rewrite (gram_sym d x j l). ring. Qed.

(* |C_i y_i|^2 >= 0 *)
Lemma covariance_le_spread i : (i < n)%nat ->
  V i <= sum_to n (fun j => A i j * sum_to n (fun l => A i l * spread d n beta x i j l ^ 2)).
Proof.
  intros Hi. rewrite covariance_squares; auto. set (s := spread d n beta x i). set (z := along d n beta x i).
  assert (P : 0 <= sum_to n (fun j => A i j * sum_to n (fun l => A i l * (s j l * (z j * z l))))).
  { pose proof (inner_self_nonneg d (fun e => sum_to n (fun j => A i j * z j * displacement d n beta x i j e))) as P.
    match type of P with 0 <= ?y => replace y with (sum_to n (fun j => A i j * sum_to n (fun l => A i l * (s j l * (z j * z l))))) in P end; auto.
    symmetry. unfold inner.
    rewrite (sum_ext d _ (fun e => sum_to n (fun j => sum_to n (fun l => A i j * z j * displacement d n beta x i j e * (A i l * z l * displacement d n beta x i l e))))).
    2:{ intros e He. rewrite <- sum_scal_r. apply sum_ext; intros j Hj. rewrite <- sum_scal. reflexivity. }
    rewrite sum_swap. apply sum_ext; intros j Hj. rewrite sum_swap, <- sum_scal. apply sum_ext; intros l Hl.
    unfold s. rewrite <- (spread_inner d n beta x i j l Hi Hj Hl). unfold inner.
    rewrite (sum_ext d _ (fun e => (A i j * z j * A i l * z l) * (displacement d n beta x i j e * displacement d n beta x i l e))); [|intros; ring].
    rewrite sum_scal. ring. }
  match goal with |- ?y <= ?u => assert (E : u = y + sum_to n (fun j => A i j * sum_to n (fun l => A i l * (s j l * (z j * z l))))) end; [|lra].
  rewrite <- sum_plus. apply sum_ext; intros j Hj. rewrite <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext; intros l Hl.
  unfold s, z. ring.
Qed.

Theorem covariance_le_scatter i g : (i < n)%nat ->
  V i <= sum_to n (fun j => A i j * sum_to n (fun l => A i l * (G j l - g) ^ 2)).
Proof.
  intros Hi. apply Rle_trans with (1 := covariance_le_spread i Hi).
  (* s_jl = (G_jl - g) - k_j - k_l + m *)
  set (k := fun j => p i j - g). set (m := Y i - g).
  assert (Sk : sum_to n (fun j => A i j * k j) = m).
  { unfold k, m. rewrite (sum_ext n _ (fun j => A i j * p i j + (- g) * A i j)); [|intros; ring].
    rewrite sum_plus, sum_scal, p_sum, weights_sum; auto. ring. }
  assert (Sg : forall j, (j < n)%nat -> sum_to n (fun l => A i l * (G j l - g)) = k j).
  { intros j Hj. unfold k. rewrite (sum_ext n _ (fun l => A i l * G j l + (- g) * A i l)); [|intros; ring].
    rewrite sum_plus, sum_scal, G_sum_sym, weights_sum; auto. ring. }
  set (S2 := sum_to n (fun j => A i j * k j ^ 2)).
  assert (J : m ^ 2 <= S2).
  { assert (P : 0 <= sum_to n (fun j => A i j * (k j - m) ^ 2)).
    { apply sum_nonneg; intros. apply Rmult_le_pos; [apply weight_nonneg; auto|apply pow2_ge_0]. }
    rewrite (sum_ext n _ (fun j => A i j * k j ^ 2 + ((- (2) * m) * (A i j * k j) + m ^ 2 * A i j))) in P; [|intros; ring].
    rewrite !sum_plus, !sum_scal, Sk, weights_sum in P; auto. fold S2 in P. lra. }
  assert (E : forall j, (j < n)%nat -> sum_to n (fun l => A i l * spread d n beta x i j l ^ 2)
    = sum_to n (fun l => A i l * (G j l - g) ^ 2) + (S2 - m ^ 2) - k j ^ 2 + 2 * m * k j
      - 2 * sum_to n (fun l => A i l * ((G j l - g) * k l))).
  { intros j Hj. rewrite (sum_ext n _ (fun l => (A i l * (G j l - g) ^ 2 + A i l * k l ^ 2)
      + ((- (2) * k j + 2 * m) * (A i l * (G j l - g)) + ((2 * k j - 2 * m) * (A i l * k l) + ((k j - m) ^ 2 * A i l + (-2) * (A i l * ((G j l - g) * k l))))))).
    - rewrite !sum_plus, !sum_scal, Sg, Sk, weights_sum; auto. fold S2. ring.
    - intros l Hl. unfold spread, k, m. ring. }
  rewrite (sum_ext n _ (fun j => (A i j * sum_to n (fun l => A i l * (G j l - g) ^ 2) + (-1) * (A i j * k j ^ 2))
    + ((S2 - m ^ 2) * A i j + ((2 * m) * (A i j * k j) + (-2) * (A i j * sum_to n (fun l => A i l * ((G j l - g) * k l))))))).
  - rewrite !sum_plus, !sum_scal, Sk, weights_sum; auto. fold S2.
    assert (Q : sum_to n (fun j => A i j * sum_to n (fun l => A i l * ((G j l - g) * k l))) = S2).
    { rewrite (sum_ext n _ (fun j => sum_to n (fun l => A i l * k l * (A i j * (G j l - g))))).
      - rewrite sum_swap. unfold S2. apply sum_ext; intros l Hl. rewrite sum_scal.
        rewrite (sum_ext n _ (fun j => A i j * (G l j - g))); [|intros; rewrite (gram_sym d x l); reflexivity]. rewrite Sg; auto. ring.
      - intros j Hj. rewrite <- sum_scal. apply sum_ext; intros; ring. }
    rewrite Q. pose proof (pow2_ge_0 m). lra.
  - intros j Hj. rewrite E; auto. ring.
Qed.

(* T_i <= 1 - Y_i <= 2 (1 - <m_i, y_i>) *)
Lemma trace_le_self i : (i < n)%nat -> trace_projected d n beta x i <= 2 * (1 - p i i).
Proof.
  intros Hi. apply Rle_trans with (1 := trace_le d n beta x Hx i Hi). pose proof (spread_self_nonneg d n beta x i i Hi Hi) as P.
  unfold spread in P. rewrite gram_self in P; auto. lra.
Qed.
End Scatter.
