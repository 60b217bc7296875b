(* Theorem 2.3 for large gamma, sharply, at any n >= 2 and any beta >= 0: by how much a layer changes inner products of a
   near-simplex configuration. x'_i/(1 + s_i) is a mean of unit tokens in which token i itself has the share
   1 - t_i, t_i = (1 - A_ii)/(1 + s_i). Uses NearSimplex.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Powers Bounds NearSimplex.
Open Scope R_scope.

(* ---- Means of tokens whose inner products are known to lie in ranges ---- *)

Section Means.
Variables (n i j : nat) (w v : nat -> R) (G : nat -> nat -> R) (rho1 rho2 : R).
Hypotheses (Hi : (i < n)%nat) (Hj : (j < n)%nat).
Hypotheses (Hw : forall k, (k < n)%nat -> 0 <= w k) (Hv : forall k, (k < n)%nat -> 0 <= v k).
Hypotheses (Sw : sum_to n w = 1) (Sv : sum_to n v = 1).
Notation mean := (sum_to n (fun k => w k * sum_to n (fun l => v l * G k l))).

Lemma mean_of_pairs a b c :
  sum_to n (fun k => w k * sum_to n (fun l => v l * (a + b * delta l k + c * (delta k i * delta l j))))
  = a + b * sum_to n (fun k => w k * v k) + c * (w i * v j).
Proof.
  rewrite (sum_ext n _ (fun k => (a * w k + b * (w k * v k)) + (c * v j * w k) * delta k i)).
  - rewrite sum_plus, (sum_plus n (fun k => a * w k)), !sum_scal, (sum_delta n i (fun k => c * v j * w k)), Sw; auto. ring.
  - intros k Hk.
    rewrite (sum_ext n _ (fun l => (a * v l + (b * v l) * delta l k) + (c * delta k i * v l) * delta l j)) by (intros; ring).
    rewrite sum_plus, (sum_plus n (fun l => a * v l)), sum_scal, (sum_delta n k (fun l => b * v l)), (sum_delta n j (fun l => c * delta k i * v l)), Sv; auto. ring.
Qed.

Lemma mean_le_of g : (forall k l, (k < n)%nat -> (l < n)%nat -> G k l <= g k l) ->
  mean <= sum_to n (fun k => w k * sum_to n (fun l => v l * g k l)).
Proof.
  intros H. apply sum_le; intros k Hk. apply Rmult_le_compat_l; auto. apply sum_le; intros l Hl. apply Rmult_le_compat_l; auto.
Qed.

Lemma mean_ge_of g : (forall k l, (k < n)%nat -> (l < n)%nat -> g k l <= G k l) ->
  sum_to n (fun k => w k * sum_to n (fun l => v l * g k l)) <= mean.
Proof.
  intros H. apply sum_le; intros k Hk. apply Rmult_le_compat_l; auto. apply sum_le; intros l Hl. apply Rmult_le_compat_l; auto.
Qed.

(* <sum w_k y_k, sum v_l y_l> >= rho1 + (G_ij - rho1) w_i v_j *)
Lemma mean_ge : (forall k l, (k < n)%nat -> (l < n)%nat -> rho1 <= G k l) -> rho1 + (G i j - rho1) * (w i * v j) <= mean.
Proof.
  intros H. replace (rho1 + (G i j - rho1) * (w i * v j)) with (rho1 + 0 * sum_to n (fun k => w k * v k) + (G i j - rho1) * (w i * v j)) by ring.
  rewrite <- mean_of_pairs. apply mean_ge_of; intros k l Hk Hl. pose proof (H k l Hk Hl).
  destruct (Nat.eq_dec k i) as [->|Ek]; [|rewrite (delta_other k i Ek); lra].
  destruct (Nat.eq_dec l j) as [->|El]; [|rewrite (delta_other l j El); lra]. rewrite !delta_same. lra.
Qed.

(* <sum w_k y_k, sum v_l y_l> <= rho2 - (rho2 - G_ij) w_i v_j + (1 - rho2) sum_k w_k v_k *)
Lemma mean_le : i <> j -> (forall k, (k < n)%nat -> G k k <= 1) -> (forall k l, (k < n)%nat -> (l < n)%nat -> k <> l -> G k l <= rho2) ->
  mean <= rho2 + (1 - rho2) * sum_to n (fun k => w k * v k) + (G i j - rho2) * (w i * v j).
Proof.
  intros Hij H1 H2. rewrite <- mean_of_pairs. apply mean_le_of; intros k l Hk Hl.
  destruct (Nat.eq_dec k i) as [->|Ek]; [destruct (Nat.eq_dec l j) as [->|El]|].
  - rewrite !delta_same, (delta_other j i); auto. lra.
  - rewrite (delta_other l j El). destruct (Nat.eq_dec l i) as [->|Eli].
    + rewrite !delta_same. pose proof (H1 i Hk). lra.
    + rewrite (delta_other l i Eli). pose proof (H2 i l Hk Hl (not_eq_sym Eli)). lra.
  - rewrite (delta_other k i Ek). destruct (Nat.eq_dec l k) as [->|El].
    + rewrite delta_same. pose proof (H1 k Hk). lra.
    + rewrite (delta_other l k El). pose proof (H2 k l Hk Hl (not_eq_sym El)). lra.
Qed.

Lemma mean_le_1 : (forall k l, (k < n)%nat -> (l < n)%nat -> G k l <= 1) -> mean <= 1.
Proof.
  intros H. apply Rle_trans with (1 := mean_le_of (fun _ _ => 1) H).
  rewrite (sum_ext n _ (fun k => w k * 1)); [|intros; rewrite sum_scal_r, Sv; ring]. rewrite sum_scal_r, Sw. lra.
Qed.

(* Where every other share is at most e, the two means share at most 2 e. *)
Lemma shared_le e : (forall k, (k < n)%nat -> k <> i -> w k <= e) -> v i <= e -> sum_to n (fun k => w k * v k) <= 2 * e.
Proof.
  intros H1 H2. rewrite (sum_split n i); auto. pose proof (Hw i Hi) as W0. pose proof (Hv i Hi) as V0.
  assert (W1 : w i <= 1) by (rewrite <- Sw; apply (term_le_sum n i w); auto).
  assert (B : sum_but n i (fun k => w k * v k) <= e * sum_but n i v).
  { rewrite <- sum_but_scal. apply sum_but_le; intros k Hk Hki. apply Rmult_le_compat_r; auto. }
  assert (V1 : sum_but n i v <= 1) by (pose proof (sum_split n i v Hi) as E; rewrite Sv in E; lra).
  assert (E0 : 0 <= e) by lra.
  assert (B2 : e * sum_but n i v <= e * 1) by (apply Rmult_le_compat_l; lra).
  assert (B3 : w i * v i <= 1 * e) by (apply Rmult_le_compat; lra). lra.
Qed.
End Means.

(* (rho2 + E - (rho2 - G) b)/(rho1 + (1-rho1) b) falls in b and lies above G by at most what it does at G = rho1. *)
Lemma quotient_above r1 r2 g E b tau : 0 < r1 -> r1 <= g <= r2 -> r2 < 1 -> 0 <= E -> 0 <= tau < 1 -> 1 - tau <= b ->
  (r2 + E + (g - r2) * b) / (r1 + (1 - r1) * b) - g <= ((r2 - r1 ^ 2) * tau + E) / (1 - (1 - r1) * tau).
Proof.
  intros H1 Hg H2 HE Ht Hb.
  assert (P0 : 0 <= (1 - r1) * (1 - tau)) by (apply Rmult_le_pos; lra).
  assert (P1 : 0 < 1 - (1 - r1) * tau) by lra.
  assert (P2 : (1 - r1) * (1 - tau) <= (1 - r1) * b) by (apply Rmult_le_compat_l; lra).
  assert (P3 : 0 < r1 + (1 - r1) * b) by lra.
  apply Rle_trans with ((r2 + E + (g - r2) * (1 - tau)) / (1 - (1 - r1) * tau) - g).
  - apply Rplus_le_compat_r.
    apply (Rmult_le_reg_r ((r1 + (1 - r1) * b) * (1 - (1 - r1) * tau))); [apply Rmult_lt_0_compat; auto|].
    replace ((r2 + E + (g - r2) * b) / (r1 + (1 - r1) * b) * ((r1 + (1 - r1) * b) * (1 - (1 - r1) * tau)))
      with ((r2 + E + (g - r2) * b) * (1 - (1 - r1) * tau)) by (field; lra).
    replace ((r2 + E + (g - r2) * (1 - tau)) / (1 - (1 - r1) * tau) * ((r1 + (1 - r1) * b) * (1 - (1 - r1) * tau)))
      with ((r2 + E + (g - r2) * (1 - tau)) * (r1 + (1 - r1) * b)) by (field; lra).
    assert (0 <= (b - (1 - tau)) * ((r2 + E) * (1 - r1) + (r2 - g) * r1)); [|lra].
    apply Rmult_le_pos; [lra|]. assert (0 <= (r2 + E) * (1 - r1)) by (apply Rmult_le_pos; lra).
    assert (0 <= (r2 - g) * r1) by (apply Rmult_le_pos; lra). lra.
  - replace ((r2 + E + (g - r2) * (1 - tau)) / (1 - (1 - r1) * tau) - g)
      with (((r2 - g * r1) * tau + E) / (1 - (1 - r1) * tau)) by (field; lra).
    unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
    assert ((r2 - g * r1) * tau <= (r2 - r1 ^ 2) * tau); [|lra]. apply Rmult_le_compat_r; [lra|].
    assert (r1 * r1 <= g * r1) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(* (r + (1-r) a^2) (r + (1-r) b^2) >= (r + (1-r) a b)^2 *)
Lemma means_of_squares r a b : 0 <= r <= 1 -> (r + (1 - r) * (a * b)) ^ 2 <= (r + (1 - r) * (a * a)) * (r + (1 - r) * (b * b)).
Proof.
  intros H. assert (0 <= r * (1 - r) * (a - b) ^ 2) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply pow2_ge_0]). lra.
