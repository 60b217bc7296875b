// Boundary claims: the phases beside a threshold and at it, and the transition at finite n ([simplex-finite],
// [phases], [boundary-claims]). Uses pieces.hpp.
#include "critscale/checker/pieces.hpp"

namespace critscale::checker {

void check_boundary(const std::string& theorem, const json& claim, const json& evidence) {
  require(theorem == "boundary", "a boundary claim belongs to theorem boundary");
  const bool simplex = text(claim, "geometry") == "simplex";
  std::vector<std::string> keys{"geometry", "rho", "thresholds", "mu", "N", "transitions", "C", "k"};
  if (!simplex) keys.insert(keys.end(), {"between", "theta", "r"});
  require_keys(claim, keys, "the claim");
  const Rational rho = number(claim, "rho"), mu = number(claim, "mu"), N = number(claim, "N");
  require(rho > 0 && rho < 1 && mu > 0 && mu < 1 && N >= 2,
          "a boundary needs 0 < rho < 1, 0 < mu < 1, N >= 2");
  // Two bands whose sizes differ by the factor n^size and whose inner products differ by drop tie at
  // gamma = size/drop. On a simplex these are the token and the others.
  Rational size = 1, drop = 1 - rho, other_size = 0, k = 1;
  std::string quantity = "self_weight";
  std::vector<std::string> phases{"subcritical", "critical", "supercritical"};
  std::vector<RationalBox> sides{{0, 1 - mu}, {1, 1}, {1 + mu, 5}};  // gamma (1-rho), or the exponent gaps
  if (!simplex) {
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
    phases = {far ? "far" : "near", between, far ? "near" : "self"};
    // At the boundary, the exponent gap of the third band.
    const Rational gap = far ? theta - size / drop * (1 - r) : size / drop * (r - rho) - (1 - theta);
    sides = {{mu, 40}, {gap, gap}, {mu, 40}};
  }
  const std::string threshold = to_string(Rational(size / drop));
  require(claim.at("thresholds") == json{threshold}, fmt::format("the threshold is {}", threshold));
  require(number(claim, "k") == k, fmt::format("k is {}", to_string(k)));
  // gamma_c - gamma*(n) is a logarithm ln(1 - n^-e) or a difference of two over (drop ln n), with e >= k;
  // -ln(1 - u)/u rises.
  const Interval u = exp_in_range(-(Interval(k, 128) * log(Interval(N, 128))));
  require(certainly(less_equal(-log1p(-u) / u, Interval(Rational(number(claim, "C") * drop), 128))),
          "C is too small for the distance of the transition from the threshold");

  require(claim.at("transitions").is_array(), "transitions is not a list");
  for (const json& transition : claim.at("transitions")) {
    require_keys(transition, {"n", "lo", "hi"}, "a transition");
    const PowerProduct n = parse_context_length(text(transition, "n"));
    require(!certainly_less(n, PowerProduct(N)), "a transition lies below N");
    // gamma*(n) = ln(ratio of the two bands' sizes)/(drop ln n); each size is less the cluster inside.
    const auto split = [&](Bits p) {
      const Interval t = log_of(n, p), log_size = Interval(size, p) * t;
      Interval counts = log_size + log1p(-exp_in_range(-log_size));
      if (other_size > 0) counts -= log1p(-exp_in_range(-(Interval(other_size, p) * t)));
      return counts / (Interval(drop, p) * t);
    };
    check_inside(split, transition, "the transition at n = " + n.to_string());
  }

  const std::vector<std::string> names{"left", "at", "right"};
  require_keys(evidence, names, "the evidence");
  for (std::size_t i = 0; i < 3; ++i) {
    require_keys(evidence.at(names[i]), {"claim", "evidence"}, names[i]);
    const json& tail = evidence.at(names[i]).at("claim");
    // The tail claim that this claim needs; limit, C, k and p are its own.
    json box{{"alpha", {"0", "0"}}, {"q", {"1", "1"}}};
    for (const char* key : {"rho", "theta", "r"})
      if (claim.contains(key)) box[key] = json(2, to_string(number(claim, key)));
    box[simplex ? "gamma_ratio" : "gap"] = {to_string(sides[i].lo), to_string(sides[i].hi)};
    const json needed{{"geometry", claim.at("geometry")},
                      {"phase", phases[i]},
                      {"quantity", quantity},
                      {"box", box},
                      {"N", claim.at("N")}};
    for (const auto& [key, value] : needed.items())
      require(member(tail, key) == value,
              fmt::format("{} of the tail claim {} is not the one needed", key, names[i]));
    // The mass must converge, whichever rate the claim names.
    require(check_tail(simplex ? "partition" : "C.2", tail, evidence.at(names[i]).at("evidence")) > 0 &&
                integer(tail, "p") == 0,
            "a tail claim of a boundary does not tend to 0");
  }
}

}  // namespace critscale::checker
