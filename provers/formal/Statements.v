(* Prints every theorem that THEORY-statements.md names, with all its hypotheses. tests/formal/statements.py keeps both lists
   and Assumptions.v together. *)
From Coq Require Import Reals.
From Coquelicot Require Import Lim_seq.
From Critscale Require Import Sums Layer Powers.
From Critscale Require Theorem_2_1 Uniform Theorem_2_4 UniformJacobian Jacobian Frobenius Layers Tails
  NearSimplexLimits NearSimplex NearSimplexKept NearSimplexJacobian ThreeBands BandCertificates Rows
  ThreeBandsBoundary BandInners JacobianPhases Bands BandsOutput BandsJacobian Boundary Simplex Configurations.
Open Scope R_scope.

(* ---- The simplex ---- *)
Check Theorem_2_1.partition_below.
Check Uniform.log_partition_uniform_below.
Check Theorem_2_1.partition_at.
Check Uniform.log_partition_uniform_at.
Check Theorem_2_1.partition_above.
Check Uniform.log_partition_uniform_above.
Check Theorem_2_1.self_weight_limit.
Check Uniform.self_weight_uniform_below.
Check Uniform.self_weight_uniform_at.
Check Uniform.self_weight_uniform_above.
Check Theorem_2_1.theorem_2_1_below.
Check Theorem_2_1.theorem_2_1_at.
Check Uniform.inner_product_uniform_at.
Check Theorem_2_1.theorem_2_1_above.
Check Uniform.inner_product_uniform_above.
Check Theorem_2_1.inner_product_limit.
Check Theorem_2_1.theorem_2_1_paper.
Check Theorem_2_4.theorem_2_4.
Check Theorem_2_4.theorem_2_4_paper.
Check UniformJacobian.jacobian_norm_uniform_below.
Check UniformJacobian.jacobian_norm_uniform_at.
Check UniformJacobian.jacobian_norm_uniform_above.
Check Jacobian.output_differentiable.
Check Jacobian.block_off.
Check Jacobian.block_diagonal.
Check Frobenius.block_norm2_off.
Check Frobenius.block_norm2_diagonal.
Check Layers.collapse.
Check Tails.inner_product_below.

(* ---- Assumption 2 ---- *)
Check NearSimplexLimits.theorem_2_3_growth.
Check NearSimplexLimits.theorem_2_3_growth_exists.
Check NearSimplexLimits.theorem_2_3_growth_limit.
Check NearSimplexLimits.theorem_2_3_growth_rate.
Check NearSimplex.growth.
Check NearSimplexLimits.theorem_2_3_kept.
Check NearSimplexLimits.theorem_2_3_kept_sharp.
Check NearSimplexLimits.theorem_2_3_angles.
Check NearSimplexLimits.theorem_2_3_angles_rate.
Check NearSimplexKept.inner_products_kept.
Check NearSimplexLimits.theorem_2_3_kept_limit.
Check NearSimplexLimits.theorem_2_5_vanishing.
Check NearSimplexLimits.theorem_2_5_vanishing_limit.
Check NearSimplexLimits.theorem_2_5_vanishes.
Check NearSimplexLimits.theorem_2_5_kept.
Check NearSimplexLimits.theorem_2_5_kept_limit.
Check NearSimplexLimits.theorem_2_5_blocks.
Check NearSimplexJacobian.blocks_near_identity.

(* ---- Theorem C.2 ---- *)
Check ThreeBands.three_bands_far_mass.
Check ThreeBands.three_bands_near_mass.
Check ThreeBands.three_bands_self_mass.
Check BandCertificates.far_masses.
Check BandCertificates.near_masses.
Check BandCertificates.self_masses.
Check Rows.row_far_rate.
Check Rows.row_near_rate.
Check Rows.row_self_rate.
Check Rows.row_far_limit.
Check Rows.row_near_limit.
Check Rows.row_self_limit.
Check Rows.far_phase.
Check Rows.near_phase.
Check Rows.self_phase.
Check Rows.mass_ratio.
Check Rows.near_phase_thresholds.
Check Rows.near_phase_exists.
Check Rows.no_near_phase.
Check Rows.tie_weight.
Check Rows.ties_share.
Check Rows.ties_mass.
Check ThreeBandsBoundary.far_near_half.
Check ThreeBandsBoundary.near_self_half.
Check ThreeBands.three_bands_far_inner.
Check ThreeBands.three_bands_near_inner.
Check ThreeBands.three_bands_self_inner.
Check ThreeBands.three_bands_limits.
Check BandInners.far_inner_near.
Check BandInners.far_inner_far.
Check BandInners.near_inner_near.
Check BandInners.near_inner_far.
Check BandInners.self_inner_near.
Check BandInners.self_inner_far.
Check ThreeBands.theorem_C_2_far.
Check ThreeBands.theorem_C_2_near.
Check ThreeBands.theorem_C_2_self.
Check JacobianPhases.far_jacobian_norm.
Check JacobianPhases.near_jacobian_norm.
Check JacobianPhases.self_jacobian_norm.
Check Bands.band_dominates.
Check BandsOutput.bands_output_inner.
Check BandsJacobian.bands_jacobian_contracting.
Check BandsJacobian.bands_jacobian_identity.

(* ---- Boundaries and many layers ---- *)
Check Boundary.equal_masses.
Check Boundary.boundary_rate.
Check Boundary.transition_limit.
Check Boundary.boundary_simplex.
Check ThreeBandsBoundary.equal_near_far.
Check ThreeBandsBoundary.equal_self_near.
Check ThreeBandsBoundary.far_near_rate.
Check ThreeBandsBoundary.near_self_rate.
Check Layers.simplex_layer.
Check Layers.next_rho_rises.
Check Layers.one_layer_drift.
Check Layers.drift.
Check Layers.collapse_stays.

(* ---- No hypothesis is empty ---- *)
Check Simplex.simplex_exists.
Check Configurations.near_simplex_exists.
Check Configurations.bands_exist.
Check Configurations.three_bands_exist.
Check Configurations.row_bands_exist.
Check Configurations.orders_exist.
Check Configurations.exact_orders_exist.
