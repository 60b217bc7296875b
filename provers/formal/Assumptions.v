(* Prints what the library's theorems on the simplex rest on. tests/formal/assumptions.sh compares it with a list. *)
From Critscale Require Jacobian Frobenius Simplex Theorem_2_1 Theorem_2_4 Uniform Boundary Layers.
Print Assumptions Jacobian.output_differentiable.
Print Assumptions Frobenius.block_norm2_diagonal.
Print Assumptions Simplex.simplex_exists.
Print Assumptions Theorem_2_1.partition_below.
Print Assumptions Theorem_2_1.partition_at.
Print Assumptions Theorem_2_1.partition_above.
Print Assumptions Theorem_2_1.self_weight_limit.
Print Assumptions Theorem_2_1.theorem_2_1_below.
Print Assumptions Theorem_2_1.theorem_2_1_at.
Print Assumptions Theorem_2_1.theorem_2_1_above.
Print Assumptions Theorem_2_4.theorem_2_4.
Print Assumptions Uniform.inner_product_uniform_at.
Print Assumptions Uniform.inner_product_uniform_above.
Print Assumptions Boundary.equal_masses.
Print Assumptions Boundary.boundary_simplex.
Print Assumptions Layers.drift.
Print Assumptions Layers.collapse.
