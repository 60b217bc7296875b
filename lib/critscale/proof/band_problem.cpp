// Tail problems on three bands {self; n^theta at r; n at rho} (theory §3.1; provers/THEORY-proofs.md §4).
// Uses tail.hpp, band_tail.hpp and exponents.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/proof/band_tail.hpp"
#include "critscale/proof/exponents.hpp"
#include "critscale/proof/tail.hpp"

namespace critscale {
namespace {

enum class Phase { far, near, self };
constexpr std::array phase_names = {"far", "near", "self"};

Phase phase_by_name(const std::string& name) {
  const auto found = std::find(phase_names.begin(), phase_names.end(), name);
  if (found == phase_names.end())
    throw InputError(fmt::format("phase {} is not far, near or self", in_quotes(name)));
  return static_cast<Phase>(found - phase_names.begin());
}

template <class T>
T quantity(const BandTail<T>& layer, const std::string& name) {
  if (name == "self_weight") return layer.self_weight();
  if (name == "band_masses[0]") return layer.near_mass();
  if (name == "band_masses[1]") return layer.far_mass();
  if (name == "inner_products[0]") return layer.near_inner_product();
  if (name == "inner_products[1]") return layer.far_inner_product();
  if (name == "angle_ratio") return layer.angle_ratio();
  throw InputError(
      fmt::format("no tail claim about {} on three bands: self_weight, band_masses[0..1], log_partition, "
                  "inner_products[0..1] or angle_ratio",
                  in_quotes(name)));
}

RationalBox product(const RationalBox& a, const RationalBox& b) {
  const auto ends = std::minmax(
      {Rational(a.lo * b.lo), Rational(a.lo * b.hi), Rational(a.hi * b.lo), Rational(a.hi * b.hi)});
  return {ends.first, ends.second};
}
RationalBox difference_of(const RationalBox& a, const RationalBox& b) { return {a.lo - b.hi, a.hi - b.lo}; }
RationalBox sum(const RationalBox& a, const RationalBox& b) { return {a.lo + b.lo, a.hi + b.hi}; }

/// The two exponent gaps of a phase and how gamma follows from each of them:
/// gamma = numerator/denominator, by the first gap and by the second.
struct GammaEquation {
  RationalBox numerator[2], denominator[2];
};

class BandProblem : public TailProblem {
 public:
  explicit BandProblem(const TailClaim& claim) : TailProblem(claim), phase_(phase_by_name(claim.phase)) {
    const RationalBox& gap = range("gap", 0, 1000);
    if (gap.lo == 0) throw InputError("gap must be positive");
    const RationalBox& theta = range("theta", 0, 1);
    const RationalBox& r = range("r", 0, 1);
    const RationalBox& rho = range("rho", 0, 1);
    if (theta.lo == 0 || theta.hi == 1 || rho.lo == 0 || r.hi == 1 || rho.hi >= r.lo)
      throw InputError("three bands need 0 < theta < 1 and 0 < rho < r < 1 throughout the box");
    // gamma >= 0 keeps a gap below what it is at gamma = 0.
    RationalBox first = gap, second = gap;
    if (phase_ == Phase::far) {
      first.hi = std::min(gap.hi, Rational(1 - theta.lo));
      second.hi = std::min(gap.hi, Rational(1));
    }
    if (phase_ == Phase::near) second.hi = std::min(gap.hi, theta.hi);
    if (first.lo > first.hi || second.lo > second.hi)
      throw InputError(
          fmt::format("no gamma has exponent gaps in {} in the {} phase", to_string(gap), claim.phase));
    add_coordinate("gap1", first);
    add_coordinate("gap2", second);
    add_coordinate("theta", theta);
    add_coordinate("r", r);
    add_coordinate("rho", rho);
    add_layer_coordinates();
    rate_ = rate(claim.k);
    // gamma (r-rho) and gamma (1-rho), or gamma (1-r), as forms in the coordinates.
    if (phase_ == Phase::far) nonnegative_ = {{1, {{1, -1}, {3, -1}}}, {1, {{2, -1}}}};
    if (phase_ == Phase::near) nonnegative_ = {{0, {{3, 1}, {2, -1}}}};
    if (claim.quantity != "log_partition")
      limit_at({{"r", Rational(1, 2)}, {"rho", Rational(1, 3)}, {"alpha", 0}, {"root_q", 1}, {"d", 2}});
  }

