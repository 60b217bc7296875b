(* Rows of which only counts and bounds of the inner products are known: masses of sets of tokens, any number of sets,
   at any n and beta >= 0; the three phases of a row with near and far tokens (row_bands), with thresholds and rates.
   Uses Bounds.v, Powers.v, Limits.v and NearSimplexLimits.v (eventually_below). *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Coquelicot Require Import Coquelicot.
From Critscale Require Import Sums Layer Weights Powers Limits Bounds NearSimplexLimits.
Open Scope R_scope.

(* How many tokens a set has. *)
Definition count (n : nat) (B : nat -> bool) : R := sum_to n (fun j => if B j then 1 else 0).

Lemma count_nonneg n B : 0 <= count n B.
Proof. apply sum_nonneg; intros k _. destruct (B k); lra. Qed.

Section Sets.
Variables (d n : nat) (beta : R) (x : tokens) (i : nat).
Hypotheses (Hb : 0 <= beta) (Hi : (i < n)%nat).
Notation G := (gram d x i).
Notation A := (weight d n beta x i).
Notation mass := (mass d n beta x i).

Lemma mass_nonneg B : 0 <= mass B.
Proof. apply sum_nonneg; intros k _. destruct (B k); [apply weight_nonneg; auto|lra]. Qed.

Lemma mass_le_1 B : mass B <= 1.
Proof.
  rewrite <- (weights_sum d n beta x i Hi). apply sum_le; intros k _. pose proof (weight_nonneg d n beta x i k Hi).
  destruct (B k); lra.
Qed.

(* Two weights of the row. *)
Lemma weight_gap j k gap : gap <= G j - G k -> A k <= A j * exp (- beta * gap).
Proof.
  intros H. rewrite (weight_ratio d n beta x i k j); [|lia]. apply Rmult_le_compat_l; [apply weight_nonneg; auto|].
  apply exp_le. replace (beta * (G k - G j)) with (- (beta * (G j - G k))) by ring.
  replace (- beta * gap) with (- (beta * gap)) by ring. apply Ropp_le_contravar, Rmult_le_compat_l; auto.
Qed.

(* mass (C)/mass (B) <= (n_C/n_B) exp (-beta gap) if every token of B is closer than every token of C by at least gap. *)
Theorem mass_ratio B C gap :
  (forall j k, (j < n)%nat -> (k < n)%nat -> B j = true -> C k = true -> gap <= G j - G k) ->
  mass C * count n B <= mass B * count n C * exp (- beta * gap).
Proof.
  intros H. set (e := exp (- beta * gap)).
  replace (mass B * count n C * e) with (count n C * (e * mass B)) by ring. unfold Layer.mass, count.
  rewrite <- (sum_scal n e), !sum_product. apply sum_le; intros k Hk. apply sum_le; intros j Hj.
  destruct (C k) eqn:Ck, (B j) eqn:Bj; try lra. pose proof (weight_gap j k gap (H j k Hj Hk Bj Ck)). fold e in H0. lra.
Qed.

(* Masses of a set and of the others sum to 1. *)
Lemma mass_complement B : mass B + mass (fun j => negb (B j)) = 1.
Proof.
  rewrite <- (weights_sum d n beta x i Hi). unfold Layer.mass. rewrite <- sum_plus. apply sum_ext; intros k _.
  destruct (B k); simpl; ring.
Qed.

Lemma mass_singleton : mass (fun j => Nat.eqb j i) = A i.
Proof.
  unfold Layer.mass. rewrite <- (sum_delta n i A Hi). apply sum_ext; intros k _. unfold delta. destruct (Nat.eqb k i); ring.
Qed.

Lemma count_singleton : count n (fun j => Nat.eqb j i) = 1.
Proof.
  transitivity (sum_to n (fun k => 1 * delta k i)); [|apply (sum_delta n i (fun _ => 1) Hi)]. apply sum_ext; intros k _. unfold delta. destruct (Nat.eqb k i); ring.
Qed.

(* Ties: a token at inner product 1 has the weight of the token itself, and T of them share their mass equally. *)
Theorem tie_weight j : 0 < inner d (x i) (x i) -> G j = 1 -> A j = A i.
Proof.
  intros Hx H. rewrite (weight_ratio d n beta x i j i); [|lia]. rewrite H, gram_self; auto.
  rewrite Rminus_eq_0, Rmult_0_r, exp_0. ring.
Qed.

Theorem ties_share B : 0 < inner d (x i) (x i) -> (forall j, (j < n)%nat -> B j = true -> G j = 1) ->
  mass B = count n B * A i.
Proof.
  intros Hx H. unfold Layer.mass, count. rewrite <- sum_scal_r. apply sum_ext; intros j Hj.
  destruct (B j) eqn:E; [rewrite tie_weight; auto; ring|ring].
Qed.

(* T tokens tied with i (i among them), the others at most u: each of the T has 1/T of a mass that is nearly 1. *)
Theorem ties_mass B T u : 0 < inner d (x i) (x i) -> (forall j, (j < n)%nat -> B j = true -> G j = 1) ->
  (forall j, (j < n)%nat -> B j = false -> G j <= u) -> count n B = T -> 0 < T ->
  1 - mass B <= (INR n - T) / T * exp (- beta * (1 - u)) /\
  Rabs (A i - / T) <= (INR n - T) / T ^ 2 * exp (- beta * (1 - u)).
Proof.
  intros Hx H1 H2 HT T0. set (e := exp (- beta * (1 - u))).
  assert (M : 1 - mass B <= (INR n - T) / T * e).
  { assert (C : count n (fun j => negb (B j)) = INR n - T).
    { rewrite <- HT, <- (Rmult_1_r (INR n)), <- sum_const. unfold count. rewrite <- sum_minus. apply sum_ext; intros k _. destruct (B k); simpl; ring. }
    pose proof (mass_ratio B (fun j => negb (B j)) (1 - u)) as R0. rewrite HT, C in R0. fold e in R0.
    assert (R1 : mass (fun j => negb (B j)) * T <= mass B * (INR n - T) * e).
    { apply R0. intros j k Hj Hk Bj Bk. rewrite (H1 j Hj Bj). apply negb_true_iff in Bk. specialize (H2 k Hk Bk). lra. }
    pose proof (mass_complement B) as S. pose proof (mass_le_1 B) as M1. pose proof (mass_nonneg B) as M0.
    assert (N0 : 0 <= INR n - T) by (rewrite <- C; apply count_nonneg). assert (E0 : 0 < e) by apply exp_pos.
    replace (1 - mass B) with (mass (fun j => negb (B j))) by lra.
    apply (Rmult_le_reg_r T); auto. replace ((INR n - T) / T * e * T) with (1 * ((INR n - T) * e)) by (field; lra).
    apply Rle_trans with (mass B * ((INR n - T) * e)); [lra|]. apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|auto]. }
  split; auto. pose proof (ties_share B Hx H1) as S. rewrite HT in S. pose proof (mass_le_1 B) as M1.
  assert (E : A i = mass B / T) by (rewrite S; field; lra). rewrite E.
  replace (mass B / T - / T) with (- ((1 - mass B) / T)) by (field; lra). rewrite Rabs_Ropp, Rabs_pos_eq.
  - replace ((INR n - T) / T ^ 2 * e) with ((INR n - T) / T * e * / T) by (field; lra).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|auto].
  - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto].
