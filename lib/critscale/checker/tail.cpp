// Tail claims: |Q - L| <= C n^-k (ln n)^p (provers/THEORY-proofs.md §5, §6).
#include <fmt/format.h>

#include <algorithm>

#include "critscale/checker/layers.hpp"
#include "critscale/checker/pieces.hpp"
#include "critscale/checker/scaled.hpp"
#include "critscale/number/roots.hpp"

namespace critscale::checker {
namespace {

/// An exponent of n: constant + sum of weights times coordinates, its range over a box.
struct Exponent {
  Rational constant;
  std::vector<Rational> weights;

  RationalBox over(const Box& box) const {
    RationalBox r{constant, constant};
    for (std::size_t i = 0; i < weights.size(); ++i) r = plus(r, times({weights[i], weights[i]}, box[i]));
    return r;
  }
  bool is_zero() const {
    return constant == 0 &&
           std::all_of(weights.begin(), weights.end(), [](const Rational& w) { return w == 0; });
  }
  friend Exponent operator-(Exponent a, const Exponent& b) {
    a.constant -= b.constant;
    a.weights.resize(std::max(a.weights.size(), b.weights.size()));
    for (std::size_t i = 0; i < b.weights.size(); ++i) a.weights[i] -= b.weights[i];
    return a;
  }
};

/// What a tail claim needs, whatever the geometry. Coordinate 0 is x = ln N/ln n.
class TailCheck {
 public:
  TailCheck(const json& claim) : quantity(text(claim, "quantity")), phase(text(claim, "phase")) {
    const json& box = member(claim, "box");
    N = number(claim, "N");
    C = number(claim, "C");
    p = integer(claim, "p");
    if (N < 2) throw Rejected("N is below 2");
    log_N = log(Interval(N, bits));
    add("x", {0, 1});
    jacobian = quantity == "jacobian_norm";
    const RationalBox alpha = range(box, "alpha"), q = range(box, "q");
    if (alpha.lo < 0 || q.lo <= 0) throw Rejected("alpha must be >= 0 and q > 0");
    if (!jacobian) layer = {{"s", {alpha.lo * sqrt_below(q.lo), alpha.hi * sqrt_above(q.hi)}}};
    if (jacobian) layer = {{"alpha", alpha}, {"q", q}, {"n/d", {0, 1}}};
  }

  void add(const std::string& name, const RationalBox& r) {
    coordinates.push_back(name);
    box.push_back(r);
  }
  void add_layer() {
    first_layer = box.size();
    for (const auto& [name, r] : layer) add(name, r);
  }
  /// ln n on a leaf.
  Interval log_n(const Box& leaf) const { return log_N / interval(leaf[0]); }
  /// The range of a form, cut at 0 where gamma >= 0 says that it is not negative.
  RationalBox excess_over(const Exponent& form, const Box& leaf) const {
    RationalBox r = form.over(leaf);
    for (const Exponent& known : nonnegative)
      if ((form - known).is_zero()) r = {std::max(r.lo, Rational(0)), std::max(r.hi, Rational(0))};
    return r;
  }
  /// n^-e (ln n)^j; e - min(k_1, k_2, ...) is the largest of the e - k_i.
  Scaled vanishing(const Exponent& e, long j, const Box& leaf, const Interval& t) const {
    RationalBox excess = excess_over(e - rates[0], leaf);
    for (const Exponent& rate : rates) {
      const RationalBox other = excess_over(e - rate, leaf);
      excess = {std::max(excess.lo, other.lo), std::max(excess.hi, other.hi)};
    }
    return {Interval(0, bits), power_log(interval(e.over(leaf)), j, t),
            power_log(interval(excess), j - p, t)};
  }
  /// Fills in 1/(1+s) and s/(1+s).
  template <class Masses>
  void fill_residual(Masses& m, const Box& leaf) const {
    const Interval sigma = 1 / (1 + interval(leaf[first_layer]));
    m.sigma = Scaled::constant(sigma);
    m.residual = Scaled::constant(1 - sigma);
  }
  /// Fills in what the Jacobian norm needs; beta delta = g ln n.
  void fill_jacobian(SimplexMasses<Scaled>& m, const Box& leaf, const Interval& t, const Interval& g) const {
    const Exponent one{1, {}};
    const Interval per_d = interval(leaf[first_layer + 2]);
    m.alpha = Scaled::constant(interval(leaf[first_layer]));
    m.root_q = Scaled::constant(sqrt(interval(leaf[first_layer + 1])));
    m.freedom = Scaled::constant(1 - per_d * vanishing(one, 0, leaf, t).value);
    m.beta_d = Scaled::constant(g * per_d) * vanishing(one, 1, leaf, t);
    m.beta2_d = Scaled::constant(sqr(g) * per_d) * vanishing(one, 2, leaf, t);
  }
  /// ln Z less its leading term: ln of a total weight with limit 1 or 2.
  static Interval log_rest(const Scaled& total) { return total.rest / hull(total.limit, total.value); }

