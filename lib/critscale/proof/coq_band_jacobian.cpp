// Tail claims on the Jacobian norm of three bands without residual, for all n >= N and d >= n, for Coq: by
// the theorems of provers/formal/JacobianPhases.v, and one or two calls of `interval` on the box of their
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

constexpr long jacobian_bits = 128;

struct JacobianPhase {
  const char* rate;  ///< as certificates write it; empty where the rate is the least gap, a number
  const char *first, *second, *theorem;
};

const std::map<std::string, JacobianPhase> jacobian_phases = {
    {"far",
     {"min(1-theta-gamma*(r-rho),1-gamma*(1-rho))", "1 - theta - gamma * (r - rho)", "1 - gamma * (1 - rho)",
      "far_jacobian_norm"}},
    {"near",
     {"min(gamma*(r-rho)-1+theta,theta-gamma*(1-r))", "gamma * (r - rho) - (1 - theta)",
      "theta - gamma * (1 - r)", "near_jacobian_norm"}},
    {"self", {"", "gamma * (1 - r) - theta", "gamma * (1 - rho) - 1", "self_jacobian_norm"}}};

struct JacobianRange {
  Rational lo, hi;
  std::string around(const std::string& value) const {
    return fmt::format("{} <= {} <= {}", term(lo), value, term(hi));
  }
};

struct JacobianClaim {
  std::string phase;
  const JacobianPhase& words;
  Rational N, C;
  JacobianRange theta, r, rho, gap, q;

  bool self() const { return phase == "self"; }
  /// A fraction that N^-least is at most.
  std::string at_most(const Rational& least) const {
    return term(above(exp(-(Ball(least, jacobian_bits) * log(Ball(N, jacobian_bits))))));
  }
  /// A fraction that (ln N)^j/N is at most.
  std::string log_at_most(int j) const {
    const Ball log_N = log(Ball(N, jacobian_bits)), inverse(Rational(1 / N), jacobian_bits);
    return term(above(j == 1 ? Ball(log_N * inverse) : Ball(log_N * log_N * inverse)));
  }
  std::string sizes() const { return at_most(theta.lo); }
  std::string clusters() const { return at_most(Rational(1 - theta.hi)); }
};

JacobianClaim read_jacobian_claim(const nlohmann::json& claim, const Options& options) {
  const auto text_of = [&](const char* key) { return claim.at(key).get<std::string>(); };
  const auto box = [&](const char* key) {
    const auto& ends = claim.at("box").at(key);
    return JacobianRange{bounded_end(ends.at(0).get<std::string>(), key),
                         bounded_end(ends.at(1).get<std::string>(), key)};
  };
  const auto found = jacobian_phases.find(text_of("phase"));
  if (found == jacobian_phases.end())
    throw InputError(fmt::format("the Coq library has no phase {}", text_of("phase")));
  JacobianClaim c{found->first,
                  found->second,
                  parse_rational(text_of("N")),
                  parse_rational(text_of("C")) * options.constant_factor,
                  box("theta"),
                  box("r"),
                  box("rho"),
                  box("gap"),
                  box("q")};
  if (c.N < 8)
    throw InputError("N is below 8, from where on the Coq library bounds the Jacobian norm of bands");
  if (claim.contains("factor")) throw InputError("claims with a factor are not exported");
  if (const JacobianRange alpha = box("alpha"); alpha.lo != 0 || alpha.hi != 0)
    throw InputError("the Jacobian norm of bands within a phase is exported without a residual");
  if (c.theta.lo <= 0 || c.theta.hi >= 1) throw InputError("theta is not within (0, 1)");
  if (c.rho.lo < 0 || c.rho.hi > c.r.lo || c.r.hi >= 1)
    throw InputError("r and rho are not ordered within [0, 1) throughout the box");
  if (c.q.lo <= 0 || c.gap.lo <= 0) throw InputError("a range is below its domain");
  const bool rate = c.self() ? parse_rational(text_of("k")) == c.gap.lo : text_of("k") == c.words.rate;
  if (claim.at("p").get<long>() != 0 || !rate)
    throw InputError(fmt::format("k is {}, the Coq library has {}", text_of("k"),
                                 c.self() ? "the least gap of the box" : c.words.rate));
  const char* const limit = c.self() ? "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)" : "alpha^2";
  if (text_of("limit") != limit)
    throw InputError(fmt::format("the limit is written {}, the Coq library has {}", text_of("limit"), limit));
  return c;
}

Theorem jacobian_bound(const JacobianClaim& c, const std::string& name, const std::string& variables,
                       const std::string& ranges, const std::string& bound, const std::string& unfolded,
                       const std::string& halved) {
  const bool ratio = bound.find("rho") != std::string::npos;
  const std::string angles =
      ratio ? fmt::format("{} -> {} -> ", c.r.around("r"), c.rho.around("rho")) : std::string();
  return {name,
          fmt::format("({}{} q : R) :\n  {} ->\n  {}{} ->\n  {} / q <= {}.", variables, ratio ? " r rho" : "",
                      ranges, angles, c.q.around("q"), bound, term(c.C)),
          fmt::format("  intros. unfold {}.\n  interval with ({}, i_depth 100).\n", unfolded, halved), true};
}