Qed.

Section Kept.
Variables (d n : nat) (q1 q2 rho1 rho2 beta alpha : R) (x : tokens).
Hypotheses (Hn : (2 <= n)%nat) (Hq : 0 < q1) (Hr1 : 0 < rho1) (Hr2 : rho2 < 1) (Hb : 0 <= beta) (Ha : 0 <= alpha).
Hypothesis HC : near_simplex d n q1 q2 rho1 rho2 x.
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation X := (output d n beta alpha x).
Notation s i := (residual d x alpha i).
Notation far := (far_factor rho2 beta).
Notation low := (self_low n rho2 beta).

Let nonzero i : (i < n)%nat -> 0 < inner d (x i) (x i) := tokens_nonzero d n q1 q2 rho1 rho2 x Hq HC i.

(* The share of token k in x'_i. *)
Definition share (i k : nat) : R := coefficient d n beta x alpha i k / (1 + s i).

Lemma size_of_residual i : (i < n)%nat -> 1 <= 1 + alpha * sqrt q1 <= 1 + s i.
Proof.
  intros Hi. pose proof (residual_between d n q1 q2 rho1 rho2 alpha x Ha HC i Hi) as [L _].
  assert (0 <= alpha * sqrt q1) by (apply Rmult_le_pos; auto; apply sqrt_pos). lra.
Qed.

Lemma share_nonneg i k : (i < n)%nat -> (k < n)%nat -> 0 <= share i k.
Proof.
  intros Hi Hk. pose proof (size_of_residual i Hi). unfold share.
  apply Rmult_le_pos; [apply coefficient_nonneg; auto; lia|left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma shares_sum i : (i < n)%nat -> sum_to n (share i) = 1.
Proof.
  intros Hi. pose proof (size_of_residual i Hi). unfold share, Rdiv. rewrite (sum_scal_r n (/ (1 + s i)) (coefficient d n beta x alpha i)).
  rewrite coefficients_sum; auto. apply Rinv_r. lra.
Qed.

(* Of the others each has at most exp (-beta (1-rho2))/(1 + s); what is not the token's own is at most t. *)
Lemma other_share i k : (i < n)%nat -> (k < n)%nat -> k <> i -> share i k <= far / (1 + alpha * sqrt q1).
Proof.
  intros Hi Hk Hki. pose proof (size_of_residual i Hi) as S.
  pose proof (other_weight_le d n q1 q2 rho1 rho2 beta x Hq Hb HC i k Hi Hk Hki) as W.
  pose proof (far_factor_range rho2 beta Hr2 Hb) as F. assert (A1 : A i i <= 1) by (apply weight_le_1; auto; lia).
  assert (A i i * far <= 1 * far) by (apply Rmult_le_compat_r; lra).
  pose proof (weight_nonneg d n beta x i k Hi) as W0.
  unfold share, coefficient. rewrite delta_other; auto. rewrite Rmult_0_r, Rplus_0_r. unfold Rdiv.
  apply Rmult_le_compat; [auto|left; apply Rinv_0_lt_compat; lra|lra|apply Rinv_le_contravar; lra].
Qed.

Lemma own_share i : (i < n)%nat -> 1 - (1 - low) / (1 + alpha * sqrt q1) <= share i i <= 1.
Proof.
  intros Hi. pose proof (size_of_residual i Hi) as S.
  pose proof (self_weight_between d n q1 q2 rho1 rho2 beta x Hn Hq Hr2 Hb HC i Hi) as [L _]. assert (A1 : A i i <= 1) by (apply weight_le_1; auto; lia).
  assert (E : share i i = 1 - (1 - A i i) / (1 + s i)).
  { unfold share, coefficient. rewrite delta_same. field. lra. }
  rewrite E. assert (0 <= (1 - A i i) / (1 + s i)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  assert ((1 - A i i) / (1 + s i) <= (1 - low) / (1 + alpha * sqrt q1)); [|lra].
  unfold Rdiv. apply Rmult_le_compat; [lra|left; apply Rinv_0_lt_compat; lra|lra|apply Rinv_le_contravar; lra].
Qed.

Lemma output_shares i j : (i < n)%nat -> (j < n)%nat ->
  inner d (X i) (X j) = (1 + s i) * (1 + s j) * sum_to n (fun k => share i k * sum_to n (fun l => share j l * G k l)).
Proof.
  intros Hi Hj. pose proof (size_of_residual i Hi). pose proof (size_of_residual j Hj).
  rewrite output_gram; auto. unfold share, Rdiv.
  rewrite <- sum_scal. apply sum_ext; intros k Hk.
  rewrite (sum_ext n (fun l => coefficient d n beta x alpha j l * / (1 + s j) * G k l) (fun l => / (1 + s j) * (coefficient d n beta x alpha j l * G k l))) by (intros; ring).
  rewrite sum_scal. set (z := sum_to n _). set (w := coefficient d n beta x alpha i k). field. lra.
Qed.

Notation v i j := (sum_to n (fun k => share i k * sum_to n (fun l => share j l * G k l))).

Lemma mean_norm i : (i < n)%nat -> rho1 + (1 - rho1) * (share i i * share i i) <= v i i <= 1.
Proof.
  intros Hi. split.
  - pose proof (mean_ge n i i (share i) (share i) G rho1) as P. rewrite (gram_self d x i) in P; auto.
    apply P; auto; try (intros; apply share_nonneg; auto); try (apply shares_sum; auto).
    intros k l Hk Hl. apply (gram_low d n q1 q2 rho1 rho2 x Hn Hq Hr2 HC k l Hk Hl).
  - apply (mean_le_1 n (share i) (share i) G); try (intros; apply share_nonneg; auto); try (apply shares_sum; auto).
    intros k l Hk Hl. apply gram_le_1; auto.
Qed.

Lemma output_inner_means i j : (i < n)%nat -> (j < n)%nat -> output_inner d n beta alpha x i j = v i j / sqrt (v i i * v j j).
Proof.
  intros Hi Hj. pose proof (size_of_residual i Hi) as Si. pose proof (size_of_residual j Hj) as Sj.
  destruct (mean_norm i Hi) as [Li _]. destruct (mean_norm j Hj) as [Lj _].
  assert (forall i, (i < n)%nat -> 0 <= (1 - rho1) * (share i i * share i i)) as Q.
  { intros k Hk. pose proof (share_nonneg k k Hk Hk). pose proof (rho_ordered d n q1 q2 rho1 rho2 x Hn HC).
    apply Rmult_le_pos; [lra|apply Rmult_le_pos; auto]. }
  pose proof (Q i Hi). pose proof (Q j Hj).
  rewrite output_inner_quotient. unfold norm. rewrite !output_shares; auto.
  rewrite (sqrt_mult_alt (v i i)); [|lra].
  rewrite (sqrt_mult_alt ((1 + s i) * (1 + s i))), (sqrt_mult_alt ((1 + s j) * (1 + s j))); try (apply Rmult_le_pos; lra).
  rewrite !sqrt_square; try lra.
  assert (0 < sqrt (v i i)) by (apply sqrt_lt_R0; lra). assert (0 < sqrt (v j j)) by (apply sqrt_lt_R0; lra).
  field. lra.
Qed.

(* By how much inner products change, t the largest share of the others and f that of one other. *)
Definition change_high (t f : R) : R :=
  ((rho2 - rho1 ^ 2) * (t * (2 - t)) + 2 * (1 - rho2) * f) / (1 - (1 - rho1) * (t * (2 - t))).

Lemma change_high_rises t t' f f' : rho1 <= rho2 -> 0 <= t -> t <= t' -> t' < 1 -> 0 <= f -> f <= f' -> change_high t f <= change_high t' f'.
Proof.
  intros Hr Ht H1 H2 Hf H3. unfold change_high.
  assert (T : 0 <= t * (2 - t) <= t' * (2 - t')).
  { split; [apply Rmult_le_pos; lra|]. assert (0 <= (t' - t) * (2 - t - t')) by (apply Rmult_le_pos; lra). lra. }
  assert (T1 : t' * (2 - t') < 1) by (assert (0 < (1 - t') ^ 2) by (apply pow_lt; lra); lra).
  set (a := t * (2 - t)) in *. set (b := t' * (2 - t')) in *. assert (R12 : rho1 ^ 2 <= rho2).
  { assert (0 <= rho1 * (1 - rho1)) by (apply Rmult_le_pos; lra). lra. }
  assert (Ra : (1 - rho1) * a <= (1 - rho1) * b) by (apply Rmult_le_compat_l; lra).
  assert (Rb : (1 - rho1) * b <= 1 * b) by (apply Rmult_le_compat_r; lra).
  assert (Na : (rho2 - rho1 ^ 2) * a <= (rho2 - rho1 ^ 2) * b) by (apply Rmult_le_compat_l; lra).
  assert (Na0 : 0 <= (rho2 - rho1 ^ 2) * a) by (apply Rmult_le_pos; lra).
  assert (Nf : 2 * (1 - rho2) * f <= 2 * (1 - rho2) * f') by (apply Rmult_le_compat_l; lra).
  assert (Nf0 : 0 <= 2 * (1 - rho2) * f) by (apply Rmult_le_pos; lra).
  unfold Rdiv. apply Rmult_le_compat; [lra|left; apply Rinv_0_lt_compat; lra|lra|apply Rinv_le_contravar; lra].
Qed.

Theorem inner_products_kept i j : (i < n)%nat -> (j < n)%nat ->
  Rabs (output_inner d n beta alpha x i j - G i j) <=
  change_high ((1 - low) / (1 + alpha * sqrt q1)) (far / (1 + alpha * sqrt q1)).
Proof.
  intros Hi Hj. set (t := (1 - low) / (1 + alpha * sqrt q1)). set (f := far / (1 + alpha * sqrt q1)).
  pose proof (size_of_residual i Hi) as Si. pose proof (rho_ordered d n q1 q2 rho1 rho2 x Hn HC) as Hr.
  pose proof (self_low_range n rho2 beta Hn Hr2 Hb) as L. pose proof (far_factor_range rho2 beta Hr2 Hb) as F.
  assert (I1 : 0 < / (1 + alpha * sqrt q1) <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (T : 0 <= t < 1).
  { unfold t, Rdiv. split; [apply Rmult_le_pos; lra|].
    apply Rle_lt_trans with ((1 - low) * 1); [apply Rmult_le_compat_l; lra|lra]. }
  assert (F0 : 0 <= f) by (apply Rmult_le_pos; lra). set (tau := t * (2 - t)).
  assert (Tau : 0 <= tau < 1) by (unfold tau; assert (0 < (1 - t) ^ 2) by (apply pow_lt; lra); split; [apply Rmult_le_pos; lra|lra]).
  assert (E0 : 0 <= 2 * (1 - rho2) * f) by (apply Rmult_le_pos; lra).
  assert (D : 0 < 1 - (1 - rho1) * tau).
  { assert ((1 - rho1) * tau <= 1 * tau) by (apply Rmult_le_compat_r; lra). lra. }
  assert (R12 : rho1 ^ 2 <= rho1) by (assert (0 <= rho1 * (1 - rho1)) by (apply Rmult_le_pos; lra); lra).
  assert (U0 : (rho2 - rho1) * tau <= change_high t f).
  { unfold change_high. fold tau. apply (Rmult_le_reg_r (1 - (1 - rho1) * tau)); auto.
    unfold Rdiv. rewrite (Rmult_assoc (_ + _)), Rinv_l, Rmult_1_r; [|lra].
    assert (Q0 : 0 <= (rho2 - rho1) * tau) by (apply Rmult_le_pos; lra). assert (Q1 : 0 <= (1 - rho1) * tau) by (apply Rmult_le_pos; lra).
    pose proof (Rmult_le_pos _ _ Q0 Q1). assert (0 <= (rho1 - rho1 ^ 2) * tau) by (apply Rmult_le_pos; lra). lra. }
  destruct (Nat.eq_dec i j) as [->|Hij].
  { unfold output_inner. rewrite direction_unit; [|apply (output_norm2_pos d n q1 q2 rho1 rho2 beta alpha x); auto].
    rewrite gram_self; auto. rewrite Rminus_diag_eq, Rabs_R0; auto.
    apply Rle_trans with (2 := U0). apply Rmult_le_pos; lra. }
  destruct (own_share i Hi) as [Oi1 Oi2]. destruct (own_share j Hj) as [Oj1 Oj2]. fold t in Oi1, Oj1.
  destruct (mean_norm i Hi) as [Ni1 Ni2]. destruct (mean_norm j Hj) as [Nj1 Nj2].
  assert (B : 1 - tau <= share i i * share j j).
  { replace (1 - tau) with ((1 - t) * (1 - t)) by (unfold tau; ring). apply Rmult_le_compat; lra. }
  assert (B1 : share i i * share j j <= 1) by (rewrite <- (Rmult_1_l 1); apply Rmult_le_compat; lra).
  assert (Gr : rho1 <= G i j <= rho2).
  { split; [apply (gram_low d n q1 q2 rho1 rho2 x Hn Hq Hr2 HC i j Hi Hj)|apply (gram_high d n q1 q2 rho1 rho2 x HC i j Hi Hj Hij)]. }
  assert (Low : rho1 + (G i j - rho1) * (share i i * share j j) <= v i j).
  { apply mean_ge; auto; try (intros; apply share_nonneg; auto); try (apply shares_sum; auto).
    intros k l Hk Hl. apply (gram_low d n q1 q2 rho1 rho2 x Hn Hq Hr2 HC k l Hk Hl). }
  assert (High : v i j <= rho2 + (1 - rho2) * sum_to n (fun k => share i k * share j k) + (G i j - rho2) * (share i i * share j j)).
  { apply mean_le; auto; try (intros; apply share_nonneg; auto); try (apply shares_sum; auto).
    - intros k Hk. rewrite gram_self; auto. lra.
    - intros k l Hk Hl Hkl. apply (gram_high d n q1 q2 rho1 rho2 x HC k l Hk Hl Hkl). }
  assert (Sh : sum_to n (fun k => share i k * share j k) <= 2 * f).
  { apply (shared_le n i (share i) (share j)); auto; try (intros; apply share_nonneg; auto); try (apply shares_sum; auto).
    - intros k Hk Hki. apply other_share; auto.
    - apply other_share; auto. }
  assert (Sh2 : (1 - rho2) * sum_to n (fun k => share i k * share j k) <= (1 - rho2) * (2 * f)) by (apply Rmult_le_compat_l; lra).
  set (b := share i i * share j j) in *. rewrite output_inner_means; auto.
  assert (P1 : 0 < rho1 + (1 - rho1) * b).
  { assert (0 <= (1 - rho1) * b) by (apply Rmult_le_pos; lra). lra. }
  assert (Bij : forall k, (k < n)%nat -> 0 <= (1 - rho1) * (share k k * share k k)).
  { intros k Hk. apply Rmult_le_pos; [lra|]. pose proof (share_nonneg k k Hk Hk). apply Rmult_le_pos; auto. }
  pose proof (Bij i Hi) as Bi. pose proof (Bij j Hj) as Bj.
  assert (S1 : rho1 + (1 - rho1) * b <= sqrt (v i i * v j j)).
  { rewrite <- (sqrt_pow2 (rho1 + (1 - rho1) * b)); [|lra]. apply sqrt_le_1_alt.
    apply Rle_trans with (1 := means_of_squares rho1 (share i i) (share j j) ltac:(lra)). apply Rmult_le_compat; lra. }
  assert (S2 : sqrt (v i i * v j j) <= 1).
  { rewrite <- sqrt_1. apply sqrt_le_1_alt. rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra. }
  set (S := sqrt (v i i * v j j)) in *. apply Rabs_le. split.
  - assert (L1 : rho1 + (G i j - rho1) * b <= v i j / S).
    { apply (Rmult_le_reg_r S); [lra|]. unfold Rdiv. rewrite (Rmult_assoc (v i j)), Rinv_l, Rmult_1_r; [|lra].
      assert (Q : 0 <= rho1 + (G i j - rho1) * b) by (assert (0 <= (G i j - rho1) * b) by (apply Rmult_le_pos; lra); lra).
      apply Rle_trans with (2 := Low). rewrite <- (Rmult_1_r (rho1 + (G i j - rho1) * b)) at 2. apply Rmult_le_compat_l; lra. }
    assert (L2 : (G i j - rho1) * (1 - b) <= (rho2 - rho1) * tau) by (apply Rmult_le_compat; lra). lra.
  - pose proof (quotient_above rho1 rho2 (G i j) (2 * (1 - rho2) * f) b tau Hr1 Gr Hr2 E0 Tau B) as K.
    apply Rle_trans with (2 := K). apply Rplus_le_compat_r.
    assert (V : v i j <= rho2 + 2 * (1 - rho2) * f + (G i j - rho2) * b) by lra.
    assert (V0 : 0 <= v i j).
    { assert (0 <= (G i j - rho1) * b) by (apply Rmult_le_pos; lra). lra. }
    unfold Rdiv. apply Rmult_le_compat; [auto|left; apply Rinv_0_lt_compat; lra|auto|apply Rinv_le_contravar; lra].
Qed.
End Kept.