Qed.
End Sets.

(* ---- A row with K - 1 near and n - K far tokens ---- *)
Section Row.
Variables (d n K i : nat) (beta l_near u_near l_far u_far : R) (near : nat -> bool) (x : tokens).
Hypotheses (Hb : 0 <= beta) (HK : (2 <= K)%nat) (HKn : (2 * K <= n)%nat).
Hypothesis HR : row_bands d n K i near l_near u_near l_far u_far x.
Notation G := (gram d x i).
Notation A := (weight d n beta x i).
Notation mass := (mass d n beta x i).
Definition self_set (j : nat) : bool := Nat.eqb j i.
Definition far_set (j : nat) : bool := (negb (near j) && negb (Nat.eqb j i))%bool.

Lemma row_member : (i < n)%nat.
Proof. exact (proj1 HR). Qed.

Lemma row_self : G i = 1.
Proof. destruct HR as [_ [_ [H _]]]. apply gram_self; auto. Qed.

Lemma masses_sum_to_1 : A i + mass near + mass far_set = 1.
Proof.
  pose proof row_member as Hi. destruct HR as [_ [Hn _]]. rewrite <- (mass_singleton d n beta x i Hi), <- (weights_sum d n beta x i Hi).
  unfold Layer.mass. rewrite <- !sum_plus. apply sum_ext; intros k _. unfold far_set.
  destruct (Nat.eqb_spec k i) as [->|]; [rewrite Hn; simpl; ring|destruct (near k); simpl; ring].
