(* The simplex at beta = gamma ln n: how far each quantity is from its limit, exactly, with the power of n divided out:
     Q - L = n^-k * remainder(rho, s, v, e, u, ...),    g = gamma (1-rho),  s = alpha sqrt q,  u = 1/n,
     below (g < 1):  v = n^-(1-g), e = n^-g, k = 1-g        at (g = 1):  k = 1        above (g > 1):  v = n^-(g-1), k = g-1.
   Remainders are rational in their variables and bounded, so that a bound of Q - L for all n >= N is a bound of the
   remainder on a small box. Uses Simplex.v and Powers.v. *)
From Coq Require Import Reals Lra Lia.
From Critscale Require Import Sums Layer Weights Simplex Powers.
Open Scope R_scope.

(* How a claim |Q - L| <= C n^-k follows. *)
Lemma scaled Q p r C : 0 < p -> Q = p * r -> Rabs r <= C -> Rabs Q <= C * p.
Proof.
  intros Hp -> H. rewrite Rabs_mult, (Rabs_pos_eq p), Rmult_comm; [|lra]. apply Rmult_le_compat_r; lra.
Qed.

(* ---- The masses ---- *)
Section Masses.
Variables (n : nat) (rho gamma : R).
Hypothesis Hn : (2 <= n)%nat.
Notation g := (gamma * (1 - rho)).
Notation beta := (gamma * ln (INR n)).
Notation u := (/ INR n).
Notation a := (self_mass n rho beta).
Notation M := (other_mass n rho beta).
Notation b := (other_weight n rho beta).

Lemma odds_power : odds n rho beta = (1 - u) * power n (g - 1).
Proof.
  pose proof (size_ge_2 n Hn). unfold odds, power. replace (- (g - 1) * ln (INR n)) with (ln (INR n) + - beta * (1 - rho)) by ring.
  rewrite exp_plus, exp_ln; [field|]; lra.
Qed.

Lemma masses_below : let v := power n (1 - g) in let S := v + 1 - u in
  0 < S /\ a = v / S /\ M = (1 - u) / S /\ b = u / S /\ 1 + odds n rho beta = S / v.
Proof.
  intros v S. pose proof (power_pos n (1 - g)) as P. fold v in P. pose proof (inverse_range n Hn) as U.
  pose proof (size_ge_2 n Hn) as HN. assert (HS : 0 < S) by (unfold S; lra).
  assert (E : odds n rho beta = (1 - u) / v).
  { rewrite odds_power. replace (g - 1) with (- (1 - g)) by ring. rewrite power_opp. reflexivity. }
  assert (EN : INR n - 1 = (1 - u) / u) by (field; lra).
  unfold self_mass, other_weight, other_mass. rewrite E, EN. unfold S in *. set (w := u) in *. clearbody w v.
  repeat split; try lra; field; lra.
Qed.

Lemma masses_at : g = 1 -> let S := 2 - u in
  0 < S /\ a = 1 / S /\ M = (1 - u) / S /\ b = u / S /\ 1 + odds n rho beta = S.
Proof.
  intros Hg S. pose proof (inverse_range n Hn) as U. pose proof (size_ge_2 n Hn) as HN.
  assert (HS : 0 < S) by (unfold S; lra).
  assert (E : odds n rho beta = 1 - u). { rewrite odds_power, Hg, Rminus_eq_0, power_0. ring. }
  assert (EN : INR n - 1 = (1 - u) / u) by (field; lra).
  unfold self_mass, other_weight, other_mass. rewrite E, EN. unfold S in *. set (w := u) in *. clearbody w.
  repeat split; try lra; field; lra.
Qed.

Lemma masses_above : let v := power n (g - 1) in let S := 1 + v * (1 - u) in
  0 < S /\ a = 1 / S /\ M = v * (1 - u) / S /\ b = v * u / S /\ 1 + odds n rho beta = S.
Proof.
  intros v S. pose proof (power_pos n (g - 1)) as P. fold v in P. pose proof (inverse_range n Hn) as U.
  pose proof (size_ge_2 n Hn) as HN.
  assert (HS : 0 < S). { unfold S. assert (0 < v * (1 - u)) by (apply Rmult_lt_0_compat; lra). lra. }
  assert (E : odds n rho beta = (1 - u) * v) by apply odds_power.
  assert (EN : INR n - 1 = (1 - u) / u) by (field; lra).
  unfold self_mass, other_weight, other_mass. rewrite E, EN. unfold S in *. set (w := u) in *. clearbody w v.
  repeat split; try lra; field; lra.
