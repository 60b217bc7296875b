(* The simplex of Assumption 1: every quantity of the layer in closed form, for any beta >= 0, and simplices exist.
     w = (n-1) exp (-beta (1-rho)),  a = A_ii = 1/(1+w),  M = 1 - a,  b = A_ij = M/(n-1),  s = alpha sqrt q
   (THEORY.md section 2). Uses Weights.v, Frobenius.v, Powers.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Jacobian Frobenius Powers.
Open Scope R_scope.

(* ---- Closed forms: of the weights; of the output; of the Jacobian ---- *)

Definition odds (n : nat) (rho beta : R) : R := (INR n - 1) * exp (- beta * (1 - rho)).
Definition self_mass (n : nat) (rho beta : R) : R := / (1 + odds n rho beta).
Definition other_mass (n : nat) (rho beta : R) : R := odds n rho beta / (1 + odds n rho beta).
Definition other_weight (n : nat) (rho beta : R) : R := other_mass n rho beta / (INR n - 1).

(* |x'|^2 = c^2 + h with c = a - b + s *)
Definition own (a b s : R) : R := a - b + s.
Definition shared (rho a M b s : R) : R := (b + rho * M) * (2 * own a b s + (M + b)).
(* lambda = c^2/(c^2 + h) *)
Definition contraction (rho a M b s : R) : R := own a b s ^ 2 / (own a b s ^ 2 + shared rho a M b s).

(* T and V of the Jacobian over 1 - rho and (1 - rho)^2 *)
Definition simplex_T (rho a M b : R) : R := M * (1 + a * rho - b).
Definition simplex_V (rho a M b : R) : R :=
  rho * a ^ 2 * M ^ 2 + (1 + rho) * a ^ 2 * M * b + M * b * (1 - b) ^ 2 + M * (M - b) * b ^ 2.
(* eta; w0 = 1/d, w1 = (1-rho) beta/d, w2 = ((1-rho) beta)^2/d *)
Definition simplex_eta (q rho alpha a M b w0 w1 w2 : R) : R :=
  1 / q * (a ^ 2 * (1 - w0) + 2 * a * (w1 * simplex_T rho a M b) + w2 * simplex_V rho a M b)
  + 2 * alpha / sqrt q * (a * (1 - w0) + w1 * simplex_T rho a M b) + alpha ^ 2
  + 1 / q * (M * b) * ((1 - w0) - 2 * (w1 * (a + rho * (1 - b))) + w2 * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho))).

(* ---- The weights ---- *)
Section Masses.
Variables (n : nat) (rho beta : R).
Hypothesis Hn : (2 <= n)%nat.
Notation N := (INR n).
Notation w := (odds n rho beta).
Notation a := (self_mass n rho beta).
Notation M := (other_mass n rho beta).
Notation b := (other_weight n rho beta).

Lemma n_ge_2 : 2 <= N.
Proof. apply (le_INR 2 n); auto. Qed.

Lemma odds_pos : 0 < w.
Proof. pose proof n_ge_2. apply Rmult_lt_0_compat; [lra|apply exp_pos]. Qed.

Lemma masses_sum : a + M = 1.
Proof. pose proof odds_pos. unfold self_mass, other_mass. field. lra. Qed.

Lemma other_weight_mass : (N - 1) * b = M.
Proof. pose proof n_ge_2. unfold other_weight. field. lra. Qed.

Lemma self_mass_range : 0 < a < 1.
Proof.
  pose proof odds_pos. unfold self_mass. split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
Qed.

Lemma other_mass_range : 0 < M < 1.
Proof. pose proof masses_sum. pose proof self_mass_range. lra. Qed.

Lemma other_weight_range : 0 < b <= M.
Proof.
  pose proof n_ge_2. pose proof other_mass_range as H1. pose proof other_weight_mass as H2.
  assert (P : 0 < b) by (unfold other_weight; apply Rdiv_lt_0_compat; lra).
  split; auto. rewrite <- H2. rewrite <- (Rmult_1_l b) at 1. apply Rmult_le_compat_r; lra.
Qed.

