(* What ThreeBandsScatter.v bounds eta by, where one mass dominates: plain inequalities between weights, and the functions of
   shares that certificates of the Jacobian norm bound by `interval`. No tokens here. *)
From Coq Require Import Reals Lra Lia.
From Critscale Require Import Sums Layer Powers Bounds ThreeBandsScaled ClassCertificates ThreeBandsScatter.
Open Scope R_scope.

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