Qed.

Lemma u_product : u = power n (1 - g) * power n g.
Proof. rewrite <- power_plus, <- (power_1 n Hn). f_equal. ring. Qed.
End Masses.

(* ---- Remainders of lambda = |x'|-scaled contraction: 1 - <y'_i, y'_j> = (1-rho) lambda ---- *)

Definition lambda_below (rho s v e u : R) : R :=
  let S := v + 1 - u in let c := s + v * (1 - e) / S in
  let h := (u + rho * (1 - u)) / S * (2 * c + 1 / S) in let h0 := rho * (2 * s + 1) in
  ((1 - e) * (c + s) * h0 - s ^ 2 * ((e - rho) * (2 * c + 1 / S) + rho * (1 - e))) / (S * (c ^ 2 + h) * (s ^ 2 + h0)).

Definition lambda_at (rho s u : R) : R :=
  let C0 := 1 + 2 * s in let C := C0 - u * (1 + s) in
  - (((1 - rho) * C0 ^ 2 * (2 * C + 1) + rho * (1 + s) * (2 * C0 * C + C0 + C))
     / ((C0 ^ 2 + rho * (2 * C0 + 1)) * (C ^ 2 + (rho + (1 - rho) * u) * (2 * C + 1)))).

Definition lambda_above (rho s v u : R) : R :=
  let S := 1 + v * (1 - u) in let c := 1 + s - v / S in
  let h := v * (u + rho * (1 - u)) / S * (2 * c + v / S) in
  - ((u + rho * (1 - u)) * (2 * c + v / S) / (S * (c ^ 2 + h))).

(* Limits of lambda. *)
Definition lambda_limit_below (rho s : R) : R := s ^ 2 / (s ^ 2 + rho * (2 * s + 1)).
Definition lambda_limit_at (rho s : R) : R := (1 + 2 * s) ^ 2 / ((1 + 2 * s) ^ 2 + rho * (2 * (1 + 2 * s) + 1)).

Lemma contraction_below rho s v e u : 0 < rho < 1 -> 0 <= s -> 0 < v -> 0 < e < 1 -> u = v * e -> u < 1 ->
  contraction rho (v / (v + 1 - u)) ((1 - u) / (v + 1 - u)) (u / (v + 1 - u)) s - lambda_limit_below rho s
  = v * lambda_below rho s v e u.
Proof.
  intros Hr Hs Hv He Eu Hu. set (S := v + 1 - u). assert (HS : 0 < S) by (unfold S; lra).
  assert (Hu0 : 0 < u) by (rewrite Eu; apply Rmult_lt_0_compat; lra).
  unfold contraction, shared, own, lambda_below, lambda_limit_below. cbv zeta. fold S.
  assert (Hc : v / S - u / S + s = s + v * (1 - e) / S) by (rewrite Eu; field; lra). rewrite Hc.
  set (c := s + v * (1 - e) / S).
  assert (Hc0 : 0 <= c).
  { unfold c. assert (0 <= v * (1 - e) / S); [|lra].
    apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat; auto]. }
  replace (u / S + rho * ((1 - u) / S)) with ((u + rho * (1 - u)) / S) by (field; lra).
  replace ((1 - u) / S + u / S) with (1 / S) by (field; lra).
  assert (HiS : 0 < 1 / S) by (apply Rdiv_lt_0_compat; lra).
  assert (Hm : 0 < (u + rho * (1 - u)) / S).
  { apply Rdiv_lt_0_compat; auto. assert (0 < rho * (1 - u)) by (apply Rmult_lt_0_compat; lra). lra. }
  assert (Hh : 0 < (u + rho * (1 - u)) / S * (2 * c + 1 / S)) by (apply Rmult_lt_0_compat; lra).
  assert (Hh0 : 0 < rho * (2 * s + 1)) by (apply Rmult_lt_0_compat; lra).
  pose proof (pow2_ge_0 c). pose proof (pow2_ge_0 s).
  set (h := (u + rho * (1 - u)) / S * (2 * c + 1 / S)) in *. set (h0 := rho * (2 * s + 1)) in *.
  transitivity (((c ^ 2 - s ^ 2) * h0 - s ^ 2 * (h - h0)) / ((c ^ 2 + h) * (s ^ 2 + h0))); [field; split; lra|].
  assert (E1 : c ^ 2 - s ^ 2 = v * (1 - e) / S * (c + s)).
  { replace (c ^ 2 - s ^ 2) with ((c - s) * (c + s)) by ring. unfold c at 1. ring. }
  assert (E2 : h - h0 = v * ((e - rho) * (2 * c + 1 / S) + rho * (1 - e)) / S).
  { unfold h, h0. assert (Es : s = c - v * (1 - e) / S) by (unfold c; ring). clear -Es HS Eu. clearbody c.
    rewrite Es. unfold S in *. rewrite Eu in *. field. lra. }
  rewrite E1, E2. field. repeat split; lra.
