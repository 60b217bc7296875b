// Tail problems on three bands {self; n^theta at r; n at rho} ([phases]; [band-tails]).
// Uses tail.hpp, band_tail.hpp and exponents.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/proof/detail/band_tail.hpp"
#include "critscale/proof/exponents.hpp"
#include "critscale/proof/tail.hpp"

namespace critscale {
namespace {

/// Where one band has all mass, and the boundaries where two share it.
enum class Phase { far, near, self, far_near, near_self };
constexpr std::array phase_names = {"far", "near", "self", "far-near", "near-self"};

Phase phase_by_name(const std::string& name) {
  const auto found = std::find(phase_names.begin(), phase_names.end(), name);
  if (found == phase_names.end())
    throw InputError(
        fmt::format("phase {} is not far, near or self, nor far-near or near-self", in_quotes(name)));
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
  if (name == "jacobian_norm") return layer.jacobian_norm();
  throw InputError(
      fmt::format("no tail claim about {} on three bands: self_weight, band_masses[0..1], log_partition, "
                  "inner_products[0..1], angle_ratio or jacobian_norm",
                  in_quotes(name)));
}

class BandProblem : public TailProblem {
 public:
  explicit BandProblem(const TailClaim& claim) : TailProblem(claim), phase_(phase_by_name(claim.phase)) {
    const RationalBox& gap = range("gap", 0, 1000);
    const bool open = is_open("gap");
    if (gap.lo == 0) throw InputError("gap must be positive");
    if (is_jacobian() && open) throw InputError("gap must have an upper end where jacobian_norm is bounded");
    const RationalBox& theta = range("theta", 0, 1);
    const RationalBox& r = range("r", 0, 1);
    const RationalBox& rho = range("rho", 0, 1);
    const bool tied = r.hi == 1;
    if (theta.lo == 0 || theta.hi == 1 || rho.lo == 0 || rho.hi >= r.lo)
      throw InputError("three bands need 0 < theta < 1 and 0 < rho < r <= 1 throughout the box");
    if (tied && (phase_ == Phase::self || phase_ == Phase::near_self))
      throw InputError("where r = 1 the token itself never has mass");
    if (tied && claim.quantity == "angle_ratio")
      throw InputError("angle_ratio leaves out pairs with inner product 1: r must stay below 1");
    // gamma >= 0 keeps a gap below what it is at gamma = 0.
    RationalBox first = gap, second = gap;
    bool open_first = open, open_second = open;
    const auto at_most = [](RationalBox& range, bool& unbounded, const Rational& most) {
      if (unbounded || most < range.hi) range.hi = most;
      unbounded = false;
    };
    if (phase_ == Phase::far) {
      at_most(first, open_first, 1 - theta.lo);
      at_most(second, open_second, 1);
    }
    if (phase_ == Phase::near || phase_ == Phase::far_near) at_most(second, open_second, theta.hi);
    // Two bands tie where a gap of the near phase is 0.
    if (phase_ == Phase::far_near) first = {0, 0}, open_first = false;
    if (phase_ == Phase::near_self) second = {0, 0}, open_second = false;
    if (first.lo > first.hi || second.lo > second.hi)
      throw InputError(
          fmt::format("no gamma has exponent gaps in {} in the {} phase", to_string(gap), claim.phase));
    add_coordinate("gap1", first, open_first);
    add_coordinate("gap2", second, open_second);
    add_coordinate("theta", theta);
    add_coordinate("r", r);
    add_coordinate("rho", rho);
    add_layer_coordinates();
    rate_ = rate(claim.k);
    if (is_jacobian())
      require_factor({"(1+gamma)^2"});
    else
      require_factor({});
    // gamma (r-rho) and gamma (1-rho), or gamma (1-r), as forms in the coordinates.
    if (phase_ == Phase::far) nonnegative_ = {{1, {0, -1, 0, -1}}, {1, {0, 0, -1}}};
    if (near_gaps()) nonnegative_ = {{0, {0, 0, -1, 1}}};
    if (claim.quantity != "log_partition")
      limit_at({{"r", Rational(1, 2)}, {"rho", Rational(1, 3)}, {"alpha", 0}, {"root_q", 1}, {"d", 2}});
    if (claim.quantity == "log_partition" && is_tie())
      throw InputError("no claim about log_partition where two of three bands tie");
  }

