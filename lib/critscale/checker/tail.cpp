// Tail claims: |Q - L| <= C n^-k (ln n)^p for all real n >= N ([bisection], [checker]). Uses layer.hpp,
// scaled.hpp and tree.hpp.
#include "critscale/checker/detail/layer.hpp"
#include "critscale/checker/detail/scaled.hpp"
#include "critscale/checker/detail/tree.hpp"
#include "critscale/number/detail/roots.hpp"

namespace critscale::checker {
namespace {

/// The coordinates of a proof by place: x = ln N/ln n first, then those of the geometry.
namespace simplex {
enum : std::size_t { x, ratio, rho };  // ratio = gamma (1 - rho)
}
namespace bands {
enum : std::size_t { x, gap1, gap2, theta, r, rho };
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
        alpha(range(member(claim, "box"), "alpha")),
        q(range(member(claim, "box"), "q")) {
    const Rational N = small_number(claim, "N");
    require(N >= 2, "N is below 2");
    log_N = log(Interval(N, bits));
    const std::string k = text(claim, "k");
    const json& ranges = member(claim, "box");
    text(claim, "geometry") == "simplex" ? read_simplex(ranges, k) : read_bands(ranges, k);
    if (rates.empty()) rates = {{small_number(claim, "k"), {}}};
    L = theta.size() - 1;
    layer = box.size();
    require(alpha.lo >= 0 && q.lo > 0, "alpha must be >= 0 and q > 0");
    if (quantity.name == "jacobian_norm") {
      coordinates.insert(coordinates.end(), {"alpha", "q", "n/d"});
      box.insert(box.end(), {alpha, q, {0, 1}});
    } else {
      coordinates.push_back("s");
      box.push_back({alpha.lo * sqrt_below(q.lo), alpha.hi * sqrt_above(q.hi)});
    }
  }

