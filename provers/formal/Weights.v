(* What holds for any tokens: weights are positive with sum 1, and x'_i is a combination of the unit tokens with
   non-negative coefficients. Uses Layer.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer.
Open Scope R_scope.

Section Weights.
Variables (d n : nat) (beta : R) (x : tokens).
Notation G := (gram d x).
Notation Z := (partition d n beta x).
Notation A := (weight d n beta x).
Notation m := (attention d n beta x).
Notation y := (unit_token d x).

Lemma partition_pos i : (0 < n)%nat -> 0 < Z i.
Proof. intros H. apply sum_pos; auto. intros; apply exp_pos. Qed.

Lemma weight_pos i j : (0 < n)%nat -> 0 < A i j.
Proof. intros H. apply Rdiv_lt_0_compat; [apply exp_pos|apply partition_pos; auto]. Qed.

Theorem weights_sum_to_1 i : (0 < n)%nat -> sum_to n (fun j => A i j) = 1.
Proof.
  intros H. pose proof (partition_pos i H) as P. unfold weight, Rdiv. rewrite sum_scal_r.
  apply Rinv_r. lra.
Qed.

(* Two weights of a row: what the partition function does not enter. *)
Theorem weight_ratio i j k : (0 < n)%nat -> A i j = A i k * exp (beta * (G i j - G i k)).
Proof.
  intros H. pose proof (partition_pos i H) as P. unfold weight.
  replace (beta * G i j) with (beta * G i k + beta * (G i j - G i k)) by ring.
  rewrite exp_plus. field. lra.
Qed.

Lemma weight_le_1 i j : (0 < n)%nat -> (j < n)%nat -> A i j <= 1.
Proof.
  intros Hn H. rewrite <- (weights_sum_to_1 i Hn). apply (term_le_sum n j (fun k => A i k)); auto.
  intros; left; apply weight_pos; auto.
Qed.

Lemma gram_sym i j : G i j = G j i.
Proof. apply inner_sym. Qed.

Lemma gram_self i : 0 < inner d (x i) (x i) -> G i i = 1.
Proof. apply direction_unit. Qed.

Lemma gram_le_1 i j : 0 < inner d (x i) (x i) -> 0 < inner d (x j) (x j) -> G i j <= 1.
Proof. intros. apply unit_inner_le_1; apply direction_unit; auto. Qed.

Lemma norm_token_pos i : 0 < inner d (x i) (x i) -> 0 < norm d (x i).
Proof. apply norm_pos. Qed.

Lemma token_unit i c : 0 < inner d (x i) (x i) -> x i c = norm d (x i) * y i c.
Proof. intros H. pose proof (norm_pos d (x i) H). unfold unit_token, direction. field. lra. Qed.

(* <m_i, u> = sum_k A_ik <y_k, u>; p_ik = <m_i, y_k>. *)
Lemma attention_inner i u : inner d u (m i) = sum_to n (fun k => A i k * inner d u (y k)).
Proof. apply (inner_combination d n u (A i) y). Qed.

Lemma attention_unit i k : inner d (m i) (y k) = sum_to n (fun j => A i j * G j k).
Proof. rewrite inner_sym, attention_inner. apply sum_ext; intros. rewrite inner_sym. reflexivity. Qed.

Lemma attention_square i : inner d (m i) (m i) = sum_to n (fun k => A i k * inner d (m i) (y k)).
Proof. apply attention_inner. Qed.

(* ---- The output as a combination of unit tokens ---- *)
Variable alpha : R.
Notation X := (output d n beta alpha x).

(* alpha |x_i| *)
Definition residual i := alpha * norm d (x i).
(* A_ik, and the residual besides at k = i: the coefficient of y_k in x'_i *)
Definition coefficient i k := A i k + residual i * delta k i.

Lemma residual_nonneg i : 0 <= alpha -> 0 <= residual i.
Proof. intros. apply Rmult_le_pos; auto. apply norm_nonneg. Qed.

Lemma coefficient_nonneg i k : (0 < n)%nat -> 0 <= alpha -> 0 <= coefficient i k.
Proof.
  intros Hn Ha. pose proof (weight_pos i k Hn). pose proof (residual_nonneg i Ha). unfold coefficient, delta.
  destruct (Nat.eqb k i); lra.
Qed.

Lemma coefficients_sum i : (i < n)%nat -> sum_to n (coefficient i) = 1 + residual i.
Proof.
  intros H. unfold coefficient. rewrite sum_plus, weights_sum_to_1; [|lia].
  rewrite (sum_delta n i (fun _ => residual i)); auto.
Qed.

Lemma output_combination i c : (i < n)%nat -> 0 < inner d (x i) (x i) ->
  X i c = sum_to n (fun k => coefficient i k * y k c).
Proof.
  intros H P. unfold output, attention, coefficient.
  rewrite (sum_ext n (fun k => (A i k + residual i * delta k i) * y k c)
             (fun k => A i k * y k c + (residual i * y k c) * delta k i)); [|intros; ring].
  rewrite sum_plus, (sum_delta n i (fun k => residual i * y k c)); auto.
  rewrite (token_unit i c P). unfold residual. ring.
Qed.

Theorem output_gram i j : (i < n)%nat -> (j < n)%nat -> 0 < inner d (x i) (x i) -> 0 < inner d (x j) (x j) ->
  inner d (X i) (X j) = sum_to n (fun k => coefficient i k * sum_to n (fun l => coefficient j l * G k l)).
Proof.
  intros Hi Hj Pi Pj.
  rewrite (inner_ext d (X i) (X j) (fun c => sum_to n (fun k => coefficient i k * y k c))
             (fun c => sum_to n (fun l => coefficient j l * y l c)));
    [|intros; apply output_combination; auto|intros; apply output_combination; auto].
  rewrite inner_sym, inner_combination. apply sum_ext; intros k Hk.
  rewrite inner_sym, inner_combination. reflexivity.
Qed.

Lemma output_inner_quotient i j :
  output_inner d n beta alpha x i j = inner d (X i) (X j) / (norm d (X i) * norm d (X j)).
Proof. apply inner_directions. Qed.

End Weights.
