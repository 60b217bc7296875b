(* The two phase boundaries of three bands at finite n, K = n^theta: where two bands have equal mass exactly, how far that is
   from the threshold, and the mass left of it, at it and right of it.
     far-near: near and far band have equal mass at gamma*(n) = (ln (n-K) - ln (K-1))/((r-rho) ln n), threshold (1-theta)/(r-rho)
     near-self: near band and token itself at gamma*(n) = ln (K-1)/((1-r) ln n), threshold theta/(1-r)
   Uses BandCertificates.v, ThreeBandsScaled.v, Boundary.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Bounds Rows Bands ThreeBands ClassCertificates RowCertificates BandCertificates Boundary
  ThreeBandsForms ThreeBandsScaled.
Open Scope R_scope.

Definition far_near_transition (n K : nat) (r rho : R) : R := (ln (INR n - INR K) - ln (INR K - 1)) / ((r - rho) * ln (INR n)).
Definition near_self_transition (n K : nat) (r : R) : R := ln (INR K - 1) / ((1 - r) * ln (INR n)).

(* -ln (1-v) is convex: at most v/V0 times its value at V0 *)
Lemma log_loss_convex v V0 : 0 <= v <= V0 -> 0 < V0 < 1 -> - ln (1 - v) <= v / V0 * - ln (1 - V0).
Proof.
  intros Hv H0. set (c := v / V0). set (l := ln (1 - V0)).
  assert (Hc : 0 <= c <= 1).
  { unfold c. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r V0); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (El : exp l = 1 - V0) by (unfold l; apply exp_ln; lra). pose proof (exp_pos (c * l)) as P.
  assert (B : forall z, 1 + z <= exp z).
  { intros z. pose proof (below_exp (1 + z)) as E. replace (1 + z - 1) with z in E by ring. exact E. }
  pose proof (B (l - c * l)) as B1. pose proof (B (- (c * l))) as B2.
  assert (F1 : exp (c * l) * (1 + (l - c * l)) <= exp l).
  { replace (exp l) with (exp (c * l) * exp (l - c * l)) by (rewrite <- exp_plus; f_equal; ring). apply Rmult_le_compat_l; lra. }
  assert (F2 : exp (c * l) * (1 + - (c * l)) <= 1).
  { replace 1 with (exp (c * l) * exp (- (c * l))) at 2 by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). apply Rmult_le_compat_l; lra. }
  assert (F : exp (c * l) <= 1 - v).
  { replace (1 - v) with (c * exp l + (1 - c) * 1) by (rewrite El; unfold c; field; lra).
    assert (c * (exp (c * l) * (1 + (l - c * l))) <= c * exp l) by (apply Rmult_le_compat_l; lra).
    assert ((1 - c) * (exp (c * l) * (1 + - (c * l))) <= (1 - c) * 1) by (apply Rmult_le_compat_l; lra). lra. }
  apply ln_le in F; auto. rewrite ln_exp in F. lra.
Qed.

Definition log_loss_rate (V0 : R) : R := - ln (1 - V0) / V0.

(* -ln (1-v) for v <= V <= V0 *)
Lemma log_loss_at_most v V V0 : 0 < v <= V -> V <= V0 -> V0 < 1 -> 0 <= - ln (1 - v) <= log_loss_rate V0 * V.
Proof.
  intros Hv HV H1. assert (L0 : forall z, 0 <= z < 1 -> 0 <= - ln (1 - z)).
  { intros z Hz. assert (ln (1 - z) <= ln 1) by (apply ln_le; lra). rewrite ln_1 in *. lra. }
  split; [apply L0; lra|]. apply Rle_trans with (1 := log_loss_convex v V0 ltac:(lra) ltac:(lra)).
  unfold log_loss_rate. replace (v / V0 * - ln (1 - V0)) with (- ln (1 - V0) / V0 * v) by (field; lra).
  apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; [apply L0; lra|left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma half_near C m z T : 1 <= T -> m / T - / 2 = z / (2 * T) -> 0 < T -> Rabs z <= 2 * C -> Rabs (m / T - / 2) <= C.
Proof.
  intros H1 -> HT0 Hz. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ (2 * T))); [|left; apply Rinv_0_lt_compat; lra].
  assert (I : 0 < / (2 * T) <= / 2) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  pose proof (Rabs_pos z). apply Rle_trans with (2 * C * / 2); [apply Rmult_le_compat; lra|lra].
Qed.