  /// [simplex-tails].
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
  /// [band-tails].
  void read_bands(const json& ranges, const std::string& k) {
    require_keys(ranges, {"theta", "r", "rho", "gap", "alpha", "q"}, "the box");
    const RationalBox h = range(ranges, "theta"), r = range(ranges, "r"), rho = range(ranges, "rho");
    gap = range(ranges, "gap");
    require(h.lo > 0 && h.hi < 1 && rho.lo > 0 && rho.hi < r.lo && r.hi < 1 && gap.lo > 0,
            "three bands need 0 < theta < 1, 0 < rho < r < 1 and a positive gap");
    // Two bands tie where one of the gaps of the near phase is 0. A gap that falls with gamma cannot
    // exceed its value at gamma = 0.
    const bool tie1 = phase == "far-near", tie2 = phase == "near-self";
    RationalBox gap1 = tie1 ? RationalBox{0, 0} : gap, gap2 = tie2 ? RationalBox{0, 0} : gap;
    if (far) gap1.hi = std::min(gap.hi, Rational(1 - h.lo));
    if (!self) gap2.hi = std::min(gap2.hi, far ? Rational(1) : h.hi);
    require(!is_empty(gap1) && !is_empty(gap2), "no gamma has these gaps");
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

  /// The claim speaks of something: the witness is a point of its box, exactly ([witness]).
  void check_witness(const json& evidence) const {
    std::vector<std::string> names{"rho", "gamma", "alpha", "q"};
    if (L == 2) names.insert(names.end(), {"theta", "r"});
    const auto at = read_witness(evidence, names);
    const Rational gamma = at.at("gamma"), rho = at.at("rho");
    require(gamma >= 0, "gamma of the witness is negative");
    require_inside(at.at("alpha"), alpha, "alpha");
    require_inside(at.at("q"), q, "q");
    if (L == 1) {
      require_inside(rho, box[simplex::rho], "rho");
      require_inside(gamma * (1 - rho), box[simplex::ratio], "gamma*(1-rho)");
      return;
    }
    const Rational h = at.at("theta"), r = at.at("r");
    require_inside(h, box[bands::theta], "theta");
    require_inside(r, box[bands::r], "r");
    require_inside(rho, box[bands::rho], "rho");
    // The logarithms, over ln n, of what the bands weigh; a gap is a difference from the dominating one.
    const Rational of_self = gamma, of_near = h + gamma * r, of_far = 1 + gamma * rho;
    const Rational first = far    ? of_far - of_near
                           : self ? of_self - of_near
                                  : of_near - of_far,
                   second = far    ? of_far - of_self
                            : self ? of_self - of_far
                                   : of_near - of_self;
    require_inside(first, box[bands::gap1], "the first exponent gap");
    require_inside(second, box[bands::gap2], "the second exponent gap");
  }

  /// Narrows the two gaps on a leaf of three bands to what gamma allows, and returns the range of gamma times
  /// the unit of depth; nothing where they contradict each other ([band-tails]).
  std::optional<RationalBox> contract(Box& leaf) const {
    if (L == 1) return leaf[simplex::ratio];
    const RationalBox whole{1, 1}, h = leaf[bands::theta], r = leaf[bands::r], rho = leaf[bands::rho];
    Box gaps{leaf[bands::gap1], leaf[bands::gap2]};
    const auto gamma = far    ? narrow(gaps, {whole - h, whole}, {rho - r, rho - whole}, 0)
                       : self ? narrow(gaps, {-h, -whole}, {whole - r, whole - rho}, 0)
                              : narrow(gaps, {h - whole, h}, {r - rho, r - whole}, 0);
    leaf[bands::gap1] = gaps[0], leaf[bands::gap2] = gaps[1];
    return gamma;
  }
  /// n^-e (ln n)^j with its limit 0; exactly 1 for e = j = 0 ([vanishing]).
  static Scaled vanishing(const Powers& powers, const LinearForm& e, long j = 0) {
    if (e.is_zero() && j == 0) return 1;
    return {Interval(0, bits), powers.plain(e, j), powers.scaled(e, j)};
  }
  /// |Q - L| n^k (ln n)^-p on a leaf.
  std::optional<Interval> bound(Box leaf) const {
    const std::optional<RationalBox> gamma = contract(leaf);
    if (!gamma) return std::nullopt;
    const Interval t = log_N / interval(leaf[bands::x]);
    const Powers powers{leaf, t, rates, p, nonnegative};
    const Layer<Scaled> values(inputs(leaf, *gamma, powers));
    // ln Z less its leading term: ln of a total weight with limit 1 or 2.
    if (quantity.name == "log_partition")
      return abs(values.total.rest / hull(values.total.limit, values.total.value));
    return abs(values.quantity(quantity.name, quantity.index ? *quantity.index + 1 : 0).rest);
  }
  LayerInputs<Scaled> inputs(const Box& leaf, const RationalBox& gamma, const Powers& powers) const {
    LayerInputs<Scaled> in;
    in.ratio.resize(L + 1, std::vector<Scaled>(L + 1));
    for (std::size_t b = 0; b <= L; ++b) {
      in.weight.push_back(vanishing(powers, weight[b]));
      for (std::size_t l = 0; l < b; ++l) in.ratio[l][b] = vanishing(powers, theta[b] - theta[l]);
      const RationalBox r = b == 0   ? RationalBox{1, 1}
                            : L == 1 ? leaf[simplex::rho]
                                     : leaf[b == 1 ? bands::r : bands::rho];
      in.r.push_back(interval(r));
      in.unit = L == 1 ? Scaled(interval(RationalBox{1, 1} - r)) : 1;
      in.depth.push_back(L == 1 ? Scaled(b == 0 ? 0 : 1) : interval(RationalBox{1, 1} - r));
    }
    if (quantity.name != "jacobian_norm") {
      in.s = interval(leaf[layer]);
      return in;
    }
    const Interval per_d = interval(leaf[layer + 2]), g = interval(gamma);
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
  bool far, self;
  RationalBox alpha, q, gap;
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
  tail.check_witness(evidence);
  check_tree(
      evidence, tail.coordinates, tail.box, [&](const Box& leaf) { return tail.bound(leaf); },
      small_number(claim, "C"));
  const Powers powers{tail.box, tail.log_N, tail.rates, tail.p, tail.nonnegative};
  return -powers.excess(tail.zero).hi;
}

}  // namespace critscale::checker