(* b = a exp (-beta (1-rho)) *)
Lemma other_weight_decay : b = a * exp (- beta * (1 - rho)).
Proof. pose proof n_ge_2. pose proof odds_pos as P. unfold other_weight, other_mass, self_mass, odds in *. field. lra. Qed.

Lemma other_weight_le_self : 0 <= beta -> rho <= 1 -> b <= a.
Proof.
  intros Hb Hr. pose proof self_mass_range. rewrite other_weight_decay.
  assert (0 <= beta * (1 - rho)) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (a * 1); [|lra]. apply Rmult_le_compat_l; [lra|].
  pose proof (exp_le (- beta * (1 - rho)) 0 ltac:(lra)) as E. rewrite exp_0 in E. exact E.
Qed.

Variable s : R.
Hypotheses (Hb : 0 <= beta) (Hr : 0 < rho <= 1) (Hs : 0 <= s).

Lemma own_nonneg : 0 <= own a b s.
Proof. pose proof (other_weight_le_self Hb ltac:(lra)). unfold own. lra. Qed.

Lemma shared_pos : 0 < shared rho a M b s.
Proof.
  pose proof own_nonneg. pose proof other_mass_range. pose proof other_weight_range.
  unfold shared. apply Rmult_lt_0_compat; [|lra]. assert (0 < rho * M) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma norm2_pos : 0 < own a b s ^ 2 + shared rho a M b s.
Proof. pose proof shared_pos. pose proof (pow2_ge_0 (own a b s)). lra. Qed.

Lemma contraction_range : 0 <= contraction rho a M b s < 1.
Proof.
  pose proof norm2_pos. pose proof shared_pos. unfold contraction. split.
  - apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra].
  - apply (Rmult_lt_reg_r (own a b s ^ 2 + shared rho a M b s)); auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
End Masses.

(* ---- The layer ---- *)
Section Simplex.
Variables (d n : nat) (q rho beta alpha : R) (x : tokens).
Hypotheses (Hq : 0 < q) (Hn : (2 <= n)%nat) (HS : simplex d n q rho x).
Notation N := (INR n).
Notation G := (gram d x).
Notation y := (unit_token d x).
Notation A := (weight d n beta x).
Notation a := (self_mass n rho beta).
Notation M := (other_mass n rho beta).
Notation b := (other_weight n rho beta).
Notation w := (odds n rho beta).
Notation s := (alpha * sqrt q).

Lemma simplex_norm2 i : (i < n)%nat -> inner d (x i) (x i) = q.
Proof. destruct HS as [H _]. apply H. Qed.

Lemma simplex_nonzero i : (i < n)%nat -> 0 < inner d (x i) (x i).
Proof. intros H. rewrite simplex_norm2; auto. Qed.

Lemma simplex_norm i : (i < n)%nat -> norm d (x i) = sqrt q.
Proof. intros H. unfold norm. rewrite simplex_norm2; auto. Qed.

Lemma simplex_self i : (i < n)%nat -> G i i = 1.
Proof. intros H. apply gram_self, simplex_nonzero; auto. Qed.

Lemma simplex_other i j : (i < n)%nat -> (j < n)%nat -> i <> j -> G i j = rho.
Proof. destruct HS as [_ H]. apply H. Qed.

Lemma root_pos : 0 < sqrt q.
Proof. apply sqrt_lt_R0; auto. Qed.

Theorem simplex_partition i : (i < n)%nat -> partition d n beta x i = exp beta * (1 + w).
Proof.
  intros H. unfold partition. rewrite (sum_apart n i _ (exp beta) (exp (beta * rho))); auto.
  - unfold odds. replace (beta * rho) with (beta + - beta * (1 - rho)) by ring. rewrite exp_plus. ring.
  - rewrite simplex_self; auto. f_equal; ring.
  - intros. rewrite simplex_other; auto.
Qed.

Theorem simplex_log_partition i : (i < n)%nat -> ln (partition d n beta x i) = beta + ln (1 + w).
Proof.
  intros H. pose proof (odds_pos n rho beta Hn). rewrite simplex_partition; auto.
  rewrite ln_mult, ln_exp; [reflexivity|apply exp_pos|lra].
Qed.

