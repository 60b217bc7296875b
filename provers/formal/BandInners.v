(* Inner products and the angle ratio on three bands without residual, in the three phases and for all n >= N. The masses over
   that of the dominating band are p u and p v with p = n^-kappa and u, v in [0, 1], and Q - L = p * distance with a rational
   function `distance` of u, v, p, h = 1/K and k = K/n (a share w of what they are at most). Certificates bound it on
   the box of these variables. Uses ThreeBandsScaled.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Powers ThreeBands ThreeBandsForms ThreeBandsScaled BandTails.
Open Scope R_scope.

(* ---- The distances ---- *)

(* U = <y_i, mean of its cluster> - rho, W = <y_i, mean of all> - rho; |x'_i|^2 times T^2, where T is the sum of all masses, o what
   the token has for itself beside its cluster, c the cluster's beside all, m = T - c. *)
Definition part_U (r rho h : R) : R := r - rho + (1 - r) * h.
Definition part_W (r rho h k : R) : R := (r - rho) * k + (1 - r) * (h * k).
Definition part_norm (r rho h k T c m o : R) : R :=
  rho * T ^ 2 + part_W r rho h k * (m * (T + c)) + part_U r rho h * c ^ 2 + (1 - r) * (1 - h) * o ^ 2.

Section Far.
Variables (p u v h w r rho : R).
Definition far_k : R := p * (v * w).
Definition far_c : R := u + v * (1 - h) - v * w.
Definition far_norm : R := part_norm r rho h far_k (1 + p * far_c) (p * far_c) 1 (p * (u - v * h)).
Definition far_near_distance : R := - ((1 - r) * p * (u - v * h) ^ 2 / far_norm).
Definition far_far_distance : R := - (p * ((1 - r) * (1 - h) * (u - v * h) ^ 2 + part_U r rho h * far_c ^ 2) / far_norm).
Definition far_angle_distance : R :=
  (far_k * (1 - h) * (p * (u - v * h) ^ 2 / far_norm)
   + (1 - far_k) * (p * ((1 - r) * (1 - h) * (u - v * h) ^ 2 + part_U r rho h * far_c ^ 2) / far_norm) / (1 - rho)) / (1 - h * far_k).
End Far.

(* h = p u w; in the angle ratio k = p z *)
Section Near.
Variables (p u v w k r rho : R).
Definition near_h : R := p * (u * w).
Definition near_c : R := 1 + p * (u * (1 - w)) - p * (v * k).
Definition near_norm : R := part_norm r rho near_h k (near_c + p * v) near_c (p * v) (p * (u * (1 - w))).
Definition near_near_distance : R := - ((1 - r) * p * (u * (1 - w)) ^ 2 / near_norm).
Definition near_far_distance : R :=
  ((r - rho) * (rho + part_W r rho near_h k) * (v * (near_c + p * v + near_c))
   - rho * (1 - r) * (u * w * near_c ^ 2 + (1 - near_h) * (p * (u * (1 - w)) ^ 2))) / (r * near_norm).
End Near.
Definition near_angle_distance (p u v w z r rho : R) : R :=
  ((1 - near_h p u w) * z * (p * (p * (u * (1 - w)) ^ 2 / near_norm p u v w (p * z) r rho) - (r - rho) / (r * (1 - rho)))
   - (1 - p * z) * near_far_distance p u v w (p * z) r rho / (1 - rho)) / (1 - near_h p u w * (p * z)).

Section Self.
Variables (p u v h k r rho : R).
Definition self_c : R := 1 + p * (u * (1 - h)) - p * (v * k).
Definition self_o : R := 1 - p * (u * h).
Definition self_T : R := self_c + p * v.
Definition self_norm : R := part_norm r rho h k self_T self_c (p * v) self_o.
(* over (1-r) and (1-rho) *)
Definition self_near_part : R :=
  ((rho + part_W r rho h k) * ((u + v * (1 - k)) * (self_T + self_o))
   + (r - rho + (1 - r) * h) * (1 - k) * ((u - v * k) * (self_c + self_o))) / self_norm.
Definition self_near_distance : R := (1 - r) * self_near_part.
Definition self_far_distance : R :=
  ((rho * part_U r rho h + (1 - rho) * part_W r rho h k) * (v * (self_T + self_c))
   + rho * (1 - r) * (1 - h) * ((u + v * (1 - k)) * (self_T + self_o))) / self_norm.
Definition self_angle_distance : R :=
  - (k * (1 - h) * self_near_part + (1 - k) * (self_far_distance / (1 - rho))) / (1 - h * k).
End Self.

(* ---- The inner products in these parts, at any n ---- *)

Section Parts.
Variables (r rho m0 m1 m2 h k : R).
Hypotheses (Hr : 0 < rho <= r) (Hr1 : r <= 1) (Hh : 0 <= h <= 1) (Hk : 0 <= k <= 1).
Notation T := (scaled_total m0 m1 m2 h k).
Notation o := (m0 - m1 * h).
Notation c := (T - m2).
Notation norm2 := (part_norm r rho h k T c m2 o).
Hypothesis HT : 0 < T.

Lemma part_norm_pos : 0 < norm2.
Proof.
  set (T0 := T) in *. clearbody T0. unfold part_norm.
  replace (rho * T0 ^ 2 + part_W r rho h k * (m2 * (T0 + (T0 - m2))) + part_U r rho h * (T0 - m2) ^ 2 + (1 - r) * (1 - h) * o ^ 2)
    with (rho * T0 ^ 2 + part_W r rho h k * T0 ^ 2 + (r - rho + (1 - r) * h) * (1 - k) * (T0 - m2) ^ 2 + (1 - r) * (1 - h) * o ^ 2)
    by (unfold part_W, part_U; ring).
  assert (0 < T0 ^ 2) by (apply pow_lt; auto). assert (0 < rho * T0 ^ 2) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= (1 - r) * h) by (apply Rmult_le_pos; lra).
  assert (0 <= part_W r rho h k).
  { unfold part_W. apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; lra. }
  assert (0 <= part_W r rho h k * T0 ^ 2) by (apply Rmult_le_pos; lra).
  assert (0 <= (r - rho + (1 - r) * h) * (1 - k) * (T0 - m2) ^ 2) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply pow2_ge_0]).
  assert (0 <= (1 - r) * (1 - h) * o ^ 2) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply pow2_ge_0]). lra.
