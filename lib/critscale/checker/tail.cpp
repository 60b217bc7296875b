// Tail claims: |Q - L| <= C n^-k (ln n)^p ([bisection], [checker]). Uses layer.hpp and pieces.hpp.
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
  Scaled(Interval l, Interval v, Interval r) : limit(std::move(l)), value(std::move(v)), rest(std::move(r)) {}
  Scaled(const Interval& constant) : Scaled(constant, constant, Interval(0)) {}
  Scaled(int constant = 0) : Scaled(Interval(constant, bits)) {}

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
    const Interval limit = a.limit / b.limit;
    return {limit, a.value / b.value, (a.rest - limit * b.rest) / b.value};
  }
  friend Scaled sqr(const Scaled& a) { return {sqr(a.limit), sqr(a.value), a.rest * (a.limit + a.value)}; }
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
      : quantity(parse_subscripted(text(claim, "quantity"))),
        phase(text(claim, "phase")),
        p(integer(claim, "p")),
        far(phase == "far"),
        self(phase == "self") {
    const Rational N = number(claim, "N");
    require(N >= 2, "N is below 2");
    log_N = log(Interval(N, bits));
    const std::string k = text(claim, "k");
    const json& ranges = member(claim, "box");
    text(claim, "geometry") == "simplex" ? read_simplex(ranges, k) : read_bands(ranges, k);
    if (rates.empty()) rates = {{small_number(claim, "k"), {}}};
    L = theta.size() - 1;
    layer = box.size();
    const RationalBox alpha = range(ranges, "alpha"), q = range(ranges, "q");
    require(alpha.lo >= 0 && q.lo > 0, "alpha must be >= 0 and q > 0");
    if (quantity.name == "jacobian_norm") {
      coordinates.insert(coordinates.end(), {"alpha", "q", "n/d"});
      box.insert(box.end(), {alpha, q, {0, 1}});
    } else {
      coordinates.push_back("s");
      box.push_back({alpha.lo * sqrt_below(q.lo), alpha.hi * sqrt_above(q.hi)});
    }
    // A claim speaks of something: some theta, r and rho of a grid have a gamma.
    bool empty = L == 2;
    for (int i = 0; i < 125 && empty; ++i) {
      Box point = box;
      for (int c = 3, digits = i; c < 6; ++c, digits /= 5)
        point[c].lo = point[c].hi = box[c].lo + (box[c].hi - box[c].lo) * (digits % 5) / 4;
      empty = !contract(point);
    }
    require(!empty, "no gamma has these gaps on a grid of theta, r and rho");
  }

  void read_simplex(const json& ranges, const std::string& k) {
    require_keys(ranges, {"rho", "gamma_ratio", "alpha", "q"}, "the box");
    const bool sub = phase == "subcritical", super = phase == "supercritical";
    const RationalBox g = range(ranges, "gamma_ratio"), rho = range(ranges, "rho");
    require(sub     ? g.hi < 1
            : super ? g.lo > 1
                    : g == RationalBox{1, 1},
            "gamma_ratio is not in the phase throughout");
    require(g.lo >= 0 && rho.lo > 0 && rho.hi < 1, "gamma_ratio is negative or rho is not inside (0, 1)");
    coordinates = {"x", "gamma_ratio", "rho"};
    box = {{0, 1}, g, rho};
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
    coordinates = {"x", "gap1", "gap2", "theta", "r", "rho"};
    box = {{0, 1}, gap1, gap2, h, r, rho};
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

  /// Narrows the two gaps on a leaf of three bands to what gamma allows, and returns the range of gamma times
  /// the unit of depth; nothing where they contradict each other.
  std::optional<RationalBox> contract(Box& leaf) const {
    if (L == 1) return leaf[1];
    const RationalBox whole{1, 1}, h = leaf[3], r = leaf[4], rho = leaf[5];
    Box gaps{leaf[1], leaf[2]};
    const auto gamma = far    ? narrow(gaps, {whole - h, whole}, {rho - r, rho - whole}, 0)
                       : self ? narrow(gaps, {-h, -whole}, {whole - r, whole - rho}, 0)
                              : narrow(gaps, {h - whole, h}, {r - rho, r - whole}, 0);
    leaf[1] = gaps[0], leaf[2] = gaps[1];
    return gamma;
  }
  /// e - k = max(e - k_1, e - k_2, ...).
  RationalBox excess(const LinearForm& e, const Box& leaf) const {
    RationalBox most = (e - rates[0]).over(leaf, nonnegative);
    for (const LinearForm& rate : rates) most = larger(most, (e - rate).over(leaf, nonnegative));
    return most;
  }
  /// n^-e (ln n)^j; exactly 1 for e = j = 0.
  Scaled vanishing(const LinearForm& e, long j, const Box& leaf, const Interval& t) const {
    if (e.is_zero() && j == 0) return 1;
    return {Interval(0, bits), power_log(interval(e.over(leaf)), j, t),
            power_log(interval(excess(e, leaf)), j - p, t)};
  }
  /// |Q - L| n^k (ln n)^-p on a leaf.
  std::optional<Interval> bound(Box leaf) const {
    const std::optional<RationalBox> gamma = contract(leaf);
    if (!gamma) return std::nullopt;
    const Interval t = log_N / interval(leaf[0]);
    LayerInputs<Scaled> in;
    in.ratio.resize(L + 1, std::vector<Scaled>(L + 1));
    for (std::size_t b = 0; b <= L; ++b) {
      in.weight.push_back(vanishing(weight[b], 0, leaf, t));
      for (std::size_t l = 0; l < b; ++l) in.ratio[l][b] = vanishing(theta[b] - theta[l], 0, leaf, t);
      const RationalBox r = b == 0 ? RationalBox{1, 1} : leaf[layer - L + b - 1];
      in.r.push_back(interval(r));
      in.unit = L == 1 ? Scaled(interval(RationalBox{1, 1} - r)) : 1;
      in.depth.push_back(L == 1 ? Scaled(b == 0 ? 0 : 1) : interval(RationalBox{1, 1} - r));
    }
    if (quantity.name == "jacobian_norm") {
      const Interval per_d = interval(leaf[layer + 2]), g = interval(*gamma);
      in.alpha = interval(leaf[layer]);
      in.root_q = sqrt(interval(leaf[layer + 1]));
      in.freedom = 1 - per_d * vanishing(one, 0, leaf, t).value;
      in.beta_d = g * per_d * vanishing(one, 1, leaf, t);
      in.beta2_d = sqr(g) * per_d * vanishing(one, 2, leaf, t);
    } else {
      in.s = interval(leaf[layer]);
    }
    const Layer<Scaled> values(std::move(in));
    // ln Z less its leading term: ln of a total weight with limit 1 or 2.
    if (quantity.name == "log_partition")
      return abs(values.total.rest / hull(values.total.limit, values.total.value));
    return abs(values.quantity(quantity.name, quantity.index ? *quantity.index + 1 : 0).rest);
  }

  const LinearForm one{1, {}}, zero{0, {}};
  Subscripted quantity;
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
  return -tail.excess(tail.zero, tail.box).hi;
}

}  // namespace critscale::checker
