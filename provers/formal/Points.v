(* Values at one point where n is as large as 10^(10^15): powers of n that vanish are replaced by anything in [0, 2^-400], the
   exponent 0 by 1, and a value that is itself such a power by its ratio to it. For generated files. Uses Powers.v. *)
From Coq Require Import Reals Lra Lia.
From Interval Require Import Tactic.
From Critscale Require Import Powers.
Open Scope R_scope.

Lemma tiny_exp x : x <= -400 -> 0 <= exp x <= / 2 ^ 400.
Proof.
  intros H. split; [left; apply exp_pos|]. apply Rle_trans with (exp (- (400))); [apply exp_le; lra|].
  rewrite exp_Ropp. apply Rinv_le_contravar; [apply pow_lt; lra|].
  replace 400 with (INR 400 * 1) by (rewrite INR_IZR_INZ; simpl; ring). rewrite <- exp_pow. apply pow_incr.
  pose proof (exp_ineq1 1 ltac:(lra)). lra.
Qed.

Lemma of_power c1 c2 z v : 0 <= z -> c1 <= v <= c2 -> c1 * z <= v * z <= c2 * z.
Proof. intros Hz [H1 H2]. split; apply Rmult_le_compat_r; auto. Qed.

(* exp 0 = 1, and exp x in [0, 2^-400] for x <= -400 *)
Ltac small_powers :=
  repeat match goal with
  | |- context [exp ?x] =>
      first [ let H := fresh in assert (H : x = 0) by field; rewrite H, exp_0; clear H
            | let H := fresh in let e := fresh "e" in
              assert (H : 0 <= exp x <= / 2 ^ 400) by (apply tiny_exp; interval with (i_prec 100));
              set (e := exp x) in *; clearbody e ]
  end.

(* c1 z <= v <= c2 z where v has the factor exp x = z *)
Ltac take_power :=
  rewrite <- ?exp_plus;
  match goal with
  | |- ?c1 * ?z <= ?v <= ?c2 * ?z =>
      match v with
      | context C [exp ?x] =>
          let one := context C [1] in
          let H := fresh in
          assert (H : exp x = z) by (unfold Rpower; f_equal; field);
          let V := fresh in
          assert (V : v = one * z) by (rewrite <- H; unfold Rdiv; ring);
          rewrite V; clear V H; apply of_power; [left; apply exp_pos|]
      end
  end; unfold Rpower.

(* A term that is no variable becomes one, between two numbers found by `interval`. *)
Ltac name_value v :=
  tryif is_var v then fail else
  let H := fresh in let z := fresh "v" in
  interval_intro v with (i_prec 200) as H; set (z := v) in *; clearbody z.