Qed.

Lemma part_norm_is : scaled_norm2 r rho m0 m1 m2 h k (h * k) 0 = norm2 / T ^ 2.
Proof.
  unfold scaled_norm2, three_norm2, scaled_own, scaled_cluster, scaled_all, scaled_U, scaled_W, part_norm, part_W, part_U.
  assert (E : m0 = T - m1 * (1 - h) - m2 * (1 - k)) by (unfold scaled_total; ring).
  set (T0 := T) in *. clearbody T0. subst m0. field. lra.
Qed.

Lemma near_part : 1 - scaled_inner_near r rho m0 m1 m2 h k (h * k) 0 = (1 - r) * o ^ 2 / norm2.
Proof.
  unfold scaled_inner_near. rewrite part_norm_is. pose proof part_norm_pos as P. set (N := norm2) in *. clearbody N.
  unfold scaled_own. set (T0 := T) in *. clearbody T0. field. lra.
Qed.

Lemma far_part : 1 - scaled_inner_far r rho m0 m1 m2 h k (h * k) 0 = ((1 - r) * (1 - h) * o ^ 2 + part_U r rho h * c ^ 2) / norm2.
Proof.
  unfold scaled_inner_far. rewrite part_norm_is. pose proof part_norm_pos as P.
  assert (E : three_inner_far rho (scaled_own m0 m1 m2 h k 0) (scaled_cluster m0 m1 m2 h k) (scaled_all m0 m1 m2 h k) (scaled_W r rho k (h * k))
    = (norm2 - ((1 - r) * (1 - h) * o ^ 2 + part_U r rho h * c ^ 2)) / T ^ 2).
  { unfold three_inner_far, scaled_own, scaled_cluster, scaled_all, scaled_W, part_norm, part_W, part_U.
    assert (E : m0 = T - m1 * (1 - h) - m2 * (1 - k)) by (unfold scaled_total; ring).
    clear P. set (T0 := T) in *. clearbody T0. subst m0. field. lra. }
  rewrite E. set (N := norm2) in *. clearbody N. clear E. set (T0 := T) in *. clearbody T0. field. lra.
Qed.
End Parts.

