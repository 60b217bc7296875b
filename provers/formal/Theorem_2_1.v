(* Theorem 2.1 and what leads to it, as limits along n = 2, 3, ...: for every simplex family with fixed q > 0,
   rho in (0,1), alpha >= 0, gamma >= 0, in any dimensions, with beta = gamma ln n. Uses Simplex.v, Tails.v, Limits.v. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Critscale Require Import Sums Layer Weights Simplex Powers Limits Tails.
Open Scope R_scope.

(* The limit of the self weight, by g = gamma (1-rho). *)
Definition self_limit (g : R) : R := if Rlt_dec g 1 then 0 else if Rlt_dec 1 g then 1 else / 2.

Lemma self_limit_range g : 0 <= self_limit g <= 1.
Proof. unfold self_limit. destruct (Rlt_dec g 1); [lra|]. destruct (Rlt_dec 1 g); lra. Qed.

Lemma lim_self_mass gamma rho :
  is_lim_seq (fun n => self_mass n rho (gamma * ln (INR n))) (self_limit (gamma * (1 - rho))).
Proof.
  set (g := gamma * (1 - rho)). unfold self_limit. destruct (Rlt_dec g 1) as [H|H]; [|destruct (Rlt_dec 1 g) as [K|K]].
  - apply (is_lim_seq_ext_loc (fun n => power n (1 - g) / (power n (1 - g) + 1 - / INR n))).
    + apply from_2. intros n Hn. destruct (masses_below n rho gamma Hn) as (_ & E & _). symmetry; exact E.
    + pose proof (lim_power (1 - g) ltac:(lra)). replace (Finite 0) with (Finite (0 / (0 + 1 - 0))) by (f_equal; field).
      limits. lra.
  - apply (is_lim_seq_ext_loc (fun n => 1 / (1 + power n (g - 1) * (1 - / INR n)))).
    + apply from_2. intros n Hn. destruct (masses_above n rho gamma Hn) as (_ & E & _). symmetry; exact E.
    + pose proof (lim_power (g - 1) ltac:(lra)). replace (Finite 1) with (Finite (1 / (1 + 0 * (1 - 0)))) by (f_equal; field).
      limits. lra.
  - apply (is_lim_seq_ext_loc (fun n => 1 / (2 - / INR n))).
    + apply from_2. intros n Hn. destruct (masses_at n rho gamma Hn ltac:(fold g; lra)) as (_ & E & _). symmetry; exact E.
    + replace (Finite (/ 2)) with (Finite (1 / (2 - 0))) by (f_equal; field). limits. lra.
Qed.

Section Masses.
Variables (gamma rho : R).
Notation beta n := (gamma * ln (INR n)).
Notation l := (self_limit (gamma * (1 - rho))).

Lemma lim_other_mass : is_lim_seq (fun n => other_mass n rho (beta n)) (1 - l).
Proof.
  apply (is_lim_seq_ext_loc (fun n => 1 - self_mass n rho (beta n))).
  - apply from_2. intros n Hn. pose proof (masses_sum n rho (beta n) Hn). lra.
  - pose proof (lim_self_mass gamma rho). limits.
Qed.

Lemma lim_other_weight : is_lim_seq (fun n => other_weight n rho (beta n)) 0.
Proof.
  pose proof lim_other_mass as H.
  apply (is_lim_seq_ext_loc (fun n => other_mass n rho (beta n) * / INR n / (1 - / INR n))).
  - apply from_2. intros n Hn. pose proof (size_ge_2 n Hn). unfold other_weight. field. lra.
  - replace (Finite 0) with (Finite ((1 - l) * 0 / (1 - 0))) by (f_equal; field). limits. lra.
Qed.
End Masses.

(* gamma against 1/(1-rho) is g against 1. *)
Lemma ratio_of_threshold rho gamma : rho < 1 -> let g := gamma * (1 - rho) in
  (gamma < / (1 - rho) -> g < 1) /\ (gamma = / (1 - rho) -> g = 1) /\ (/ (1 - rho) < gamma -> 1 < g).
Proof.
  intros Hr g. unfold g. repeat split.
  - intros H. apply (Rmult_lt_compat_r (1 - rho)) in H; [|lra]. rewrite Rinv_l in H; lra.
  - intros ->. field. lra.
  - intros H. apply (Rmult_lt_compat_r (1 - rho)) in H; [|lra]. rewrite Rinv_l in H; lra.
Qed.

Section Families.
Variables (q rho alpha gamma : R) (d : nat -> nat) (x : nat -> tokens).
Hypotheses (Hq : 0 < q) (Hr : 0 < rho < 1) (Ha : 0 <= alpha) (Hg : 0 <= gamma).
(* A simplex of every size n >= 2, in any dimension d n, and two different tokens i n and j n of it. *)
Hypothesis HS : forall n, (2 <= n)%nat -> simplex (d n) n q rho (x n).
Variables (i j : nat -> nat).
Hypothesis Hi : forall n, (2 <= n)%nat -> (i n < n)%nat /\ (j n < n)%nat /\ i n <> j n.
Notation g := (gamma * (1 - rho)).
Notation beta n := (gamma * ln (INR n)).
Notation s := (alpha * sqrt q).
Notation l := (self_limit g).

(* ---- The partition function: Z_i ~ n^(1 + gamma rho), 2 n^gamma, n^gamma ---- *)

Let log_Z n := ln (partition (d n) n (beta n) (x n) (i n)).

Theorem partition_below : g < 1 -> is_lim_seq (fun n => log_Z n - (1 + gamma * rho) * ln (INR n)) 0.
Proof.
  intros H. pose proof (lim_power (1 - g) ltac:(lra)) as L.
  apply (is_lim_seq_ext_loc (fun n => ln (power n (1 - g) + 1 - / INR n))).
  - apply from_2. intros n Hn. destruct (masses_below n rho gamma Hn) as (P & _ & _ & _ & E). pose proof (power_pos n (1 - g)).
    unfold log_Z. rewrite (simplex_log_partition (d n) n q rho), E; auto; [|apply Hi; auto].
    unfold Rdiv. rewrite ln_mult, ln_Rinv, ln_power; auto; [ring|apply Rinv_0_lt_compat; auto].
  - replace (Finite 0) with (Finite (ln (0 + 1 - 0))) by (f_equal; replace (0 + 1 - 0) with 1 by ring; apply ln_1).
    apply lim_ln_of; [lra|]. limits.
Qed.

Theorem partition_at : g = 1 -> is_lim_seq (fun n => log_Z n - gamma * ln (INR n)) (ln 2).
Proof.
  intros H. apply (is_lim_seq_ext_loc (fun n => ln (2 - / INR n))).
  - apply from_2. intros n Hn. destruct (masses_at n rho gamma Hn H) as (P & _ & _ & _ & E).
    unfold log_Z. rewrite (simplex_log_partition (d n) n q rho), E; auto; [|apply Hi; auto]. ring.
  - apply lim_ln_of; [lra|]. replace (Finite 2) with (Finite (2 - 0)) by (f_equal; ring). limits.
Qed.

Theorem partition_above : 1 < g -> is_lim_seq (fun n => log_Z n - gamma * ln (INR n)) 0.
Proof.
  intros H. pose proof (lim_power (g - 1) ltac:(lra)) as L.
  apply (is_lim_seq_ext_loc (fun n => ln (1 + power n (g - 1) * (1 - / INR n)))).
  - apply from_2. intros n Hn. destruct (masses_above n rho gamma Hn) as (P & _ & _ & _ & E).
    unfold log_Z. rewrite (simplex_log_partition (d n) n q rho), E; auto; [|apply Hi; auto]. ring.
  - replace (Finite 0) with (Finite (ln (1 + 0 * (1 - 0)))) by (f_equal; replace (1 + 0 * (1 - 0)) with 1 by ring; apply ln_1).
    apply lim_ln_of; [lra|]. limits.
Qed.

(* ---- Self weight: 0, 1/2, 1 ---- *)

Theorem self_weight_limit : is_lim_seq (fun n => weight (d n) n (beta n) (x n) (i n) (i n)) l.
Proof.
  apply (is_lim_seq_ext_loc (fun n => self_mass n rho (beta n))); [|apply lim_self_mass].
  apply from_2. intros n Hn. symmetry. apply (simplex_self_weight (d n) n q); auto. apply Hi; auto.
Qed.

(* ---- Inner products ---- *)

Let inner_product n := output_inner (d n) n (beta n) alpha (x n) (i n) (j n).

(* All three phases at once, by the limit of the self weight. *)
Theorem inner_product_limit : is_lim_seq inner_product
  (1 - (1 - rho) * ((l + s) ^ 2 / ((l + s) ^ 2 + rho * (1 - l) * (2 * (l + s) + (1 - l))))).
Proof.
  pose proof (self_limit_range g) as Hl. assert (Hs : 0 <= s) by (apply Rmult_le_pos; auto; apply sqrt_pos).
  pose proof (lim_self_mass gamma rho) as L1. pose proof (lim_other_mass gamma rho) as L2. pose proof (lim_other_weight gamma rho) as L3.
  apply (is_lim_seq_ext_loc (fun n => 1 - (1 - rho) *
    contraction rho (self_mass n rho (beta n)) (other_mass n rho (beta n)) (other_weight n rho (beta n)) s)).
  - apply from_2. intros n Hn. destruct (Hi n Hn) as (H1 & H2 & H3). unfold inner_product.
    rewrite (simplex_output_inner (d n) n q rho); auto; try lra. apply beta_nonneg; auto.
  - replace ((l + s) ^ 2) with ((l - 0 + s) * (l - 0 + s)) by ring.
    replace (rho * (1 - l) * (2 * (l + s) + (1 - l))) with ((0 + rho * (1 - l)) * (2 * (l - 0 + s) + (1 - l + 0))) by ring.
    apply (is_lim_seq_ext (fun n => 1 - (1 - rho) *
      (own (self_mass n rho (beta n)) (other_weight n rho (beta n)) s * own (self_mass n rho (beta n)) (other_weight n rho (beta n)) s
       / (own (self_mass n rho (beta n)) (other_weight n rho (beta n)) s * own (self_mass n rho (beta n)) (other_weight n rho (beta n)) s
          + shared rho (self_mass n rho (beta n)) (other_mass n rho (beta n)) (other_weight n rho (beta n)) s)))).
    { intros n. unfold contraction. simpl. rewrite !Rmult_1_r. reflexivity. }
    unfold shared, own. limits.
    assert (0 <= (l - 0 + s) * (l - 0 + s)) by apply Rle_0_sqr.
    assert (0 <= rho * (1 - l)) by (apply Rmult_le_pos; lra).
    destruct (Req_dec l 1) as [->|Hne].
    + assert (0 < (1 - 0 + s) * (1 - 0 + s)) by (apply Rmult_lt_0_compat; lra). nra.
    + assert (0 < rho * (1 - l)) by (apply Rmult_lt_0_compat; lra).
      assert (0 < (0 + rho * (1 - l)) * (2 * (l - 0 + s) + (1 - l + 0))) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma s_not_negative : 0 <= s.
Proof. apply Rmult_le_pos; auto. apply sqrt_pos. Qed.

Theorem theorem_2_1_below : gamma < / (1 - rho) ->
  is_lim_seq inner_product (rho * (1 + s) ^ 2 / (s ^ 2 + 2 * s * rho + rho)).
Proof.
  intros H. apply (proj1 (ratio_of_threshold rho gamma ltac:(lra))) in H. pose proof inner_product_limit as L. pose proof s_not_negative as Hs.
  unfold self_limit in L. destruct (Rlt_dec _ 1); [|lra]. assert (0 <= s * rho) by (apply Rmult_le_pos; lra). pose proof (pow2_ge_0 s).
  replace (rho * (1 + s) ^ 2 / (s ^ 2 + 2 * s * rho + rho))
    with (1 - (1 - rho) * ((0 + s) ^ 2 / ((0 + s) ^ 2 + rho * (1 - 0) * (2 * (0 + s) + (1 - 0))))); auto.
  field. repeat split; nra.
Qed.

Theorem theorem_2_1_at : gamma = / (1 - rho) ->
  is_lim_seq inner_product (rho * (1 + s) ^ 2 / (s ^ 2 + s * (1 + rho) + (1 + 3 * rho) / 4)).
Proof.
  intros H. apply (proj1 (proj2 (ratio_of_threshold rho gamma ltac:(lra)))) in H. pose proof inner_product_limit as L. pose proof s_not_negative as Hs.
  unfold self_limit in L. destruct (Rlt_dec _ 1); [lra|]. destruct (Rlt_dec 1 _); [lra|].
  assert (0 <= s * rho) by (apply Rmult_le_pos; lra). pose proof (pow2_ge_0 s).
  replace (rho * (1 + s) ^ 2 / (s ^ 2 + s * (1 + rho) + (1 + 3 * rho) / 4))
    with (1 - (1 - rho) * ((/ 2 + s) ^ 2 / ((/ 2 + s) ^ 2 + rho * (1 - / 2) * (2 * (/ 2 + s) + (1 - / 2))))); auto.
  field. repeat split; nra.
Qed.

Theorem theorem_2_1_above : / (1 - rho) < gamma -> is_lim_seq inner_product rho.
Proof.
  intros H. apply (proj2 (proj2 (ratio_of_threshold rho gamma ltac:(lra)))) in H. pose proof inner_product_limit as L. pose proof s_not_negative as Hs.
  unfold self_limit in L. destruct (Rlt_dec _ 1); [lra|]. destruct (Rlt_dec 1 _); [|lra].
  replace (Finite rho) with (Finite (1 - (1 - rho) * ((1 + s) ^ 2 / ((1 + s) ^ 2 + rho * (1 - 1) * (2 * (1 + s) + (1 - 1)))))); auto.
  f_equal. field. nra.
Qed.

(* As the paper states it, without residual: 1, 4 rho/(1 + 3 rho), rho. *)
Corollary theorem_2_1_paper : alpha = 0 ->
  (gamma < / (1 - rho) -> is_lim_seq inner_product 1) /\
  (gamma = / (1 - rho) -> is_lim_seq inner_product (4 * rho / (1 + 3 * rho))) /\
  (/ (1 - rho) < gamma -> is_lim_seq inner_product rho).
Proof.
  intros H0. repeat split; intros H.
  - pose proof (theorem_2_1_below H) as L. rewrite H0, Rmult_0_l in L.
    replace 1 with (rho * (1 + 0) ^ 2 / (0 ^ 2 + 2 * 0 * rho + rho)); auto. field. lra.
  - pose proof (theorem_2_1_at H) as L. rewrite H0, Rmult_0_l in L.
    replace (4 * rho / (1 + 3 * rho)) with (rho * (1 + 0) ^ 2 / (0 ^ 2 + 0 * (1 + rho) + (1 + 3 * rho) / 4)); auto. field. lra.
  - apply theorem_2_1_above; auto.
Qed.
End Families.
