// Tail claims on the inner products and the angle ratio of three bands without residual, for all n >= N, for
// Coq: by the theorems of provers/formal/BandInners.v, and one call of `interval` on the box of their
// variables. Uses coq_export.hpp.
#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_export.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

constexpr long inner_bits = 128;

/// Inner products of two tokens of one cluster or of two, and the angle ratio.
enum InnerKind { inner_near, inner_far, inner_angle };

struct InnerPhase {
  const char* rate;  ///< as certificates write it
  const char *first, *second;
  std::array<const char*, 3> theorems, distances;
  std::array<const char*, 3> limits;  ///< what they are without residual
  /// Beside p, u and v: of which sizes the others are at most; "1" for a share.
  std::array<std::pair<const char*, const char*>, 2> others;
  const char* unfold;
};

const std::map<std::string, InnerPhase> inner_phases = {
    {"far",
     {"min(1-theta-gamma*(r-rho),1-gamma*(1-rho))",
      "1 - theta - gamma * (r - rho)",
      "1 - gamma * (1 - rho)",
      {"far_inner_near", "far_inner_far", "far_angle"},
      {"far_near_distance", "far_far_distance", "far_angle_distance"},
      {"1", "1", "0"},
      {{{"h", "theta"}, {"w", "1"}}},
      "far_near_distance, far_far_distance, far_angle_distance, far_norm, far_c, far_k"}},
    {"near",
     {"min(gamma*(r-rho)-1+theta,theta-gamma*(1-r))",
      "gamma * (r - rho) - (1 - theta)",
      "theta - gamma * (1 - r)",
      {"near_inner_near", "near_inner_far", "near_angle"},
      {"near_near_distance", "near_far_distance", "near_angle_distance"},
      {"1", "(rho / r)", "((r - rho) / ((1 - rho) * r))"},
      {{{"w", "1"}, {"k", "1 - theta"}}},
      "near_near_distance, near_angle_distance, near_far_distance, near_norm, near_c, near_h"}},
    {"self",
     {"min(gamma*(1-r)-theta,gamma*(1-rho)-1)",
      "gamma * (1 - r) - theta",
      "gamma * (1 - rho) - 1",
      {"self_inner_near", "self_inner_far", "self_angle"},
      {"self_near_distance", "self_far_distance", "self_angle_distance"},
      {"r", "rho", "1"},
      {{{"h", "theta"}, {"k", "1 - theta"}}},
      "self_near_distance, self_angle_distance, self_far_distance, self_near_part, self_norm, self_T, "
      "self_c, "
      "self_o"}}};

struct InnerRange {
  Rational lo, hi;
  std::string around(const std::string& value) const {
    return fmt::format("{} <= {} <= {}", term(lo), value, term(hi));
  }
};

InnerKind inner_kind(const std::string& quantity) {
  if (quantity == "inner_products[0]") return inner_near;
  if (quantity == "inner_products[1]") return inner_far;
  if (quantity == "angle_ratio") return inner_angle;
  throw InputError(fmt::format("the Coq library has no tail of {} on bands", quantity));
}

struct InnerClaim {
  const InnerPhase& phase;
  InnerKind kind;
  Rational N, C;
  InnerRange theta, r, rho, gap, q;
  bool third_gap;  ///< 1 - theta is in the rate
  std::string limit;

  /// A fraction that n^-least is at most.
  Rational at_most(const Rational& least) const {
    return above(exp(-(Ball(least, inner_bits) * log(Ball(N, inner_bits)))));
  }
  Rational least_of(const std::string& exponent) const {
    return exponent == "theta" ? theta.lo : Rational(1 - theta.hi);
  }
  Rational least_gap() const {
    const Rational rest = 1 - theta.hi;
    return third_gap && rest < gap.lo ? rest : gap.lo;
  }
};

