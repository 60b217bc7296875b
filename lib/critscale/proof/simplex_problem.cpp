// Tail problems on the simplex ([simplex-limits]; [simplex-tails]). Uses tail.hpp,
// simplex_tail.hpp and exponents.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/proof/detail/simplex_tail.hpp"
#include "critscale/proof/exponents.hpp"
#include "critscale/proof/tail.hpp"

namespace critscale {
namespace {

enum class Phase { subcritical, critical, supercritical };
constexpr std::array phase_names = {"subcritical", "critical", "supercritical"};

Phase phase_by_name(const std::string& name) {
  const auto found = std::find(phase_names.begin(), phase_names.end(), name);
  if (found == phase_names.end())
    throw InputError(fmt::format("phase {} is not subcritical, critical or supercritical", in_quotes(name)));
  return static_cast<Phase>(found - phase_names.begin());
}

template <class T>
T quantity(const SimplexTail<T>& layer, const std::string& name) {
  if (name == "self_weight") return layer.self_weight();
  if (name == "band_masses[0]") return layer.band_mass();
  if (name == "inner_products[0]") return layer.inner_product();
  if (name == "angle_ratio") return layer.angle_ratio();
  if (name == "jacobian_norm") return layer.jacobian_norm();
  throw InputError(
      fmt::format("no tail claim about {} on a simplex: self_weight, band_masses[0], log_partition, "
                  "inner_products[0], angle_ratio or jacobian_norm",
                  in_quotes(name)));
}

class SimplexProblem : public TailProblem {
 public:
  explicit SimplexProblem(const TailClaim& claim) : TailProblem(claim), phase_(phase_by_name(claim.phase)) {
    // The formulas of a phase hold up to the threshold, where n^-k is 1.
    const RationalBox& g = range("gamma_ratio", 0, 1000);
    const bool inside = phase_ == Phase::subcritical ? g.hi <= 1 && g.lo < 1
                        : phase_ == Phase::critical  ? g.lo == 1 && g.hi == 1
                                                     : g.lo >= 1 && g.hi > 1;
    if (!inside)
      throw InputError(fmt::format("gamma_ratio = {} is not {} throughout", to_string(g),
                                   phase_names[std::size_t(phase_)]));
    if (is_jacobian() && is_open("gamma_ratio"))
      throw InputError("gamma_ratio must have an upper end where jacobian_norm is bounded");
    add_coordinate("gamma_ratio", g, is_open("gamma_ratio"));
    // The ends 0 and 1 stand for what comes arbitrarily near: the claim is about 0 < rho < 1.
    const RationalBox& rho = range("rho", 0, 1);
    if (rho.hi == 0 || rho.lo == 1)
      throw InputError(fmt::format("rho = {} is not inside the open interval (0, 1)", to_string(rho)));
    add_coordinate("rho", rho);
    add_layer_coordinates();
    rate_ = rate(claim.k);
    if (is_turning_below())
      require_factor({"1/rho"});
    else
      require_factor({});
    if (claim.quantity != "log_partition")
      limit_at({{"rho", Rational(1, 2)}, {"alpha", 0}, {"root_q", 1}, {"d", 2}});
  }

