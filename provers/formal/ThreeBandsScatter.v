(* That scatter on three bands in closed form, and with it the Jacobian norm without residual between two bounds, at any n, K,
   beta and d. With a, b, c the weights, B and C the masses and e1 = beta (1-r), e2 = beta (1-rho):
     q eta <= (1 - 1/d) (a^2 + B b + C c) + [4 a (B e1 + C e2) + 2 B b C (e2 - e1) + beta^2 |C_i|^2 + 4 B b e1 e2 + 4 C c e2^2]/d.
   Uses Scatter.v and ThreeBandsJacobian.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Jacobian Frobenius Bounds JacobianBounds Rows Bands ThreeBands ThreeBandsForms
  ThreeBandsScaled ThreeBandsJacobian ClassCertificates Scatter.
Open Scope R_scope.

(* sum_jl A_ij A_il (G_jl - g)^2 with o = (1-g)^2, u = (r-g)^2, v = (rho-g)^2, and the bound of eta *)

Definition scatter_form (a B C b c E o u v : R) : R :=
  a * (a * o + B * u + C * v) + B * ((a + B) * u + C * v + b * (o - u)) + C * ((a + B + C) * v + E * (u - v) + c * (o - u)).

Section Bound.
Variables (d n K : nat) (q r rho beta : R) (x : tokens).
Hypotheses (Hn : (0 < n)%nat) (Hq : 0 < q) (HT : three_bands d n K q r rho x) (Hb : 0 <= beta) (Hr : 0 <= rho <= r) (Hr1 : r <= 1).
Notation A := (weight d n beta x).
Notation G := (gram d x).
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

Theorem three_scatter g i : (i < n)%nat ->
  sum_to n (fun j => A i j * sum_to n (fun l => A i l * (G j l - g) ^ 2))
  = scatter_form a B C b c E ((1 - g) ^ 2) ((r - g) ^ 2) ((rho - g) ^ 2).
Proof.
  intros Hi. set (o := (1 - g) ^ 2). set (u := (r - g) ^ 2). set (v := (rho - g) ^ 2).
  assert (Go : forall j, (j < n)%nat -> G j j = 1) by (apply (three_gram_self d n K q r rho x Hq HT)).
  assert (Gr : forall j l, (j < n)%nat -> (l < n)%nat -> j <> l -> same j l = true -> G j l = r) by (apply (three_gram_near d n K q r rho x HT)).
  assert (Gf : forall j l, (j < n)%nat -> (l < n)%nat -> same j l = false -> G j l = rho) by (apply (three_gram_far d n K q r rho x HT)).
  assert (Ao : A i i = a) by (apply (three_self_weight d n K q r rho beta x Hn Hq HT); auto).
  assert (Ar : forall l, (l < n)%nat -> i <> l -> same i l = true -> A i l = b) by (intros; apply (three_near_weight d n K q r rho beta x Hn Hq HT); auto).
  assert (Af : forall l, (l < n)%nat -> same i l = false -> A i l = c) by (intros; apply (three_far_weight d n K q r rho beta x Hn Hq HT); auto).
  rewrite (three_sum d n K q r rho x Hn HT i _ (a * (a * o + B * u + C * v)) (b * ((a + B) * u + C * v + b * (o - u)))
    (c * ((a + B + C) * v + E * (u - v) + c * (o - u)))); auto.
  - unfold scatter_form. ring.
  - rewrite Ao. f_equal. rewrite (three_sum d n K q r rho x Hn HT i _ (a * o) (b * u) (c * v)); auto; [ring|rewrite Ao, Go; auto| |].
    + intros j Hj Hij S. rewrite Ar, Gr; auto.
    + intros j Hj S. rewrite Af, Gf; auto.
  - intros k Hk Hik S. rewrite Ar; auto. f_equal.
    rewrite (sum_with d n K q r rho x Hn HT i k _ (a * u) (b * u) (c * v) (b * (o - u)) 0); auto; [ring|].
    intros l Hl. destruct (Nat.eqb_spec l i) as [->|Li].
    + rewrite Ao, (gram_sym d x k i), Gr, delta_other; auto. destruct (same k i); unfold u; ring.
    + destruct (same i l) eqn:Sl.
      * rewrite Ar; auto. destruct (Nat.eq_dec l k) as [->|Lk].
        -- rewrite Go, delta_same, Nat.eqb_refl; auto. unfold o. ring.
        -- rewrite Gr, delta_other; auto; [destruct (same k l); unfold u; ring|]. rewrite <- (same_move K i k l S). auto.
      * assert (Lk : l <> k) by congruence. rewrite Af, Gf, delta_other; auto; [destruct (same k l); unfold v; ring|].
        rewrite <- (same_move K i k l S). auto.
  - intros k Hk S. rewrite Af; auto. f_equal.
    rewrite (sum_with d n K q r rho x Hn HT i k _ (a * v) (b * v) (c * v) (c * (o - u)) (c * (u - v))); auto; [ring|].
    intros l Hl. destruct (Nat.eqb_spec l i) as [->|Li].
    + rewrite Ao, (gram_sym d x k i), Gf, same_sym, S, delta_other; auto; [unfold v; ring|]. intros ->. rewrite Nat.eqb_refl in S. discriminate.
    + destruct (same i l) eqn:Sl.
      * assert (Sk : same k l = false) by (rewrite same_sym, <- (same_move K i l k Sl); auto).
        rewrite Ar, Gf, Sk, delta_other; auto; [unfold v; ring|intros ->; congruence].
      * rewrite Af; auto. destruct (Nat.eq_dec l k) as [->|Lk].
        -- rewrite Go, delta_same, Nat.eqb_refl; auto. unfold o. ring.
        -- rewrite delta_other; auto. destruct (same k l) eqn:Sk; [rewrite Gr|rewrite Gf]; auto; unfold u, v; ring.
Qed.

(* What the weights satisfy. *)
Lemma three_weights : 0 < c /\ c <= b <= a /\ 0 <= B <= 1 /\ 0 <= C <= 1 /\ a + B + C = 1 /\ b * B <= B * B /\ c * C <= E * C /\ E * C <= C * C.
Proof.
  pose proof (three_total_pos d n K q r rho beta x Hn HT) as TP. pose proof (three_masses_sum d n K q r rho beta x Hn HT) as S.
  assert (TI : 0 < / three_total n K r rho beta) by (apply Rinv_0_lt_compat; auto).
  assert (E1 : exp (- beta * (1 - r)) <= 1) 
    by (apply Rle_trans with (exp 0); [apply exp_le; assert (0 <= beta * (1 - r)) by (apply Rmult_le_pos; lra)|rewrite exp_0]; lra).
  assert (E2 : exp (- beta * (1 - rho)) <= exp (- beta * (1 - r))).
  { apply exp_le. assert (0 <= beta * (r - rho)) by (apply Rmult_le_pos; lra). lra. }
  assert (c0 : 0 < c) by (unfold three_far, Rdiv; apply Rmult_lt_0_compat; [apply exp_pos|auto]).
  assert (cb : c <= b) by (unfold three_far, three_near, Rdiv; apply Rmult_le_compat_r; lra).
  assert (ba : b <= a).
  { unfold three_near, three_self, Rdiv. rewrite <- (Rmult_1_l (/ three_total n K r rho beta)) at 2. apply Rmult_le_compat_r; lra. }
  assert (K1 : 1 <= INR K) by (apply (le_INR 1); pose proof (proj1 HT); lia).
  destruct (proj1 (proj2 HT)) as [m Hm]. assert (Em : INR n = INR m * INR K) by (rewrite Hm, mult_INR; reflexivity).
  assert (m1 : 1 <= INR m) by (apply (le_INR 1); destruct m; simpl in Hm; lia).
  assert (KB : 0 <= B) by (apply Rmult_le_pos; lra).
  assert (nK : INR n - INR K = (INR m - 1) * INR K) by (rewrite Em; ring).
  assert (KC : 0 <= C) by (rewrite nK; apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  assert (cE : c <= E) by (rewrite <- (Rmult_1_l c) at 1; apply Rmult_le_compat_r; lra).
  repeat split; try lra.
  - destruct (Nat.eq_dec K 1) as [->|K2]; [simpl; lra|]. apply Rmult_le_compat_r; auto.
    assert (2 <= INR K) by (apply (le_INR 2); pose proof (proj1 HT); lia). rewrite <- (Rmult_1_l b) at 1. apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_r; auto.
  - rewrite nK in KC |- *. destruct (Nat.eq_dec m 1) as [->|M2]; [simpl; lra|]. apply Rmult_le_compat_r; auto.
    assert (2 <= INR m) by (apply (le_INR 2); destruct m as [|[|m]]; [simpl in Hm; lia|contradiction|lia]).
    apply Rmult_le_compat_r; [lra|]. rewrite <- (Rmult_1_l (INR K)) at 1. apply Rmult_le_compat_r; lra.
Qed.

Lemma three_means : ps = a + B * r + C * rho /\ rho <= ps /\ rho <= pn <= 1 /\ rho <= pf /\ C * pf <= C /\ Y <= 1.
Proof.
  destruct three_weights as (c0 & [cb ba] & B0 & C0 & S & _ & _ & EC). assert (E0 : 0 <= E) by (apply Rmult_le_pos; [apply pos_INR|lra]).
  assert (S1 : a = 1 - B - C) by lra. assert (P1 : 0 <= b * (1 - r)) by (apply Rmult_le_pos; lra). assert (P2 : b * (1 - r) <= a * (1 - r)) by (apply Rmult_le_compat_r; lra).
  assert (P3 : 0 <= (a + B) * (r - rho)) by (apply Rmult_le_pos; lra). assert (P4 : 0 <= C * (1 - rho)) by (apply Rmult_le_pos; lra).
  assert (P5 : 0 <= B * (1 - r)) by (apply Rmult_le_pos; lra). assert (P6 : 0 <= c * (1 - r)) by (apply Rmult_le_pos; lra).
  assert (P7 : 0 <= E * (r - rho)) by (apply Rmult_le_pos; lra). assert (P8 : 0 <= a * (1 - r)) by (apply Rmult_le_pos; lra).
  assert (Ep : pf = rho + c * (1 - r) + E * (r - rho)) by (unfold eta_pf; rewrite S1; ring).
  assert (En : pn = (a + B) * r + C * rho + b * (1 - r)) by (unfold eta_pn; ring).
  split; [reflexivity|]. split; [|split; [|split; [|split]]].
  - unfold eta_ps. rewrite S1 in P3, P8 |- *. lra.
  - rewrite En. rewrite S1 in P2, P3, P8 |- *. split; lra.
  - lra.
  - rewrite Ep. assert (Q1 : C * (c * (1 - r)) <= C * (a * (1 - rho))).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra. }
    assert (Q2 : C * (E * (r - rho)) <= C * (C * (r - rho))) by (rewrite <- !Rmult_assoc; apply Rmult_le_compat_r; lra).
    assert (Q3 : C * (C * (r - rho)) <= C * (C * (1 - rho))) by (apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_l; lra).
    assert (Q4 : 0 <= C * (B * (1 - rho))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
    assert (Q5 : C * (a * (1 - rho)) + C * (C * (1 - rho)) + C * (B * (1 - rho)) = C * (1 - rho)) by (rewrite S1; ring). lra.
  - rewrite <- (Y_is d n K q r rho beta x Hn Hq HT 0 Hn). apply attention_norm2_le_1; auto.
Qed.

(* What is divided by d, with e1 = beta (1-r), e2 = beta (1-rho) and s for beta^2 times the scatter. *)
Definition block_terms (a B C b c e1 e2 s : R) : R :=
  4 * (a * (B * e1 + C * e2)) + 2 * (B * b * (C * (e2 - e1))) + s + 4 * (B * b * (e1 * e2)) + 4 * (C * c * e2 ^ 2).

Theorem three_jacobian_le g : (0 < d)%nat ->
  q * jacobian_norm d n beta 0 x <= (1 - / INR d) * (a ^ 2 + B * b + C * c)
    + / INR d * block_terms a B C b c (beta * (1 - r)) (beta * (1 - rho)) (beta ^ 2 * scatter_form a B C b c E ((1 - g) ^ 2) ((r - g) ^ 2) ((rho - g) ^ 2)).
Proof.
  intros Hd. assert (D0 : 0 < INR d) by (apply lt_0_INR; auto). rewrite (three_jacobian_norm d n K q r rho beta 0 x Hn Hq HT Hd).
  destruct three_weights as (c0 & [cb ba] & B0 & C0 & S & _ & _ & EC). destruct three_means as (Es & Rs & Rn & Rf & Cf & Y1).
  assert (T1 : eta_T r rho a B C b c E <= 2 * (1 - ps)).
  { rewrite <- (T_is d n K q r rho beta x Hn Hq HT 0 Hn), <- (p_self d n K q r rho beta x Hn Hq HT 0 Hn). apply trace_le_self; auto. }
  assert (V1 : eta_V r rho a B C b c E <= scatter_form a B C b c E ((1 - g) ^ 2) ((r - g) ^ 2) ((rho - g) ^ 2)).
  { rewrite <- (V_is d n K q r rho beta x Hn Hq HT 0 Hn), <- (three_scatter g 0 Hn). apply covariance_le_scatter; auto. }
  unfold eta_form, eta_other, block_terms. set (Sc := scatter_form _ _ _ _ _ _ _ _ _) in *. set (T := eta_T _ _ _ _ _ _ _ _) in *. set (V := eta_V _ _ _ _ _ _ _ _) in *.
  set (yy := Y) in *. set (n1 := pn) in *. set (f1 := pf) in *. set (s1 := ps) in *. set (BB := B) in *. set (CC := C) in *.
  set (a0 := a) in *. set (b0 := b) in *. set (c1 := c) in *. set (E1 := E) in *. clearbody Sc T V yy n1 f1 s1 BB CC a0 b0 c1 E1.
  assert (Di : 0 < / INR d) by (apply Rinv_0_lt_compat; auto). unfold Rdiv. set (D := / INR d) in *. clearbody D. clear D0.
  assert (Bb : 0 <= BB * b0) by (apply Rmult_le_pos; lra). assert (Cc : 0 <= CC * c1) by (apply Rmult_le_pos; lra).
  assert (H1 : a0 * T <= a0 * (2 * (BB * (1 - r) + CC * (1 - rho)))).
  { apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (1 := T1). rewrite Es. replace a0 with (1 - BB - CC) by lra. lra. }
  assert (H2 : BB * b0 * (r * n1 - s1) <= BB * b0 * (CC * (r - rho))).
  { apply Rmult_le_compat_l; auto. assert (r * n1 <= r * 1) by (apply Rmult_le_compat_l; lra). assert (0 <= a0 * (1 - r)) by (apply Rmult_le_pos; lra).
    rewrite Es. replace BB with (1 - a0 - CC) by lra. lra. }
  assert (H3 : CC * c1 * (rho * f1 - s1) <= 0).
  { replace (CC * c1 * (rho * f1 - s1)) with (c1 * (rho * (CC * f1) - CC * s1)) by ring.
    assert (rho * (CC * f1) <= rho * CC) by (apply Rmult_le_compat_l; lra). assert (CC * rho <= CC * s1) by (apply Rmult_le_compat_l; lra).
    assert (0 <= c1 * (CC * s1 - rho * (CC * f1))) by (apply Rmult_le_pos; lra). lra. }
  assert (r2 : 0 <= 1 - r ^ 2 <= 2 * (1 - r)).
  { replace (1 - r ^ 2) with ((1 - r) * (1 + r)) by ring. split; [apply Rmult_le_pos; lra|]. rewrite Rmult_comm. apply Rmult_le_compat_r; lra. }
  assert (o2 : 0 <= 1 - rho ^ 2 <= 2 * (1 - rho)).
  { replace (1 - rho ^ 2) with ((1 - rho) * (1 + rho)) by ring. split; [apply Rmult_le_pos; lra|]. rewrite Rmult_comm. apply Rmult_le_compat_r; lra. }
  assert (H5 : BB * b0 * ((1 - 2 * n1 + yy) * (1 - r ^ 2)) <= BB * b0 * (4 * ((1 - r) * (1 - rho)))).
  { apply Rmult_le_compat_l; auto. apply Rle_trans with (2 * (1 - rho) * (1 - r ^ 2)); [apply Rmult_le_compat_r; lra|].
    replace (4 * ((1 - r) * (1 - rho))) with (2 * (1 - rho) * (2 * (1 - r))) by ring. apply Rmult_le_compat_l; lra. }
  assert (H6 : CC * c1 * ((1 - 2 * f1 + yy) * (1 - rho ^ 2)) <= CC * c1 * (4 * ((1 - rho) * (1 - rho)))).
  { apply Rmult_le_compat_l; auto. apply Rle_trans with (2 * (1 - rho) * (1 - rho ^ 2)); [apply Rmult_le_compat_r; lra|].
    replace (4 * ((1 - rho) * (1 - rho))) with (2 * (1 - rho) * (2 * (1 - rho))) by ring. apply Rmult_le_compat_l; lra. }
  assert (bD : 0 <= D * beta) by (apply Rmult_le_pos; lra). assert (b2D : 0 <= D * beta ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
  assert (X1 : D * beta * (2 * (a0 * T) + 2 * (BB * b0 * (r * n1 - s1)) + 2 * (CC * c1 * (rho * f1 - s1)))
    <= D * beta * (2 * (a0 * (2 * (BB * (1 - r) + CC * (1 - rho)))) + 2 * (BB * b0 * (CC * (r - rho))))) by (apply Rmult_le_compat_l; lra).
  assert (X2 : D * beta ^ 2 * (V + BB * b0 * ((1 - 2 * n1 + yy) * (1 - r ^ 2)) + CC * c1 * ((1 - 2 * f1 + yy) * (1 - rho ^ 2)))
    <= D * beta ^ 2 * (Sc + BB * b0 * (4 * ((1 - r) * (1 - rho))) + CC * c1 * (4 * ((1 - rho) * (1 - rho))))) by (apply Rmult_le_compat_l; lra).
  pose proof (sqrt_lt_R0 q Hq) as Q. clear - Hq X1 X2 Q.
  match goal with |- ?z <= _ => replace z with ((1 - D) * (a0 ^ 2 + BB * b0 + CC * c1)
    + D * beta * (2 * (a0 * T) + 2 * (BB * b0 * (r * n1 - s1)) + 2 * (CC * c1 * (rho * f1 - s1)))
    + D * beta ^ 2 * (V + BB * b0 * ((1 - 2 * n1 + yy) * (1 - r ^ 2)) + CC * c1 * ((1 - 2 * f1 + yy) * (1 - rho ^ 2)))) by (field; lra) end.
  lra.
Qed.

Theorem three_jacobian_ge : (0 < d)%nat -> (1 - / INR d) * a ^ 2 <= q * jacobian_norm d n beta 0 x.
Proof.
  intros Hd. assert (D0 : 0 < INR d) by (apply lt_0_INR; auto).
  assert (P : (1 - / INR d) * a ^ 2 / q <= jacobian_norm d n beta 0 x).
  { apply (jacobian_norm_ge_rows d n beta 0 x Hn Hd). intros i Hi.
    apply Rle_trans with (2 := row_ge d n beta 0 x Hn Hd Hb (Rle_refl 0) Hx i q Hi (or_intror (three_norm2_token d n K q r rho x HT i Hi))).
    rewrite (three_self_weight d n K q r rho beta x Hn Hq HT i Hi). right. unfold Rdiv. rewrite Rmult_0_r, !Rmult_0_l. simpl. field. lra. }
  apply (Rmult_le_compat_l q) in P; [|lra]. replace (q * ((1 - / INR d) * a ^ 2 / q)) with ((1 - / INR d) * a ^ 2) in P by (field; lra). auto.
Qed.
End Bound.