(* From N on a power is at most what its least exponent makes it at N. *)
Lemma power_at_most N n lo e B : 2 <= N -> N <= INR n -> 0 <= lo -> lo <= e -> exp (- lo * ln N) <= B -> power n e <= B.
Proof.
  intros HN2 HN H0 H HB. assert (Hn : (2 <= n)%nat) by (apply INR_le; change (INR 2) with 2; lra).
  apply Rle_trans with (1 := power_falls n Hn lo e H). apply Rle_trans with (2 := HB). apply power_from; lra.
Qed.

(* ---- The phases ---- *)

Section Phases.
Variables (theta gamma q r rho kappa P hm km C : R) (d n K : nat) (x : tokens).
Hypotheses (Hn : (2 <= n)%nat) (Ht : 0 < theta < 1) (Hg : 0 <= gamma) (HK : INR K = Rpower (INR n) theta).
Hypotheses (Hq : 0 < q) (Hr : 0 < rho <= r) (Hr1 : r <= 1) (HT : three_bands d n K q r rho x).
Notation p := (power n kappa).
Hypotheses (HP : p <= P) (Hh : power n theta <= hm) (Hk : power n (1 - theta) <= km).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation inner i j := (output_inner d n beta 0 x i j).
Notation h := (power n theta).
Notation k := (power n (1 - theta)).

Lemma share_of e : kappa <= e -> power n e = p * power n (e - kappa) /\ 0 <= power n (e - kappa) <= 1.
Proof.
  intros H. split; [rewrite <- power_plus; f_equal; ring|]. split; [left; apply power_pos|apply power_le_1; auto; lra].
Qed.

Lemma size_shares : 0 < h < 1 /\ 0 < k < 1 /\ 0 <= p.
Proof. repeat split; try apply power_pos; try (apply power_lt_1; auto; lra). left. apply power_pos. Qed.

(* The closed forms with m0 = n^-e0, m1, m2 named. *)
Lemma in_parts e0 m0 m1 m2 : exp (- e0 * t) = m0 -> exp ((theta - gamma * (1 - r) - e0) * t) = m1 -> exp ((1 - gamma * (1 - rho) - e0) * t) = m2 ->
  let T := scaled_total m0 m1 m2 h k in let N := part_norm r rho h k T (T - m2) m2 (m0 - m1 * h) in
  let a := (1 - r) * (m0 - m1 * h) ^ 2 / N in let b := ((1 - r) * (1 - h) * (m0 - m1 * h) ^ 2 + part_U r rho h * (T - m2) ^ 2) / N in
  0 < N /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> inner i j = 1 - a) /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> inner i j = 1 - b) /\
  (r < 1 -> angle_ratio d n beta 0 x = (k * (1 - h) * (a / (1 - r)) + (1 - k) * (b / (1 - rho))) / (1 - h * k)).
Proof.
  intros E0 E1 E2 T N a b. destruct size_shares as (R1 & R2 & _).
  assert (Eh : exp (- theta * t) = h) by reflexivity.
  assert (Ek : exp ((theta - 1) * t) = k) by (unfold power; f_equal; ring).
  assert (Eu : exp (- t) = h * k) by (rewrite <- Eh, <- Ek, <- exp_plus; f_equal; ring).
  pose proof (scaled_total_pos d n K q r rho theta gamma e0 x Hn HK HT) as TP. rewrite E0, E1, E2, Eh, Ek in TP.
  pose proof (part_norm_pos r rho m0 m1 m2 h k Hr Hr1 ltac:(lra) ltac:(lra) TP) as NP.
  pose proof (near_part r rho m0 m1 m2 h k Hr Hr1 ltac:(lra) ltac:(lra) TP) as Ea.
  pose proof (far_part r rho m0 m1 m2 h k Hr Hr1 ltac:(lra) ltac:(lra) TP) as Eb.
  fold T in NP, Ea, Eb. fold N in NP, Ea, Eb. fold a in Ea. fold b in Eb.
  split; [exact NP|]. split; [|split].
  - intros i j Hi Hj Hij E. rewrite (scaled_output_inner_near d n K q r rho theta gamma 0 e0 x Hn Hq HK HT Hg (Rle_refl 0) Hr Hr1 i j Hi Hj Hij E).
    rewrite E0, E1, E2, Eh, Ek, Eu, Rmult_0_l. lra.
  - intros i j Hi Hj E. rewrite (scaled_output_inner_far d n K q r rho theta gamma 0 e0 x Hn Hq HK HT Hg (Rle_refl 0) Hr Hr1 i j Hi Hj E).
    rewrite E0, E1, E2, Eh, Ek, Eu, Rmult_0_l. lra.
  - intros H1. rewrite (scaled_angle_ratio d n K q r rho theta gamma 0 e0 x Hn Hq HK HT Hg (Rle_refl 0) Hr Hr1 H1 ltac:(lra)).
    rewrite E0, E1, E2, Eh, Ek, Eu, Rmult_0_l, Ea, Eb. assert (h * k < 1) by (apply Rlt_le_trans with (h * 1); [apply Rmult_lt_compat_l; lra|lra]).
    field. lra.
