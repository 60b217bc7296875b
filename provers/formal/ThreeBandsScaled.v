(* The closed forms of three bands with nothing that grows: K = n^theta, beta = gamma ln n, t = ln n, and everything
   divided by n^e0, where e0 is the exponent of the dominating band, so that any n can be evaluated:
     m0 = n^-e0, m1 = n^(theta - gamma (1-r) - e0), m2 = n^(1 - gamma (1-rho) - e0),  h = 1/K, k = K/n, u = 1/n.
   Uses ThreeBandsForms.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Bounds Rows Bands ThreeBands ThreeBandsForms.
Open Scope R_scope.

Definition scaled_total (m0 m1 m2 h k : R) : R := m0 + m1 * (1 - h) + m2 * (1 - k).
Definition scaled_own (m0 m1 m2 h k s : R) : R := (m0 - m1 * h) / scaled_total m0 m1 m2 h k + s.
Definition scaled_cluster (m0 m1 m2 h k : R) : R := (m1 - k * m2) / scaled_total m0 m1 m2 h k.
Definition scaled_all (m0 m1 m2 h k : R) : R := m2 / scaled_total m0 m1 m2 h k.
Definition scaled_U (r h : R) : R := r + (1 - r) * h.
Definition scaled_W (r rho k u : R) : R := rho + (r - rho) * k + (1 - r) * u.
Definition scaled_norm2 (r rho m0 m1 m2 h k u s : R) : R :=
  three_norm2 (scaled_own m0 m1 m2 h k s) (scaled_cluster m0 m1 m2 h k) (scaled_all m0 m1 m2 h k) (scaled_U r h) (scaled_W r rho k u).
Definition scaled_inner_near (r rho m0 m1 m2 h k u s : R) : R :=
  1 - (1 - r) * scaled_own m0 m1 m2 h k s ^ 2 / scaled_norm2 r rho m0 m1 m2 h k u s.
Definition scaled_inner_far (r rho m0 m1 m2 h k u s : R) : R :=
  three_inner_far rho (scaled_own m0 m1 m2 h k s) (scaled_cluster m0 m1 m2 h k) (scaled_all m0 m1 m2 h k) (scaled_W r rho k u)
  / scaled_norm2 r rho m0 m1 m2 h k u s.

Section Scaled.
Variables (d n K : nat) (q r rho theta gamma alpha e0 : R) (x : tokens).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Hypotheses (Hn : (2 <= n)%nat) (Hq : 0 < q) (HK : INR K = Rpower (INR n) theta) (HT : three_bands d n K q r rho x).
Notation m0 := (exp (- e0 * t)).
Notation m1 := (exp ((theta - gamma * (1 - r) - e0) * t)).
Notation m2 := (exp ((1 - gamma * (1 - rho) - e0) * t)).
Notation h := (exp (- theta * t)).
Notation k := (exp ((theta - 1) * t)).
Notation u := (exp (- t)).
Notation T := (scaled_total m0 m1 m2 h k).
Notation s := (alpha * sqrt q).

Let H0 : (0 < n)%nat.
Proof. lia. Qed.

Lemma scaled_n : 2 <= INR n /\ INR n = exp t.
Proof. assert (2 <= INR n) by (apply (le_INR 2); auto). split; auto. rewrite exp_ln; lra. Qed.

Lemma scaled_K : INR K = exp (theta * t).
Proof. rewrite HK. reflexivity. Qed.

Lemma scaled_h : / INR K = h.
Proof. rewrite scaled_K, <- exp_Ropp. f_equal. ring. Qed.

Lemma scaled_u : / INR n = u.
Proof. destruct scaled_n as [_ E]. rewrite E at 1. rewrite <- exp_Ropp. reflexivity. Qed.

Lemma scaled_k : INR K / INR n = k.
Proof. unfold Rdiv. rewrite scaled_u, scaled_K, <- exp_plus. f_equal. ring. Qed.

Lemma scaled_sizes : 1 <= INR K <= INR n.
Proof.
  split; [apply (le_INR 1); pose proof (proj1 HT); lia|]. apply le_INR. destruct (proj1 (proj2 HT)) as [m Hm].
  destruct m; [lia|]. rewrite Hm. simpl. lia.
Qed.

(* n^-e0 times the weights over that of the token itself *)
Lemma scaled_parts : m0 * (INR K * exp (- beta * (1 - r))) = m1 /\ m0 * (INR n * exp (- beta * (1 - rho))) = m2.
Proof.
  destruct scaled_n as [_ E]. assert (EN : forall z, INR n * exp z = exp (t + z)) by (intros z; rewrite exp_plus, <- E; reflexivity).
  rewrite scaled_K, EN, <- !exp_plus. split; f_equal; ring.
Qed.

Lemma scaled_total_is : m0 * three_total n K r rho beta = T.
Proof.
  destruct scaled_parts as [E1 E2]. rewrite <- E1, <- E2, <- scaled_h, <- scaled_k. destruct scaled_n as [N2 _]. pose proof scaled_sizes.
  unfold three_total, scaled_total. field. lra.
Qed.

Lemma scaled_total_pos : 0 < T.
Proof.
  rewrite <- scaled_total_is. apply Rmult_lt_0_compat; [apply exp_pos|]. apply (three_total_pos d n K q r rho beta x H0 HT).
Qed.

Notation a := (three_self n K r rho beta).
Notation b := (three_near n K r rho beta).
Notation c := (three_far n K r rho beta).

Lemma scaled_total_inv : three_total n K r rho beta = T / m0.
Proof. rewrite <- scaled_total_is. pose proof (exp_pos (- e0 * t)). field. lra. Qed.

Lemma scaled_a : a = m0 / T.
Proof. unfold three_self. rewrite scaled_total_inv. pose proof (exp_pos (- e0 * t)). pose proof scaled_total_pos. field. lra. Qed.

Lemma scaled_b : b = m1 * h / T.
Proof.
  unfold three_near. rewrite scaled_total_inv. pose proof scaled_total_pos as TP. set (T0 := T) in *. clearbody T0.
  destruct scaled_parts as [E1 _]. rewrite <- E1, <- scaled_h. pose proof (exp_pos (- e0 * t)). pose proof scaled_sizes. field. repeat split; lra.
Qed.

Lemma scaled_c : c = m2 * u / T.
Proof.
  unfold three_far. rewrite scaled_total_inv. pose proof scaled_total_pos as TP. set (T0 := T) in *. clearbody T0.
  destruct scaled_parts as [_ E2]. rewrite <- E2, <- scaled_u. pose proof (exp_pos (- e0 * t)). pose proof scaled_sizes. field. repeat split; lra.
Qed.

Lemma scaled_P : a - b + s = scaled_own m0 m1 m2 h k s.
Proof. rewrite scaled_a, scaled_b. unfold scaled_own. pose proof scaled_total_pos. field. lra. Qed.

Lemma scaled_Q : INR K * (b - c) = scaled_cluster m0 m1 m2 h k.
Proof.
  rewrite scaled_b, scaled_c. unfold scaled_cluster. pose proof scaled_total_pos as TP. set (T0 := T) in *. clearbody T0.
  rewrite <- scaled_u, <- scaled_k, <- scaled_h. pose proof scaled_sizes. field. repeat split; lra.
Qed.

Lemma scaled_F : INR n * c = scaled_all m0 m1 m2 h k.
Proof.
  rewrite scaled_c. unfold scaled_all. pose proof scaled_total_pos as TP. set (T0 := T) in *. clearbody T0.
  rewrite <- scaled_u. pose proof scaled_sizes. field. repeat split; lra.
Qed.

Lemma scaled_cluster_mean : cluster_mean K r = scaled_U r h.
Proof. unfold cluster_mean, scaled_U. rewrite <- scaled_h. pose proof scaled_sizes. field. lra. Qed.

Lemma scaled_all_mean : all_mean n K r rho = scaled_W r rho k u.
Proof. unfold all_mean, scaled_W. rewrite <- scaled_k, <- scaled_u. pose proof scaled_sizes. field. lra. Qed.

Lemma scaled_norm2_is : three_norm2 (a - b + s) (INR K * (b - c)) (INR n * c) (cluster_mean K r) (all_mean n K r rho)
  = scaled_norm2 r rho m0 m1 m2 h k u s.
Proof. rewrite scaled_P, scaled_Q, scaled_F, scaled_cluster_mean, scaled_all_mean. reflexivity. Qed.

(* ---- Every quantity ---- *)

Theorem scaled_log_partition i : (i < n)%nat -> ln (partition d n beta x i) = (gamma + e0) * t + ln T.
Proof.
  intros Hi. rewrite (three_log_partition d n K q r rho beta x H0 Hq HT i Hi), scaled_total_inv. pose proof scaled_total_pos.
  unfold Rdiv. rewrite ln_mult, ln_Rinv, ln_exp; auto using exp_pos; [ring|apply Rinv_0_lt_compat, exp_pos].
Qed.

Theorem scaled_self_weight i : (i < n)%nat -> weight d n beta x i i = m0 / T.
Proof. intros Hi. rewrite (three_self_weight d n K q r rho beta x H0 Hq HT i Hi). apply scaled_a. Qed.

Theorem scaled_near_weight i j : (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> weight d n beta x i j = m1 * h / T.
Proof.
  intros Hi Hj Hij E. rewrite (three_near_weight d n K q r rho beta x H0 Hq HT i j); auto; [apply scaled_b|apply Nat.eqb_eq; auto].
Qed.

Theorem scaled_far_weight i j : (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> weight d n beta x i j = m2 * u / T.
Proof.
  intros Hi Hj E. rewrite (three_far_weight d n K q r rho beta x H0 Hq HT i j); auto; [apply scaled_c|apply Nat.eqb_neq; auto].
Qed.

Lemma scaled_near_share : (INR K - 1) * b = m1 * (1 - h) / T.
Proof.
  rewrite scaled_b. pose proof scaled_total_pos as TP. set (T0 := T) in *. clearbody T0. rewrite <- scaled_h. pose proof scaled_sizes.
  field. repeat split; lra.
Qed.

Lemma scaled_far_share : (INR n - INR K) * c = m2 * (1 - k) / T.
Proof.
  rewrite scaled_c. pose proof scaled_total_pos as TP. set (T0 := T) in *. clearbody T0. rewrite <- scaled_u, <- scaled_k.
  pose proof scaled_sizes. field. repeat split; lra.
Qed.

Theorem scaled_near_mass i : (i < n)%nat ->
  mass d n beta x i (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool) = m1 * (1 - h) / T.
Proof. intros Hi. rewrite (three_near_mass d n K q r rho beta x H0 Hq HT i Hi). apply scaled_near_share. Qed.

Theorem scaled_far_mass i : (i < n)%nat -> mass d n beta x i (fun j => negb (Nat.eqb (i / K) (j / K))) = m2 * (1 - k) / T.
Proof. intros Hi. rewrite (three_far_mass d n K q r rho beta x H0 Hq HT i Hi). apply scaled_far_share. Qed.

Theorem scaled_participation i : (i < n)%nat ->
  participation d n beta x i = T ^ 2 / (m0 ^ 2 + m1 ^ 2 * (h * (1 - h)) + m2 ^ 2 * (u * (1 - k))).
Proof.
  intros Hi. rewrite (three_participation d n K q r rho beta x H0 Hq HT i Hi). pose proof scaled_total_pos. pose proof scaled_sizes.
  pose proof (exp_pos (- e0 * t)) as M0. pose proof (exp_pos ((theta - gamma * (1 - r) - e0) * t)) as M1.
  pose proof (exp_pos ((1 - gamma * (1 - rho) - e0) * t)) as M2. pose proof (exp_pos (- t)) as U0. pose proof (exp_pos (- theta * t)) as H00.
  assert (kb : k <= 1). { rewrite <- scaled_k. apply (Rmult_le_reg_r (INR n)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (hb : h <= 1). { rewrite <- scaled_h. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  replace (a ^ 2 + (INR K - 1) * b ^ 2 + (INR n - INR K) * c ^ 2) with (a ^ 2 + ((INR K - 1) * b) * b + ((INR n - INR K) * c) * c) by ring.
  rewrite scaled_near_share, scaled_far_share, scaled_a, scaled_b, scaled_c.
  assert (0 < m0 ^ 2) by (apply pow_lt; auto).
  assert (0 <= m1 ^ 2 * (h * (1 - h))) by (apply Rmult_le_pos; [apply pow2_ge_0|apply Rmult_le_pos; lra]).
  assert (0 <= m2 ^ 2 * (u * (1 - k))) by (apply Rmult_le_pos; [apply pow2_ge_0|apply Rmult_le_pos; lra]).
  field. repeat split; lra.
Qed.

(* With n^e as a factor. *)
Theorem scaled_participation_times e i : (i < n)%nat ->
  participation d n beta x i = exp (e * t) * (T ^ 2 / (exp ((e - 2 * e0) * t)
    + exp ((e + 2 * (theta - gamma * (1 - r) - e0) - theta) * t) * (1 - h) + exp ((e + 2 * (1 - gamma * (1 - rho) - e0) - 1) * t) * (1 - k))).
Proof.
  intros Hi. rewrite (scaled_participation i Hi). set (T0 := T).
  assert (F0 : exp ((e - 2 * e0) * t) = exp (e * t) * m0 ^ 2) by (simpl; rewrite Rmult_1_r, <- !exp_plus; f_equal; ring).
  assert (F1 : exp ((e + 2 * (theta - gamma * (1 - r) - e0) - theta) * t) = exp (e * t) * (m1 ^ 2 * h)).
  { simpl. rewrite Rmult_1_r, <- !exp_plus. f_equal. ring. }
  assert (F2 : exp ((e + 2 * (1 - gamma * (1 - rho) - e0) - 1) * t) = exp (e * t) * (m2 ^ 2 * u)).
  { simpl. rewrite Rmult_1_r, <- !exp_plus. f_equal. ring. }
  rewrite F0, F1, F2. pose proof (exp_pos (e * t)) as P. pose proof (exp_pos (- e0 * t)) as M0. pose proof (exp_pos (- t)) as U0. pose proof (exp_pos (- theta * t)) as H00.
  destruct scaled_n as [N2 _]. pose proof scaled_sizes as S.
  assert (kb : k <= 1). { rewrite <- scaled_k. apply (Rmult_le_reg_r (INR n)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (hb : h <= 1). { rewrite <- scaled_h. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (0 < m0 ^ 2) by (apply pow_lt; auto).
  assert (0 <= m1 ^ 2 * (h * (1 - h))) by (apply Rmult_le_pos; [apply pow2_ge_0|apply Rmult_le_pos; lra]).
  assert (0 <= m2 ^ 2 * (u * (1 - k))) by (apply Rmult_le_pos; [apply pow2_ge_0|apply Rmult_le_pos; lra]).
  set (z := exp (e * t)) in *. clearbody z T0. set (y := m0 ^ 2 + m1 ^ 2 * (h * (1 - h)) + m2 ^ 2 * (u * (1 - k))).
  replace (z * m0 ^ 2 + z * (m1 ^ 2 * h) * (1 - h) + z * (m2 ^ 2 * u) * (1 - k)) with (z * y) by (unfold y; ring).
  assert (Y : 0 < y) by (unfold y; lra). clearbody y. field. split; lra.
Qed.

Theorem scaled_entropy i : (i < n)%nat ->
  entropy d n beta x i = e0 * t + ln T + gamma * t * ((1 - r) * (m1 * (1 - h) / T) + (1 - rho) * (m2 * (1 - k) / T)).
Proof.
  intros Hi. rewrite (three_entropy d n K q r rho beta x H0 Hq HT i Hi), scaled_near_share, scaled_far_share, scaled_total_inv.
  pose proof scaled_total_pos. unfold Rdiv at 1. rewrite ln_mult, ln_Rinv, ln_exp; auto using exp_pos; [ring|apply Rinv_0_lt_compat, exp_pos].
Qed.

Theorem scaled_output_norm2 i : (i < n)%nat -> output_norm2 d n beta alpha x i = scaled_norm2 r rho m0 m1 m2 h k u s.
Proof. intros Hi. rewrite (three_output_norm2 d n K q r rho beta alpha x H0 Hq HT i Hi). apply scaled_norm2_is. Qed.

Hypotheses (Hg : 0 <= gamma) (Ha : 0 <= alpha) (Hr : 0 < rho <= r) (Hr1 : r <= 1).

Lemma scaled_norm2_pos : 0 < scaled_norm2 r rho m0 m1 m2 h k u s.
Proof.
  rewrite <- scaled_norm2_is. apply (three_norm2_pos d n K q r rho beta alpha x H0 HT); auto. apply Rmult_le_pos; auto.
  destruct scaled_n as [N2 _]. rewrite <- ln_1. apply ln_le; lra.
Qed.

Theorem scaled_output_inner_near i j : (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat ->
  output_inner d n beta alpha x i j = scaled_inner_near r rho m0 m1 m2 h k u s.
Proof.
  intros Hi Hj Hij E. pose proof scaled_norm2_pos as Pos.
  rewrite (three_output_inner_near d n K q r rho beta alpha x H0 Hq HT i j); auto; [|apply Nat.eqb_eq; auto|rewrite scaled_norm2_is; auto].
  unfold three_inner_near. rewrite scaled_norm2_is, scaled_P. unfold scaled_inner_near. field. lra.
Qed.

Theorem scaled_output_inner_far i j : (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat ->
  output_inner d n beta alpha x i j = scaled_inner_far r rho m0 m1 m2 h k u s.
Proof.
  intros Hi Hj E. pose proof scaled_norm2_pos as Pos.
  rewrite (three_output_inner_far d n K q r rho beta alpha x H0 Hq HT i j); auto; [|apply Nat.eqb_neq; auto|rewrite scaled_norm2_is; auto].
  rewrite scaled_norm2_is, scaled_P, scaled_Q, scaled_F, scaled_all_mean. reflexivity.
Qed.

Theorem scaled_angle_ratio : r < 1 -> rho < 1 ->
  angle_ratio d n beta alpha x =
  (k - u) / (1 - u) * ((1 - scaled_inner_near r rho m0 m1 m2 h k u s) / (1 - r))
  + (1 - k) / (1 - u) * ((1 - scaled_inner_far r rho m0 m1 m2 h k u s) / (1 - rho)).
Proof.
  intros H1 H2. pose proof scaled_norm2_pos as Pos. destruct scaled_n as [N2 _]. pose proof scaled_sizes.
  rewrite (three_angle_ratio d n K q r rho beta alpha x H0 Hq HT); auto; [|rewrite scaled_norm2_is; auto].
  unfold three_inner_near. rewrite scaled_norm2_is, scaled_P, scaled_Q, scaled_F, scaled_all_mean. fold (scaled_inner_far r rho m0 m1 m2 h k u s).
  set (l1 := (1 - scaled_inner_near r rho m0 m1 m2 h k u s) / (1 - r)). set (l2 := (1 - scaled_inner_far r rho m0 m1 m2 h k u s) / (1 - rho)).
  replace ((1 - (scaled_norm2 r rho m0 m1 m2 h k u s - (1 - r) * scaled_own m0 m1 m2 h k s ^ 2) / scaled_norm2 r rho m0 m1 m2 h k u s) / (1 - r))
    with l1 by (unfold l1, scaled_inner_near; field; lra).
  rewrite <- scaled_k, <- scaled_u. clearbody l1 l2. field. lra.
Qed.
End Scaled.
