(* The Jacobian norm of three bands {1, r, rho} in closed form, at any n, K, beta and residual. With a, b, c the weights of the
   token, of a token of its cluster and of any other, B = (K-1) b and C = (n-K) c the masses of the bands and E = K c that of
   another cluster:
     ps, pn, pf = <m_i, y_k> for k = i, k in the cluster and k outside,  Y = |m_i|^2,  T = tr(C_i P_i),  V = |C_i P_i|_F^2.
   What multiplies d - 1, beta and beta^2 is kept apart, as d and beta only enter there. Uses Frobenius.v and ThreeBandsForms.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Jacobian Frobenius Bounds JacobianBounds Rows Bands ThreeBands ThreeBandsForms
  ThreeBandsScaled.
Open Scope R_scope.

(* ---- Closed forms ---- *)

Section Forms.
Variables (r rho a B C b c E : R).
Definition eta_ps : R := a + B * r + C * rho.
Definition eta_pn : R := a * r + b + (B - b) * r + C * rho.
Definition eta_pf : R := a * rho + B * rho + c + (E - c) * r + (C - E) * rho.
Definition eta_Y : R := a * eta_ps + B * eta_pn + C * eta_pf.
Definition eta_T : R := B * (1 - eta_pn - r * (r - eta_ps)) + C * (1 - eta_pf - rho * (rho - eta_ps)).
Definition eta_V : R :=
  B * (b * ((1 - 2 * eta_pn + eta_Y) * (1 - r ^ 2)) + (B - b) * ((r - 2 * eta_pn + eta_Y) * (r - r ^ 2))
       + C * ((rho - eta_pn - eta_pf + eta_Y) * (rho - r * rho)))
  + C * (B * ((rho - eta_pn - eta_pf + eta_Y) * (rho - r * rho)) + c * ((1 - 2 * eta_pf + eta_Y) * (1 - rho ^ 2))
       + (E - c) * ((r - 2 * eta_pf + eta_Y) * (r - rho ^ 2)) + (C - E) * ((rho - 2 * eta_pf + eta_Y) * (rho - rho ^ 2))).
(* The norm over q^-1, sqrt q^-1 and alpha^2; w = 1 - 1/d, f = beta/d, g = beta^2/d. *)
Variables (w f g : R).
Definition eta_other : R :=
  B * (b * (w + 2 * f * (r * eta_pn - eta_ps) + g * ((1 - 2 * eta_pn + eta_Y) * (1 - r ^ 2))))
  + C * (c * (w + 2 * f * (rho * eta_pf - eta_ps) + g * ((1 - 2 * eta_pf + eta_Y) * (1 - rho ^ 2)))).
Definition eta_form (alpha q : R) : R :=
  (a ^ 2 * w + 2 * a * (f * eta_T) + g * eta_V + eta_other) / q + 2 * alpha / sqrt q * (a * w + f * eta_T) + alpha ^ 2.
End Forms.

Section ThreeJacobian.
Variables (d n K : nat) (q r rho beta alpha : R) (x : tokens).
Hypotheses (Hn : (0 < n)%nat) (Hq : 0 < q) (HT : three_bands d n K q r rho x).
Notation A := (weight d n beta x).
Notation G := (gram d x).
Notation p := (attention_on d n beta x).
Notation a := (three_self n K r rho beta).
Notation b := (three_near n K r rho beta).
Notation c := (three_far n K r rho beta).
Notation B := ((INR K - 1) * b).
Notation C := ((INR n - INR K) * c).
Notation E := (INR K * c).
Notation same i j := (Nat.eqb (i / K) (j / K)).
Notation ps := (eta_ps r rho a B C).
Notation pn := (eta_pn r rho a B C b).
Notation pf := (eta_pf r rho a B C c E).
Notation Y := (eta_Y r rho a B C b c E).

Let Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i).
Proof. intros i Hi. apply (three_nonzero d n K q r rho x Hq HT i Hi). Qed.

