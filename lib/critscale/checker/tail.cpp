// Tail claims: |Q - L| <= C n^-k (ln n)^p (provers/THEORY-proofs.md §5, §6). Uses layer.hpp and pieces.hpp.
#include "critscale/checker/layer.hpp"
#include "critscale/checker/pieces.hpp"
#include "critscale/number/roots.hpp"

namespace critscale::checker {
namespace {

/// Of one quantity Q(n) on a set of parameters: enclosures of its limit L, of Q itself, and of
/// rest = (Q - L) n^k (ln n)^-p, for a k and p fixed by the claim. Sums are term by term; products use
///   QR - KL = (Q - K) R + K (R - L) = (Q - K) L + Q (R - L),
/// of which both are true, so the intersection is; and Q/R - K/L = ((Q - K) - (K/L)(R - L))/R.
struct Scaled {
  Interval limit, value, rest;

  static Scaled constant(Interval v) { return {v, v, Interval(0)}; }

  friend Scaled operator+(const Scaled& a, const Scaled& b) {
    return {a.limit + b.limit, a.value + b.value, a.rest + b.rest};
  }
  friend Scaled operator-(const Scaled& a, const Scaled& b) {
    return {a.limit - b.limit, a.value - b.value, a.rest - b.rest};
  }
  friend Scaled operator*(const Scaled& a, const Scaled& b) {
    return {a.limit * b.limit, a.value * b.value,
            intersection(a.rest * b.value + a.limit * b.rest, a.rest * b.limit + a.value * b.rest)};
  }
  friend Scaled operator/(const Scaled& a, const Scaled& b) {
    Interval limit = a.limit / b.limit;
    Interval rest = (a.rest - limit * b.rest) / b.value;
    return {std::move(limit), a.value / b.value, std::move(rest)};
  }
  friend Scaled operator/(int c, const Scaled& a) { return constant(Interval(c)) / a; }
  friend Scaled sqr(const Scaled& a) { return {sqr(a.limit), sqr(a.value), a.rest * (a.limit + a.value)}; }
  friend Scaled operator*(int c, const Scaled& a) { return {c * a.limit, c * a.value, c * a.rest}; }
  friend Scaled operator+(int c, const Scaled& a) { return {c + a.limit, c + a.value, a.rest}; }
  friend Scaled operator-(int c, const Scaled& a) { return {c - a.limit, c - a.value, -a.rest}; }
  friend Scaled refine(const Scaled& a, const Scaled& b) {
    return {intersection(a.limit, b.limit), intersection(a.value, b.value), intersection(a.rest, b.rest)};
  }
  /// For a u that does not depend on n: what is the same in both terms of the denominator cancels.
  friend Scaled part(const Scaled& h, const Scaled& u, const Scaled& b) {
    const Interval limit = u.limit * h.limit + b.limit, value = u.value * h.value + b.value;
    return {h.limit / limit, h.value / value, (h.rest * b.limit - h.limit * b.rest) / (value * limit)};
  }
  friend Scaled bounded(const Scaled& x, const Scaled& most) {
    return {bounded(x.limit, most.limit), bounded(x.value, most.value), x.rest};
  }
};

/// (ln n)^j n^-kappa for every kappa and every t = ln n > 0 of two intervals; t may reach infinity.
Interval power_log(const Interval& kappa, long j, const Interval& t) {
  if (j <= 0 || !certainly(kappa.is_positive())) return pow(t, Integer(j)) * exp(-(kappa * t));
  // t^j exp(-kappa t) falls in kappa; in t it rises up to j/kappa and falls from there on.
  const Interval slowest = Interval::exactly(kappa.lower(), bits), first = Interval::exactly(t.lower(), bits);
  const bool falls = certainly(greater_equal(slowest * first, Interval(j, bits)));
  const Interval at = falls ? first : Interval(j, bits) / slowest;
  return hull(Interval(0, bits), pow(at, Integer(j)) * exp(-(slowest * at)));
}

/// A tail claim in the coordinates of its proof: x = ln N/ln n first, those of the geometry, those of the
/// layer. Band t (0 is the token itself) weighs n^-weight[t], on the scale of the largest, had it
/// N_t = n^theta[t] members.
struct Tail {
  explicit Tail(const json& claim)
      : quantity(split_index(text(claim, "quantity"))),
        phase(text(claim, "phase")),
        p(integer(claim, "p")),
        far(phase == "far"),
        self(phase == "self") {
    const Rational N = number(claim, "N");
    require(N >= 2, "N is below 2");
    log_N = log(Interval(N, bits));
    add("x", {0, 1});
    const std::string k = text(claim, "k");
    const json& ranges = member(claim, "box");
    text(claim, "geometry") == "simplex" ? read_simplex(ranges, k) : read_bands(ranges, k);
    if (rates.empty()) rates = {{parse_rational(k), {}}};
    L = theta.size() - 1;
    layer = box.size();
    const RationalBox alpha = range(ranges, "alpha"), q = range(ranges, "q");
    require(alpha.lo >= 0 && q.lo > 0, "alpha must be >= 0 and q > 0");
    if (quantity.first == "jacobian_norm")
      add("alpha", alpha), add("q", q), add("n/d", {0, 1});
    else
      add("s", {alpha.lo * sqrt_below(q.lo), alpha.hi * sqrt_above(q.hi)});
  }