Qed.

Lemma near_count : count n near = INR K - 1.
Proof. destruct HR as [_ [_ [_ [H _]]]]. exact H. Qed.

Lemma far_count : count n far_set = INR n - INR K.
Proof.
  pose proof row_member as Hi. pose proof near_count as E. pose proof (count_singleton n i Hi) as S.
  assert (T : count n (fun j => Nat.eqb j i) + count n near + count n far_set = INR n).
  { rewrite <- (Rmult_1_r (INR n)), <- sum_const. unfold count. rewrite <- !sum_plus. destruct HR as [_ [Hn _]].
    apply sum_ext; intros k _. unfold far_set. destruct (Nat.eqb_spec k i) as [->|]; [rewrite Hn; simpl; ring|destruct (near k); simpl; ring]. }
  lra.
Qed.

Lemma near_bounds j : (j < n)%nat -> near j = true -> l_near <= G j <= u_near.
Proof.
  destruct HR as [_ [Hn [_ [_ [H _]]]]]. intros Hj E. apply H; auto. intros ->. rewrite Hn in E. discriminate.
Qed.

Lemma far_bounds j : (j < n)%nat -> far_set j = true -> l_far <= G j <= u_far.
Proof.
  destruct HR as [_ [_ [_ [_ [_ H]]]]]. unfold far_set. intros Hj E. apply andb_true_iff in E. destruct E as [E1 E2].
  apply H; auto; [|apply negb_true_iff; auto]. apply negb_true_iff, Nat.eqb_neq in E2. auto.
Qed.

Lemma self_set_eq j : Nat.eqb j i = true -> G j = 1.
Proof. intros E. apply Nat.eqb_eq in E. subst. apply row_self. Qed.

(* How the three masses compare, exactly. *)
Theorem near_over_self : mass near <= A i * (INR K - 1) * exp (- beta * (1 - u_near)).
Proof.
  pose proof (mass_ratio d n beta x i Hb row_member (fun j => Nat.eqb j i) near (1 - u_near)) as P.
  rewrite mass_singleton, count_singleton, near_count, Rmult_1_r in P; try apply row_member. apply P.
  intros j k Hj Hk Bj Ck. rewrite (self_set_eq j Bj). pose proof (near_bounds k Hk Ck). lra.
Qed.

Theorem self_over_near : A i * (INR K - 1) <= mass near * exp (- beta * (l_near - 1)).
Proof.
  pose proof (mass_ratio d n beta x i Hb row_member near (fun j => Nat.eqb j i) (l_near - 1)) as P.
  rewrite mass_singleton, count_singleton, near_count, Rmult_1_r in P; try apply row_member. apply P.
  intros j k Hj Hk Bj Ck. rewrite (self_set_eq k Ck). pose proof (near_bounds j Hj Bj). lra.
Qed.