Qed.

Lemma contraction_at rho s u : 0 < rho < 1 -> 0 <= s -> 0 < u < 1 ->
  contraction rho (1 / (2 - u)) ((1 - u) / (2 - u)) (u / (2 - u)) s - lambda_limit_at rho s = u * lambda_at rho s u.
Proof.
  intros Hr Hs Hu. set (S := 2 - u). assert (HS : 0 < S) by (unfold S; lra).
  unfold contraction, shared, own, lambda_at, lambda_limit_at. cbv zeta.
  set (C0 := 1 + 2 * s). set (C := C0 - u * (1 + s)).
  assert (HC0 : 0 < C0) by (unfold C0; lra).
  assert (HC : 0 < C). { unfold C, C0. assert (u * (1 + s) < 1 * (1 + s)) by (apply Rmult_lt_compat_r; lra). lra. }
  assert (Hc : 1 / S - u / S + s = C / S) by (unfold C, C0, S in *; field; lra). rewrite Hc.
  assert (H0 : 0 < (1 - rho) * u) by (apply Rmult_lt_0_compat; lra).
  assert (Hh : 0 < (rho + (1 - rho) * u) * (2 * C + 1)) by (apply Rmult_lt_0_compat; lra).
  assert (Hh0 : 0 < rho * (2 * C0 + 1)) by (apply Rmult_lt_0_compat; lra).
  assert (0 < C ^ 2) by (apply pow_lt; lra). assert (0 < C0 ^ 2) by (apply pow_lt; lra).
  replace ((C / S) ^ 2 / ((C / S) ^ 2 + (u / S + rho * ((1 - u) / S)) * (2 * (C / S) + ((1 - u) / S + u / S))))
    with (C ^ 2 / (C ^ 2 + (rho + (1 - rho) * u) * (2 * C + 1))).
  2: { assert (E : (C / S) ^ 2 + (u / S + rho * ((1 - u) / S)) * (2 * (C / S) + ((1 - u) / S + u / S))
              = (C ^ 2 + (rho + (1 - rho) * u) * (2 * C + 1)) / S ^ 2) by (field; lra).
       rewrite E. field. split; lra. }
  transitivity (- (C0 ^ 2 * ((1 - rho) * u * (2 * C + 1)) + rho * ((C0 - C) * (2 * C0 * C + C0 + C)))
    / ((C0 ^ 2 + rho * (2 * C0 + 1)) * (C ^ 2 + (rho + (1 - rho) * u) * (2 * C + 1)))).
  - field. split; lra.
  - replace (C0 - C) with (u * (1 + s)) by (unfold C; ring). field. split; lra.
Qed.

Lemma contraction_above rho s v u : 0 < rho < 1 -> 0 <= s -> 0 < v < 1 -> 0 < u < 1 -> let S := 1 + v * (1 - u) in
  contraction rho (1 / S) (v * (1 - u) / S) (v * u / S) s - 1 = v * lambda_above rho s v u.
