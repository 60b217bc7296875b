(* Near-simplex configurations (Assumption 2) at any n >= 2 and any beta >= 0: bounds of the weights, growth of the
   inner products, distance of attention from the identity. Nothing here is asymptotic; the rates in n are in
   NearSimplexLimits.v. Uses Bounds.v and JacobianBounds.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Jacobian Frobenius Powers Bounds JacobianBounds.
Open Scope R_scope.

(* ---- Directions of vectors near a unit vector ---- *)

(* |X/|X| - u| <= 2 |X - t u|/(|X| + t) for a unit vector u and t > 0. *)
Lemma direction_close d (X u : vector) t : 0 < t -> inner d u u = 1 -> 0 < inner d X X ->
  norm d (fun c => direction d X c - u c) <= 2 * norm d (fun c => X c - t * u c) / (norm d X + t).
Proof.
  intros Ht Hu HX. pose proof (norm_pos d X HX) as HR. set (R0 := norm d X) in *.
  pose proof (norm_nonneg d (fun c => X c - t * u c)) as N2.
  apply (Rmult_le_reg_r (R0 + t)); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|lra].
  apply Rsqr_incr_0_var; [|lra]. unfold Rsqr.
  replace (norm d (fun c => direction d X c - u c) * (R0 + t) * (norm d (fun c => direction d X c - u c) * (R0 + t)))
    with ((norm d (fun c => direction d X c - u c) * norm d (fun c => direction d X c - u c)) * (R0 + t) ^ 2) by ring.
  replace (2 * norm d (fun c => X c - t * u c) * (2 * norm d (fun c => X c - t * u c)))
    with (4 * (norm d (fun c => X c - t * u c) * norm d (fun c => X c - t * u c))) by ring.
  rewrite !norm_square.
  rewrite (inner_minus d (direction d X) u (direction d X) u), (inner_minus d X (fun c => t * u c) X (fun c => t * u c)).
  rewrite !inner_scal_r, !inner_scal, direction_unit, Hu; auto.
  assert (E : inner d (direction d X) u = inner d X u / R0).
  { rewrite (inner_ext d (direction d X) u (fun c => / R0 * X c) u); [|intros; unfold direction, R0, Rdiv; ring|auto].
    rewrite inner_scal. unfold Rdiv. ring. }
  rewrite (inner_sym d u (direction d X)), (inner_sym d u X), E.
  replace (inner d X X) with (R0 * R0) by apply norm_square.
  set (c := inner d X u / R0). replace (inner d X u) with (R0 * c) by (unfold c; field; lra).
  assert (Hc : -1 <= c).
  { pose proof (abs_inner_le_norms d (direction d X) u) as P. rewrite E in P. fold c in P.
    unfold norm in P. rewrite direction_unit, Hu, sqrt_1 in P; auto. pose proof (Rle_abs (- c)) as Q. rewrite Rabs_Ropp in Q. lra. }
  assert (0 <= (1 + c) * (R0 - t) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]). lra.
Qed.

Lemma unit_inner_change d u v u' v' : inner d u u = 1 -> inner d v' v' = 1 ->
  Rabs (inner d u' v' - inner d u v) <= norm d (fun c => u' c - u c) + norm d (fun c => v' c - v c).