Theorem far_over_self : mass far_set <= A i * (INR n - INR K) * exp (- beta * (1 - u_far)).
Proof.
  pose proof (mass_ratio d n beta x i Hb row_member (fun j => Nat.eqb j i) far_set (1 - u_far)) as P.
  rewrite mass_singleton, count_singleton, far_count, Rmult_1_r in P; try apply row_member. apply P.
  intros j k Hj Hk Bj Ck. rewrite (self_set_eq j Bj). pose proof (far_bounds k Hk Ck). lra.
Qed.

Theorem self_over_far : A i * (INR n - INR K) <= mass far_set * exp (- beta * (l_far - 1)).
Proof.
  pose proof (mass_ratio d n beta x i Hb row_member far_set (fun j => Nat.eqb j i) (l_far - 1)) as P.
  rewrite mass_singleton, count_singleton, far_count, Rmult_1_r in P; try apply row_member. apply P.
  intros j k Hj Hk Bj Ck. rewrite (self_set_eq k Ck). pose proof (far_bounds j Hj Bj). lra.
Qed.

Theorem far_over_near : mass far_set * (INR K - 1) <= mass near * (INR n - INR K) * exp (- beta * (l_near - u_far)).
Proof.
  rewrite <- near_count, <- far_count. apply mass_ratio; auto; [apply row_member|].
  intros j k Hj Hk Bj Ck. pose proof (near_bounds j Hj Bj). pose proof (far_bounds k Hk Ck). lra.
Qed.

Theorem near_over_far : mass near * (INR n - INR K) <= mass far_set * (INR K - 1) * exp (- beta * (l_far - u_near)).
Proof.
  rewrite <- near_count, <- far_count. apply mass_ratio; auto; [apply row_member|].
  intros j k Hj Hk Bj Ck. pose proof (far_bounds j Hj Bj). pose proof (near_bounds k Hk Ck). lra.
Qed.

Lemma sizes : 2 <= INR K /\ 2 * INR K <= INR n.
Proof.
  split; [apply (le_INR 2); auto|]. apply le_INR in HKn. rewrite mult_INR in HKn. exact HKn.
Qed.

Lemma share_le m s p q : 0 <= m <= 1 -> 0 < p -> 0 <= q -> s * p <= m * q -> s <= q / p.
Proof.
  intros Hm Hp Hq H. apply (Rmult_le_reg_r p); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|lra].
  apply Rle_trans with (1 := H). rewrite <- (Rmult_1_l q) at 2. apply Rmult_le_compat_r; lra.
Qed.

(* The three phases, each with what the other two masses are at most. *)
Theorem far_phase : 1 - mass far_set <= 2 * (INR K / INR n) * exp (beta * (u_near - l_far)) + 2 / INR n * exp (beta * (1 - l_far)).
Proof.
  pose proof masses_sum_to_1 as S. destruct sizes as [K2 N2]. pose proof row_member as Hi.
  pose proof (mass_nonneg d n beta x i Hi far_set) as M0. pose proof (mass_le_1 d n beta x i Hi far_set) as M1.
  pose proof near_over_far as P1. pose proof self_over_far as P2.
  replace (- beta * (l_far - u_near)) with (beta * (u_near - l_far)) in P1 by ring.
  replace (- beta * (l_far - 1)) with (beta * (1 - l_far)) in P2 by ring.
  pose proof (exp_pos (beta * (u_near - l_far))) as E1. pose proof (exp_pos (beta * (1 - l_far))) as E2.
  set (e1 := exp (beta * (u_near - l_far))) in *. set (e2 := exp (beta * (1 - l_far))) in *.
  assert (Q1 : mass near <= (INR K - 1) * e1 / (INR n - INR K)).
  { apply (share_le (mass far_set)); [lra|lra|apply Rmult_le_pos; lra|lra]. }
  assert (Q2 : A i <= e2 / (INR n - INR K)) by (apply (share_le (mass far_set)); lra).
  assert (I : / (INR n - INR K) <= 2 / INR n).
  { replace (2 / INR n) with (/ (INR n / 2)) by (field; lra). apply Rinv_le_contravar; lra. }
  assert (I0 : 0 < / (INR n - INR K)) by (apply Rinv_0_lt_compat; lra).
  assert (Q3 : (INR K - 1) * e1 / (INR n - INR K) <= INR K * e1 * (2 / INR n)).
  { unfold Rdiv at 1. apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_r; lra|auto]. }
  assert (Q4 : e2 / (INR n - INR K) <= e2 * (2 / INR n)) by (unfold Rdiv at 1; apply Rmult_le_compat_l; lra).
  replace (2 * (INR K / INR n) * e1) with (INR K * e1 * (2 / INR n)) by (field; lra). lra.
