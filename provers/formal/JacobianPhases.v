(* The Jacobian norm of three bands without residual in the three phases, for all n >= N and d >= n: bounds of its blocks
   from inequalities between the tokens, times n^-kappa, in which `interval` bounds the certificates' constants. With a, b, c the
   weights, B and C the masses and e1 = beta (1-r), e2 = beta (1-rho):
     q eta <= (1 - 1/d) (a^2 + B b + C c) + [4 a (B e1 + C e2) + 2 B b C (e2 - e1) + beta^2 |C_i|^2 + 4 B b e1 e2 + 4 C c e2^2]/d.
   Uses JacobianBounds.v and ThreeBandsJacobian.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Jacobian Frobenius Bounds JacobianBounds Rows Bands ThreeBands ThreeBandsForms
  ThreeBandsScaled ThreeBandsJacobian ClassCertificates.
Open Scope R_scope.

(* ---- Any tokens: V_i <= |C_i|^2 <= sum_jl A_ij A_il (G_jl - g)^2 for every g ---- *)

Section Scatter.
Variables (d n : nat) (beta : R) (x : tokens).
Hypothesis Hx : forall i, (i < n)%nat -> 0 < inner d (x i) (x i).
Notation G := (gram d x).
Notation A := (weight d n beta x).
Notation p := (attention_on d n beta x).
Notation Y := (attention_norm2 d n beta x).
Notation V := (covariance_norm2 d n beta x).

Lemma spread_sym i j l : spread d n beta x i j l = spread d n beta x i l j.
Proof. unfold spread. rewrite (gram_sym d x j l). ring. Qed.

(* |C_i y_i|^2 >= 0 *)
Lemma covariance_le_spread i : (i < n)%nat ->
  V i <= sum_to n (fun j => A i j * sum_to n (fun l => A i l * spread d n beta x i j l ^ 2)).
Proof.
  intros Hi. rewrite covariance_squares; auto. set (s := spread d n beta x i). set (z := along d n beta x i).
  assert (P : 0 <= sum_to n (fun j => A i j * sum_to n (fun l => A i l * (s j l * (z j * z l))))).
  { pose proof (inner_self_nonneg d (fun e => sum_to n (fun j => A i j * z j * displacement d n beta x i j e))) as P.
    match type of P with 0 <= ?y => replace y with (sum_to n (fun j => A i j * sum_to n (fun l => A i l * (s j l * (z j * z l))))) in P end; auto.
    symmetry. unfold inner.
    rewrite (sum_ext d _ (fun e => sum_to n (fun j => sum_to n (fun l => A i j * z j * displacement d n beta x i j e * (A i l * z l * displacement d n beta x i l e))))).
    2:{ intros e He. rewrite <- sum_scal_r. apply sum_ext; intros j Hj. rewrite <- sum_scal. reflexivity. }
    rewrite sum_swap. apply sum_ext; intros j Hj. rewrite sum_swap, <- sum_scal. apply sum_ext; intros l Hl.
    unfold s. rewrite <- (spread_inner d n beta x i j l Hi Hj Hl). unfold inner.
    rewrite (sum_ext d _ (fun e => (A i j * z j * A i l * z l) * (displacement d n beta x i j e * displacement d n beta x i l e))); [|intros; ring].
    rewrite sum_scal. ring. }
  match goal with |- ?y <= ?u => assert (E : u = y + sum_to n (fun j => A i j * sum_to n (fun l => A i l * (s j l * (z j * z l))))) end; [|lra].
  rewrite <- sum_plus. apply sum_ext; intros j Hj. rewrite <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext; intros l Hl.
  unfold s, z. ring.
Qed.

Theorem covariance_le_scatter i g : (i < n)%nat ->
  V i <= sum_to n (fun j => A i j * sum_to n (fun l => A i l * (G j l - g) ^ 2)).
Proof.
  intros Hi. apply Rle_trans with (1 := covariance_le_spread i Hi).
  (* s_jl = (G_jl - g) - k_j - k_l + m *)
  set (k := fun j => p i j - g). set (m := Y i - g).
  assert (Sk : sum_to n (fun j => A i j * k j) = m).
  { unfold k, m. rewrite (sum_ext n _ (fun j => A i j * p i j + (- g) * A i j)); [|intros; ring].
    rewrite sum_plus, sum_scal, p_sum, weights_sum; auto. ring. }
  assert (Sg : forall j, (j < n)%nat -> sum_to n (fun l => A i l * (G j l - g)) = k j).
  { intros j Hj. unfold k. rewrite (sum_ext n _ (fun l => A i l * G j l + (- g) * A i l)); [|intros; ring].
    rewrite sum_plus, sum_scal, G_sum_sym, weights_sum; auto. ring. }
  set (S2 := sum_to n (fun j => A i j * k j ^ 2)).
  assert (J : m ^ 2 <= S2).
  { assert (P : 0 <= sum_to n (fun j => A i j * (k j - m) ^ 2)).
    { apply sum_nonneg; intros. apply Rmult_le_pos; [apply weight_nonneg; auto|apply pow2_ge_0]. }
    rewrite (sum_ext n _ (fun j => A i j * k j ^ 2 + ((- (2) * m) * (A i j * k j) + m ^ 2 * A i j))) in P; [|intros; ring].
    rewrite !sum_plus, !sum_scal, Sk, weights_sum in P; auto. fold S2 in P. lra. }
  assert (E : forall j, (j < n)%nat -> sum_to n (fun l => A i l * spread d n beta x i j l ^ 2)
    = sum_to n (fun l => A i l * (G j l - g) ^ 2) + (S2 - m ^ 2) - k j ^ 2 + 2 * m * k j
      - 2 * sum_to n (fun l => A i l * ((G j l - g) * k l))).
  { intros j Hj. rewrite (sum_ext n _ (fun l => (A i l * (G j l - g) ^ 2 + A i l * k l ^ 2)
      + ((- (2) * k j + 2 * m) * (A i l * (G j l - g)) + ((2 * k j - 2 * m) * (A i l * k l) + ((k j - m) ^ 2 * A i l + (-2) * (A i l * ((G j l - g) * k l))))))).
    - rewrite !sum_plus, !sum_scal, Sg, Sk, weights_sum; auto. fold S2. ring.
    - intros l Hl. unfold spread, k, m. ring. }
  rewrite (sum_ext n _ (fun j => (A i j * sum_to n (fun l => A i l * (G j l - g) ^ 2) + (-1) * (A i j * k j ^ 2))
    + ((S2 - m ^ 2) * A i j + ((2 * m) * (A i j * k j) + (-2) * (A i j * sum_to n (fun l => A i l * ((G j l - g) * k l))))))).
  - rewrite !sum_plus, !sum_scal, Sk, weights_sum; auto. fold S2.
    assert (Q : sum_to n (fun j => A i j * sum_to n (fun l => A i l * ((G j l - g) * k l))) = S2).
    { rewrite (sum_ext n _ (fun j => sum_to n (fun l => A i l * k l * (A i j * (G j l - g))))).
      - rewrite sum_swap. unfold S2. apply sum_ext; intros l Hl. rewrite sum_scal.
        rewrite (sum_ext n _ (fun j => A i j * (G l j - g))); [|intros; rewrite (gram_sym d x l); reflexivity]. rewrite Sg; auto. ring.
      - intros j Hj. rewrite <- sum_scal. apply sum_ext; intros; ring. }
    rewrite Q. pose proof (pow2_ge_0 m). lra.
  - intros j Hj. rewrite E; auto. ring.
Qed.

(* T_i <= 1 - Y_i <= 2 (1 - <m_i, y_i>) *)
Lemma trace_le_self i : (i < n)%nat -> trace_projected d n beta x i <= 2 * (1 - p i i).
Proof.
  intros Hi. apply Rle_trans with (1 := trace_le d n beta x Hx i Hi). pose proof (spread_self_nonneg d n beta x i i Hi Hi) as P.
  unfold spread in P. rewrite gram_self in P; auto. lra.
Qed.
End Scatter.

(* ---- Three bands: sum_jl A_ij A_il (G_jl - g)^2 with o = (1-g)^2, u = (r-g)^2, v = (rho-g)^2, and the bound of eta ---- *)

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

(* ---- Those terms where one mass dominates: plain inequalities between weights ---- *)

Section Terms.
Variables (a B C b c E e1 e2 : R).
Hypotheses (Ha : 0 <= a) (HB : 0 <= B) (HC : 0 <= C) (HS : a + B + C = 1) (Hb : 0 <= b <= a) (Hc : 0 <= c) (He : 0 <= e1 <= e2).
Hypotheses (HbB : b * B <= B * B) (HcE : c * C <= E * C) (HEC : E * C <= C * C).
Notation Q := (a ^ 2 + B * b + C * c).
Notation terms s := (block_terms a B C b c e1 e2 s).
Notation scatter := (scatter_form a B C b c E).

Let Bb : 0 <= B * b.
Proof. apply Rmult_le_pos; lra. Qed.
Let Cc : 0 <= C * c.
Proof. apply Rmult_le_pos; lra. Qed.
Let He2 : 0 <= (e2 - e1) ^ 2 <= e2 ^ 2 /\ 0 <= e1 * e2 <= e2 ^ 2 /\ 0 <= e1 ^ 2 <= e2 ^ 2.
Proof.
  assert (0 <= e1 * e2) by (apply Rmult_le_pos; lra). assert (0 <= e1 * e1) by (apply Rmult_le_pos; lra). assert (0 <= e2 * e2) by (apply Rmult_le_pos; lra).
  assert (e1 * e1 <= e1 * e2) by (apply Rmult_le_compat_l; lra). assert (e1 * e2 <= e2 * e2) by (apply Rmult_le_compat_r; lra).
  repeat split; try apply pow2_ge_0; try lra; simpl; lra.
Qed.

Lemma squares_at_most_1 : Q <= 1.
Proof.
  assert (B * b <= B * a) by (apply Rmult_le_compat_l; lra). assert (0 <= B * C) by (apply Rmult_le_pos; auto).
  assert (0 <= a * C) by (apply Rmult_le_pos; auto). assert (0 <= a * B) by (apply Rmult_le_pos; auto). assert (0 <= B * B) by (apply Rmult_le_pos; auto).
  assert (a = 1 - B - C) by lra. replace 1 with ((a + B + C) * (a + B + C)) by (rewrite HS; ring). lra.
Qed.

Lemma far_terms t : e2 <= t ->
  terms (scatter (e2 ^ 2) ((e2 - e1) ^ 2) 0) <= t * (4 * a + 2 * (B * b)) + t ^ 2 * ((a + B) ^ 2 + E * C + 4 * (B * b + C * c)).
Proof.
  intros Ht. destruct He2 as (V & M & O). assert (T2 : 0 <= e2 ^ 2 <= t ^ 2) by (split; [apply pow2_ge_0|apply pow_incr; lra]).
  assert (Sc : scatter (e2 ^ 2) ((e2 - e1) ^ 2) 0 <= e2 ^ 2 * ((a + B) ^ 2 + E * C)).
  { assert (P : 0 <= (e2 ^ 2 - (e2 - e1) ^ 2) * (2 * (a * B) + (B * B - b * B) + (E * C - c * C))).
    { assert (0 <= a * B) by (apply Rmult_le_pos; auto). apply Rmult_le_pos; lra. }
    unfold scatter_form. set (o := e2 ^ 2) in *. set (v := (e2 - e1) ^ 2) in *. clearbody o v. lra. }
  assert (E0 : 0 <= E * C). { assert (0 <= c * C) by (apply Rmult_le_pos; auto). lra. }
  assert (Z : 0 <= (a + B) ^ 2 + E * C + 4 * (B * b + C * c)) by (pose proof (pow2_ge_0 (a + B)); lra).
  assert (X2 : e2 ^ 2 * ((a + B) ^ 2 + E * C + 4 * (B * b + C * c)) <= t ^ 2 * ((a + B) ^ 2 + E * C + 4 * (B * b + C * c))) by (apply Rmult_le_compat_r; lra).
  assert (M1 : a * (B * e1 + C * e2) <= a * t).
  { apply Rmult_le_compat_l; auto. assert (B * e1 <= B * t) by (apply Rmult_le_compat_l; lra). assert (C * e2 <= C * t) by (apply Rmult_le_compat_l; lra).
    assert (0 <= a * t) by (apply Rmult_le_pos; lra). assert (t = a * t + B * t + C * t) by (rewrite <- !Rmult_plus_distr_r, HS; ring). lra. }
  assert (M2 : B * b * (C * (e2 - e1)) <= B * b * t).
  { apply Rmult_le_compat_l; auto. apply Rle_trans with (1 * (e2 - e1)); [apply Rmult_le_compat_r; lra|lra]. }
  assert (M3 : B * b * (e1 * e2) <= B * b * e2 ^ 2) by (apply Rmult_le_compat_l; lra).
  unfold block_terms. lra.
Qed.

Lemma near_terms t : e1 <= t ->
  terms (scatter (e1 ^ 2) 0 ((e2 - e1) ^ 2))
  <= 4 * (a * (t + C * e2)) + 2 * (B * b * (C * e2)) + t ^ 2 * Q + 2 * (C * e2 ^ 2) + 4 * (B * b * (e1 * e2)) + 4 * (C * c * e2 ^ 2).
Proof.
  intros Ht. destruct He2 as (V & M & O). assert (T2 : 0 <= e1 ^ 2 <= t ^ 2) by (split; [apply pow2_ge_0|apply pow_incr; lra]).
  assert (C1 : C * (2 * (a + B) + C) - E * C <= 2 * C).
  { assert (0 <= c * C) by (apply Rmult_le_pos; auto). replace (2 * (a + B) + C) with (2 - C) by lra. pose proof (Rle_0_sqr C) as P. unfold Rsqr in P. lra. }
  assert (Sc : scatter (e1 ^ 2) 0 ((e2 - e1) ^ 2) <= t ^ 2 * Q + 2 * (C * e2 ^ 2)).
  { replace (scatter (e1 ^ 2) 0 ((e2 - e1) ^ 2)) with (e1 ^ 2 * Q + (C * (2 * (a + B) + C) - E * C) * (e2 - e1) ^ 2) by (unfold scatter_form; ring).
    assert (Q0 : 0 <= Q) by (pose proof (pow2_ge_0 a); lra).
    apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|]. apply Rle_trans with (2 * C * (e2 - e1) ^ 2); [apply Rmult_le_compat_r; lra|].
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
  assert (M1 : a * (B * e1 + C * e2) <= a * (t + C * e2)).
  { apply Rmult_le_compat_l; auto. assert (B * e1 <= 1 * t) by (apply Rmult_le_compat; lra). lra. }
  assert (M2 : B * b * (C * (e2 - e1)) <= B * b * (C * e2)) by (apply Rmult_le_compat_l; auto; apply Rmult_le_compat_l; lra).
  unfold block_terms. lra.
Qed.

Lemma self_terms :
  terms (scatter 0 (e1 ^ 2) (e2 ^ 2))
  <= 4 * (B * e1 + C * e2) + 2 * (C * e2) + 2 * (B * e1 ^ 2) + 2 * (C * e2 ^ 2) + 4 * (B * b * (e1 * e2)) + 4 * (C * c * e2 ^ 2).
Proof.
  destruct He2 as (V & M & O). assert (Be : 0 <= B * e1) by (apply Rmult_le_pos; lra). assert (Ce : 0 <= C * e2) by (apply Rmult_le_pos; lra).
  assert (Sc : scatter 0 (e1 ^ 2) (e2 ^ 2) <= 2 * (B * e1 ^ 2) + 2 * (C * e2 ^ 2)).
  { assert (P : 0 <= E * C * (e2 ^ 2 - e1 ^ 2)).
    { assert (0 <= c * C) by (apply Rmult_le_pos; auto). apply Rmult_le_pos; lra. }
    assert (P1 : 0 <= (B * B + 2 * (B * C) + B * b + C * c) * e1 ^ 2).
    { assert (0 <= B * B) by (apply Rmult_le_pos; auto). assert (0 <= B * C) by (apply Rmult_le_pos; auto). apply Rmult_le_pos; lra. }
    assert (P2 : 0 <= C * C * e2 ^ 2) by (apply Rmult_le_pos; [apply Rmult_le_pos; auto|lra]).
    unfold scatter_form. replace a with (1 - B - C) by lra. set (o := e1 ^ 2) in *. set (v := e2 ^ 2) in *. clearbody o v. lra. }
  assert (M1 : a * (B * e1 + C * e2) <= 1 * (B * e1 + C * e2)) by (apply Rmult_le_compat_r; lra).
  assert (M2 : B * b * (C * (e2 - e1)) <= 1 * (C * e2)).
  { apply Rmult_le_compat; auto; [apply Rmult_le_pos; lra| |apply Rmult_le_compat_l; lra].
    apply Rle_trans with (1 * 1); [apply Rmult_le_compat; lra|lra]. }
  unfold block_terms. lra.
Qed.
End Terms.

(* ---- The bounds times n^-kappa: p = n^-kappa, masses p u and p v over the dominating one, h = 1/K, k = K/n, m = 1/n, z = 1/d,
        l1 = (ln n)/d, l2 = (ln n)^2/d. A share w: k = p v w far, h = p u w near. ---- *)

Section FarBound.
Variables (p u v h w k l1 l2 : R).
Definition far_mass_sum : R := 1 - k + p * u + p * v * (1 - h).
Definition far_squares : R := p * v ^ 2 * (h * (1 - h)) + (1 - k) * (v * w * h).
Definition far_jacobian : R :=
  (p * u ^ 2 + far_squares) / far_mass_sum ^ 2 + l1 * (4 * (u / far_mass_sum) + 2 * (p * v ^ 2 * (h * (1 - h)) / far_mass_sum ^ 2))
  + l2 * ((p * (u + v * (1 - h)) ^ 2 + (1 - k) * (v * w) + 4 * far_squares) / far_mass_sum ^ 2).
End FarBound.

(* R0 = (1-rho)/(1-r) *)
Section NearBound.
Variables (p u v w k m z l1 l2 R0 : R).
Definition near_mass_sum : R := 1 - p * (u * w) + p * u + p * v * (1 - k).
Definition near_pairs : R := (1 - p * (u * w)) * (u * w) / near_mass_sum ^ 2.
Definition near_squares : R := p * u ^ 2 / near_mass_sum ^ 2 + near_pairs + p * v ^ 2 * (1 - k) * m / near_mass_sum ^ 2.
Definition near_jacobian : R :=
  near_squares + l1 * (4 * (u / near_mass_sum * (1 + p / near_mass_sum)) + 2 * (near_pairs * (p / near_mass_sum)))
  + l2 * (near_squares + 2 / near_mass_sum + 4 * (p * v * m / near_mass_sum ^ 2))
  + z * (16 * exp (- (2)) * R0 * ((1 - p * (u * w)) * u / near_mass_sum ^ 2)).
End NearBound.

(* e = 1 + kappa *)
Definition self_above (h m l1 l2 R0 e : R) : R := 10 * (e * l1) + 4 * (e ^ 2 * l2 * (1 + R0 * h + m)).
Definition self_below (p u v h k : R) : R :=
  let S := 1 + p * u * (1 - h) + p * v * (1 - k) in (u * (1 - h) + v * (1 - k)) * (S + 1) / S ^ 2.

(* (s + c)^j n^-s is largest at s = 0. *)
Lemma share_moments n c s : 1 <= c -> 0 <= s -> 2 <= ln (INR n) ->
  0 <= (s + c) * power n s <= c /\ 0 <= (s + c) ^ 2 * power n s <= c ^ 2.
Proof.
  intros Hc Hs Ht. pose proof (power_pos n s) as P. assert (B1 : s + c <= c * exp s).
  { pose proof (exp_pos s). assert (s + 1 <= exp s) by (destruct (Req_dec s 0) as [->|]; [rewrite exp_0; lra|pose proof (exp_ineq1 s); lra]).
    assert (c * (s + 1) <= c * exp s) by (apply Rmult_le_compat_l; lra). assert (0 <= (c - 1) * s) by (apply Rmult_le_pos; lra). lra. }
  assert (B2 : (s + c) ^ 2 <= c ^ 2 * exp (2 * s)).
  { replace (exp (2 * s)) with (exp s ^ 2) by (rewrite exp_pow; simpl; f_equal; ring). rewrite <- Rpow_mult_distr. apply pow_incr. lra. }
  assert (E1 : exp s * power n s <= 1 /\ exp (2 * s) * power n s <= 1).
  { unfold power. rewrite <- !exp_plus. assert (s * 2 <= s * ln (INR n)) by (apply Rmult_le_compat_l; lra).
    split; (apply Rle_trans with (exp 0); [apply exp_le|rewrite exp_0]; lra). }
  assert (C2 : 0 <= c ^ 2) by apply pow2_ge_0. split; split.
  - apply Rmult_le_pos; lra.
  - apply Rle_trans with (c * exp s * power n s); [apply Rmult_le_compat_r; lra|]. rewrite Rmult_assoc.
    apply Rle_trans with (c * 1); [apply Rmult_le_compat_l; lra|lra].
  - apply Rmult_le_pos; [apply pow2_ge_0|lra].
  - apply Rle_trans with (c ^ 2 * exp (2 * s) * power n s); [apply Rmult_le_compat_r; lra|]. rewrite Rmult_assoc.
    apply Rle_trans with (c ^ 2 * 1); [apply Rmult_le_compat_l; lra|lra].
Qed.

(* x^2 e^-x <= 4 e^-2 *)
Lemma square_decay x : 0 <= x -> x ^ 2 * exp (- x) <= 4 * exp (- (2)).
Proof.
  intros Hx. pose proof (below_exp (x / 2)) as P. assert (Q : (x / 2) ^ 2 <= exp (x / 2 - 1) ^ 2) by (apply pow_incr; lra).
  rewrite exp_pow in Q. replace (INR 2 * (x / 2 - 1)) with (x - 2) in Q by (simpl; field).
  assert (R1 : (x / 2) ^ 2 * exp (- x) <= exp (x - 2) * exp (- x)) by (apply Rmult_le_compat_r; [left; apply exp_pos|auto]).
  rewrite <- exp_plus in R1. replace (x - 2 + - x) with (- (2)) in R1 by ring. replace (x ^ 2 * exp (- x)) with (4 * ((x / 2) ^ 2 * exp (- x))) by field. lra.
Qed.

Section Phases.
Variables (N theta gamma q r rho kappa P hm km C B1 B2 : R) (d n K : nat) (x : tokens).
Hypotheses (HN : N <= INR n) (HN2 : 2 <= N) (HL : 2 <= ln N) (Hd : (n <= d)%nat) (Ht : 0 < theta < 1) (Hg : 0 <= gamma).
Hypotheses (HK : INR K = Rpower (INR n) theta) (Hq : 0 < q) (Hr : 0 <= rho <= r) (Hr1 : r <= 1) (HT : three_bands d n K q r rho x).
Notation p := (power n kappa).
Hypotheses (Hk0 : 0 <= kappa) (HP : p <= P) (Hh : power n theta <= hm) (Hk : power n (1 - theta) <= km).
Hypotheses (HB1 : ln N / N <= B1) (HB2 : ln N ^ 2 / N <= B2).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation h := (power n theta).
Notation k := (power n (1 - theta)).
Notation eta := (jacobian_norm d n beta 0 x).

Let Hn : (2 <= n)%nat := size_at_least_2 N n HN2 HN.
Let H0 : (0 < n)%nat.
Proof. lia. Qed.
Let H0d : (0 < d)%nat.
Proof. lia. Qed.

Lemma phase_sizes : 2 <= t /\ 0 < h < 1 /\ 0 < k < 1 /\ 0 < p <= 1 /\ h * k = / INR n /\ 0 <= / INR n <= / N /\ 0 < / INR d <= / INR n /\
  0 <= t * / INR d <= B1 /\ 0 <= t ^ 2 * / INR d <= B2.
Proof.
  pose proof (log_at_least N n HN2 HN) as [L0 L1]. pose proof (size_ge_2 n Hn) as N2. pose proof (le_INR n d Hd) as D.
  assert (I : / INR n <= / N) by (apply Rinv_le_contravar; lra). assert (J : / INR d <= / INR n) by (apply Rinv_le_contravar; lra).
  assert (I0 : 0 < / INR n) by (apply Rinv_0_lt_compat; lra). assert (J0 : 0 < / INR d) by (apply Rinv_0_lt_compat; lra).
  pose proof (log_over_n N n HN2 HN ltac:(lra)) as Q1. pose proof (log2_over_n N n HN2 HN ltac:(lra)) as Q2. unfold Rdiv in Q1, Q2, HB1, HB2.
  assert (T2 : 0 <= t ^ 2) by apply pow2_ge_0.
  assert (W1 : t * / INR d <= t * / INR n) by (apply Rmult_le_compat_l; lra). assert (W2 : t ^ 2 * / INR d <= t ^ 2 * / INR n) by (apply Rmult_le_compat_l; lra).
  repeat split; try lra; try apply power_pos; try (apply power_lt_1; auto; lra); try (apply power_le_1; auto).
  - rewrite <- power_plus. replace (theta + (1 - theta)) with 1 by ring. apply power_1; auto.
  - apply Rmult_le_pos; lra.
  - apply Rmult_le_pos; lra.
Qed.

(* The weights with m0, m1, m2 for n^-e0 and the masses over it, T for their sum. *)
Lemma phase_weights e0 m0 m1 m2 : exp (- e0 * t) = m0 -> exp ((theta - gamma * (1 - r) - e0) * t) = m1 -> exp ((1 - gamma * (1 - rho) - e0) * t) = m2 ->
  let T := scaled_total m0 m1 m2 h k in
  0 < T /\ three_self n K r rho beta = m0 / T /\ (INR K - 1) * three_near n K r rho beta = m1 * (1 - h) / T /\
  (INR n - INR K) * three_far n K r rho beta = m2 * (1 - k) / T /\ three_near n K r rho beta = m1 * h / T /\
  three_far n K r rho beta = m2 * / INR n / T /\ INR K * three_far n K r rho beta = m2 * k / T.
Proof.
  intros E0 E1 E2 T. assert (Eh : exp (- theta * t) = h) by reflexivity. assert (Ek : exp ((theta - 1) * t) = k) by (unfold power; f_equal; ring).
  pose proof (scaled_total_pos d n K q r rho theta gamma e0 x Hn HK HT) as TP. pose proof (scaled_near_share d n K q r rho theta gamma e0 x Hn HK HT) as W1.
  pose proof (scaled_far_share d n K q r rho theta gamma e0 x Hn HK HT) as W2. pose proof (scaled_a d n K q r rho theta gamma e0 x Hn HK HT) as W3.
  pose proof (scaled_b d n K q r rho theta gamma e0 x Hn HK HT) as W4. pose proof (scaled_c d n K q r rho theta gamma e0 x Hn HK HT) as W5.
  rewrite E0, E1, E2, Eh, Ek in TP, W1, W2, W3, W4, W5. rewrite <- (scaled_u n Hn) in W5. fold T in TP, W1, W2, W3, W4, W5.
  repeat split; auto. rewrite W5. clear - TP Hn HK Ek. pose proof (scaled_k n K theta Hn HK) as S. rewrite Ek in S. rewrite <- S. unfold Rdiv. ring.
Qed.

Notation a_ := (three_self n K r rho beta).
Notation b_ := (three_near n K r rho beta).
Notation c_ := (three_far n K r rho beta).
Notation B_ := ((INR K - 1) * b_).
Notation C_ := ((INR n - INR K) * c_).
Notation E_ := (INR K * c_).
Notation e1 := (beta * (1 - r)).
Notation e2 := (beta * (1 - rho)).

Lemma phase_bound g o u v X : (beta * (1 - g)) ^ 2 = o -> (beta * (r - g)) ^ 2 = u -> (beta * (rho - g)) ^ 2 = v ->
  block_terms a_ B_ C_ b_ c_ e1 e2 (scatter_form a_ B_ C_ b_ c_ E_ o u v) <= X ->
  q * eta <= (1 - / INR d) * (a_ ^ 2 + B_ * b_ + C_ * c_) + / INR d * X.
Proof.
  intros <- <- <- HX. destruct phase_sizes as (T2 & _ & _ & _ & _ & _ & D0 & _).
  apply Rle_trans with (1 := three_jacobian_le d n K q r rho beta x H0 Hq HT ltac:(apply Rmult_le_pos; lra) Hr Hr1 g H0d).
  apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|]. apply Rle_trans with (2 := HX). right. f_equal. unfold scatter_form. ring.