  std::string quantity, phase;
  Rational N, C;
  long p = 0;
  bool jacobian = false;
  Interval log_N;
  std::vector<Exponent> rates, nonnegative;
  std::vector<std::string> coordinates;
  Box box;

 private:
  std::vector<std::pair<std::string, RationalBox>> layer;
  std::size_t first_layer = 0;
};

void check_simplex(const json& claim, const json& evidence) {
  require_keys(member(claim, "box"), {"rho", "gamma_ratio", "alpha", "q"}, "the box");
  TailCheck c(claim);
  const bool sub = c.phase == "subcritical", super = c.phase == "supercritical";
  const RationalBox g = range(member(claim, "box"), "gamma_ratio"), rho = range(member(claim, "box"), "rho");
  if (sub ? !(g.lo >= 0 && g.hi < 1) : super ? !(g.lo > 1) : !(g.lo == 1 && g.hi == 1))
    throw Rejected("gamma_ratio is not in the phase throughout");
  if (!(rho.lo > 0 && rho.hi < 1)) throw Rejected("rho is not inside (0, 1)");
  c.add("gamma_ratio", g);
  c.add("rho", rho);
  c.add_layer();

  const Exponent one{1, {}}, below{1, {0, -1}}, above{-1, {0, 1}};
  const std::string k = text(claim, "k");
  if (k == "1-gamma*(1-rho)")
    c.rates = {below};
  else if (k == "gamma*(1-rho)-1")
    c.rates = {above};
  else if (k == "min(gamma*(1-rho)-1,1)")
    c.rates = {above, one};
  else
    c.rates = {{parse_rational(k), {}}};

  check_tree(
      evidence, c.coordinates, c.box,
      [&](const Box& leaf) -> std::optional<Interval> {
        const Interval t = c.log_n(leaf);
        const Scaled u = c.vanishing(one, 0, leaf, t), full = Scaled::constant(Interval(1, bits));
        // Weight of the token itself and of all n tokens at inner product rho, over a common factor.
        const Scaled own = sub ? c.vanishing(below, 0, leaf, t) : full;
        const Scaled all = super ? c.vanishing(above, 0, leaf, t) : full;
        const Scaled total = own + all * (1 - u);
        if (c.quantity == "log_partition") return abs(TailCheck::log_rest(total));
        SimplexMasses<Scaled> m;
        m.a = own / total;
        m.M = all * (1 - u) / total;
        m.b = all * u / total;
        m.rho = Scaled::constant(interval(leaf[2]));
        m.delta = Scaled::constant(interval(minus({1, 1}, leaf[2])));
        if (c.jacobian)
          c.fill_jacobian(m, leaf, t, interval(leaf[1]));
        else
          c.fill_residual(m, leaf);
        return abs(simplex_quantity(m, c.quantity).rest);
      },
      c.C);
}

void check_bands(const json& claim, const json& evidence) {
  require_keys(member(claim, "box"), {"theta", "r", "rho", "gap", "alpha", "q"}, "the box");
  TailCheck c(claim);
  const json& box = member(claim, "box");
  const RationalBox theta = range(box, "theta"), r = range(box, "r"), rho = range(box, "rho"),
                    gap = range(box, "gap");
  if (!(theta.lo > 0 && theta.hi < 1 && rho.lo > 0 && rho.hi < r.lo && r.hi < 1 && gap.lo > 0))
    throw Rejected("three bands need 0 < theta < 1, 0 < rho < r < 1 and a positive gap");
  const bool far = c.phase == "far", near = c.phase == "near", self = c.phase == "self";
  if (!far && !near && !self) throw Rejected("the phase is not far, near or self");
  // Gaps cannot exceed their values at gamma = 0 where they fall with gamma.
  RationalBox gap1 = gap, gap2 = gap;
  if (far) gap1.hi = std::min(gap.hi, Rational(1 - theta.lo)), gap2.hi = std::min(gap.hi, Rational(1));
  if (near) gap2.hi = std::min(gap.hi, theta.hi);
  if (gap1.lo > gap1.hi || gap2.lo > gap2.hi) throw Rejected("no gamma has these gaps");
  c.add("gap1", gap1);
  c.add("gap2", gap2);
  c.add("theta", theta);
  c.add("r", r);
  c.add("rho", rho);
  c.add_layer();

  const Exponent first{0, {0, 1}}, second{0, {0, 0, 1}}, cluster{0, {0, 0, 0, 1}}, outside{1, {0, 0, 0, -1}},
      one{1, {}};
  const std::string k = text(claim, "k"), gaps = far    ? "1-theta-gamma*(r-rho),1-gamma*(1-rho)"
                                                 : near ? "gamma*(r-rho)-1+theta,theta-gamma*(1-r)"
                                                        : "gamma*(1-r)-theta,gamma*(1-rho)-1";
  if (k == "min(" + gaps + ")")
    c.rates = {first, second};
  else if (k == "min(" + gaps + ",1-theta)")
    c.rates = {first, second, outside};
  else
    c.rates = {{parse_rational(k), {}}};

  if (far) c.nonnegative = {{1, {0, -1, 0, -1}}, {1, {0, 0, -1}}};  // gamma (r-rho), gamma (1-rho)
  if (near) c.nonnegative = {{0, {0, 0, -1, 1}}};                   // gamma (1-r)

  check_tree(
      evidence, c.coordinates, c.box,
      [&](const Box& leaf) -> std::optional<Interval> {
        const RationalBox &e1 = leaf[1], &e2 = leaf[2], &h = leaf[3], whole{1, 1};
        const RationalBox depth = minus(whole, leaf[4]), drop = minus(leaf[4], leaf[5]),
                          delta = minus(whole, leaf[5]);
        // gamma from the first gap is n1/d1, from the second n2/d2: no point unless these can agree.
        const RationalBox n1 = far    ? minus(minus(whole, h), e1)
                               : near ? plus(minus(whole, h), e1)
                                      : plus(h, e1);
        const RationalBox n2 = far ? minus(whole, e2) : near ? minus(h, e2) : plus(whole, e2);
        const RationalBox &d1 = self ? depth : drop, &d2 = near ? depth : delta;
        const RationalBox left = times(n1, d2), right = times(n2, d1);
        if (left.hi < right.lo || right.hi < left.lo) return std::nullopt;

        const Interval t = c.log_n(leaf);
        const auto constant = [](const RationalBox& range) { return Scaled::constant(interval(range)); };
        const Scaled full = Scaled::constant(Interval(1, bits)), u = c.vanishing(one, 0, leaf, t);
        const Scaled per_cluster = c.vanishing(cluster, 0, leaf, t),
                     clusters = c.vanishing(outside, 0, leaf, t);
        const Scaled w1 = c.vanishing(first, 0, leaf, t), w2 = c.vanishing(second, 0, leaf, t);
        const Scaled own = self ? full : w2;
        const Scaled mates = near ? full : w1;              // near band, had it N_1 members
        const Scaled others = far ? full : near ? w1 : w2;  // far band, had it n members
        const Scaled total = own + mates * (1 - per_cluster) + others * (1 - clusters);
        if (c.quantity == "log_partition") return abs(TailCheck::log_rest(total));
        BandMasses<Scaled> m;
        m.a = own / total;
        m.M1 = mates * (1 - per_cluster) / total;
        m.M2 = others * (1 - clusters) / total;
        m.b1 = mates * per_cluster / total;
        m.b2 = others * u / total;
        m.B2 = others * clusters / total;
        m.near = clusters * (1 - per_cluster) / (1 - u);
        m.r = constant(leaf[4]);
        m.rho = constant(leaf[5]);
        m.depth = constant(depth);
        m.drop = constant(drop);
        m.delta = constant(delta);
        c.fill_residual(m, leaf);
        return abs(band_quantity(m, c.quantity).rest);
      },
      c.C);
}

}  // namespace

void check_tail(const std::string& theorem, const json& claim, const json& evidence) {
  const std::string geometry = text(claim, "geometry"), quantity = text(claim, "quantity");
  const std::vector<std::string> keys{"geometry", "phase", "quantity", "box", "N", "limit", "C", "k", "p"};
  require_keys(claim, keys, "the claim");
  if (!belongs_to(theorem, geometry, quantity))
    throw Rejected(fmt::format("theorem {} does not speak of {} on {}", theorem, quantity, geometry));
  if (text(claim, "limit") != limit_text(geometry, text(claim, "phase"), quantity))
    throw Rejected(
        fmt::format("the limit of {} is {}", quantity, limit_text(geometry, text(claim, "phase"), quantity)));
  if (geometry == "simplex") return check_simplex(claim, evidence);
  check_bands(claim, evidence);
}

}  // namespace critscale::checker
