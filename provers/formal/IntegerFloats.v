(* The tactic `interval` over floating-point numbers made of integers, instead of the machine's: files that import this in
   place of Interval.Tactic rest on no axioms but those of the real numbers (Assumptions.v). *)
From Interval Require Import Specific_stdz Specific_ops.
From Interval Require Tactic.
Module IntegerFloat := SpecificFloat StdZRadix2.
Module IntegerTactic := Tactic.IntervalTactic IntegerFloat.
Export Tactic.
Export IntegerTactic.