Qed.

Lemma phase_e : 0 <= e1 <= e2.
Proof.
  destruct phase_sizes as (T2 & _). assert (0 <= beta) by (apply Rmult_le_pos; lra).
  split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra].
Qed.

Lemma phase_nonneg : 0 <= eta.
Proof.
  pose proof (three_jacobian_ge d n K q r rho beta x H0 Hq HT ltac:(destruct phase_sizes as (T2 & _); apply Rmult_le_pos; lra) H0d) as G.
  destruct phase_sizes as (_ & _ & _ & _ & _ & _ & D0 & _). pose proof (inverse_range n Hn).
  assert (0 <= (1 - / INR d) * three_self n K r rho beta ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
  apply (Rmult_le_reg_l q); [auto|lra].
Qed.

Lemma from_above F : q * eta <= p * F -> F / q <= C -> Rabs (eta - 0) <= C * p.
Proof.
  intros H HC. destruct phase_sizes as (_ & _ & _ & p0 & _). rewrite Rminus_0_r, Rabs_pos_eq; [|apply phase_nonneg].
  apply Rle_trans with (F / q * p); [|apply Rmult_le_compat_r; lra]. apply (Rmult_le_reg_l q); auto.
  replace (q * (F / q * p)) with (p * F) by (field; lra). auto.
Qed.

(* -- far -- *)
Section FarPhase.
Hypotheses (G1 : kappa <= 1 - theta - gamma * (r - rho)) (G2 : kappa <= 1 - gamma * (1 - rho)).

Theorem far_jacobian_norm :
  (forall p u v h w k l1 l2, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= h <= hm -> 0 <= w <= 1 -> 0 <= k <= km -> 0 <= l1 <= B1 -> 0 <= l2 <= B2 ->
    far_jacobian p u v h w k l1 l2 / q <= C) -> Rabs (eta - 0) <= C * p.
Proof.
  intros HF. destruct phase_sizes as (T2 & Rh & Rk & Rp & En & In & D0 & L1 & L2). pose proof phase_e as Re.
  set (u := power n (1 - gamma * (1 - rho) - kappa)). set (v := power n (1 - theta - gamma * (r - rho) - kappa)). set (w := power n (gamma * (r - rho))).
  assert (Ru : 0 <= u <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; lra]).
  assert (Rv : 0 <= v <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; lra]).
  assert (Rw : 0 <= w <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; apply Rmult_le_pos; lra]).
  assert (Ek : k = p * (v * w)) by (unfold v, w; rewrite <- !power_plus; f_equal; ring).
  apply (from_above (far_jacobian p u v h w k (t * / INR d) (t ^ 2 * / INR d))); [|apply HF; auto; lra].
  destruct (phase_weights (1 - gamma * (1 - rho)) (p * u) (p * v) 1) as (TP & Wa & WB & WC & Wb & Wc & WE).
  - unfold u. rewrite <- power_plus. unfold power. f_equal. ring.
  - unfold v. rewrite <- power_plus. unfold power. f_equal. ring.
  - rewrite <- exp_0. f_equal. ring.
  - assert (ES : scaled_total (p * u) (p * v) 1 h k = far_mass_sum p u v h k) by (unfold scaled_total, far_mass_sum; ring).
    rewrite ES in TP, Wa, WB, WC, Wb, Wc, WE.
    destruct (three_weights d n K q r rho beta x H0 HT ltac:(apply Rmult_le_pos; lra) Hr Hr1) as (c0 & [cb ba] & B0 & C0 & S & HbB & HcE & HEC).
    eapply Rle_trans; [apply (phase_bound rho (e2 ^ 2) ((e2 - e1) ^ 2) 0); [f_equal; ring|f_equal; ring|ring|]|].
    + apply (far_terms a_ B_ C_ b_ c_ E_ e1 e2) with (t := t); try assumption; try lra.
      apply Rle_trans with (1 * t); [|lra]. replace (beta * (1 - rho)) with (gamma * (1 - rho) * t) by ring. apply Rmult_le_compat_r; lra.
    + assert (Wc' : c_ = h * (p * (v * w)) / far_mass_sum p u v h k) by (rewrite Wc, <- En, <- Ek; field; lra).
      assert (WE' : E_ = p * (v * w) / far_mass_sum p u v h k) by (rewrite WE, <- Ek; field; lra).
      rewrite Wa, WB, WC, WE', Wb, Wc'. clear Wa WB WC WE WE' Wb Wc Wc'. set (D := / INR d) in *. set (SS := far_mass_sum p u v h k) in *.
      assert (Q0 : 0 <= p * ((p * u ^ 2 + far_squares p v h w k) / SS ^ 2)).
      { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, pow_lt; auto]. unfold far_squares.
        repeat first [lra | apply Rplus_le_le_0_compat | apply Rmult_le_pos | apply pow2_ge_0]. }
      match goal with |- (1 - D) * ?Q + ?R <= _ => replace Q with (p * ((p * u ^ 2 + far_squares p v h w k) / SS ^ 2)) by (unfold far_squares; field; lra) end.
      apply Rle_trans with (1 * (p * ((p * u ^ 2 + far_squares p v h w k) / SS ^ 2)) + D * (t * (4 * (p * u / SS) + 2 * (p * v * (1 - h) / SS * (p * v * h / SS)))
        + t ^ 2 * (p * ((p * (u + v * (1 - h)) ^ 2 + (1 - k) * (v * w) + 4 * far_squares p v h w k) / SS ^ 2)))).
      * apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|]. right. unfold far_squares. field. lra.
      * right. unfold far_jacobian. fold SS. field. lra.