Qed.

Lemma power_zero e : e = 0 -> exp (e * t) = 1.
Proof. intros ->. rewrite Rmult_0_l. apply exp_0. Qed.

Lemma power_is a e : a = - e -> exp (a * t) = power n e.
Proof. intros ->. reflexivity. Qed.

Lemma over_scale z l D : z - l = p * D -> Rabs D <= C -> Rabs (z - l) <= C * p.
Proof. intros E H. apply (tail_bound _ _ _ _ _ E); auto. apply size_shares. Qed.

(* -- far -- *)

Section FarPhase.
Hypotheses (G1 : kappa <= 1 - theta - gamma * (r - rho)) (G2 : kappa <= 1 - gamma * (1 - rho)).
Notation u := (power n (1 - gamma * (1 - rho) - kappa)).
Notation v := (power n (1 - theta - gamma * (r - rho) - kappa)).
Notation w := (power n (gamma * (r - rho))).
Notation box D := (forall p u v h w, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= h <= hm -> 0 <= w <= 1 -> Rabs (D p u v h w r rho) <= C).

Lemma far_ranges : 0 <= p <= P /\ 0 <= u <= 1 /\ 0 <= v <= 1 /\ 0 <= h <= hm /\ 0 <= w <= 1 /\ k = p * (v * w).
Proof.
  destruct size_shares as (R1 & R2 & R3). destruct (share_of _ G1) as [_ S1]. destruct (share_of _ G2) as [_ S2].
  assert (W : 0 <= gamma * (r - rho)) by (apply Rmult_le_pos; lra).
  repeat split; try lra; try (left; apply power_pos); try (apply power_le_1; auto).
  rewrite <- !power_plus. f_equal. ring.
Qed.

Lemma far_parts_are : let N := far_norm p u v h w r rho in
  0 < N /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> inner i j - 1 = p * far_near_distance p u v h w r rho) /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> inner i j - 1 = p * far_far_distance p u v h w r rho) /\
  (r < 1 -> angle_ratio d n beta 0 x - 0 = p * far_angle_distance p u v h w r rho).
Proof.
  intros N. destruct far_ranges as (_ & _ & _ & _ & _ & Ek). destruct (share_of _ G1) as [S1 _]. destruct (share_of _ G2) as [S2 _].
  destruct (in_parts (1 - gamma * (1 - rho)) (p * u) (p * v) 1) as (NP & A & B & D).
  - rewrite <- S2. reflexivity.
  - rewrite <- S1. apply power_is. ring.
  - apply power_zero. ring.
  - assert (ET : scaled_total (p * u) (p * v) 1 h k = 1 + p * far_c u v h w) by (rewrite Ek; unfold scaled_total, far_c; ring).
    assert (EN : part_norm r rho h k (scaled_total (p * u) (p * v) 1 h k) (scaled_total (p * u) (p * v) 1 h k - 1) 1 (p * u - p * v * h) = N).
    { unfold N, far_norm. rewrite ET. unfold far_k. rewrite <- Ek. f_equal; ring. }
    rewrite EN in NP, A, B, D. rewrite ET in B, D. split; [exact NP|].
    unfold far_near_distance, far_far_distance, far_angle_distance. fold N. unfold far_k. rewrite <- Ek.
    destruct size_shares as (R1 & R2 & R3).
    split; [|split].
    + intros i j Hi Hj Hij E. rewrite (A i j Hi Hj Hij E). field. lra.
    + intros i j Hi Hj E. rewrite (B i j Hi Hj E). field. lra.
    + intros H1. rewrite (D H1). assert (h * k < 1) by (apply Rlt_le_trans with (h * 1); [apply Rmult_lt_compat_l; lra|lra]). field. lra.
Qed.

