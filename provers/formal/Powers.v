(* Powers n^-k = exp (-k ln n) and (ln n)^j n^-k: where they fall, and how large they can be. *)
From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

(* n^-k of a natural number n. *)
Definition power (n : nat) (k : R) : R := exp (- k * ln (INR n)).

Lemma power_Rpower n k : power n k = Rpower (INR n) (- k).
Proof. reflexivity. Qed.

Lemma power_pos n k : 0 < power n k.
Proof. apply exp_pos. Qed.

Lemma ln_power n k : ln (power n k) = - k * ln (INR n).
Proof. apply ln_exp. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; apply exp_increasing; auto|lra]. Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros H [K| ->]; [left; apply ln_increasing; auto|lra]. Qed.

(* z <= exp (z - 1) *)
Lemma below_exp z : z <= exp (z - 1).
Proof.
  destruct (Req_dec (z - 1) 0) as [E|E]; [replace z with 1 by lra; rewrite Rminus_eq_0, exp_0; lra|].
  pose proof (exp_ineq1 (z - 1) E). lra.
Qed.

Lemma exp_pow x j : exp x ^ j = exp (INR j * x).
Proof.
  induction j; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
  rewrite S_INR. simpl. rewrite IHj, <- exp_plus. f_equal. ring.
Qed.

Section Size.
Variable n : nat.
Hypothesis Hn : (2 <= n)%nat.

Lemma size_ge_2 : 2 <= INR n.
Proof. apply (le_INR 2 n); auto. Qed.

Lemma log_pos : 0 < ln (INR n).
Proof. rewrite <- ln_1. apply ln_increasing; pose proof size_ge_2; lra. Qed.

Lemma inverse_range : 0 < / INR n <= / 2.
Proof. pose proof size_ge_2. split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. Qed.

Lemma power_0 : power n 0 = 1.
Proof. unfold power. rewrite <- exp_0. f_equal. ring. Qed.

Lemma power_1 : power n 1 = / INR n.
Proof.
  pose proof size_ge_2. unfold power. replace (- (1) * ln (INR n)) with (- ln (INR n)) by ring.
  rewrite exp_Ropp, exp_ln; [reflexivity|lra].
Qed.

Lemma power_plus k l : power n (k + l) = power n k * power n l.
Proof. unfold power. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma power_opp k : power n (- k) = / power n k.
Proof. unfold power. rewrite <- exp_Ropp. f_equal. ring. Qed.

Lemma power_falls k l : k <= l -> power n l <= power n k.
Proof.
  intros H. apply exp_le. pose proof log_pos.
  assert (k * ln (INR n) <= l * ln (INR n)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma power_lt_1 k : 0 < k -> power n k < 1.
Proof.
  intros H. unfold power. rewrite <- exp_0. apply exp_increasing. pose proof log_pos.
  assert (0 < k * ln (INR n)) by (apply Rmult_lt_0_compat; auto). lra.
Qed.

Lemma power_le_1 k : 0 <= k -> power n k <= 1.
Proof. intros H. rewrite <- power_0. apply power_falls; auto. Qed.
End Size.

(* From N on: N <= n gives n^-k <= N^-k. *)
Lemma power_from (N : R) n k : 0 < N <= INR n -> 0 <= k -> power n k <= exp (- k * ln N).
Proof.
  intros [H0 H] Hk. apply exp_le. pose proof (ln_le N (INR n) H0 H).
  assert (k * ln N <= k * ln (INR n)) by (apply Rmult_le_compat_l; auto). lra.
Qed.

(* t^j exp (-k t) falls from t0 on as soon as j <= k t0. *)
Theorem log_power_falls j k t0 t : 0 < t0 <= t -> INR j <= k * t0 -> t ^ j * exp (- k * t) <= t0 ^ j * exp (- k * t0).
Proof.
  intros [H0 H1] Hj. assert (Hi : 0 < / t0) by (apply Rinv_0_lt_compat; auto).
  assert (P : (t / t0) ^ j <= exp (k * (t - t0))).
  { apply Rle_trans with (exp (t / t0 - 1) ^ j).
    - apply pow_incr. split; [apply Rmult_le_pos; lra|apply below_exp].
    - rewrite exp_pow. apply exp_le. replace (k * (t - t0)) with ((k * t0) * (t / t0 - 1)) by (field; lra).
      apply Rmult_le_compat_r; auto. replace (t / t0 - 1) with ((t - t0) * / t0) by (field; lra). apply Rmult_le_pos; lra. }
  replace t with (t0 * (t / t0)) at 1 by (field; lra). rewrite Rpow_mult_distr.
  replace (exp (- k * t0)) with (exp (k * (t - t0)) * exp (- k * t)) by (rewrite <- exp_plus; f_equal; ring).
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply pow_lt; auto|].
  apply Rmult_le_compat_r; [left; apply exp_pos|auto].
Qed.

(* Its largest value, at t = j/k. *)
Theorem log_power_max j k t : 0 < k -> 0 < t -> (0 < j)%nat -> t ^ j * exp (- k * t) <= (INR j / k) ^ j * exp (- INR j).
Proof.
  intros Hk Ht Hj. assert (HJ : 0 < INR j) by (apply lt_0_INR; auto).
  assert (Hi : 0 < / INR j) by (apply Rinv_0_lt_compat; auto).
  assert (P : (t * k / INR j) ^ j <= exp (k * t - INR j)).
  { apply Rle_trans with (exp (t * k / INR j - 1) ^ j).
    - apply pow_incr. split; [|apply below_exp].
      apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
    - rewrite exp_pow. right. f_equal. field. lra. }
  replace t with ((INR j / k) * (t * k / INR j)) at 1 by (field; lra). rewrite Rpow_mult_distr, Rmult_assoc.
  apply Rmult_le_compat_l; [apply pow_le; left; apply Rdiv_lt_0_compat; lra|].
  replace (exp (- INR j)) with (exp (k * t - INR j) * exp (- k * t)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_r; [left; apply exp_pos|auto].
Qed.