Theorem simplex_self_weight i : (i < n)%nat -> A i i = a.
Proof.
  intros H. pose proof (odds_pos n rho beta Hn). pose proof (exp_pos beta).
  unfold weight, self_mass. rewrite simplex_partition, simplex_self, Rmult_1_r; auto. field. lra.
Qed.

Theorem simplex_other_weight i j : (i < n)%nat -> (j < n)%nat -> i <> j -> A i j = b.
Proof.
  intros Hi Hj Hij. pose proof (odds_pos n rho beta Hn).
  rewrite (weight_ratio d n beta x i j i), simplex_self_weight, simplex_other, simplex_self, (other_weight_decay n rho beta Hn); auto; [|lia].
  f_equal. f_equal. ring.
Qed.

(* The mass of all others. *)
Theorem simplex_other_mass i : (i < n)%nat -> mass d n beta x i (fun j => negb (Nat.eqb j i)) = M.
Proof.
  intros H. unfold mass. rewrite (sum_apart n i _ 0 b); auto.
  - rewrite <- (other_weight_mass n rho beta Hn). ring.
  - rewrite Nat.eqb_refl. reflexivity.
  - intros k Hk Hki. destruct (Nat.eqb_spec k i); [contradiction|]. simpl. apply simplex_other_weight; auto.
Qed.

Theorem simplex_participation i : (i < n)%nat -> participation d n beta x i = / (a ^ 2 + M * b).
Proof.
  intros H. unfold participation. rewrite (sum_apart n i _ (a ^ 2) (b ^ 2)); auto.
  - f_equal. rewrite <- (other_weight_mass n rho beta Hn). ring.
  - rewrite simplex_self_weight; auto.
  - intros. rewrite simplex_other_weight; auto.
Qed.

Theorem simplex_entropy i : (i < n)%nat -> entropy d n beta x i = ln (1 + w) + beta * (1 - rho) * M.
Proof.
  intros H. pose proof (odds_pos n rho beta Hn) as W. pose proof (self_mass_range n rho beta Hn) as R1.
  assert (La : ln a = - ln (1 + w)) by (unfold self_mass; apply ln_Rinv; lra).
  assert (Lb : ln b = - ln (1 + w) + - beta * (1 - rho)).
  { rewrite (other_weight_decay n rho beta Hn), ln_mult, ln_exp, La; [reflexivity|lra|apply exp_pos]. }
  unfold entropy. rewrite (sum_apart n i _ (a * ln a) (b * ln b)); auto.
  - rewrite La, Lb. pose proof (masses_sum n rho beta Hn) as E. rewrite <- (other_weight_mass n rho beta Hn) in E |- *.
    replace a with (1 - (N - 1) * b) by lra. ring.
  - rewrite simplex_self_weight; auto.
  - intros. rewrite simplex_other_weight; auto.
Qed.

(* ---- The output ---- *)

Definition centre : vector := fun c => sum_to n (fun k => y k c).
Notation m := (1 + (N - 1) * rho).

Lemma unit_centre i : (i < n)%nat -> inner d (y i) centre = m.
Proof.
  intros H. unfold centre. rewrite inner_sum. apply (sum_apart n i); auto.
  - apply simplex_self; auto.
  - intros; apply simplex_other; auto.
Qed.

Lemma centre_centre : inner d centre centre = N * m.
Proof.
  unfold centre at 2. rewrite inner_sum, (sum_ext n _ (fun _ => m)); [apply sum_const|].
  intros. rewrite inner_sym. apply unit_centre; auto.
Qed.

