(* The hypotheses of the theorems can be met: explicit tokens for nested clusters with any number of levels, three bands,
   rows with bands and near-simplex classes whose bounds are attained, in every dimension from (L+1) n on; and clusters
   of order n^theta, or n^theta exactly, at arbitrarily large n. Uses ThreeBands.v. *)
From Coq Require Import Reals Lra Lia Arith ZArith Bool.
From Critscale Require Import Sums Layer Weights Powers Bounds Rows Bands BandsOutput ThreeBands.
Open Scope R_scope.

(* y_i = sum_l sqrt (r_l - r_(l+1)) f_(l, i / size l), r_(L+1) = 0, with orthonormal f: coordinate l n + k belongs to
   cluster k of level l. v i is the norm of token i. *)
Definition drop (L : nat) (r : nat -> R) (l : nat) : R := if Nat.eqb l L then level r L else level r l - level r (S l).

Definition nested_tokens (n L : nat) (size : nat -> nat) (r v : nat -> R) : tokens := fun i c =>
  if Nat.ltb c (S L * n)%nat then v i * (sqrt (drop L r (c / n)%nat) * delta (i / size (c / n))%nat (c mod n)%nat) else 0.

Section Nested.
Variables (n L : nat) (size : nat -> nat) (r v : nat -> R).
Hypotheses (Hn : (0 < n)%nat) (Hs : forall l, (l <= L)%nat -> (0 < size l)%nat).
Hypotheses (Hr : forall l, (l < L)%nat -> level r (S l) <= level r l) (Hr0 : 0 <= level r L).
Notation x := (nested_tokens n L size r v).

Lemma drop_nonneg l : (l <= L)%nat -> 0 <= drop L r l.
Proof. intros H. unfold drop. destruct (Nat.eqb_spec l L); auto. specialize (Hr l ltac:(lia)). lra. Qed.

(* <x_i, x_j> = v_i v_j sum_l D_l [i and j share a cluster of level l] *)
Lemma nested_inner d i j : (S L * n <= d)%nat -> (i < n)%nat -> (j < n)%nat ->
  inner d (x i) (x j) = v i * v j * sum_to (S L) (fun l => drop L r l * indicator (together size l i j)).
Proof.
  intros Hd Hi Hj. unfold inner. replace d with (S L * n + (d - S L * n))%nat by lia.
  rewrite sum_append, (sum_zero (d - S L * n)).
  - rewrite Rplus_0_r, sum_blocks, <- sum_scal. apply sum_ext; intros l Hl.
    pose proof (Hs l ltac:(lia)) as Sl.
    assert (Ci : (i / size l < n)%nat) by (apply Nat.le_lt_trans with i; auto; apply Nat.div_le_upper_bound; nia).
    rewrite (sum_ext n _ (fun t => (v i * v j * (drop L r l * delta (j / size l) t)) * delta t (i / size l))).
    + rewrite (sum_delta n (i / size l) (fun t => v i * v j * (drop L r l * delta (j / size l) t))); auto.
      unfold together, delta, indicator. rewrite (Nat.eqb_sym (j / size l)). ring.
    + intros t Ht. unfold nested_tokens. assert (B : Nat.ltb (l * n + t) (S L * n) = true) by (apply Nat.ltb_lt; nia).
      rewrite B. rewrite Nat.div_add_l, (Nat.div_small t n), Nat.add_0_r; [|auto|lia].
      rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small; [|auto|lia].
      rewrite (delta_sym (i / size l) t).
      replace (v i * (sqrt (drop L r l) * delta t (i / size l)) * (v j * (sqrt (drop L r l) * delta (j / size l) t)))
        with ((sqrt (drop L r l) * sqrt (drop L r l)) * (v i * v j * (delta (j / size l) t) * delta t (i / size l))) by ring.
      rewrite sqrt_sqrt; [ring|apply drop_nonneg; lia].
  - intros k Hk. unfold nested_tokens. assert (B : Nat.ltb (S L * n + k) (S L * n) = false) by (apply Nat.ltb_ge; lia). rewrite B. ring.
