(* The phase boundary of the simplex at finite n: the token itself and all others have equal mass exactly at
     gamma*(n) = ln (n-1) / ((1-rho) ln n),   and   0 < 1/(1-rho) - gamma*(n) <= C n^-1/ln n
   for all n >= N as soon as C (1-rho) >= (2N-1)/(2(N-1)). Uses Simplex.v, Limits.v, Uniform.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Coquelicot Require Import Coquelicot.
From Critscale Require Import Sums Layer Weights Simplex Powers Limits Tails Uniform.
Open Scope R_scope.

(* t <= sinh t, as 2 t <= exp t - exp (-t). *)
Lemma below_sinh t : 0 <= t -> 2 * t <= exp t - exp (- t).
Proof.
  intros H. set (f := fun z => exp z - exp (- z) - 2 * z).
  destruct (MVT_gen f 0 t (fun z => exp z + exp (- z) - 2)) as (z & _ & E).
  - intros z _. unfold f. auto_derive; auto. ring.
  - intros z _. apply continuity_pt_filterlim. apply (ex_derive_continuous f). unfold f. auto_derive; auto.
  - assert (P : 0 <= exp z + exp (- z) - 2).
    { rewrite exp_Ropp. pose proof (exp_pos z) as Q. assert (0 <= (exp z - 1) ^ 2 * / exp z).
      { apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; auto]. }
      replace (exp z + / exp z - 2) with ((exp z - 1) ^ 2 * / exp z) by (field; lra). auto. }
    assert (F : 0 <= f t - f 0) by (rewrite E; apply Rmult_le_pos; lra).
    unfold f in F. rewrite Ropp_0, Rmult_0_r, Rminus_0_r in F. lra.
Qed.

(* -ln (1-u) <= u (2-u)/(2 (1-u)) *)
Lemma log_loss u : 0 <= u < 1 -> - ln (1 - u) <= u * (2 - u) / (2 * (1 - u)).
Proof.
  intros H. assert (L : 0 <= - ln (1 - u)).
  { assert (ln (1 - u) <= ln 1) by (apply ln_le; lra). rewrite ln_1 in *. lra. }
  pose proof (below_sinh _ L) as P. rewrite Ropp_involutive, exp_Ropp, exp_ln in P; [|lra].
  replace (u * (2 - u) / (2 * (1 - u))) with ((/ (1 - u) - (1 - u)) / 2) by (field; lra). lra.
Qed.

Section Boundary.
Variables (d n : nat) (q rho gamma : R) (x : tokens) (i : nat).
Hypotheses (Hn : (3 <= n)%nat) (Hq : 0 < q) (Hr : rho < 1) (HS : simplex d n q rho x) (Hi : (i < n)%nat).
Notation beta := (gamma * ln (INR n)).
Notation A := (weight d n beta x).

Definition transition : R := ln (INR n - 1) / ((1 - rho) * ln (INR n)).

Lemma n_ge_3 : 3 <= INR n.
Proof. replace 3 with (INR 3) by (simpl; ring). apply le_INR; auto. Qed.

(* The masses are equal at the transition, and nowhere else. *)
Theorem equal_masses : A i i = mass d n beta x i (fun j => negb (Nat.eqb j i)) <-> gamma = transition.
Proof.
  assert (Hn2 : (2 <= n)%nat) by lia. pose proof n_ge_3 as HN. pose proof (log_pos n Hn2) as Ht.
  pose proof (odds_pos n rho beta Hn2) as W.
  rewrite (simplex_self_weight d n q rho), (simplex_other_mass d n q rho); auto.
  assert (E : self_mass n rho beta = other_mass n rho beta <-> odds n rho beta = 1).
  { unfold self_mass, other_mass. split; intros H.
    - apply (f_equal (fun t => t * (1 + odds n rho beta))) in H.
      unfold Rdiv in H. rewrite Rmult_assoc, !Rinv_l in H; lra.
    - rewrite H. field. }
  rewrite E. unfold odds, transition. split; intros H.
  - assert (L : ln ((INR n - 1) * exp (- beta * (1 - rho))) = ln 1) by (f_equal; auto).
    rewrite ln_mult, ln_exp, ln_1 in L; [|lra|apply exp_pos]. 
    replace (ln (INR n - 1)) with (gamma * ((1 - rho) * ln (INR n))) by lra. field. lra.
  - rewrite H. replace (- (ln (INR n - 1) / ((1 - rho) * ln (INR n)) * ln (INR n)) * (1 - rho)) with (- ln (INR n - 1)) by (field; lra).
    rewrite exp_Ropp, exp_ln; [|lra]. field. lra.
Qed.
End Boundary.

(* The transition lies below the threshold 1/(1-rho), by at most C n^-1/ln n. *)
Theorem boundary_rate (N C : R) n rho : 3 <= N -> N <= INR n -> rho < 1 -> (2 * N - 1) / (2 * (N - 1)) <= C * (1 - rho) ->
  Rabs (transition n rho - 1 / (1 - rho)) <= C * (Rpower (INR n) (- (1)) / ln (INR n)).
