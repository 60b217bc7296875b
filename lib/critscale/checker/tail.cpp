// Tail claims: |Q - L| <= C n^-k (ln n)^p for all real n >= N ([bisection], [checker]). Uses layer.hpp,
// scaled.hpp and tree.hpp.
#include "critscale/checker/detail/layer.hpp"
#include "critscale/checker/detail/scaled.hpp"
#include "critscale/checker/detail/tree.hpp"
#include "critscale/number/detail/roots.hpp"

namespace critscale::checker {
namespace {

// The coordinates of a proof by place: x = ln N/ln n first, then those of the geometry.
namespace simplex {
constexpr std::size_t ratio = 1, rho = 2;  // ratio = gamma (1 - rho)
}
namespace bands {
constexpr std::size_t gap1 = 1, gap2 = 2, theta = 3, r = 4, rho = 5;
}

/// A range that may have no upper end (number/open_box.hpp).
struct HalfLine {
  RationalBox range{0, 0};
  bool open = false;
};

HalfLine half_line(const json& ranges, const std::string& key) {
  const json& ends = member(ranges, key);
  if (!ends.is_array() || ends.size() != 2 || ends[1] != "infinity") return {range(ranges, key), false};
  return {open_range(range(json{{key, json::array({ends[0], ends[0]})}}, key).lo), true};
}

/// A tail claim in the coordinates of its proof, those of the geometry and those of the layer. Band t (0 is
/// the token itself) weighs n^-weight[t], on the scale of the largest, had it N_t = n^theta[t] members.
struct Tail {
  explicit Tail(const json& claim)
      : quantity(parse_subscripted(text(claim, "quantity"))),
        phase(text(claim, "phase")),
        p(integer(claim, "p")),
        far(phase == "far"),
        self(phase == "self"),
        lead(far    ? 2
             : self ? 0
                    : 1),
        beside{far || self ? 1U : 2U, self ? 2U : 0U},
        alpha(half_line(member(claim, "box"), "alpha")),
        q(half_line(member(claim, "box"), "q")),
        factor(claim.contains("factor") ? text(claim, "factor") : "") {
    const Rational N = small_number(claim, "N");
    require(N >= 2, "N is below 2");
    log_N = log(Interval(N, bits));
    const std::string k = text(claim, "k");
    const json& ranges = member(claim, "box");
    if (text(claim, "geometry") == "simplex")
      read_simplex(ranges, k);
    else
      read_bands(ranges, k);
    if (rates.empty()) rates = {{small_number(claim, "k"), {}}};
    L = theta.size() - 1;
    apart.resize(L + 1);
    for (std::size_t l = 0; l <= L; ++l)
      for (std::size_t b = 0; b <= L; ++b) apart[l].push_back(theta[b] - theta[l]);
    layer = box.size();
    open.resize(box.size());
    require(alpha.range.lo >= 0 && q.range.lo >= 0 && q.range.hi > 0, "alpha must be >= 0 and q > 0");
    if (quantity.name == "jacobian_norm") {
      require(q.range.lo > 0 && !q.open && !alpha.open && !gamma.open,
              "jacobian_norm needs q > 0 and upper ends of gamma, alpha and q");
      coordinates.insert(coordinates.end(), {"alpha", "q", "n/d"});
      box.insert(box.end(), {alpha.range, q.range, {0, 1}});
    } else {
      // s = alpha sqrt q.
      const Rational least = alpha.range.lo * sqrt_below(q.range.lo);
      const bool unbounded = (alpha.open || q.open) && alpha.range != RationalBox{0, 0};
      coordinates.push_back("s");
      box.push_back(unbounded ? open_range(least)
                              : RationalBox{least, alpha.range.hi * sqrt_above(q.range.hi)});
      open.push_back(unbounded);
    }
    turning = L == 1 && phase == "subcritical" &&
              (quantity.name == "angle_ratio" || quantity.name == "inner_products");
    const bool by_gamma = L == 2 && quantity.name == "jacobian_norm" && factor == "(1+gamma)^2";
    require(factor.empty() ? !claim.contains("factor") : (turning && factor == "1/rho") || by_gamma,
            "no theorem has this factor here");
  }

