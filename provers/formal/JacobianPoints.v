(* The closed form of the Jacobian norm for generated files: its weights and the sums of them become variables, each between
   two numbers, so that what `interval` has to bound stays short. Uses Points.v and ThreeBandsJacobian.v. *)
From Coq Require Import Reals Lra Lia.
From Interval Require Import Tactic.
From Critscale Require Import Points ThreeBandsJacobian.
Open Scope R_scope.

Ltac name_weights a B C b c E :=
  first [name_value a | name_value B | name_value C | name_value b | name_value c | name_value E].

Ltac name_sum v :=
  let w := eval unfold eta_Y, eta_pn, eta_pf, eta_ps in v in
  let H := fresh in let z := fresh "v" in
  interval_intro w with (i_prec 200) as H; change w with v in H; set (z := v) in *; clearbody z.

Ltac name_eta :=
  repeat match goal with
  | |- context [eta_form _ _ ?a ?B ?C ?b ?c ?E] => name_weights a B C b c E
  | |- context [eta_beta _ _ ?a ?B ?C ?b ?c ?E] => name_weights a B C b c E
  end;
  unfold eta_form, eta_other, eta_beta, eta_beta2, eta_T, eta_V;
  repeat match goal with
  | |- context [eta_Y ?r ?s ?a ?B ?C ?b ?c ?E] => name_sum (eta_Y r s a B C b c E)
  | |- context [eta_pn ?r ?s ?a ?B ?C ?b] => name_sum (eta_pn r s a B C b)
  | |- context [eta_pf ?r ?s ?a ?B ?C ?c ?E] => name_sum (eta_pf r s a B C c E)
  | |- context [eta_ps ?r ?s ?a ?B ?C] => name_sum (eta_ps r s a B C)
  end.