(* x'_i = c y_i + b sum_k y_k *)
Lemma simplex_output i c : (i < n)%nat -> output d n beta alpha x i c = own a b s * y i c + b * centre c.
Proof.
  intros H. unfold output, attention, own. rewrite (sum_one n i _ (fun j => b * y j c)); auto.
  - rewrite sum_scal, simplex_self_weight, (token_unit d x i c (simplex_nonzero i H)), simplex_norm; auto. fold (centre c). ring.
  - intros. rewrite simplex_other_weight; auto.
Qed.

Lemma output_output i j : (i < n)%nat -> (j < n)%nat ->
  inner d (output d n beta alpha x i) (output d n beta alpha x j) = own a b s ^ 2 * G i j + shared rho a M b s.
Proof.
  intros Hi Hj.
  rewrite (inner_ext d _ _ (fun c => own a b s * y i c + b * centre c) (fun c => own a b s * y j c + b * centre c));
    [|intros; apply simplex_output; auto|intros; apply simplex_output; auto].
  rewrite inner_linear, !inner_linear_r, (inner_sym d centre (y j)), !unit_centre, centre_centre; auto.
  fold (gram d x i j). unfold shared. rewrite <- (other_weight_mass n rho beta Hn). ring.
Qed.

Theorem simplex_output_norm2 i : (i < n)%nat ->
  output_norm2 d n beta alpha x i = own a b s ^ 2 + shared rho a M b s.
Proof. intros H. unfold output_norm2. rewrite output_output, simplex_self; auto. ring. Qed.

Hypotheses (Hb : 0 <= beta) (Hr : 0 < rho <= 1) (Ha : 0 <= alpha).

Lemma residual_pos : 0 <= s.
Proof. apply Rmult_le_pos; auto. apply sqrt_pos. Qed.

Theorem simplex_output_inner i j : (i < n)%nat -> (j < n)%nat -> i <> j ->
  output_inner d n beta alpha x i j = 1 - (1 - rho) * contraction rho a M b s.
Proof.
  intros Hi Hj Hij. pose proof (norm2_pos n rho beta Hn s Hb Hr residual_pos) as P.
  assert (E : forall k, (k < n)%nat -> inner d (output d n beta alpha x k) (output d n beta alpha x k) = own a b s ^ 2 + shared rho a M b s).
  { intros k Hk. apply simplex_output_norm2; auto. }
  rewrite output_inner_quotient, output_output, simplex_other; auto.
  unfold norm. rewrite !E, sqrt_sqrt; auto; [|lra]. unfold contraction. field. lra.
Qed.

Theorem simplex_angle_ratio : rho < 1 -> angle_ratio d n beta alpha x = contraction rho a M b s.
Proof.
  intros Hr1. pose proof (n_ge_2 n Hn) as HN. set (l := contraction rho a M b s).
  assert (E : forall i j, (i < n)%nat -> (j < n)%nat -> i <> j ->
    (if Req_EM_T (G i j) 1 then 0 else (1 - output_inner d n beta alpha x i j) / (1 - G i j)) = l /\
    (if Req_EM_T (G i j) 1 then 0 else 1) = 1).
  { intros i j Hi Hj Hij. rewrite simplex_other, simplex_output_inner; auto. fold l. destruct (Req_EM_T rho 1); [lra|].
    split; [field; lra|reflexivity]. }
  assert (D : forall i, (i < n)%nat -> forall t, (if Req_EM_T (G i i) 1 then 0 else t) = 0).
  { intros i Hi t. rewrite simplex_self; auto. destruct (Req_EM_T 1 1); [reflexivity|lra]. }
  unfold angle_ratio. rewrite (sum_ext n _ (fun _ => (N - 1) * l)), (sum_ext n (fun i => sum_to n _) (fun _ => (N - 1) * 1)).
  - rewrite !sum_const. field. lra.
  - intros i Hi. rewrite (sum_apart n i _ 0 1); auto; [ring|]. intros j Hj Hji. apply E; auto.
  - intros i Hi. rewrite (sum_apart n i _ 0 l); auto; [ring|]. intros j Hj Hji. apply E; auto.
Qed.

(* ---- The Jacobian ---- *)

Lemma simplex_p_self i : (i < n)%nat -> attention_on d n beta x i i = a + M * rho.
Proof.
  intros H. unfold attention_on. rewrite attention_unit, (sum_apart n i _ a (b * rho)); auto.
  - rewrite <- (other_weight_mass n rho beta Hn). ring.
  - rewrite simplex_self_weight, simplex_self; auto. ring.
  - intros. rewrite simplex_other_weight, simplex_other; auto.
Qed.

Lemma simplex_p_other i k : (i < n)%nat -> (k < n)%nat -> i <> k ->
  attention_on d n beta x i k = a * rho + b + (M - b) * rho.
Proof.
  intros Hi Hk Hik. unfold attention_on.
  rewrite attention_unit, (sum_two_apart n i k _ (a * rho) b (b * rho)); auto.
  - rewrite <- (other_weight_mass n rho beta Hn). ring.
  - rewrite simplex_self_weight, simplex_other; auto.
  - rewrite simplex_other_weight, simplex_self; auto. ring.
  - intros. rewrite simplex_other_weight, simplex_other; auto.
Qed.

Lemma simplex_Y i : (i < n)%nat ->
  attention_norm2 d n beta x i = a * (a + M * rho) + M * (a * rho + b + (M - b) * rho).
Proof.
  intros H. unfold attention_norm2. rewrite attention_square.
  rewrite (sum_apart n i _ (a * (a + M * rho)) (b * (a * rho + b + (M - b) * rho))); auto.
  - rewrite <- (other_weight_mass n rho beta Hn). ring.
  - rewrite simplex_self_weight; auto. f_equal. apply simplex_p_self; auto.
  - intros. rewrite simplex_other_weight; auto. f_equal. apply simplex_p_other; auto.
Qed.

Lemma simplex_trace i : (i < n)%nat -> trace_projected d n beta x i = (1 - rho) * simplex_T rho a M b.
Proof.
  intros H. unfold trace_projected.
  rewrite (sum_apart n i _ 0 (b * (1 - (a * rho + b + (M - b) * rho) - rho * (rho - (a + M * rho))))); auto.
  - unfold simplex_T. rewrite <- (other_weight_mass n rho beta Hn).
    pose proof (masses_sum n rho beta Hn) as E. rewrite <- (other_weight_mass n rho beta Hn) in E.
    replace a with (1 - (N - 1) * b) by lra. ring.
  - rewrite simplex_self; auto. ring.
  - intros k Hk Hki. rewrite simplex_other_weight, simplex_self, simplex_other, simplex_p_other, simplex_p_self; auto.
Qed.

Lemma simplex_covariance i : (i < n)%nat -> covariance_norm2 d n beta x i = (1 - rho) ^ 2 * simplex_V rho a M b.
Proof.
  intros H. unfold covariance_norm2. set (Y := attention_norm2 d n beta x i).
  set (p := a * rho + b + (M - b) * rho).
  assert (Z0 : forall j l t, (j < n)%nat -> (l < n)%nat -> j = i \/ l = i -> t * (G j l - G i j * G i l) = 0).
  { intros j l t Hj Hl [->| ->]; rewrite simplex_self; auto; [ring|]. rewrite (gram_sym d x j i). ring. }
  rewrite (sum_apart n i _ 0 (b * b * ((1 - 2 * p + Y) * (1 - rho ^ 2)) + (N - 2) * (b * b * ((rho - 2 * p + Y) * (rho - rho ^ 2))))); auto.
  - unfold Y. rewrite simplex_Y; auto. unfold p, simplex_V.
    assert (EN : N = M / b + 1).
    { pose proof (other_weight_range n rho beta Hn). rewrite <- (other_weight_mass n rho beta Hn). field. lra. }
    pose proof (other_weight_range n rho beta Hn). rewrite EN. replace a with (1 - M) by (pose proof (masses_sum n rho beta Hn); lra).
    field. lra.
  - apply sum_zero. intros l Hl. rewrite Z0; auto. ring.
  - intros j Hj Hji. rewrite (sum_two_apart n i j _ 0 (b * b * ((1 - 2 * p + Y) * (1 - rho ^ 2))) (b * b * ((rho - 2 * p + Y) * (rho - rho ^ 2)))); auto.
    + ring.
    + rewrite Z0; auto. ring.
    + rewrite !simplex_other_weight, !simplex_self, !simplex_other, !simplex_p_other; auto. fold p. ring.
    + intros l Hl Hli Hlj. rewrite !simplex_other_weight, !simplex_other, !simplex_p_other; auto. fold p. ring.
Qed.

Theorem simplex_jacobian_norm : (0 < d)%nat ->
  jacobian_norm d n beta alpha x =
  simplex_eta q rho alpha a M b (/ INR d) ((1 - rho) * beta / INR d) (((1 - rho) * beta) ^ 2 / INR d).
Proof.
  intros Hd. pose proof (n_ge_2 n Hn) as HN. assert (HD : 0 < INR d) by (apply lt_0_INR; auto).
  pose proof root_pos as Rq. assert (Hsq : sqrt q ^ 2 = q) by (apply pow2_sqrt; lra).
  set (D := 1 / q * (a ^ 2 * (INR d - 1) + 2 * a * beta * ((1 - rho) * simplex_T rho a M b) + beta ^ 2 * ((1 - rho) ^ 2 * simplex_V rho a M b))
            + 2 * alpha / sqrt q * (a * (INR d - 1) + beta * ((1 - rho) * simplex_T rho a M b)) + alpha ^ 2 * INR d).
  set (O := b ^ 2 / q * ((INR d - 1) - 2 * (beta * (1 - rho)) * (a + rho * (1 - b))
            + (beta * (1 - rho)) ^ 2 * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho)))).
  rewrite jacobian_norm_blocks, (sum_ext n _ (fun _ => D + (N - 1) * O)).
  - rewrite sum_const. unfold D, O, simplex_eta. rewrite <- (other_weight_mass n rho beta Hn). field. lra.
  - intros i Hi. apply (sum_apart n i); auto.
    + rewrite (block_norm2_diagonal d n beta alpha x ltac:(lia) simplex_nonzero), simplex_norm, simplex_self_weight,
        simplex_trace, simplex_covariance, Hsq; auto.
    + intros k Hk Hki.
      rewrite (block_norm2_off d n beta alpha x ltac:(lia) simplex_nonzero), simplex_norm, simplex_other_weight, simplex_other,
        simplex_p_self, simplex_p_other, simplex_Y; auto.
      replace ((b / sqrt q) ^ 2) with (b ^ 2 / q) by (rewrite <- Hsq at 1; field; lra).
      unfold O. f_equal. pose proof (masses_sum n rho beta Hn). replace M with (1 - a) by lra. ring.