Theorem far_inner_near i j : box far_near_distance -> (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> Rabs (inner i j - 1) <= C * p.
Proof. intros H Hi Hj Hij E. destruct far_parts_are as (_ & A & _ & _). destruct far_ranges as (R1 & R2 & R3 & R4 & R5 & _). apply (over_scale _ _ _ (A i j Hi Hj Hij E)). auto. Qed.

Theorem far_inner_far i j : box far_far_distance -> (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> Rabs (inner i j - 1) <= C * p.
Proof. intros H Hi Hj E. destruct far_parts_are as (_ & _ & A & _). destruct far_ranges as (R1 & R2 & R3 & R4 & R5 & _). apply (over_scale _ _ _ (A i j Hi Hj E)). auto. Qed.

Theorem far_angle : r < 1 -> box far_angle_distance -> Rabs (angle_ratio d n beta 0 x - 0) <= C * p.
Proof. intros H1 H. destruct far_parts_are as (_ & _ & _ & A). destruct far_ranges as (R1 & R2 & R3 & R4 & R5 & _). apply (over_scale _ _ _ (A H1)). auto. Qed.
End FarPhase.

(* -- near -- *)
Section NearPhase.
Hypotheses (G1 : kappa <= gamma * (r - rho) - (1 - theta)) (G2 : kappa <= theta - gamma * (1 - r)).
Notation u := (power n (theta - gamma * (1 - r) - kappa)).
Notation v := (power n (gamma * (r - rho) - (1 - theta) - kappa)).
Notation w := (power n (gamma * (1 - r))).
Notation box D := (forall p u v w k, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= w <= 1 -> 0 <= k <= km -> Rabs (D p u v w k r rho) <= C).

Lemma near_ranges : 0 <= p <= P /\ 0 <= u <= 1 /\ 0 <= v <= 1 /\ 0 <= w <= 1 /\ 0 <= k <= km /\ h = p * (u * w).
Proof.
  destruct size_shares as (R1 & R2 & R3). destruct (share_of _ G1) as [_ S1]. destruct (share_of _ G2) as [_ S2].
  assert (W : 0 <= gamma * (1 - r)) by (apply Rmult_le_pos; lra).
  repeat split; try lra; try (left; apply power_pos); try (apply power_le_1; auto).
  rewrite <- !power_plus. f_equal. ring.
Qed.

Lemma near_parts_are : let N := near_norm p u v w k r rho in
  0 < N /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> inner i j - 1 = p * near_near_distance p u v w k r rho) /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> inner i j - rho / r = p * near_far_distance p u v w k r rho) /\
  (r < 1 -> forall z, k = p * z ->
    angle_ratio d n beta 0 x - (r - rho) / ((1 - rho) * r) = p * near_angle_distance p u v w z r rho).