Qed.

(* What is left from level t on. *)
Lemma drops_from t : (t <= L)%nat -> sum_to (S L) (fun l => drop L r l * (if Nat.leb t l then 1 else 0)) = level r t.
Proof.
  intros Ht.
  assert (H : forall m, (m <= L)%nat -> sum_to m (fun l => drop L r l * (if Nat.leb t l then 1 else 0)) = if Nat.leb t m then level r t - level r m else 0).
  { induction m; intros Hm; [simpl; destruct t; simpl; ring|]. change (sum_to (S m) ?f) with (sum_to m f + f m).
    simpl sum_to. rewrite IHm; [|lia]. unfold drop. destruct (Nat.eqb_spec m L); [lia|].
    destruct (Nat.leb_spec t m), (Nat.leb_spec t (S m)); try lia; try ring.
    replace t with (S m) by lia. ring. }
  simpl sum_to. rewrite H; auto. unfold drop. rewrite Nat.eqb_refl. destruct (Nat.leb_spec t L); [ring|lia].
Qed.

Lemma nested_joined d i j t : (S L * n <= d)%nat -> (i < n)%nat -> (j < n)%nat -> (t <= L)%nat ->
  (forall l, (l <= L)%nat -> together size l i j = Nat.leb t l) -> inner d (x i) (x j) = v i * v j * level r t.
Proof.
  intros Hd Hi Hj Ht H. rewrite nested_inner; auto. f_equal. rewrite <- (drops_from t Ht).
  apply sum_ext; intros l Hl. rewrite H; [reflexivity|lia].
Qed.

Lemma nested_norm2 d i : (S L * n <= d)%nat -> (i < n)%nat -> inner d (x i) (x i) = v i * v i.
Proof.
  intros Hd Hi. rewrite (nested_joined d i i O); auto; [simpl; ring|lia|]. intros l _. unfold together. apply Nat.eqb_refl.
Qed.

Lemma nested_gram d i j t : (S L * n <= d)%nat -> (i < n)%nat -> (j < n)%nat -> (t <= L)%nat -> 0 < v i -> 0 < v j ->
  (forall l, (l <= L)%nat -> together size l i j = Nat.leb t l) -> gram d x i j = level r t.
Proof.
  intros Hd Hi Hj Ht Vi Vj H. unfold gram, unit_token. rewrite inner_directions. unfold norm.
  rewrite !nested_norm2, (nested_joined d i j t), !sqrt_square; auto; try lra. field. split; lra.
Qed.
End Nested.

(* Nested clusters of any sizes and levels 1 >= r_1 >= ... >= r_L >= 0. *)
Theorem bands_exist d n L q size r : nested L n size -> 0 < q ->
  (forall l, (l < L)%nat -> level r (S l) <= level r l) -> 0 <= level r L -> (S L * n <= d)%nat ->
  bands d n L q size r (nested_tokens n L size r (fun _ => sqrt q)).
Proof.
  intros HN Hq Hr Hr0 Hd. assert (Hs : forall l, (l <= L)%nat -> (0 < size l)%nat) by (intros; apply (size_pos L n size HN); auto).
  assert (Hn : (0 < n)%nat) by (destruct HN as [_ [_ [H _]]]; auto). pose proof (sqrt_lt_R0 q Hq) as Sq.
  split; [auto|]. split.
  - intros i Hi. rewrite nested_norm2; auto. apply sqrt_sqrt. lra.
  - intros i j l Hi Hj Hl [J1 J2]. rewrite (nested_gram n L size r (fun _ => sqrt q) Hn Hs Hr Hr0 d i j l); auto; try lia.
    + destruct l; [lia|reflexivity].
    + intros k Hk. destruct (Nat.leb_spec l k) as [H|H]; [|apply J2; auto].
      apply (together_up L n size HN k l); auto.
Qed.