  std::optional<Difference<Ball>> difference(const Box& whole_leaf, const LogRange& tau) const override {
    using D = Difference<Ball>;
    const auto contracted = contract(whole_leaf);
    if (!contracted) return std::nullopt;
    const auto& [leaf, gamma, open] = *contracted;
    const Bits bits = tau.lo.precision();
    const auto ball = [&](const RationalBox& r) { return Ball::hull(r.lo, r.hi, bits); };
    const Vanishing vanishing(rate_, claim_.p, leaf, tau, nonnegative_, open);
    const RationalBox whole{1, 1};
    static const LinearForm of_u{1, {}}, of_near1{0, {0, 0, 0, 1}}, of_far1{1, {0, 0, 0, -1}},
        of_first{0, {0, 1}}, of_second{0, {0, 0, 1}};
    const D one{Ball(1)}, first = vanishing(of_first), second = vanishing(of_second);
    BandTailInputs<D> in;
    in.u = vanishing(of_u);
    in.near1 = vanishing(of_near1);
    in.far1 = vanishing(of_far1);
    in.w0 = leads(0) ? one : second;
    in.w1 = leads(1) ? one : first;
    in.w2 = leads(2) ? one : phase_ == Phase::self ? second : first;
    in.r = D(ball(leaf[4]));
    in.rho = D(ball(leaf[5]));
    in.depth1 = D(ball(whole - leaf[4]));
    in.depth2 = D(ball(whole - leaf[5]));
    in.drop = D(ball(leaf[4] - leaf[5]));
    if (is_jacobian()) {
      const Ball per_d = ball(leaf[8]);
      const Ball g = ball({gamma.lo, gamma.hi.value()});
      in.sigma = D(Ball(1, bits));  // not used: the layer with s = 0
      in.residual = D(Ball(0, bits));
      in.alpha = D(ball(leaf[6]));
      in.root_q = D(sqrt(ball(leaf[7])));
      in.one_minus_inverse_d = D(1 - per_d * in.u.value);
      in.beta_over_d = D(g * per_d) * vanishing(of_u, 1);
      in.beta2_over_d = D(sqr(g) * per_d) * vanishing(of_u, 2);
    } else {
      in.sigma = D(residual_share(leaf[6], open[6], true, bits));
      in.residual = D(residual_share(leaf[6], open[6], false, bits));
    }
    const BandTail<D> layer(std::move(in));
    if (claim_.quantity == "log_partition") return log1p(layer.total() - 1);
    D d = quantity(layer, claim_.quantity);
    if (!claim_.factor.empty())
      d.scaled *= ball({1 / sqr(Rational(1 + gamma.hi.value())), 1 / sqr(Rational(1 + gamma.lo))});
    return d;
  }

  std::optional<SamplePoint> sample(const std::vector<Rational>& unit) const override {
    const Rational theta = at(box_[3], unit[3]), r = at(box_[4], unit[4]), rho = at(box_[5], unit[5]);
    const std::optional<RationalBox> range = gammas(theta, r, rho);
    if (!range) return std::nullopt;
    // The self phase has gammas far above its threshold; most of what matters is near it.
    const Rational along = phase_ == Phase::self ? Rational(unit[1] * unit[1] * unit[1]) : unit[1];
    return point(theta, r, rho, range->lo + along * (range->hi - range->lo), unit);
  }

  std::optional<SamplePoint> find() const override {
    long budget = 20000;
    const auto found = find_in(box_, budget);
    if (!found) return std::nullopt;
    const auto& [theta, r, rho] = *found;
    return point(theta, r, rho, gammas(theta, r, rho)->lo, std::vector<Rational>(sample_size(), 0));
  }

  Rational limit_at(const std::map<std::string, Rational>& at) const override {
    BandTailInputs<Rational> in;
    in.w0 = leads(0) ? 1 : 0;
    in.w1 = leads(1) ? 1 : 0;
    in.w2 = leads(2) ? 1 : 0;
    in.r = at.at("r");
    in.rho = at.at("rho");
    in.depth1 = 1 - in.r;
    in.depth2 = 1 - in.rho;
    in.drop = in.r - in.rho;
    in.sigma = 1 / (1 + at.at("alpha") * at.at("root_q"));
    in.residual = 1 - in.sigma;
    in.alpha = at.at("alpha");
    in.root_q = at.at("root_q");
    in.one_minus_inverse_d = 1 - 1 / at.at("d");
    return quantity(BandTail<Rational>(std::move(in)), claim_.quantity);
  }