Proof.
  intros Hr Hs Hv Hu S. assert (H1 : 0 < v * (1 - u)) by (apply Rmult_lt_0_compat; lra).
  assert (HS : 1 < S) by (unfold S; lra).
  unfold contraction, shared, own, lambda_above. cbv zeta. fold S. set (c := 1 + s - v / S).
  assert (Hv1 : 0 < v / S < 1).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r S); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Hc0 : 0 < c) by (unfold c; lra).
  assert (Hc : 1 / S - v * u / S + s = c) by (unfold c, S in *; field; lra). rewrite Hc.
  replace (v * u / S + rho * (v * (1 - u) / S)) with (v * (u + rho * (1 - u)) / S) by (field; lra).
  replace (v * (1 - u) / S + v * u / S) with (v / S) by (field; lra).
  assert (0 < rho * (1 - u)) by (apply Rmult_lt_0_compat; lra).
  assert (Hh : 0 < v * (u + rho * (1 - u)) / S * (2 * c + v / S)).
  { apply Rmult_lt_0_compat; [|lra]. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; lra. }
  assert (0 < c ^ 2) by (apply pow_lt; auto). set (h := v * (u + rho * (1 - u)) / S * (2 * c + v / S)) in *.
  transitivity (- (h / (c ^ 2 + h))); [field; lra|]. unfold h at 1. field. split; lra.
Qed.

(* ---- Remainders of eta ---- *)

(* z1 = g ln n * e, z2 = (g ln n)^2 e, h = n/d *)
Definition eta_below (q root rho alpha v e u z1 z2 h : R) : R :=
  let S := v + 1 - u in let a := v / S in let M := (1 - u) / S in let b := u / S in
  1 / q * (a / S * (1 - u * h) + 2 * a * (h * z1 * simplex_T rho a M b) + h * z2 * simplex_V rho a M b)
  + 2 * alpha / root * (1 / S * (1 - u * h) + h * z1 * simplex_T rho a M b)
  + 1 / q * (M * (e / S)) * ((1 - u * h) - 2 * (v * h * z1 * (a + rho * (1 - b)))
                             + v * h * z2 * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho))).

(* Over n^-1 (ln n)^2; l = 1/ln n. *)
Definition eta_at (q root rho alpha u l h : R) : R :=
  let S := 2 - u in let a := 1 / S in let M := (1 - u) / S in let b := u / S in
  (1 - u * h) * l ^ 2 / (2 * S) * ((a + 1 / 2) / q + 2 * alpha / root)
  + (2 * a / q + 2 * alpha / root) * (l * h * simplex_T rho a M b)
  + h / q * simplex_V rho a M b
  + M / (S * q) * (l ^ 2 * (1 - u * h) - 2 * (u * l * h * (a + rho * (1 - b)))
                   + u * h * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho))).

(* z1 = ln n / n, z2 = (ln n)^2 / n *)
Definition eta_above (q root rho alpha g v u z1 z2 h : R) : R :=
  let S := 1 + v * (1 - u) in let a := 1 / S in let m := (1 - u) / S in let M := v * m in let b := v * u / S in
  let t := 1 + a * rho - b in
  1 / q * (- (m * (1 + a)) * (1 - u * h) + 2 * a * (g * h * z1 * (m * t))
           + g ^ 2 * h * z2 * (rho * a ^ 2 * (M * m) + (1 + rho) * a ^ 2 * m * b + m * b * (1 - b) ^ 2 + m * (M - b) * b ^ 2))
  + 2 * alpha / root * (- m * (1 - u * h) + g * h * z1 * (m * t))
  + 1 / q * (m * b) * ((1 - u * h) - 2 * (g * h * z1 * (a + rho * (1 - b)))
                       + g ^ 2 * h * z2 * ((1 + a ^ 2 - b * (1 + a)) * (1 + rho))).

Lemma simplex_eta_below q rho alpha v e u g t h : 0 < q -> 0 < v -> u = v * e -> u < 1 ->
  simplex_eta q rho alpha (v / (v + 1 - u)) ((1 - u) / (v + 1 - u)) (u / (v + 1 - u)) (u * h) (g * t * u * h) ((g * t) ^ 2 * u * h)
  - alpha ^ 2 = v * eta_below q (sqrt q) rho alpha v e u (g * t * e) ((g * t) ^ 2 * e) h.
Proof.
  intros Hq Hv Eu Hu. pose proof (sqrt_lt_R0 q Hq). unfold simplex_eta, eta_below. cbv zeta.
  set (S := v + 1 - u) in *. assert (HS : 0 < S) by (unfold S; lra).
  generalize (simplex_T rho (v / S) ((1 - u) / S) (u / S)) (simplex_V rho (v / S) ((1 - u) / S) (u / S)). intros T V.
  clearbody S. rewrite Eu. field. repeat split; lra.