  /// [simplex-tails].
  void read_simplex(const json& ranges, const std::string& k) {
    require_keys(ranges, {"rho", "gamma_ratio", "alpha", "q"}, "the box");
    const bool sub = phase == "subcritical", super = phase == "supercritical";
    gamma = half_line(ranges, "gamma_ratio");
    const RationalBox &g = gamma.range, rho = range(ranges, "rho");
    // Up to the threshold itself: what is claimed is an inequality between formulas.
    require(sub     ? g.hi <= 1
            : super ? g.lo >= 1
                    : g == RationalBox{1, 1},
            "gamma_ratio is not in the phase throughout");
    require(g.lo >= 0 && rho.lo >= 0 && rho.hi <= 1, "gamma_ratio is negative or rho is not inside [0, 1]");
    coordinates = {"x", "gamma_ratio", "rho"};
    box = {{0, 1}, g, rho};
    open = {false, gamma.open, false};
    const LinearForm below{1, {0, -1}}, above{-1, {0, 1}};
    theta = {zero, one};
    weight = {sub ? below : zero, super ? above : zero};
    if (k == "1-gamma*(1-rho)") rates = {below};
    if (k == "gamma*(1-rho)-1") rates = {above};
    if (k == "min(gamma*(1-rho)-1,1)") rates = {above, one};
  }
  /// [band-tails].
  void read_bands(const json& ranges, const std::string& k) {
    require_keys(ranges, {"theta", "r", "rho", "gap", "alpha", "q"}, "the box");
    const RationalBox h = range(ranges, "theta"), r = range(ranges, "r"), rho = range(ranges, "rho");
    gamma = half_line(ranges, "gap");
    const RationalBox& gap = gamma.range;
    require(h.lo > 0 && h.hi < 1 && rho.lo > 0 && rho.hi < r.lo && gap.lo > 0,
            "three bands need 0 < theta < 1, 0 < rho < r and a positive gap");
    require(r.hi < 1 || (r.hi == 1 && !self && phase != "near-self" && quantity.name != "angle_ratio"),
            "r is not below 1, and may be 1 only where neither the token's mass nor the angle ratio matter");
    // Two bands tie where one of the gaps of the near phase is 0. A gap that falls with gamma cannot
    // exceed its value at gamma = 0.
    const bool tie1 = phase == "far-near", tie2 = phase == "near-self";
    RationalBox gap1 = tie1 ? RationalBox{0, 0} : gap, gap2 = tie2 ? RationalBox{0, 0} : gap;
    open = {false, gamma.open && !tie1, gamma.open && !tie2, false, false, false};
    const auto at_most = [&](RationalBox& range, std::size_t coordinate, const Rational& most) {
      range.hi = open[coordinate] ? most : std::min(range.hi, most);
      open[coordinate] = false;
    };
    if (far) at_most(gap1, bands::gap1, 1 - h.lo);
    if (!self) at_most(gap2, bands::gap2, far ? Rational(1) : h.hi);
    require(!is_empty(gap1) && !is_empty(gap2), "no gamma has these gaps");
    coordinates = {"x", "gap1", "gap2", "theta", "r", "rho"};
    box = {{0, 1}, gap1, gap2, h, r, rho};
    const LinearForm first = tie1 ? zero : LinearForm{0, {0, 1}},
                     second = tie2 ? zero : LinearForm{0, {0, 0, 1}};
    theta = {zero, {0, {0, 0, 0, 1}}, one};
    weight = {zero, zero, zero};
    weight[beside[0]] = first, weight[beside[1]] = second;
    const std::string gaps = far    ? "1-theta-gamma*(r-rho),1-gamma*(1-rho)"
                             : self ? "gamma*(1-r)-theta,gamma*(1-rho)-1"
                                    : "gamma*(r-rho)-1+theta,theta-gamma*(1-r)";
    if (!tie1 && !tie2 && k == "min(" + gaps + ")") rates = {first, second};
    if (!tie1 && !tie2 && k == "min(" + gaps + ",1-theta)") rates = {first, second, one - theta[1]};
    if (far) nonnegative = {{1, {0, -1, 0, -1}}, {1, {0, 0, -1}}};  // gamma (r-rho), gamma (1-rho)
    if (!far && !self) nonnegative = {{0, {0, 0, -1, 1}}};          // gamma (1-r)
  }

