// Boundary claims: the phases beside a threshold and at it, and the transition at finite n (theory §2.2,
// §3.1; provers/THEORY-proofs.md §7). Uses pieces.hpp.
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
    const Rational rho = number(claim, "rho"), mu = number(claim, "mu");
    require(rho > 0 && rho < 1 && mu > 0 && mu < 1 && number(claim, "N") >= 2,
            "a boundary needs 0 < rho < 1, 0 < mu < 1 and N >= 2");
    drop = 1 - rho;
    sides = {{0, 1 - mu}, {1, 1}, {1 + mu, 5}};
    if (simplex) return;
    const Rational theta = number(claim, "theta"), r = number(claim, "r");
    require(text(claim, "geometry") == "bands" && theta > 0 && theta < 1 && rho < r && r < 1 &&
                (1 - theta) * (1 - r) < theta * (r - rho),
            "the boundaries of three bands need 0 < theta < 1, 0 < rho < r < 1 and a near phase");
    const std::string between = text(claim, "between");
    const bool far = between == "far-near";
    require(far || between == "near-self", "a boundary lies between far and near or between near and self");
    size = far ? Rational(1 - theta) : theta;
    k = std::min(theta, size);
    if (far) other_size = theta, quantity = "band_masses[0]";
    drop = far ? r - rho : 1 - r;
    theorem = "C.2";
    phases = {far ? "far" : "near", between, far ? "near" : "self"};
    // At the boundary, the exponent gap of the third band.
    const Rational gap = far ? theta - size / drop * (1 - r) : size / drop * (r - rho) - (1 - theta);
    sides = {{mu, 40}, {gap, gap}, {mu, 40}};
  }

  /// Throws Rejected unless gamma*(n) = ln(ratio of the two bands' sizes)/(drop ln n) is in its range; each
  /// size is less the cluster inside.
  void check_transition(const json& transition) const {
    require_keys(transition, {"n", "lo", "hi"}, "a transition");
    const PowerProduct n = parse_context_length(text(transition, "n")), N(number(claim, "N"));
    require(!certainly_less(n, N), "a transition lies below N");
    for (Bits p = 128; p <= 1 << 15; p *= 2) {
      const auto exact = [p](const Rational& v) { return Interval(v, p); };
      const Interval t = log_of(n, p);
      Interval counts = exact(size) * t + log1p(-exp_in_range(-(exact(size) * t)));
      if (other_size > 0) counts -= log1p(-exp_in_range(-(exact(other_size) * t)));
      const Interval split = counts / (exact(drop) * t);
      if (certainly(greater_equal(split, exact(number(transition, "lo"))) &
                    less_equal(split, exact(number(transition, "hi")))))
        return;
    }
    throw Rejected(fmt::format("the transition at n = {} is not in its range", n.to_string()));
  }
  /// The tail claim on one side, as this claim implies it; limit, C, k and p as given.
  json side(json given, std::size_t i) const {
    json box{{"alpha", {"0", "0"}}, {"q", {"1", "1"}}};
    for (const char* key : {"rho", "theta", "r"})
      if (claim.contains(key)) box[key] = json(2, to_string(number(claim, key)));
    box[theorem == "C.2" ? "gap" : "gamma_ratio"] = {to_string(sides[i].lo), to_string(sides[i].hi)};
    given.update({{"geometry", claim.at("geometry")},
                  {"phase", phases[i]},
                  {"quantity", quantity},
                  {"box", box},
                  {"N", claim.at("N")}});
    return given;
  }

  const json& claim;
  Rational size = 1, drop, other_size = 0, k = 1;
  std::string theorem = "partition", quantity = "self_weight";
  std::vector<std::string> phases{"subcritical", "critical", "supercritical"};
  std::vector<RationalBox> sides;  ///< gamma (1-rho), or the exponent gaps
};

}  // namespace

void check_boundary(const std::string& theorem, const json& claim, const json& evidence) {
  require(theorem == "boundary", "a boundary claim belongs to theorem boundary");
  const Boundary b(claim);
  const std::string threshold = to_string(Rational(b.size / b.drop));
  require(claim.at("thresholds") == json{threshold}, fmt::format("the threshold is {}", threshold));
  require(number(claim, "k") == b.k, fmt::format("k is {}", to_string(b.k)));
  // gamma_c - gamma*(n) is a logarithm ln(1 - n^-e) or a difference of two over (drop ln n), with e >= k;
  // -ln(1 - u)/u rises.
  const Interval u = exp_in_range(-(Interval(b.k, 128) * log(Interval(number(claim, "N"), 128))));
  require(certainly(less_equal(-log1p(-u) / u, Interval(Rational(number(claim, "C") * b.drop), 128))),
          "C is too small for the distance of the transition from the threshold");
  require(claim.at("transitions").is_array(), "transitions is not a list");
  for (const json& transition : claim.at("transitions")) b.check_transition(transition);

  const std::vector<std::string> sides{"left", "at", "right"};
  require_keys(evidence, sides, "the evidence");
  for (std::size_t i = 0; i < 3; ++i) {
    const json& part = evidence.at(sides[i]);
    require_keys(part, {"claim", "evidence"}, sides[i]);
    const json& tail = part.at("claim");
    require(tail.is_object() && tail == b.side(tail, i),
            fmt::format("the tail claim {} of the threshold is not the one needed", sides[i]));
    // The mass must converge, whichever rate the claim names.
    require(check_tail(b.theorem, tail, part.at("evidence")) > 0 && integer(tail, "p") == 0,
            "a tail claim of a boundary does not tend to 0");
  }
}

}  // namespace critscale::checker