Qed.

Theorem near_phase : 1 - mass near <= 2 * (INR n / INR K) * exp (- beta * (l_near - u_far)) + 2 / INR K * exp (beta * (1 - l_near)).
Proof.
  pose proof masses_sum_to_1 as S. destruct sizes as [K2 N2]. pose proof row_member as Hi.
  pose proof (mass_nonneg d n beta x i Hi near) as M0. pose proof (mass_le_1 d n beta x i Hi near) as M1.
  pose proof far_over_near as P1. pose proof self_over_near as P2.
  replace (- beta * (l_near - 1)) with (beta * (1 - l_near)) in P2 by ring.
  pose proof (exp_pos (- beta * (l_near - u_far))) as E1. pose proof (exp_pos (beta * (1 - l_near))) as E2.
  set (e1 := exp (- beta * (l_near - u_far))) in *. set (e2 := exp (beta * (1 - l_near))) in *.
  assert (Q1 : mass far_set <= (INR n - INR K) * e1 / (INR K - 1)).
  { apply (share_le (mass near)); [lra|lra|apply Rmult_le_pos; lra|lra]. }
  assert (Q2 : A i <= e2 / (INR K - 1)) by (apply (share_le (mass near)); lra).
  assert (I : / (INR K - 1) <= 2 / INR K).
  { replace (2 / INR K) with (/ (INR K / 2)) by (field; lra). apply Rinv_le_contravar; lra. }
  assert (I0 : 0 < / (INR K - 1)) by (apply Rinv_0_lt_compat; lra).
  assert (Q3 : (INR n - INR K) * e1 / (INR K - 1) <= INR n * e1 * (2 / INR K)).
  { unfold Rdiv at 1. apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_r; lra|auto]. }
  assert (Q4 : e2 / (INR K - 1) <= e2 * (2 / INR K)) by (unfold Rdiv at 1; apply Rmult_le_compat_l; lra).
  replace (2 * (INR n / INR K) * e1) with (INR n * e1 * (2 / INR K)) by (field; lra). lra.
Qed.

Theorem self_phase : 1 - A i <= INR K * exp (- beta * (1 - u_near)) + INR n * exp (- beta * (1 - u_far)).
Proof.
  pose proof masses_sum_to_1 as S. destruct sizes as [K2 N2]. pose proof row_member as Hi.
  pose proof (weight_nonneg d n beta x i i Hi) as A0. assert (A1 : A i <= 1) by (apply weight_le_1; lia || auto).
  pose proof near_over_self as P1. pose proof far_over_self as P2.
  pose proof (exp_pos (- beta * (1 - u_near))) as E1. pose proof (exp_pos (- beta * (1 - u_far))) as E2.
  set (e1 := exp (- beta * (1 - u_near))) in *. set (e2 := exp (- beta * (1 - u_far))) in *.
  assert (Q1 : A i * (INR K - 1) * e1 <= INR K * e1).
  { apply Rmult_le_compat_r; [lra|]. rewrite <- (Rmult_1_l (INR K)). apply Rmult_le_compat; lra. }
  assert (Q2 : A i * (INR n - INR K) * e2 <= INR n * e2).
  { apply Rmult_le_compat_r; [lra|]. rewrite <- (Rmult_1_l (INR n)) at 2. apply Rmult_le_compat; lra. }
  lra.