Proof.
  intros N. destruct near_ranges as (_ & _ & _ & _ & _ & Eh). destruct (share_of _ G1) as [S1 _]. destruct (share_of _ G2) as [S2 _].
  destruct (in_parts (theta - gamma * (1 - r)) (p * u) 1 (p * v)) as (NP & A & B & D).
  - rewrite <- S2. reflexivity.
  - apply power_zero. ring.
  - rewrite <- S1. apply power_is. ring.
  - assert (ET : scaled_total (p * u) 1 (p * v) h k = near_c p u v w k + p * v) by (rewrite Eh; unfold scaled_total, near_c; ring).
    assert (Eo : p * u - 1 * h = p * (u * (1 - w))) by (rewrite Eh; ring).
    rewrite ET, Eo in *. replace (near_c p u v w k + p * v - p * v) with (near_c p u v w k) in * by ring.
    assert (EN : part_norm r rho h k (near_c p u v w k + p * v) (near_c p u v w k) (p * v) (p * (u * (1 - w))) = N) by (unfold N, near_norm, near_h; rewrite <- Eh; reflexivity).
    rewrite EN in NP, A, B, D. split; [exact NP|].
    assert (F : (1 - r) * (1 - h) * (p * (u * (1 - w))) ^ 2 + part_U r rho h * near_c p u v w k ^ 2
      = N * ((r - rho) / r) - p * near_far_distance p u v w k r rho * N).
    { unfold near_far_distance. fold N. replace (p * (((r - rho) * (rho + part_W r rho (near_h p u w) k) * (v * (near_c p u v w k + p * v + near_c p u v w k)) -
        rho * (1 - r) * (u * w * near_c p u v w k ^ 2 + (1 - near_h p u w) * (p * (u * (1 - w)) ^ 2))) / (r * N)) * N)
        with (p * ((r - rho) * (rho + part_W r rho (near_h p u w) k) * (v * (near_c p u v w k + p * v + near_c p u v w k)) -
        rho * (1 - r) * (u * w * near_c p u v w k ^ 2 + (1 - near_h p u w) * (p * (u * (1 - w)) ^ 2))) / r) by (field; lra).
      rewrite <- EN. unfold part_norm. unfold near_h. rewrite Eh. set (c := near_c p u v w k). clearbody c. unfold part_U, part_W. field. lra. }
    destruct size_shares as (R1 & R2 & R3).
    assert (Bf : ((1 - r) * (1 - h) * (p * (u * (1 - w))) ^ 2 + part_U r rho h * near_c p u v w k ^ 2) / N = (r - rho) / r - p * near_far_distance p u v w k r rho)
      by (rewrite F; field; lra).
    rewrite Bf in B, D. split; [|split].
    + intros i j Hi Hj Hij E. rewrite (A i j Hi Hj Hij E). unfold near_near_distance. fold N. field. lra.
    + intros i j Hi Hj E. rewrite (B i j Hi Hj E). field. lra.
    + intros H1 z Ez. rewrite (D H1). assert (h * k < 1) by (apply Rlt_le_trans with (h * 1); [apply Rmult_lt_compat_l; lra|lra]).
      unfold near_angle_distance. rewrite <- Ez. fold N. set (f := near_far_distance p u v w k r rho). clearbody f N.
      unfold near_h. rewrite <- Eh. rewrite Ez in *. field. repeat split; lra.
Qed.

Theorem near_inner_near i j : box near_near_distance -> (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> Rabs (inner i j - 1) <= C * p.
Proof. intros H Hi Hj Hij E. destruct near_parts_are as (_ & A & _ & _). destruct near_ranges as (R1 & R2 & R3 & R4 & R5 & _). apply (over_scale _ _ _ (A i j Hi Hj Hij E)). auto. Qed.

Theorem near_inner_far i j : box near_far_distance -> (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> Rabs (inner i j - rho / r) <= C * p.
Proof. intros H Hi Hj E. destruct near_parts_are as (_ & _ & A & _). destruct near_ranges as (R1 & R2 & R3 & R4 & R5 & _). apply (over_scale _ _ _ (A i j Hi Hj E)). auto. Qed.

Theorem near_angle : r < 1 -> kappa <= 1 - theta ->
  (forall p u v w z, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= w <= 1 -> 0 <= z <= 1 -> Rabs (near_angle_distance p u v w z r rho) <= C) ->
  Rabs (angle_ratio d n beta 0 x - (r - rho) / ((1 - rho) * r)) <= C * p.
Proof.
  intros H1 G3 H. destruct near_parts_are as (_ & _ & _ & A). destruct near_ranges as (R1 & R2 & R3 & R4 & R5 & _).
  destruct (share_of _ G3) as [S3 R6]. apply (over_scale _ _ _ (A H1 _ S3)). auto.
Qed.
End NearPhase.

(* -- self -- *)
Section SelfPhase.
Hypotheses (G1 : kappa <= gamma * (1 - r) - theta) (G2 : kappa <= gamma * (1 - rho) - 1).
Notation u := (power n (gamma * (1 - r) - theta - kappa)).
Notation v := (power n (gamma * (1 - rho) - 1 - kappa)).
Notation box D := (forall p u v h k, 0 <= p <= P -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= h <= hm -> 0 <= k <= km -> Rabs (D p u v h k r rho) <= C).

Lemma self_ranges : 0 <= p <= P /\ 0 <= u <= 1 /\ 0 <= v <= 1 /\ 0 <= h <= hm /\ 0 <= k <= km.
Proof.
  destruct size_shares as (R1 & R2 & R3). destruct (share_of _ G1) as [_ S1]. destruct (share_of _ G2) as [_ S2]. repeat split; lra.
Qed.

Lemma self_parts_are : let N := self_norm p u v h k r rho in
  0 < N /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> inner i j - r = p * self_near_distance p u v h k r rho) /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> inner i j - rho = p * self_far_distance p u v h k r rho) /\
  (r < 1 -> angle_ratio d n beta 0 x - 1 = p * self_angle_distance p u v h k r rho).