Let sum3 := three_sum d n K q r rho x Hn HT.
Let G1 i : (i < n)%nat -> G i i = 1.
Proof. intros Hi. apply (three_gram_self d n K q r rho x Hq HT i Hi). Qed.
Let Gr i j : (i < n)%nat -> (j < n)%nat -> i <> j -> same i j = true -> G i j = r.
Proof. apply (three_gram_near d n K q r rho x HT). Qed.
Let Gf i j : (i < n)%nat -> (j < n)%nat -> same i j = false -> G i j = rho.
Proof. apply (three_gram_far d n K q r rho x HT). Qed.
Let Aa i : (i < n)%nat -> A i i = a.
Proof. apply (three_self_weight d n K q r rho beta x Hn Hq HT). Qed.
Let Ab i j : (i < n)%nat -> (j < n)%nat -> i <> j -> same i j = true -> A i j = b.
Proof. apply (three_near_weight d n K q r rho beta x Hn Hq HT). Qed.
Let Ac i j : (i < n)%nat -> (j < n)%nat -> same i j = false -> A i j = c.
Proof. apply (three_far_weight d n K q r rho beta x Hn Hq HT). Qed.

Lemma same_sym i j : same i j = same j i.
Proof. apply Nat.eqb_sym. Qed.

Lemma same_move i j k : same i j = true -> same i k = same j k.
Proof. intros H. apply Nat.eqb_eq in H. rewrite H. reflexivity. Qed.

(* A sum over j of what is constant on the bands of i, apart from k and from what shares a cluster with k. *)
Lemma sum_with i k f z0 zn zf e1 e2 : (i < n)%nat -> (k < n)%nat ->
  (forall l, (l < n)%nat -> f l = (if Nat.eqb l i then z0 else if same i l then zn else zf) + (if same k l then e2 else 0) + e1 * delta l k) ->
  sum_to n f = z0 + (INR K - 1) * zn + (INR n - INR K) * zf + INR K * e2 + e1.
Proof.
  intros Hi Hk H. rewrite (sum_ext n f _ H), !sum_plus, (sum_delta n k (fun _ => e1)); auto.
  rewrite (sum3 i (fun l => if Nat.eqb l i then z0 else if same i l then zn else zf) z0 zn zf); auto.
  - rewrite (cluster_sum d n K q r rho x Hn HT k (fun _ => e2) e2 e2); auto. ring.
  - rewrite Nat.eqb_refl. reflexivity.
  - intros j Hj Hij S. destruct (Nat.eqb_spec j i); [congruence|]. rewrite S. reflexivity.
  - intros j Hj S. destruct (Nat.eqb_spec j i) as [->|]; [rewrite Nat.eqb_refl in S; discriminate|]. rewrite S. reflexivity.
Qed.

Lemma p_self i : (i < n)%nat -> p i i = ps.
Proof.
  intros Hi. rewrite <- G_sum. rewrite (sum3 i _ (a * 1) (b * r) (c * rho)); auto.
  - unfold eta_ps. ring.
  - rewrite Aa, G1; auto.
  - intros j Hj Hij S. rewrite Ab, gram_sym, Gr; auto.
  - intros j Hj S. rewrite Ac, gram_sym, Gf; auto.
Qed.

Lemma p_near i k : (i < n)%nat -> (k < n)%nat -> i <> k -> same i k = true -> p i k = pn.
Proof.
  intros Hi Hk Hik S. rewrite <- G_sum. rewrite (sum_with i k _ (a * r) (b * r) (c * rho) (b * (1 - r)) 0); auto.
  - unfold eta_pn. ring.
  - intros l Hl. destruct (Nat.eqb_spec l i) as [->|Li].
    + rewrite Aa, Gr, delta_other; auto. destruct (same k i); ring.
    + destruct (same i l) eqn:Sl.
      * rewrite Ab; auto. destruct (Nat.eq_dec l k) as [->|Lk]; [rewrite G1, delta_same, Nat.eqb_refl; auto; ring|].
        rewrite Gr, delta_other; auto; [destruct (same k l); ring|]. rewrite <- (same_move i l k Sl). auto.
      * rewrite Ac; auto. assert (Lk : l <> k) by congruence.
        rewrite Gf, delta_other; auto; [destruct (same k l); ring|]. rewrite same_sym, <- (same_move i k l S). auto.
