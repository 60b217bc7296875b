(* Three bands {1, r, rho} at finite n: every quantity of the layer in closed form, for any beta and any residual.
     a = A_ii, b = A_ij within a cluster, c = A_ij between clusters,  s = alpha sqrt q,
     P = a - b + s, Q = K (b - c), F = n c: the token itself, its cluster's mean and the mean of all tokens make x'_i;
     U = <y_i, mean of its cluster>, W = <y_i, mean of all tokens>.   Uses ThreeBands.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Bounds Rows Bands ThreeBands.
Open Scope R_scope.

(* ---- Closed forms ---- *)

Section Forms.
Variables (n K : nat) (r rho beta : R).
Definition three_total : R := 1 + (INR K - 1) * exp (- beta * (1 - r)) + (INR n - INR K) * exp (- beta * (1 - rho)).
Definition three_self : R := / three_total.
Definition three_near : R := exp (- beta * (1 - r)) / three_total.
Definition three_far : R := exp (- beta * (1 - rho)) / three_total.
Definition cluster_mean : R := (1 + (INR K - 1) * r) / INR K.
Definition all_mean : R := (1 + (INR K - 1) * r + (INR n - INR K) * rho) / INR n.
End Forms.

Definition three_norm2 (P Q F U W : R) : R := P ^ 2 + Q * (2 * P + Q) * U + F * (2 * (P + Q) + F) * W.
Definition three_inner_near (r P Q F U W : R) : R := three_norm2 P Q F U W - (1 - r) * P ^ 2.
Definition three_inner_far (rho P Q F W : R) : R := rho * P ^ 2 + Q * (2 * P + Q) * rho + F * (2 * (P + Q) + F) * W.

Section ThreeForms.
Variables (d n K : nat) (q r rho beta alpha : R) (x : tokens).
Hypotheses (Hn : (0 < n)%nat) (Hq : 0 < q) (HT : three_bands d n K q r rho x).
Notation A := (weight d n beta x).
Notation G := (gram d x).
Notation X := (output d n beta alpha x).
Notation a := (three_self n K r rho beta).
Notation b := (three_near n K r rho beta).
Notation c := (three_far n K r rho beta).
Notation s := (alpha * sqrt q).
Notation P := (a - b + s).
Notation Q := (INR K * (b - c)).
Notation F := (INR n * c).
Notation U := (cluster_mean K r).
Notation W := (all_mean n K r rho).
Notation same i j := (Nat.eqb (i / K) (j / K)).

Let HB := three_bands_nested d n K q r rho x Hn HT.
Let HN := bands_nested d n 2 q _ _ x HB.

Lemma three_K_pos : 0 < INR K.
Proof. apply lt_0_INR. exact (proj1 HT). Qed.

Lemma three_n_pos : 0 < INR n.
Proof. apply lt_0_INR. auto. Qed.

Lemma three_norm2_token i : (i < n)%nat -> inner d (x i) (x i) = q.
Proof. exact (proj1 (proj2 (proj2 HT)) i). Qed.

Lemma three_nonzero i : (i < n)%nat -> 0 < inner d (x i) (x i).
Proof. intros. rewrite three_norm2_token; auto. Qed.

Lemma three_gram_self i : (i < n)%nat -> G i i = 1.
Proof. intros. apply gram_self, three_nonzero; auto. Qed.

Lemma three_gram_near i j : (i < n)%nat -> (j < n)%nat -> i <> j -> same i j = true -> G i j = r.
Proof. intros Hi Hj Hij E. rewrite (proj2 (proj2 (proj2 HT)) i j Hi Hj Hij), E. reflexivity. Qed.

Lemma three_gram_far i j : (i < n)%nat -> (j < n)%nat -> same i j = false -> G i j = rho.
Proof.
  intros Hi Hj E. assert (Hij : i <> j) by (intros ->; rewrite Nat.eqb_refl in E; discriminate).
  rewrite (proj2 (proj2 (proj2 HT)) i j Hi Hj Hij), E. reflexivity.
Qed.

(* Sums of what is constant on the three bands of a token. *)
Theorem three_sum i f z1 z2 z3 : (i < n)%nat -> f i = z1 ->
  (forall j, (j < n)%nat -> i <> j -> same i j = true -> f j = z2) ->
  (forall j, (j < n)%nat -> same i j = false -> f j = z3) ->
  sum_to n f = z1 + (INR K - 1) * z2 + (INR n - INR K) * z3.
Proof.
  intros Hi E1 E2 E3. rewrite (sum_by_bands 2 n _ HN i f Hi).
  assert (S : forall l v, (l <= 2)%nat -> (forall j, (j < n)%nat -> band (three_sizes n K) l i j = true -> f j = v) ->
    sum_to n (fun j => indicator (band (three_sizes n K) l i j) * f j) = band_count (three_sizes n K) l * v).
  { intros l v Hl E. rewrite <- (band_has 2 n _ HN l i Hl Hi), count_indicator, <- sum_scal_r. apply sum_ext; intros j Hj.
    destruct (band (three_sizes n K) l i j) eqn:B; simpl; [rewrite (E j Hj B)|]; ring. }
  change (sum_to 3 (fun l => sum_to n (fun j => indicator (band (three_sizes n K) l i j) * f j)))
    with (0 + sum_to n (fun j => indicator (band (three_sizes n K) 0 i j) * f j)
          + sum_to n (fun j => indicator (band (three_sizes n K) 1 i j) * f j)
          + sum_to n (fun j => indicator (band (three_sizes n K) 2 i j) * f j)).
  rewrite (S O z1), (S 1%nat z2), (S 2%nat z3); try lia.
  - simpl. ring.
  - intros j Hj B. unfold band in B. apply andb_true_iff in B. destruct B as [_ B]. apply negb_true_iff in B. apply E3; auto.
  - intros j Hj B. unfold band in B. apply andb_true_iff in B. destruct B as [B1 B2]. rewrite (together_0 2 n _ HN) in B2.
    apply E2; auto. intros ->. rewrite Nat.eqb_refl in B2. discriminate.
  - intros j Hj B. unfold band in B. apply Nat.eqb_eq in B. subst. auto.
Qed.

(* Sums over the cluster of a token. *)
Corollary cluster_sum i f z1 z2 : (i < n)%nat -> f i = z1 ->
  (forall j, (j < n)%nat -> i <> j -> same i j = true -> f j = z2) ->
  sum_to n (fun j => if same i j then f j else 0) = z1 + (INR K - 1) * z2.
Proof.
  intros Hi E1 E2. rewrite (three_sum i _ z1 z2 0); auto; [ring| | |].
  - rewrite Nat.eqb_refl. auto.
  - intros j Hj Hij E. rewrite E. auto.
  - intros j Hj E. rewrite E. auto.
Qed.

(* ---- Weights ---- *)

Lemma three_total_pos : 0 < three_total n K r rho beta.
Proof.
  pose proof three_K_pos. pose proof (exp_pos (- beta * (1 - r))). pose proof (exp_pos (- beta * (1 - rho))).
  assert (K1 : 1 <= INR K) by (apply (le_INR 1); pose proof (proj1 HT); lia).
  assert (K2 : INR K <= INR n).
  { apply le_INR. destruct (proj1 (proj2 HT)) as [m Hm]. destruct m; [lia|]. rewrite Hm. simpl. lia. }
  assert (0 <= (INR K - 1) * exp (- beta * (1 - r))) by (apply Rmult_le_pos; lra).
  assert (0 <= (INR n - INR K) * exp (- beta * (1 - rho))) by (apply Rmult_le_pos; lra).
  unfold three_total. lra.
Qed.

Theorem three_partition i : (i < n)%nat -> partition d n beta x i = exp beta * three_total n K r rho beta.
Proof.
  intros Hi. unfold partition. rewrite (three_sum i _ (exp beta) (exp (beta * r)) (exp (beta * rho))); auto.
  - unfold three_total. replace (beta * r) with (beta + - beta * (1 - r)) by ring.
    replace (beta * rho) with (beta + - beta * (1 - rho)) by ring. rewrite !exp_plus. ring.
  - rewrite three_gram_self, Rmult_1_r; auto.
  - intros j Hj Hij E. rewrite three_gram_near; auto.
  - intros j Hj E. rewrite three_gram_far; auto.
Qed.

Theorem three_log_partition i : (i < n)%nat -> ln (partition d n beta x i) = beta + ln (three_total n K r rho beta).
Proof. intros Hi. rewrite three_partition, ln_mult, ln_exp; auto; [apply exp_pos|apply three_total_pos]. Qed.

Lemma three_weight_of g i j : (i < n)%nat -> G i j = g -> A i j = exp (- beta * (1 - g)) / three_total n K r rho beta.
Proof.
  intros Hi E. unfold weight. rewrite E, three_partition; auto. pose proof three_total_pos. pose proof (exp_pos beta).
  replace (beta * g) with (beta + - beta * (1 - g)) by ring. rewrite exp_plus. field. lra.
Qed.

Theorem three_self_weight i : (i < n)%nat -> A i i = a.
Proof.
  intros Hi. rewrite (three_weight_of 1 i i Hi (three_gram_self i Hi)). replace (- beta * (1 - 1)) with 0 by ring.
  rewrite exp_0. unfold three_self, Rdiv. ring.
Qed.

Theorem three_near_weight i j : (i < n)%nat -> (j < n)%nat -> i <> j -> same i j = true -> A i j = b.
Proof. intros Hi Hj Hij E. apply three_weight_of; auto. apply three_gram_near; auto. Qed.

Theorem three_far_weight i j : (i < n)%nat -> (j < n)%nat -> same i j = false -> A i j = c.
Proof. intros Hi Hj E. apply three_weight_of; auto. apply three_gram_far; auto. Qed.

Theorem three_near_mass i : (i < n)%nat -> mass d n beta x i (fun j => (same i j && negb (Nat.eqb i j))%bool) = (INR K - 1) * b.
Proof.
  intros Hi. unfold mass. rewrite (three_sum i _ 0 b 0); auto; [ring| | |].
  - rewrite (Nat.eqb_refl i), andb_false_r. auto.
  - intros j Hj Hij E. rewrite E. destruct (Nat.eqb_spec i j); [contradiction|]. apply three_near_weight; auto.
  - intros j Hj E. rewrite E. auto.
Qed.

Theorem three_far_mass i : (i < n)%nat -> mass d n beta x i (fun j => negb (same i j)) = (INR n - INR K) * c.
Proof.
  intros Hi. unfold mass. rewrite (three_sum i _ 0 0 c); auto; [ring| | |].
  - rewrite Nat.eqb_refl. auto.
  - intros j Hj Hij E. rewrite E. auto.
  - intros j Hj E. rewrite E. apply three_far_weight; auto.
Qed.

Theorem three_masses_sum : a + (INR K - 1) * b + (INR n - INR K) * c = 1.
Proof.
  pose proof three_total_pos. unfold three_self, three_near, three_far. apply Rmult_eq_reg_r with (three_total n K r rho beta); [|lra].
  field_simplify; [|lra]. unfold three_total. ring.
Qed.

Theorem three_participation i : (i < n)%nat ->
  participation d n beta x i = / (a ^ 2 + (INR K - 1) * b ^ 2 + (INR n - INR K) * c ^ 2).
Proof.
  intros Hi. unfold participation. rewrite (three_sum i _ (a ^ 2) (b ^ 2) (c ^ 2)); auto.
  - rewrite three_self_weight; auto.
  - intros. rewrite three_near_weight; auto.
  - intros. rewrite three_far_weight; auto.
Qed.

(* ln Z less the mean score *)
Theorem three_entropy i : (i < n)%nat ->
  entropy d n beta x i = ln (three_total n K r rho beta)
    + beta * ((1 - r) * ((INR K - 1) * b) + (1 - rho) * ((INR n - INR K) * c)).
Proof.
  intros Hi. pose proof three_total_pos as Z. unfold entropy. rewrite (three_sum i _ (a * ln a) (b * ln b) (c * ln c)); auto.
  - assert (L : forall e, ln (exp e / three_total n K r rho beta) = e - ln (three_total n K r rho beta)).
    { intros e. unfold Rdiv. rewrite ln_mult; [|apply exp_pos|apply Rinv_0_lt_compat; auto]. rewrite ln_exp, ln_Rinv; auto. }
    unfold three_near at 2, three_far at 2. rewrite !L. unfold three_self at 2. rewrite ln_Rinv; auto.
    pose proof three_masses_sum as S.
    replace (ln (three_total n K r rho beta)) with ((a + (INR K - 1) * b + (INR n - INR K) * c) * ln (three_total n K r rho beta)) at 4
      by (rewrite S; ring). ring.
  - rewrite three_self_weight; auto.
  - intros. rewrite three_near_weight; auto.
  - intros. rewrite three_far_weight; auto.
Qed.

(* ---- Outputs ---- *)

Lemma three_residual i : (i < n)%nat -> residual d x alpha i = s.
Proof. intros Hi. unfold residual, norm. rewrite three_norm2_token; auto. Qed.

Lemma three_coefficient j l : (j < n)%nat -> (l < n)%nat ->
  coefficient d n beta x alpha j l = P * delta l j + (if same j l then b - c else 0) + c.
Proof.
  intros Hj Hl. unfold coefficient. rewrite three_residual; auto. destruct (Nat.eq_dec l j) as [->|E].
  - rewrite delta_same, Nat.eqb_refl, three_self_weight; auto. ring.
  - rewrite delta_other; auto. destruct (same j l) eqn:B; [rewrite three_near_weight|rewrite three_far_weight]; auto; ring.
Qed.

(* sums of G over a cluster and over all tokens *)
Lemma three_gram_cluster j k : (j < n)%nat -> (k < n)%nat ->
  sum_to n (fun l => if same j l then G k l else 0) = if same j k then INR K * U else INR K * rho.
Proof.
  intros Hj Hk. pose proof three_K_pos. destruct (same j k) eqn:E.
  - replace (INR K * U) with (1 + (INR K - 1) * r) by (unfold cluster_mean; field; lra).
    rewrite (sum_ext n _ (fun l => if same k l then G k l else 0)) by (intros l _; apply Nat.eqb_eq in E; rewrite E; reflexivity).
    apply cluster_sum; auto; [apply three_gram_self; auto|]. intros. apply three_gram_near; auto.
  - assert (D : forall l, same j l = true -> same k l = false).
    { intros l L. apply Nat.eqb_eq in L. rewrite <- L, Nat.eqb_sym. auto. }
    rewrite (cluster_sum j (fun l => G k l) rho rho); auto; [ring| |].
    + apply three_gram_far; auto. rewrite Nat.eqb_sym. auto.
    + intros l Hl _ L. apply three_gram_far; auto.
Qed.

Lemma three_gram_all k : (k < n)%nat -> sum_to n (fun l => G k l) = INR n * W.
Proof.
  intros Hk. pose proof three_n_pos. rewrite (three_sum k _ 1 r rho); auto; [unfold all_mean; field; lra|apply three_gram_self; auto| |].
  - intros. apply three_gram_near; auto.
  - intros. apply three_gram_far; auto.
Qed.

(* <y_k, x'_j> *)
Definition seen (g : R) (near : bool) : R := P * g + Q * (if near then U else rho) + F * W.

Lemma three_seen j k : (j < n)%nat -> (k < n)%nat ->
  sum_to n (fun l => coefficient d n beta x alpha j l * G k l) = seen (G k j) (same j k).
Proof.
  intros Hj Hk. rewrite (sum_ext n _ (fun l => P * (G k l * delta l j) + (b - c) * (if same j l then G k l else 0) + c * G k l)).
  - rewrite !sum_plus, !sum_scal, (sum_delta n j (G k)), three_gram_cluster, three_gram_all; auto.
    unfold seen. destruct (same j k); ring.
  - intros l Hl. rewrite three_coefficient; auto. destruct (same j l); ring.
Qed.

Lemma three_output_gram i j : (i < n)%nat -> (j < n)%nat ->
  inner d (X i) (X j) = P * seen (G i j) (same j i)
    + (if same i j then Q * (P * U + Q * U + F * W) else Q * (P * rho + Q * rho + F * W)) + F * W * (P + Q + F).
Proof.
  intros Hi Hj. pose proof three_K_pos as HK. pose proof three_n_pos as Hn'.
  rewrite output_gram; auto using three_nonzero.
  rewrite (sum_ext n _ (fun k => P * (seen (G k j) (same j k) * delta k i)
      + (b - c) * (if same i k then seen (G k j) (same j k) else 0) + c * seen (G k j) (same j k))).
  - rewrite !sum_plus, !sum_scal, (sum_delta n i (fun k => seen (G k j) (same j k))); auto.
    assert (S1 : sum_to n (fun k => if same i k then seen (G k j) (same j k) else 0)
      = if same i j then INR K * (P * U + Q * U + F * W) else INR K * (P * rho + Q * rho + F * W)).
    { rewrite (sum_ext n _ (fun k => (P * (if same i k then G j k else 0) + (if same i k then Q * (if same i j then U else rho) + F * W else 0)))).
      - rewrite sum_plus, sum_scal, three_gram_cluster; auto.
        rewrite (cluster_sum i (fun _ => Q * (if same i j then U else rho) + F * W) (Q * (if same i j then U else rho) + F * W)
          (Q * (if same i j then U else rho) + F * W)); auto. destruct (same i j); ring.
      - intros k Hk. destruct (same i k) eqn:E; [|ring]. apply Nat.eqb_eq in E. unfold seen.
        rewrite (gram_sym d x j k), E, (Nat.eqb_sym (j / K)). ring. }
    assert (S2 : sum_to n (fun k => seen (G k j) (same j k)) = INR n * W * (P + Q + F)).
    { rewrite (three_sum j _ (seen 1 true) (seen r true) (seen rho false)); auto.
      - unfold seen, cluster_mean, all_mean. field. lra.
      - rewrite three_gram_self, Nat.eqb_refl; auto.
      - intros k Hk Hjk E. rewrite E, gram_sym, three_gram_near; auto.
      - intros k Hk E. rewrite E, gram_sym, three_gram_far; auto. }
    rewrite S1, S2. destruct (same i j); ring.
  - intros k Hk. rewrite three_seen, three_coefficient; auto. destruct (same i k); ring.
Qed.

Theorem three_output_norm2 i : (i < n)%nat -> output_norm2 d n beta alpha x i = three_norm2 P Q F U W.
Proof.
  intros Hi. unfold output_norm2. rewrite three_output_gram, three_gram_self, Nat.eqb_refl; auto.
  unfold seen, three_norm2. ring.
Qed.

Theorem three_output_inner_near i j : (i < n)%nat -> (j < n)%nat -> i <> j -> same i j = true -> 0 < three_norm2 P Q F U W ->
  output_inner d n beta alpha x i j = three_inner_near r P Q F U W / three_norm2 P Q F U W.
Proof.
  intros Hi Hj Hij E Pos. rewrite output_inner_quotient, three_output_gram, three_gram_near, (Nat.eqb_sym (j / K)), E; auto.
  unfold norm. pose proof (three_output_norm2 i Hi) as E1. pose proof (three_output_norm2 j Hj) as E2. unfold output_norm2 in E1, E2.
  rewrite E1, E2, sqrt_def; [|lra]. f_equal. unfold seen, three_inner_near, three_norm2. ring.
Qed.

Theorem three_output_inner_far i j : (i < n)%nat -> (j < n)%nat -> same i j = false -> 0 < three_norm2 P Q F U W ->
  output_inner d n beta alpha x i j = three_inner_far rho P Q F W / three_norm2 P Q F U W.
Proof.
  intros Hi Hj E Pos. rewrite output_inner_quotient, three_output_gram, three_gram_far, (Nat.eqb_sym (j / K)), E; auto.
  unfold norm. pose proof (three_output_norm2 i Hi) as E1. pose proof (three_output_norm2 j Hj) as E2. unfold output_norm2 in E1, E2.
  rewrite E1, E2, sqrt_def; [|lra]. f_equal. unfold seen, three_inner_far, three_norm2. ring.
Qed.

(* The mean of (1 - <y'_i,y'_j>)/(1 - <y_i,y_j>): K-1 pairs within, n-K between. *)
Theorem three_angle_ratio : (2 <= n)%nat -> r < 1 -> rho < 1 -> 0 < three_norm2 P Q F U W ->
  angle_ratio d n beta alpha x =
  ((INR K - 1) * ((1 - three_inner_near r P Q F U W / three_norm2 P Q F U W) / (1 - r))
   + (INR n - INR K) * ((1 - three_inner_far rho P Q F W / three_norm2 P Q F U W) / (1 - rho))) / (INR n - 1).
Proof.
  intros H2 Hr Hrho Pos. pose proof three_n_pos. assert (2 <= INR n) by (apply (le_INR 2); auto). unfold angle_ratio.
  set (l1 := (1 - three_inner_near r P Q F U W / three_norm2 P Q F U W) / (1 - r)).
  set (l2 := (1 - three_inner_far rho P Q F W / three_norm2 P Q F U W) / (1 - rho)).
  rewrite (sum_ext n _ (fun _ => (INR K - 1) * l1 + (INR n - INR K) * l2)), (sum_ext n (fun i => sum_to n _) (fun _ => INR n - 1)).
  - rewrite !sum_const. field. lra.
  - intros i Hi. rewrite (three_sum i _ 0 1 1); auto; [ring| | |].
    + rewrite three_gram_self; auto. destruct (Req_EM_T 1 1); [auto|lra].
    + intros. rewrite three_gram_near; auto. destruct (Req_EM_T r 1); [lra|auto].
    + intros. rewrite three_gram_far; auto. destruct (Req_EM_T rho 1); [lra|auto].
  - intros i Hi. rewrite (three_sum i _ 0 l1 l2); auto; [ring| | |].
    + rewrite three_gram_self; auto. destruct (Req_EM_T 1 1); [auto|lra].
    + intros. rewrite three_gram_near, three_output_inner_near; auto. destruct (Req_EM_T r 1); [lra|auto].
    + intros. rewrite three_gram_far, three_output_inner_far; auto. destruct (Req_EM_T rho 1); [lra|auto].
Qed.

(* x'_i is not zero where no weight is negative and rho > 0. *)
Lemma three_norm2_pos : 0 <= beta -> 0 <= alpha -> 0 < rho <= r -> r <= 1 -> 0 < three_norm2 P Q F U W.
Proof.
  intros Hb Ha H1 H2. pose proof three_K_pos. pose proof three_n_pos. pose proof three_total_pos as Z.
  assert (HK1 : 1 <= INR K) by (apply (le_INR 1); pose proof (proj1 HT); lia).
  assert (HKn : INR K <= INR n).
  { apply le_INR. destruct (proj1 (proj2 HT)) as [m Hm]. destruct m; [lia|]. rewrite Hm. simpl. lia. }
  assert (I : 0 < / three_total n K r rho beta) by (apply Rinv_0_lt_compat; auto).
  assert (cp : 0 < c) by (apply Rmult_lt_0_compat; [apply exp_pos|auto]).
  assert (B1 : 0 <= beta * (1 - r)) by (apply Rmult_le_pos; lra).
  pose proof (exp_le (- beta * (1 - r)) 0 ltac:(lra)) as E1. rewrite exp_0 in E1.
  assert (E2 : exp (- beta * (1 - rho)) <= exp (- beta * (1 - r))) by (apply exp_le; assert (0 <= beta * (r - rho)) by (apply Rmult_le_pos; lra); lra).
  assert (ab : 0 <= a - b).
  { unfold three_self, three_near, Rdiv. replace (/ three_total n K r rho beta - exp (- beta * (1 - r)) * / three_total n K r rho beta)
      with ((1 - exp (- beta * (1 - r))) * / three_total n K r rho beta) by ring. apply Rmult_le_pos; lra. }
  assert (bc : 0 <= b - c).
  { unfold three_near, three_far, Rdiv. rewrite <- Rmult_minus_distr_r. apply Rmult_le_pos; lra. }
  assert (S : 0 <= s) by (apply Rmult_le_pos; auto; apply sqrt_pos).
  assert (U0 : 0 <= U).
  { unfold cluster_mean. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; auto]. assert (0 <= (INR K - 1) * r) by (apply Rmult_le_pos; lra). lra. }
  assert (W0 : 0 < W).
  { unfold all_mean. apply Rdiv_lt_0_compat; auto. assert (0 <= (INR K - 1) * r) by (apply Rmult_le_pos; lra).
    assert (0 <= (INR n - INR K) * rho) by (apply Rmult_le_pos; lra). lra. }
  assert (F0 : 0 < F) by (apply Rmult_lt_0_compat; auto). assert (Q0 : 0 <= Q) by (apply Rmult_le_pos; lra).
  unfold three_norm2. pose proof (pow2_ge_0 P).
  assert (0 <= Q * (2 * P + Q) * U) by (apply Rmult_le_pos; auto; apply Rmult_le_pos; lra).
  assert (0 < F * (2 * (P + Q) + F) * W) by (apply Rmult_lt_0_compat; auto; apply Rmult_lt_0_compat; lra). lra.
Qed.
End ThreeForms.
