(* Many layers on the simplex (THEORY-layers.md): a layer maps a simplex to a simplex, inner products never fall, above the
   threshold they drift by at most C l n^-k for n^k/ln n layers, below it one layer without residual collapses, and so it stays.
   Uses Simplex.v and Powers.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Simplex Powers Tails.
Open Scope R_scope.

(* ---- One layer as a map of (q, rho) ---- *)
Section Map.
Variables (d n : nat) (q rho beta alpha : R) (x : tokens).
Hypotheses (Hq : 0 < q) (Hn : (2 <= n)%nat) (HS : simplex d n q rho x).
Hypotheses (Hb : 0 <= beta) (Hr : 0 < rho <= 1) (Ha : 0 <= alpha).
Notation a := (self_mass n rho beta).
Notation M := (other_mass n rho beta).
Notation b := (other_weight n rho beta).
Notation s := (alpha * sqrt q).

Definition next_q : R := own a b s ^ 2 + shared rho a M b s.
Definition next_rho : R := 1 - (1 - rho) * contraction rho a M b s.

Theorem simplex_layer : simplex d n next_q next_rho (output d n beta alpha x).
Proof.
  split.
  - intros i Hi. apply (simplex_output_norm2 d n q rho); auto.
  - intros i j Hi Hj Hij. apply (simplex_output_inner d n q rho); auto.
Qed.

Lemma next_q_pos : 0 < next_q.
Proof. apply norm2_pos; auto. apply residual_pos; auto. Qed.

(* Inner products never fall. *)
Theorem next_rho_rises : rho <= next_rho <= 1.
Proof.
  pose proof (contraction_range n rho beta Hn s Hb Hr (residual_pos q alpha Ha)) as L. unfold next_rho.
  assert (0 <= (1 - rho) * contraction rho a M b s) by (apply Rmult_le_pos; lra).
  assert ((1 - rho) * contraction rho a M b s <= (1 - rho) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Map.

(* ---- Drift above the threshold ---- *)
Section Drift.
Variables (d n : nat) (alpha gamma rho0 : R).
Hypotheses (Hn : (2 <= n)%nat) (Ha : 0 <= alpha) (Hr0 : 0 < rho0 < 1) (Hg : 0 < gamma).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation N := (INR n).

(* k = gamma (1 - rho0) - 1,  mu = e n^-k n/(n-1),  C = 2 e (1-rho0) (rho0 + 1/(gamma ln n) + 1/(n-1))/(1-mu)^2 *)
Definition drift_rate : R := gamma * (1 - rho0) - 1.
Definition drift_mu : R := exp 1 * power n drift_rate * (N / (N - 1)).
Definition drift_constant : R :=
  2 * exp 1 * (1 - rho0) * (rho0 + / (gamma * t) + / (N - 1)) / (1 - drift_mu) ^ 2.
Notation k := drift_rate.
Notation mu := drift_mu.
Notation C := drift_constant.
Hypothesis Hmu : mu < 1.

Lemma mu_pos : 0 < mu.
Proof.
  pose proof (size_ge_2 n Hn). unfold drift_mu. apply Rmult_lt_0_compat.
  - apply Rmult_lt_0_compat; [apply exp_pos|apply power_pos].
  - apply Rdiv_lt_0_compat; lra.
Qed.

Lemma margin_pos : 0 < / (gamma * t).
Proof. pose proof (log_pos n Hn). apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra. Qed.

Lemma drift_constant_pos : 0 < C.
Proof.
  pose proof (size_ge_2 n Hn). pose proof margin_pos. pose proof (exp_pos 1).
  assert (0 < / (N - 1)) by (apply Rinv_0_lt_compat; lra).
  unfold drift_constant. apply Rdiv_lt_0_compat.
  - apply Rmult_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; lra.
  - apply pow_lt; lra.
Qed.

(* While rho is within 1/(gamma ln n) of its start, a layer moves it by at most C n^-k. *)
Theorem one_layer_drift q rho : 0 < q -> rho0 <= rho <= rho0 + / (gamma * t) -> rho <= 1 ->
  next_rho n q rho beta alpha <= rho + C * power n k.
Proof.
  intros Hq Hr Hr1. pose proof (size_ge_2 n Hn) as HN. pose proof (log_pos n Hn) as Ht.
  assert (Hb : 0 <= beta) by (apply Rmult_le_pos; lra). assert (Hrr : 0 < rho <= 1) by lra.
  pose proof (residual_pos q alpha Ha) as Hs.
  set (a := self_mass n rho beta). set (M := other_mass n rho beta). set (b := other_weight n rho beta).
  pose proof (masses_sum n rho beta Hn) as EM. fold a M in EM.
  pose proof (other_mass_range n rho beta Hn) as RM. fold M in RM.
  pose proof (other_weight_range n rho beta Hn) as Rb. fold b M in Rb.
  pose proof (other_weight_mass n rho beta Hn) as Eb. fold b M in Eb.
  pose proof (odds_pos n rho beta Hn) as PW. pose proof (power_pos n k) as Pk. pose proof (exp_pos 1) as Pe.
  (* odds <= e n^-k *)
  assert (W : odds n rho beta <= exp 1 * power n k).
  { unfold odds. apply Rle_trans with (N * exp (- beta * (1 - rho))).
    - apply Rmult_le_compat_r; [left; apply exp_pos|lra].
    - rewrite <- (exp_ln N) at 1; [|lra]. unfold power. rewrite <- !exp_plus. apply exp_le.
      unfold drift_rate. assert (gamma * t * rho <= gamma * t * rho0 + 1).
      { assert (gamma * t * rho <= gamma * t * (rho0 + / (gamma * t))) by (apply Rmult_le_compat_l; lra).
        replace (gamma * t * (rho0 + / (gamma * t))) with (gamma * t * rho0 + 1) in * by (field; lra). auto. }
      lra. }
  assert (MW : M <= odds n rho beta).
  { unfold M, other_mass. apply (Rmult_le_reg_r (1 + odds n rho beta)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. }
  assert (Mk : M <= exp 1 * power n k) by lra.
  (* n b <= mu *)
  assert (Nb : M + b <= mu).
  { replace (M + b) with (M * (N / (N - 1))). 2: { rewrite <- Eb. field. lra. }
    unfold drift_mu. apply Rmult_le_compat_r; auto. left; apply Rdiv_lt_0_compat; lra. }
  pose proof mu_pos as Pmu.
  (* c >= 1 - mu *)
  set (c0 := 1 - mu). assert (Hc0 : 0 < c0) by (unfold c0; lra).
  set (s := alpha * sqrt q) in *.
  assert (Hc : c0 <= own a b s). { unfold own, c0. lra. }
  set (c := own a b s) in *.
  assert (Hsh : 0 < shared rho a M b s) by (apply shared_pos; auto).
  (* 1 - lambda <= shared/c^2 *)
  assert (Hc2 : 0 < c ^ 2) by (apply pow_lt; lra).
  assert (L1 : 1 - contraction rho a M b s <= shared rho a M b s / c ^ 2).
  { unfold contraction. fold c. replace (1 - c ^ 2 / (c ^ 2 + shared rho a M b s)) with (shared rho a M b s / (c ^ 2 + shared rho a M b s)) by (field; lra).
    unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  (* (2 c + M + b)/c^2 <= 2/(1-mu)^2 *)
  assert (L2 : (2 * c + (M + b)) / c ^ 2 <= 2 / c0 ^ 2).
  { assert (Hi : / c <= / c0) by (apply Rinv_le_contravar; lra). assert (Hi0 : 0 < / c) by (apply Rinv_0_lt_compat; lra).
    replace ((2 * c + (M + b)) / c ^ 2) with (2 * / c + (M + b) * (/ c * / c)) by (field; lra).
    apply Rle_trans with (2 * / c0 + (M + b) * (/ c0 * / c0)).
    - apply Rplus_le_compat; [lra|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra.
    - replace (2 * / c0 + (M + b) * (/ c0 * / c0)) with ((2 * c0 + (M + b)) / c0 ^ 2) by (field; lra).
      unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|]. unfold c0. lra. }
  assert (L3 : b + rho * M <= exp 1 * power n k * (rho0 + / (gamma * t) + / (N - 1))).
  { replace (b + rho * M) with (M * (rho + / (N - 1))). 2: { rewrite <- Eb. field. lra. }
    assert (0 < / (N - 1)) by (apply Rinv_0_lt_compat; lra). apply Rmult_le_compat; lra. }
  assert (P3 : 0 < b + rho * M). { assert (0 < rho * M) by (apply Rmult_lt_0_compat; lra). lra. }
  unfold next_rho. fold a M b s. set (l := contraction rho a M b s) in *.
  assert (L4 : shared rho a M b s / c ^ 2 <= exp 1 * power n k * (rho0 + / (gamma * t) + / (N - 1)) * (2 / c0 ^ 2)).
  { unfold shared. fold c. unfold Rdiv at 1. rewrite Rmult_assoc. apply Rmult_le_compat; auto; [lra|].
    apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
  assert (L5 : (1 - rho) * (1 - l) <= (1 - rho0) * (exp 1 * power n k * (rho0 + / (gamma * t) + / (N - 1)) * (2 / c0 ^ 2))).
  { apply Rle_trans with ((1 - rho) * (exp 1 * power n k * (rho0 + / (gamma * t) + / (N - 1)) * (2 / c0 ^ 2))).
    - apply Rmult_le_compat_l; lra.
    - apply Rmult_le_compat_r; [|lra].
      apply Rle_trans with (shared rho a M b s / c ^ 2); auto. left; apply Rdiv_lt_0_compat; auto. }
  replace (C * power n k) with ((1 - rho0) * (exp 1 * power n k * (rho0 + / (gamma * t) + / (N - 1)) * (2 / c0 ^ 2))).
  - lra.
  - unfold drift_constant. fold c0. pose proof margin_pos. field. repeat split; lra.
Qed.

(* For n^k/(gamma C ln n) layers the tokens remain a simplex whose inner product has moved by at most C l n^-k. *)
Theorem drift (x : tokens) (q0 : R) (L : nat) : 0 < q0 -> simplex d n q0 rho0 x ->
  INR L * (C * power n k) <= / (gamma * t) -> forall l, (l <= L)%nat ->
  exists q rho, 0 < q /\ simplex d n q rho (layers l d n beta alpha x) /\ 0 <= rho - rho0 <= INR l * (C * power n k) /\ rho <= 1.
Proof.
  intros Hq0 HS HL. assert (Hb : 0 <= beta) by (pose proof (log_pos n Hn); apply Rmult_le_pos; lra).
  pose proof drift_constant_pos as PC. pose proof (power_pos n k) as Pk.
  assert (PCk : 0 < C * power n k) by (apply Rmult_lt_0_compat; auto).
  induction l as [|l IH]; intros Hl.
  - exists q0, rho0. simpl. split; auto. split; auto. lra.
  - destruct IH as (q & rho & Hq & HSl & Hrho & H1); [lia|].
    assert (Hll : INR l * (C * power n k) <= / (gamma * t)).
    { apply Rle_trans with (INR L * (C * power n k)); auto. apply Rmult_le_compat_r; [lra|]. apply le_INR; lia. }
    assert (Hr : 0 < rho <= 1) by lra.
    pose proof (one_layer_drift q rho Hq ltac:(lra) H1) as D.
    destruct (next_rho_rises n q rho beta alpha Hn Hb Hr Ha) as [R1 R2].
    exists (next_q n q rho beta alpha), (next_rho n q rho beta alpha). split; [apply next_q_pos; auto|].
    split; [apply simplex_layer; auto|]. split; [|auto]. rewrite S_INR. lra.
Qed.
End Drift.

(* ---- Collapse below the threshold, without residual ---- *)

Theorem collapse n q rho gamma : (2 <= n)%nat -> 0 <= gamma -> 0 < rho < 1 ->
  1 - next_rho n q rho (gamma * ln (INR n)) 0 <=
  (1 - rho) / rho * (INR n / (INR n - 1)) ^ 2 * power n (1 - gamma * (1 - rho)) ^ 2.
Proof.
  intros Hn Hg Hr. pose proof (size_ge_2 n Hn) as HN. pose proof (log_pos n Hn) as Ht.
  set (beta := gamma * ln (INR n)). assert (Hb : 0 <= beta) by (apply Rmult_le_pos; lra).
  unfold next_rho. rewrite Rmult_0_l.
  set (a := self_mass n rho beta). set (M := other_mass n rho beta). set (b := other_weight n rho beta).
  pose proof (masses_sum n rho beta Hn) as EM. fold a M in EM.
  pose proof (self_mass_range n rho beta Hn) as Ra. fold a in Ra.
  pose proof (other_weight_range n rho beta Hn) as Rb. fold b M in Rb.
  pose proof (other_weight_le_self n rho beta Hn Hb ltac:(lra)) as Rab. fold a b in Rab.
  (* a <= n/(n-1) n^-(1-g) *)
  assert (La : a <= INR n / (INR n - 1) * power n (1 - gamma * (1 - rho))).
  { destruct (masses_below n rho gamma Hn) as (PS & E & _). unfold a, beta. rewrite E. set (v := power n (1 - gamma * (1 - rho))) in *.
    pose proof (power_pos n (1 - gamma * (1 - rho))) as Pv. fold v in Pv. pose proof (inverse_range n Hn).
    unfold Rdiv. rewrite (Rmult_comm _ v). apply Rmult_le_compat_l; [lra|].
    replace (INR n * / (INR n - 1)) with (/ (1 - / INR n)) by (field; lra). apply Rinv_le_contravar; lra. }
  (* lambda <= a^2/rho, because |m|^2 >= rho *)
  assert (Hc : 0 <= own a b 0 <= a) by (unfold own; lra).
  assert (Q : rho <= own a b 0 ^ 2 + shared rho a M b 0).
  { unfold shared, own. replace M with (1 - a) by lra.
    replace ((a - b + 0) ^ 2 + (b + rho * (1 - a)) * (2 * (a - b + 0) + (1 - a + b))) with (rho + (1 - rho) * (a ^ 2 + b * (1 - a))).
    - assert (0 <= b * (1 - a)) by (apply Rmult_le_pos; lra). pose proof (pow2_ge_0 a).
      assert (0 <= (1 - rho) * (a ^ 2 + b * (1 - a))) by (apply Rmult_le_pos; lra). lra.
    - ring. }
  assert (L : contraction rho a M b 0 <= a ^ 2 / rho).
  { unfold contraction, Rdiv. apply Rmult_le_compat; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra| |apply Rinv_le_contravar; lra].
    apply pow_incr; auto. }
  assert (A2 : a ^ 2 <= (INR n / (INR n - 1)) ^ 2 * power n (1 - gamma * (1 - rho)) ^ 2).
  { rewrite <- Rpow_mult_distr. apply pow_incr. lra. }
  replace (1 - (1 - (1 - rho) * contraction rho a M b 0)) with ((1 - rho) * contraction rho a M b 0) by ring.
  apply Rle_trans with ((1 - rho) * (a ^ 2 / rho)); [apply Rmult_le_compat_l; lra|].
  replace ((1 - rho) / rho * (INR n / (INR n - 1)) ^ 2 * power n (1 - gamma * (1 - rho)) ^ 2)
    with ((1 - rho) / rho * ((INR n / (INR n - 1)) ^ 2 * power n (1 - gamma * (1 - rho)) ^ 2)) by ring.
  replace ((1 - rho) * (a ^ 2 / rho)) with ((1 - rho) / rho * a ^ 2) by (field; lra).
  apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|auto].
Qed.

(* It stays collapsed: after any number of layers from the first on, with the first layer's bound. *)
Theorem collapse_stays d n q0 rho gamma x l : (2 <= n)%nat -> 0 < q0 -> 0 <= gamma -> 0 < rho < 1 -> simplex d n q0 rho x ->
  exists q1 rho1, 0 < q1 /\ simplex d n q1 rho1 (layers (S l) d n (gamma * ln (INR n)) 0 x) /\
  0 <= 1 - rho1 <= (1 - rho) / rho * (INR n / (INR n - 1)) ^ 2 * power n (1 - gamma * (1 - rho)) ^ 2.
Proof.
  intros Hn Hq Hg Hr HS. assert (Hb : 0 <= gamma * ln (INR n)) by (apply Rmult_le_pos; [auto|pose proof (log_pos n Hn); lra]).
  set (beta := gamma * ln (INR n)) in *. set (bound := (1 - rho) / rho * (INR n / (INR n - 1)) ^ 2 * power n (1 - gamma * (1 - rho)) ^ 2).
  assert (P : exists q1 rho1, 0 < q1 /\ simplex d n q1 rho1 (layers (S l) d n beta 0 x) /\ 0 < rho1 <= 1 /\ 1 - rho1 <= bound).
  { induction l as [|l IH].
    - assert (R : 0 < rho <= 1) by lra. exists (next_q n q0 rho beta 0), (next_rho n q0 rho beta 0).
      pose proof (next_rho_rises n q0 rho beta 0 Hn Hb R (Rle_refl 0)) as N. repeat split; try lra.
      + apply next_q_pos; auto; lra.
      + apply (simplex_layer d n q0 rho beta 0 x); auto; lra.
      + apply (simplex_layer d n q0 rho beta 0 x); auto; lra.
      + apply collapse; auto.
    - destruct IH as (q1 & rho1 & Q & S1 & R & B). exists (next_q n q1 rho1 beta 0), (next_rho n q1 rho1 beta 0).
      pose proof (next_rho_rises n q1 rho1 beta 0 Hn Hb R (Rle_refl 0)) as N. repeat split; try lra.
      + apply next_q_pos; auto; lra.
      + apply (simplex_layer d n q1 rho1 beta 0 (layers (S l) d n beta 0 x)); auto; lra.
      + apply (simplex_layer d n q1 rho1 beta 0 (layers (S l) d n beta 0 x)); auto; lra. }
  destruct P as (q1 & rho1 & Q & S1 & R & B). exists q1, rho1. repeat split; auto; try apply S1; lra.
Qed.
