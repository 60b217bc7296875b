(* One attention layer, from its definition by sums over tokens, and the configurations the theorems speak of.
   Definitions only: whoever checks the statements needs this file and the first lines of Sums.v.
   Uses Sums.v; Derive is Coquelicot's derivative of a function R -> R. *)
From Coq Require Import Reals Arith.
From Coquelicot Require Import Derive.
From Critscale Require Import Sums.
Open Scope R_scope.

(* ---- The layer: tokens x_0, ..., x_(n-1) of R^d ---- *)

Definition tokens := nat -> vector.

Section Layer.
Variables (d n : nat) (beta alpha : R) (x : tokens).

(* y_i = x_i / |x_i| *)
Definition unit_token (i : nat) : vector := direction d (x i).

(* G_ij = <y_i, y_j> *)
Definition gram (i j : nat) : R := inner d (unit_token i) (unit_token j).

(* Z_i = sum_k exp (beta G_ik) *)
Definition partition (i : nat) : R := sum_to n (fun k => exp (beta * gram i k)).

(* A_ij = exp (beta G_ij) / Z_i *)
Definition weight (i j : nat) : R := exp (beta * gram i j) / partition i.

(* m_i = ATT(y_i) = sum_j A_ij y_j *)
Definition attention (i : nat) : vector := fun c => sum_to n (fun j => weight i j * unit_token j c).

(* x'_i = m_i + alpha x_i *)
Definition output (i : nat) : vector := fun c => attention i c + alpha * x i c.

(* <y'_i, y'_j>,  y'_i = x'_i / |x'_i| *)
Definition output_inner (i j : nat) : R := inner d (direction d (output i)) (direction d (output j)).

(* |x'_i|^2 *)
Definition output_norm2 (i : nat) : R := inner d (output i) (output i).

(* The mass of row i on a set of tokens. *)
Definition mass (i : nat) (band : nat -> bool) : R := sum_to n (fun j => if band j then weight i j else 0).

(* 1 / sum_j A_ij^2 *)
Definition participation (i : nat) : R := / sum_to n (fun j => weight i j ^ 2).

(* - sum_j A_ij ln A_ij *)
Definition entropy (i : nat) : R := - sum_to n (fun j => weight i j * ln (weight i j)).

(* Mean over ordered pairs (i, j) of (1 - <y'_i, y'_j>) / (1 - G_ij), pairs with G_ij = 1 left out. *)
Definition angle_ratio : R :=
  sum_to n (fun i => sum_to n (fun j => if Req_EM_T (gram i j) 1 then 0 else (1 - output_inner i j) / (1 - gram i j)))
  / sum_to n (fun i => sum_to n (fun j => if Req_EM_T (gram i j) 1 then 0 else 1)).

End Layer.

(* ---- The Jacobian: d x'_i[c] / d x_k[e], and eta = (1/(n d)) |grad_X X'|_F^2 ---- *)

(* The tokens with t added to coordinate e of token k. *)
Definition moved (x : tokens) (k e : nat) (t : R) : tokens :=
  fun i c => if (Nat.eqb i k && Nat.eqb c e)%bool then x i c + t else x i c.

Definition jacobian (d n : nat) (beta alpha : R) (x : tokens) (i c k e : nat) : R :=
  Derive (fun t => output d n beta alpha (moved x k e t) i c) 0.

Definition jacobian_norm (d n : nat) (beta alpha : R) (x : tokens) : R :=
  sum_to n (fun i => sum_to d (fun c => sum_to n (fun k => sum_to d (fun e =>
    jacobian d n beta alpha x i c k e ^ 2)))) / (INR n * INR d).

(* ---- Many layers: x^(0) = x, x^(l+1) = x'(x^(l)) ---- *)

Fixpoint layers (l d n : nat) (beta alpha : R) (x : tokens) : tokens :=
  match l with O => x | S k => output d n beta alpha (layers k d n beta alpha x) end.

(* ---- Configurations ---- *)

(* Assumption 1: all norms sqrt q, all inner products rho. *)
Definition simplex (d n : nat) (q rho : R) (x : tokens) : Prop :=
  (forall i, (i < n)%nat -> inner d (x i) (x i) = q) /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> gram d x i j = rho).

(* Assumption 2: q1 <= |x_i|^2 <= q2 and rho1 <= G_ij <= rho2. *)
Definition near_simplex (d n : nat) (q1 q2 rho1 rho2 : R) (x : tokens) : Prop :=
  (forall i, (i < n)%nat -> q1 <= inner d (x i) (x i) <= q2) /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> rho1 <= gram d x i j <= rho2).

(* Nested clusters: size l tokens each on level l, size 0 = 1, every size divides the next, size L = n. Tokens are
   numbered cluster by cluster, so that i and j share a cluster of level l iff i / size l = j / size l. *)
Definition nested (L n : nat) (size : nat -> nat) : Prop :=
  size O = 1%nat /\ size L = n /\ (0 < n)%nat /\
  forall l, (l < L)%nat -> exists m, size (S l) = (m * size l)%nat.

Definition together (size : nat -> nat) (l i j : nat) : bool := Nat.eqb (i / size l) (j / size l).

(* i and j first meet on level l. *)
Definition joins (size : nat -> nat) (l i j : nat) : Prop :=
  together size l i j = true /\ (forall k, (k < l)%nat -> together size k i j = false).

(* Bands of L levels: norms sqrt q, and G_ij = r l where i and j first meet on level l >= 1. *)
Definition bands (d n L : nat) (q : R) (size : nat -> nat) (r : nat -> R) (x : tokens) : Prop :=
  nested L n size /\
  (forall i, (i < n)%nat -> inner d (x i) (x i) = q) /\
  (forall i j l, (i < n)%nat -> (j < n)%nat -> (1 <= l <= L)%nat -> joins size l i j -> gram d x i j = r l).

(* Three bands {1, r, rho}: clusters of K tokens, inner product r inside, rho between. *)
Definition three_bands (d n K : nat) (q r rho : R) (x : tokens) : Prop :=
  (0 < K)%nat /\ (exists m, n = (m * K)%nat) /\
  (forall i, (i < n)%nat -> inner d (x i) (x i) = q) /\
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j ->
    gram d x i j = if Nat.eqb (i / K) (j / K) then r else rho).

(* A row i of which only counts and bounds are known: K - 1 other tokens are near, with inner product in
   [l_near, u_near]; the n - K others have inner product in [l_far, u_far]. *)
Definition row_bands (d n K i : nat) (near : nat -> bool) (l_near u_near l_far u_far : R) (x : tokens) : Prop :=
  (i < n)%nat /\ near i = false /\ 0 < inner d (x i) (x i) /\
  sum_to n (fun j => if near j then 1 else 0) = INR K - 1 /\
  (forall j, (j < n)%nat -> j <> i -> near j = true -> l_near <= gram d x i j <= u_near) /\
  (forall j, (j < n)%nat -> j <> i -> near j = false -> l_far <= gram d x i j <= u_far).
