// Boundary claims on the simplex: the three phases, and the finite-n transition (theory §2.2;
// provers/THEORY-proofs.md §7).
#include <fmt/format.h>

#include "critscale/checker/pieces.hpp"
#include "critscale/number/power_product.hpp"

namespace critscale::checker {
namespace {

/// ln n for a context length given as text, of any size that MPFR's exponents allow.
Interval log_of(const PowerProduct& n, Bits precision) {
  Interval sum(0, precision);
  for (const auto& [base, exponent] : n.factors())
    sum += Interval(exponent, precision) * log(Interval(base, precision));
  return sum;
}

void check_transition(const json& transition, const Rational& delta, const Rational& N) {
  require_keys(transition, {"n", "lo", "hi"}, "a transition");
  const PowerProduct n = parse_context_length(text(transition, "n"));
  const RationalBox claimed{number(transition, "lo"), number(transition, "hi")};
  for (Bits precision = 128; precision <= 1 << 15; precision *= 2) {
    // gamma*(n) = ln(n - 1)/(delta ln n) with ln(n - 1) = ln n + ln(1 - 1/n).
    const Interval t = log_of(n, precision);
    if (!certainly(greater_equal(t, log(Interval(N, precision))))) continue;
    const Interval split = (t + log1p(-exp(-t))) / (Interval(delta, precision) * t);
    const Truth inside = greater_equal(split, Interval(claimed.lo, precision)) &
                         less_equal(split, Interval(claimed.hi, precision));
    if (certainly(inside)) return;
    if (!possibly(inside)) break;
  }
  throw Rejected(fmt::format("the transition at n = {} is not in [{}, {}]", n.to_string(),
                             to_string(claimed.lo), to_string(claimed.hi)));
}

/// The tail claim of one side, as this boundary claim implies it.
json side(const json& claim, const json& given, const std::string& phase, const RationalBox& g) {
  const Rational rho = number(claim, "rho");
  const json box{{"rho", {to_string(rho), to_string(rho)}},
                 {"gamma_ratio", {to_string(g.lo), to_string(g.hi)}},
                 {"alpha", {"0", "0"}},
                 {"q", {"1", "1"}}};
  json expected = given;
  expected["geometry"] = "simplex";
  expected["phase"] = phase;
  expected["quantity"] = "self_weight";
  expected["box"] = box;
  expected["N"] = member(claim, "N");
  return expected;
}

}  // namespace

void check_boundary(const std::string& theorem, const json& claim, const json& evidence) {
  if (theorem != "boundary") throw Rejected("a boundary claim belongs to theorem boundary");
  require_keys(claim, {"rho", "thresholds", "mu", "N", "transitions", "C", "k"}, "the claim");
  const Rational rho = number(claim, "rho"), mu = number(claim, "mu"), N = number(claim, "N"),
                 C = number(claim, "C");
  if (!(rho > 0 && rho < 1 && mu > 0 && mu < 1 && N >= 2))
    throw Rejected("a boundary needs 0 < rho < 1, 0 < mu < 1");
  const Rational delta = 1 - rho;
  if (threshold(claim) * delta != 1) throw Rejected("the threshold is not 1/(1-rho)");
  if (number(claim, "k") != 1) throw Rejected("k is not 1");
  // gamma_c - gamma*(n) = -log1p(-1/n)/(delta ln n), and -n log1p(-1/n) falls with n.
  const Interval u = 1 / Interval(N, 128);
  if (!certainly(less_equal(-log1p(-u) / u, Interval(Rational(C * delta), 128))))
    throw Rejected("C is too small for the distance of the transition from the threshold");
  const json& transitions = member(claim, "transitions");
  if (!transitions.is_array()) throw Rejected("transitions is not a list");
  for (const json& transition : transitions) check_transition(transition, delta, N);

  require_keys(evidence, {"left", "at", "right"}, "the evidence");
  const std::pair<const char*, std::pair<const char*, RationalBox>> sides[] = {
      {"left", {"subcritical", {0, 1 - mu}}},
      {"at", {"critical", {1, 1}}},
      {"right", {"supercritical", {1 + mu, 5}}}};
  for (const auto& [name, what] : sides) {
    const json& part = member(evidence, name);
    require_keys(part, {"claim", "evidence"}, name);
    const json& tail = member(part, "claim");
    if (tail != side(claim, tail, what.first, what.second))
      throw Rejected(fmt::format("the tail claim {} the threshold is not the one needed", name));
    check_tail("partition", tail, member(part, "evidence"));
    // The mass must converge: the rate is positive on the whole side.
    if (text(tail, "k") != (std::string(name) == "left" ? "1-gamma*(1-rho)"
                            : std::string(name) == "at" ? "1"
                                                        : "gamma*(1-rho)-1") ||
        integer(tail, "p") != 0)
      throw Rejected("a tail claim of a boundary has another rate than the theorem's");
  }
}

}  // namespace critscale::checker