Qed.

Lemma p_far i k : (i < n)%nat -> (k < n)%nat -> same i k = false -> p i k = pf.
Proof.
  intros Hi Hk S. rewrite <- G_sum. rewrite (sum_with i k _ (a * rho) (b * rho) (c * rho) (c * (1 - r)) (c * (r - rho))); auto.
  - unfold eta_pf. ring.
  - intros l Hl. destruct (Nat.eqb_spec l i) as [->|Li].
    + rewrite Aa, Gf, same_sym, S, delta_other; auto; [ring|]. intros ->. rewrite Nat.eqb_refl in S. discriminate.
    + destruct (same i l) eqn:Sl.
      * assert (Sk : same k l = false) by (rewrite same_sym, <- (same_move i l k Sl); auto).
        rewrite Ab, Gf, Sk, delta_other; auto; [ring|intros ->; congruence|rewrite same_sym; auto].
      * rewrite Ac; auto. destruct (Nat.eq_dec l k) as [->|Lk]; [rewrite G1, delta_same, Nat.eqb_refl; auto; ring|].
        rewrite delta_other; auto. destruct (same k l) eqn:Sk; [rewrite Gr|rewrite Gf]; auto; try ring; rewrite same_sym; auto.
Qed.

Lemma Y_is i : (i < n)%nat -> attention_norm2 d n beta x i = Y.
Proof.
  intros Hi. rewrite <- p_sum; auto. rewrite (sum3 i _ (a * ps) (b * pn) (c * pf)); auto.
  - unfold eta_Y. ring.
  - rewrite Aa, p_self; auto.
  - intros j Hj Hij S. rewrite Ab, p_near; auto.
  - intros j Hj S. rewrite Ac, p_far; auto.
Qed.

Lemma T_is i : (i < n)%nat -> trace_projected d n beta x i = eta_T r rho a B C b c E.
Proof.
  intros Hi. unfold trace_projected. rewrite (sum3 i _ 0 (b * (1 - pn - r * (r - ps))) (c * (1 - pf - rho * (rho - ps)))); auto.
  - unfold eta_T. ring.
  - rewrite !G1, p_self; auto. ring.
  - intros j Hj Hij S. rewrite Ab, G1, Gr, p_near, p_self; auto.
  - intros j Hj S. rewrite Ac, G1, Gf, p_far, p_self; auto.
Qed.

