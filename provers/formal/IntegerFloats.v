(* The tactic `interval` over numbers m 2^e with m and e in Z: what it proves rests on no axiom of the processor's integers and
   floats. For files of `critscale prove --coq --coq-floats z`, in place of Interval's own Tactic. *)
From Interval Require Import Specific_stdz Specific_ops.
From Interval Require Export Tactic.

Module IntegerFloat := SpecificFloat StdZRadix2.
Module IntegerInterval := IntervalTactic IntegerFloat.
Export IntegerInterval.
