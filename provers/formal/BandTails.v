(* Distances from the limit on three bands, exactly: a tail is a quantity at n, its limit, and the distance of the two over a
   scale p = n^-k. Sums, products and quotients of tails are tails, and so is every quantity of a layer that is
   written in the masses of its bands. Certificates bound the third part. Uses ThreeBandsScaled.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Powers ThreeBands ThreeBandsForms ThreeBandsScaled.
Open Scope R_scope.

(* ---- Tails ---- *)

Record tail : Set := Tail { value : R; limit : R; distance : R }.

Definition constant (c : R) : tail := Tail c c 0.
Definition vanishing (v e : R) : tail := Tail v 0 e.
Definition plus (x y : tail) : tail := Tail (value x + value y) (limit x + limit y) (distance x + distance y).
Definition less (x y : tail) : tail := Tail (value x - value y) (limit x - limit y) (distance x - distance y).
Definition times (x y : tail) : tail := Tail (value x * value y) (limit x * limit y) (distance x * value y + limit x * distance y).
Definition square (x : tail) : tail := Tail (value x ^ 2) (limit x ^ 2) (distance x * (value x + limit x)).
Definition over (x y : tail) : tail :=
  Tail (value x / value y) (limit x / limit y) ((distance x - limit x / limit y * distance y) / value y).
(* x/(x + y), without what cancels *)
Definition share (x y : tail) : tail :=
  Tail (value x / (value x + value y)) (limit x / (limit x + limit y))
    ((distance x * limit y - limit x * distance y) / ((value x + value y) * (limit x + limit y))).
Definition rest (x : tail) : tail := Tail (1 - value x) (1 - limit x) (- distance x).

Definition known (p : R) (x : tail) : Prop := value x - limit x = p * distance x.

Section Known.
Variable p : R.

Lemma known_constant c : known p (constant c).
Proof. unfold known, constant. simpl. ring. Qed.

Lemma known_vanishing v e : v = p * e -> known p (vanishing v e).
Proof. unfold known, vanishing. simpl. intros. lra. Qed.

Lemma known_plus x y : known p x -> known p y -> known p (plus x y).
Proof. unfold known, plus. simpl. intros. lra. Qed.

Lemma known_less x y : known p x -> known p y -> known p (less x y).
Proof. unfold known, less. simpl. intros. lra. Qed.

Lemma known_times x y : known p x -> known p y -> known p (times x y).
Proof.
  unfold known, times. simpl. intros Hx Hy. replace (value x) with (limit x + p * distance x) by lra.
  replace (limit x * limit y) with (limit x * (value y - p * distance y)) by (f_equal; lra). ring.
Qed.

Lemma known_square x : known p x -> known p (square x).
Proof. unfold known, square. simpl. intros Hx. replace (p * (distance x * (value x + limit x))) with ((value x - limit x) * (value x + limit x)) by (rewrite Hx; ring). ring. Qed.

Lemma known_rest x : known p x -> known p (rest x).
Proof. unfold known, rest. simpl. intros. lra. Qed.

Lemma known_over x y : value y <> 0 -> limit y <> 0 -> known p x -> known p y -> known p (over x y).
Proof.
  unfold known, over. simpl. intros Vy Ly Hx Hy.
  replace (p * ((distance x - limit x / limit y * distance y) / value y))
    with ((p * distance x - limit x / limit y * (p * distance y)) / value y) by (field; auto).
  rewrite <- Hx, <- Hy. field. auto.
Qed.

Lemma known_share x y : value x + value y <> 0 -> limit x + limit y <> 0 -> known p x -> known p y -> known p (share x y).
Proof.
  unfold known, share. simpl. intros V L Hx Hy.
  replace (p * ((distance x * limit y - limit x * distance y) / ((value x + value y) * (limit x + limit y))))
    with (((p * distance x) * limit y - limit x * (p * distance y)) / ((value x + value y) * (limit x + limit y))) by (field; auto).
  rewrite <- Hx, <- Hy. field. auto.
Qed.
End Known.

(* What a certificate concludes from a bound of the distance. *)
Lemma tail_bound z l p e C : z - l = p * e -> 0 <= p -> Rabs e <= C -> Rabs (z - l) <= C * p.
Proof. intros E Hp H. rewrite E, Rabs_mult, (Rabs_pos_eq p); auto. rewrite Rmult_comm. apply Rmult_le_compat_r; auto. Qed.

(* ---- The layer: weights M0, M1 (1 - H), M2 (1 - F) of the three bands, H = 1/K, F = K/n ---- *)

Section Quantities.
Variables (r rho s : R) (M0 M1 M2 H F : tail).

Definition tail_total : tail := plus M0 (plus (times M1 (rest H)) (times M2 (rest F))).
Definition tail_self : tail := over M0 tail_total.
Definition tail_near : tail := over (times M1 (rest H)) tail_total.
Definition tail_far : tail := over (times M2 (rest F)) tail_total.

End Quantities.

(* The same from the masses A, B, M of the token itself, the near and the far band: H = 1/K, H1 = 1/(K-1), F = K/n,
   G = n/(n-K). *)
Record setting : Set := Setting { A_ : tail; B_ : tail; M_ : tail; H_ : tail; H1_ : tail; F_ : tail; G_ : tail }.

Section Outputs.
Variables (r rho s : R) (m : setting).

(* x'_i/(1+s) in the token itself, its cluster's mean and the mean of all: what is its own, and its cluster's. *)
Definition tail_own : tail := plus (constant (s / (1 + s))) (times (constant (1 / (1 + s))) (less (A_ m) (times (B_ m) (H1_ m)))).
Definition tail_cluster : tail := rest (times (constant (1 / (1 + s))) (times (M_ m) (G_ m))).
Definition U_rho : tail := plus (constant (r - rho)) (times (constant (1 - r)) (H_ m)).
Definition W_rho : tail := plus (times (constant (r - rho)) (F_ m)) (times (constant (1 - r)) (times (H_ m) (F_ m))).

(* |x'_i - x'_j|^2/2 and <x'_i, x'_j>, over (1+s)^2 *)
Definition near_apart : tail := times (constant (1 - r)) (square tail_own).
Definition near_together : tail :=
  plus (constant rho) (less (plus W_rho (times (less U_rho W_rho) (square tail_cluster))) (times (times (constant (1 - r)) (H_ m)) (square tail_own))).
Definition far_apart : tail :=
  plus (times (times (constant (1 - r)) (rest (H_ m))) (square tail_own)) (times U_rho (square tail_cluster)).
Definition far_together : tail := plus (constant rho) (times W_rho (rest (square tail_cluster))).

Definition tail_inner_near : tail := rest (share near_apart near_together).
Definition tail_inner_far : tail := rest (share far_apart far_together).
Definition tail_angle_ratio : tail :=
  over (plus (times (times (F_ m) (rest (H_ m))) (times (constant (/ (1 - r))) (share near_apart near_together)))
          (times (rest (F_ m)) (times (constant (/ (1 - rho))) (share far_apart far_together))))
    (rest (times (H_ m) (F_ m))).

(* What has to be positive. *)
Definition limits_positive : Prop := 0 < limit near_apart + limit near_together /\ 0 < limit far_apart + limit far_together.
End Outputs.

Ltac known_tail := repeat first [ assumption | apply known_constant | apply known_plus | apply known_less | apply known_times
  | apply known_square | apply known_rest | apply known_over | apply known_share ]; auto.

Section ThreeBandTails.
Variables (d n K : nat) (q r rho theta gamma alpha e0 p : R) (x : tokens) (M0 M1 M2 H F : tail).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation s := (alpha * sqrt q).
Hypotheses (Hn : (2 <= n)%nat) (Hq : 0 < q) (HK : INR K = Rpower (INR n) theta) (HT : three_bands d n K q r rho x).
Hypotheses (V0 : value M0 = exp (- e0 * t)) (V1 : value M1 = exp ((theta - gamma * (1 - r) - e0) * t))
  (V2 : value M2 = exp ((1 - gamma * (1 - rho) - e0) * t)) (VH : value H = exp (- theta * t)) (VF : value F = exp ((theta - 1) * t)).
Hypotheses (K0 : known p M0) (K1 : known p M1) (K2 : known p M2) (KH : known p H) (KF : known p F).
Notation total := (tail_total M0 M1 M2 H F).
Hypothesis HL : 0 < limit total.
Notation m0 := (exp (- e0 * t)).
Notation m1 := (exp ((theta - gamma * (1 - r) - e0) * t)).
Notation m2 := (exp ((1 - gamma * (1 - rho) - e0) * t)).
Notation h := (exp (- theta * t)).
Notation k := (exp ((theta - 1) * t)).
Notation u := (exp (- t)).

Lemma tail_total_value : value total = scaled_total m0 m1 m2 h k.
Proof. unfold tail_total, scaled_total, plus, times, rest. simpl. rewrite V0, V1, V2, VH, VF. ring. Qed.

Lemma tail_total_pos : 0 < value total.
Proof. rewrite tail_total_value. apply (scaled_total_pos d n K q r rho theta gamma e0 x Hn HK HT). Qed.

Lemma known_total : known p total.
Proof. unfold tail_total. known_tail. Qed.

Theorem self_weight_tail i : (i < n)%nat ->
  weight d n beta x i i - limit (tail_self M0 M1 M2 H F) = p * distance (tail_self M0 M1 M2 H F).
Proof.
  intros Hi. rewrite (scaled_self_weight d n K q r rho theta gamma e0 x Hn Hq HK HT i Hi), <- tail_total_value, <- V0.
  pose proof tail_total_pos. apply (known_over p M0 total); try lra; auto using known_total.
Qed.

Theorem near_mass_tail i : (i < n)%nat ->
  mass d n beta x i (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool) - limit (tail_near M0 M1 M2 H F)
  = p * distance (tail_near M0 M1 M2 H F).
Proof.
  intros Hi. rewrite (scaled_near_mass d n K q r rho theta gamma e0 x Hn Hq HK HT i Hi), <- tail_total_value, <- V1, <- VH.
  pose proof tail_total_pos. apply (known_over p (times M1 (rest H)) total); try lra; auto using known_total. known_tail.
Qed.

Theorem far_mass_tail i : (i < n)%nat ->
  mass d n beta x i (fun j => negb (Nat.eqb (i / K) (j / K))) - limit (tail_far M0 M1 M2 H F) = p * distance (tail_far M0 M1 M2 H F).
Proof.
  intros Hi. rewrite (scaled_far_mass d n K q r rho theta gamma e0 x Hn Hq HK HT i Hi), <- tail_total_value, <- V2, <- VF.
  pose proof tail_total_pos. apply (known_over p (times M2 (rest F)) total); try lra; auto using known_total. known_tail.
Qed.
End ThreeBandTails.

(* ---- The masses themselves as a setting ---- *)

Definition setting_of (M0 M1 M2 H F : tail) : setting :=
  Setting (tail_self M0 M1 M2 H F) (tail_near M0 M1 M2 H F) (tail_far M0 M1 M2 H F) H (over H (rest H)) F (over (constant 1) (rest F)).

(* ---- Inner products and the angle ratio from the masses ---- *)

Section Outputs.
Variables (d n K : nat) (q r rho theta gamma alpha e0 p : R) (x : tokens) (m : setting).
Notation t := (ln (INR n)).
Notation beta := (gamma * t).
Notation s := (alpha * sqrt q).
Hypotheses (Hn : (2 <= n)%nat) (Hq : 0 < q) (HK : INR K = Rpower (INR n) theta) (HT : three_bands d n K q r rho x).
Notation m0 := (exp (- e0 * t)).
Notation m1 := (exp ((theta - gamma * (1 - r) - e0) * t)).
Notation m2 := (exp ((1 - gamma * (1 - rho) - e0) * t)).
Notation h := (exp (- theta * t)).
Notation k := (exp ((theta - 1) * t)).
Notation u := (exp (- t)).
Notation T := (scaled_total m0 m1 m2 h k).

(* The setting is that of the layer, and everything in it is known over p. *)
Definition actual : Prop :=
  value (A_ m) = m0 / T /\ value (B_ m) = m1 * (1 - h) / T /\ value (M_ m) = m2 * (1 - k) / T /\
  value (H_ m) = h /\ value (H1_ m) = h / (1 - h) /\ value (F_ m) = k /\ value (G_ m) = 1 / (1 - k) /\
  known p (A_ m) /\ known p (B_ m) /\ known p (M_ m) /\ known p (H_ m) /\ known p (H1_ m) /\ known p (F_ m) /\ known p (G_ m).
Hypotheses (Hm : actual) (Ht : 0 < theta < 1).

Hypotheses (Hg : 0 <= gamma) (Ha : 0 <= alpha) (Hr : 0 < rho <= r) (Hr1 : r <= 1).
Notation own := (tail_own s m).
Notation cluster := (tail_cluster s m).
Notation Na := (near_apart r s m).
Notation Nt := (near_together r rho s m).
Notation Fa := (far_apart r rho s m).
Notation Ft := (far_together r rho s m).

Lemma residual_positive : 0 <= s.
Proof. apply Rmult_le_pos; auto. apply sqrt_pos. Qed.

Lemma size_product : h * k = u.
Proof. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma total_pos : 0 < T.
Proof. apply (scaled_total_pos d n K q r rho theta gamma e0 x Hn HK HT). Qed.

Lemma h_range : 0 < h < 1 /\ 0 < k < 1.
Proof.
  pose proof (log_pos n Hn) as L. repeat split; try apply exp_pos; (apply Rlt_le_trans with (exp 0); [apply exp_increasing|rewrite exp_0; lra]).
  - assert (0 < theta * t) by (apply Rmult_lt_0_compat; lra). lra.
  - assert (0 < (1 - theta) * t) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma own_value : value own = scaled_own m0 m1 m2 h k s / (1 + s).
Proof.
  pose proof residual_positive. pose proof total_pos. pose proof h_range as [R1 R2]. destruct Hm as (EA & EB & EM & EH & EH1 & EF & EG & _).
  unfold tail_own, plus, times, less, constant, scaled_own. cbn [value]. rewrite EA, EB, EH1. field. lra.
Qed.

Lemma cluster_value : value cluster = (scaled_own m0 m1 m2 h k s + scaled_cluster m0 m1 m2 h k) / (1 + s).
Proof.
  pose proof residual_positive. pose proof total_pos as P. pose proof h_range as [R1 R2]. destruct Hm as (EA & EB & EM & EH & EH1 & EF & EG & _).
  unfold tail_cluster, rest, times, constant, scaled_own, scaled_cluster. cbn [value]. rewrite EM, EG.
  set (T0 := T) in *. assert (E : T0 = m0 + m1 * (1 - h) + m2 * (1 - k)) by reflexivity.
  replace (1 - 1 / (1 + s) * (m2 * (1 - k) / T0 * (1 / (1 - k)))) with (((1 + s) * T0 - m2) / T0 / (1 + s)) by (field; lra).
  f_equal. replace (((1 + s) * T0 - m2) / T0) with ((T0 - m2) / T0 + s) by (field; lra).
  replace ((m0 - m1 * h) / T0 + s + (m1 - k * m2) / T0) with ((m0 - m1 * h + (m1 - k * m2)) / T0 + s) by (field; lra).
  f_equal. f_equal. rewrite E. ring.
Qed.

(* |x'_i|^2 is the sum of the two parts. *)
Lemma parts_sum : value Na + value Nt = scaled_norm2 r rho m0 m1 m2 h k u s / (1 + s) ^ 2 /\ value Fa + value Ft = value Na + value Nt.
Proof.
  pose proof residual_positive as S0. unfold near_apart, near_together, far_apart, far_together, U_rho, W_rho, plus, less, times, square, rest, constant.
  cbn [value]. rewrite own_value, cluster_value. unfold scaled_norm2, three_norm2, scaled_U, scaled_W, scaled_all.
  destruct Hm as (EA & EB & EM & EH & EH1 & EF & EG & _). rewrite <- size_product, EH, EF. pose proof total_pos as P.
  assert (E : scaled_own m0 m1 m2 h k s + scaled_cluster m0 m1 m2 h k + m2 / scaled_total m0 m1 m2 h k = 1 + s).
  { unfold scaled_own, scaled_cluster. set (T := scaled_total m0 m1 m2 h k) in *. assert (E : T = m0 + m1 * (1 - h) + m2 * (1 - k)) by reflexivity.
    replace ((m0 - m1 * h) / T + s + (m1 - k * m2) / T + m2 / T) with ((m0 + m1 * (1 - h) + m2 * (1 - k)) / T + s) by (field; lra).
    rewrite <- E. field. lra. }
  set (P0 := scaled_own m0 m1 m2 h k s) in *. set (Q0 := scaled_cluster m0 m1 m2 h k) in *. set (F0 := m2 / scaled_total m0 m1 m2 h k) in *.
  clearbody P0 Q0 F0. replace F0 with (1 + s - P0 - Q0) by lra. split; field; lra.
Qed.

Lemma parts_pos : 0 < value Na + value Nt /\ 0 < value Fa + value Ft.
Proof.
  destruct parts_sum as [E1 E2]. rewrite E2, E1. pose proof residual_positive.
  assert (0 < scaled_norm2 r rho m0 m1 m2 h k u s / (1 + s) ^ 2); [|auto].
  apply Rdiv_lt_0_compat; [|apply pow_lt; lra]. apply (scaled_norm2_pos d n K q r rho theta gamma alpha e0 x Hn HK HT Hg Ha Hr Hr1).
Qed.

Lemma known_parts : known p Na /\ known p Nt /\ known p Fa /\ known p Ft.
Proof.
  destruct Hm as (_ & _ & _ & _ & _ & _ & _ & KA & KB & KM & KH & KH1 & KF & KG).
  unfold near_apart, near_together, far_apart, far_together, U_rho, W_rho, tail_own, tail_cluster. repeat split; known_tail.
Qed.

Lemma near_value : value (tail_inner_near r rho s m) = scaled_inner_near r rho m0 m1 m2 h k u s.
Proof.
  unfold tail_inner_near, rest, share. cbn [value]. destruct parts_sum as [E _]. rewrite E. unfold near_apart, times, square, constant. cbn [value].
  rewrite own_value. unfold scaled_inner_near. pose proof residual_positive.
  pose proof (scaled_norm2_pos d n K q r rho theta gamma alpha e0 x Hn HK HT Hg Ha Hr Hr1). field. lra.
Qed.

Lemma far_value : value (tail_inner_far r rho s m) = scaled_inner_far r rho m0 m1 m2 h k u s.
Proof.
  pose proof residual_positive as S0. pose proof (scaled_norm2_pos d n K q r rho theta gamma alpha e0 x Hn HK HT Hg Ha Hr Hr1) as NP.
  unfold tail_inner_far, rest, share. cbn [value]. destruct parts_sum as [E1 E2]. rewrite E2, E1.
  assert (E3 : scaled_norm2 r rho m0 m1 m2 h k u s / (1 + s) ^ 2 - value Fa
    = three_inner_far rho (scaled_own m0 m1 m2 h k s) (scaled_cluster m0 m1 m2 h k) (scaled_all m0 m1 m2 h k) (scaled_W r rho k u) / (1 + s) ^ 2).
  { unfold far_apart, U_rho, plus, times, square, rest, constant. cbn [value]. rewrite own_value, cluster_value. destruct Hm as (EA & EB & EM & EH & EH1 & EF & EG & _). rewrite EH.
    unfold scaled_norm2, three_norm2, three_inner_far, scaled_U. field. lra. }
  unfold scaled_inner_far. apply (Rmult_eq_reg_r (scaled_norm2 r rho m0 m1 m2 h k u s / (1 + s) ^ 2)).
  - replace ((1 - value Fa / (scaled_norm2 r rho m0 m1 m2 h k u s / (1 + s) ^ 2)) * (scaled_norm2 r rho m0 m1 m2 h k u s / (1 + s) ^ 2))
      with (scaled_norm2 r rho m0 m1 m2 h k u s / (1 + s) ^ 2 - value Fa) by (field; lra).
    rewrite E3. field. lra.
  - apply Rgt_not_eq. apply Rdiv_lt_0_compat; [auto|apply pow_lt; lra].
Qed.

Theorem inner_near_tail i j : limits_positive r rho s m -> (i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat ->
  output_inner d n beta alpha x i j - limit (tail_inner_near r rho s m) = p * distance (tail_inner_near r rho s m).
Proof.
  intros [HN _] Hi Hj Hij E. rewrite (scaled_output_inner_near d n K q r rho theta gamma alpha e0 x Hn Hq HK HT Hg Ha Hr Hr1 i j Hi Hj Hij E), <- near_value.
  destruct parts_pos as [P1 _]. destruct known_parts as [Q1 [Q2 _]]. apply known_rest, known_share; auto; lra.
Qed.

Theorem inner_far_tail i j : limits_positive r rho s m -> (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat ->
  output_inner d n beta alpha x i j - limit (tail_inner_far r rho s m) = p * distance (tail_inner_far r rho s m).
Proof.
  intros [_ HN] Hi Hj E. rewrite (scaled_output_inner_far d n K q r rho theta gamma alpha e0 x Hn Hq HK HT Hg Ha Hr Hr1 i j Hi Hj E), <- far_value.
  destruct parts_pos as [_ P1]. destruct known_parts as [_ [_ [Q1 Q2]]]. apply known_rest, known_share; auto; lra.
Qed.

Theorem angle_ratio_tail : r < 1 -> limits_positive r rho s m -> 0 < limit (rest (times (H_ m) (F_ m))) ->
  angle_ratio d n beta alpha x - limit (tail_angle_ratio r rho s m) = p * distance (tail_angle_ratio r rho s m).
Proof.
  intros H1 [HN1 HN2] HU. rewrite (scaled_angle_ratio d n K q r rho theta gamma alpha e0 x Hn Hq HK HT Hg Ha Hr Hr1 H1 ltac:(lra)).
  rewrite <- near_value, <- far_value. destruct parts_pos as [P1 P2]. destruct known_parts as [Q1 [Q2 [Q3 Q4]]].
  assert (u1 : u < 1).
  { rewrite <- exp_0. apply exp_increasing. pose proof (log_pos n Hn). lra. }
  assert (VU : value (rest (times (H_ m) (F_ m))) = 1 - u) by (unfold rest, times; cbn [value]; destruct Hm as (EA & EB & EM & EH & EH1 & EF & EG & _); rewrite EH, EF, size_product; auto).
  assert (E : value (tail_angle_ratio r rho s m)
    = (k - u) / (1 - u) * ((1 - value (tail_inner_near r rho s m)) / (1 - r))
      + (1 - k) / (1 - u) * ((1 - value (tail_inner_far r rho s m)) / (1 - rho))).
  { unfold tail_angle_ratio, tail_inner_near, tail_inner_far. set (a := share Na Nt). set (b := share Fa Ft).
    unfold over, plus, times, rest, constant. cbn [value]. destruct Hm as (EA & EB & EM & EH & EH1 & EF & EG & _). rewrite EH, EF, <- size_product. rewrite <- size_product in u1. field. lra. }
  rewrite <- E. apply (known_over p (plus _ _) (rest (times (H_ m) (F_ m)))); try lra.
  - destruct Hm as (_ & _ & _ & _ & _ & _ & _ & KA & KB & KM & KH & KH1 & KF & KG). known_tail; lra.
  - destruct Hm as (_ & _ & _ & _ & _ & _ & _ & KA & KB & KM & KH & KH1 & KF & KG). known_tail.
Qed.
End Outputs.

(* Where the masses over the dominating one are known, the setting is that of the layer. *)
Theorem setting_actual d n K q r rho theta gamma e0 p x M0 M1 M2 H F : (2 <= n)%nat -> INR K = Rpower (INR n) theta ->
  three_bands d n K q r rho x -> 0 < theta < 1 ->
  value M0 = exp (- e0 * ln (INR n)) -> value M1 = exp ((theta - gamma * (1 - r) - e0) * ln (INR n)) ->
  value M2 = exp ((1 - gamma * (1 - rho) - e0) * ln (INR n)) -> value H = exp (- theta * ln (INR n)) -> value F = exp ((theta - 1) * ln (INR n)) ->
  known p M0 -> known p M1 -> known p M2 -> known p H -> known p F ->
  0 < limit (tail_total M0 M1 M2 H F) -> limit H < 1 -> limit F < 1 -> actual n r rho theta gamma e0 p (setting_of M0 M1 M2 H F).
Proof.
  intros Hn HK HT Ht V0 V1 V2 VH VF K0 K1 K2 KH KF HL LH LF.
  pose proof (tail_total_value n r rho theta gamma e0 M0 M1 M2 H F V0 V1 V2 VH VF) as ET.
  pose proof (tail_total_pos d n K q r rho theta gamma e0 x M0 M1 M2 H F Hn HK HT V0 V1 V2 VH VF) as TP.
  pose proof (h_range n theta Hn Ht) as [Rh Rk]. rewrite <- VH in Rh. rewrite <- VF in Rk.
  assert (KT : known p (tail_total M0 M1 M2 H F)) by (unfold tail_total; known_tail).
  unfold actual, setting_of. cbn [A_ B_ M_ H_ H1_ F_ G_].
  repeat split; auto; try (unfold tail_self, tail_near, tail_far; apply known_over; try lra; known_tail; fail).
  - unfold tail_self, over. cbn [value]. rewrite ET, V0. reflexivity.
  - unfold tail_near, over, times, rest. cbn [value]. rewrite ET, V1, VH. reflexivity.
  - unfold tail_far, over, times, rest. cbn [value]. rewrite ET, V2, VF. reflexivity.
  - unfold over, rest. cbn [value]. rewrite VH. reflexivity.
  - unfold over, rest, constant. cbn [value]. rewrite VF. reflexivity.
  - apply known_over; auto; unfold rest; cbn [value limit]; try lra; known_tail.
  - apply known_over; auto; unfold rest; cbn [value limit]; try lra; known_tail.
Qed.