Proof.
  intros Hu Hv.
  replace (inner d u' v' - inner d u v) with (inner d (fun c => u' c - u c) v' + inner d u (fun c => v' c - v c)).
  - apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat.
    + apply Rle_trans with (1 := abs_inner_le_norms d _ _). unfold norm at 2. rewrite Hv, sqrt_1. lra.
    + apply Rle_trans with (1 := abs_inner_le_norms d _ _). unfold norm at 1. rewrite Hu, sqrt_1. lra.
  - rewrite (inner_ext d (fun c => u' c - u c) v' (fun c => 1 * u' c + (-1) * u c) v'); [|intros; ring|auto].
    rewrite (inner_ext d u (fun c => v' c - v c) u (fun c => 1 * v' c + (-1) * v c)); [|auto|intros; ring].
    rewrite inner_linear, inner_linear_r. ring.
Qed.

Section NearSimplex.
Variables (d n : nat) (q1 q2 rho1 rho2 beta alpha : R) (x : tokens).
Hypotheses (Hn : (2 <= n)%nat) (Hq : 0 < q1) (Hr1 : 0 < rho1) (Hr2 : rho2 < 1) (Hb : 0 <= beta) (Ha : 0 <= alpha).
Hypothesis HC : near_simplex d n q1 q2 rho1 rho2 x.
Notation N := (INR n).
Notation y := (unit_token d x).
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation m := (attention d n beta x).
Notation X := (output d n beta alpha x).
Notation s i := (residual d x alpha i).

Lemma tokens_nonzero i : (i < n)%nat -> 0 < inner d (x i) (x i).
Proof. intros Hi. destruct HC as [H _]. specialize (H i Hi). lra. Qed.

Lemma N_ge_2 : 2 <= N.
Proof. apply (le_INR 2 n); auto. Qed.

Lemma rho_ordered : rho1 <= rho2.
Proof.
  destruct HC as [_ H]. specialize (H O 1%nat). assert (K : rho1 <= G O 1%nat <= rho2) by (apply H; lia). lra.
Qed.

Lemma gram_low i j : (i < n)%nat -> (j < n)%nat -> rho1 <= G i j.
Proof.
  intros Hi Hj. destruct (Nat.eq_dec i j) as [->|E].
  - rewrite gram_self; [|apply tokens_nonzero; auto]. pose proof rho_ordered. lra.
  - destruct HC as [_ H]. apply (H i j Hi Hj E).
Qed.

Lemma gram_high i j : (i < n)%nat -> (j < n)%nat -> i <> j -> G i j <= rho2.
Proof. intros Hi Hj E. destruct HC as [_ H]. apply (H i j Hi Hj E). Qed.

(* ---- Weights ---- *)

(* The weight of an other token at most rho2 away, relative to the own weight; the largest and smallest self weight. *)
Definition far_factor := exp (- beta * (1 - rho2)).
Definition self_high := / (1 + (N - 1) * exp (- beta * (1 - rho1))).
Definition self_low := / (1 + (N - 1) * far_factor).

Theorem self_weight_between i : (i < n)%nat -> self_low <= A i i <= self_high.
Proof.
  intros Hi. split.
  - apply self_weight_ge; auto; [apply tokens_nonzero|]. intros k Hk Hki. pose proof (gram_high i k Hi Hk (not_eq_sym Hki)). lra.
  - apply self_weight_le; auto; [apply tokens_nonzero|]. intros k Hk Hki. pose proof (gram_low i k Hi Hk). lra.
Qed.

(* A_ik <= A_ii exp (-beta (1 - rho2)) *)
Theorem other_weight_le i k : (i < n)%nat -> (k < n)%nat -> k <> i -> A i k <= A i i * far_factor.
Proof.
  intros Hi Hk Hki. apply (weight_other_le d n beta x tokens_nonzero); auto.
  pose proof (gram_high i k Hi Hk (not_eq_sym Hki)). lra.
Qed.

(* sum over k <> i of A_ik^2 <= A (1-A) exp (-beta (1-rho2)), A = A_ii *)
Theorem other_squares_le i : (i < n)%nat -> sum_but n i (fun k => A i k ^ 2) <= A i i * (1 - A i i) * far_factor.
Proof. intros Hi. apply (squares_others_le d n beta x); auto. intros; apply other_weight_le; auto. Qed.

(* S_i <= A^2 + A (1-A) exp (-beta (1-rho2)) *)
Theorem squares_le i : (i < n)%nat -> sum_to n (fun k => A i k ^ 2) <= A i i ^ 2 + A i i * (1 - A i i) * far_factor.
Proof. intros Hi. rewrite (sum_split n i); auto. pose proof (other_squares_le i Hi). lra. Qed.

Lemma far_factor_range : 0 < far_factor <= 1.
Proof.
  split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le.
  replace (- beta * (1 - rho2)) with (- (beta * (1 - rho2))) by ring.
  assert (0 <= beta * (1 - rho2)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma self_high_range : 0 < self_high < 1.
Proof.
  pose proof N_ge_2. pose proof (exp_pos (- beta * (1 - rho1))) as E.
  assert (0 < (N - 1) * exp (- beta * (1 - rho1))) by (apply Rmult_lt_0_compat; lra).
  apply share_range; auto.
Qed.

Lemma self_low_range : 0 < self_low < 1.
Proof.
  pose proof N_ge_2. pose proof far_factor_range as E.
  assert (0 < (N - 1) * far_factor) by (apply Rmult_lt_0_compat; lra).
  apply share_range; auto.
Qed.

(* 1 - self_low <= (n-1) exp (-beta (1-rho2)) *)
Lemma self_low_rate : 1 - self_low <= (N - 1) * far_factor.
Proof.
  pose proof N_ge_2. pose proof far_factor_range as E. set (W := (N - 1) * far_factor).
  assert (0 < W) by (apply Rmult_lt_0_compat; lra). unfold self_low. fold W.
  apply (Rmult_le_reg_r (1 + W)); [lra|]. replace ((1 - / (1 + W)) * (1 + W)) with W by (field; lra). nra.
Qed.

(* ---- Growth (Theorem 2.3, small gamma) ---- *)

Lemma coefficients_at_least i : (i < n)%nat -> forall k, (k < n)%nat -> 0 <= coefficient d n beta x alpha i k.
Proof. intros Hi k Hk. apply coefficient_nonneg; auto. lia. Qed.

(* <x'_i, x'_j> >= rho1 (1 + s_i) (1 + s_j) *)
Theorem output_low i j : (i < n)%nat -> (j < n)%nat -> rho1 * ((1 + s i) * (1 + s j)) <= inner d (X i) (X j).
Proof.
  intros Hi Hj. rewrite output_gram; auto; try (apply tokens_nonzero; auto).
  rewrite <- (coefficients_sum d n beta x alpha i Hi), <- (coefficients_sum d n beta x alpha j Hj).
  replace (rho1 * (sum_to n (coefficient d n beta x alpha i) * sum_to n (coefficient d n beta x alpha j)))
    with (sum_to n (coefficient d n beta x alpha i) * (sum_to n (coefficient d n beta x alpha j) * rho1)) by ring.
  apply combination_ge; [apply coefficients_at_least; auto|]. intros k Hk.
  apply combination_ge; [apply coefficients_at_least; auto|]. intros l Hl. apply gram_low; auto.
Qed.

(* How far below its largest value |x'_i|^2 is: kappa (1 + s)^2, A = a the self weight. *)
Definition growth_kappa (a s0 : R) := (1 - rho2) * (1 - a) * (1 + 2 * s0 + a * (1 - far_factor)) / (1 + s0) ^ 2.

(* |x'_i|^2 <= s^2 + 2 s (rho2 + (1-rho2) A) + rho2 + (1-rho2) S *)
Theorem output_norm2_le i : (i < n)%nat -> output_norm2 d n beta alpha x i <=
  s i ^ 2 + 2 * s i * (rho2 + (1 - rho2) * A i i) + rho2 + (1 - rho2) * sum_to n (fun k => A i k ^ 2).
Proof.
  intros Hi. unfold output_norm2. rewrite output_gram; auto; try (apply tokens_nonzero; auto).
  set (W := coefficient d n beta x alpha i).
  assert (W0 : forall k, (k < n)%nat -> 0 <= W k) by (apply coefficients_at_least; auto).
  assert (WS : sum_to n W = 1 + s i) by (apply coefficients_sum; auto).
  assert (W2 : sum_to n (fun k => W k * W k) = sum_to n (fun k => A i k ^ 2) + 2 * s i * A i i + s i ^ 2).
  { rewrite (sum_ext n _ (fun k => A i k ^ 2 + (2 * s i * A i k + s i ^ 2 * delta k i) * delta k i)).
    - rewrite sum_plus, (sum_delta n i (fun k => 2 * s i * A i k + s i ^ 2 * delta k i)); auto. rewrite delta_same. ring.
    - intros k Hk. unfold W, coefficient. ring. }
  apply Rle_trans with (sum_to n (fun k => W k * (rho2 * (1 + s i) + (1 - rho2) * W k))).
  - apply sum_le; intros k Hk. apply Rmult_le_compat_l; [auto|]. rewrite <- WS, (sum_split n k); auto.
    assert (K : sum_but n k (fun l => W l * G k l) <= rho2 * sum_but n k W).
    { rewrite <- sum_but_scal. apply sum_but_le; intros l Hl Hlk. rewrite Rmult_comm. apply Rmult_le_compat_r; auto.
      apply gram_high; auto. }
    rewrite (sum_split n k W Hk). rewrite gram_self; [lra|apply tokens_nonzero; auto].
  - right. rewrite (sum_ext n _ (fun k => (rho2 * (1 + s i)) * W k + (1 - rho2) * (W k * W k))); [|intros; ring].
    rewrite sum_plus, !sum_scal, WS, W2. ring.
Qed.

Lemma output_norm2_kappa i a s0 : (i < n)%nat -> A i i <= a -> s i <= s0 ->
  output_norm2 d n beta alpha x i <= (1 + s i) ^ 2 * (1 - growth_kappa a s0).
Proof.
  intros Hi HA Hs. apply Rle_trans with (1 := output_norm2_le i Hi). pose proof (squares_le i Hi) as HS.
  pose proof far_factor_range as He. pose proof (residual_nonneg d x alpha i Ha) as S0.
  pose proof (weight_nonneg d n beta x i i Hi) as A0.
  assert (A1 : A i i <= 1) by (apply weight_le_1; auto; lia).
  set (b := A i i) in *. set (t := s i) in *. set (e := far_factor) in *.
  assert (K1 : growth_kappa a s0 <= (1 - rho2) * (1 - b) * (1 + 2 * t + b * (1 - e)) / (1 + t) ^ 2).
  { unfold growth_kappa. fold e.
    apply Rle_trans with ((1 - rho2) * (1 - b) * (1 + 2 * s0 + b * (1 - e)) / (1 + s0) ^ 2).
    - unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|].
      rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|].
      assert (0 <= (a - b) * (2 * s0 + (1 - (1 - e) * (1 - a - b)))).
      { apply Rmult_le_pos; [lra|]. assert ((1 - e) * (1 - a - b) <= 1 * 1); [|lra].
        destruct (Rle_or_lt (1 - a - b) 0) as [Q|Q].
        - apply Rle_trans with 0; [|lra]. assert (0 <= (1 - e) * - (1 - a - b)) by (apply Rmult_le_pos; lra). lra.
        - apply Rmult_le_compat; lra. }
      lra.
    - assert (0 <= (1 - rho2) * (1 - b)) by (apply Rmult_le_pos; lra).
      unfold Rdiv. rewrite !Rmult_assoc. rewrite <- !(Rmult_assoc (1 - rho2)). apply Rmult_le_compat_l; auto.
      set (c := b * (1 - e)). assert (Hc : 0 <= c) by (apply Rmult_le_pos; lra).
      apply (Rmult_le_reg_r ((1 + s0) ^ 2 * (1 + t) ^ 2)); [apply Rmult_lt_0_compat; apply pow_lt; lra|].
      replace ((1 + 2 * s0 + c) * / (1 + s0) ^ 2 * ((1 + s0) ^ 2 * (1 + t) ^ 2)) with ((1 + 2 * s0 + c) * (1 + t) ^ 2) by (field; lra).
      replace ((1 + 2 * t + c) * / (1 + t) ^ 2 * ((1 + s0) ^ 2 * (1 + t) ^ 2)) with ((1 + 2 * t + c) * (1 + s0) ^ 2) by (field; lra).
      assert (0 <= (s0 - t) * (t + s0 + 2 * t * s0 + c * (2 + t + s0))).
      { apply Rmult_le_pos; [lra|]. assert (0 <= t * s0) by (apply Rmult_le_pos; lra).
        assert (0 <= c * (2 + t + s0)) by (apply Rmult_le_pos; lra). lra. }
      lra. }
  assert (K2 : (1 + t) ^ 2 * growth_kappa a s0 <= (1 - rho2) * (1 - b) * (1 + 2 * t + b * (1 - e))).
  { apply (Rmult_le_compat_l ((1 + t) ^ 2)) in K1; [|apply pow2_ge_0].
    replace ((1 + t) ^ 2 * ((1 - rho2) * (1 - b) * (1 + 2 * t + b * (1 - e)) / (1 + t) ^ 2))
      with ((1 - rho2) * (1 - b) * (1 + 2 * t + b * (1 - e))) in K1 by (field; lra). exact K1. }
  assert (K3 : (1 - rho2) * sum_to n (fun k => A i k ^ 2) <= (1 - rho2) * (b ^ 2 + b * (1 - b) * e)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Lemma output_norm2_pos i : (i < n)%nat -> 0 < output_norm2 d n beta alpha x i.
Proof.
  intros Hi. pose proof (output_low i i Hi Hi) as L. pose proof (residual_nonneg d x alpha i Ha) as S0.
  apply Rlt_le_trans with (2 := L). apply Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; lra.
Qed.

Lemma residual_between i : (i < n)%nat -> alpha * sqrt q1 <= s i <= alpha * sqrt q2.
Proof.
  intros Hi. destruct HC as [H _]. specialize (H i Hi). unfold residual, norm.
  split; apply Rmult_le_compat_l; auto; apply sqrt_le_1_alt; lra.
Qed.

Lemma kappa_lt_1 a s0 : 0 <= a -> 0 <= s0 -> (forall i, (i < n)%nat -> A i i <= a) -> (forall i, (i < n)%nat -> s i <= s0) ->
  growth_kappa a s0 < 1.
Proof.
  intros Ha0 Hs0 HA Hs. assert (H0 : (0 < n)%nat) by lia.
  pose proof (output_norm2_kappa O a s0 H0 (HA O H0) (Hs O H0)) as K. pose proof (output_norm2_pos O H0) as P.
  destruct (Rlt_or_le (growth_kappa a s0) 1) as [Q|Q]; auto. exfalso.
  assert (0 <= (1 + s O) ^ 2 * (growth_kappa a s0 - 1)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]). lra.
Qed.

(* Every inner product is at least rho1/(1 - kappa) after the layer. *)
Theorem growth i j : (i < n)%nat -> (j < n)%nat ->
  rho1 / (1 - growth_kappa self_high (alpha * sqrt q2)) <= output_inner d n beta alpha x i j.
Proof.
  intros Hi Hj. set (k := growth_kappa self_high (alpha * sqrt q2)).
  assert (HS : forall i, (i < n)%nat -> s i <= alpha * sqrt q2) by (intros; apply residual_between; auto).
  assert (HA : forall i, (i < n)%nat -> A i i <= self_high) by (intros; apply self_weight_between; auto).
  assert (Hk : k < 1).
  { apply kappa_lt_1; auto; [pose proof self_high_range; lra|apply Rmult_le_pos; auto; apply sqrt_pos]. }
  assert (K : forall i, (i < n)%nat -> 0 < norm d (X i) /\ norm d (X i) <= (1 + s i) * sqrt (1 - k)).
  { intros l Hl. pose proof (output_norm2_pos l Hl) as P. split; [apply norm_pos; exact P|].
    pose proof (residual_nonneg d x alpha l Ha).
    replace ((1 + s l) * sqrt (1 - k)) with (sqrt ((1 + s l) ^ 2 * (1 - k))).
    - apply sqrt_le_1_alt. apply output_norm2_kappa; auto.
    - rewrite sqrt_mult_alt; [|apply pow2_ge_0]. rewrite sqrt_pow2; lra. }
  destruct (K i Hi) as [Pi Ki]. destruct (K j Hj) as [Pj Kj]. pose proof (output_low i j Hi Hj) as L.
  pose proof (residual_nonneg d x alpha i Ha). pose proof (residual_nonneg d x alpha j Ha).
  rewrite output_inner_quotient. assert (Pij : 0 < norm d (X i) * norm d (X j)) by (apply Rmult_lt_0_compat; auto).
  apply (Rmult_le_reg_r (norm d (X i) * norm d (X j))); auto.
  replace (inner d (X i) (X j) / (norm d (X i) * norm d (X j)) * (norm d (X i) * norm d (X j))) with (inner d (X i) (X j)) by (field; split; lra).
  apply Rle_trans with (2 := L).
  apply Rle_trans with (rho1 / (1 - k) * ((1 + s i) * sqrt (1 - k) * ((1 + s j) * sqrt (1 - k)))).
  - apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_compat; lra.
  - right. replace ((1 + s i) * sqrt (1 - k) * ((1 + s j) * sqrt (1 - k)))
      with ((1 + s i) * (1 + s j) * (sqrt (1 - k) * sqrt (1 - k))) by ring.
    rewrite sqrt_sqrt; [|lra]. field. lra.
Qed.

(* ---- Kept (Theorem 2.3, large gamma) ---- *)

(* |m_i - y_i|^2 <= (1-A)^2 (1 + rho2 - 2 rho1) + (1-rho2) sum over k <> i of A_ik^2 *)
Theorem displacement_le i : (i < n)%nat ->
  inner d (fun c => m i c - y i c) (fun c => m i c - y i c) <=
  (1 - A i i) ^ 2 * (1 + rho2 - 2 * rho1) + (1 - rho2) * sum_but n i (fun k => A i k ^ 2).
Proof.
  intros Hi. set (h := fun k l => G k l - G i k - G i l + 1).
  assert (E : inner d (fun c => m i c - y i c) (fun c => m i c - y i c)
    = sum_but n i (fun k => A i k * sum_but n i (fun l => A i l * h k l))).
  { transitivity (sum_to n (fun k => A i k * sum_to n (fun l => A i l * h k l))).
    - rewrite inner_minus, (inner_sym d (y i)), attention_square, attention_unit.
      fold (gram d x i i). rewrite gram_self; [|apply tokens_nonzero; auto].
      rewrite (sum_ext n (fun k => A i k * sum_to n (fun l => A i l * h k l))
        (fun k => A i k * inner d (m i) (y k) + ((- sum_to n (fun j => A i j * G j i) + 1) * A i k + (-1) * (A i k * G k i)))).
      + rewrite !sum_plus, !sum_scal, weights_sum_to_1; [ring|lia].
      + intros k Hk. unfold h.
        rewrite (sum_ext n (fun l => A i l * (G k l - G i k - G i l + 1)) (fun l => (A i l * G l k + (-1) * (A i l * G l i)) + (1 - G k i) * A i l)).
        * rewrite !sum_plus, !sum_scal, weights_sum_to_1, attention_unit; [ring|lia].
        * intros l Hl. rewrite (gram_sym d x k l), (gram_sym d x i l), (gram_sym d x i k). ring.
    - assert (Z1 : forall k, h k i = G k i - G i k) by (intros; unfold h; rewrite (gram_self d x i); [ring|apply tokens_nonzero; auto]).
      rewrite (sum_split n i); auto.
      rewrite (sum_ext n (fun l => A i l * h i l) (fun _ => 0)).
      + rewrite sum_const, !Rmult_0_r, Rplus_0_l. apply sum_but_ext; intros k Hk Hki. f_equal.
        rewrite (sum_split n i); auto. rewrite Z1, (gram_sym d x k i). ring.
      + intros l Hl. unfold h. rewrite (gram_self d x i); [ring|apply tokens_nonzero; auto]. }
  rewrite E. clear E.
  apply Rle_trans with (sum_but n i (fun k => A i k * ((1 - A i i) * (1 + rho2 - 2 * rho1) + (1 - rho2) * A i k))).
  - apply sum_but_le; intros k Hk Hki. apply Rmult_le_compat_l; [apply weight_nonneg; auto|].
    rewrite <- (weight_others d n beta x i Hi), <- sum_but_scal_r.
    apply Rle_trans with (sum_but n i (fun l => A i l * (1 + rho2 - 2 * rho1) + (1 - rho2) * (A i l * delta l k))).
    + apply sum_but_le; intros l Hl Hli. pose proof (weight_nonneg d n beta x i l Hi) as P.
      pose proof (gram_low i k Hi Hk). pose proof (gram_low i l Hi Hl). unfold h.
      destruct (Nat.eq_dec l k) as [->|Hlk].
      * rewrite delta_same, gram_self; [|apply tokens_nonzero; auto].
        assert (A i k * (1 - G i k - G i k + 1) <= A i k * (2 - 2 * rho1)) by (apply Rmult_le_compat_l; lra). lra.
      * rewrite delta_other; auto. pose proof (gram_high k l Hk Hl (not_eq_sym Hlk)).
        assert (A i l * (G k l - G i k - G i l + 1) <= A i l * (1 + rho2 - 2 * rho1)) by (apply Rmult_le_compat_l; lra). lra.
    + rewrite sum_but_plus, sum_but_scal. apply Rplus_le_compat_l. apply Rmult_le_compat_l; [lra|].
      right. unfold sum_but. rewrite (sum_ext n _ (fun l => (if Nat.eqb l i then 0 else A i l) * delta l k)).
      * rewrite (sum_delta n k (fun l => if Nat.eqb l i then 0 else A i l)); auto. destruct (Nat.eqb_spec k i); [contradiction|auto].
      * intros l _. destruct (Nat.eqb l i); ring.
  - right. rewrite (sum_but_ext n i _ (fun k => ((1 - A i i) * (1 + rho2 - 2 * rho1)) * A i k + (1 - rho2) * A i k ^ 2)); [|intros; ring].
    rewrite sum_but_plus, !sum_but_scal, weight_others; auto. ring.
Qed.

(* |m_i - y_i| at most this. *)
Definition displacement_high := sqrt ((1 - self_low) ^ 2 * (1 + rho2 - 2 * rho1) + (1 - rho2) * (1 - self_low) * far_factor).

Theorem attention_near_identity i : (i < n)%nat -> norm d (fun c => m i c - y i c) <= displacement_high.
Proof.
  intros Hi. apply sqrt_le_1_alt. apply Rle_trans with (1 := displacement_le i Hi).
  pose proof (other_squares_le i Hi) as S. pose proof (self_weight_between i Hi) as [L _]. pose proof self_low_range.
  pose proof far_factor_range. assert (A1 : A i i <= 1) by (apply weight_le_1; auto; lia). pose proof rho_ordered.
  apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [lra|]. apply pow_incr. lra.
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (1 := S).
    apply Rmult_le_compat_r; [lra|]. pose proof (weight_nonneg d n beta x i i Hi). nra.
Qed.

(* |m_i - y_i| <= (1 - A) sqrt (2 (1 - rho1)) *)
Theorem attention_near_identity_simple i : (i < n)%nat ->
  norm d (fun c => m i c - y i c) <= (1 - self_low) * sqrt (2 * (1 - rho1)).
Proof.
  intros Hi. pose proof (self_weight_between i Hi) as [L _]. pose proof self_low_range. pose proof rho_ordered.
  replace ((1 - self_low) * sqrt (2 * (1 - rho1))) with (sqrt ((1 - self_low) ^ 2 * (2 * (1 - rho1)))).
  - apply sqrt_le_1_alt. apply Rle_trans with (1 := displacement_le i Hi).
    pose proof (squares_others_le_square d n beta x i Hi) as S. assert (A1 : A i i <= 1) by (apply weight_le_1; auto; lia).
    apply Rle_trans with ((1 - A i i) ^ 2 * (2 * (1 - rho1))).
    + assert ((1 - rho2) * sum_but n i (fun k => A i k ^ 2) <= (1 - rho2) * (1 - A i i) ^ 2) by (apply Rmult_le_compat_l; lra). lra.
    + apply Rmult_le_compat_r; [lra|]. apply pow_incr. lra.
  - rewrite sqrt_mult_alt; [|apply pow2_ge_0]. rewrite sqrt_pow2; lra.
Qed.

(* Inner products change by at most 4 e/(2 (1 + s) - e), e a bound of |m_i - y_i|, s = alpha sqrt q1. *)
Theorem kept e i j : (i < n)%nat -> (j < n)%nat -> e < 2 ->
  (forall k, (k < n)%nat -> norm d (fun c => m k c - y k c) <= e) ->
  Rabs (output_inner d n beta alpha x i j - G i j) <= 4 * e / (2 * (1 + alpha * sqrt q1) - e).
Proof.
  intros Hi Hj He2 He. set (s0 := alpha * sqrt q1). assert (S0 : 0 <= s0) by (apply Rmult_le_pos; auto; apply sqrt_pos).
  assert (He0 : 0 <= e) by (apply Rle_trans with (2 := He i Hi); apply norm_nonneg).
  assert (K : forall k, (k < n)%nat -> norm d (fun c => direction d (X k) c - y k c) <= 2 * e / (2 * (1 + s0) - e)).
  { intros k Hk. pose proof (output_norm2_pos k Hk) as P. pose proof (residual_nonneg d x alpha k Ha).
    assert (U : inner d (y k) (y k) = 1) by (apply direction_unit, tokens_nonzero; auto).
    pose proof (direction_close d (X k) (y k) (1 + s k)) as C. apply Rle_trans with (1 := C ltac:(lra) U P).
    assert (E : norm d (fun c => X k c - (1 + s k) * y k c) = norm d (fun c => m k c - y k c)).
    { unfold norm. f_equal. apply inner_ext; intros c _; unfold output;
        rewrite (token_unit d x k c (tokens_nonzero k Hk)); unfold residual; ring. }
    rewrite E. pose proof (norm_nonneg d (fun c => m k c - y k c)) as N0. pose proof (He k Hk) as N1.
    assert (L : 1 + s k - e <= norm d (X k)).
    { pose proof (norm_triangle d (X k) (fun c => (1 + s k) * y k c - X k c)) as T.
      assert (E2 : norm d (fun c => X k c + ((1 + s k) * y k c - X k c)) = 1 + s k).
      { transitivity (norm d (fun c => (1 + s k) * y k c)).
        - unfold norm. f_equal. apply inner_ext; intros; ring.
        - rewrite norm_scal; [|lra]. unfold norm. rewrite U, sqrt_1. ring. }
      assert (E3 : norm d (fun c => (1 + s k) * y k c - X k c) = norm d (fun c => X k c - (1 + s k) * y k c)).
      { unfold norm. f_equal. unfold inner. apply sum_ext; intros; ring. }
      cbv beta in T. rewrite E2, E3, E in T. lra. }
    pose proof (residual_between k Hk) as [Q _]. fold s0 in Q.
    unfold Rdiv. apply Rmult_le_compat; try lra.
    - left. apply Rinv_0_lt_compat. pose proof (norm_nonneg d (X k)). lra.
    - apply Rinv_le_contravar; lra. }
  replace (4 * e / (2 * (1 + s0) - e)) with (2 * e / (2 * (1 + s0) - e) + 2 * e / (2 * (1 + s0) - e)) by (field; lra).
  apply Rle_trans with (norm d (fun c => direction d (X i) c - y i c) + norm d (fun c => direction d (X j) c - y j c)).
  - apply unit_inner_change; apply direction_unit; [apply tokens_nonzero; auto|apply output_norm2_pos; auto].
  - apply Rplus_le_compat; auto.
Qed.
End NearSimplex.
