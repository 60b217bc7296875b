(* What the generated files of class certificates use: each quantity of a class for all n >= N, bounded by a function of
   N, rho1, rho2 and one exponent, which `interval` then bounds on the certificate's box.
   Near the simplex g = gamma (1 - rho1) below the threshold and g = gamma (1 - rho2) above it; for rows with bands the
   two gaps of a phase. Uses NearSimplexLimits.v and Rows.v. *)
From Coq Require Import Reals Lra Lia Arith.
From Critscale Require Import Sums Layer Weights Powers Bounds NearSimplex NearSimplexKept NearSimplexJacobian NearSimplexLimits.
Open Scope R_scope.

(* N^-k for a real N *)
Definition decay (N k : R) : R := exp (- k * ln N).

Lemma power_le_decay N n k : 1 <= N -> N <= INR n -> 0 <= k -> power n k <= decay N k.
Proof. intros H1 H2 Hk. apply power_from; lra. Qed.

Section Size.
Variables (N : R) (n : nat).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n).

Lemma size_at_least_2 : (2 <= n)%nat.
Proof. apply INR_le. change (INR 2) with 2. lra. Qed.

Lemma log_at_least : 0 < ln N <= ln (INR n).
Proof. split; [rewrite <- ln_1; apply ln_increasing; lra|apply ln_le; lra]. Qed.

(* (n-1) n^-g rises in n for g <= 1 *)
Lemma odds_at_least g : g <= 1 -> (N - 1) * decay N g <= (INR n - 1) * power n g.
Proof.
  intros Hg. pose proof log_at_least as [L0 L1].
  assert (E : forall z, 0 < z -> (z - 1) * exp (- g * ln z) = exp ((1 - g) * ln z) * (1 - / z)).
  { intros z Hz. replace ((1 - g) * ln z) with (ln z + - g * ln z) by ring. rewrite exp_plus, exp_ln; auto. field. lra. }
  unfold decay, power. rewrite !E; [|lra|lra]. apply Rmult_le_compat.
  - left. apply exp_pos.
  - assert (/ N <= 1); [|lra]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - apply exp_le, Rmult_le_compat_l; lra.
  - assert (/ INR n <= / N) by (apply Rinv_le_contravar; lra). lra.
Qed.

Lemma odds_at_most g : 1 <= g -> (INR n - 1) * power n g <= decay N (g - 1).
Proof.
  intros Hg. pose proof (size_ge_2 n size_at_least_2) as H2. pose proof (power_pos n g) as P.
  apply Rle_trans with (power n (g - 1)); [|apply power_le_decay; lra].
  replace (g - 1) with (g + - (1)) by ring. rewrite power_plus, power_opp, power_1, Rinv_inv by apply size_at_least_2.
  rewrite Rmult_comm. apply Rmult_le_compat_l; lra.
Qed.

Lemma log_over_n : 1 <= ln N -> ln (INR n) / INR n <= ln N / N.
Proof.
  intros H1. pose proof log_at_least as L. pose proof (log_power_falls 1 1 (ln N) (ln (INR n)) ltac:(lra) ltac:(simpl; lra)) as B. simpl in B.
  replace (- (1) * ln (INR n)) with (- ln (INR n)) in B by ring. replace (- (1) * ln N) with (- ln N) in B by ring.
  rewrite !exp_Ropp, !exp_ln in B; unfold Rdiv; lra.
Qed.

Lemma log2_over_n : 2 <= ln N -> ln (INR n) ^ 2 / INR n <= ln N ^ 2 / N.
Proof.
  intros H1. pose proof log_at_least as L. pose proof (log_power_falls 2 1 (ln N) (ln (INR n)) ltac:(lra) ltac:(simpl; lra)) as B.
  replace (- (1) * ln (INR n)) with (- ln (INR n)) in B by ring. replace (- (1) * ln N) with (- ln N) in B by ring.
  rewrite !exp_Ropp, !exp_ln in B; unfold Rdiv; lra.
Qed.
End Size.

(* ---- What has a rate: B is a bound of its size over p = n^-k ---- *)

Lemma rate_at_most B z p C : 0 <= p -> z <= p * B -> B <= C -> z <= C * p.
Proof. intros Hp H HB. apply Rle_trans with (1 := H). rewrite Rmult_comm. apply Rmult_le_compat_r; auto. Qed.

Lemma rate_at_least B z p C : 0 <= p -> - (B * p) <= z -> B <= - C -> C * p <= z.
Proof. intros Hp H HB. apply Rle_trans with (2 := H). assert (B * p <= - C * p) by (apply Rmult_le_compat_r; auto). lra. Qed.

(* ---- The bounds ---- *)