Qed.
End Row.

(* ---- Rates: beta = gamma ln n, n^theta/C <= K <= C n^theta ---- *)
Section Phases.
Variables (theta C gamma l_near u_near l_far u_far : R).
Hypotheses (HC : 1 <= C) (Hg : 0 <= gamma).
Notation beta n := (gamma * ln (INR n)).
(* K of the order n^theta *)
Definition of_order (n K : nat) : Prop :=
  (2 <= K)%nat /\ (2 * K <= n)%nat /\ power n (- theta) / C <= INR K <= C * power n (- theta).
Notation row d n K i near x := (row_bands d n K i near l_near u_near l_far u_far x).

Lemma power_of_exp n k : exp (gamma * ln (INR n) * k) = power n (- (gamma * k)).
Proof. unfold power. f_equal. ring. Qed.

Lemma power_of_exp_opp n k : exp (- (gamma * ln (INR n)) * k) = power n (gamma * k).
Proof. unfold power. f_equal. ring. Qed.

Lemma of_order_parts n K : of_order n K ->
  (2 <= n)%nat /\ 0 < INR K <= C * power n (- theta) /\ / INR K <= C * power n theta.
Proof.
  intros [H1 [H2 [H3 H4]]]. assert (0 < INR K) by (apply lt_0_INR; lia). split; [lia|]. split; [lra|].
  pose proof (power_pos n theta) as P. rewrite power_opp in H3.
  replace (C * power n theta) with (/ (/ power n theta / C)) by (field; split; lra). apply Rinv_le_contravar; auto.
  apply Rdiv_lt_0_compat; [apply Rinv_0_lt_compat; auto|lra].
Qed.

Theorem row_far_rate d n K i near x : of_order n K -> row d n K i near x ->
  1 - mass d n (beta n) x i (far_set i near) <=
    2 * C * power n ((1 - theta) - gamma * (u_near - l_far)) + 2 * power n (1 - gamma * (1 - l_far)).
Proof.
  intros HO HR. destruct (of_order_parts n K HO) as [Hn [[K0 K1] _]]. destruct HO as [H2K [H2n _]].
  pose proof (log_pos n Hn) as L. assert (Hb : 0 <= beta n) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (1 := far_phase d n K i (beta n) l_near u_near l_far u_far near x Hb H2K H2n HR).
  rewrite !power_of_exp. pose proof (size_ge_2 n Hn) as HN.
  pose proof (power_pos n (- (gamma * (u_near - l_far)))) as E1.
  apply Rplus_le_compat.
  - replace ((1 - theta) - gamma * (u_near - l_far)) with (1 + - theta + - (gamma * (u_near - l_far))) by ring.
    rewrite !power_plus, power_1; auto. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
    unfold Rdiv. rewrite <- !Rmult_assoc. replace (2 * C * / INR n * power n (- theta)) with (2 * (C * power n (- theta)) * / INR n) by ring.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra].
  - right. replace (1 - gamma * (1 - l_far)) with (1 + - (gamma * (1 - l_far))) by ring. rewrite power_plus, power_1; auto. unfold Rdiv. ring.
Qed.

Theorem row_near_rate d n K i near x : of_order n K -> row d n K i near x ->
  1 - mass d n (beta n) x i near <=
    2 * C * power n (gamma * (l_near - u_far) - (1 - theta)) + 2 * C * power n (theta - gamma * (1 - l_near)).
