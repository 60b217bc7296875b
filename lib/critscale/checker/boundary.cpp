// Boundary claims: the phases beside a threshold and at it, and the transition at finite n (theory §2.2,
// §3.1; provers/THEORY-proofs.md §7).
#include <fmt/format.h>

#include "critscale/checker/pieces.hpp"

namespace critscale::checker {
namespace {

/// Two bands whose sizes differ by the factor n^size and whose inner products differ by drop tie at
/// gamma = size/drop. Here: the token and the others on a simplex.
struct Boundary {
  explicit Boundary(const json& claim) : claim(claim) {
    const bool simplex = text(claim, "geometry") == "simplex";
    std::vector<std::string> keys{"geometry", "rho", "thresholds", "mu", "N", "transitions", "C", "k"};
    if (!simplex) keys.insert(keys.end(), {"between", "theta", "r"});
    require_keys(claim, keys, "the claim");
    const Rational rho = number(claim, "rho"), mu = number(claim, "mu"),
                   theta = simplex ? 1 : number(claim, "theta"), r = simplex ? 1 : number(claim, "r");
    if (!(rho > 0 && rho < 1 && mu > 0 && mu < 1 && number(claim, "N") >= 2))
      throw Rejected("a boundary needs 0 < rho < 1, 0 < mu < 1 and N >= 2");
    drop = 1 - rho;
    if (simplex) {
      sides = {{0, 1 - mu}, {1, 1}, {1 + mu, 5}};
      return;
    }
    if (text(claim, "geometry") != "bands" || !(theta > 0 && theta < 1 && rho < r && r < 1) ||
        !((1 - theta) * (1 - r) < theta * (r - rho)))
      throw Rejected("the boundaries of three bands need 0 < theta < 1, 0 < rho < r < 1 and a near phase");
    const std::string between = text(claim, "between");
    if (between != "far-near" && between != "near-self")
      throw Rejected("a boundary lies between far and near or between near and self");
    const bool far = between == "far-near";
    size = far ? Rational(1 - theta) : theta;
    k = std::min(theta, size);
    if (far) other_size = theta, quantity = "band_masses[0]";
    drop = far ? r - rho : 1 - r;
    phases = {far ? "far" : "near", between, far ? "near" : "self"};
    // At the boundary, the exponent gap of the third band.
    const Rational gap = far ? theta - size / drop * (1 - r) : size / drop * (r - rho) - (1 - theta);
    sides = {{mu, 40}, {gap, gap}, {mu, 40}};
  }

  /// gamma*(n) = ln(ratio of the two bands' sizes)/(drop ln n), t = ln n: each size less the cluster inside.
  Interval transition(const Interval& t) const {
    const auto exact = [&](const Rational& v) { return Interval(v, t.precision()); };
    Interval counts = exact(size) * t + log1p(-exp_in_range(-(exact(size) * t)));
    if (other_size > 0) counts -= log1p(-exp_in_range(-(exact(other_size) * t)));
    return counts / (exact(drop) * t);
  }
  /// The tail claim on one side, as this claim implies it; limit, C, k and p as given.
  json side(json given, std::size_t i) const {
    const auto ranges = [](const RationalBox& r) { return json{to_string(r.lo), to_string(r.hi)}; };
    json box{{"alpha", {"0", "0"}}, {"q", {"1", "1"}}};
    for (const char* key : {"rho", "theta", "r"})
      if (claim.contains(key)) box[key] = ranges({number(claim, key), number(claim, key)});
    box[phases[1] == "critical" ? "gamma_ratio" : "gap"] = ranges(sides[i]);
    given.update({{"geometry", claim.at("geometry")},
                  {"phase", phases[i]},
                  {"quantity", quantity},
                  {"box", box},
                  {"N", claim.at("N")}});
    return given;
  }

  const json& claim;
  Rational size = 1, drop, other_size = 0, k = 1;
  std::vector<std::string> phases{"subcritical", "critical", "supercritical"};
  std::vector<RationalBox> sides;  ///< gamma (1-rho), or the exponent gaps
  std::string quantity = "self_weight";
};

void check_transition(const json& transition, const Boundary& b, const Rational& N) {
  require_keys(transition, {"n", "lo", "hi"}, "a transition");
  const PowerProduct n = parse_context_length(text(transition, "n"));
  const Rational lo = number(transition, "lo"), hi = number(transition, "hi");
  for (Bits p = 128; p <= 1 << 15; p *= 2) {
    const Interval t = log_of(n, p), split = b.transition(t);
    const bool in_claim = n == PowerProduct(N) || certainly(greater(t, log(Interval(N, p))));
    if (in_claim && certainly(greater_equal(split, Interval(lo, p)) & less_equal(split, Interval(hi, p))))
      return;
  }
  throw Rejected(fmt::format("the transition at n = {} is not in its range", n.to_string()));
}

}  // namespace

void check_boundary(const std::string& theorem, const json& claim, const json& evidence) {
  if (theorem != "boundary") throw Rejected("a boundary claim belongs to theorem boundary");
  const Boundary b(claim);
  const Rational N = number(claim, "N"), threshold = b.size / b.drop;
  if (member(claim, "thresholds") != json{to_string(threshold)})
    throw Rejected(fmt::format("the threshold is {}", to_string(threshold)));
  if (number(claim, "k") != b.k) throw Rejected(fmt::format("k is {}", to_string(b.k)));
  // gamma_c - gamma*(n) is a logarithm ln(1 - n^-e) or a difference of two over (drop ln n); -ln(1 - u)/u
  // rises.
  const Interval u = exp_in_range(-(Interval(b.k, 128) * log(Interval(N, 128))));
  if (!certainly(less_equal(-log1p(-u) / u, Interval(Rational(number(claim, "C") * b.drop), 128))))
    throw Rejected("C is too small for the distance of the transition from the threshold");
  if (!member(claim, "transitions").is_array()) throw Rejected("transitions is not a list");
  for (const json& transition : claim.at("transitions")) check_transition(transition, b, N);

  const std::vector<std::string> sides{"left", "at", "right"};
  require_keys(evidence, sides, "the evidence");
  for (std::size_t i = 0; i < 3; ++i) {
    const json& part = evidence.at(sides[i]);
    require_keys(part, {"claim", "evidence"}, sides[i]);
    const json& tail = part.at("claim");
    if (!tail.is_object() || tail != b.side(tail, i))
      throw Rejected(fmt::format("the tail claim {} of the threshold is not the one needed", sides[i]));
    // The mass must converge, whichever rate the claim names.
    const std::string tail_theorem = b.phases[1] == "critical" ? "partition" : "C.2";
    if (check_tail(tail_theorem, tail, part.at("evidence")) <= 0 || integer(tail, "p") != 0)
      throw Rejected("a tail claim of a boundary does not tend to 0");
  }
}

}  // namespace critscale::checker