Lemma V_is i : (i < n)%nat -> covariance_norm2 d n beta x i = eta_V r rho a B C b c E.
Proof.
  intros Hi. unfold covariance_norm2.
  rewrite (sum_ext n _ (fun j => A i j * sum_to n (fun l => A i l * ((G j l - p i j - p i l + Y) * (G j l - G i j * G i l))))).
  2:{ intros j Hj. rewrite <- sum_scal. apply sum_ext; intros l Hl. rewrite (Y_is i Hi). ring. }
  set (nn := (1 - 2 * pn + Y) * (1 - r ^ 2)). set (nr := (r - 2 * pn + Y) * (r - r ^ 2)). set (nf := (rho - pn - pf + Y) * (rho - r * rho)).
  set (ff := (1 - 2 * pf + Y) * (1 - rho ^ 2)). set (fr := (r - 2 * pf + Y) * (r - rho ^ 2)). set (fo := (rho - 2 * pf + Y) * (rho - rho ^ 2)).
  rewrite (sum3 i _ 0 (b * (b * nn + (B - b) * nr + C * nf)) (c * (B * nf + c * ff + (E - c) * fr + (C - E) * fo))); auto.
  - unfold eta_V. fold nn nr nf ff fr fo. ring.
  - rewrite sum_zero; [ring|]. intros l Hl. rewrite (G1 i Hi). ring.
  - intros k Hk Hik S. rewrite Ab; auto. f_equal. rewrite (sum_with i k _ 0 (b * nr) (c * nf) (b * (nn - nr)) 0); auto; [ring|].
    intros l Hl. rewrite (Gr i k), (p_near i k); auto. destruct (Nat.eqb_spec l i) as [->|Li].
    + rewrite G1, (gram_sym d x k i), Gr, delta_other; auto. destruct (same k i); ring.
    + destruct (same i l) eqn:Sl.
      * rewrite Ab, (Gr i l), (p_near i l); auto. destruct (Nat.eq_dec l k) as [->|Lk].
        -- rewrite G1, delta_same, Nat.eqb_refl; auto. unfold nn, nr. ring.
        -- rewrite (Gr k l), delta_other; auto; [|rewrite <- (same_move i k l S); auto]. unfold nr. destruct (same k l); ring.
      * assert (Lk : l <> k) by congruence. rewrite Ac, (Gf i l), (p_far i l), (Gf k l), delta_other; auto; [|rewrite <- (same_move i k l S); auto].
        unfold nf. destruct (same k l); ring.
  - intros k Hk S. rewrite Ac; auto. f_equal.
    rewrite (sum_with i k _ 0 (b * nf) (c * fo) (c * (ff - fr)) (c * (fr - fo))); auto; [ring|].
    intros l Hl. rewrite (Gf i k), (p_far i k); auto. destruct (Nat.eqb_spec l i) as [->|Li].
    + rewrite G1, (gram_sym d x k i), Gf, same_sym, S, delta_other; auto; [ring|]. intros ->. rewrite Nat.eqb_refl in S. discriminate.
    + destruct (same i l) eqn:Sl.
      * assert (Sk : same k l = false) by (rewrite same_sym, <- (same_move i l k Sl); auto).
        rewrite Ab, (Gr i l), (p_near i l), (Gf k l), Sk, delta_other; auto; [|intros ->; congruence]. unfold nf. ring.
      * rewrite Ac, (Gf i l), (p_far i l); auto. destruct (Nat.eq_dec l k) as [->|Lk].
        -- rewrite G1, delta_same, Nat.eqb_refl; auto. unfold ff, fr, fo. ring.
        -- rewrite delta_other; auto. destruct (same k l) eqn:Sk; [rewrite (Gr k l)|rewrite (Gf k l)]; auto; unfold fr, fo; ring.
Qed.

Theorem three_jacobian_norm : (0 < d)%nat ->
  jacobian_norm d n beta alpha x = eta_form r rho a B C b c E (1 - / INR d) (beta / INR d) (beta ^ 2 / INR d) alpha q.