(* Three bands. *)
Theorem three_bands_exist d n K q r rho : (0 < n)%nat -> (0 < K)%nat -> (exists m, n = (m * K)%nat) -> 0 < q -> 0 <= rho <= r -> r <= 1 ->
  (3 * n <= d)%nat -> exists x, three_bands d n K q r rho x.
Proof.
  intros Hn HK HD Hq Hr Hr1 Hd. set (size := three_sizes n K). set (lv := three_levels r rho).
  assert (HN : nested 2 n size).
  { repeat split; auto. intros l Hl. destruct HD as [m Hm]. destruct l as [|[|l]]; [exists K; simpl; lia|exists m; exact Hm|lia]. }
  assert (HB : bands d n 2 q size lv (nested_tokens n 2 size lv (fun _ => sqrt q))).
  { apply bands_exist; auto; [|simpl; lra]. intros l Hl. destruct l as [|[|l]]; simpl; lra || lia. }
  exists (nested_tokens n 2 size lv (fun _ => sqrt q)). destruct HB as [_ [H1 H2]]. split; [auto|]. split; [auto|]. split; [auto|].
  intros i j Hi Hj Hij. assert (T0 : together size O i j = false) by (rewrite (together_0 2 n size HN); apply Nat.eqb_neq; auto).
  destruct (Nat.eqb (i / K) (j / K)) eqn:E.
  - rewrite (H2 i j 1%nat); auto. split; [exact E|]. intros k Hk. replace k with O by lia. exact T0.
  - rewrite (H2 i j 2%nat); auto. split; [apply (together_top 2 n size HN); auto|]. intros k Hk. destruct k as [|[|k]]; [exact T0|exact E|lia].
Qed.

(* A row with bands, for any intervals that hold r and rho. *)
Corollary row_bands_exist d n K i r rho l_near u_near l_far u_far : (i < n)%nat -> (0 < K)%nat -> (exists m, n = (m * K)%nat) ->
  0 <= rho <= r -> r <= 1 -> l_near <= r <= u_near -> l_far <= rho <= u_far -> (3 * n <= d)%nat ->
  exists near x, row_bands d n K i near l_near u_near l_far u_far x.
Proof.
  intros Hi HK Hm Ho Hr Hnear Hfar Hd. assert (Hn : (0 < n)%nat) by lia. destruct (three_bands_exist d n K 1 r rho Hn HK Hm Rlt_0_1 Ho Hr Hd) as [x HT].
  destruct (three_bands_row d n K 1 r rho x i Hn Rlt_0_1 Hi HT) as (H1 & H2 & H3 & H4 & H5 & H6). exists (near_band n K i), x.
  repeat split; auto; intros.
  - destruct (H5 j); auto. lra.
  - destruct (H5 j); auto. lra.
  - destruct (H6 j); auto. lra.
  - destruct (H6 j); auto. lra.
Qed.

(* A near-simplex configuration whose four bounds are all attained, for every n >= 3: tokens in pairs, token 0 shorter. *)
Theorem near_simplex_exists d n q1 q2 rho1 rho2 : (3 <= n)%nat -> 0 < q1 <= q2 -> 0 <= rho1 <= rho2 -> rho2 <= 1 -> (3 * n <= d)%nat ->
  exists x, near_simplex d n q1 q2 rho1 rho2 x /\ inner d (x O) (x O) = q1 /\ inner d (x 1%nat) (x 1%nat) = q2 /\
  gram d x 0 1 = rho2 /\ gram d x 0 2 = rho1.