Qed.

Lemma simplex_eta_at q rho alpha u t h : 0 < q -> 0 < u < 1 -> 0 < t ->
  simplex_eta q rho alpha (1 / (2 - u)) ((1 - u) / (2 - u)) (u / (2 - u)) (u * h) (t * u * h) (t ^ 2 * u * h)
  - (alpha ^ 2 + (1 / (4 * q) + alpha / sqrt q) * (1 - u * h)) = u * t ^ 2 * eta_at q (sqrt q) rho alpha u (/ t) h.
Proof.
  intros Hq Hu Ht. pose proof (sqrt_lt_R0 q Hq). unfold simplex_eta, eta_at, simplex_T, simplex_V. cbv zeta.
  field. repeat split; lra.
Qed.

Lemma simplex_eta_above q rho alpha v u g t h : 0 < q -> 0 < v -> 0 < u < 1 -> let S := 1 + v * (1 - u) in
  simplex_eta q rho alpha (1 / S) (v * (1 - u) / S) (v * u / S) (u * h) (g * t * u * h) ((g * t) ^ 2 * u * h)
  - (alpha ^ 2 + (1 / q + 2 * alpha / sqrt q) * (1 - u * h))
  = v * eta_above q (sqrt q) rho alpha g v u (t * u) (t ^ 2 * u) h.
Proof.
  intros Hq Hv Hu S. pose proof (sqrt_lt_R0 q Hq). unfold simplex_eta, eta_above, simplex_T, simplex_V. cbv zeta. fold S.
  assert (0 < v * (1 - u)) by (apply Rmult_lt_0_compat; lra). assert (HS : 0 < S) by (unfold S; lra).
  assert (ES : v = (S - 1) / (1 - u)) by (unfold S; field; lra). clearbody S. rewrite ES in *. field. repeat split; lra.
Qed.

(* ---- The quantities of the layer ---- *)
Section Layer.
Variables (d n : nat) (q rho alpha gamma : R) (x : tokens).
Hypotheses (Hn : (2 <= n)%nat) (Hq : 0 < q) (Hr : 0 < rho < 1) (Ha : 0 <= alpha) (Hg : 0 <= gamma).
Hypothesis HS : simplex d n q rho x.
Notation g := (gamma * (1 - rho)).
Notation beta := (gamma * ln (INR n)).
Notation s := (alpha * sqrt q).
Notation u := (/ INR n).
Notation t := (ln (INR n)).
Notation h := (INR n / INR d).

Lemma beta_nonneg : 0 <= beta.
Proof. pose proof (log_pos n Hn). apply Rmult_le_pos; lra. Qed.

Lemma s_nonneg : 0 <= s.
Proof. apply Rmult_le_pos; auto. apply sqrt_pos. Qed.

Lemma u_range : 0 < u < 1.
Proof. pose proof (inverse_range n Hn). lra. Qed.

(* Self weight. *)
Theorem self_weight_below i : (i < n)%nat -> weight d n beta x i i - 0 = power n (1 - g) * (1 / (power n (1 - g) + 1 - u)).
Proof.
  intros Hi. destruct (masses_below n rho gamma Hn) as (P & E & _). rewrite (simplex_self_weight d n q rho); auto.
  rewrite E. unfold Rdiv. ring.
Qed.

Theorem self_weight_at i : g = 1 -> (i < n)%nat -> weight d n beta x i i - / 2 = u * (1 / (2 * (2 - u))).
Proof.
  intros H1 Hi. destruct (masses_at n rho gamma Hn H1) as (P & E & _). rewrite (simplex_self_weight d n q rho); auto.
  rewrite E. pose proof u_range as U. revert P U. generalize u. intros w P U. field. lra.
Qed.

Theorem self_weight_above i : (i < n)%nat ->
  weight d n beta x i i - 1 = power n (g - 1) * (- ((1 - u) / (1 + power n (g - 1) * (1 - u)))).
Proof.
  intros Hi. destruct (masses_above n rho gamma Hn) as (P & E & _). rewrite (simplex_self_weight d n q rho); auto.
  rewrite E. revert P. generalize (/ INR n). intros w P. field. lra.
Qed.