Qed.
End Simplex.

(* ---- Simplices exist: n tokens in R^(n+1), so no theorem about them is empty ---- *)

Definition simplex_tokens (q rho : R) : tokens := fun i c =>
  if Nat.eqb c 0 then sqrt q * sqrt rho else if Nat.eqb c (S i) then sqrt q * sqrt (1 - rho) else 0.

Lemma simplex_tokens_inner n q rho i j : 0 < q -> 0 <= rho <= 1 -> (i < n)%nat -> (j < n)%nat ->
  inner (S n) (simplex_tokens q rho i) (simplex_tokens q rho j) = q * if Nat.eqb i j then 1 else rho.
Proof.
  intros Hq Hr Hi Hj. unfold inner. rewrite sum_first. unfold simplex_tokens; simpl.
  assert (E : forall t, 0 <= t -> sqrt q * sqrt t * (sqrt q * sqrt t) = q * t).
  { intros t Ht. transitivity ((sqrt q * sqrt q) * (sqrt t * sqrt t)); [ring|]. rewrite !sqrt_sqrt; lra. }
  rewrite E; [|lra]. rewrite (sum_apart n i _ (if Nat.eqb i j then q * (1 - rho) else 0) 0); auto.
  - destruct (Nat.eqb i j); ring.
  - rewrite Nat.eqb_refl. destruct (Nat.eqb_spec i j); [apply E; lra|ring].
  - intros k Hk Hki. destruct (Nat.eqb_spec k i); [contradiction|ring].
Qed.

Theorem simplex_exists n q rho : 0 < q -> 0 <= rho <= 1 -> simplex (S n) n q rho (simplex_tokens q rho).
Proof.
  intros Hq Hr.
  assert (H : forall i, (i < n)%nat -> inner (S n) (simplex_tokens q rho i) (simplex_tokens q rho i) = q).
  { intros. rewrite (simplex_tokens_inner n), Nat.eqb_refl; auto. ring. }
  split; auto. intros i j Hi Hj Hij. unfold gram, unit_token. rewrite inner_directions, (simplex_tokens_inner n); auto.
  unfold norm. rewrite !H, sqrt_sqrt; auto; [|lra]. destruct (Nat.eqb_spec i j); [contradiction|]. field. lra.
Qed.