std::vector<Theorem> jacobian_bounds(const JacobianClaim& c, const std::string& name) {
  const std::string p = fmt::format("0 <= p <= {}", c.at_most(c.gap.lo)),
                    logs = fmt::format("0 <= l1 <= {} -> 0 <= l2 <= {}", c.log_at_most(1), c.log_at_most(2)),
                    h = fmt::format("0 <= h <= {}", c.sizes()), k = fmt::format("0 <= k <= {}", c.clusters()),
                    inverse = fmt::format("/ {}", term(c.N));
  const std::string shares = "0 <= u <= 1 -> 0 <= v <= 1";
  if (c.phase == "far")
    return {jacobian_bound(c, name, "p u v h w k l1 l2",
                           fmt::format("{} -> {} -> {} -> 0 <= w <= 1 -> {} ->\n  {}", p, shares, h, k, logs),
                           "far_jacobian p u v h w k l1 l2", "far_jacobian, far_squares, far_mass_sum",
                           "i_bisect p, i_bisect u, i_bisect v, i_bisect h, i_bisect w, i_bisect k")};
  if (c.phase == "near")
    return {
        jacobian_bound(c, name, "p u v w k m z l1 l2",
                       fmt::format("{} -> {} -> 0 <= w <= 1 -> {} -> 0 <= m <= {} -> 0 <= z <= {} ->\n  {}",
                                   p, shares, k, inverse, inverse, logs),
                       "near_jacobian p u v w k m z l1 l2 ((1 - rho) / (1 - r))",
                       "near_jacobian, near_squares, near_pairs, near_mass_sum",
                       "i_bisect p, i_bisect u, i_bisect v, i_bisect w, i_bisect k")};
  return {
      jacobian_bound(c, name + "_below", "p u v h k", fmt::format("{} -> {} -> {} -> {}", p, shares, h, k),
                     "self_below p u v h k", "self_below; cbv zeta",
                     "i_bisect p, i_bisect u, i_bisect v, i_bisect h, i_bisect k"),
      jacobian_bound(c, name + "_above", "h m l1 l2",
                     fmt::format("{} -> 0 <= m <= {} -> {}", h, inverse, logs),
                     fmt::format("self_above h m l1 l2 ((1 - rho) / (1 - r)) (1 + {})", term(c.gap.lo)),
                     "self_above", "i_bisect h")};
}

}  // namespace

std::string band_jacobian_file(const Source& source, const Options& options) {
  const JacobianClaim c = read_jacobian_claim(source.claim, options);
  const std::string name = identifier(source.id), bound = name + "_bound", gap = term(c.gap.lo);
  const std::string rate = c.self() ? gap : fmt::format("Rmin ({}) ({})", c.words.first, c.words.second);
  const std::string limit = c.self() ? "/ q * (1 - / INR d)" : "0";
  const std::string sides =
      c.self() ? fmt::format("[intros; apply {0}_below; lra|intros; apply {0}_above; lra]", bound)
               : fmt::format("intros; apply {}; lra", bound);
  const std::string kappa = c.self() ? gap : "kappa";
  const std::string phase_facts =
      c.self() ? ""
               : fmt::format(
                     "  set (kappa := {}). assert (L : {} <= kappa) by (apply Rmin_glb; lra).\n"
                     "  assert (M1 : kappa <= {}) by apply Rmin_l. assert (M2 : kappa <= {}) by apply "
                     "Rmin_r. clearbody kappa.\n",
                     rate, gap, c.words.first, c.words.second);
  const std::string sizes = c.phase == "near" ? "" : fmt::format(" (hm := {})", c.sizes());
  const auto power = [&](const std::string& exponent, const Rational& least) {
    return fmt::format(
        "  assert (power n ({0}) <= {1}) by (apply (power_at_most {2} n {3}); [lra|lra|lra|lra|interval]).\n",
        exponent, c.at_most(least), term(c.N), term(least));
  };
  const std::string proof = fmt::format(
      "  intros d n K theta gamma alpha q r rho x HN Hd Bt Hg HK Ha Bq Br Bo G1 G2 HT. subst alpha.\n"
      "  rewrite <- power_Rpower.\n{0}{1}{2}{3}"
      "  apply {4} with (N := {5}) (theta := theta) (gamma := gamma) (q := q) (r := r) (rho := rho) (kappa "
      ":= "
      "{6}) (P := {7}){8} (km := {9}) (B1 := {10}) (B2 := {11}) (K := K);\n"
      "    try assumption; try lra; try interval; {12}.\n",
      phase_facts, power(kappa, c.gap.lo), power("theta", c.theta.lo),
      power("1 - theta", Rational(1 - c.theta.hi)), c.words.theorem, term(c.N), kappa, c.at_most(c.gap.lo),
      sizes, c.clusters(), c.log_at_most(1), c.log_at_most(2), sides);
  const Theorem main{
      name,
      fmt::format(
          ":\n  forall (d n K : nat) (theta gamma alpha q r rho : R) (x : tokens),\n  {} <= INR n -> (n <= "
          "d)%nat -> {} -> 0 <= gamma -> INR K = Rpower (INR n) theta ->\n  alpha = 0 -> {} -> {} -> {} "
          "->\n  {} ->\n  {} ->\n  three_bands d n K q r rho x -> Rabs (jacobian_norm d n (gamma * ln "
          "(INR n)) alpha x - {}) <=\n    {} * Rpower (INR n) (- ({})).",
          term(c.N), c.theta.around("theta"), c.q.around("q"), c.r.around("r"), c.rho.around("rho"),
          c.gap.around(c.words.first), c.gap.around(c.words.second), limit, term(c.C), rate),
      proof, false};
  std::vector<Theorem> theorems = jacobian_bounds(c, bound);
  theorems.push_back(main);
  return file_text(source, options, "Sums Layer Powers BandInners JacobianPhases", theorems);
}

}  // namespace critscale::coq