(* The mass of all others. *)
Notation others i := (fun j => negb (Nat.eqb j i)).

Lemma other_mass_self i : (i < n)%nat -> mass d n beta x i (others i) = 1 - weight d n beta x i i.
Proof.
  intros Hi. rewrite (simplex_other_mass d n q rho), (simplex_self_weight d n q rho); auto.
  pose proof (masses_sum n rho beta Hn). lra.
Qed.

Theorem other_mass_below i : (i < n)%nat ->
  mass d n beta x i (others i) - 1 = power n (1 - g) * (- (1 / (power n (1 - g) + 1 - u))).
Proof. intros Hi. rewrite other_mass_self; auto. pose proof (self_weight_below i Hi). lra. Qed.

Theorem other_mass_at i : g = 1 -> (i < n)%nat -> mass d n beta x i (others i) - / 2 = u * (- (1 / (2 * (2 - u)))).
Proof. intros H1 Hi. rewrite other_mass_self; auto. pose proof (self_weight_at i H1 Hi). lra. Qed.

Theorem other_mass_above i : (i < n)%nat ->
  mass d n beta x i (others i) - 0 = power n (g - 1) * ((1 - u) / (1 + power n (g - 1) * (1 - u))).
Proof. intros Hi. rewrite other_mass_self; auto. pose proof (self_weight_above i Hi). lra. Qed.

(* ln Z: a logarithm over its argument less 1 lies between 1/(1+y) and 1. *)
Lemma log_quotient y : 0 < y -> exists f, / (1 + y) <= f <= 1 /\ ln (1 + y) = y * f.
Proof.
  intros H. exists (ln (1 + y) / y). assert (K : 0 < / y) by (apply Rinv_0_lt_compat; auto).
  assert (L1 : ln (1 + y) <= y).
  { rewrite <- (ln_exp y) at 2. apply ln_le; [lra|]. pose proof (exp_ineq1 y ltac:(lra)). lra. }
  assert (L2 : y / (1 + y) <= ln (1 + y)).
  { assert (E : ln (/ (1 + y)) <= / (1 + y) - 1).
    { assert (P : 0 < / (1 + y)) by (apply Rinv_0_lt_compat; lra).
      rewrite <- (ln_exp (/ (1 + y) - 1)). apply ln_le; auto. apply below_exp. }
    rewrite ln_Rinv in E; [|lra]. replace (y / (1 + y)) with (1 - / (1 + y)) by (field; lra). lra. }
  repeat split.
  - replace (/ (1 + y)) with (y / (1 + y) / y) by (field; lra). apply Rmult_le_compat_r; lra.
  - replace 1 with (y / y) at 2 by (field; lra). apply Rmult_le_compat_r; lra.
  - field. lra.
Qed.

Theorem log_partition_below i : g < 1 -> 0 < g -> (i < n)%nat ->
  exists f, / (1 + power n (1 - g) * (1 - power n g)) <= f <= 1 /\
  ln (partition d n beta x i) - (1 + gamma * rho) * ln (INR n) = power n (1 - g) * ((1 - power n g) * f).
Proof.
  intros H1 H0 Hi. destruct (masses_below n rho gamma Hn) as (P & _ & _ & _ & E).
  pose proof (power_pos n (1 - g)) as Pv. pose proof (power_lt_1 n Hn g H0) as Pe.
  assert (Py : 0 < power n (1 - g) * (1 - power n g)) by (apply Rmult_lt_0_compat; lra).
  destruct (log_quotient _ Py) as (f & Hf & Ef). exists f. split; auto.
  rewrite (simplex_log_partition d n q rho), E; auto. unfold Rdiv. rewrite ln_mult; auto; [|apply Rinv_0_lt_compat; auto].
  rewrite ln_Rinv; auto. rewrite (u_product n rho gamma Hn).
  replace (power n (1 - g) + 1 - power n (1 - g) * power n g) with (1 + power n (1 - g) * (1 - power n g)) by ring.
  rewrite Ef, ln_power. ring.
Qed.

Theorem log_partition_at i : g = 1 -> (i < n)%nat -> exists f, 1 <= f <= 1 / (1 - u / 2) /\
  ln (partition d n beta x i) - (gamma * ln (INR n) + ln 2) = u * (- (f / 2)).
