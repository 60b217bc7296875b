// Value claims: a quantity at exact parameters and one n lies in [lo, hi] ([layer]), by the formulas of
// layer.hpp at rising precision. Uses layer.hpp, tree.hpp and interval_sizes.hpp.
#include "critscale/checker/detail/layer.hpp"
#include "critscale/checker/detail/tree.hpp"
#include "critscale/text/detail/interval_sizes.hpp"

namespace critscale::checker {
namespace {

/// The longest number of a claim's inputs, in characters.
constexpr std::size_t longest_input = 4096;

/// The inputs of a value claim, exactly: clusters of size[k] tokens with inner products r[k], the token
/// itself first ([bands]; the simplex has one cluster more).
struct Inputs {
  PowerProduct n, d;
  Rational alpha, q;
  BetaSpec beta;
  std::vector<PowerProduct> size{PowerProduct(1)};
  std::vector<Rational> r{1};
  std::size_t tied = 0;  ///< how many of the inner bands have r = 1
  std::size_t L() const { return r.size() - 1; }
};

Inputs read_inputs(const json& inputs) {
  std::vector<std::string> keys{"geometry"};
  const auto read = [&](const std::string& key) {
    keys.push_back(key);
    const std::string v = text(inputs, key);
    require(v.size() <= longest_input, fmt::format("{} has more than {} characters", key, longest_input));
    return v;
  };
  Inputs in;
  in.n = parse_context_length(read("n"));
  in.d = parse_power_product(read("d"));
  const auto read_small = [&](const std::string& key) {
    read(key);
    return small_number(inputs, key);
  };
  in.alpha = read_small("alpha");
  in.q = read_small("q");
  const bool analytic = inputs.contains("analytic"), simplex = text(inputs, "geometry") == "simplex";
  require(!analytic || read("analytic") == "true", "analytic is not true");
  require(simplex || text(inputs, "geometry") == "bands", "the geometry is neither simplex nor bands");
  in.beta =
      inputs.contains("beta") ? parse_beta(read("beta")) : BetaSpec{parse_rational(read("gamma")), 1, 0};
  do {
    const std::string band = simplex ? "" : fmt::format("band[{}].", in.L());
    in.r.push_back(read_small(simplex ? "rho" : band + "r"));
    in.size.push_back(simplex ? in.n : parse_power_product(read(band + "size")));
    const std::size_t k = in.L();
    require(0 <= in.r[k] && in.r[k] <= in.r[k - 1], "inner products must fall from 1 to 0");
    require(certainly_less(in.size[k - 1], in.size[k]) &&
                (analytic || (in.size[k] / in.size[k - 1]).is_integer()),
            "sizes must increase, and divide each other unless the formulas are continued");
    if (in.r[k] == 1) in.tied = k;
  } while (inputs.contains(fmt::format("band[{}].r", in.L())));
  require_keys(inputs, keys, "the inputs");
  require(in.size[in.L()] == in.n, "the last band does not have n members");
  require(in.alpha >= 0 && in.q > 0 && in.beta.coefficient >= 0, "alpha, gamma >= 0 and q > 0 are needed");
  // The rank of the Gram matrix: exact copies of a token count once.
  const PowerProduct rank = in.tied == in.L() ? PowerProduct(1) : in.n / in.size[in.tied];
  require(!certainly_less(in.d, rank) && (analytic || in.d.is_integer()),
          "d is not an integer from the rank of the Gram matrix on");
  return in;
}

/// What the layer is made of at a precision, and what depends on beta alone.
struct Terms {
  LayerInputs<Interval> layer;
  Interval logit;   ///< beta
  Interval others;  ///< what the other keys weigh in units of the token's own weight
};

/// [layer], [bands].
Terms terms_at(const Inputs& given, Bits p) {
  const auto exact = [p](const Rational& v) { return Interval(v, p); };
  const std::size_t L = given.L();
  const Interval t = log_of(given.n, p);
  // beta = proportional ln n + rest, the first part exact in every exponent of n.
  const Rational proportional = given.beta.power == 1 ? given.beta.coefficient : Rational(0);
  const Interval growing =
      exact(given.beta.coefficient - proportional) * exp_in_range(exact(given.beta.power) * log(t));
  const Interval rest = growing + exact(given.beta.offset);
  Terms terms{{}, exact(proportional) * t + rest, exact(0)};
  require(certainly(terms.logit.is_nonnegative()), "beta may be negative");
  LayerInputs<Interval>& in = terms.layer;
  in.tied = given.tied;
  in.ratio = in.fall = std::vector(L + 1, std::vector(L + 1, exact(0)));
  for (std::size_t k = 0; k <= L; ++k) {
    const Rational depth = 1 - given.r[k];
    in.r.push_back(exact(given.r[k]));
    in.depth.push_back(exact(depth));
    in.weight.push_back(
        exp_in_range(log_of(given.size[k] * pow(given.n, -proportional * depth), p) - rest * exact(depth)));
    for (std::size_t l = 0; l < k; ++l) {
      in.ratio[l][k] = exp_in_range(-log_of(given.size[k] / given.size[l], p));
      in.fall[l][k] = -expm1(-(terms.logit * exact(given.r[l] - given.r[k])));
    }
    if (k > 0) terms.others += in.weight[k] * (1 - in.ratio[k - 1][k]);
  }
  const Interval inverse_d = exp_in_range(-log_of(given.d, p));
  in.unit = exact(1);
  in.alpha = exact(given.alpha);
  in.root_q = sqrt(exact(given.q));
  const Interval s = in.alpha * in.root_q;
  in.sigma = 1 / (1 + s);
  in.residual = refine(1 - in.sigma, s * in.sigma);
  in.freedom = 1 - inverse_d;
  in.beta_d = terms.logit * inverse_d;
  in.beta2_d = terms.logit * in.beta_d;
  return terms;
}

/// The quantity, of band b where it has one (from 1).
Interval value_at(const Inputs& inputs, const std::string& name, std::size_t b, Bits p) {
  Terms terms = terms_at(inputs, p);
  if (name == "log_partition") return terms.logit + log1p(terms.others);
  if (name == "inner_products" && b <= inputs.tied) return Interval(1, p);
  const Layer<Interval> layer(std::move(terms.layer));
  if (name == "entropy") return log1p(terms.others) + terms.logit * layer.unseen[0];
  return layer.quantity(name, b);
}

}  // namespace

void check_value(const std::string& theorem, const json& claim, const json& evidence) {
  require_keys(claim, {"inputs", "quantity", "lo", "hi"}, "the claim");
  require(evidence == json{{"method", "evaluation"}}, "the evidence is not the evaluation");
  const std::string quantity = text(claim, "quantity");
  require(theorem == theorem_of(text(claim.at("inputs"), "geometry"), quantity),
          fmt::format("theorem {} does not speak of {}", theorem, quantity));
  const Inputs inputs = read_inputs(claim.at("inputs"));
  const auto [name, index] = parse_subscripted(quantity);
  const std::size_t band = index ? *index + 1 : 0;
  const bool banded = name == "band_weights" || name == "band_masses" || name == "inner_products";
  require(banded ? band > 0 && band <= inputs.L() : !index, name + " names no band of this geometry");
  require(name != "angle_ratio" || inputs.tied < inputs.L(), "every pair is tied: angle_ratio is undefined");
  check_inside([&, &name = name](Bits p) { return value_at(inputs, name, band, p); }, claim, quantity);
}

}  // namespace critscale::checker