 private:
  bool is_tie() const { return phase_ == Phase::far_near || phase_ == Phase::near_self; }
  /// The gammas with both exponent gaps in their ranges: each gap is base + slope gamma.
  std::optional<RationalBox> gammas(const Rational& theta, const Rational& r, const Rational& rho) const {
    const Rational outside = 1 - theta, depth1 = 1 - r, depth2 = 1 - rho, drop = r - rho;
    Rational base[2] = {-outside, theta}, slope[2] = {drop, -depth1};
    if (phase_ == Phase::far) base[0] = outside, base[1] = 1, slope[0] = -drop, slope[1] = -depth2;
    if (phase_ == Phase::self) base[0] = -theta, base[1] = -1, slope[0] = depth1, slope[1] = depth2;
    std::optional<RationalBox> all;
    for (std::size_t i = 0; i < 2; ++i) {
      const RationalBox& gap = box_[1 + i];
      if (slope[i] == 0) {  // exact ties
        if (base[i] < gap.lo || base[i] > gap.hi) return std::nullopt;
        continue;
      }
      RationalBox one{(gap.lo - base[i]) / slope[i], (gap.hi - base[i]) / slope[i]};
      if (slope[i] < 0) std::swap(one.lo, one.hi);
      all = all ? common(*all, one) : one;
    }
    if (!all) return std::nullopt;
    all->lo = std::max(all->lo, Rational(0));
    return is_empty(*all) ? std::nullopt : all;
  }
  SamplePoint point(const Rational& theta, const Rational& r, const Rational& rho, const Rational& gamma,
                    const std::vector<Rational>& unit) const {
    const Rational self = gamma, near = theta + gamma * r, far = 1 + gamma * rho;
    Rational first, second;
    if (phase_ == Phase::far) first = far - near, second = far - self;
    if (near_gaps()) first = near - far, second = near - self;
    if (phase_ == Phase::self) first = self - near, second = self - far;
    SamplePoint point = layer_point(unit, 6);
    point.box.insert(
        point.box.begin(),
        {{unit[0], unit[0]}, {first, first}, {second, second}, {theta, theta}, {r, r}, {rho, rho}});
    point.parameters.insert(point.parameters.begin(),
                            {{"theta", theta}, {"r", r}, {"rho", rho}, {"gamma", gamma}});
    return point;
  }
  /// Some theta, r, rho of a box that have a gamma: its corners and middle are tried, then its halves, but
  /// for those on which the gaps contradict each other.
  std::optional<std::array<Rational, 3>> find_in(const Box& box, long& budget) const {
    if (budget-- <= 0 || !contract(box)) return std::nullopt;
    for (int i = 0; i < 9; ++i) {
      std::array<Rational, 3> at;
      for (std::size_t c = 0; c < 3; ++c) {
        const RationalBox& range = box[3 + c];
        at[c] = i == 8 ? Rational((range.lo + range.hi) / 2) : (i >> c & 1) != 0 ? range.hi : range.lo;
      }
      if (gammas(at[0], at[1], at[2])) return at;
    }
    std::size_t widest = 3;
    for (std::size_t c = 4; c < 6; ++c)
      if (box[c].hi - box[c].lo > box[widest].hi - box[widest].lo) widest = c;
    if (box[widest].is_point()) return std::nullopt;
    const auto [lower, upper] = halves(box, widest);
    const auto found = find_in(lower, budget);
    return found ? found : find_in(upper, budget);
  }
  /// Whether band b (0 is the token itself) has mass in the limit.
  bool leads(int b) const {
    if (phase_ == Phase::far_near) return b > 0;
    if (phase_ == Phase::near_self) return b < 2;
    return b == (phase_ == Phase::self ? 0 : phase_ == Phase::near ? 1 : 2);
  }
  /// Whether the gaps are those of the near phase.
  bool near_gaps() const { return phase_ != Phase::far && phase_ != Phase::self; }
  /// The part of a leaf that can hold points of the claim, as far as the gaps tell, and the range of gamma
  /// there. Each gap is base + slope gamma.
  struct Part {
    Box leaf;
    Ray gamma;
    std::vector<bool> unbounded;  ///< which coordinates have no upper end on this leaf
  };
  std::optional<Part> contract(const Box& leaf) const {
    const RationalBox whole{1, 1}, &theta = leaf[3], outside = whole - theta;
    const RationalBox depth1 = whole - leaf[4], depth2 = whole - leaf[5], drop = leaf[4] - leaf[5];
    Box gaps{leaf[1], leaf[2]}, base{-outside, theta}, slope{drop, -depth1};  // of the near phase
    if (phase_ == Phase::far) base = {outside, whole}, slope = {-drop, -depth2};
    if (phase_ == Phase::self) base = {-theta, -whole}, slope = {depth1, depth2};
    Part part{leaf, {}, unbounded_in(leaf, box_, open_)};
    std::vector<bool> open{part.unbounded[1], part.unbounded[2]};
    const auto gamma = narrow_open(gaps, open, base, slope, 0);
    if (!gamma) return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i) part.leaf[1 + i] = gaps[i], part.unbounded[1 + i] = open[i];
    part.gamma = *gamma;
    return part;
  }
  Rate rate(std::string k) const {
    constexpr std::array names = {"1-theta-gamma*(r-rho),1-gamma*(1-rho)",
                                  "gamma*(r-rho)-1+theta,theta-gamma*(1-r)",
                                  "gamma*(1-r)-theta,gamma*(1-rho)-1"};
    if (is_tie()) return {LinearForm{parse_rational(k), {}}};
    const std::string gaps = names[static_cast<std::size_t>(phase_)];
    const LinearForm first{0, {0, 1}}, second{0, {0, 0, 1}}, outside{1, {0, 0, 0, -1}};
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
