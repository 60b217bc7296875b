// Value claims: a quantity at exact parameters and one n lies in [lo, hi] (theory §1-§3), by the formulas of
// layer.hpp at rising precision. Uses layer.hpp and pieces.hpp.
#include "critscale/checker/layer.hpp"
#include "critscale/checker/pieces.hpp"

namespace critscale::checker {
namespace {

class Value {
 public:
  explicit Value(const json& inputs) {
    std::vector<std::string> keys{"geometry", "n", "alpha", "q", "d"};
    const std::string geometry = text(inputs, "geometry");
    const auto read = [&](const std::string& key) {
      keys.push_back(key);
      return text(inputs, key);
    };
    require(geometry == "simplex" || geometry == "bands", "the geometry is neither simplex nor bands");
    n = parse_context_length(text(inputs, "n"));
    analytic = inputs.contains("analytic");
    require(!analytic || read("analytic") == "true", "analytic is not true");
    if (geometry == "simplex") add(parse_rational(read("rho")), n);
    for (std::size_t b = 0; geometry == "bands" && (b == 0 || inputs.contains(fmt::format("band[{}].r", b)));
         ++b)
      add(parse_rational(read(fmt::format("band[{}].r", b))),
          parse_power_product(read(fmt::format("band[{}].size", b))));
    beta = inputs.contains("beta") ? parse_beta(read("beta")) : BetaSpec{parse_rational(read("gamma")), 1, 0};
    require_keys(inputs, keys, "the inputs");
    alpha = number(inputs, "alpha");
    q = number(inputs, "q");
    d = parse_power_product(text(inputs, "d"));
    require(size.back() == n, "the last band does not have n members");
    require(alpha >= 0 && q > 0 && beta.coefficient >= 0, "alpha, gamma >= 0 and q > 0 are needed");
    // The rank of the Gram matrix: exact copies of a token count once.
    require(
        !certainly_less(d, tied == L() ? PowerProduct(1) : n / size[tied]) && (analytic || d.is_integer()),
        "d is not an integer from the rank of the Gram matrix on");
  }

  std::size_t L() const { return r.size() - 1; }

  Interval at(Bits p, const std::string& name, std::size_t b) const {
    const auto exact = [p](const Rational& v) { return Interval(v, p); };
    const Interval t = log_of(n, p);
    // beta = proportional ln n + rest, the first part exact in every exponent of n.
    const Rational proportional = beta.power == 1 ? beta.coefficient : Rational(0);
    const Interval growing =
        beta.power == 1 ? exact(0) : exact(beta.coefficient) * exp_in_range(exact(beta.power) * log(t));
    const Interval rest = growing + exact(beta.offset), logit = exact(proportional) * t + rest;
    require(certainly(logit.is_nonnegative()), "beta may be negative");
    LayerInputs<Interval> in;
    in.ratio = in.fall = std::vector(L() + 1, std::vector(L() + 1, exact(0)));
    Interval others = exact(0);
    for (std::size_t k = 0; k <= L(); ++k) {
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
    const Interval inverse_d = exp_in_range(-log_of(d, p)), s = exact(alpha) * sqrt(exact(q));
    in.tied = tied;
    in.unit = exact(1);
    in.sigma = 1 / (1 + s);
    in.residual = s / (1 + s);
    in.alpha = exact(alpha);
    in.root_q = sqrt(exact(q));
    in.freedom = 1 - inverse_d;
    in.beta_d = logit * inverse_d;
    in.beta2_d = logit * in.beta_d;
    const Layer<Interval> layer(std::move(in));
    if (name == "entropy") return log1p(others) + logit * layer.mean_depth();
    if (name == "inner_products" && b <= tied) return exact(1);
    require(name != "angle_ratio" || tied < L(), "every pair is tied: angle_ratio is undefined");
    return layer.quantity(name, b);
  }

 private:
  void add(const Rational& inner_product, const PowerProduct& members) {
    require(0 <= inner_product && inner_product <= r.back(), "inner products must fall from 1 to 0");
    require(certainly_less(size.back(), members) && (analytic || (members / size.back()).is_integer()),
            "sizes must increase, and divide each other unless the formulas are continued");
    r.push_back(inner_product);
    size.push_back(members);
    if (inner_product == 1) tied = r.size() - 1;
  }

  std::vector<Rational> r{1};
  std::vector<PowerProduct> size{PowerProduct(1)};
  std::size_t tied = 0;
  PowerProduct n, d;
  BetaSpec beta;
  Rational alpha, q;
  bool analytic = false;
};

}  // namespace

void check_value(const std::string& theorem, const json& claim, const json& evidence) {
  require_keys(claim, {"inputs", "quantity", "lo", "hi"}, "the claim");
  require_keys(evidence, {"method"}, "the evidence");
  require(text(evidence, "method") == "evaluation", "the method of the evidence is not evaluation");
  const json& inputs = claim.at("inputs");
  const std::string quantity = text(claim, "quantity"), lo = text(claim, "lo"), hi = text(claim, "hi");
  require(theorem == theorem_of(text(inputs, "geometry"), quantity),
          fmt::format("theorem {} does not speak of {}", theorem, quantity));
  const auto [name, band] = split_index(quantity);
  const Value value(inputs);
  const bool banded = name == "band_weights" || name == "band_masses" || name == "inner_products";
  require(banded ? band > 0 && band <= value.L() : band == 0,
          fmt::format("{} names no band of this geometry", quantity));
  // As many bits as the digits of the ends may need.
  const Bits enough = std::min<Bits>(1 << 17, static_cast<Bits>(2048 + 8 * (lo.size() + hi.size())));
  for (Bits p = 128; p <= enough; p *= 2) {
    const Interval v = value.at(p, name, band);
    const Truth inside = greater_equal(v, parse_interval(lo, p)) & less_equal(v, parse_interval(hi, p));
    if (certainly(inside)) return;
    require(possibly(inside), fmt::format("{} is not in [lo, hi]", quantity));
  }
  throw Rejected(fmt::format("whether {} is in [lo, hi] is not decided with {} bits", quantity, enough));
}

}  // namespace critscale::checker