(* Largest self weight at g = gamma (1-rho1) <= 1, largest factor of another token's weight. *)
Definition self_bound (N g : R) : R := / (1 + (N - 1) * decay N g).
Definition factor_bound (N r1 r2 g : R) : R := decay N (g * (1 - r2) / (1 - r1)).

(* every <y'_i, y'_j> less rho1 is at least this; S at least alpha sqrt q2 *)
Definition growth_bound (N S r1 r2 g : R) : R :=
  let a := self_bound N g in
  let k := (1 - r2) * (1 - a) * (1 + 2 * S + a * (1 - factor_bound N r1 r2 g)) / (1 + S) ^ 2 in r1 * k / (1 - k).

(* Written so that each variable comes where it can: sp = rho2 - rho1, and w/(1+w) as 1/(1 + 1/w). *)

(* |ATT(y_i) - y_i| is at most this, g = gamma (1-rho2) >= 1 *)
Definition displacement_bound (N r1 sp g : R) : R :=
  let w := 1 / (1 + / decay N (g - 1)) in sqrt (w * (w * (1 - r1 + sp) + (1 - r1 - sp) * decay N g)).

(* and this times n^-(g-1) *)
Definition displacement_rate_bound (r1 sp : R) : R := sqrt (1 - r1 + sp).

(* |<y'_i, y'_j> - <y_i, y_j>| is at most this; s at most alpha sqrt q1 *)
Definition change_bound (N s r1 sp g : R) : R :=
  let t := 1 / (1 + / decay N (g - 1)) / (1 + s) in
  ((r1 * (1 - r1) + sp) * (t * (2 - t)) + 2 * (1 - r1 - sp) * (decay N g / (1 + s))) / (1 - (1 - r1) * (t * (2 - t))).

(* and this times v = n^-(g-1), u = 1/n *)
Definition change_rate_bound (s r1 sp v u : R) : R :=
  let T := (1 - u) / (1 + (1 - u) * v) / (1 + s) in
  ((r1 * (1 - r1) + sp) * (T * (2 - v * T)) + 2 * (1 - r1 - sp) * (u / (1 + s))) / (1 - (1 - r1) * (v * T * (2 - v * T))).

(* <y'_i, y'_j> is short of rho1/(1-kappa) by at most this times n^-(1-g), g = gamma (1-rho1) <= 1, s = alpha sqrt q2 *)
Definition growth_rate_bound (s r1 sp : R) : R :=
  let k := (1 - r1 - sp) * (1 - (s / (1 + s)) ^ 2) in r1 * k / (1 - k) ^ 2.

(* eta beyond (g ln n)^2/(q1 d) is at most this, g = gamma (1-rho1) <= 1, d >= n, alpha = 0 *)
Definition vanishing_bound (N q1 r1 r2 g : R) : R :=
  let a := self_bound N g in let f := factor_bound N r1 r2 g in
  1 / q1 * (a * (1 - a) * f + a ^ 2
    + a * f * (2 * g * sqrt (2 * (1 + r1)) * (ln N / N) + 2 * g ^ 2 * (1 + r1) * (ln N ^ 2 / N)) + 2 * a * g * (ln N / N)).

(* eta/(1 - 1/d) is at least this, g = gamma (1-rho2) >= 1, alpha = 0 *)
Definition kept_bound (N q2 g : R) : R := 1 / (q2 * (1 + decay N (g - 1)) ^ 2).

Lemma share_form N g : 1 / (1 + / decay N g) = decay N g / (1 + decay N g).
Proof. pose proof (exp_pos (- g * ln N)) as P. fold (decay N g) in P. field. lra. Qed.

Section Certificates.
Variables (N q1 q2 rho1 rho2 gamma alpha : R) (d n : nat) (x : tokens).
Hypotheses (HN2 : 2 <= N) (HN : N <= INR n) (Hq : 0 < q1) (Hr1 : 0 < rho1) (Hr2 : rho2 < 1) (Hg : 0 <= gamma) (Ha : 0 <= alpha).
Hypothesis HC : near_simplex d n q1 q2 rho1 rho2 x.
Notation beta := (gamma * ln (INR n)).
Notation g1 := (gamma * (1 - rho1)).
Notation g2 := (gamma * (1 - rho2)).

Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.
Let Hr : rho1 <= rho2 := rho_ordered d n q1 q2 rho1 rho2 x Hn HC.
Let Hb : 0 <= beta.
Proof. apply beta_nonneg; auto. Qed.

Lemma self_high_bound : g1 <= 1 -> self_high n rho1 beta <= self_bound N g1.
Proof.
  intros H. unfold self_high, self_bound. rewrite factor_power. apply Rinv_le_contravar.
  - assert (0 <= (N - 1) * decay N g1) by (apply Rmult_le_pos; [lra|left; apply exp_pos]). lra.
  - pose proof (odds_at_least N n HN2 HN g1 H). lra.
Qed.

Lemma self_bound_range : 0 < self_bound N g1 < 1.
Proof. apply share_range. apply Rmult_lt_0_compat; [lra|apply exp_pos]. Qed.

Lemma far_factor_bound : 0 < far_factor rho2 beta <= factor_bound N rho1 rho2 g1.
Proof.
  split; [apply exp_pos|]. unfold far_factor, factor_bound. rewrite factor_power.
  replace (g1 * (1 - rho2) / (1 - rho1)) with g2 by (field; lra). apply power_le_decay; try lra. apply Rmult_le_pos; lra.
Qed.

Lemma decay_falls k l : k <= l -> decay N l <= decay N k.
Proof. intros H. apply exp_le. pose proof (log_at_least N n HN2 HN). assert (k * ln N <= l * ln N) by (apply Rmult_le_compat_r; lra). lra. Qed.

(* g is the least exponent of the class *)
Lemma self_low_bound g : 1 <= g <= g2 -> / (1 + decay N (g - 1)) <= self_low n rho2 beta.
Proof.
  intros H. unfold self_low, far_factor. rewrite factor_power. pose proof (odds_at_most N n HN2 HN g2 ltac:(lra)).
  pose proof (decay_falls (g - 1) (g2 - 1) ltac:(lra)).
  apply Rinv_le_contravar; [|lra]. pose proof (power_pos n g2). pose proof (size_ge_2 n Hn).
  assert (0 <= (INR n - 1) * power n g2) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem class_growth S i j : g1 <= 1 -> alpha * sqrt q2 <= S -> (i < n)%nat -> (j < n)%nat ->
  growth_bound N S rho1 rho2 g1 <= output_inner d n beta alpha x i j - rho1.
Proof.
  intros H HS Hi Hj. pose proof (self_high_bound H) as A1. pose proof (self_high_range n rho1 beta Hn) as A2.
  pose proof self_bound_range as A3. destruct far_factor_bound as [F0 F1]. destruct (far_factor_range rho2 beta Hr2 Hb) as [_ F2].
  set (a := self_bound N g1) in *. set (a0 := self_high n rho1 beta) in *. set (f := factor_bound N rho1 rho2 g1) in *. set (f0 := far_factor rho2 beta) in *.
  set (k := (1 - rho2) * (1 - a) * (1 + 2 * S + a * (1 - f)) / (1 + S) ^ 2).
  set (s2 := alpha * sqrt q2) in *. assert (S0 : 0 <= s2) by (apply Rmult_le_pos; auto; apply sqrt_pos).
  assert (K : k <= growth_kappa rho2 beta a0 s2).
  { unfold k, growth_kappa. fold f0.
    assert (K1 : (1 - rho2) * (1 - a) * (1 + 2 * S + a * (1 - f)) / (1 + S) ^ 2 <= (1 - rho2) * (1 - a) * (1 + 2 * S + a * (1 - f0)) / (1 + S) ^ 2).
    { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|].
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. assert (a * (1 - f) <= a * (1 - f0)) by (apply Rmult_le_compat_l; lra). lra. }
    assert (K2 : (1 - rho2) * (1 - a) * (1 + 2 * S + a * (1 - f0)) / (1 + S) ^ 2 <= (1 - rho2) * (1 - a0) * (1 + 2 * S + a0 * (1 - f0)) / (1 + S) ^ 2).
    { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|]. rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|].
      assert (0 <= (a - a0) * (2 * S + (1 - (1 - f0) * (1 - a - a0)))).
      { apply Rmult_le_pos; [lra|]. assert ((1 - f0) * (1 - a - a0) <= 1); [|lra].
        destruct (Rle_or_lt (1 - a - a0) 0) as [Q|Q].
        - assert (0 <= (1 - f0) * - (1 - a - a0)) by (apply Rmult_le_pos; lra). lra.
        - rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra. }
      lra. }
    assert (K3 : (1 - rho2) * (1 - a0) * (1 + 2 * S + a0 * (1 - f0)) / (1 + S) ^ 2 <= (1 - rho2) * (1 - a0) * (1 + 2 * s2 + a0 * (1 - f0)) / (1 + s2) ^ 2).
    { unfold Rdiv. rewrite !(Rmult_assoc ((1 - rho2) * (1 - a0))). apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
      set (c := a0 * (1 - f0)). assert (Hc : 0 <= c) by (apply Rmult_le_pos; lra).
      apply (Rmult_le_reg_r ((1 + S) ^ 2 * (1 + s2) ^ 2)); [apply Rmult_lt_0_compat; apply pow_lt; lra|].
      replace ((1 + 2 * S + c) * / (1 + S) ^ 2 * ((1 + S) ^ 2 * (1 + s2) ^ 2)) with ((1 + 2 * S + c) * (1 + s2) ^ 2) by (field; lra).
      replace ((1 + 2 * s2 + c) * / (1 + s2) ^ 2 * ((1 + S) ^ 2 * (1 + s2) ^ 2)) with ((1 + 2 * s2 + c) * (1 + S) ^ 2) by (field; lra).
      assert (0 <= (S - s2) * (s2 + S + 2 * s2 * S + c * (2 + s2 + S))).
      { apply Rmult_le_pos; [lra|]. assert (0 <= s2 * S) by (apply Rmult_le_pos; lra). assert (0 <= c * (2 + s2 + S)) by (apply Rmult_le_pos; lra). lra. }
      lra. }
    lra. }
  assert (K1 : growth_kappa rho2 beta a0 s2 < 1).
  { apply (kappa_lt_1 d n q1 q2 rho1 rho2 beta alpha x); auto; try lra.
    - intros l Hl. apply (self_weight_between d n q1 q2 rho1 rho2 beta x); auto.
    - intros l Hl. apply (residual_between d n q1 q2 rho1 rho2 alpha x); auto. }
  pose proof (growth_from q1 q2 rho1 rho2 gamma alpha Hq Hr1 Hr2 Hg Ha n d x k i j Hn HC Hi Hj K) as G.
  unfold growth_bound. cbv zeta. fold a f k. replace (rho1 * k / (1 - k)) with (rho1 / (1 - k) - rho1) by (field; lra). lra.