  /// The claim speaks of something: the witness is a point of its box, exactly ([witness]).
  void check_witness(const json& evidence) const {
    std::vector<std::string> names{"rho", "gamma", "alpha", "q"};
    if (L == 2) names.insert(names.end(), {"theta", "r"});
    const auto at = read_witness(evidence, names);
    const Rational gamma = at.at("gamma"), rho = at.at("rho");
    require(gamma >= 0 && at.at("q") > 0 && rho > 0 && rho < 1,
            "the witness has no gamma >= 0, q > 0, 0 < rho < 1");
    const auto inside = [](const Rational& v, const RationalBox& range, bool unbounded,
                           const std::string& name) {
      require_inside(v, unbounded ? RationalBox{range.lo, std::max(range.lo, v)} : range, name);
    };
    inside(at.at("alpha"), alpha.range, alpha.open, "alpha");
    inside(at.at("q"), q.range, q.open, "q");
    require_inside(rho, box[L == 1 ? simplex::rho : bands::rho], "rho");
    if (L == 1) return inside(gamma * (1 - rho), box[simplex::ratio], open[simplex::ratio], "gamma*(1-rho)");
    const Rational h = at.at("theta"), r = at.at("r");
    require_inside(h, box[bands::theta], "theta");
    require_inside(r, box[bands::r], "r");
    // The logarithms, over ln n, of what the bands weigh; a gap is a difference from the dominating one.
    const Rational weighs[] = {gamma, h + gamma * r, 1 + gamma * rho};
    inside(weighs[lead] - weighs[beside[0]], box[bands::gap1], open[bands::gap1], "the first exponent gap");
    inside(weighs[lead] - weighs[beside[1]], box[bands::gap2], open[bands::gap2], "the second exponent gap");
  }

  /// r_t on a leaf.
  RationalBox inner_product(const Box& leaf, std::size_t t) const {
    if (t == 0) return {1, 1};
    return leaf[L == 1 ? simplex::rho : t == 1 ? bands::r : bands::rho];
  }
  /// Narrows the two gaps on a leaf of three bands to what gamma allows, and returns the range of gamma times
  /// the unit of depth; nothing where they contradict each other ([band-tails]).
  std::optional<Ray> contract(Box& leaf, std::vector<bool>& unbounded) const {
    if (L == 1) return Ray{leaf[simplex::ratio].lo, leaf[simplex::ratio].hi};
    const RationalBox sizes[] = {{0, 0}, leaf[bands::theta], {1, 1}};
    Box gaps{leaf[bands::gap1], leaf[bands::gap2]}, size_gaps, products;
    for (const std::size_t t : beside) {
      size_gaps.push_back(sizes[lead] - sizes[t]);
      products.push_back(inner_product(leaf, lead) - inner_product(leaf, t));
    }
    std::vector<bool> ends{unbounded[bands::gap1], unbounded[bands::gap2]};
    const auto gammas = narrow_open(gaps, ends, size_gaps, products, 0);
    leaf[bands::gap1] = gaps[0], leaf[bands::gap2] = gaps[1];
    unbounded[bands::gap1] = ends[0], unbounded[bands::gap2] = ends[1];
    return gammas;
  }
  /// n^-e (ln n)^j with its limit 0; exactly 1 for e = j = 0 ([vanishing]).
  static Scaled vanishing(const Powers& powers, const LinearForm& e, long j = 0) {
    if (e.is_zero() && j == 0) return 1;
    return {Interval(0, bits), powers.plain(e, j), powers.scaled(e, j)};
  }
  /// |Q - L| n^k (ln n)^-p on a leaf.
  std::optional<Interval> bound(Box leaf) const {
    std::vector<bool> unbounded = unbounded_in(leaf, box, open);
    const std::optional<Ray> gammas = contract(leaf, unbounded);
    if (!gammas) return std::nullopt;
    const Interval t = log_N / interval(leaf.front());
    const Powers powers{leaf, t, rates, p, nonnegative, unbounded};
    const LayerInputs<Scaled> in = inputs(leaf, *gammas, powers);
    const Layer<Scaled> values(in);
    // ln Z less its leading term: ln of a total weight with limit 1 or 2.
    if (quantity.name == "log_partition")
      return abs(values.total.rest / hull(values.total.limit, values.total.value));
    const Interval rest = abs(values.quantity(quantity.name, quantity.index ? *quantity.index + 1 : 0).rest);
    if (turning) {
      const Interval rho = interval(leaf[simplex::rho]), most = over_rho(in, values.total);
      return factor.empty() ? min(rest, most / rho) : min(rest * rho, most);
    }
    if (factor == "(1+gamma)^2") return rest / sqr(1 + interval({gammas->lo, gammas->hi.value()}));
    return rest;
  }
  /// At least rho |Q - L| on the scale ([factors]): (c^2)~ + u~ (1 - c^2), c = 1 - sigma n A_ij.
  Interval over_rho(const LayerInputs<Scaled>& in, const Scaled& total) const {
    const Scaled own = sqr(1 - in.sigma / total);
    const Interval turned = abs(own.rest) + abs(in.ratio[0][1].rest * (1 - own.value));
    return quantity.name == "angle_ratio" ? turned : in.unit.value * turned;
  }
  LayerInputs<Scaled> inputs(const Box& leaf, const Ray& gammas, const Powers& powers) const {
    LayerInputs<Scaled> in;
    in.ratio.resize(L + 1, std::vector<Scaled>(L + 1));
    for (std::size_t b = 0; b <= L; ++b) {
      in.weight.push_back(vanishing(powers, weight[b]));
      for (std::size_t l = 0; l < b; ++l) in.ratio[l][b] = vanishing(powers, apart[l][b]);
      const RationalBox r = inner_product(leaf, b);
      in.r.push_back(interval(r));
      in.unit = L == 1 ? Scaled(interval(RationalBox{1, 1} - r)) : 1;
      in.depth.push_back(L == 1 ? Scaled(b == 0 ? 0 : 1) : interval(RationalBox{1, 1} - r));
    }
    if (quantity.name != "jacobian_norm") {
      const RationalBox& s = leaf[layer];
      const Rational least = powers.unbounded[layer] ? Rational(0) : Rational(1 / (1 + s.hi)),
                     most = 1 / (1 + s.lo);
      in.sigma = interval({least, most});
      in.residual = interval({1 - most, 1 - least});
      return in;
    }
    in.sigma = 1;  // eta is that of the layer with s = 0, and terms in alpha
    const Interval per_d = interval(leaf[layer + 2]), g = interval({gammas.lo, gammas.hi.value()});
    in.alpha = interval(leaf[layer]);
    in.root_q = sqrt(interval(leaf[layer + 1]));
    in.freedom = 1 - per_d * powers.plain(one);
    in.beta_d = g * per_d * vanishing(powers, one, 1);
    in.beta2_d = sqr(g) * per_d * vanishing(powers, one, 2);
    return in;
  }