Proof.
  intros Hd. assert (D0 : 0 < INR d) by (apply lt_0_INR; auto). assert (N0 : 0 < INR n) by (apply lt_0_INR; auto).
  assert (S0 : 0 < sqrt q) by (apply sqrt_lt_R0; auto). assert (SS : sqrt q ^ 2 = q) by (simpl; rewrite Rmult_1_r, sqrt_def; lra).
  assert (R0 : forall i, (i < n)%nat -> norm d (x i) = sqrt q).
  { intros i Hi. unfold norm. rewrite (three_norm2_token d n K q r rho x HT i Hi). reflexivity. }
  assert (Row : forall i, (i < n)%nat -> sum_to n (fun k => block_norm2 d n beta alpha x i k)
    = INR d * eta_form r rho a B C b c E (1 - / INR d) (beta / INR d) (beta ^ 2 / INR d) alpha q).
  { intros i Hi. rewrite (sum3 i _ (block_norm2 d n beta alpha x i i)
      (b ^ 2 / q * ((INR d - 1) + 2 * beta * (r * pn - ps) + beta ^ 2 * ((1 - 2 * pn + Y) * (1 - r ^ 2))))
      (c ^ 2 / q * ((INR d - 1) + 2 * beta * (rho * pf - ps) + beta ^ 2 * ((1 - 2 * pf + Y) * (1 - rho ^ 2))))); auto.
    - rewrite (block_norm2_diagonal d n beta alpha x Hn Hx i Hi), R0, SS, Aa, T_is, V_is; auto.
      unfold eta_form, eta_other. set (TT := eta_T r rho a B C b c E). set (VV := eta_V r rho a B C b c E).
      set (yy := Y). set (n1 := pn). set (f1 := pf). set (s1 := ps). clearbody TT VV yy n1 f1 s1.
      set (b0 := b). set (c0 := c). set (a0 := a). clearbody a0 b0 c0. clear - D0 Hq S0. field. repeat split; lra.
    - intros k Hk Hik S. rewrite (block_norm2_off d n beta alpha x Hn Hx), R0, Ab, Gr, p_near, p_self, Y_is; auto. f_equal.
      unfold Rdiv. rewrite Rpow_mult_distr, pow_inv, SS. reflexivity.
    - intros k Hk S. assert (Hik : i <> k) by (intros ->; rewrite Nat.eqb_refl in S; discriminate).
      rewrite (block_norm2_off d n beta alpha x Hn Hx), R0, Ac, Gf, p_far, p_self, Y_is; auto. f_equal.
      unfold Rdiv. rewrite Rpow_mult_distr, pow_inv, SS. reflexivity. }
  rewrite jacobian_norm_blocks. rewrite (sum_ext n _ (fun _ => INR d * eta_form r rho a B C b c E (1 - / INR d) (beta / INR d) (beta ^ 2 / INR d) alpha q)).
  - rewrite sum_const. field. lra.
  - intros i Hi. apply Row; auto.
Qed.
End ThreeJacobian.

(* ---- For K = n^theta with nothing that grows, as in ThreeBandsScaled.v ---- *)

Definition scaled_eta (r rho m0 m1 m2 h k u w f g alpha q : R) : R :=
  let T := scaled_total m0 m1 m2 h k in
  eta_form r rho (m0 / T) (m1 * (1 - h) / T) (m2 * (1 - k) / T) (m1 * h / T) (m2 * u / T) (m2 * k / T) w f g alpha q.

(* What beta/d and beta^2/d multiply without residual. *)
Definition eta_beta (r rho a B C b c E : R) : R :=
  2 * a * eta_T r rho a B C b c E + 2 * (B * b * (r * eta_pn r rho a B C b - eta_ps r rho a B C))
  + 2 * (C * c * (rho * eta_pf r rho a B C c E - eta_ps r rho a B C)).
Definition eta_beta2 (r rho a B C b c E : R) : R :=
  eta_V r rho a B C b c E + B * b * ((1 - 2 * eta_pn r rho a B C b + eta_Y r rho a B C b c E) * (1 - r ^ 2))
  + C * c * ((1 - 2 * eta_pf r rho a B C c E + eta_Y r rho a B C b c E) * (1 - rho ^ 2)).

Lemma eta_split r rho a B C b c E w f g q : q <> 0 ->
  eta_form r rho a B C b c E w f g 0 q
  = ((a ^ 2 + B * b + C * c) * w + f * eta_beta r rho a B C b c E + g * eta_beta2 r rho a B C b c E) / q.
Proof.
  intros Hq. unfold eta_form, eta_other, eta_beta, eta_beta2. set (T := eta_T r rho a B C b c E). set (V := eta_V r rho a B C b c E).
  set (Y := eta_Y r rho a B C b c E). set (n1 := eta_pn r rho a B C b). set (f1 := eta_pf r rho a B C c E). set (s1 := eta_ps r rho a B C).
  clearbody T V Y n1 f1 s1. unfold Rdiv. rewrite !Rmult_0_r, !Rmult_0_l. field. auto.
Qed.