Proof.
  intros HO HR. destruct (of_order_parts n K HO) as [Hn [[K0 K1] K2]]. destruct HO as [H2K [H2n _]].
  pose proof (log_pos n Hn) as L. assert (Hb : 0 <= beta n) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (1 := near_phase d n K i (beta n) l_near u_near l_far u_far near x Hb H2K H2n HR).
  rewrite power_of_exp, power_of_exp_opp. pose proof (size_ge_2 n Hn) as HN.
  pose proof (power_pos n (gamma * (l_near - u_far))) as E1. pose proof (power_pos n (- (gamma * (1 - l_near)))) as E2.
  apply Rplus_le_compat.
  - replace (gamma * (l_near - u_far) - (1 - theta)) with (- (1) + theta + gamma * (l_near - u_far)) by ring.
    rewrite !power_plus, power_opp, power_1, Rinv_inv; auto. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
    replace (2 * C * (INR n * power n theta)) with (2 * INR n * (C * power n theta)) by ring.
    unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_l; lra.
  - replace (theta - gamma * (1 - l_near)) with (theta + - (gamma * (1 - l_near))) by ring. rewrite power_plus.
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|]. unfold Rdiv. lra.
Qed.

Theorem row_self_rate d n K i near x : of_order n K -> row d n K i near x ->
  1 - weight d n (beta n) x i i <= C * power n (gamma * (1 - u_near) - theta) + power n (gamma * (1 - u_far) - 1).
Proof.
  intros HO HR. destruct (of_order_parts n K HO) as [Hn [[K0 K1] K2]]. destruct HO as [H2K [H2n _]].
  pose proof (log_pos n Hn) as L. assert (Hb : 0 <= beta n) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (1 := self_phase d n K i (beta n) l_near u_near l_far u_far near x Hb H2K H2n HR).
  rewrite !power_of_exp_opp. pose proof (power_pos n (gamma * (1 - u_near))) as E1.
  apply Rplus_le_compat.
  - replace (gamma * (1 - u_near) - theta) with (- theta + gamma * (1 - u_near)) by ring. rewrite power_plus.
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
  - right. replace (gamma * (1 - u_far) - 1) with (- (1) + gamma * (1 - u_far)) by ring. rewrite power_plus, power_opp, power_1, Rinv_inv; auto.
Qed.

Lemma two_powers a b k l eps : 0 < k -> 0 < l -> 0 < eps ->
  exists N, (2 <= N)%nat /\ forall n, (N <= n)%nat -> a * power n k + b * power n l <= eps.
Proof.
  intros Hk Hl He. apply eventually_below; auto. replace (Finite 0) with (Finite (a * 0 + b * 0)) by (f_equal; ring).
  apply is_lim_seq_plus'; (apply is_lim_seq_mult'; [apply is_lim_seq_const|apply lim_power; auto]).
Qed.

(* Phase by phase: one N serves all rows. *)
Theorem row_far_limit eps : gamma * (u_near - l_far) < 1 - theta -> gamma * (1 - l_far) < 1 -> 0 < eps ->
  exists N, forall d n K i near x, (N <= n)%nat -> of_order n K -> row d n K i near x ->
  1 - eps <= mass d n (beta n) x i (far_set i near) <= 1.
Proof.
  intros H1 H2 He. destruct (two_powers (2 * C) 2 ((1 - theta) - gamma * (u_near - l_far)) (1 - gamma * (1 - l_far)) eps) as [N [_ HN]]; try lra.
  exists N. intros d n K i near x Hn HO HR. pose proof (row_far_rate d n K i near x HO HR). specialize (HN n Hn).
  split; [lra|apply mass_le_1]. exact (proj1 HR).
Qed.

Theorem row_near_limit eps : 1 - theta < gamma * (l_near - u_far) -> gamma * (1 - l_near) < theta -> 0 < eps ->
  exists N, forall d n K i near x, (N <= n)%nat -> of_order n K -> row d n K i near x ->
  1 - eps <= mass d n (beta n) x i near <= 1.
Proof.
  intros H1 H2 He. destruct (two_powers (2 * C) (2 * C) (gamma * (l_near - u_far) - (1 - theta)) (theta - gamma * (1 - l_near)) eps) as [N [_ HN]]; try lra.
  exists N. intros d n K i near x Hn HO HR. pose proof (row_near_rate d n K i near x HO HR). specialize (HN n Hn).
  split; [lra|apply mass_le_1]. exact (proj1 HR).