  void add(const std::string& name, const RationalBox& r) {
    coordinates.push_back(name);
    box.push_back(r);
  }
  void read_simplex(const json& ranges, const std::string& k) {
    require_keys(ranges, {"rho", "gamma_ratio", "alpha", "q"}, "the box");
    const bool sub = phase == "subcritical", super = phase == "supercritical";
    const RationalBox g = range(ranges, "gamma_ratio"), rho = range(ranges, "rho");
    require(sub     ? g.lo >= 0 && g.hi < 1
            : super ? g.lo > 1
                    : g.lo == 1 && g.hi == 1,
            "gamma_ratio is not in the phase throughout");
    require(rho.lo > 0 && rho.hi < 1, "rho is not inside (0, 1)");
    add("gamma_ratio", g);
    add("rho", rho);
    const LinearForm below{1, {0, -1}}, above{-1, {0, 1}};
    theta = {zero, one};
    weight = {sub ? below : zero, super ? above : zero};
    if (k == "1-gamma*(1-rho)") rates = {below};
    if (k == "gamma*(1-rho)-1") rates = {above};
    if (k == "min(gamma*(1-rho)-1,1)") rates = {above, one};
  }
  void read_bands(const json& ranges, const std::string& k) {
    require_keys(ranges, {"theta", "r", "rho", "gap", "alpha", "q"}, "the box");
    const RationalBox h = range(ranges, "theta"), r = range(ranges, "r"), rho = range(ranges, "rho"),
                      gap = range(ranges, "gap");
    require(h.lo > 0 && h.hi < 1 && rho.lo > 0 && rho.hi < r.lo && r.hi < 1 && gap.lo > 0,
            "three bands need 0 < theta < 1, 0 < rho < r < 1 and a positive gap");
    // Two bands tie where one of the gaps of the near phase is 0. A gap that falls with gamma cannot
    // exceed its value at gamma = 0.
    const bool tie1 = phase == "far-near", tie2 = phase == "near-self";
    RationalBox gap1 = tie1 ? RationalBox{0, 0} : gap, gap2 = tie2 ? RationalBox{0, 0} : gap;
    if (far) gap1.hi = std::min(gap.hi, Rational(1 - h.lo));
    if (!self) gap2.hi = std::min(gap2.hi, far ? Rational(1) : h.hi);
    require(gap1.lo <= gap1.hi && gap2.lo <= gap2.hi, "no gamma has these gaps");
    add("gap1", gap1);
    add("gap2", gap2);
    add("theta", h);
    add("r", r);
    add("rho", rho);
    const LinearForm first = tie1 ? zero : LinearForm{0, {0, 1}},
                     second = tie2 ? zero : LinearForm{0, {0, 0, 1}};
    theta = {zero, {0, {0, 0, 0, 1}}, one};
    weight = {self ? zero : second, far || self ? first : zero, far ? zero : self ? second : first};
    const std::string gaps = far    ? "1-theta-gamma*(r-rho),1-gamma*(1-rho)"
                             : self ? "gamma*(1-r)-theta,gamma*(1-rho)-1"
                                    : "gamma*(r-rho)-1+theta,theta-gamma*(1-r)";
    if (!tie1 && !tie2 && k == "min(" + gaps + ")") rates = {first, second};
    if (!tie1 && !tie2 && k == "min(" + gaps + ",1-theta)") rates = {first, second, one - theta[1]};
    if (far) nonnegative = {{1, {0, -1, 0, -1}}, {1, {0, 0, -1}}};  // gamma (r-rho), gamma (1-rho)
    if (!far && !self) nonnegative = {{0, {0, 0, -1, 1}}};          // gamma (1-r)
  }

