(* What the generated files of `critscale prove --coq` use besides the theorems: the boxes in which 1/n, n^-k,
   (ln n)^j n^-k and n/d lie for all n >= N, and how a bound of a remainder becomes the claim. Uses Powers.v, Simplex.v, Tails.v. *)
From Coq Require Import Reals Lra Lia.
From Critscale Require Import Powers Simplex Tails.
Open Scope R_scope.

Section Boxes.
Variables (N : R) (n : nat).
Hypotheses (HN : 2 <= N) (H : N <= INR n).

Lemma size_from : (2 <= n)%nat.
Proof. apply INR_le. change (INR 2) with 2. lra. Qed.

Lemma inverse_box (U : R) : / N <= U -> 0 <= / INR n <= U.
Proof.
  intros HU. split; [left; apply Rinv_0_lt_compat; lra|]. apply Rle_trans with (/ N); auto. apply Rinv_le_contravar; lra.
Qed.

Lemma log_from : ln N <= ln (INR n).
Proof. apply ln_le; lra. Qed.

Lemma power_box (lo k U : R) : 0 <= lo <= k -> exp (- lo * ln N) <= U -> 0 <= power n k <= U.
Proof.
  intros Hk HU. split; [left; apply power_pos|]. apply Rle_trans with (power n lo).
  - apply power_falls; [apply size_from|lra].
  - apply Rle_trans with (exp (- lo * ln N)); auto. apply power_from; lra.
Qed.

Lemma inverse_log_box (L U : R) : 0 < L -> L <= ln N -> / L <= U -> 0 <= / ln (INR n) <= U.
Proof.
  intros HL H1 HU. pose proof log_from. split; [left; apply Rinv_0_lt_compat; lra|].
  apply Rle_trans with (/ L); auto. apply Rinv_le_contravar; lra.
Qed.

(* g ln n n^-g and (g ln n)^2 n^-g, for any g >= 0 *)
Lemma log_decay_box (g U : R) : 0 < g -> / exp 1 <= U -> 0 <= g * ln (INR n) * power n g <= U.
Proof.
  intros Hg HU. pose proof (log_pos n size_from) as Ht. assert (P : 0 < g * ln (INR n)) by (apply Rmult_lt_0_compat; auto).
  split; [left; apply Rmult_lt_0_compat; auto; apply power_pos|].
  pose proof (log_power_max 1 1 (g * ln (INR n)) ltac:(lra) P ltac:(lia)) as B.
  rewrite !pow_1, exp_Ropp in B. change (INR 1) with 1 in B.
  unfold power. replace (- g * ln (INR n)) with (- (1) * (g * ln (INR n))) by ring.
  replace (1 / 1 * / exp 1) with (/ exp 1) in B by (field; apply Rgt_not_eq, exp_pos). lra.
Qed.

Lemma log2_decay_box (g U : R) : 0 < g -> 4 / exp 2 <= U -> 0 <= (g * ln (INR n)) ^ 2 * power n g <= U.
Proof.
  intros Hg HU. pose proof (log_pos n size_from) as Ht. assert (P : 0 < g * ln (INR n)) by (apply Rmult_lt_0_compat; auto).
  split; [left; apply Rmult_lt_0_compat; [apply pow_lt; auto|apply power_pos]|].
  pose proof (log_power_max 2 1 (g * ln (INR n)) ltac:(lra) P ltac:(lia)) as B.
  change (INR 2) with 2 in B. rewrite (exp_Ropp 2) in B.
  unfold power. replace (- g * ln (INR n)) with (- (1) * (g * ln (INR n))) by ring.
  replace ((2 / 1) ^ 2) with 4 in B by field. unfold Rdiv in HU. lra.
Qed.

(* ln n/n and (ln n)^2/n: where they fall from N on. *)
Lemma log_over_box (U : R) : 1 <= ln N -> ln N / N <= U -> 0 <= ln (INR n) * / INR n <= U.
Proof.
  intros H1 HU. pose proof log_from as L. split.
  - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
  - apply Rle_trans with (ln N / N); auto. unfold Rdiv.
    pose proof (log_power_falls 1 1 (ln N) (ln (INR n)) ltac:(lra) ltac:(simpl; lra)) as B. simpl in B.
    replace (- (1) * ln (INR n)) with (- ln (INR n)) in B by ring. replace (- (1) * ln N) with (- ln N) in B by ring.
    rewrite !exp_Ropp, !exp_ln in B; lra.
Qed.

Lemma log2_over_box (U : R) : 2 <= ln N -> ln N ^ 2 / N <= U -> 0 <= ln (INR n) ^ 2 * / INR n <= U.
Proof.
  intros H1 HU. pose proof log_from as L. split.
  - apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra].
  - apply Rle_trans with (ln N ^ 2 / N); auto. unfold Rdiv.
    pose proof (log_power_falls 2 1 (ln N) (ln (INR n)) ltac:(lra) ltac:(simpl; lra)) as B.
    replace (- (1) * ln (INR n)) with (- ln (INR n)) in B by ring. replace (- (1) * ln N) with (- ln N) in B by ring.
    rewrite !exp_Ropp, !exp_ln in B; lra.