Proof.
  intros Hn Hq Hr Hr2 Hd. set (size := three_sizes n 2). set (lv := three_levels rho2 rho1).
  set (v := fun i => match i with O => sqrt q1 | _ => sqrt q2 end).
  assert (S1 : 0 < sqrt q1) by (apply sqrt_lt_R0; lra). assert (S2 : 0 < sqrt q2) by (apply sqrt_lt_R0; lra).
  assert (V : forall i, 0 < v i) by (intros [|i]; auto).
  assert (Hs : forall l, (l <= 2)%nat -> (0 < size l)%nat) by (intros [|[|[|l]]] Hl; simpl; lia).
  assert (HL : forall l, (l < 2)%nat -> level lv (S l) <= level lv l) by (intros [|[|l]] Hl; simpl; lra || lia).
  assert (H0 : 0 <= level lv 2) by (simpl; lra). assert (Hp : (0 < n)%nat) by lia.
  assert (T : forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> forall l, (l <= 2)%nat ->
    together size l i j = Nat.leb (if Nat.eqb (i / 2) (j / 2) then 1 else 2) l).
  { intros i j Hi Hj Hij l Hl. unfold together. destruct l as [|[|[|l]]]; [| | |lia].
    - change (size 0%nat) with 1%nat. rewrite !Nat.div_1_r. destruct (Nat.eqb_spec i j); [contradiction|]. destruct (Nat.eqb (i / 2) (j / 2)); reflexivity.
    - change (size 1%nat) with 2%nat. destruct (Nat.eqb (i / 2) (j / 2)); reflexivity.
    - change (size 2%nat) with n. rewrite (Nat.div_small i n), (Nat.div_small j n); auto. destruct (Nat.eqb (i / 2) (j / 2)); reflexivity. }
  assert (G : forall i j, (i < n)%nat -> (j < n)%nat -> i <> j ->
    gram d (nested_tokens n 2 size lv v) i j = if Nat.eqb (i / 2) (j / 2) then rho2 else rho1).
  { intros i j Hi Hj Hij. rewrite (nested_gram n 2 size lv v Hp Hs HL H0 d i j (if Nat.eqb (i / 2) (j / 2) then 1 else 2)%nat); auto.
    - destruct (Nat.eqb (i / 2) (j / 2)); reflexivity.
    - destruct (Nat.eqb (i / 2) (j / 2)); lia. }
  assert (N2 : forall i, (i < n)%nat -> inner d (nested_tokens n 2 size lv v i) (nested_tokens n 2 size lv v i) = v i * v i).
  { intros i Hi. apply nested_norm2; auto. }
  exists (nested_tokens n 2 size lv v). split; [split|].
  - intros i Hi. rewrite N2; auto. destruct i; simpl; rewrite sqrt_sqrt; lra.
  - intros i j Hi Hj Hij. rewrite G; auto. destruct (Nat.eqb (i / 2) (j / 2)); lra.
  - repeat split.
    + rewrite N2; [|lia]. simpl. apply sqrt_sqrt. lra.
    + rewrite N2; [|lia]. simpl. apply sqrt_sqrt. lra.
    + rewrite G; [reflexivity|lia|lia|lia].
    + rewrite G; [reflexivity|lia|lia|lia].
Qed.

(* ---- Clusters of order n^theta ---- *)

Lemma natural_above z : 0 < z -> exists k, z < INR k <= z + 1.
Proof.
  intros Hz. destruct (archimed z) as [H1 H2]. exists (Z.to_nat (up z)).
  assert (P : (0 <= up z)%Z) by (apply le_IZR; simpl; lra). rewrite INR_IZR_INZ, Z2Nat.id; auto. lra.
Qed.

