(* Limits along the natural numbers: 1/n, n^-k, (ln n)^2/n, and sequences built from them. Uses Powers.v, Coquelicot. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Critscale Require Import Powers.
Open Scope R_scope.

(* Every statement about n >= 2 is one about all but finitely many n. *)
Lemma from_2 (P : nat -> Prop) : (forall n, (2 <= n)%nat -> P n) -> eventually P.
Proof. intros; exists 2%nat; auto. Qed.

Lemma lim_inverse : is_lim_seq (fun n => / INR n) 0.
Proof.
  replace (Finite 0) with (Rbar_inv p_infty) by reflexivity.
  apply is_lim_seq_inv; [apply is_lim_seq_INR|discriminate].
Qed.

Lemma lim_log : is_lim_seq (fun n => ln (INR n)) p_infty.
Proof. eapply filterlim_comp; [apply is_lim_seq_INR|]. apply is_lim_ln_p. Qed.

Lemma lim_power k : 0 < k -> is_lim_seq (fun n => power n k) 0.
Proof.
  intros Hk. eapply filterlim_comp; [|apply is_lim_exp_m].
  pose proof (is_lim_seq_scal_l _ (- k) _ lim_log) as H.
  unfold is_lim_seq in H. simpl in H. destruct (Rle_dec 0 (- k)); [exfalso; lra|exact H].
Qed.

Lemma lim_inverse_log : is_lim_seq (fun n => / ln (INR n)) 0.
Proof.
  replace (Finite 0) with (Rbar_inv p_infty) by reflexivity.
  apply is_lim_seq_inv; [apply lim_log|discriminate].
Qed.

Lemma lim_ln_of (u : nat -> R) (l : R) : 0 < l -> is_lim_seq u l -> is_lim_seq (fun n => ln (u n)) (ln l).
Proof.
  intros H K. apply is_lim_seq_continuous; auto. apply continuity_pt_filterlim.
  apply (ex_derive_continuous ln). eexists. apply is_derive_ln; auto.
Qed.

(* (ln n)^2/n <= 16 e^-2 n^(-1/2) *)
Lemma log_square_over_n n : (2 <= n)%nat -> ln (INR n) ^ 2 / INR n <= 16 * exp (- 2) * power n (/ 2).
Proof.
  intros H. pose proof (log_power_max 2 (/ 2) (ln (INR n)) ltac:(lra) (log_pos n H) ltac:(lia)) as P.
  change (INR 2) with 2 in P. replace ((2 / / 2) ^ 2) with 16 in P by field. fold (power n (/ 2)) in P.
  unfold Rdiv. rewrite <- (power_1 n H). replace 1 with (/ 2 + / 2) at 1 by field.
  rewrite power_plus, <- Rmult_assoc. apply Rmult_le_compat_r; auto. left; apply power_pos.
Qed.

Lemma lim_log_square_over_n : is_lim_seq (fun n => ln (INR n) ^ 2 / INR n) 0.
Proof.
  apply (is_lim_seq_le_le_loc (fun _ => 0) _ (fun n => 16 * exp (- 2) * power n (/ 2))).
  - apply from_2. intros n H. split; [|apply log_square_over_n; auto].
    pose proof (size_ge_2 n H). apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra].
  - apply is_lim_seq_const.
  - replace (Finite 0) with (Finite (16 * exp (- 2) * 0)) by (f_equal; ring).
    apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_power; lra].
Qed.

(* A rational expression of sequences whose limits are at hand. *)
Ltac limits := first
  [ assumption
  | apply is_lim_seq_const
  | apply lim_inverse
  | match goal with
    | |- is_lim_seq (fun n => _ + _) _ => apply is_lim_seq_plus'; limits
    | |- is_lim_seq (fun n => _ - _) _ => apply is_lim_seq_minus'; limits
    | |- is_lim_seq (fun n => _ * _) _ => apply is_lim_seq_mult'; limits
    | |- is_lim_seq (fun n => _ / _) _ => apply is_lim_seq_div'; [limits|limits|]
    end ].

(* A bound that tends to 0 gives the limit. *)
Lemma lim_from_bound (u e : nat -> R) (l : R) :
  (forall n, (2 <= n)%nat -> Rabs (u n - l) <= e n) -> is_lim_seq e 0 -> is_lim_seq u l.
Proof.
  intros H He. apply (is_lim_seq_ext (fun n => u n - l + l)); [intros; ring|].
  replace (Finite l) with (Finite (0 + l)) by (f_equal; ring). apply is_lim_seq_plus'; [|apply is_lim_seq_const].
  apply is_lim_seq_abs_0. apply (is_lim_seq_le_le_loc (fun _ => 0) _ e); [|apply is_lim_seq_const|auto].
  apply from_2. intros n Hn. split; [apply Rabs_pos|auto].
Qed.