Proof.
  intros H1 Hi. destruct (masses_at n rho gamma Hn H1) as (P & _ & _ & _ & E). pose proof u_range as U.
  assert (Py : 0 < (u / 2) / (1 - u / 2)) by (apply Rdiv_lt_0_compat; lra).
  destruct (log_quotient _ Py) as (f & Hf & Ef).
  replace (1 + u / 2 / (1 - u / 2)) with (/ (1 - u / 2)) in Hf, Ef by (field; pose proof (size_ge_2 n Hn); lra).
  rewrite Rinv_inv in Hf. rewrite ln_Rinv in Ef; [|lra].
  exists (f / (1 - u / 2)). assert (K : 0 < / (1 - u / 2)) by (apply Rinv_0_lt_compat; lra). split.
  - split; [|apply Rmult_le_compat_r; lra].
    replace 1 with ((1 - u / 2) / (1 - u / 2)) at 1 by (field; pose proof (size_ge_2 n Hn); lra). apply Rmult_le_compat_r; lra.
  - rewrite (simplex_log_partition d n q rho), E; auto.
    replace (2 - u) with (2 * (1 - u / 2)) by lra. rewrite ln_mult; try lra.
Qed.

Theorem log_partition_above i : (i < n)%nat ->
  exists f, / (1 + power n (g - 1) * (1 - u)) <= f <= 1 /\
  ln (partition d n beta x i) - gamma * ln (INR n) = power n (g - 1) * ((1 - u) * f).
Proof.
  intros Hi. destruct (masses_above n rho gamma Hn) as (P & _ & _ & _ & E). pose proof u_range as U.
  pose proof (power_pos n (g - 1)) as Pv.
  assert (Py : 0 < power n (g - 1) * (1 - u)) by (apply Rmult_lt_0_compat; lra).
  destruct (log_quotient _ Py) as (f & Hf & Ef). exists f. split; auto.
  rewrite (simplex_log_partition d n q rho), E; auto. rewrite Ef. ring.
Qed.

(* lambda and the inner products. *)
Theorem angle_ratio_below : 0 < g < 1 ->
  angle_ratio d n beta alpha x - lambda_limit_below rho s = power n (1 - g) * lambda_below rho s (power n (1 - g)) (power n g) u.
Proof.
  intros H1. destruct (masses_below n rho gamma Hn) as (_ & E1 & E2 & E3 & _).
  rewrite (simplex_angle_ratio d n q rho); auto; try lra; [|apply beta_nonneg]. rewrite E1, E2, E3. pose proof u_range.
  apply contraction_below; auto; try apply s_nonneg; try apply power_pos; try lra; [|apply u_product; auto].
  split; [apply power_pos|apply power_lt_1; auto; lra].
Qed.

Theorem angle_ratio_at : g = 1 -> angle_ratio d n beta alpha x - lambda_limit_at rho s = u * lambda_at rho s u.
Proof.
  intros H1. destruct (masses_at n rho gamma Hn H1) as (_ & E1 & E2 & E3 & _).
  rewrite (simplex_angle_ratio d n q rho); auto; try lra; [|apply beta_nonneg]. rewrite E1, E2, E3.
  apply contraction_at; auto; [apply s_nonneg|apply u_range].
Qed.

Theorem angle_ratio_above : 1 < g -> angle_ratio d n beta alpha x - 1 = power n (g - 1) * lambda_above rho s (power n (g - 1)) u.
Proof.
  intros H1. destruct (masses_above n rho gamma Hn) as (_ & E1 & E2 & E3 & _).
  rewrite (simplex_angle_ratio d n q rho); auto; try lra; [|apply beta_nonneg]. rewrite E1, E2, E3.
  apply contraction_above; auto; [apply s_nonneg| |apply u_range].
  split; [apply power_pos|apply power_lt_1; auto; lra].
Qed.

Lemma inner_angle i j : (i < n)%nat -> (j < n)%nat -> i <> j ->
  output_inner d n beta alpha x i j = 1 - (1 - rho) * angle_ratio d n beta alpha x.
Proof.
  intros Hi Hj Hij. rewrite (simplex_angle_ratio d n q rho), (simplex_output_inner d n q rho); auto; try lra; apply beta_nonneg.
Qed.