(* The distance from the limit (alpha^2 + (a0^2/q + 2 a0 alpha/sqrt q) w) over p. *)
Definition eta_distance (r rho a B C b c E w alpha q a0 a1 mass1 f1 g1 : R) : R :=
  ((a1 * (a + a0) + mass1) * w + f1 * eta_beta r rho a B C b c E + g1 * eta_beta2 r rho a B C b c E) / q
  + 2 * alpha / sqrt q * (a1 * w + f1 * eta_T r rho a B C b c E).

Theorem eta_tail r rho a B C b c E w f g alpha q p a0 a1 mass1 f1 g1 : 0 < q ->
  a - a0 = p * a1 -> B * b + C * c = p * mass1 -> f = p * f1 -> g = p * g1 ->
  eta_form r rho a B C b c E w f g alpha q - (alpha ^ 2 + (a0 ^ 2 / q + 2 * alpha / sqrt q * a0) * w)
  = p * eta_distance r rho a B C b c E w alpha q a0 a1 mass1 f1 g1.
Proof.
  intros Hq E0 E1 E2 E3. pose proof (eta_split r rho a B C b c E w f g q ltac:(lra)) as S.
  assert (S2 : eta_form r rho a B C b c E w f g alpha q = eta_form r rho a B C b c E w f g 0 q + 2 * alpha / sqrt q * (a * w + f * eta_T r rho a B C b c E) + alpha ^ 2).
  { unfold eta_form, Rdiv. ring. }
  rewrite S2, S. unfold eta_distance. set (X1 := eta_beta _ _ _ _ _ _ _ _). set (X2 := eta_beta2 _ _ _ _ _ _ _ _). set (T := eta_T _ _ _ _ _ _ _ _). clearbody X1 X2 T.
  clear S S2. subst f g. assert (Ea : a ^ 2 - a0 ^ 2 = p * (a1 * (a + a0))) by (rewrite <- Rmult_assoc, <- E0; ring).
  pose proof (sqrt_lt_R0 q Hq). set (sq := sqrt q) in *. clearbody sq.
  replace (a ^ 2 + B * b + C * c) with (a0 ^ 2 + p * (a1 * (a + a0)) + p * mass1) by (rewrite <- Ea, <- E1; ring).
  replace (a * w) with (a0 * w + p * a1 * w) by (rewrite <- E0; ring). field. lra.
Qed.

Section ScaledJacobian.
Variables (d n K : nat) (q r rho theta gamma e0 : R) (x : tokens).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Hypotheses (Hn : (2 <= n)%nat) (Hq : 0 < q) (HK : INR K = Rpower (INR n) theta) (HT : three_bands d n K q r rho x) (Hd : (0 < d)%nat).
Notation m0 := (exp (- e0 * t)).
Notation m1 := (exp ((theta - gamma * (1 - r) - e0) * t)).
Notation m2 := (exp ((1 - gamma * (1 - rho) - e0) * t)).
Notation h := (exp (- theta * t)).
Notation k := (exp ((theta - 1) * t)).
Notation u := (exp (- t)).
Notation T := (scaled_total m0 m1 m2 h k).

Theorem scaled_jacobian_norm alpha : jacobian_norm d n beta alpha x
  = scaled_eta r rho m0 m1 m2 h k u (1 - / INR d) (beta / INR d) (beta ^ 2 / INR d) alpha q.
Proof.
  rewrite (three_jacobian_norm d n K q r rho beta alpha x ltac:(lia) Hq HT Hd). unfold scaled_eta.
  rewrite (scaled_near_share d n K q r rho theta gamma e0 x Hn HK HT), (scaled_far_share d n K q r rho theta gamma e0 x Hn HK HT).
  rewrite (scaled_a d n K q r rho theta gamma e0 x Hn HK HT), (scaled_b d n K q r rho theta gamma e0 x Hn HK HT).
  assert (EE : INR K * three_far n K r rho beta = m2 * k / T).
  { rewrite (scaled_c d n K q r rho theta gamma e0 x Hn HK HT).
    pose proof (scaled_total_pos d n K q r rho theta gamma e0 x Hn HK HT) as TP. set (T0 := T) in *. clearbody T0.
    rewrite <- (scaled_k n K theta Hn HK), <- (scaled_u n Hn). pose proof (size_ge_2 n Hn). field. repeat split; lra. }
  rewrite EE, (scaled_c d n K q r rho theta gamma e0 x Hn HK HT). reflexivity.