  std::optional<Difference<Ball>> difference(const Box& leaf, const LogRange& tau) const override {
    using D = Difference<Ball>;
    const Bits bits = tau.lo.precision();
    const auto ball = [&](std::size_t i) { return Ball::hull(leaf[i].lo, leaf[i].hi, bits); };
    const std::vector<bool> open = unbounded_in(leaf, box_, open_);
    const Vanishing vanishing(rate_, claim_.p, leaf, tau, nonnegative_, open);
    const LinearForm one{1, {}}, below{1, {0, -1}}, above{-1, {0, 1}};
    const Ball rho = ball(2);
    const D constant_one{Ball(1)};
    SimplexTailInputs<D> in;
    in.u = vanishing(one);
    in.w0 = phase_ == Phase::subcritical ? vanishing(below) : constant_one;
    in.w1 = phase_ == Phase::supercritical ? vanishing(above) : constant_one;
    in.rho = D(rho);
    const Ball delta = Ball::hull(1 - leaf[2].hi, 1 - leaf[2].lo, bits);
    in.delta = D(delta);
    if (!is_jacobian()) {
      in.sigma = D(residual_share(leaf[3], open[3], true, bits));
      in.residual = D(residual_share(leaf[3], open[3], false, bits));
    } else {
      const Ball alpha = ball(3), root_q = sqrt(ball(4));
      in.sigma = D(Ball(1, bits));  // not used: the layer with s = 0
      in.residual = D(Ball(0, bits));
      in.alpha = D(alpha);
      in.root_q = D(root_q);
      const Ball g = ball(1), ratio = ball(5);
      in.one_minus_inverse_d = D(1 - ratio * in.u.value);
      in.beta_delta_over_d = D(g * ratio) * vanishing(one, 1);
      in.beta_delta_2_over_d = D(sqr(g) * ratio) * vanishing(one, 2);
    }
    const SimplexTail<D> layer(std::move(in));
    if (claim_.quantity == "log_partition") return log_partition_rest(layer);
    D d = quantity(layer, claim_.quantity);
    if (!is_turning_below()) return d;
    Ball most = layer.angle_ratio_over_rho() * (claim_.quantity == "angle_ratio" ? Ball(1) : delta);
    if (!claim_.factor.empty())
      d.scaled *= rho;
    else if (leaf[2].lo > 0)
      most /= rho;
    else
      return d;
    d.scaled = narrower(d.scaled, hull(-most, most));
    return d;
  }

  std::optional<SamplePoint> sample(const std::vector<Rational>& unit) const override {
    const Rational g = at(box_[1], unit[1]), rho = at(box_[2], unit[2]);
    if (rho == 0 || rho == 1) return std::nullopt;
    SamplePoint point = layer_point(unit, 3);
    point.box.insert(point.box.begin(), {{unit[0], unit[0]}, {g, g}, {rho, rho}});
    point.parameters.insert(point.parameters.begin(), {{"rho", rho}, {"gamma", g / (1 - rho)}});
    return point;
  }

  Rational limit_at(const std::map<std::string, Rational>& at) const override {
    SimplexTailInputs<Rational> in;
    in.u = 0;
    in.w0 = phase_ == Phase::subcritical ? 0 : 1;
    in.w1 = phase_ == Phase::supercritical ? 0 : 1;
    in.rho = at.at("rho");
    in.delta = 1 - in.rho;
    in.alpha = at.at("alpha");
    in.root_q = at.at("root_q");
    in.sigma = 1 / (1 + in.alpha * in.root_q);
    in.residual = 1 - in.sigma;
    in.one_minus_inverse_d = 1 - 1 / at.at("d");
    return quantity(SimplexTail<Rational>(std::move(in)), claim_.quantity);
  }

 private:
  bool is_turning_below() const {
    return phase_ == Phase::subcritical &&
           (claim_.quantity == "angle_ratio" || claim_.quantity == "inner_products[0]");
  }
  /// ln Z less its leading term: (1 + gamma rho) ln n, gamma ln n + ln 2, gamma ln n.
  Difference<Ball> log_partition_rest(const SimplexTail<Difference<Ball>>& layer) const {
    if (phase_ == Phase::critical) return log1p(Difference<Ball>(Ball(1) / 2) * (layer.total() - 2));
    return log1p(layer.total() - 1);
  }
  Rate rate(const std::string& k) const {
    const LinearForm one{1, {}}, below{1, {0, -1}}, above{-1, {0, 1}};
    if (k == "1-gamma*(1-rho)") return {below};
    if (k == "gamma*(1-rho)-1") return {above};
    if (k == "min(gamma*(1-rho)-1,1)") return {above, one};
    return {LinearForm{parse_rational(k), {}}};
  }

  Phase phase_;
};

}  // namespace

std::unique_ptr<TailProblem> make_simplex_problem(const TailClaim& claim) {
  return std::make_unique<SimplexProblem>(claim);
}

}  // namespace critscale
