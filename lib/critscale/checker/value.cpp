// Value claims: a quantity at exact parameters and one n lies in [lo, hi] [layer], by the formulas of
// layer.hpp at rising precision. Uses layer.hpp and pieces.hpp.
#include "critscale/checker/layer.hpp"
#include "critscale/checker/pieces.hpp"

namespace critscale::checker {
namespace {

/// The quantity, of band b where it has one (from 1), at the inputs of a claim.
Interval value_at(const json& inputs, const std::string& name, std::size_t b, Bits p) {
  std::vector<std::string> keys{"geometry", "n", "alpha", "q", "d"};
  const auto read = [&](const std::string& key) {
    keys.push_back(key);
    return text(inputs, key);
  };
  const auto exact = [p](const Rational& v) { return Interval(v, p); };
  const PowerProduct n = parse_context_length(text(inputs, "n")), d = parse_power_product(text(inputs, "d"));
  const Rational alpha = number(inputs, "alpha"), q = number(inputs, "q");
  const bool analytic = inputs.contains("analytic"), simplex = text(inputs, "geometry") == "simplex";
  require(!analytic || read("analytic") == "true", "analytic is not true");
  require(simplex || text(inputs, "geometry") == "bands", "the geometry is neither simplex nor bands");
  const BetaSpec beta =
      inputs.contains("beta") ? parse_beta(read("beta")) : BetaSpec{parse_rational(read("gamma")), 1, 0};
  // Sizes and inner products of the clusters, the token itself first.
  std::vector<PowerProduct> size{PowerProduct(1)};
  std::vector<Rational> r{1};
  LayerInputs<Interval> in;
  do {
    const std::string band = simplex ? "" : fmt::format("band[{}].", r.size() - 1);
    r.push_back(parse_rational(read(simplex ? "rho" : band + "r")));
    size.push_back(simplex ? n : parse_power_product(read(band + "size")));
    const std::size_t k = r.size() - 1;
    require(0 <= r[k] && r[k] <= r[k - 1], "inner products must fall from 1 to 0");
    require(certainly_less(size[k - 1], size[k]) && (analytic || (size[k] / size[k - 1]).is_integer()),
            "sizes must increase, and divide each other unless the formulas are continued");
    if (r[k] == 1) in.tied = k;
  } while (inputs.contains(fmt::format("band[{}].r", r.size() - 1)));
  const std::size_t L = r.size() - 1;
  require_keys(inputs, keys, "the inputs");
  require(size[L] == n, "the last band does not have n members");
  require(alpha >= 0 && q > 0 && beta.coefficient >= 0, "alpha, gamma >= 0 and q > 0 are needed");
  // The rank of the Gram matrix: exact copies of a token count once.
  require(
      !certainly_less(d, in.tied == L ? PowerProduct(1) : n / size[in.tied]) && (analytic || d.is_integer()),
      "d is not an integer from the rank of the Gram matrix on");
  const bool banded = name == "band_weights" || name == "band_masses" || name == "inner_products";
  require(banded ? b > 0 && b <= L : b == 0, name + " names no band of this geometry");

  const Interval t = log_of(n, p);
  // beta = proportional ln n + rest, the first part exact in every exponent of n.
  const Rational proportional = beta.power == 1 ? beta.coefficient : Rational(0);
  const Interval growing = exact(beta.coefficient - proportional) * exp_in_range(exact(beta.power) * log(t));
  const Interval rest = growing + exact(beta.offset), logit = exact(proportional) * t + rest;
  require(certainly(logit.is_nonnegative()), "beta may be negative");
  in.ratio = in.fall = std::vector(L + 1, std::vector(L + 1, exact(0)));
  Interval others = exact(0);
  for (std::size_t k = 0; k <= L; ++k) {
    const Rational depth = 1 - r[k];
    in.r.push_back(exact(r[k]));
    in.depth.push_back(exact(depth));
    in.weight.push_back(
        exp_in_range(log_of(size[k] * pow(n, -proportional * depth), p) - rest * exact(depth)));
    for (std::size_t l = 0; l < k; ++l) {
      in.ratio[l][k] = exp_in_range(-log_of(size[k] / size[l], p));
      in.fall[l][k] = -expm1(-(logit * exact(r[l] - r[k])));
    }
    if (k > 0) others += in.weight[k] * (1 - in.ratio[k - 1][k]);
  }
  if (name == "log_partition") return logit + log1p(others);
  if (name == "inner_products" && b <= in.tied) return exact(1);
  require(name != "angle_ratio" || in.tied < L, "every pair is tied: angle_ratio is undefined");
  const Interval inverse_d = exp_in_range(-log_of(d, p));
  in.unit = exact(1);
  in.alpha = exact(alpha);
  in.root_q = sqrt(exact(q));
  in.s = in.alpha * in.root_q;
  in.freedom = 1 - inverse_d;
  in.beta_d = logit * inverse_d;
  in.beta2_d = logit * in.beta_d;
  const Layer<Interval> layer(std::move(in));
  if (name == "entropy") return log1p(others) + logit * layer.missing;
  return layer.quantity(name, b);
}

}  // namespace

void check_value(const std::string& theorem, const json& claim, const json& evidence) {
  require_keys(claim, {"inputs", "quantity", "lo", "hi"}, "the claim");
  require(evidence == json{{"method", "evaluation"}}, "the evidence is not the evaluation");
  const json& inputs = claim.at("inputs");
  const std::string quantity = text(claim, "quantity");
  require(theorem == theorem_of(text(inputs, "geometry"), quantity),
          fmt::format("theorem {} does not speak of {}", theorem, quantity));
  const auto [name, index] = parse_subscripted(quantity);
  const std::size_t band = index ? *index + 1 : 0;
  check_inside([&](Bits p) { return value_at(inputs, name, band, p); }, claim, quantity);
}

}  // namespace critscale::checker
