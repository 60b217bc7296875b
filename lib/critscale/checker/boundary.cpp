// Boundary claims: the phases beside a threshold and at it, and the transition at finite n ([simplex-finite],
// [phases], [boundary-claims]). Uses tree.hpp and interval_sizes.hpp.
#include "critscale/checker/detail/tree.hpp"
#include "critscale/text/detail/interval_sizes.hpp"

namespace critscale::checker {
namespace {

/// Two bands whose sizes differ by the factor n^size and whose inner products differ by drop tie at
/// gamma = size/drop ([boundary-claims]). On a simplex these are the token and the others.
struct Tie {
  Rational size, drop;
  Rational other_size;  ///< between far and near only: of the nearer cluster
  Rational k;
  std::string quantity;             ///< the mass that goes from 0 over 1/2 to 1
  std::vector<std::string> phases;  ///< left of the threshold, at it, right of it
  std::vector<RationalBox> ranges;  ///< of gamma (1-rho), or of the exponent gaps
  Rational threshold() const { return size / drop; }
};

Tie simplex_tie(const Rational& rho, const Rational& mu) {
  Tie tie;
  tie.size = tie.k = 1;
  tie.drop = 1 - rho;
  tie.quantity = "self_weight";
  tie.phases = {"subcritical", "critical", "supercritical"};
  tie.ranges = {{0, 1 - mu}, {1, 1}, {1 + mu, 5}};
  return tie;
}

Tie bands_tie(const json& claim, const Rational& rho, const Rational& mu) {
  const Rational theta = small_number(claim, "theta"), r = small_number(claim, "r");
  require(text(claim, "geometry") == "bands" && theta > 0 && theta < 1 && rho < r && r < 1 &&
              (1 - theta) * (1 - r) < theta * (r - rho),
          "the boundaries of three bands need 0 < theta < 1, 0 < rho < r < 1 and a near phase");
  const std::string between = text(claim, "between");
  const bool far = between == "far-near";
  require(far || between == "near-self", "a boundary lies between far and near or between near and self");
  Tie tie;
  tie.size = far ? Rational(1 - theta) : theta;
  tie.drop = far ? r - rho : 1 - r;
  tie.other_size = far ? theta : Rational(0);
  tie.k = std::min(theta, tie.size);
  tie.quantity = far ? "band_masses[0]" : "self_weight";
  tie.phases = {far ? "far" : "near", between, far ? "near" : "self"};
  // At the boundary, the exponent gap of the third band.
  const Rational gap = far ? theta - tie.threshold() * (1 - r) : tie.threshold() * (r - rho) - (1 - theta);
  tie.ranges = {{mu, 40}, {gap, gap}, {mu, 40}};
  return tie;
}

/// gamma*(n) = ln(ratio of the two bands' sizes)/(drop ln n); each size is less the cluster inside.
Interval transition_at(const PowerProduct& n, const Tie& tie, Bits p) {
  const Interval t = log_of(n, p), log_size = Interval(tie.size, p) * t;
  Interval counts = log_size + log1p(-exp_in_range(-log_size));
  if (tie.other_size > 0) counts -= log1p(-exp_in_range(-(Interval(tie.other_size, p) * t)));
  return counts / (Interval(tie.drop, p) * t);
}

void check_transitions(const json& claim, const Tie& tie, const Rational& N) {
  require(claim.at("transitions").is_array() && claim.at("transitions").size() <= 1000,
          "transitions is not a list of at most 1000");
  for (const json& transition : claim.at("transitions")) {
    require_keys(transition, {"n", "lo", "hi"}, "a transition");
    const PowerProduct n = parse_context_length(text(transition, "n"));
    require(!certainly_less(n, PowerProduct(N)), "a transition lies below N");
    check_inside([&](Bits p) { return transition_at(n, tie, p); }, transition,
                 "the transition at n = " + n.to_string());
  }
}

/// The tail claim on one side of the boundary is the one needed, and proved; limit, C, k and p are its own.
void check_side(const json& claim, const Tie& tie, std::size_t side, const json& part) {
  const json& tail = part.at("claim");
  const bool simplex = text(claim, "geometry") == "simplex";
  json box{{"alpha", {"0", "0"}}, {"q", {"1", "1"}}};
  for (const char* key : {"rho", "theta", "r"})
    if (claim.contains(key)) box[key] = json(2, to_string(small_number(claim, key)));
  const RationalBox& range = tie.ranges[side];
  box[simplex ? "gamma_ratio" : "gap"] = {to_string(range.lo), to_string(range.hi)};
  const json needed{{"geometry", claim.at("geometry")},
                    {"phase", tie.phases[side]},
                    {"quantity", tie.quantity},
                    {"box", box},
                    {"N", claim.at("N")}};
  for (const auto& [key, value] : needed.items())
    require(member(tail, key) == value,
            fmt::format("{} of the tail claim of the {} phase is not the one needed", key, tie.phases[side]));
  require(!tail.contains("factor"), "a tail claim of a boundary has no factor");
  // The mass must converge, whichever rate the claim names.
  require(check_tail(simplex ? "partition" : "C.2", tail, part.at("evidence")) > 0 && integer(tail, "p") == 0,
          "a tail claim of a boundary does not tend to 0");
}

}  // namespace

void check_boundary(const std::string& theorem, const json& claim, const json& evidence) {
  require(theorem == "boundary", "a boundary claim belongs to theorem boundary");
  const bool simplex = text(claim, "geometry") == "simplex";
  std::vector<std::string> keys{"geometry", "rho", "thresholds", "mu", "N", "transitions", "C", "k"};
  if (!simplex) keys.insert(keys.end(), {"between", "theta", "r"});
  require_keys(claim, keys, "the claim");
  const Rational rho = small_number(claim, "rho"), mu = small_number(claim, "mu"),
                 N = small_number(claim, "N");
  require(rho > 0 && rho < 1 && mu > 0 && mu < 1 && N >= 2,
          "a boundary needs 0 < rho < 1, 0 < mu < 1, N >= 2");
  const Tie tie = simplex ? simplex_tie(rho, mu) : bands_tie(claim, rho, mu);
  const std::string threshold = to_string(tie.threshold());
  require(claim.at("thresholds") == json{threshold}, fmt::format("the threshold is {}", threshold));
  require(small_number(claim, "k") == tie.k, fmt::format("k is {}", to_string(tie.k)));
  // gamma_c - gamma*(n) is a logarithm ln(1 - n^-e) or a difference of two over (drop ln n), with e >= k;
  // -ln(1 - u)/u rises ([boundary-claims]).
  const Interval u = exp_in_range(-(Interval(tie.k, 128) * log(Interval(N, 128))));
  require(certainly(less_equal(-log1p(-u) / u, Interval(Rational(small_number(claim, "C") * tie.drop), 128))),
          "C is too small for the distance of the transition from the threshold");
  check_transitions(claim, tie, N);

  const std::vector<std::string> names{"left", "at", "right"};
  require_keys(evidence, names, "the evidence");
  for (std::size_t side = 0; side < names.size(); ++side) {
    require_keys(evidence.at(names[side]), {"claim", "evidence"}, names[side]);
    check_side(claim, tie, side, evidence.at(names[side]));
  }
}

}  // namespace critscale::checker