Qed.

Theorem class_displacement g i : 1 <= g <= g2 -> (i < n)%nat ->
  norm d (fun c => attention d n beta x i c - unit_token d x i c) <= displacement_bound N rho1 (rho2 - rho1) g.
Proof.
  intros H Hi. apply Rle_trans with (1 := attention_near_identity d n q1 q2 rho1 rho2 beta x Hn Hq Hr2 Hb HC i Hi).
  unfold displacement_high, displacement_bound. cbv zeta. apply sqrt_le_1_alt. pose proof (self_low_bound g H) as L.
  rewrite share_form.
  destruct (self_low_range n rho2 beta Hn Hr2 Hb) as [L0 L1]. set (b := self_low n rho2 beta) in *.
  assert (W : 0 < decay N (g - 1)) by apply exp_pos. set (W0 := decay N (g - 1)) in *.
  assert (E : 1 - b <= W0 / (1 + W0)) by (replace (W0 / (1 + W0)) with (1 - / (1 + W0)) by (field; lra); lra).
  assert (F : 0 < far_factor rho2 beta <= decay N g).
  { split; [apply exp_pos|]. unfold far_factor. rewrite factor_power. apply Rle_trans with (decay N g2); [apply power_le_decay; lra|apply decay_falls; lra]. }
  set (f := far_factor rho2 beta) in *. set (w := W0 / (1 + W0)) in *.
  replace (w * (w * (1 - rho1 + (rho2 - rho1)) + (1 - rho1 - (rho2 - rho1)) * decay N g))
    with (w ^ 2 * (1 + rho2 - 2 * rho1) + (1 - rho2) * w * decay N g) by ring.
  apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [lra|apply pow_incr; lra].
  - apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra].