Section Boundaries.
Variables (N theta gamma q r rho : R) (d n K i : nat) (x : tokens).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n) (Ht : 0 < theta < 1) (HK : INR K = Rpower (INR n) theta).
Hypotheses (Hq : 0 < q) (Hr : 0 < rho < r) (Hr1 : r < 1) (HT : three_bands d n K q r rho x) (Hi : (i < n)%nat).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation A := (weight d n beta x i i).
Notation near_mass := (mass d n beta x i (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool)).
Notation far_mass := (mass d n beta x i (fun j => negb (Nat.eqb (i / K) (j / K)))).

Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.
Let H0 : (0 < n)%nat.
Proof. lia. Qed.
Let Kn : 1 < INR K < INR n := proj1 (K_between N theta n K HN2 HN Ht HK).

Lemma t_pos : 0 < t.
Proof. apply log_pos; auto. Qed.

Lemma exp_log z e : 0 < z -> z * exp e = exp (ln z + e).
Proof. intros Hz. rewrite exp_plus, exp_ln; auto. Qed.

(* ---- Equal masses ---- *)

Theorem equal_near_far : near_mass = far_mass <-> gamma = far_near_transition n K r rho.
Proof.
  pose proof t_pos as Tp. rewrite (three_near_mass d n K q r rho beta x H0 Hq HT i Hi), (three_far_mass d n K q r rho beta x H0 Hq HT i Hi).
  pose proof (three_total_pos d n K q r rho beta x H0 HT) as Z. assert (I : / three_total n K r rho beta <> 0) by (apply Rinv_neq_0_compat; lra).
  unfold three_near, three_far, Rdiv. rewrite <- !Rmult_assoc, !exp_log by lra.
  assert (E : gamma = far_near_transition n K r rho <-> ln (INR K - 1) + - beta * (1 - r) = ln (INR n - INR K) + - beta * (1 - rho)).
  { unfold far_near_transition. split; intros E.
    - rewrite E. field. lra.
    - apply (Rmult_eq_reg_r ((r - rho) * t)); [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
      replace ((ln (INR n - INR K) - ln (INR K - 1)) / ((r - rho) * t) * ((r - rho) * t)) with (ln (INR n - INR K) - ln (INR K - 1)) by (field; lra). lra. }
  rewrite E. split; intros H; [|rewrite H; reflexivity]. apply exp_inv. apply (Rmult_eq_reg_r _ _ _ H I).
Qed.

Theorem equal_self_near : A = near_mass <-> gamma = near_self_transition n K r.
Proof.
  pose proof t_pos as Tp. rewrite (three_near_mass d n K q r rho beta x H0 Hq HT i Hi), (three_self_weight d n K q r rho beta x H0 Hq HT i Hi).
  pose proof (three_total_pos d n K q r rho beta x H0 HT) as Z. assert (I : / three_total n K r rho beta <> 0) by (apply Rinv_neq_0_compat; lra).
  unfold three_near, three_self, Rdiv. rewrite <- Rmult_assoc, exp_log by lra.
  assert (Z1 : / three_total n K r rho beta = exp 0 * / three_total n K r rho beta) by (rewrite exp_0; ring). rewrite Z1 at 1.
  assert (E : gamma = near_self_transition n K r <-> 0 = ln (INR K - 1) + - beta * (1 - r)).
  { unfold near_self_transition. split; intros E.
    - rewrite E. field. lra.
    - apply (Rmult_eq_reg_r ((1 - r) * t)); [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
      replace (ln (INR K - 1) / ((1 - r) * t) * ((1 - r) * t)) with (ln (INR K - 1)) by (field; lra). lra. }
  rewrite E. split; intros H; [|rewrite H; reflexivity]. apply exp_inv. apply (Rmult_eq_reg_r _ _ _ H I).
Qed.

(* ---- Distance from the threshold ---- *)
Notation h := (exp (- theta * t)).
Notation k := (exp ((theta - 1) * t)).

Lemma boundary_h : 0 < h < 1 /\ / INR K = h.
Proof.
  rewrite <- (scaled_h n K theta HK). split; [|reflexivity]. split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
Qed.

Lemma boundary_k : 0 < k < 1 /\ INR K / INR n = k.
Proof.
  rewrite <- (scaled_k n K theta Hn HK). split; [|reflexivity]. split; [apply Rdiv_lt_0_compat; lra|].
  apply (Rmult_lt_reg_r (INR n)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma log_near_count : ln (INR K - 1) = theta * t + ln (1 - h).
Proof.
  destruct boundary_h as [Hh E]. assert (L : ln (INR K) = theta * t) by (rewrite HK; unfold Rpower; apply ln_exp).
  rewrite <- L, <- ln_mult; [|lra|lra]. f_equal. rewrite <- E. field. lra.
Qed.

Lemma log_far_count : ln (INR n - INR K) = t + ln (1 - k).
Proof. destruct boundary_k as [Hk E]. rewrite <- ln_mult; [|lra|lra]. f_equal. rewrite <- E. field. lra. Qed.

Lemma far_near_form : far_near_transition n K r rho = (1 - theta) / (r - rho) + (ln (1 - k) - ln (1 - h)) / ((r - rho) * t).
Proof. pose proof t_pos. unfold far_near_transition. rewrite log_near_count, log_far_count. field. lra. Qed.

Lemma near_self_form : near_self_transition n K r = theta / (1 - r) + ln (1 - h) / ((1 - r) * t).
Proof. pose proof t_pos. unfold near_self_transition. rewrite log_near_count. field. lra. Qed.

Variables (C kappa : R).
Hypothesis Hk : 0 < kappa.

Lemma boundary_powers : 0 < power n kappa <= decay N kappa /\ decay N kappa < 1.
Proof.
  pose proof (power_pos n kappa). pose proof (power_le_decay N n kappa ltac:(lra) HN ltac:(lra)). destruct (decay_lt_1 N kappa HN2 Hk). lra.
Qed.

Lemma h_power : kappa <= theta -> h <= power n kappa.
Proof. intros H. unfold power. apply exp_le. pose proof t_pos. assert (kappa * t <= theta * t) by (apply Rmult_le_compat_r; lra). lra. Qed.

Lemma k_power : kappa <= 1 - theta -> k <= power n kappa.
Proof. intros H. unfold power. apply exp_le. pose proof t_pos. assert (kappa * t <= (1 - theta) * t) by (apply Rmult_le_compat_r; lra). lra. Qed.

Lemma over_log a c z : 0 < c -> Rabs a <= C * c * z -> Rabs (a / (c * t)) <= C * (z / t).
Proof.
  intros Hc H. pose proof t_pos as Tp. assert (P : 0 < / (c * t)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; auto).
  unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ (c * t))); [|lra].
  apply Rle_trans with (C * c * z * / (c * t)); [apply Rmult_le_compat_r; lra|]. right. field. lra.
Qed.

Theorem far_near_rate : kappa <= theta -> kappa <= 1 - theta -> log_loss_rate (decay N kappa) <= C * (r - rho) ->
  Rabs (far_near_transition n K r rho - (1 - theta) / (r - rho)) <= C * (power n kappa / t).
Proof.
  intros H1 H2 HC. destruct boundary_powers as [P1 P2]. destruct boundary_h as [Hh _]. destruct boundary_k as [Hk' _].
  pose proof (log_loss_at_most h _ _ (conj (proj1 Hh) (h_power H1)) (proj2 P1) P2) as L1.
  pose proof (log_loss_at_most k _ _ (conj (proj1 Hk') (k_power H2)) (proj2 P1) P2) as L2.
  rewrite far_near_form. match goal with |- Rabs (?a + ?b - ?a) <= _ => replace (a + b - a) with b by ring end.
  apply over_log; [lra|].
  assert (B : log_loss_rate (decay N kappa) * power n kappa <= C * (r - rho) * power n kappa) by (apply Rmult_le_compat_r; lra).
  apply Rabs_le. lra.
Qed.

Theorem near_self_rate : kappa <= theta -> log_loss_rate (decay N kappa) <= C * (1 - r) ->
  Rabs (near_self_transition n K r - theta / (1 - r)) <= C * (power n kappa / t).
Proof.
  intros H1 HC. destruct boundary_powers as [P1 P2]. destruct boundary_h as [Hh _].
  pose proof (log_loss_at_most h _ _ (conj (proj1 Hh) (h_power H1)) (proj2 P1) P2) as L1.
  rewrite near_self_form. match goal with |- Rabs (?a + ?b - ?a) <= _ => replace (a + b - a) with b by ring end.
  apply over_log; [lra|].
  assert (B : log_loss_rate (decay N kappa) * power n kappa <= C * (1 - r) * power n kappa) by (apply Rmult_le_compat_r; lra).
  apply Rabs_le. lra.
Qed.

(* ---- At the threshold ---- *)

Lemma few_clusters : h <= 1 / 2 /\ k <= 1 / 2.
Proof.
  destruct boundary_h as [_ <-]. destruct boundary_k as [_ <-]. destruct (proj1 (proj2 HT)) as [m Hm].
  assert (K2 : (2 <= K)%nat) by (assert (1 < K)%nat by (apply INR_lt; simpl; lra); lia).
  assert (m2 : (2 <= m)%nat). { destruct m as [|[|m]]; try lia. rewrite Hm in Kn. rewrite Nat.mul_1_l in Kn. lra. }
  apply le_INR in K2, m2. simpl in K2, m2. split.
  - replace (1 / 2) with (/ 2) by field. apply Rinv_le_contravar; lra.
  - rewrite Hm, mult_INR. apply (Rmult_le_reg_r (INR m * INR K)); [apply Rmult_lt_0_compat; lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
    assert (2 * INR K <= INR m * INR K) by (apply Rmult_le_compat_r; lra). lra.
Qed.

End Boundaries.

Section AtThreshold.
Variables (N theta gamma q r rho kappa : R) (d n K i : nat) (x : tokens).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n) (Ht : 0 < theta < 1) (HK : INR K = Rpower (INR n) theta).
Hypotheses (Hq : 0 < q) (Hr : 0 < rho < r) (Hr1 : r < 1) (HT : three_bands d n K q r rho x) (Hi : (i < n)%nat) (Hk : 0 < kappa).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation A := (weight d n beta x i i).
Notation near_mass := (mass d n beta x i (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool)).
Notation h := (exp (- theta * t)).
Notation k := (exp ((theta - 1) * t)).
Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.

(* gamma (r - rho) = 1 - theta: near and far band half each, the token itself n^-e *)
Theorem far_near_half : gamma * (r - rho) = 1 - theta -> 0 <= theta - gamma * (1 - r) -> kappa <= theta -> kappa <= 1 - theta ->
  Rabs (near_mass - / 2) <= (power n (theta - gamma * (1 - r)) + power n kappa) / 2.
Proof.
  intros H1 H2 K1 K2. set (e := theta - gamma * (1 - r)) in *.
  pose proof (scaled_near_mass d n K q r rho theta gamma e x Hn Hq HK HT i Hi) as E.
  pose proof (scaled_total_pos d n K q r rho theta gamma e x Hn HK HT) as Tp.
  replace (theta - gamma * (1 - r) - e) with 0 in E, Tp by (unfold e; ring).
  replace (1 - gamma * (1 - rho) - e) with 0 in E, Tp by (unfold e; nra). rewrite Rmult_0_l, exp_0 in E, Tp. rewrite E.
  destruct (few_clusters N theta q r rho d n K i x HN2 HN Ht HK HT Hi) as [h2 k2].
  pose proof (exp_pos (- e * t)) as M0. pose proof (exp_pos (- theta * t)). pose proof (exp_pos ((theta - 1) * t)).
  pose proof (h_power N theta n HN2 HN kappa K1) as hp. pose proof (k_power N theta n HN2 HN kappa K2) as kp.
  unfold scaled_total in *. fold (power n e) in M0. change (exp (- e * t)) with (power n e) in *.
  apply (half_near _ _ (k - h - power n e)); try lra.
  - field. lra.
  - apply Rabs_le. lra.
Qed.

(* gamma (1 - r) = theta: the token itself and its near band half each, the far band n^-e *)
Theorem near_self_half : gamma * (1 - r) = theta -> 0 <= gamma * (r - rho) - (1 - theta) -> kappa <= theta ->
  Rabs (A - / 2) <= (power n (gamma * (r - rho) - (1 - theta)) + power n kappa) / 2.
Proof.
  intros H1 H2 K1. set (e := gamma * (r - rho) - (1 - theta)) in *.
  pose proof (scaled_self_weight d n K q r rho theta gamma 0 x Hn Hq HK HT i Hi) as E.
  pose proof (scaled_total_pos d n K q r rho theta gamma 0 x Hn HK HT) as Tp.
  replace (theta - gamma * (1 - r) - 0) with 0 in E, Tp by lra. replace (- 0 * t) with 0 in E, Tp by ring.
  replace (1 - gamma * (1 - rho) - 0) with (- e) in E, Tp by (unfold e; lra). rewrite Rmult_0_l, exp_0 in E, Tp. rewrite E.
  destruct (few_clusters N theta q r rho d n K i x HN2 HN Ht HK HT Hi) as [h2 k2].
  pose proof (exp_pos (- e * t)) as M0. pose proof (exp_pos (- theta * t)). pose proof (exp_pos ((theta - 1) * t)).
  pose proof (h_power N theta n HN2 HN kappa K1) as hp. change (exp (- e * t)) with (power n e) in *.
  assert (B : 0 <= power n e * (1 - k) <= power n e) by (split; [apply Rmult_le_pos; lra|rewrite <- (Rmult_1_r (power n e)) at 2; apply Rmult_le_compat_l; lra]).
  unfold scaled_total in *. apply (half_near _ _ (h - power n e * (1 - k))); try lra.
  - field. lra.
  - apply Rabs_le. lra.
Qed.
End AtThreshold.
