(* Nested clusters (the symmetric ultrametric family, any number of levels L): how many tokens a band has, the exact
   weights and masses of a row, and how much mass the dominating band is short of. Uses Rows.v. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Critscale Require Import Sums Layer Weights Powers Bounds Rows.
Open Scope R_scope.

(* ---- Sums in blocks ---- *)

Lemma sum_append a b f : sum_to (a + b) f = sum_to a f + sum_to b (fun t => f (a + t)%nat).
Proof.
  induction b; [simpl; rewrite Nat.add_0_r; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IHb. ring.
Qed.

Lemma sum_blocks m s f : sum_to (m * s) f = sum_to m (fun q => sum_to s (fun t => f (q * s + t)%nat)).
Proof.
  induction m; [reflexivity|]. replace (S m * s)%nat with (m * s + s)%nat by lia. rewrite sum_append, IHm. reflexivity.
Qed.

Definition indicator (b : bool) : R := if b then 1 else 0.

Lemma count_indicator n B : count n B = sum_to n (fun j => indicator (B j)).
Proof. reflexivity. Qed.

Section Nested.
Variables (L n : nat) (size : nat -> nat).
Hypothesis HN : nested L n size.
Notation together := (together size).

Lemma sizes_divide k l : (l <= k)%nat -> (k <= L)%nat -> exists m, size k = (m * size l)%nat.
Proof.
  intros H. induction H as [|k H IH]; intros HL; [exists 1%nat; lia|].
  destruct IH as [m Hm]; [lia|]. destruct HN as [_ [_ [_ HD]]]. destruct (HD k ltac:(lia)) as [m' Hm'].
  exists (m' * m)%nat. rewrite Hm', Hm. lia.
Qed.

Lemma size_divides_n l : (l <= L)%nat -> exists m, n = (m * size l)%nat.
Proof. intros H. destruct (sizes_divide L l H (le_n L)) as [m Hm]. destruct HN as [_ [E _]]. exists m. lia. Qed.

Lemma size_pos l : (l <= L)%nat -> (0 < size l)%nat.
Proof.
  intros H. destruct (size_divides_n l H) as [m Hm]. destruct HN as [_ [_ [P _]]].
  destruct (size l); [rewrite Nat.mul_0_r in Hm; lia|lia].
Qed.

Lemma size_le k l : (l <= k)%nat -> (k <= L)%nat -> (size l <= size k)%nat.
Proof.
  intros H HL. destruct (sizes_divide k l H HL) as [m Hm]. pose proof (size_pos k HL). destruct m; [lia|nia].
Qed.

Lemma together_up k l i j : (l <= k)%nat -> (k <= L)%nat -> together l i j = true -> together k i j = true.
Proof.
  intros H HL E. apply Nat.eqb_eq in E. apply Nat.eqb_eq. destruct (sizes_divide k l H HL) as [m Hm].
  pose proof (size_pos k HL). pose proof (size_pos l ltac:(lia)). assert (m <> 0)%nat by (intros ->; lia).
  rewrite Hm, Nat.mul_comm, <- !Nat.div_div, E; lia.
Qed.

Lemma together_0 i j : together O i j = Nat.eqb i j.
Proof. unfold Layer.together. destruct HN as [-> _]. rewrite !Nat.div_1_r. reflexivity. Qed.

Lemma together_top i j : (i < n)%nat -> (j < n)%nat -> together L i j = true.
Proof. intros Hi Hj. unfold Layer.together. destruct HN as [_ [-> _]]. rewrite !Nat.div_small; auto. Qed.

Lemma together_sym l i j : together l i j = together l j i.
Proof. apply Nat.eqb_sym. Qed.

Lemma together_trans l i j k : together l i j = true -> together l j k = true -> together l i k = true.
Proof. unfold Layer.together. rewrite !Nat.eqb_eq. congruence. Qed.

Lemma together_same l i j k : together l i j = true -> together l i k = together l j k.
Proof. unfold Layer.together. intros E. apply Nat.eqb_eq in E. rewrite E. reflexivity. Qed.

(* A cluster of level l has size l tokens. *)
Theorem cluster_count l i : (l <= L)%nat -> (i < n)%nat -> count n (together l i) = INR (size l).
Proof.
  intros HL Hi. pose proof (size_pos l HL) as P. destruct (size_divides_n l HL) as [m Hm]. unfold count.
  rewrite Hm, sum_blocks. set (s := size l) in *.
  rewrite (sum_ext m _ (fun q => INR s * delta q (i / s))).
  - rewrite (sum_delta m (i / s) (fun _ => INR s)); auto. apply Nat.div_lt_upper_bound; lia.
  - intros q Hq. rewrite (sum_ext s _ (fun _ => delta q (i / s))).
    + rewrite sum_const. reflexivity.
    + intros t Ht. unfold Layer.together, delta. fold s.
      rewrite Nat.div_add_l, (Nat.div_small t s), Nat.add_0_r, Nat.eqb_sym; auto; lia.
Qed.

(* The band of level l of token i: who joins i on level l. *)
Definition band (l i j : nat) : bool :=
  match l with O => Nat.eqb j i | S k => (together (S k) i j && negb (together k i j))%bool end.

Lemma band_indicator_0 i j : indicator (band O i j) = indicator (together O i j).
Proof. rewrite together_0, Nat.eqb_sym. reflexivity. Qed.

Lemma band_indicator l i j : (S l <= L)%nat -> indicator (band (S l) i j) = indicator (together (S l) i j) - indicator (together l i j).
Proof.
  intros HL. unfold indicator, band. destruct (together l i j) eqn:E.
  - rewrite (together_up (S l) l i j); auto. simpl. ring.
  - destruct (together (S l) i j); simpl; ring.
Qed.

Lemma bands_up_to l i j : (l <= L)%nat -> sum_to (S l) (fun k => indicator (band k i j)) = indicator (together l i j).
Proof.
  induction l; intros HL; [simpl; rewrite Rplus_0_l; apply band_indicator_0|].
  change (sum_to (S (S l)) (fun k => indicator (band k i j))) with (sum_to (S l) (fun k => indicator (band k i j)) + indicator (band (S l) i j)).
  rewrite IHl, band_indicator; [ring|auto|lia].
Qed.

(* Every token is in exactly one band of i. *)
Lemma bands_partition i j : (i < n)%nat -> (j < n)%nat -> sum_to (S L) (fun k => indicator (band k i j)) = 1.
Proof. intros Hi Hj. rewrite bands_up_to, together_top; auto. Qed.

Lemma sum_by_bands i f : (i < n)%nat ->
  sum_to n f = sum_to (S L) (fun l => sum_to n (fun j => indicator (band l i j) * f j)).
Proof.
  intros Hi. rewrite sum_swap. apply sum_ext; intros j Hj. rewrite sum_scal_r, bands_partition; auto. ring.
Qed.

Lemma band_joins l i j : (l <= L)%nat -> band l i j = true -> joins size l i j.
Proof.
  intros HL. destruct l as [|l]; simpl.
  - intros E. apply Nat.eqb_eq in E. subst. split; [|lia]. unfold Layer.together. apply Nat.eqb_refl.
  - intros E. apply andb_true_iff in E. destruct E as [E1 E2]. split; auto. intros k Hk.
    destruct (together k i j) eqn:Ek; auto. apply negb_true_iff in E2. rewrite (together_up l k i j) in E2; [discriminate|lia|lia|auto].
Qed.

Lemma joins_band l i j : (l <= L)%nat -> joins size l i j -> band l i j = true.
Proof.
  intros HL [E1 E2]. destruct l as [|l]; simpl.
  - rewrite together_0 in E1. rewrite Nat.eqb_sym. auto.
  - rewrite E1, (E2 l); auto.
Qed.

Lemma joins_exists i j : (i < n)%nat -> (j < n)%nat -> exists l, (l <= L)%nat /\ joins size l i j.
Proof.
  intros Hi Hj. assert (H : forall m, (m <= L)%nat -> (forall k, (k <= m)%nat -> together k i j = false) \/ exists l, (l <= m)%nat /\ joins size l i j).
  { induction m; intros Hm.
    - destruct (together O i j) eqn:E; [right; exists O; split; auto; split; auto; lia|left; intros k Hk; replace k with O by lia; auto].
    - destruct (IHm ltac:(lia)) as [F|[l [Hl J]]]; [|right; exists l; split; auto].
      destruct (together (S m) i j) eqn:E.
      + right. exists (S m). split; auto. split; auto. intros k Hk. apply F. lia.
      + left. intros k Hk. destruct (Nat.eq_dec k (S m)) as [->|]; auto. apply F. lia. }
  destruct (H L (le_n L)) as [F|[l [Hl J]]]; [|exists l; auto].
  specialize (F L (le_n L)). rewrite together_top in F; auto. discriminate.
Qed.

Lemma joins_unique l k i j : joins size l i j -> joins size k i j -> l = k.
Proof.
  intros [A1 A2] [B1 B2]. destruct (lt_eq_lt_dec l k) as [[H|H]|H]; auto.
  - rewrite (B2 l H) in A1. discriminate.
  - rewrite (A2 k H) in B1. discriminate.
Qed.

(* Members of a band. *)
Definition band_count (l : nat) : R := match l with O => 1 | S k => INR (size (S k)) - INR (size k) end.

Theorem band_has l i : (l <= L)%nat -> (i < n)%nat -> count n (band l i) = band_count l.
Proof.
  intros HL Hi. destruct l as [|l]; simpl; [apply count_singleton; auto|].
  rewrite <- (cluster_count (S l) i HL Hi), <- (cluster_count l i ltac:(lia) Hi).
  rewrite !count_indicator, <- sum_minus. apply sum_ext; intros j _. apply band_indicator; auto.
Qed.

Lemma band_count_nonneg l : (l <= L)%nat -> 0 <= band_count l.
Proof.
  intros HL. destruct l as [|l]; simpl; [lra|]. pose proof (size_le (S l) l ltac:(lia) HL) as H. apply le_INR in H. lra.
Qed.
End Nested.

Section Masses.
Variables (d n L : nat) (q beta : R) (size : nat -> nat) (r : nat -> R) (x : tokens).
Hypotheses (Hq : 0 < q) (Hb : 0 <= beta).
Hypothesis HB : bands d n L q size r x.
Notation A := (weight d n beta x).
Notation G := (gram d x).
Notation band := (band size).

Lemma bands_nested : nested L n size.
Proof. exact (proj1 HB). Qed.

Lemma bands_norm2 i : (i < n)%nat -> inner d (x i) (x i) = q.
Proof. exact (proj1 (proj2 HB) i). Qed.

Lemma bands_nonzero i : (i < n)%nat -> 0 < inner d (x i) (x i).
Proof. intros. rewrite bands_norm2; auto. Qed.

(* The inner product on level l: 1 for the token itself. *)
Definition level (l : nat) : R := match l with O => 1 | S _ => r l end.

Lemma gram_joins l i j : (l <= L)%nat -> (i < n)%nat -> (j < n)%nat -> joins size l i j -> G i j = level l.
Proof.
  intros HL Hi Hj J. destruct l as [|l].
  - destruct J as [J _]. rewrite (together_0 L n size bands_nested) in J. apply Nat.eqb_eq in J. subst. apply gram_self, bands_nonzero; auto.
  - destruct HB as [_ [_ H]]. apply H; auto. lia.
Qed.

Lemma gram_band l i j : (l <= L)%nat -> (i < n)%nat -> (j < n)%nat -> band l i j = true -> G i j = level l.
Proof. intros HL Hi Hj E. apply gram_joins; auto. apply (band_joins L n); auto. apply bands_nested. Qed.

(* Z_i = sum_l (members of band l) exp (beta r_l) *)
Theorem bands_partition_function i : (i < n)%nat ->
  partition d n beta x i = sum_to (S L) (fun l => band_count size l * exp (beta * level l)).
Proof.
  intros Hi. unfold partition. rewrite (sum_by_bands L n size bands_nested i _ Hi). apply sum_ext; intros l Hl.
  rewrite <- (band_has L n size bands_nested l i ltac:(lia) Hi), count_indicator, <- sum_scal_r. apply sum_ext; intros j Hj.
  destruct (band l i j) eqn:E; simpl; [rewrite (gram_band l); auto; lia|ring].
Qed.

(* Every token of band l has the same weight, and the band its members' share. *)
Definition band_weight (l : nat) : R := exp (beta * level l) / sum_to (S L) (fun k => band_count size k * exp (beta * level k)).

Theorem bands_weight l i j : (l <= L)%nat -> (i < n)%nat -> (j < n)%nat -> band l i j = true -> A i j = band_weight l.
Proof. intros HL Hi Hj E. unfold weight. rewrite (gram_band l), bands_partition_function; auto. Qed.

Theorem bands_mass l i : (l <= L)%nat -> (i < n)%nat -> mass d n beta x i (band l i) = band_count size l * band_weight l.
Proof.
  intros HL Hi. rewrite <- (band_has L n size bands_nested l i HL Hi). unfold mass, count. rewrite <- sum_scal_r.
  apply sum_ext; intros j Hj. destruct (band l i j) eqn:E; [rewrite (bands_weight l); auto; ring|ring].
Qed.

Definition band_mass (l : nat) : R := band_count size l * band_weight l.

Lemma band_weight_pos l : (0 < n)%nat -> 0 < band_weight l.
Proof.
  intros Hn. unfold band_weight. rewrite <- (bands_partition_function O Hn). apply Rdiv_lt_0_compat; [apply exp_pos|apply partition_pos; auto].
Qed.

Lemma bands_n_pos : (0 < n)%nat.
Proof. destruct bands_nested as [_ [_ [H _]]]. exact H. Qed.

Lemma band_mass_nonneg l : (l <= L)%nat -> 0 <= band_mass l.
Proof.
  intros HL. apply Rmult_le_pos; [apply (band_count_nonneg L n size bands_nested); auto|left; apply band_weight_pos, bands_n_pos].
Qed.

Theorem band_masses_sum : sum_to (S L) band_mass = 1.
Proof.
  pose proof bands_n_pos as Hn. rewrite <- (weights_sum d n beta x O Hn), (sum_by_bands L n size bands_nested O _ Hn).
  apply sum_ext; intros l Hl. unfold band_mass. rewrite <- (bands_mass l O); auto; [|lia]. unfold mass. apply sum_ext; intros j _.
  unfold indicator. destruct (band l O j); ring.
Qed.

Lemma band_mass_le_1 l : (l <= L)%nat -> band_mass l <= 1.
Proof. intros HL. rewrite <- band_masses_sum. apply (term_le_sum (S L) l band_mass); [lia|]. intros; apply band_mass_nonneg; lia. Qed.

(* The ratio of two masses. *)
Theorem band_mass_ratio k l : 0 < band_count size l ->
  band_mass k = band_mass l * (band_count size k / band_count size l) * exp (- beta * (level l - level k)).
Proof.
  intros Hl. unfold band_mass, band_weight. rewrite <- (bands_partition_function O bands_n_pos).
  pose proof (partition_pos d n beta x O bands_n_pos) as Z.
  replace (beta * level k) with (beta * level l + - beta * (level l - level k)) by ring. rewrite exp_plus. field. split; lra.
Qed.

(* What the dominating band is short of. *)
Theorem band_dominates l : (l <= L)%nat -> 0 < band_count size l ->
  1 - band_mass l <= sum_but (S L) l (fun k => band_count size k / band_count size l * exp (- beta * (level l - level k))).
Proof.
  intros HL Hc. pose proof (sum_split (S L) l band_mass ltac:(lia)) as S. rewrite band_masses_sum in S.
  replace (1 - band_mass l) with (sum_but (Datatypes.S L) l band_mass) by lra. apply sum_but_le; intros k Hk _.
  rewrite (band_mass_ratio k l Hc), Rmult_assoc. rewrite <- (Rmult_1_l (_ * exp _)) at 2.
  apply Rmult_le_compat_r; [|apply band_mass_le_1; auto]. apply Rmult_le_pos; [|left; apply exp_pos].
  apply Rmult_le_pos; [apply (band_count_nonneg L n size bands_nested); lia|left; apply Rinv_0_lt_compat; auto].
Qed.

(* A token of a band has at most one share of it. *)
Lemma band_weight_le l : (l <= L)%nat -> 0 < band_count size l -> band_weight l <= / band_count size l.
Proof.
  intros HL Hc. apply (Rmult_le_reg_l (band_count size l)); auto. rewrite Rinv_r; [|lra]. apply (band_mass_le_1 l HL).
Qed.
End Masses.