Qed.

Theorem class_displacement_rate i : 1 <= g2 -> (i < n)%nat ->
  norm d (fun c => attention d n beta x i c - unit_token d x i c) <= power n (g2 - 1) * displacement_rate_bound rho1 (rho2 - rho1).
Proof.
  intros H Hi. apply Rle_trans with (1 := attention_near_identity d n q1 q2 rho1 rho2 beta x Hn Hq Hr2 Hb HC i Hi). unfold displacement_high.
  destruct (self_low_range n rho2 beta Hn Hr2 Hb) as [L0 L1]. pose proof (NearSimplex.self_low_rate n rho2 beta Hn Hr2 Hb) as L2.
  set (b := self_low n rho2 beta) in *. set (p := power n (g2 - 1)) in *. pose proof (power_pos n (g2 - 1)) as P0. fold p in P0.
  pose proof (size_ge_2 n Hn) as N2. pose proof (inverse_range n Hn) as I.
  assert (F : far_factor rho2 beta = p * / INR n).
  { unfold far_factor, p. rewrite factor_power, <- (power_1 n Hn), <- power_plus. f_equal. ring. }
  rewrite F in *. assert (W : (INR n - 1) * (p * / INR n) = p * (1 - / INR n)) by (field; lra). rewrite W in L2.
  set (u := / INR n) in *. unfold displacement_rate_bound. replace p with (sqrt (p ^ 2)) at 2 by (apply sqrt_pow2; lra).
  rewrite <- sqrt_mult_alt; [|apply pow2_ge_0]. apply sqrt_le_1_alt. pose proof Hr as R12. pose proof Hr1 as R1.
  assert (Q1 : (1 - b) ^ 2 * (1 + rho2 - 2 * rho1) <= (p * (1 - u)) ^ 2 * (1 + rho2 - 2 * rho1)) by (apply Rmult_le_compat_r; [lra|apply pow_incr; lra]).
  assert (Q2 : (1 - rho2) * (1 - b) * (p * u) <= (1 + rho2 - 2 * rho1) * (p * (1 - u)) * (p * u)).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra. }
  assert (Q3 : 0 <= p ^ 2 * (1 + rho2 - 2 * rho1) * u) by (apply Rmult_le_pos; [apply Rmult_le_pos; [apply pow2_ge_0|lra]|lra]). lra.