Qed.
End FarPhase.

(* C e and C e^2 for e = y t and a share v n^-kappa of C, where y is at most c more than the exponent s of v. *)
Lemma moments c s y : 1 <= c -> 0 <= s -> 0 <= y <= s + c -> 0 <= power n s * (y * t) <= c * t /\ 0 <= power n s * (y * t) ^ 2 <= c ^ 2 * t ^ 2.
Proof.
  intros Hc Hs Hy. destruct phase_sizes as (T2 & _). destruct (share_moments n c s Hc Hs T2) as [[_ M1] [_ M2]]. pose proof (power_pos n s) as V.
  assert (Y2 : 0 <= y ^ 2 <= (s + c) ^ 2) by (split; [apply pow2_ge_0|apply pow_incr; auto]). assert (T0 : 0 <= t ^ 2) by apply pow2_ge_0.
  assert (L1 : y * power n s <= (s + c) * power n s) by (apply Rmult_le_compat_r; lra).
  assert (L2 : y ^ 2 * power n s <= (s + c) ^ 2 * power n s) by (apply Rmult_le_compat_r; lra).
  replace (power n s * (y * t)) with (y * power n s * t) by ring. replace (power n s * (y * t) ^ 2) with (y ^ 2 * power n s * t ^ 2) by ring.
  repeat split; try (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra); apply Rmult_le_compat_r; lra.