Qed.

Theorem row_self_limit eps : theta < gamma * (1 - u_near) -> 1 < gamma * (1 - u_far) -> 0 < eps ->
  exists N, forall d n K i near x, (N <= n)%nat -> of_order n K -> row d n K i near x ->
  1 - eps <= weight d n (beta n) x i i <= 1.
Proof.
  intros H1 H2 He. destruct (two_powers C 1 (gamma * (1 - u_near) - theta) (gamma * (1 - u_far) - 1) eps) as [N [_ HN]]; try lra.
  exists N. intros d n K i near x Hn HO HR. pose proof (row_self_rate d n K i near x HO HR). specialize (HN n Hn).
  split; [lra|]. pose proof (proj1 HR). apply weight_le_1; auto; lia.
Qed.

(* The thresholds gamma_1 and gamma_2 of the near phase, and when there is a gamma between them. *)
Definition gamma_1 := (1 - theta) / (l_near - u_far).
Definition gamma_2 := theta / (1 - l_near).

Theorem near_phase_thresholds : u_far < l_near < 1 ->
  (gamma_1 < gamma < gamma_2 <-> 1 - theta < gamma * (l_near - u_far) /\ gamma * (1 - l_near) < theta).
Proof.
  intros H. unfold gamma_1, gamma_2. assert (P1 : 0 < l_near - u_far) by lra. assert (P2 : 0 < 1 - l_near) by lra.
  split; intros [H1 H2]; split.
  - apply (Rmult_lt_compat_r (l_near - u_far)) in H1; auto. unfold Rdiv in H1. rewrite Rmult_assoc, Rinv_l in H1; lra.
  - apply (Rmult_lt_compat_r (1 - l_near)) in H2; auto. unfold Rdiv in H2. rewrite Rmult_assoc, Rinv_l in H2; lra.
  - apply (Rmult_lt_reg_r (l_near - u_far)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - apply (Rmult_lt_reg_r (1 - l_near)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
End Phases.

Theorem near_phase_exists theta l_near u_far : u_far < l_near < 1 ->
  (gamma_1 theta l_near u_far < gamma_2 theta l_near <-> (1 - theta) * (1 - l_near) < theta * (l_near - u_far)).
Proof.
  intros H. unfold gamma_1, gamma_2. assert (P1 : 0 < l_near - u_far) by lra. assert (P2 : 0 < 1 - l_near) by lra.
  assert (E1 : (1 - theta) * (1 - l_near) = (1 - theta) / (l_near - u_far) * ((l_near - u_far) * (1 - l_near))) by (field; lra).
  assert (E2 : theta * (l_near - u_far) = theta / (1 - l_near) * ((l_near - u_far) * (1 - l_near))) by (field; lra).
  assert (P : 0 < (l_near - u_far) * (1 - l_near)) by (apply Rmult_lt_0_compat; auto).
  rewrite E1, E2. split; intros K; [apply Rmult_lt_compat_r; auto|apply Rmult_lt_reg_r in K; auto].
Qed.

(* Without an intermediate phase the two outer phases meet at 1/(1 - rho): no third threshold comes before. *)
Theorem no_near_phase theta r rho gamma : rho < r < 1 -> theta * (r - rho) <= (1 - theta) * (1 - r) ->
  (gamma * (1 - rho) < 1 -> gamma * (r - rho) < 1 - theta) /\ (1 < gamma * (1 - rho) -> theta < gamma * (1 - r)).
Proof.
  intros H K. split; intros L.
  - apply (Rmult_lt_reg_r (1 - rho)); [lra|]. assert (gamma * (1 - rho) * (r - rho) < 1 * (r - rho)) by (apply Rmult_lt_compat_r; lra). lra.
  - apply (Rmult_lt_reg_r (1 - rho)); [lra|]. assert (1 * (1 - r) < gamma * (1 - rho) * (1 - r)) by (apply Rmult_lt_compat_r; lra). lra.
Qed.
