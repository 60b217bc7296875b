(* Theorem 2.4 with residual, as a limit: eta -> (alpha + a*/sqrt q)^2 with a* = 0, 1/2, 1 the limit of the self weight,
   for every rho in (0,1), alpha >= 0 (indeed any real alpha), gamma >= 0, and dimensions d n >= n. Uses Theorem_2_1.v. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Critscale Require Import Sums Layer Weights Simplex Powers Limits Tails Theorem_2_1.
Open Scope R_scope.

Section Families.
Variables (q rho alpha gamma : R) (d : nat -> nat) (x : nat -> tokens).
Hypotheses (Hq : 0 < q) (Hr : 0 < rho < 1) (Hg : 0 <= gamma).
Hypothesis HS : forall n, (2 <= n)%nat -> simplex (d n) n q rho (x n).
Hypothesis Hd : forall n, (2 <= n)%nat -> (n <= d n)%nat.
Notation g := (gamma * (1 - rho)).
Notation beta n := (gamma * ln (INR n)).
Notation l := (self_limit g).

Lemma dimension_pos n : (2 <= n)%nat -> 2 <= INR n <= INR (d n).
Proof. intros H. split; [apply size_ge_2; auto|apply le_INR; auto]. Qed.

Let w0 n := / INR (d n).
Let w1 n := (1 - rho) * beta n / INR (d n).
Let w2 n := ((1 - rho) * beta n) ^ 2 / INR (d n).

Lemma lim_w0 : is_lim_seq w0 0.
Proof.
  apply (is_lim_seq_le_le_loc (fun _ => 0) _ (fun n => / INR n)); [|apply is_lim_seq_const|apply lim_inverse].
  apply from_2. intros n H. destruct (dimension_pos n H). unfold w0.
  split; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra].
Qed.

Lemma lim_w2 : is_lim_seq w2 0.
Proof.
  apply (is_lim_seq_le_le_loc (fun _ => 0) _ (fun n => g ^ 2 * (ln (INR n) ^ 2 / INR n))); [|apply is_lim_seq_const|].
  - apply from_2. intros n H. destruct (dimension_pos n H) as [H1 H2]. unfold w2. split.
    + apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra].
    + replace (((1 - rho) * beta n) ^ 2) with (g ^ 2 * ln (INR n) ^ 2) by ring. unfold Rdiv. rewrite Rmult_assoc.
      apply Rmult_le_compat_l; [apply pow2_ge_0|]. apply Rmult_le_compat_l; [apply pow2_ge_0|]. apply Rinv_le_contravar; lra.
  - pose proof lim_log_square_over_n. replace (Finite 0) with (Finite (g ^ 2 * 0)) by (f_equal; ring). limits.
Qed.

(* 0 <= z <= z^2 + 1 *)
Lemma lim_w1 : is_lim_seq w1 0.
Proof.
  apply (is_lim_seq_le_le_loc (fun _ => 0) _ (fun n => w2 n + w0 n)); [|apply is_lim_seq_const|].
  - apply from_2. intros n H. destruct (dimension_pos n H) as [H1 H2]. unfold w1, w2, w0.
    assert (P : 0 < / INR (d n)) by (apply Rinv_0_lt_compat; lra).
    assert (0 <= (1 - rho) * beta n). { apply Rmult_le_pos; [lra|]. apply beta_nonneg; auto. }
    set (z := (1 - rho) * beta n) in *. unfold Rdiv. split; [apply Rmult_le_pos; lra|].
    replace (z ^ 2 * / INR (d n) + / INR (d n)) with ((z ^ 2 + 1) * / INR (d n)) by ring. apply Rmult_le_compat_r; nra.
  - pose proof lim_w2. pose proof lim_w0. replace (Finite 0) with (Finite (0 + 0)) by (f_equal; ring). limits.
Qed.