Qed.

Lemma ratio_box (d : nat) : (n <= d)%nat -> 0 <= INR n / INR d <= 1.
Proof.
  intros Hd. pose proof (le_INR n d Hd). split.
  - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
  - apply (Rmult_le_reg_r (INR d)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
End Boxes.

Lemma residual_box (alpha root U : R) : 0 <= alpha -> 0 <= root -> alpha * root <= U -> 0 <= alpha * root <= U.
Proof. intros. split; auto. apply Rmult_le_pos; auto. Qed.

(* n^-1 (ln n)^2 is the scale of the critical Jacobian norm. *)
Lemma scale_power_1 n : (2 <= n)%nat -> Rpower (INR n) (- (1)) = / INR n.
Proof. intros H. pose proof (size_ge_2 n H). rewrite Rpower_Ropp, Rpower_1; [reflexivity|lra]. Qed.

(* A weaker rate k <= k0: what n^-(k0-k) is worth from N on comes to the constant's help. *)
Lemma slower_rate (N : R) n Q C0 C k0 k lo : 2 <= N -> N <= INR n -> 0 <= lo <= k0 - k -> C0 * exp (- lo * ln N) <= C ->
  0 <= C0 -> Rabs Q <= C0 * power n k0 -> Rabs Q <= C * power n k.
Proof.
  intros HN H Hlo HC H0 HQ. destruct (power_box N n HN H lo (k0 - k) _ Hlo (Rle_refl _)) as [P1 P2].
  apply Rle_trans with (C0 * power n k0); auto. replace k0 with ((k0 - k) + k) by ring. rewrite power_plus, <- Rmult_assoc.
  apply Rmult_le_compat_r; [left; apply power_pos|]. apply Rle_trans with (C0 * exp (- lo * ln N)); auto.
  apply Rmult_le_compat_l; auto.
Qed.

(* Sizes that are powers: n = b^k with an exponent of any size. *)
Lemma log_of_power (n : nat) (b e : R) : INR n = Rpower b e -> ln (INR n) = e * ln b.
Proof. intros ->. unfold Rpower. apply ln_exp. Qed.

Lemma inverse_of_power (n : nat) (b e : R) : INR n = Rpower b e -> / INR n = exp (- (e * ln b)).
Proof. intros ->. unfold Rpower. symmetry. apply exp_Ropp. Qed.

(* b = M/(n-1), with n only as 1/n. *)
Lemma other_weight_from n rho beta : (2 <= n)%nat ->
  other_weight n rho beta = other_mass n rho beta * / INR n / (1 - / INR n).
Proof. intros H. pose proof (size_ge_2 n H). unfold other_weight. field. lra. Qed.

Lemma power_at_least (K b e : R) : 1 < b -> 1 <= e -> K <= b -> K <= Rpower b e.
Proof.
  intros Hb He HK. apply Rle_trans with (Rpower b 1); [rewrite Rpower_1; lra|]. apply exp_le.
  assert (0 < ln b) by (rewrite <- ln_1; apply ln_increasing; lra). apply Rmult_le_compat_r; lra.
Qed.

(* A certificate writes the limit in its own words: Q - L = Q - L' where L' is the library's. *)
Ltac nonzero :=
  first [ lra | assumption
        | apply Rgt_not_eq; first [lra | nra]
        | apply Rlt_not_eq; first [lra | nra] ].

Ltac name_residual :=
  try match goal with
  | H : 0 <= ?a * sqrt ?q, R : _ <= ?rho <= _ |- context [lambda_limit_below ?rho _] =>
      let s := fresh "s" in rewrite ?(fun z => Rmult_assoc z a (sqrt q)); set (s := a * sqrt q) in *; clearbody s;
      assert (0 <= s * rho) by (apply Rmult_le_pos; lra); assert (0 <= s * s) by (apply Rle_0_sqr)
  | H : 0 <= ?a * sqrt ?q, R : _ <= ?rho <= _ |- context [lambda_limit_at ?rho _] =>
      let s := fresh "s" in rewrite ?(fun z => Rmult_assoc z a (sqrt q)); set (s := a * sqrt q) in *; clearbody s;
      assert (0 <= s * rho) by (apply Rmult_le_pos; lra); assert (0 <= s * s) by (apply Rle_0_sqr)
  end.

Ltac limit_equal :=
  match goal with |- ?a - _ = ?a - _ => apply (f_equal (fun t => a - t)) end;
  first [ reflexivity | lra
        | name_residual; unfold lambda_limit_below, lambda_limit_at; field; repeat split; nonzero ].