  /// Narrows the two gaps on a leaf of three bands to what gamma allows, and returns the range of gamma (of
  /// gamma (1-rho) on the simplex); nothing where they contradict each other. A gap is gamma slope - base
  /// where it rises with gamma, else base - gamma slope.
  std::optional<RationalBox> contract(Box& leaf) const {
    if (L == 1) return leaf[1];
    const bool rises[] = {!far, self};
    const RationalBox whole{1, 1}, h = leaf[3], depth = whole - leaf[4], delta = whole - leaf[5],
                                   base[] = {self ? h : whole - h, far || self ? whole : h},
                                   slope[] = {self ? depth : leaf[4] - leaf[5], far || self ? delta : depth};
    const auto by_gap = [&](std::size_t i) {
      return (rises[i] ? base[i] + leaf[1 + i] : base[i] - leaf[1 + i]) / slope[i];
    };
    RationalBox gamma = common(by_gap(0), by_gap(1));
    gamma.lo = std::max(gamma.lo, Rational(0));
    if (is_empty(gamma)) return std::nullopt;
    for (const std::size_t i : {0, 1}) {
      const RationalBox rise = gamma * slope[i];
      leaf[1 + i] = common(leaf[1 + i], rises[i] ? rise - base[i] : base[i] - rise);
      if (is_empty(leaf[1 + i])) return std::nullopt;
    }
    return gamma;
  }
  /// n^-e (ln n)^j. Its excess e - min(k_1, k_2, ...) over the rate is the largest of the e - k_i, each cut
  /// at 0 where gamma >= 0 says that it is not negative. Exactly 1 for e = j = 0.
  Scaled vanishing(const LinearForm& e, long j, const Box& leaf, const Interval& t) const {
    if (e.is_zero() && j == 0) return Scaled::constant(Interval(1, bits));
    std::optional<RationalBox> excess;
    for (const LinearForm& rate : rates) {
      RationalBox r = (e - rate).over(leaf);
      for (const LinearForm& known : nonnegative)
        if ((e - rate - known).is_zero()) r = larger(r, {0, 0});
      excess = larger(excess.value_or(r), r);
    }
    return {Interval(0, bits), power_log(interval(e.over(leaf)), j, t),
            power_log(interval(*excess), j - p, t)};
  }
  /// The least k on the box.
  Rational least_rate() const {
    Rational least = rates[0].over(box).lo;
    for (const LinearForm& rate : rates) least = std::min(least, rate.over(box).lo);
    return least;
  }

  /// |Q - L| n^k (ln n)^-p on a leaf.
  std::optional<Interval> bound(Box leaf) const {
    const std::optional<RationalBox> gamma = contract(leaf);
    if (!gamma) return std::nullopt;
    const auto constant = Scaled::constant;
    const Interval t = log_N / interval(leaf[0]);
    LayerInputs<Scaled> in;
    in.ratio.resize(L + 1, std::vector<Scaled>(L + 1));
    for (std::size_t b = 0; b <= L; ++b) {
      in.weight.push_back(vanishing(weight[b], 0, leaf, t));
      for (std::size_t l = 0; l < b; ++l) in.ratio[l][b] = vanishing(theta[b] - theta[l], 0, leaf, t);
      // On the simplex the unit of depth is 1 - rho.
      const RationalBox r = b == 0 ? RationalBox{1, 1} : leaf[layer - L + b - 1];
      const Interval depth = interval(RationalBox{1, 1} - r);
      in.r.push_back(constant(interval(r)));
      in.depth.push_back(constant(L == 1 ? Interval(b == 0 ? 0 : 1, bits) : depth));
      in.unit = constant(L == 1 ? depth : Interval(1, bits));
    }
    const Interval s = interval(leaf[layer]);
    if (quantity.first == "jacobian_norm") {
      const Interval per_d = interval(leaf[layer + 2]), g = interval(*gamma);
      in.alpha = constant(s);
      in.root_q = constant(sqrt(interval(leaf[layer + 1])));
      in.freedom = constant(1 - per_d * vanishing(one, 0, leaf, t).value);
      in.beta_d = constant(g * per_d) * vanishing(one, 1, leaf, t);
      in.beta2_d = constant(sqr(g) * per_d) * vanishing(one, 2, leaf, t);
    }
    in.sigma = constant(1 / (1 + s));
    in.residual = constant(1 - 1 / (1 + s));
    const Layer<Scaled> values(std::move(in));
    // ln Z less its leading term: ln of a total weight with limit 1 or 2.
    if (quantity.first == "log_partition")
      return abs(values.total.rest / hull(values.total.limit, values.total.value));
    return abs(values.quantity(quantity.first, quantity.second).rest);
  }

  const LinearForm one{1, {}}, zero{0, {}};
  std::pair<std::string, std::size_t> quantity;
  std::string phase;
  long p;
  bool far, self;
  Interval log_N;
  std::vector<LinearForm> theta, weight, rates, nonnegative;
  std::vector<std::string> coordinates;
  Box box;
  std::size_t L = 0, layer = 0;  ///< bands but the token; the first coordinate of the layer
};

}  // namespace

Rational check_tail(const std::string& theorem, const json& claim, const json& evidence) {
  require_keys(claim, {"geometry", "phase", "quantity", "box", "N", "limit", "C", "k", "p"}, "the claim");
  const std::string geometry = text(claim, "geometry"), quantity = text(claim, "quantity"),
                    limit = limit_text(geometry, text(claim, "phase"), quantity);
  require(!limit.empty() && theorem == theorem_of(geometry, quantity),
          fmt::format("theorem {} does not speak of {} on {}", theorem, quantity, geometry));
  require(text(claim, "limit") == limit, fmt::format("the limit of {} is {}", quantity, limit));
  const Tail tail(claim);
  check_tree(
      evidence, tail.coordinates, tail.box, [&](const Box& leaf) { return tail.bound(leaf); },
      number(claim, "C"));
  return tail.least_rate();
}

}  // namespace critscale::checker