Theorem theorem_2_4 : is_lim_seq (fun n => jacobian_norm (d n) n (beta n) alpha (x n)) ((alpha + l / sqrt q) ^ 2).
Proof.
  pose proof (lim_self_mass gamma rho) as L1. pose proof (lim_other_mass gamma rho) as L2. pose proof (lim_other_weight gamma rho) as L3.
  pose proof lim_w0 as L4. pose proof lim_w1 as L5. pose proof lim_w2 as L6. pose proof (sqrt_lt_R0 q Hq) as Rq.
  apply (is_lim_seq_ext_loc (fun n => simplex_eta q rho alpha (self_mass n rho (beta n)) (other_mass n rho (beta n))
    (other_weight n rho (beta n)) (w0 n) (w1 n) (w2 n))).
  - apply from_2. intros n Hn. symmetry. apply simplex_jacobian_norm; auto. pose proof (Hd n Hn). lia.
  - assert (Lp : forall (f : nat -> R) (t : R), is_lim_seq f t -> is_lim_seq (fun n => f n ^ 2) (t ^ 2)).
    { intros f t Lf. apply (is_lim_seq_ext (fun n => f n * f n)); [intros; ring|].
      replace (t ^ 2) with (t * t) by ring. limits. }
    pose proof (Lp _ _ L1) as P1. pose proof (Lp _ _ L2) as P2. pose proof (Lp _ _ L3) as P3.
    assert (L7 : is_lim_seq (fun n => simplex_T rho (self_mass n rho (beta n)) (other_mass n rho (beta n)) (other_weight n rho (beta n)))
      ((1 - l) * (1 + l * rho - 0))) by (unfold simplex_T; limits).
    pose proof (Lp (fun n => 1 - other_weight n rho (beta n)) (1 - 0) ltac:(limits)) as P4.
    assert (L8 : is_lim_seq (fun n => simplex_V rho (self_mass n rho (beta n)) (other_mass n rho (beta n)) (other_weight n rho (beta n)))
      (rho * l ^ 2 * (1 - l) ^ 2 + (1 + rho) * l ^ 2 * (1 - l) * 0 + (1 - l) * 0 * (1 - 0) ^ 2 + (1 - l) * ((1 - l) - 0) * 0 ^ 2))
      by (unfold simplex_V; limits).
    set (T := (1 - l) * (1 + l * rho - 0)) in *.
    set (V := rho * l ^ 2 * (1 - l) ^ 2 + (1 + rho) * l ^ 2 * (1 - l) * 0 + (1 - l) * 0 * (1 - 0) ^ 2 + (1 - l) * ((1 - l) - 0) * 0 ^ 2) in *.
    replace ((alpha + l / sqrt q) ^ 2) with
      (1 / q * (l ^ 2 * (1 - 0) + 2 * l * (0 * T) + 0 * V) + 2 * alpha / sqrt q * (l * (1 - 0) + 0 * T) + alpha ^ 2
       + 1 / q * ((1 - l) * 0) * ((1 - 0) - 2 * (0 * (l + rho * (1 - 0))) + 0 * ((1 + l ^ 2 - 0 * (1 + l)) * (1 + rho)))).
    + unfold simplex_eta. limits.
    + replace (1 / q) with (1 / (sqrt q * sqrt q)) by (rewrite sqrt_sqrt; lra). field. lra.
Qed.

Corollary theorem_2_4_paper : alpha = 0 ->
  (gamma < / (1 - rho) -> is_lim_seq (fun n => jacobian_norm (d n) n (beta n) alpha (x n)) 0) /\
  (gamma = / (1 - rho) -> is_lim_seq (fun n => jacobian_norm (d n) n (beta n) alpha (x n)) (1 / (4 * q))) /\
  (/ (1 - rho) < gamma -> is_lim_seq (fun n => jacobian_norm (d n) n (beta n) alpha (x n)) (1 / q)).
Proof.
  intros H0. pose proof theorem_2_4 as L. pose proof (sqrt_lt_R0 q Hq) as Rq.
  assert (E : forall t, (alpha + t / sqrt q) ^ 2 = t ^ 2 / q).
  { intros t. rewrite H0. replace (t ^ 2 / q) with (t ^ 2 / (sqrt q * sqrt q)) by (rewrite sqrt_sqrt; lra). field. lra. }
  rewrite E in L. destruct (ratio_of_threshold rho gamma ltac:(lra)) as (T1 & T2 & T3). unfold self_limit in L.
  repeat split; intros H.
  - apply T1 in H. destruct (Rlt_dec _ 1); [|lra]. replace (Finite 0) with (Finite (0 ^ 2 / q)); auto. f_equal. field. lra.
  - apply T2 in H. destruct (Rlt_dec _ 1); [lra|]. destruct (Rlt_dec 1 _); [lra|].
    replace (1 / (4 * q)) with ((/ 2) ^ 2 / q); auto. field. lra.
  - apply T3 in H. destruct (Rlt_dec _ 1); [lra|]. destruct (Rlt_dec 1 _); [|lra].
    replace (1 / q) with (1 ^ 2 / q); auto. field. lra.
Qed.
End Families.