InnerClaim read_inner_claim(const nlohmann::json& claim, const Options& options) {
  const auto text_of = [&](const char* key) { return claim.at(key).get<std::string>(); };
  const auto box = [&](const char* key) {
    const auto& ends = claim.at("box").at(key);
    return InnerRange{bounded_end(ends.at(0).get<std::string>(), key),
                      bounded_end(ends.at(1).get<std::string>(), key)};
  };
  const auto found = inner_phases.find(text_of("phase"));
  if (found == inner_phases.end())
    throw InputError(fmt::format("the Coq library has no phase {}", text_of("phase")));
  const InnerPhase& phase = found->second;
  InnerClaim c{phase,
               inner_kind(text_of("quantity")),
               parse_rational(text_of("N")),
               parse_rational(text_of("C")) * options.constant_factor,
               box("theta"),
               box("r"),
               box("rho"),
               box("gap"),
               box("q"),
               false,
               expression(text_of("limit"))};
  if (c.N < 2) throw InputError("N is below 2");
  if (claim.contains("factor")) throw InputError("claims with a factor are not exported");
  if (const InnerRange alpha = box("alpha"); alpha.lo != 0 || alpha.hi != 0)
    throw InputError("inner products of bands are exported without a residual");
  if (c.theta.lo <= 0 || c.theta.hi >= 1) throw InputError("theta is not within (0, 1)");
  if (c.rho.lo <= 0 || c.rho.hi > c.r.lo || c.r.hi >= 1)
    throw InputError("r and rho are not ordered within (0, 1) throughout the box");
  if (c.q.lo <= 0 || c.gap.lo <= 0) throw InputError("a range is below its domain");
  std::string with_third = phase.rate;
  with_third.insert(with_third.size() - 1, ",1-theta");
  const bool angle = c.kind == inner_angle;
  c.third_gap = angle && text_of("k") == with_third;
  // near the limit of the angle ratio k = K/n vanishes too
  const bool needs_third = angle && text_of("phase") == "near";
  if (claim.at("p").get<long>() != 0 || (text_of("k") != phase.rate && !c.third_gap) ||
      (needs_third && !c.third_gap))
    throw InputError(fmt::format("k is {}, the Coq library has {}", text_of("k"),
                                 needs_third ? with_third : std::string(phase.rate)));
  return c;
}

/// The distance on its box, by one call of `interval`.
Theorem inner_bound(const InnerClaim& c, const std::string& name) {
  std::string names = "p u v",
              ranges =
                  fmt::format("0 <= p <= {} -> 0 <= u <= 1 -> 0 <= v <= 1", term(c.at_most(c.least_gap()))),
              halved = "i_bisect p, i_bisect u, i_bisect v";
  const bool near_angle = c.kind == inner_angle && c.phase.theorems[2] == std::string("near_angle");
  for (const auto& [variable, size] : c.phase.others) {
    const bool share = size == std::string("1") || (near_angle && variable == std::string("k"));
    names += fmt::format(" {}", variable);
    ranges += fmt::format(" -> 0 <= {} <= {}", variable, share ? "1" : term(c.at_most(c.least_of(size))));
    halved += fmt::format(", i_bisect {}", variable);
  }
  if (c.r.lo != c.r.hi) halved += ", i_bisect r";
  if (c.rho.lo != c.rho.hi) halved += ", i_bisect rho";
  return {name,
          fmt::format("({0} r rho : R) :\n  {1} ->\n  {2} -> {3} ->\n  Rabs ({4} {0} r rho) <= {5}.", names,
                      ranges, c.r.around("r"), c.rho.around("rho"), c.phase.distances[c.kind], term(c.C)),
          fmt::format("  intros. unfold {}, part_norm, part_W, part_U.\n  interval with ({}, i_depth 100).\n",
                      c.phase.unfold, halved),
          true};
}

}  // namespace