Qed.

(* d = n^delta. *)
Variable delta : R.
Hypothesis HD : INR d = Rpower (INR n) delta.

Lemma inverse_dimension : / INR d = exp (- delta * t).
Proof. rewrite HD. unfold Rpower. rewrite <- exp_Ropp. f_equal. ring. Qed.

Theorem scaled_jacobian_value alpha : jacobian_norm d n beta alpha x
  = scaled_eta r rho m0 m1 m2 h k u (1 - exp (- delta * t)) (beta * exp (- delta * t)) (beta ^ 2 * exp (- delta * t)) alpha q.
Proof. rewrite scaled_jacobian_norm. unfold Rdiv. rewrite inverse_dimension. reflexivity. Qed.

(* Without residual, with n^e as a factor. *)
Theorem scaled_jacobian_times e : jacobian_norm d n beta 0 x
  = exp (e * t) * (((exp ((- (2) * e0 - e) * t) + exp ((2 * (theta - gamma * (1 - r) - e0) - theta - e) * t) * (1 - h)
                     + exp ((2 * (1 - gamma * (1 - rho) - e0) - 1 - e) * t) * (1 - k)) / T ^ 2 * (1 - exp (- delta * t))
    + exp ((- e - delta) * t) * (beta * eta_beta r rho (m0 / T) (m1 * (1 - h) / T) (m2 * (1 - k) / T) (m1 * h / T) (m2 * u / T) (m2 * k / T)
      + beta ^ 2 * eta_beta2 r rho (m0 / T) (m1 * (1 - h) / T) (m2 * (1 - k) / T) (m1 * h / T) (m2 * u / T) (m2 * k / T))) / q).
Proof.
  rewrite (scaled_jacobian_value 0). unfold scaled_eta. rewrite eta_split; [|lra].
  pose proof (scaled_total_pos d n K q r rho theta gamma e0 x Hn HK HT) as TP. set (T0 := T) in *. clearbody T0.
  set (X1 := eta_beta _ _ _ _ _ _ _ _). set (X2 := eta_beta2 _ _ _ _ _ _ _ _). clearbody X1 X2.
  assert (F0 : m0 ^ 2 = exp (e * t) * exp ((- (2) * e0 - e) * t)) by (simpl; rewrite Rmult_1_r, <- !exp_plus; f_equal; ring).
  assert (F1 : m1 ^ 2 * h = exp (e * t) * exp ((2 * (theta - gamma * (1 - r) - e0) - theta - e) * t)).
  { simpl. rewrite Rmult_1_r, <- !exp_plus. f_equal. ring. }
  assert (F2 : m2 ^ 2 * u = exp (e * t) * exp ((2 * (1 - gamma * (1 - rho) - e0) - 1 - e) * t)).
  { simpl. rewrite Rmult_1_r, <- !exp_plus. f_equal. ring. }
  assert (F3 : exp (- delta * t) = exp (e * t) * exp ((- e - delta) * t)) by (rewrite <- exp_plus; f_equal; ring).
  replace ((m0 / T0) ^ 2 + m1 * (1 - h) / T0 * (m1 * h / T0) + m2 * (1 - k) / T0 * (m2 * u / T0))
    with ((m0 ^ 2 + (m1 ^ 2 * h) * (1 - h) + (m2 ^ 2 * u) * (1 - k)) / T0 ^ 2) by (field; lra).
  rewrite F0, F1, F2. rewrite F3 at 2 3. field. lra.
Qed.
End ScaledJacobian.