Qed.

Theorem class_change s g i j : 1 <= g <= g2 -> 0 <= s <= alpha * sqrt q1 -> (i < n)%nat -> (j < n)%nat ->
  Rabs (output_inner d n beta alpha x i j - gram d x i j) <= change_bound N s rho1 (rho2 - rho1) g.
Proof.
  intros H Hs Hi Hj. apply Rle_trans with (1 := inner_products_kept d n q1 q2 rho1 rho2 beta alpha x Hn Hq Hr1 Hr2 Hb Ha HC i j Hi Hj).
  unfold change_bound. cbv zeta. rewrite share_form. pose proof (self_low_bound g H) as L. destruct (self_low_range n rho2 beta Hn Hr2 Hb) as [L0 L1].
  assert (W : 0 < decay N (g - 1)) by apply exp_pos. set (w := decay N (g - 1)) in *.
  assert (Iw : 0 < / (1 + w) < 1) by (apply share_range; auto).
  assert (E : w / (1 + w) = 1 - / (1 + w)) by (field; lra).
  assert (F : 0 < far_factor rho2 beta <= decay N g).
  { split; [apply exp_pos|]. unfold far_factor. rewrite factor_power. apply Rle_trans with (decay N g2); [apply power_le_decay; lra|apply decay_falls; lra]. }
  assert (I : 0 < / (1 + alpha * sqrt q1) <= / (1 + s)) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (I1 : / (1 + s) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  apply Rle_trans with (change_high rho1 rho2 (w / (1 + w) / (1 + s)) (decay N g / (1 + s))).
  - rewrite E. apply change_high_rises; auto; unfold Rdiv; try (apply Rmult_le_pos; lra); try (apply Rmult_le_compat; lra).
    apply Rle_lt_trans with ((1 - / (1 + w)) * 1); [apply Rmult_le_compat_l; lra|lra].
  - right. unfold change_high. f_equal. ring.
Qed.

Theorem class_change_rate s i j : 1 <= g2 -> 0 <= s <= alpha * sqrt q1 -> (i < n)%nat -> (j < n)%nat ->
  Rabs (output_inner d n beta alpha x i j - gram d x i j) <= power n (g2 - 1) * change_rate_bound s rho1 (rho2 - rho1) (power n (g2 - 1)) (/ INR n).
Proof.
  intros H Hs Hi Hj. apply Rle_trans with (1 := inner_products_kept d n q1 q2 rho1 rho2 beta alpha x Hn Hq Hr1 Hr2 Hb Ha HC i j Hi Hj).
  pose proof (size_ge_2 n Hn) as N2. pose proof (inverse_range n Hn) as I. set (v := power n (g2 - 1)). pose proof (power_pos n (g2 - 1)) as P0. fold v in P0.
  assert (F : far_factor rho2 beta = v * / INR n).
  { unfold far_factor, v. rewrite factor_power, <- (power_1 n Hn), <- power_plus. f_equal. ring. }
  assert (W : (INR n - 1) * (v * / INR n) = (1 - / INR n) * v) by (field; lra).
  assert (L : self_low n rho2 beta = / (1 + (1 - / INR n) * v)) by (unfold self_low; rewrite F, W; auto).
  rewrite L, F. set (u := / INR n) in *. clear F W L. assert (V : 0 <= (1 - u) * v) by (apply Rmult_le_pos; lra).
  set (T0 := (1 - u) / (1 + (1 - u) * v)).
  assert (E : 1 - / (1 + (1 - u) * v) = v * T0) by (unfold T0; field; lra). rewrite E.
  assert (Iw : 0 < / (1 + (1 - u) * v)) by (apply Rinv_0_lt_compat; lra).
  assert (TB : 0 <= T0) by (apply Rmult_le_pos; lra). assert (Q : 0 <= v * T0) by (apply Rmult_le_pos; lra). assert (Q2 : 0 <= v * u) by (apply Rmult_le_pos; lra).
  assert (J : 0 < / (1 + alpha * sqrt q1) <= / (1 + s)) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (J1 : / (1 + s) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  apply Rle_trans with (change_high rho1 rho2 (v * T0 / (1 + s)) (v * u / (1 + s))).
  - apply change_high_rises; auto; unfold Rdiv; try (apply Rmult_le_pos; lra); try (apply Rmult_le_compat_l; lra).
    apply Rle_lt_trans with (v * T0 * 1); [apply Rmult_le_compat_l; lra|lra].
  - right. unfold change_high, change_rate_bound. cbv zeta. fold T0. replace (v * T0 / (1 + s)) with (v * (T0 / (1 + s))) by (field; lra).
    set (T := T0 / (1 + s)). unfold Rdiv. ring.
Qed.

Theorem class_growth_rate i j : (i < n)%nat -> (j < n)%nat ->
  let s := alpha * sqrt q2 in
  - (growth_rate_bound s rho1 (rho2 - rho1) * power n (1 - g1)) <=
  output_inner d n beta alpha x i j - rho1 / (1 - (1 - rho2) * (2 * s + 1) / (1 + s) ^ 2).
Proof.
  intros Hi Hj s. pose proof (s2_nonneg q2 alpha Ha) as s0. fold s in s0.
  pose proof (kappa_limit_range q2 rho1 rho2 alpha Hr1 Hr Hr2 Ha) as [K0 K1].
  pose proof (self_high_range n rho1 beta Hn) as A0. set (a := self_high n rho1 beta) in *.
  pose proof (kappa_ge q2 rho1 rho2 gamma alpha Hr1 Hr Hr2 Hg Ha n a Hn ltac:(lra)) as K2.
  pose proof (growth_from q1 q2 rho1 rho2 gamma alpha Hq Hr1 Hr2 Hg Ha n d x _ i j Hn HC Hi Hj K2) as G.
  set (k := kappa_limit q2 rho2 alpha) in *. assert (E1 : (1 - rho2) * (2 * s + 1) / (1 + s) ^ 2 = k).
  { unfold k, kappa_limit. fold s. f_equal. ring. }
  assert (E2 : (1 - rho1 - (rho2 - rho1)) * (1 - (s / (1 + s)) ^ 2) = k) by (unfold k, kappa_limit; fold s; field; lra).
  unfold growth_rate_bound. cbv zeta. rewrite E1, E2. clear E1 E2.
  assert (A1 : a <= power n (1 - g1)).
  { unfold a, self_high. rewrite factor_power. pose proof (size_ge_2 n Hn) as N2. pose proof (power_pos n g1) as P.
    assert (P1 : power n g1 <= 1) by (apply power_le_1; auto; apply Rmult_le_pos; lra).
    replace (1 - g1) with (1 + - g1) by ring. rewrite power_plus, power_1, power_opp; auto. rewrite <- Rinv_mult. apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra|lra]. }
  set (p := power n (1 - g1)) in *.
  assert (ak : 0 <= a * k) by (apply Rmult_le_pos; lra).
  assert (D : rho1 / (1 - k) - rho1 / (1 - (1 - a) * k) = rho1 * (a * k) * / ((1 - k) * (1 - (1 - a) * k))) by (field; lra).
  assert (B1 : / ((1 - k) * (1 - (1 - a) * k)) <= / (1 - k) ^ 2).
  { apply Rinv_le_contravar; [apply pow_lt; lra|]. replace ((1 - k) ^ 2) with ((1 - k) * (1 - k)) by ring. apply Rmult_le_compat_l; lra. }
  assert (B2 : rho1 * (a * k) * / ((1 - k) * (1 - (1 - a) * k)) <= rho1 * (p * k) * / (1 - k) ^ 2).
  { apply Rmult_le_compat; auto; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra|].
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
  replace (rho1 * k / (1 - k) ^ 2 * p) with (rho1 * (p * k) * / (1 - k) ^ 2) by (field; lra). lra.
Qed.

Theorem class_vanishing : alpha = 0 -> g1 <= 1 -> 2 <= ln N -> (n <= d)%nat ->
  jacobian_norm d n beta alpha x - (g1 * ln (INR n)) ^ 2 / (q1 * INR d) <= vanishing_bound N q1 rho1 rho2 g1.
Proof.
  intros Ha0 H HL Hd. pose proof (size_ge_2 n Hn) as H2. pose proof (le_INR n d Hd) as Hd'.
  pose proof (jacobian_norm_high d n q1 q2 rho1 rho2 beta alpha x Hn ltac:(lia) Hq Hr1 Hr2 Hb Ha HC) as P.
  pose proof (self_high_bound H) as A1. pose proof (self_high_range n rho1 beta Hn) as A2. pose proof self_bound_range as A3.
  destruct far_factor_bound as [F0 F1]. destruct (far_factor_range rho2 beta Hr2 Hb) as [_ F2].
  assert (F3 : factor_bound N rho1 rho2 g1 <= 1).
  { unfold factor_bound, decay. apply Rle_trans with (exp 0); [|rewrite exp_0; lra]. apply exp_le. replace (g1 * (1 - rho2) / (1 - rho1)) with g2 by (field; lra).
    assert (0 <= g2 * ln N) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]). lra. }
  set (a := self_bound N g1) in *. set (a0 := self_high n rho1 beta) in *. set (f := factor_bound N rho1 rho2 g1) in *. set (f0 := far_factor rho2 beta) in *.
  assert (Id : 0 < / INR d <= / INR n) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (Id1 : / INR n < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  assert (G0 : 0 <= g1) by (apply Rmult_le_pos; lra). pose proof (log_pos n Hn) as Ln.
  assert (B1 : (1 - rho1) * (beta / INR d) <= g1 * (ln N / N)).
  { replace ((1 - rho1) * (beta / INR d)) with (g1 * (ln (INR n) * / INR d)) by (unfold Rdiv; ring). apply Rmult_le_compat_l; auto.
    apply Rle_trans with (2 := log_over_n N n HN2 HN ltac:(lra)). unfold Rdiv. apply Rmult_le_compat_l; lra. }
  assert (B2 : (1 - rho1) ^ 2 * (beta ^ 2 / INR d) <= g1 ^ 2 * (ln N ^ 2 / N)).
  { replace ((1 - rho1) ^ 2 * (beta ^ 2 / INR d)) with (g1 ^ 2 * (ln (INR n) ^ 2 * / INR d)) by (unfold Rdiv; ring). apply Rmult_le_compat_l; [apply pow2_ge_0|].
    apply Rle_trans with (2 := log2_over_n N n HN2 HN HL). unfold Rdiv. apply Rmult_le_compat_l; [apply pow2_ge_0|lra]. }
  assert (B10 : 0 <= (1 - rho1) * (beta / INR d)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (B20 : 0 <= (1 - rho1) ^ 2 * (beta ^ 2 / INR d)) by (apply Rmult_le_pos; [apply pow2_ge_0|apply Rmult_le_pos; [apply pow2_ge_0|lra]]).
  set (b1 := (1 - rho1) * (beta / INR d)) in *. set (b2 := (1 - rho1) ^ 2 * (beta ^ 2 / INR d)) in *.
  set (l1 := ln N / N) in *. set (l2 := ln N ^ 2 / N) in *. set (t := sqrt (2 * (1 + rho1))).
  assert (T0 : 0 <= t) by apply sqrt_pos. assert (T2 : t * t = 2 * (1 + rho1)) by (apply sqrt_sqrt; lra).
  assert (C1 : 2 * block_reach rho1 * (beta / INR d) = 2 * t * b1) by (unfold block_reach, b1; fold t; ring).
  assert (C2 : block_reach rho1 ^ 2 * (beta ^ 2 / INR d) = 2 * (1 + rho1) * b2) by (rewrite block_reach_square; [unfold b2; ring|lra]).
  rewrite C1, C2 in P.
  assert (C3 : (1 - rho1) ^ 2 * (beta ^ 2 / INR d) = (g1 * ln (INR n)) ^ 2 / INR d) by (unfold Rdiv; ring).
  assert (M1 : (a0 * (1 - a0) * f0 + a0 ^ 2) * (1 - 1 / INR d) <= a * (1 - a) * f + a ^ 2).
  { assert (Q0 : 0 <= a0 * (1 - a0)) by (apply Rmult_le_pos; lra).
    assert (Q1 : a0 * (1 - a0) * f0 <= a0 * (1 - a0) * f) by (apply Rmult_le_compat_l; auto).
    assert (Q2 : 0 <= (a - a0) * (f + (1 - f) * (a + a0))).
    { apply Rmult_le_pos; [lra|]. assert (0 <= (1 - f) * (a + a0)) by (apply Rmult_le_pos; lra). lra. }
    assert (Q3 : 0 <= a0 * (1 - a0) * f0) by (apply Rmult_le_pos; lra). assert (Q4 : 0 <= a0 ^ 2) by apply pow2_ge_0.
    apply Rle_trans with (a0 * (1 - a0) * f0 + a0 ^ 2); [|lra]. unfold Rdiv. rewrite Rmult_1_l, <- (Rmult_1_r (a0 * (1 - a0) * f0 + a0 ^ 2)) at 1.
    rewrite Rmult_1_r. rewrite <- (Rmult_1_r (a0 * (1 - a0) * f0 + a0 ^ 2)) at 2. apply Rmult_le_compat_l; lra. }
  assert (M2 : Rmin a0 (1 / 4) * f0 * (2 * t * b1 + 2 * (1 + rho1) * b2) <= a * f * (2 * g1 * t * l1 + 2 * g1 ^ 2 * (1 + rho1) * l2)).
  { assert (V0 : 0 <= Rmin a0 (1 / 4)) by (apply Rmin_glb; lra). assert (V1 : Rmin a0 (1 / 4) <= a0) by apply Rmin_l.
    assert (U1 : t * b1 <= t * (g1 * l1)) by (apply Rmult_le_compat_l; auto).
    assert (U2 : (1 + rho1) * b2 <= (1 + rho1) * (g1 ^ 2 * l2)) by (apply Rmult_le_compat_l; lra).
    assert (U3 : 0 <= t * b1) by (apply Rmult_le_pos; auto). assert (U4 : 0 <= (1 + rho1) * b2) by (apply Rmult_le_pos; lra).
    apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat; lra|lra]. }
  assert (M3 : a0 * b1 <= a * (g1 * l1)) by (apply Rmult_le_compat; lra).
  assert (Iq : 0 < 1 / q1) by (unfold Rdiv; rewrite Rmult_1_l; apply Rinv_0_lt_compat; auto).
  rewrite Ha0 in P. unfold vanishing_bound. cbv zeta. fold a f t l1 l2.
  replace ((g1 * ln (INR n)) ^ 2 / (q1 * INR d)) with (1 / q1 * b2) by (unfold b2; rewrite C3; field; split; lra).
  set (v := Rmin a0 (1 / 4) * f0 * (2 * t * b1 + 2 * (1 + rho1) * b2)) in *.
  set (w := (a0 * (1 - a0) * f0 + a0 ^ 2) * (1 - 1 / INR d)) in *.
  assert (R1 : 1 / q1 * (w + v + 2 * (a0 * b1)) <= 1 / q1 * (a * (1 - a) * f + a ^ 2 + a * f * (2 * g1 * t * l1 + 2 * g1 ^ 2 * (1 + rho1) * l2) + 2 * a * g1 * l1)).
  { apply Rmult_le_compat_l; lra. }
  replace (2 * a0 * (1 - rho1) * (beta / INR d)) with (2 * (a0 * b1)) in P by (unfold b1; ring). fold b2 in P.
  rewrite Ha0. lra.
Qed.

Theorem class_kept g : alpha = 0 -> 1 <= g <= g2 -> (2 <= d)%nat -> kept_bound N q2 g <= jacobian_norm d n beta alpha x / (1 - 1 / INR d).
Proof.
  intros Ha0 H Hd. pose proof (jacobian_norm_low d n q1 q2 rho1 rho2 beta alpha x Hn ltac:(lia) Hq Hr1 Hr2 Hb Ha HC) as P.
  pose proof (self_low_bound g H) as L. rewrite Ha0 in *. pose proof (size_ge_2 d Hd) as D2.
  assert (Id : 0 < / INR d <= / 2) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  pose proof (proj1 HC O ltac:(lia)) as Q. assert (q2p : 0 < q2) by lra. assert (W : 0 < decay N (g - 1)) by apply exp_pos.
  set (W0 := decay N (g - 1)) in *. set (b := self_low n rho2 beta) in *. unfold kept_bound. fold W0.
  apply (Rmult_le_reg_r (1 - 1 / INR d)); [unfold Rdiv; lra|]. unfold Rdiv at 3. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; [|unfold Rdiv; lra].
  apply Rle_trans with (2 := P). replace (2 * 0 / sqrt q2 * (b * (1 - 1 / INR d))) with 0 by (unfold Rdiv; ring).
  replace (0 ^ 2) with 0 by ring. rewrite !Rplus_0_r. apply Rmult_le_compat_r; [unfold Rdiv; lra|].
  replace (1 / (q2 * (1 + W0) ^ 2)) with ((/ (1 + W0)) ^ 2 / q2) by (field; split; lra).
  unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|]. apply pow_incr. split; [left; apply Rinv_0_lt_compat; lra|auto].