  std::optional<Difference<Ball>> difference(const Box& leaf, const LogRange& tau) const override {
    using D = Difference<Ball>;
    const GammaEquation gamma = gamma_equation(leaf);
    const RationalBox left = product(gamma.numerator[0], gamma.denominator[1]);
    const RationalBox right = product(gamma.numerator[1], gamma.denominator[0]);
    if (left.hi < right.lo || right.hi < left.lo) return std::nullopt;

    const Bits bits = tau.lo.precision();
    const auto ball = [&](const RationalBox& r) { return Ball::hull(r.lo, r.hi, bits); };
    const Vanishing vanishing(rate_, claim_.p, leaf, tau, nonnegative_);
    const RationalBox whole{1, 1};
    const D one{Ball(1)}, first = vanishing({0, {{1, 1}}}), second = vanishing({0, {{2, 1}}});
    BandTailInputs<D> in;
    in.u = vanishing({1, {}});
    in.near1 = vanishing({0, {{3, 1}}});
    in.far1 = vanishing({1, {{3, -1}}});
    in.w0 = phase_ == Phase::self ? one : second;
    in.w1 = phase_ == Phase::near ? one : first;
    in.w2 = phase_ == Phase::far ? one : phase_ == Phase::near ? first : second;
    in.r = D(ball(leaf[4]));
    in.rho = D(ball(leaf[5]));
    in.depth1 = D(ball(difference_of(whole, leaf[4])));
    in.depth2 = D(ball(difference_of(whole, leaf[5])));
    in.drop = D(ball(difference_of(leaf[4], leaf[5])));
    in.sigma = D(residual_share(leaf[6], true, bits));
    in.residual = D(residual_share(leaf[6], false, bits));
    const BandTail<D> layer(std::move(in));
    if (claim_.quantity == "log_partition") return log1p(layer.total() - 1);
    return quantity(layer, claim_.quantity);
  }

  std::optional<SamplePoint> sample(const std::vector<Rational>& unit) const override {
    const Rational theta = at(box_[3], unit[3]), r = at(box_[4], unit[4]), rho = at(box_[5], unit[5]);
    const Rational& m = box_[1].lo;
    // The range of gamma on which both gaps are at least m.
    const Rational by_near_far[2] = {(1 - theta - m) / (r - rho), (1 - theta + m) / (r - rho)};
    const Rational by_self_near[2] = {(theta - m) / (1 - r), (theta + m) / (1 - r)};
    const Rational by_self_far[2] = {(1 - m) / (1 - rho), (1 + m) / (1 - rho)};
    Rational lo = 0, hi;
    if (phase_ == Phase::far) hi = std::min(by_near_far[0], by_self_far[0]);
    if (phase_ == Phase::near) lo = by_near_far[1], hi = by_self_near[0];
    if (phase_ == Phase::self) lo = std::max(by_self_near[1], by_self_far[1]), hi = 3 * lo;
    if (lo > hi) return std::nullopt;
    const Rational gamma = lo + unit[1] * (hi - lo);
    const Rational self = gamma, near = theta + gamma * r, far = 1 + gamma * rho;
    Rational first, second;
    if (phase_ == Phase::far) first = far - near, second = far - self;
    if (phase_ == Phase::near) first = near - far, second = near - self;
    if (phase_ == Phase::self) first = self - near, second = self - far;
    if (first < m || second < m || first > box_[1].hi || second > box_[2].hi) return std::nullopt;
    SamplePoint point = layer_point(unit, 6);
    point.box.insert(
        point.box.begin(),
        {{unit[0], unit[0]}, {first, first}, {second, second}, {theta, theta}, {r, r}, {rho, rho}});
    point.parameters.insert(point.parameters.begin(),
                            {{"theta", theta}, {"r", r}, {"rho", rho}, {"gamma", gamma}});
    return point;
  }

  Rational limit_at(const std::map<std::string, Rational>& at) const override {
    BandTailInputs<Rational> in;
    in.w0 = phase_ == Phase::self ? 1 : 0;
    in.w1 = phase_ == Phase::near ? 1 : 0;
    in.w2 = phase_ == Phase::far ? 1 : 0;
    in.r = at.at("r");
    in.rho = at.at("rho");
    in.depth1 = 1 - in.r;
    in.depth2 = 1 - in.rho;
    in.drop = in.r - in.rho;
    in.sigma = 1 / (1 + at.at("alpha") * at.at("root_q"));
    in.residual = 1 - in.sigma;
    return quantity(BandTail<Rational>(std::move(in)), claim_.quantity);
  }

 private:
  GammaEquation gamma_equation(const Box& leaf) const {
    const RationalBox whole{1, 1}, &first = leaf[1], &second = leaf[2], &theta = leaf[3];
    const RationalBox self_near = difference_of(whole, leaf[4]), near_far = difference_of(leaf[4], leaf[5]),
                      self_far = difference_of(whole, leaf[5]);
    const RationalBox outside = difference_of(whole, theta);
    if (phase_ == Phase::far)
      return {{difference_of(outside, first), difference_of(whole, second)}, {near_far, self_far}};
    if (phase_ == Phase::near)
      return {{sum(outside, first), difference_of(theta, second)}, {near_far, self_near}};
    return {{sum(theta, first), sum(whole, second)}, {self_near, self_far}};
  }
  Rate rate(std::string k) const {
    constexpr std::array names = {"1-theta-gamma*(r-rho),1-gamma*(1-rho)",
                                  "gamma*(r-rho)-1+theta,theta-gamma*(1-r)",
                                  "gamma*(1-r)-theta,gamma*(1-rho)-1"};
    const std::string gaps = names[static_cast<std::size_t>(phase_)];
    const LinearForm first{0, {{1, 1}}}, second{0, {{2, 1}}}, outside{1, {{3, -1}}};
    if (k == "min(" + gaps + ")") return {first, second};
    if (k == "min(" + gaps + ",1-theta)") return {first, second, outside};
    return {LinearForm{parse_rational(k), {}}};
  }

  Phase phase_;
};

}  // namespace

std::unique_ptr<TailProblem> make_band_problem(const TailClaim& claim) {
  return std::make_unique<BandProblem>(claim);
}

}  // namespace critscale