  const LinearForm one{1, {}}, zero{0, {}};
  Subscripted quantity;
  std::string phase;
  long p;
  bool far, self, turning = false;  ///< turning: [factors] bounds the quantity
  std::size_t lead, beside[2];      ///< of three bands the one that dominates, and what it is compared with
  HalfLine alpha, q, gamma;         ///< gamma: gamma (1-rho), or both exponent gaps
  std::string factor;               ///< what C is multiplied by
  Interval log_N;
  std::vector<LinearForm> theta, weight, rates, nonnegative;
  std::vector<std::vector<LinearForm>> apart;  ///< theta[b] - theta[l]
  std::vector<std::string> coordinates;
  Box box;
  std::vector<bool> open;        ///< coordinates without upper end
  std::size_t L = 0, layer = 0;  ///< bands but the token; the first coordinate of the layer
};

}  // namespace

Rational check_tail(const std::string& theorem, const json& claim, const json& evidence) {
  std::vector<std::string> keys{"geometry", "phase", "quantity", "box", "N", "limit", "C", "k", "p"};
  if (claim.contains("factor")) keys.emplace_back("factor");
  require_keys(claim, keys, "the claim");
  const std::string geometry = text(claim, "geometry"), quantity = text(claim, "quantity"),
                    limit = limit_text(geometry, text(claim, "phase"), quantity);
  require(!limit.empty() && theorem == theorem_of(geometry, quantity),
          fmt::format("theorem {} does not speak of {} on {}", theorem, quantity, geometry));
  require(text(claim, "limit") == limit, fmt::format("the limit of {} is {}", quantity, limit));
  const Tail tail(claim);
  tail.check_witness(evidence);
  check_tree(
      evidence, tail.coordinates, tail.box, [&](const Box& leaf) { return tail.bound(leaf); },
      small_number(claim, "C"));
  const Powers powers{tail.box, tail.log_N, tail.rates, tail.p, tail.nonnegative, tail.open};
  return -powers.excess(tail.zero).hi.value();
}

}  // namespace critscale::checker