Proof.
  intros N. destruct (share_of _ G1) as [S1 _]. destruct (share_of _ G2) as [S2 _].
  destruct (in_parts 0 1 (p * u) (p * v)) as (NP & A & B & D).
  - apply power_zero. ring.
  - rewrite <- S1. apply power_is. ring.
  - rewrite <- S2. apply power_is. ring.
  - assert (ET : scaled_total 1 (p * u) (p * v) h k = self_T p u v h k) by (unfold scaled_total, self_T, self_c; ring).
    assert (Eo : 1 - p * u * h = self_o p u h) by (unfold self_o; ring).
    rewrite ET, Eo in *. assert (Ec : self_T p u v h k - p * v = self_c p u v h k) by (unfold self_T; ring). rewrite Ec in *.
    change (part_norm r rho h k (self_T p u v h k) (self_c p u v h k) (p * v) (self_o p u h)) with N in *. split; [exact NP|].
    assert (Fa : self_o p u h ^ 2 / N = 1 - p * self_near_part p u v h k r rho).
    { unfold self_near_part. fold N. apply (Rmult_eq_reg_r N); [|lra].
      replace (self_o p u h ^ 2 / N * N) with (self_o p u h ^ 2) by (field; lra).
      match goal with |- _ = (1 - p * (?z / N)) * N => replace ((1 - p * (z / N)) * N) with (N - p * z) by (field; lra) end.
      unfold N, self_norm, part_norm, part_U, part_W, self_T, self_c, self_o. ring. }
    assert (Fb : ((1 - r) * (1 - h) * self_o p u h ^ 2 + part_U r rho h * self_c p u v h k ^ 2) / N = 1 - rho - p * self_far_distance p u v h k r rho).
    { unfold self_far_distance. fold N. apply (Rmult_eq_reg_r N); [|lra].
      match goal with |- ?y / N * N = _ => replace (y / N * N) with y by (field; lra) end.
      match goal with |- _ = (1 - rho - p * (?z / N)) * N => replace ((1 - rho - p * (z / N)) * N) with ((1 - rho) * N - p * z) by (field; lra) end.
      unfold N, self_norm, part_norm, part_U, part_W, self_T, self_c, self_o. ring. }
    rewrite Fb in B, D. destruct size_shares as (R1 & R2 & R3). split; [|split].
    + intros i j Hi Hj Hij E. rewrite (A i j Hi Hj Hij E). unfold self_near_distance.
      replace ((1 - r) * self_o p u h ^ 2 / N) with ((1 - r) * (self_o p u h ^ 2 / N)) by (field; lra). rewrite Fa. ring.
    + intros i j Hi Hj E. rewrite (B i j Hi Hj E). ring.
    + intros H1. rewrite (D H1). assert (h * k < 1) by (apply Rlt_le_trans with (h * 1); [apply Rmult_lt_compat_l; lra|lra]).
      replace ((1 - r) * self_o p u h ^ 2 / N / (1 - r)) with (self_o p u h ^ 2 / N) by (field; lra). rewrite Fa.
      unfold self_angle_distance. set (f := self_far_distance p u v h k r rho). set (g := self_near_part p u v h k r rho). clearbody f g. field. lra.
Qed.

Theorem self_inner_near i j : box self_near_distance -> (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> Rabs (inner i j - r) <= C * p.
Proof. intros H Hi Hj Hij E. destruct self_parts_are as (_ & A & _ & _). destruct self_ranges as (R1 & R2 & R3 & R4 & R5). apply (over_scale _ _ _ (A i j Hi Hj Hij E)). auto. Qed.

Theorem self_inner_far i j : box self_far_distance -> (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> Rabs (inner i j - rho) <= C * p.
Proof. intros H Hi Hj E. destruct self_parts_are as (_ & _ & A & _). destruct self_ranges as (R1 & R2 & R3 & R4 & R5). apply (over_scale _ _ _ (A i j Hi Hj E)). auto. Qed.

Theorem self_angle : r < 1 -> box self_angle_distance -> Rabs (angle_ratio d n beta 0 x - 1) <= C * p.
Proof. intros H1 H. destruct self_parts_are as (_ & _ & _ & A). destruct self_ranges as (R1 & R2 & R3 & R4 & R5). apply (over_scale _ _ _ (A H1)). auto. Qed.
End SelfPhase.
End Phases.
