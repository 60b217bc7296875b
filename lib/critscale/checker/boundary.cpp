// Boundary claims: the phases beside a threshold and at it, and the transition at finite n (theory §2.2,
// §3.1; provers/THEORY-proofs.md §7).
#include <fmt/format.h>

#include "critscale/checker/pieces.hpp"

namespace critscale::checker {
namespace {

/// Two bands whose sizes differ by the factor n^size and whose inner products differ by drop tie at
/// gamma = size/drop.
struct Boundary {
  explicit Boundary(const json& claim) : claim(claim) {
    std::vector<std::string> keys{"geometry", "rho", "thresholds", "mu", "N", "transitions", "C", "k"};
    const bool simplex = text(claim, "geometry") == "simplex";
    if (!simplex) keys.insert(keys.end(), {"between", "theta", "r"});
    require_keys(claim, keys, "the claim");
    const Rational rho = number(claim, "rho");
    mu = number(claim, "mu");
    if (!(rho > 0 && rho < 1 && mu > 0 && mu < 1 && number(claim, "N") >= 2))
      throw Rejected("a boundary needs 0 < rho < 1, 0 < mu < 1 and N >= 2");
    if (simplex) {
      size = k = 1;
      drop = 1 - rho;
      phases = {"subcritical", "critical", "supercritical"};
      return;
    }
    const Rational theta = number(claim, "theta"), r = number(claim, "r");
    if (text(claim, "geometry") != "bands" || !(theta > 0 && theta < 1 && rho < r && r < 1) ||
        !((1 - theta) * (1 - r) < theta * (r - rho)))
      throw Rejected("the boundaries of three bands need 0 < theta < 1, 0 < rho < r < 1 and a near phase");
    const std::string between = text(claim, "between");
    if (between == "far-near") {
      size = 1 - theta;
      drop = r - rho;
      other_size = theta;
      k = std::min(theta, size);
      rest = theta - size / drop * (1 - r);
      phases = {"far", between, "near"};
      quantity = "band_masses[0]";
    } else if (between == "near-self") {
      size = k = theta;
      drop = 1 - r;
      rest = size / drop * (r - rho) - (1 - theta);
      phases = {"near", between, "self"};
    } else {
      throw Rejected("a boundary lies between far and near or between near and self");
    }
  }
  bool simplex() const { return rest == 0; }

  /// gamma*(n) = ln(ratio of the two bands' sizes)/(drop ln n), t = ln n: each size less the cluster inside.
  Interval transition(const Interval& t) const {
    const auto less_one = [&](const Rational& e) {
      return log1p(-exp_in_range(-(Interval(e, t.precision()) * t)));
    };
    Interval counts = Interval(size, t.precision()) * t + less_one(size);
    if (other_size > 0) counts -= less_one(other_size);
    return counts / (Interval(drop, t.precision()) * t);
  }

  /// The tail claim on one side, as this claim implies it; limit, C, k and p as given.
  json side(const json& given, std::size_t i) const {
    const auto ranges = [](const Rational& lo, const Rational& hi) {
      return json{to_string(lo), to_string(hi)};
    };
    json box{{"alpha", {"0", "0"}}, {"q", {"1", "1"}}};
    for (const char* key : {"rho", "theta", "r"})
      if (claim.contains(key)) box[key] = ranges(number(claim, key), number(claim, key));
    if (simplex())
      box["gamma_ratio"] = i == 0 ? ranges(0, 1 - mu) : i == 1 ? ranges(1, 1) : ranges(1 + mu, 5);
    else
      box["gap"] = i == 1 ? ranges(rest, rest) : ranges(mu, 40);
    json expected = given;
    expected["geometry"] = member(claim, "geometry");
    expected["phase"] = phases[i];
    expected["quantity"] = quantity;
    expected["box"] = box;
    expected["N"] = member(claim, "N");
    return expected;
  }

  const json& claim;
  Rational mu, size, drop, other_size = 0, k;
  Rational rest = 0;  ///< of three bands, at the threshold: the exponent gap of the third band
  std::vector<std::string> phases;
  std::string quantity = "self_weight";
};

void check_transition(const json& transition, const Boundary& b, const Rational& N) {
  require_keys(transition, {"n", "lo", "hi"}, "a transition");
  const PowerProduct n = parse_context_length(text(transition, "n"));
  const Rational lo = number(transition, "lo"), hi = number(transition, "hi");
  for (Bits precision = 128; precision <= 1 << 15; precision *= 2) {
    const Interval t = log_of(n, precision);
    const bool in_claim = n == PowerProduct(N) || certainly(greater(t, log(Interval(N, precision))));
    const Interval split = b.transition(t);
    const Truth inside =
        greater_equal(split, Interval(lo, precision)) & less_equal(split, Interval(hi, precision));
    if (in_claim && certainly(inside)) return;
    if (!possibly(inside)) break;
  }
  throw Rejected(fmt::format("the transition at n = {} is not in [{}, {}]", n.to_string(), to_string(lo),
                             to_string(hi)));
}

}  // namespace

void check_boundary(const std::string& theorem, const json& claim, const json& evidence) {
  if (theorem != "boundary") throw Rejected("a boundary claim belongs to theorem boundary");
  const Boundary b(claim);
  const Rational N = number(claim, "N"), k = number(claim, "k");
  if (member(claim, "thresholds") != json{to_string(Rational(b.size / b.drop))})
    throw Rejected(fmt::format("the threshold is {}", to_string(Rational(b.size / b.drop))));
  if (k != b.k) throw Rejected(fmt::format("k is {}", to_string(b.k)));
  // gamma_c - gamma*(n) is a logarithm ln(1 - n^-e) or a difference of two over (drop ln n); -ln(1 - u)/u
  // rises.
  const Interval u = exp_in_range(-(Interval(k, 128) * log(Interval(N, 128))));
  if (!certainly(less_equal(-log1p(-u) / u, Interval(Rational(number(claim, "C") * b.drop), 128))))
    throw Rejected("C is too small for the distance of the transition from the threshold");
  const json& transitions = member(claim, "transitions");
  if (!transitions.is_array()) throw Rejected("transitions is not a list");
  for (const json& transition : transitions) check_transition(transition, b, N);

  const std::vector<std::string> sides{"left", "at", "right"};
  require_keys(evidence, sides, "the evidence");
  for (std::size_t i = 0; i < 3; ++i) {
    const json& part = member(evidence, sides[i]);
    require_keys(part, {"claim", "evidence"}, sides[i]);
    const json& tail = member(part, "claim");
    if (tail != b.side(tail, i))
      throw Rejected(fmt::format("the tail claim {} of the threshold is not the one needed", sides[i]));
    // The mass must converge: the named rates are positive where the exponent gaps are.
    const std::string rate = text(tail, "k");
    if (integer(tail, "p") != 0 || (rate.find("gamma") == std::string::npos && parse_rational(rate) <= 0))
      throw Rejected("a tail claim of a boundary does not tend to 0");
    check_tail(b.simplex() ? "partition" : "C.2", tail, member(part, "evidence"));
  }
}

}  // namespace critscale::checker