std::string band_inner_file(const Source& source, const Options& options) {
  const InnerClaim c = read_inner_claim(source.claim, options);
  const std::string name = identifier(source.id), bound_name = name + "_bound";
  const bool angle = c.kind == inner_angle;
  const std::string value = angle ? "angle_ratio d n (gamma * ln (INR n)) alpha x"
                                  : "output_inner d n (gamma * ln (INR n)) alpha x i j";
  const char* const tokens[] = {"(i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat ->\n  ",
                                "(i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat ->\n  ", ""};
  const char* const token_names[] = {" Hi Hj Hij Hc", " Hi Hj Hc", ""};
  std::string rate = fmt::format("Rmin ({}) ({})", c.phase.first, c.phase.second);
  if (c.third_gap) rate = fmt::format("Rmin ({}) (1 - theta)", rate);

  std::string sizes = fmt::format("(P := {})", term(c.at_most(c.least_gap()))), at_most;
  const auto power_goal = [&](const std::string& exponent, const Rational& least) {
    at_most += fmt::format(
        "  assert (power n ({0}) <= {1}) by (apply (power_at_most {2} n {3}); [lra|lra|lra|auto; "
        "lra|interval]).\n",
        exponent, term(c.at_most(least)), term(c.N), term(least));
  };
  power_goal("kappa", c.least_gap());
  for (const auto& [variable, size] : c.phase.others) {
    if (size == std::string("1")) continue;
    power_goal(size, c.least_of(size));
    sizes += fmt::format(" ({}m := {})", variable, term(c.at_most(c.least_of(size))));
  }
  const std::string proof = fmt::format(
      "  intros d n K{0} theta gamma alpha q r rho x HN Bt Hg HK Ha Bq Br Bo G1 G2 HT{1}.\n"
      "  assert (Hn : (2 <= n)%nat) by (apply INR_le; change (INR 2) with 2; lra).\n"
      "  replace ({2}) with {3} by (subst alpha; generalize (sqrt q); intros; field; lra).\n"
      "  subst alpha. rewrite <- power_Rpower. set (kappa := {4}).\n"
      "  assert (L : {5} <= kappa) by (unfold kappa; repeat apply Rmin_glb; lra).\n"
      "  assert (M1 : kappa <= {6}) by (unfold kappa; {8}apply Rmin_l).\n"
      "  assert (M2 : kappa <= {7}) by (unfold kappa; {8}apply Rmin_r).\n"
      "{9}  clearbody kappa.\n"
      "{10}"
      "  eapply {11} with (theta := theta) (gamma := gamma) (q := q) (K := K) {12};\n"
      "    try eassumption; try lra.\n"
      "  intros. apply {13}; lra.\n",
      angle ? "" : " i j", token_names[c.kind], c.limit, c.phase.limits[c.kind], rate, term(c.least_gap()),
      c.phase.first, c.phase.second, c.third_gap ? "apply Rle_trans with (1 := Rmin_l _ _); " : "",
      c.third_gap ? "  assert (M3 : kappa <= 1 - theta) by (unfold kappa; apply Rmin_r).\n" : "", at_most,
      c.phase.theorems[c.kind], sizes, bound_name);
  const Theorem main{
      name,
      fmt::format(
          ":\n  forall (d n K{} : nat) (theta gamma alpha q r rho : R) (x : tokens),\n  {} <= INR n -> {} -> "
          "0 <= gamma -> INR K = Rpower (INR n) theta ->\n  alpha = 0 -> {} -> {} -> {} ->\n  {} ->\n  {} "
          "->\n"
          "  three_bands d n K q r rho x -> {}Rabs ({} - ({})) <=\n    {} * Rpower (INR n) (- ({})).",
          angle ? "" : " i j", term(c.N), c.theta.around("theta"), c.q.around("q"), c.r.around("r"),
          c.rho.around("rho"), c.gap.around(c.phase.first), c.gap.around(c.phase.second), tokens[c.kind],
          value, c.limit, term(c.C), rate),
      proof, false};
  return file_text(source, options, "Sums Layer Powers BandInners", {inner_bound(c, bound_name), main});
}

}  // namespace critscale::coq