Theorem orders_exist theta N0 : 0 < theta < 1 -> exists n K, (N0 <= n)%nat /\ of_order theta 4 n K /\ exists m, n = (m * K)%nat.
Proof.
  intros Ht. set (M := max 2 N0). assert (HM : (2 <= M)%nat) by lia. pose proof (size_ge_2 M HM) as M2.
  pose proof (log_pos M HM) as LM. set (a := power M (- theta)). set (b := power M (- (1 - theta))).
  assert (Hab : a * b = INR M).
  { unfold a, b. rewrite <- power_plus. replace (- theta + - (1 - theta)) with (- (1)) by ring. rewrite power_opp, power_1, Rinv_inv; auto. }
  assert (big : forall k, 0 < k -> 1 < power M (- k)).
  { intros k Hk. unfold power. rewrite <- exp_0. apply exp_increasing. assert (0 < k * ln (INR M)) by (apply Rmult_lt_0_compat; auto). lra. }
  assert (a1 : 1 < a) by (apply big; lra). assert (b1 : 1 < b) by (apply big; lra).
  destruct (natural_above a ltac:(lra)) as [K [K1 K2]]. destruct (natural_above b ltac:(lra)) as [m [m1 m2]].
  assert (Hn : INR (m * K) = INR m * INR K) by apply mult_INR.
  assert (two : forall k, 1 < INR k -> (2 <= k)%nat).
  { intros k Hk. destruct k as [|[|k]]; [simpl in Hk; lra|simpl in Hk; lra|lia]. }
  assert (Low : INR M <= INR (m * K)) by (rewrite Hn, <- Hab, Rmult_comm; apply Rmult_le_compat; lra).
  assert (High : INR (m * K) <= 4 * INR M).
  { rewrite Hn, <- Hab. replace (4 * (a * b)) with ((2 * b) * (2 * a)) by ring. apply Rmult_le_compat; try lra; apply pos_INR. }
  assert (K2' : (2 <= K)%nat) by (apply two; lra). assert (m2' : (2 <= m)%nat) by (apply two; lra).
  exists (m * K)%nat, K. split; [|split; [|exists m; reflexivity]].
  - apply INR_le in Low. lia.
  - split; [auto|]. split; [apply Nat.mul_le_mono_r; auto|]. set (n := (m * K)%nat) in *.
    assert (P1 : a <= power n (- theta)).
    { apply exp_le. apply Rmult_le_compat_l; [lra|]. apply ln_le; lra. }
    assert (P2 : power n (- theta) <= 4 * a).
    { apply Rle_trans with (exp (- - theta * (ln 4 + ln (INR M)))).
      - apply exp_le. apply Rmult_le_compat_l; [lra|]. rewrite <- ln_mult; [|lra|lra]. apply ln_le; lra.
      - replace (- - theta * (ln 4 + ln (INR M))) with (theta * ln 4 + - - theta * ln (INR M)) by ring. rewrite exp_plus.
        fold (power M (- theta)). fold a. apply Rmult_le_compat_r; [lra|].
        rewrite <- (exp_ln 4) at 2; [|lra]. apply exp_le. assert (0 < ln 4) by (rewrite <- ln_1; apply ln_increasing; lra).
        rewrite <- (Rmult_1_l (ln 4)) at 2. apply Rmult_le_compat_r; lra. }
    lra.
Qed.

(* And K = n^theta exactly, as certificates have it, for every theta = a/b: K = m^a, n = m^b. *)
Theorem exact_orders_exist a b N0 : (0 < a < b)%nat -> exists n K, (N0 <= n)%nat /\ (2 <= K)%nat /\ (exists m, n = (m * K)%nat) /\
  INR K = Rpower (INR n) (INR a / INR b).
Proof.
  intros [Ha Hb]. set (m := max 2 N0). assert (Hm : (2 <= m)%nat) by lia. assert (M0 : 0 < INR m) by (apply lt_0_INR; lia).
  assert (B0 : 0 < INR b) by (apply lt_0_INR; lia). exists (m ^ b)%nat, (m ^ a)%nat. split; [|split; [|split]].
  - apply Nat.le_trans with (m ^ 1)%nat; [rewrite Nat.pow_1_r; lia|apply Nat.pow_le_mono_r; lia].
  - apply Nat.le_trans with (m ^ 1)%nat; [rewrite Nat.pow_1_r; lia|apply Nat.pow_le_mono_r; lia].
  - exists (m ^ (b - a))%nat. rewrite <- Nat.pow_add_r. f_equal. lia.
  - rewrite !pow_INR, <- !Rpower_pow, Rpower_mult; auto. f_equal. field. lra.
Qed.