Qed.

Lemma decay_moment : 0 <= power n (gamma * (1 - r)) * (e1 * e1) <= 4 * exp (- (2)).
Proof.
  pose proof phase_e as Re. pose proof (square_decay e1 ltac:(lra)) as Q. replace (power n (gamma * (1 - r))) with (exp (- e1)) by (unfold power; f_equal; ring).
  split; [apply Rmult_le_pos; [left; apply exp_pos|apply Rmult_le_pos; lra]|]. replace (exp (- e1) * (e1 * e1)) with (e1 ^ 2 * exp (- e1)) by ring. auto.
Qed.

(* -- near -- *)
Section NearPhase.
Hypotheses (G1 : kappa <= gamma * (r - rho) - (1 - theta)) (G2 : kappa <= theta - gamma * (1 - r)) (H1 : r < 1).
Notation R0 := ((1 - rho) / (1 - r)).

Theorem near_jacobian_norm :
  (forall p u v w k m z l1 l2, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= w <= 1 -> 0 <= k <= km -> 0 <= m <= / N -> 0 <= z <= / N ->
    0 <= l1 <= B1 -> 0 <= l2 <= B2 -> near_jacobian p u v w k m z l1 l2 R0 / q <= C) -> Rabs (eta - 0) <= C * p.
Proof.
  intros HF. destruct phase_sizes as (T2 & Rh & Rk & Rp & En & In & D0 & L1 & L2). pose proof phase_e as Re.
  set (s := gamma * (r - rho) - (1 - theta) - kappa). pose proof decay_moment as DM.
  set (u := power n (theta - gamma * (1 - r) - kappa)). set (v := power n s). set (w := power n (gamma * (1 - r))) in *. set (m := / INR n) in *. set (D := / INR d) in *.
  assert (y0 : 0 <= gamma * (1 - r)) by (apply Rmult_le_pos; lra). assert (z0 : 0 <= gamma * (1 - rho)) by (apply Rmult_le_pos; lra).
  assert (Ru : 0 <= u <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; lra]).
  assert (Rv : 0 <= v <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; unfold s; lra]).
  assert (Rw : 0 <= w <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; lra]).
  assert (Eh : h = p * (u * w)) by (unfold u, w; rewrite <- !power_plus; f_equal; ring).
  assert (Zs : gamma * (1 - rho) <= s + 1).
  { unfold s. replace (gamma * (1 - rho)) with (gamma * (r - rho) + gamma * (1 - r)) by ring. lra. }
  destruct (moments 1 s (gamma * (1 - rho)) (Rle_refl 1) ltac:(unfold s; lra) (conj z0 Zs)) as [Me Me2]. fold v in Me, Me2.
  apply (from_above (near_jacobian p u v w k m D (t * D) (t ^ 2 * D) R0)); [|apply HF; auto; lra].
  destruct (phase_weights (theta - gamma * (1 - r)) (p * u) 1 (p * v)) as (TP & Wa & WB & WC & Wb & Wc & WE).
  - unfold u. rewrite <- power_plus. unfold power. f_equal. ring.
  - rewrite <- exp_0. f_equal. ring.
  - unfold v, s. rewrite <- power_plus. unfold power. f_equal. ring.
  - assert (ES : scaled_total (p * u) 1 (p * v) h k = near_mass_sum p u v w k) by (rewrite Eh; unfold scaled_total, near_mass_sum; ring).
    rewrite ES in TP, Wa, WB, WC, Wb, Wc, WE.
    destruct (three_weights d n K q r rho beta x H0 HT ltac:(apply Rmult_le_pos; lra) Hr Hr1) as (c0 & [cb ba] & B0 & C0 & S & HbB & HcE & HEC).
    assert (Bb : 0 <= B_ * b_) by (apply Rmult_le_pos; lra).
    eapply Rle_trans; [apply (phase_bound r (e1 ^ 2) 0 ((e2 - e1) ^ 2)); [f_equal; ring|ring|ring|]|].
    + apply (near_terms a_ B_ C_ b_ c_ E_ e1 e2) with (t := t); try assumption; try lra.
      apply Rle_trans with (1 * t); [|lra]. replace e1 with (gamma * (1 - r) * t) by ring. apply Rmult_le_compat_r; lra.
    + fold D. fold m in Wc. set (SS := near_mass_sum p u v w k) in *. replace (gamma * (1 - rho) * t) with e2 in Me, Me2 by ring.
      assert (pS : 0 <= p * (1 - k) / SS <= p / SS).
      { assert (0 < / SS) by (apply Rinv_0_lt_compat; auto). assert (0 <= p * (1 - k) <= p * 1) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
        unfold Rdiv. split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_r; lra. }
      assert (X1 : C_ * e2 <= p / SS * t).
      { rewrite WC. replace (p * v * (1 - k) / SS * e2) with (p * (1 - k) / SS * (v * e2)) by (field; lra). apply Rmult_le_compat; lra. }
      assert (X2 : C_ * e2 ^ 2 <= p / SS * t ^ 2).
      { rewrite WC. replace (p * v * (1 - k) / SS * e2 ^ 2) with (p * (1 - k) / SS * (v * e2 ^ 2)) by (field; lra). apply Rmult_le_compat; lra. }
      assert (X3 : B_ * b_ * (e1 * e2) <= p * ((1 - h) * u / SS ^ 2) * R0 * (4 * exp (- (2)))).
      { rewrite WB, Wb. replace e2 with (R0 * e1) by (field; lra). rewrite Eh at 2.
        replace (1 * (1 - h) / SS * (1 * (p * (u * w)) / SS) * (e1 * (R0 * e1))) with (p * ((1 - h) * u / SS ^ 2) * R0 * (w * (e1 * e1))) by (field; lra).
        apply Rmult_le_compat_l; [|lra]. assert (0 < / SS ^ 2) by (apply Rinv_0_lt_compat, pow_lt; auto). assert (0 < / (1 - r)) by (apply Rinv_0_lt_compat; lra).
        unfold Rdiv. repeat apply Rmult_le_pos; lra. }
      assert (Y1 : a_ * (t + C_ * e2) <= a_ * (t + p / SS * t)) by (apply Rmult_le_compat_l; lra).
      assert (Y2 : B_ * b_ * (C_ * e2) <= B_ * b_ * (p / SS * t)) by (apply Rmult_le_compat_l; lra).
      assert (Y3 : C_ * c_ * e2 ^ 2 <= c_ * (p / SS * t ^ 2)) by (replace (C_ * c_ * e2 ^ 2) with (c_ * (C_ * e2 ^ 2)) by ring; apply Rmult_le_compat_l; lra).
      assert (Q0 : 0 <= a_ ^ 2 + B_ * b_ + C_ * c_).
      { pose proof (pow2_ge_0 a_). assert (0 <= C_ * c_) by (apply Rmult_le_pos; lra). lra. }
      apply Rle_trans with (1 * (a_ ^ 2 + B_ * b_ + C_ * c_) + D * (4 * (a_ * (t + p / SS * t)) + 2 * (B_ * b_ * (p / SS * t)) + t ^ 2 * (a_ ^ 2 + B_ * b_ + C_ * c_)
        + 2 * (p / SS * t ^ 2) + 4 * (p * ((1 - h) * u / SS ^ 2) * R0 * (4 * exp (- (2)))) + 4 * (c_ * (p / SS * t ^ 2)))).
      { apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|apply Rmult_le_compat_l; lra]. }
      rewrite WB, WC, Wa, Wb, Wc. rewrite Eh. right. unfold near_jacobian, near_squares, near_pairs. fold SS m. field. lra.