Theorem inner_product_below i j : 0 < g < 1 -> (i < n)%nat -> (j < n)%nat -> i <> j ->
  output_inner d n beta alpha x i j - (1 - (1 - rho) * lambda_limit_below rho s)
  = power n (1 - g) * (- ((1 - rho) * lambda_below rho s (power n (1 - g)) (power n g) u)).
Proof.
  intros H1 Hi Hj Hij. rewrite inner_angle; auto.
  transitivity (- (1 - rho) * (angle_ratio d n beta alpha x - lambda_limit_below rho s)); [ring|].
  rewrite angle_ratio_below; auto. ring.
Qed.

Theorem inner_product_at i j : g = 1 -> (i < n)%nat -> (j < n)%nat -> i <> j ->
  output_inner d n beta alpha x i j - (1 - (1 - rho) * lambda_limit_at rho s) = u * (- ((1 - rho) * lambda_at rho s u)).
Proof.
  intros H1 Hi Hj Hij. rewrite inner_angle; auto.
  transitivity (- (1 - rho) * (angle_ratio d n beta alpha x - lambda_limit_at rho s)); [ring|].
  rewrite angle_ratio_at; auto. ring.
Qed.

Theorem inner_product_above i j : 1 < g -> (i < n)%nat -> (j < n)%nat -> i <> j ->
  output_inner d n beta alpha x i j - rho = power n (g - 1) * (- ((1 - rho) * lambda_above rho s (power n (g - 1)) u)).
Proof.
  intros H1 Hi Hj Hij. rewrite inner_angle; auto.
  transitivity (- (1 - rho) * (angle_ratio d n beta alpha x - 1)); [ring|]. rewrite angle_ratio_above; auto. ring.
Qed.

(* The Jacobian norm. *)
Hypothesis Hd : (0 < d)%nat.

Lemma eta_arguments : / INR d = u * h /\ (1 - rho) * beta / INR d = g * t * u * h /\ ((1 - rho) * beta) ^ 2 / INR d = (g * t) ^ 2 * u * h.
Proof.
  pose proof (size_ge_2 n Hn). assert (0 < INR d) by (apply lt_0_INR; auto).
  repeat split; field; lra.
Qed.

Theorem jacobian_norm_below : 0 < g < 1 ->
  jacobian_norm d n beta alpha x - alpha ^ 2
  = power n (1 - g) * eta_below q (sqrt q) rho alpha (power n (1 - g)) (power n g) u (g * t * power n g) ((g * t) ^ 2 * power n g) h.
Proof.
  intros H1. destruct (masses_below n rho gamma Hn) as (_ & E1 & E2 & E3 & _). destruct eta_arguments as (F1 & F2 & F3).
  rewrite (simplex_jacobian_norm d n q rho); auto. rewrite E1, E2, E3, F1, F2, F3. pose proof u_range.
  apply simplex_eta_below; auto; [apply power_pos|apply u_product; auto|lra].
Qed.

Theorem jacobian_norm_at : g = 1 ->
  jacobian_norm d n beta alpha x - (alpha ^ 2 + (1 / (4 * q) + alpha / sqrt q) * (1 - / INR d))
  = u * t ^ 2 * eta_at q (sqrt q) rho alpha u (/ t) h.
Proof.
  intros H1. destruct (masses_at n rho gamma Hn H1) as (_ & E1 & E2 & E3 & _). destruct eta_arguments as (F1 & F2 & F3).
  rewrite (simplex_jacobian_norm d n q rho); auto. rewrite E1, E2, E3, F2, F3, F1, H1, Rmult_1_l.
  apply simplex_eta_at; auto; [apply u_range|apply log_pos; auto].
Qed.

Theorem jacobian_norm_above :
  jacobian_norm d n beta alpha x - (alpha ^ 2 + (1 / q + 2 * alpha / sqrt q) * (1 - / INR d))
  = power n (g - 1) * eta_above q (sqrt q) rho alpha g (power n (g - 1)) u (t * u) (t ^ 2 * u) h.
Proof.
  destruct (masses_above n rho gamma Hn) as (_ & E1 & E2 & E3 & _). destruct eta_arguments as (F1 & F2 & F3).
  rewrite (simplex_jacobian_norm d n q rho); auto. rewrite E1, E2, E3, F2, F3, F1.
  apply simplex_eta_above; auto; [apply power_pos|apply u_range].
Qed.
End Layer.