Proof.
  intros HN Hn Hr HC. assert (Hn2 : (2 <= n)%nat) by (apply INR_le; change (INR 2) with 2; lra).
  pose proof (log_pos n Hn2) as Ht. assert (Hu : 0 < / INR n) by (apply Rinv_0_lt_compat; lra).
  assert (HuN : / INR n <= / N) by (apply Rinv_le_contravar; lra).
  assert (HN1 : / N <= / 3) by (apply Rinv_le_contravar; lra).
  rewrite Rpower_Ropp, Rpower_1 by lra. set (u := / INR n) in *. set (t := ln (INR n)) in *.
  assert (E : transition n rho - 1 / (1 - rho) = - (- ln (1 - u) / ((1 - rho) * t))).
  { unfold transition. fold t. replace (INR n - 1) with (INR n * (1 - u)) by (unfold u; field; lra).
    rewrite ln_mult; try lra. fold t. field. lra. }
  pose proof (log_loss u ltac:(lra)) as L.
  assert (P : 0 <= - ln (1 - u)). { assert (ln (1 - u) <= ln 1) by (apply ln_le; lra). rewrite ln_1 in *. lra. }
  assert (Q : 0 < / ((1 - rho) * t)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
  rewrite E, Rabs_Ropp, Rabs_pos_eq; [|apply Rmult_le_pos; lra].
  assert (B : u * (2 - u) / (2 * (1 - u)) <= C * (1 - rho) * u).
  { replace (u * (2 - u) / (2 * (1 - u))) with (u * (1 / 2 + / (2 * (1 - u)))) by (field; lra). rewrite (Rmult_comm _ u).
    apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (2 := HC).
    replace ((2 * N - 1) / (2 * (N - 1))) with (1 / 2 + / (2 * (1 - / N))) by (field; lra).
    assert (/ (2 * (1 - u)) <= / (2 * (1 - / N))) by (apply Rinv_le_contravar; lra). lra. }
  apply Rle_trans with (C * (1 - rho) * u * / ((1 - rho) * t)).
  - apply Rmult_le_compat_r; lra.
  - right. field. lra.
Qed.

Theorem transition_limit rho : rho < 1 -> is_lim_seq (fun n => transition n rho) (1 / (1 - rho)).
Proof.
  intros Hr. apply (is_lim_seq_ext_loc (fun n => 1 / (1 - rho) + ln (1 - / INR n) * / ln (INR n) / (1 - rho))).
  - exists 3%nat. intros n Hn. assert (H2 : (2 <= n)%nat) by lia. pose proof (size_ge_2 n H2). pose proof (log_pos n H2).
    pose proof (inverse_range n H2). unfold transition.
    replace (INR n - 1) with (INR n * (1 - / INR n)) by (field; lra). rewrite ln_mult; try lra. field. lra.
  - pose proof lim_inverse_log. assert (L : is_lim_seq (fun n => ln (1 - / INR n)) (ln 1)).
    { apply lim_ln_of; [lra|]. replace (Finite 1) with (Finite (1 - 0)) by (f_equal; ring). limits. }
    replace (Finite (1 / (1 - rho))) with (Finite (1 / (1 - rho) + ln 1 * 0 / (1 - rho))) by (f_equal; field; lra).
    limits. lra.
Qed.

(* ln (n-1) = ln n + ln (1 - 1/n): what is evaluated where n is too large to subtract 1 from. *)
Lemma transition_form n rho : (3 <= n)%nat -> transition n rho = (ln (INR n) + ln (1 - / INR n)) / ((1 - rho) * ln (INR n)).
Proof.
  intros Hn. pose proof (n_ge_3 n Hn). pose proof (inverse_range n ltac:(lia)). unfold transition.
  replace (INR n - 1) with (INR n * (1 - / INR n)) by (field; lra). rewrite ln_mult; lra.
Qed.

(* A boundary certificate: the phases left of the threshold, at it and right of it, and where the masses are equal. *)
Theorem boundary_simplex (N C threshold rho : R) (d n : nat) (q gamma : R) (x : tokens) (i : nat) :
  3 <= N -> 0 < rho < 1 -> threshold * (1 - rho) = 1 -> (2 * N - 1) / (2 * (N - 1)) <= C * (1 - rho) ->
  N <= INR n -> 0 < q -> 0 <= gamma -> simplex d n q rho x -> (i < n)%nat ->
  let A := weight d n (gamma * ln (INR n)) x in
  (gamma < threshold -> 0 < A i i <= 2 * Rpower (INR n) (- (1 - gamma * (1 - rho)))) /\
  (gamma = threshold -> Rabs (A i i - / 2) <= 1 / (2 * INR n)) /\
  (threshold < gamma -> 0 < 1 - A i i <= Rpower (INR n) (- (gamma * (1 - rho) - 1))) /\
  (A i i = mass d n (gamma * ln (INR n)) x i (fun j => negb (Nat.eqb j i)) ->
    Rabs (gamma - threshold) <= C * (Rpower (INR n) (- (1)) / ln (INR n))).
Proof.
  intros HN Hr Ht HC Hn Hq Hg HS Hi A. assert (H3 : (3 <= n)%nat) by (apply INR_le; change (INR 3) with (1 + 1 + 1); lra).
  assert (H2 : (2 <= n)%nat) by lia. repeat split.
  - apply (self_weight_uniform_below d n q rho gamma x H2 Hq); auto.
  - apply (self_weight_uniform_below d n q rho gamma x H2 Hq); auto.
  - intros E. apply (self_weight_uniform_at d n q rho gamma x H2 Hq); auto. rewrite E. exact Ht.
  - apply (self_weight_uniform_above d n q rho gamma x H2 Hq); auto.
  - apply (self_weight_uniform_above d n q rho gamma x H2 Hq); auto.
  - intros E. apply (equal_masses d n q rho gamma x i H3 Hq ltac:(lra) HS Hi) in E. rewrite E.
    replace threshold with (1 / (1 - rho)); [apply (boundary_rate N); lra|].
    replace threshold with (threshold * (1 - rho) / (1 - rho)) by (field; lra). rewrite Ht. reflexivity.
Qed.