Qed.
End NearPhase.

(* -- self -- *)
Section SelfPhase.
Hypotheses (G1 : kappa <= gamma * (1 - r) - theta) (G2 : kappa <= gamma * (1 - rho) - 1) (H1 : r < 1).
Notation R0 := ((1 - rho) / (1 - r)).

Theorem self_jacobian_norm :
  (forall p u v h k, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= h <= hm -> 0 <= k <= km -> self_below p u v h k / q <= C) ->
  (forall h m l1 l2, 0 <= h <= hm -> 0 <= m <= / N -> 0 <= l1 <= B1 -> 0 <= l2 <= B2 -> self_above h m l1 l2 R0 (1 + kappa) / q <= C) ->
  Rabs (eta - / q * (1 - / INR d)) <= C * p.
Proof.
  intros HF1 HF2. destruct phase_sizes as (T2 & Rh & Rk & Rp & En & In & D0 & L1 & L2). pose proof phase_e as Re. pose proof (inverse_range n Hn) as Nr.
  set (s1 := gamma * (1 - r) - theta - kappa). set (s2 := gamma * (1 - rho) - 1 - kappa). set (e := 1 + kappa) in *.
  set (u := power n s1). set (v := power n s2). set (m := / INR n) in *. set (D := / INR d) in *.
  assert (Ru : 0 <= u <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; unfold s1; lra]).
  assert (Rv : 0 <= v <= 1) by (split; [left; apply power_pos|apply power_le_1; auto; unfold s2; lra]).
  destruct (moments e s1 (gamma * (1 - r)) ltac:(unfold e; lra) ltac:(unfold s1; lra) ltac:(unfold s1, e; lra)) as [Mu Mu2]. fold u in Mu, Mu2.
  destruct (moments e s2 (gamma * (1 - rho)) ltac:(unfold e; lra) ltac:(unfold s2; lra) ltac:(unfold s2, e; lra)) as [Mv Mv2]. fold v in Mv, Mv2.
  replace (gamma * (1 - r) * t) with e1 in Mu, Mu2 by ring. replace (gamma * (1 - rho) * t) with e2 in Mv, Mv2 by ring.
  destruct (phase_weights 0 1 (p * u) (p * v)) as (TP & Wa & WB & WC & Wb & Wc & WE).
  - rewrite <- exp_0. f_equal. ring.
  - unfold u, s1. rewrite <- power_plus. unfold power. f_equal. ring.
  - unfold v, s2. rewrite <- power_plus. unfold power. f_equal. ring.
  - assert (ES : scaled_total 1 (p * u) (p * v) h k = 1 + p * u * (1 - h) + p * v * (1 - k)) by (unfold scaled_total; ring).
    rewrite ES in TP, Wa, WB, WC, Wb, Wc, WE. fold m in Wc.
    destruct (three_weights d n K q r rho beta x H0 HT ltac:(apply Rmult_le_pos; lra) Hr Hr1) as (c0 & [cb ba] & B0 & C0 & S & HbB & HcE & HEC).
    pose proof (phase_bound 1 0 (e1 ^ 2) (e2 ^ 2) _ ltac:(ring) ltac:(ring) ltac:(ring) (self_terms a_ B_ C_ b_ c_ E_ e1 e2 ltac:(lra) ltac:(lra) ltac:(lra) S ltac:(lra) ltac:(lra) Re HbB HcE)) as U.
    assert (Q1 : a_ ^ 2 + B_ * b_ + C_ * c_ <= 1) by (eapply squares_at_most_1; try eassumption; lra).
    pose proof (three_jacobian_ge d n K q r rho beta x H0 Hq HT ltac:(apply Rmult_le_pos; lra) H0d) as W. fold D in W, U. cbv beta in U.
    set (SS := 1 + p * u * (1 - h) + p * v * (1 - k)) in *.
    assert (S1 : 1 <= SS) by (unfold SS; assert (0 <= p * u * (1 - h)) by (repeat apply Rmult_le_pos; lra); assert (0 <= p * v * (1 - k)) by (repeat apply Rmult_le_pos; lra); lra).
    assert (SI : 0 < / SS <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
    assert (sh : forall g, 0 < g < 1 -> 0 <= p * (1 - g) / SS <= p).
    { intros g Hgg. unfold Rdiv. assert (0 <= p * (1 - g) <= p * 1) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
      split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (p * 1 * 1); [apply Rmult_le_compat; lra|lra]. }
    pose proof (sh h Rh) as Sh. pose proof (sh k Rk) as Sk.
    assert (X1 : B_ * e1 <= p * (e * t)) by (rewrite WB; replace (p * u * (1 - h) / SS * e1) with (p * (1 - h) / SS * (u * e1)) by (field; lra); apply Rmult_le_compat; lra).
    assert (X2 : C_ * e2 <= p * (e * t)) by (rewrite WC; replace (p * v * (1 - k) / SS * e2) with (p * (1 - k) / SS * (v * e2)) by (field; lra); apply Rmult_le_compat; lra).
    assert (X3 : B_ * e1 ^ 2 <= p * (e ^ 2 * t ^ 2)) by (rewrite WB; replace (p * u * (1 - h) / SS * e1 ^ 2) with (p * (1 - h) / SS * (u * e1 ^ 2)) by (field; lra); apply Rmult_le_compat; lra).
    assert (X4 : C_ * e2 ^ 2 <= p * (e ^ 2 * t ^ 2)) by (rewrite WC; replace (p * v * (1 - k) / SS * e2 ^ 2) with (p * (1 - k) / SS * (v * e2 ^ 2)) by (field; lra); apply Rmult_le_compat; lra).
    assert (bh : b_ <= h).
    { rewrite Wb. unfold Rdiv. assert (p * u <= 1 * 1) by (apply Rmult_le_compat; lra). assert (0 <= p * u) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (1 * h * 1); [|lra]. apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_r; lra|lra]. }
    assert (cm : c_ <= m).
    { rewrite Wc. unfold Rdiv. assert (p * v <= 1 * 1) by (apply Rmult_le_compat; lra). assert (0 <= p * v) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (1 * m * 1); [|lra]. apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|apply Rmult_le_compat_r; lra|lra]. }
    assert (R1 : 0 <= R0) by (unfold Rdiv; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
    assert (Z0 : 0 <= p * (e ^ 2 * t ^ 2)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; apply pow2_ge_0]).
    assert (X5 : B_ * b_ * (e1 * e2) <= R0 * h * (p * (e ^ 2 * t ^ 2))).
    { replace (B_ * b_ * (e1 * e2)) with (R0 * b_ * (B_ * e1 ^ 2)) by (field; lra). pose proof (pow2_ge_0 e1) as E2.
      apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra|auto]. }
    assert (X6 : C_ * c_ * e2 ^ 2 <= m * (p * (e ^ 2 * t ^ 2))).
    { replace (C_ * c_ * e2 ^ 2) with (c_ * (C_ * e2 ^ 2)) by ring. pose proof (pow2_ge_0 e2) as E2. apply Rmult_le_compat; [lra|apply Rmult_le_pos; lra|lra|auto]. }
    assert (Up : q * eta - (1 - D) <= p * self_above h m (t * D) (t ^ 2 * D) R0 e).
    { apply Rle_trans with (D * (4 * (2 * (p * (e * t))) + 2 * (p * (e * t)) + 2 * (p * (e ^ 2 * t ^ 2)) + 2 * (p * (e ^ 2 * t ^ 2))
        + 4 * (R0 * h * (p * (e ^ 2 * t ^ 2))) + 4 * (m * (p * (e ^ 2 * t ^ 2))))).
      - assert (A1 : (1 - D) * (a_ ^ 2 + B_ * b_ + C_ * c_) <= (1 - D) * 1) by (apply Rmult_le_compat_l; lra).
        match type of U with _ <= _ + D * ?y => match goal with |- _ <= D * ?z => assert (A2 : D * y <= D * z) by (apply Rmult_le_compat_l; lra) end end. lra.
      - right. unfold self_above. field. lra. }
    assert (Lo : - (p * self_below p u v h k) <= q * eta - (1 - D)).
    { assert (Ea : 1 - a_ ^ 2 = p * self_below p u v h k).
      { assert (F : p * (u * (1 - h) + v * (1 - k)) = SS - 1) by (unfold SS; ring). rewrite Wa. unfold self_below. cbv zeta. fold SS.
        replace (p * ((u * (1 - h) + v * (1 - k)) * (SS + 1) / SS ^ 2)) with (p * (u * (1 - h) + v * (1 - k)) * (SS + 1) / SS ^ 2) by (field; lra).
        rewrite F. field. lra. }
      assert (A0 : 0 <= a_ <= 1) by lra. assert (a_ ^ 2 <= 1 ^ 2) by (apply pow_incr; lra). assert (0 <= D * (1 - a_ ^ 2)) by (apply Rmult_le_pos; lra).
      assert ((1 - D) * a_ ^ 2 = 1 - D - (1 - a_ ^ 2) + D * (1 - a_ ^ 2)) by ring. lra. }
    specialize (HF1 p u v h k ltac:(lra) Ru Rv ltac:(lra) ltac:(lra)). specialize (HF2 h m (t * D) (t ^ 2 * D) ltac:(lra) ltac:(lra) L1 L2).
    assert (Qi : 0 < / q) by (apply Rinv_0_lt_compat; auto).
    replace (eta - / q * (1 - D)) with ((q * eta - (1 - D)) * / q) by (field; lra). apply Rabs_le. unfold Rdiv in HF1, HF2. split.
    + apply Rle_trans with (- (p * self_below p u v h k) * / q); [|apply Rmult_le_compat_r; lra].
      assert (p * (self_below p u v h k * / q) <= p * C) by (apply Rmult_le_compat_l; lra). lra.
    + apply Rle_trans with (p * self_above h m (t * D) (t ^ 2 * D) R0 e * / q); [apply Rmult_le_compat_r; lra|].
      rewrite Rmult_assoc, (Rmult_comm C). apply Rmult_le_compat_l; lra.
Qed.
End SelfPhase.
End Phases.