Qed.

Theorem class_kept_rate : alpha = 0 -> 1 <= g2 -> (2 <= d)%nat ->
  - (2 / q2 * power n (g2 - 1)) <= jacobian_norm d n beta alpha x / (1 - 1 / INR d) - 1 / q2.
Proof.
  intros Ha0 H Hd. pose proof (theorem_2_5_kept q1 q2 rho1 rho2 gamma alpha Hq Hr1 Hr2 Hg Ha n d x Hn ltac:(lia) H HC) as P.
  pose proof (size_ge_2 d Hd) as D2. assert (Id : 0 < / INR d <= / 2) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  pose proof (proj1 HC O ltac:(lia)) as Q. rewrite Ha0 in *. set (p := power n (g2 - 1)) in *. set (z := 1 - 1 / INR d) in *.
  assert (Z : 0 < z) by (unfold z, Rdiv; lra). set (J := jacobian_norm d n beta 0 x) in *.
  replace (2 * 0 / sqrt q2 * ((1 - p) * z)) with 0 in P by (unfold Rdiv; ring). replace (0 ^ 2) with 0 in P by ring.
  assert (B : (1 - 2 * p) / q2 <= J / z).
  { apply (Rmult_le_reg_r z); auto. replace (J / z * z) with J by (field; lra). lra. }
  replace ((1 - 2 * p) / q2) with (1 / q2 - 2 / q2 * p) in B by (field; lra). lra.
Qed.
End Certificates.

