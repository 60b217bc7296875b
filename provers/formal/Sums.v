(* Finite sums over tokens and coordinates, vectors, inner products. Uses Coq's real numbers only. *)
From Coq Require Import Reals Lra Lia Arith.
Open Scope R_scope.

(* ---- Definitions ---- *)

(* f 0 + f 1 + ... + f (n - 1). *)
Fixpoint sum_to (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S k => sum_to k f + f k end.

(* A vector of R^d is the function of its coordinates 0, ..., d - 1; what it is elsewhere never matters. *)
Definition vector := nat -> R.
Definition inner (d : nat) (u v : vector) : R := sum_to d (fun c => u c * v c).
Definition norm (d : nat) (u : vector) : R := sqrt (inner d u u).
Definition direction (d : nat) (u : vector) : vector := fun c => u c / norm d u.

(* Kronecker's delta. *)
Definition delta (i j : nat) : R := if Nat.eqb i j then 1 else 0.

(* ---- Sums ---- *)

Lemma sum_ext n f g : (forall k, (k < n)%nat -> f k = g k) -> sum_to n f = sum_to n g.
Proof. induction n; simpl; intros H; [reflexivity|]. rewrite IHn, H; auto with arith. Qed.

Lemma sum_plus n f g : sum_to n (fun k => f k + g k) = sum_to n f + sum_to n g.
Proof. induction n; simpl; [lra|]. rewrite IHn; ring. Qed.

Lemma sum_minus n f g : sum_to n (fun k => f k - g k) = sum_to n f - sum_to n g.
Proof. induction n; simpl; [lra|]. rewrite IHn; ring. Qed.

Lemma sum_scal n a f : sum_to n (fun k => a * f k) = a * sum_to n f.
Proof. induction n; simpl; [lra|]. rewrite IHn; ring. Qed.

Lemma sum_scal_r n a f : sum_to n (fun k => f k * a) = sum_to n f * a.
Proof. induction n; simpl; [lra|]. rewrite IHn; ring. Qed.

Lemma sum_const n a : sum_to n (fun _ => a) = INR n * a.
Proof. induction n; [simpl; lra|]. rewrite S_INR. simpl. rewrite IHn. ring. Qed.

Lemma sum_zero n f : (forall k, (k < n)%nat -> f k = 0) -> sum_to n f = 0.
Proof. intros H. rewrite (sum_ext n f (fun _ => 0)); auto. rewrite sum_const; ring. Qed.

Lemma sum_swap n p f :
  sum_to n (fun i => sum_to p (fun j => f i j)) = sum_to p (fun j => sum_to n (fun i => f i j)).
Proof.
  induction n; simpl; [rewrite sum_zero; auto|]. rewrite IHn, <- sum_plus. reflexivity.
Qed.

Lemma sum_product n p f g :
  sum_to n f * sum_to p g = sum_to n (fun i => sum_to p (fun j => f i * g j)).
Proof. rewrite <- sum_scal_r. apply sum_ext; intros. rewrite sum_scal. reflexivity. Qed.

(* One term apart. *)
Lemma sum_one n i f g :
  (i < n)%nat -> (forall k, (k < n)%nat -> k <> i -> f k = g k) -> sum_to n f = sum_to n g + (f i - g i).
Proof.
  induction n; intros Hi H; [lia|]. simpl.
  destruct (Nat.eq_dec i n) as [->|Hn].
  - rewrite (sum_ext n f g); [ring|]. intros; apply H; lia.
  - rewrite IHn; [|lia|intros; apply H; lia]. rewrite (H n); [ring|lia|lia].
Qed.

Lemma sum_apart n i f x y :
  (i < n)%nat -> f i = x -> (forall k, (k < n)%nat -> k <> i -> f k = y) -> sum_to n f = x + (INR n - 1) * y.
Proof.
  intros Hi Hx Hy. rewrite (sum_one n i f (fun _ => y)); auto. rewrite sum_const, Hx. ring.
Qed.

(* Two terms apart. *)
Lemma sum_two_apart n i k f x y z : (i < n)%nat -> (k < n)%nat -> i <> k -> f i = x -> f k = y ->
  (forall l, (l < n)%nat -> l <> i -> l <> k -> f l = z) -> sum_to n f = x + y + (INR n - 2) * z.
Proof.
  intros Hi Hk Hik Hx Hy Hz.
  rewrite (sum_one n i f (fun l => if Nat.eqb l i then z else f l)); auto.
  - rewrite (sum_apart n k _ y z); auto.
    + rewrite Nat.eqb_refl, Hx. ring.
    + destruct (Nat.eqb_spec k i); [congruence|auto].
    + intros l Hl Hlk. destruct (Nat.eqb_spec l i); auto.
  - intros l _ Hl. destruct (Nat.eqb_spec l i); [contradiction|reflexivity].
Qed.

Lemma delta_same i : delta i i = 1.
Proof. unfold delta. rewrite Nat.eqb_refl. reflexivity. Qed.

Lemma delta_other i j : i <> j -> delta i j = 0.
Proof. intros H. unfold delta. destruct (Nat.eqb_spec i j); [contradiction|reflexivity]. Qed.

Lemma delta_sym i j : delta i j = delta j i.
Proof. unfold delta. rewrite Nat.eqb_sym. reflexivity. Qed.

Lemma sum_delta n e f : (e < n)%nat -> sum_to n (fun c => f c * delta c e) = f e.
Proof.
  intros H. rewrite (sum_one n e _ (fun _ => 0)); auto.
  - rewrite sum_zero, delta_same; auto. ring.
  - intros c _ Hc. rewrite delta_other; auto. ring.
Qed.

Lemma sum_le n f g : (forall k, (k < n)%nat -> f k <= g k) -> sum_to n f <= sum_to n g.
Proof.
  induction n; simpl; intros H; [lra|]. apply Rplus_le_compat; [apply IHn; intros; apply H; lia|apply H; lia].
Qed.

Lemma sum_nonneg n f : (forall k, (k < n)%nat -> 0 <= f k) -> 0 <= sum_to n f.
Proof. intros H. replace 0 with (sum_to n (fun _ => 0)) by (apply sum_zero; auto). apply sum_le; auto. Qed.

Lemma sum_pos n f : (0 < n)%nat -> (forall k, (k < n)%nat -> 0 < f k) -> 0 < sum_to n f.
Proof.
  induction n; intros Hn H; [lia|]. simpl. destruct n.
  - simpl. rewrite Rplus_0_l. apply H; lia.
  - apply Rplus_lt_0_compat; [apply IHn; [lia|intros; apply H; lia]|apply H; lia].
Qed.

(* One term is at most the sum of terms that are not negative. *)
Lemma term_le_sum n i f : (i < n)%nat -> (forall k, (k < n)%nat -> 0 <= f k) -> f i <= sum_to n f.
Proof.
  intros Hi H. rewrite (sum_one n i f (fun k => if Nat.eqb k i then 0 else f k)); auto.
  - rewrite Nat.eqb_refl. assert (0 <= sum_to n (fun k => if Nat.eqb k i then 0 else f k)); [|lra].
    apply sum_nonneg; intros k Hk. destruct (Nat.eqb k i); [lra|auto].
  - intros k _ Hk. destruct (Nat.eqb_spec k i); [contradiction|reflexivity].
Qed.

Lemma sum_first n f : sum_to (S n) f = f O + sum_to n (fun k => f (S k)).
Proof.
  induction n; [simpl; ring|]. change (sum_to (S (S n)) f) with (sum_to (S n) f + f (S n)).
  rewrite IHn. simpl. ring.
Qed.

(* ---- Inner products ---- *)

Lemma inner_ext d u v u' v' :
  (forall c, (c < d)%nat -> u c = u' c) -> (forall c, (c < d)%nat -> v c = v' c) -> inner d u v = inner d u' v'.
Proof. intros H K. apply sum_ext. intros. rewrite H, K; auto. Qed.

Lemma inner_sym d u v : inner d u v = inner d v u.
Proof. apply sum_ext; intros; ring. Qed.

Lemma inner_linear d a b u v w :
  inner d (fun c => a * u c + b * v c) w = a * inner d u w + b * inner d v w.
Proof. unfold inner. rewrite <- !sum_scal, <- sum_plus. apply sum_ext; intros; ring. Qed.

Lemma inner_linear_r d a b u v w :
  inner d w (fun c => a * u c + b * v c) = a * inner d w u + b * inner d w v.
Proof. rewrite inner_sym, inner_linear, !(inner_sym d w). reflexivity. Qed.

Lemma inner_scal d a u v : inner d (fun c => a * u c) v = a * inner d u v.
Proof. unfold inner. rewrite <- sum_scal. apply sum_ext; intros; ring. Qed.

Lemma inner_scal_r d a u v : inner d u (fun c => a * v c) = a * inner d u v.
Proof. rewrite inner_sym, inner_scal, inner_sym. reflexivity. Qed.

Lemma inner_quotient d a b u v : inner d (fun c => u c / a) (fun c => v c / b) = inner d u v / a / b.
Proof.
  unfold Rdiv. rewrite (inner_ext d _ _ (fun c => / a * u c) (fun c => / b * v c)); [|intros; ring|intros; ring].
  rewrite inner_scal, inner_scal_r. ring.
Qed.

Lemma inner_minus d u v u' v' :
  inner d (fun c => u c - v c) (fun c => u' c - v' c) = inner d u u' - inner d u v' - inner d v u' + inner d v v'.
Proof.
  rewrite (inner_ext d _ _ (fun c => 1 * u c + (-1) * v c) (fun c => 1 * u' c + (-1) * v' c)); [|intros; ring|intros; ring].
  rewrite inner_linear, !inner_linear_r. ring.
Qed.

Lemma inner_sum d n u (Y : nat -> vector) :
  inner d u (fun c => sum_to n (fun k => Y k c)) = sum_to n (fun k => inner d u (Y k)).
Proof. unfold inner. rewrite sum_swap. apply sum_ext; intros. rewrite <- sum_scal. reflexivity. Qed.

(* <u, sum_k a_k y_k> = sum_k a_k <u, y_k>. *)
Lemma inner_combination d n u (a : nat -> R) (Y : nat -> vector) :
  inner d u (fun c => sum_to n (fun k => a k * Y k c)) = sum_to n (fun k => a k * inner d u (Y k)).
Proof.
  rewrite (inner_sum d n u (fun k c => a k * Y k c)). apply sum_ext; intros. apply inner_scal_r.
Qed.

Lemma inner_self_nonneg d u : 0 <= inner d u u.
Proof. apply sum_nonneg; intros. apply Rle_0_sqr. Qed.

Lemma norm_nonneg d u : 0 <= norm d u.
Proof. apply sqrt_pos. Qed.

Lemma norm_square d u : norm d u * norm d u = inner d u u.
Proof. apply sqrt_sqrt, inner_self_nonneg. Qed.

Lemma norm_pos d u : 0 < inner d u u -> 0 < norm d u.
Proof. apply sqrt_lt_R0. Qed.

Lemma inner_directions d u v : inner d (direction d u) (direction d v) = inner d u v / (norm d u * norm d v).
Proof.
  unfold direction. rewrite inner_quotient. unfold Rdiv. rewrite Rinv_mult. ring.
Qed.

Lemma direction_unit d u : 0 < inner d u u -> inner d (direction d u) (direction d u) = 1.
Proof. intros H. rewrite inner_directions, norm_square. field. lra. Qed.

(* Cauchy and Schwarz, for unit vectors. *)
Lemma unit_inner_le_1 d u v : inner d u u = 1 -> inner d v v = 1 -> inner d u v <= 1.
Proof.
  intros Hu Hv. pose proof (inner_self_nonneg d (fun c => u c - v c)) as P.
  rewrite inner_minus, Hu, Hv, (inner_sym d v u) in P. lra.
Qed.
