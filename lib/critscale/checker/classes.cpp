// Class claims: finite-n inequalities that hold for every configuration of a class and all whole n >= N
// ([near-simplex], [interval-bands], [nested-bands]). Uses tree.hpp.
#include "critscale/checker/detail/tree.hpp"

namespace critscale::checker {
namespace {

struct Row {
  const char *theorem, *name, *quantity, *relation, *gamma;  // the coordinate of gamma, or the phase
};
constexpr Row rows[] = {  // bands: also with -1
    {"2.3", "near-simplex", "inner_products-rho1", ">=", "gamma*(1-rho1)"},
    {"2.3", "near-simplex", "inner_products-rho1/(1-kappa)", ">=", "gamma*(1-rho1)"},
    {"2.3", "near-simplex", "attention_displacement", "<=", "gamma*(1-rho2)"},
    {"2.3", "near-simplex", "inner_product_change", "<=", "gamma*(1-rho2)"},
    {"2.5", "near-simplex", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", "<=", "gamma*(1-rho1)"},
    {"2.5", "near-simplex", "jacobian_norm/(1-1/d)", ">=", "gamma*(1-rho2)"},
    {"2.5", "near-simplex", "jacobian_norm/(1-1/d)-1/q2", ">=", "gamma*(1-rho2)"},
    {"C.2", "interval-bands", "far_mass", ">=", "far"},
    {"C.2", "interval-bands", "near_mass", ">=", "near"},
    {"C.2", "interval-bands", "self_weight", ">=", "self"},
    {"C.2", "nested-bands", "leading_mass", ">=", nullptr}};

// The coordinates of a proof by place; the last is x = ln N/ln n.
namespace near_simplex {
enum : std::size_t { rho1, spread, ratio, alpha };
}
/// A class claim: quantity relation bound n^-k (ln n)^p.
struct Class {
  Class(const std::string& theorem, const json& claim)
      : description(member(claim, "class")),
        box(member(description, "box")),
        quantity(text(claim, "quantity")),
        upper(text(claim, "relation") == "<="),
        bands(text(description, "name") != "near-simplex"),
        less_one(bands && quantity.ends_with("-1")),
        p(claim.contains("p") ? integer(claim, "p") : 0) {
    const std::string name = text(description, "name");
    row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) {
      return theorem == r.theorem && name == r.name &&
             quantity == std::string(r.quantity) + (less_one ? "-1" : "") &&
             text(claim, "relation") == r.relation;
    });
    require(row != std::end(rows), fmt::format("theorem {} does not speak of {} so on the class {}", theorem,
                                               quantity, in_quotes(name)));
    const Rational N = small_number(claim, "N");
    require(N >= 2, "N is below 2");
    log_N = log(Interval(N, bits));
    const std::string k = claim.contains("k") ? text(claim, "k") : "0";
    if (bands)
      read_bands(k);
    else
      read_near_simplex(theorem, k);
    constant = k == "0" && p == 0;
    if (rates.empty()) rates = {{k == "0" ? Rational(0) : small_number(claim, "k"), {}}};
    coordinates.emplace_back("x");
    whole.push_back({0, 1});
  }

  /// The exponents of n are forms in sigma = |gamma ratio - 1| and, below the threshold, chi = gamma
  /// (1-rho2).
  void read_near_simplex(const std::string& theorem, const std::string& k) {
    require_keys(description, {"name", "box"}, "the class");
    coordinates = {"rho1", "spread", row->gamma, "alpha"};
    below = row->gamma == std::string("gamma*(1-rho1)");
    std::vector<std::string> keys = coordinates;
    keys.emplace_back("q");
    if (box.contains("n/d")) {
      require(quantity.starts_with("jacobian_norm-"), "the claim does not depend on n/d");
      per_dimension = range(box, "n/d");
      require(per_dimension.lo == 0 && per_dimension.hi >= 1, "n/d needs an upper end of at least 1");
      keys.emplace_back("n/d");
    }
    require_keys(box, keys, "the box");
    for (const std::string& coordinate : coordinates) whole.push_back(range(box, coordinate));
    q = range(box, "q");
    const RationalBox &rho1 = whole[near_simplex::rho1], &spread = whole[near_simplex::spread],
                      &g = whole[near_simplex::ratio], &alpha = whole[near_simplex::alpha];
    require(rho1.lo > 0 && spread.lo >= 0 && rho1.hi + spread.hi < 1 && alpha.lo >= 0 && q.lo > 0,
            "the class needs 0 < rho1 <= rho2 < 1, alpha >= 0 and q1 > 0");
    require(below ? g.lo >= 0 && g.hi < 1 : g.lo > 1, "gamma is not on one side of its threshold");
    require(theorem != "2.5" || alpha == RationalBox{0, 0}, "theorem 2.5 has alpha = 0");
    if (k == (below ? "1-gamma*(1-rho1)" : "gamma*(1-rho2)-1")) rates = {sigma};
    if (below && k == "min(2-2*gamma*(1-rho1),1-gamma*(rho2-rho1))") rates = {sigma_twice, sigma_chi};
  }
  /// Groups of keys: the token itself, then the bands, from the inside out. The exponents of n are forms in
  /// those of the clusters' sizes, but for the last, 1, and the smallest gap.
  void read_bands(const std::string& k) {
    require_keys(description, {"name", "box", "phase"}, "the class");
    const std::string phase = text(description, "phase");
    if (row->gamma != nullptr) {
      coordinates = {"theta"};
      require(phase == row->gamma, "another band dominates in that phase");
      lead = phase == "far" ? 2 : phase == "near" ? 1 : 0;
    } else {
      require(box.size() >= 2 && box.size() <= 8, "the class has 2 to 8 bands");
      for (std::size_t b = 0; b + 1 < box.size(); ++b) coordinates.push_back(fmt::format("theta[{}]", b));
      const auto [name, band] = parse_subscripted(phase);
      require(band ? name == "band" && *band < box.size() : phase == "self", "the class has no such band");
      lead = band ? *band + 1 : 0;
    }
    coordinates.emplace_back("gap");
    require_keys(box, coordinates, "the box");
    for (const std::string& coordinate : coordinates) whole.push_back(range(box, coordinate));
    bool rising = whole.back().lo > 0;
    for (std::size_t i = 0; i + 1 < whole.size(); ++i)
      rising = rising && whole[i].lo > (i == 0 ? Rational(0) : whole[i - 1].hi) && whole[i].hi < 1;
    require(rising, "bands need 0 < theta < 1, rising from band to band, and positive gaps");
    sizes = {zero};
    for (std::size_t i = 0; i < whole.size(); ++i) {
      LinearForm one_of{0, std::vector<Rational>(whole.size())};
      one_of.weights[i] = 1;
      sizes.push_back(std::move(one_of));
    }
    gap = sizes.back();
    sizes.back() = one;
    if (k == "gap") rates = {gap};
  }

  /// The class is not empty: it contains the simplex, or the three bands, of the witness ([witness]).
  void check_witness(const json& evidence) const {
    if (!bands) {
      const auto at = read_witness(evidence, {"rho1", "rho2", "gamma", "alpha"});
      const Rational rho1 = at.at("rho1"), rho2 = at.at("rho2"), gamma = at.at("gamma");
      require_inside(rho1, whole[near_simplex::rho1], "rho1");
      require_inside(rho2 - rho1, whole[near_simplex::spread], "rho2-rho1");
      require_inside(gamma * (1 - (below ? rho1 : rho2)), whole[near_simplex::ratio], row->gamma);
      require_inside(at.at("alpha"), whole[near_simplex::alpha], "alpha");
      return;
    }
    const bool three = row->gamma != nullptr;
    std::vector<std::string> names(coordinates.begin(), coordinates.end() - 2), inner;
    for (std::size_t b = 0; b + 1 < sizes.size(); ++b)
      inner.push_back(!three ? fmt::format("r[{}]", b) : b == 0 ? "r" : "rho");
    std::vector<std::string> all = names;
    all.insert(all.end(), inner.begin(), inner.end());
    all.emplace_back("gamma");
    const auto at = read_witness(evidence, all);
    const Rational gamma = at.at("gamma");
    // The logarithms, over ln n, of what the groups weigh.
    std::vector<Rational> weights{gamma};
    for (std::size_t b = 0; b < inner.size(); ++b) {
      const Rational r = at.at(inner[b]), outer = b == 0 ? Rational(1) : at.at(inner[b - 1]);
      require(0 <= r && r <= outer && gamma >= 0, "the witness is no configuration of nested bands");
      if (b < names.size()) require_inside(at.at(names[b]), whole[b], names[b]);
      weights.push_back((b < names.size() ? at.at(names[b]) : Rational(1)) + gamma * r);
    }
    const Rational leading = weights[lead];
    weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(lead));
    require_inside(leading - *std::max_element(weights.begin(), weights.end()), whole[names.size()],
                   "the smallest exponent gap");
    // Of three bands both gaps are in the range.
    if (three)
      require_inside(leading - *std::min_element(weights.begin(), weights.end()), whole[names.size()],
                     "the larger exponent gap");
  }

  /// The worst case on a leaf, over all its n and all configurations, times n^k (ln n)^-p; negated for >=.
  Interval worst(const Box& leaf) const {
    const Interval t = log_N / interval(leaf.back());
    const Box exponents = bands ? Box(leaf.begin(), leaf.end() - 1) : near_simplex_exponents(leaf);
    const Powers powers{exponents, t, rates, p, none};
    return bands   ? dominant_mass(powers)
           : below ? below_threshold(leaf, powers)
                   : above_threshold(leaf, powers);
  }
  Box near_simplex_exponents(const Box& leaf) const {
    const RationalBox one{1, 1}, &g = leaf[near_simplex::ratio];
    const RationalBox outside = leaf[near_simplex::spread] / (one - leaf[near_simplex::rho1]);
    return below ? Box{one - g, g * (one - outside)} : Box{g - one, one};
  }

  /// [near-simplex], gamma (1-rho1) < 1. A_ii is at most `own`, and A_ik at most n^-chi of that.
  Interval below_threshold(const Box& leaf, const Powers& powers) const {
    const Interval rho1 = interval(leaf[near_simplex::rho1]),
                   rho2 = rho1 + interval(leaf[near_simplex::spread]),
                   g = interval(leaf[near_simplex::ratio]);
    const Interval others = powers.plain(sigma) + 1 - powers.plain(one);
    const Interval own = 1 / (1 + (1 - powers.plain(one)) / powers.plain(sigma)), drop = powers.plain(chi);
    if (row->theorem == std::string("2.3")) {
      // With c = 1/(1+s), (2s+1)/(1+s)^2 is 1 - (1-c)^2.
      const Interval c = 1 / (1 + interval(leaf[near_simplex::alpha]) * sqrt(Interval(q.hi, bits)));
      const Interval kappa_limit = (1 - rho2) * (1 - sqr(1 - c));
      const Interval kappa = (1 - rho2) * ((1 - own) * (1 - sqr(1 - c) + own * (1 - drop) * sqr(c)));
      if (quantity == "inner_products-rho1") return -(rho1 * (1 / (1 - kappa) - 1)) * powers.scaled(zero);
      const Interval missing = (1 - rho2) * (powers.scaled(sigma) / others *
                                             (2 * c * (1 - c) + sqr(c) * (own + (1 - own) * drop)));
      return rho1 * missing / ((1 - kappa) * (1 - kappa_limit));
    }
    const Interval gamma = g / (1 - rho1), none_below(0, bits), half(Rational(1, 2), bits);
    const Interval along = max(rho2 * (rho2 + (1 - rho2) * own * drop) - rho1, none_below);
    const Interval apart = (1 - 2 * rho1 + rho2 + (1 - rho2) * own) * (1 - sqr(rho1));
    // beta/d and beta^2/d are at most this times gamma (ln n)/n and gamma^2 (ln n)^2/n.
    const Interval h(per_dimension.hi, bits);
    const Interval stretch =
        1 + h * (2 * (gamma * powers.plain(one, 1) * along) + sqr(gamma) * powers.plain(one, 2) * apart);
    return (powers.scaled(sigma_chi) * (1 - min(own, half)) / others * stretch +
            powers.scaled(sigma_twice) / sqr(others) + 2 * h * (g * powers.scaled(sigma_one, 1) / others)) /
           Interval(q.lo, bits);
  }
  /// [near-simplex], gamma (1-rho2) > 1. The other keys weigh at most W = (1-u) n^-sigma times the token, and
  /// each of them at most u n^-sigma.
  Interval above_threshold(const Box& leaf, const Powers& powers) const {
    const Interval rho1 = interval(leaf[near_simplex::rho1]), spread = interval(leaf[near_simplex::spread]),
                   rho2 = rho1 + spread, u = powers.plain(one), fall = powers.plain(sigma),
                   W = (1 - u) * fall;
    // n^-sigma/(1+W), and on the scale.
    const Interval share = 1 / (1 / fall + (1 - u)),
                   scaled = constant ? share : powers.scaled(sigma) / (1 + W);
    const Interval q2 = Interval(q.hi, bits);
    if (quantity == "jacobian_norm/(1-1/d)") return -(powers.scaled(zero) / (q2 * sqr(1 + W)));
    if (quantity == "jacobian_norm/(1-1/d)-1/q2") return scaled * (1 - u) * (1 + 1 / (1 + W)) / q2;
    if (quantity == "attention_displacement")
      return scaled * sqrt((1 - u) * ((1 - u) * (1 - rho1 + spread) + u * (1 - rho2)));
    // t, tau and y of the theory, and with a dash over n^-sigma/(1+W); c = 1 + alpha sqrt q1.
    const Interval c = 1 + interval(leaf[near_simplex::alpha]) * sqrt(Interval(q.lo, bits)), h = u * fall;
    const Interval t_ = (1 - u) / c, t = share * t_, tau_ = t_ * (2 - t), tau = 1 - sqr(1 - t);
    const Interval y_ = (1 - rho2) * (tau_ - t_ * h / c), y = (1 - rho2) * (tau - t * h / c);
    const Interval shared = 2 * (1 - rho2) * u * (1 + W) / c;
    const Interval up = (spread * tau_ + shared + rho1 * (1 - rho1) * tau_) / (1 - (1 - rho1) * tau);
    const Interval both = (spread * tau_ - rho2 * y_) / (1 - y);
    const Interval one_moves = spread * t_ - rho2 * y_ / 2 + spread * t_ * y / 2;
    return scaled * max(max(up, both), max(one_moves, Interval(0, bits)));
  }
  /// [nested-bands]: what all other groups weigh, relative to the one that dominates. A group of n^e less
  /// n^f keys has (1 - n^-(e-f)) n^e.
  Interval dominant_mass(const Powers& powers) const {
    Interval count(0, bits), leading(0, bits);
    for (std::size_t t = 0; t < sizes.size(); ++t) {
      const Interval keys = t == 0 ? Interval(1, bits) : 1 - powers.plain(sizes[t] - sizes[t - 1]);
      (t == lead ? leading : count) += keys;
    }
    count = count / leading;
    const Interval others = count * powers.plain(gap);
    if (less_one) return count * powers.scaled(gap) / (1 + others);
    return -(powers.scaled(zero) / (1 + others));
  }

  const LinearForm zero{0, {}}, one{1, {}}, sigma{0, {1}}, chi{0, {0, 1}}, sigma_chi{0, {1, 1}},
      sigma_twice{0, {2}}, sigma_one{1, {1}};
  const json &description, &box;
  std::string quantity;
  bool upper, bands, less_one, below = false, constant = false;
  long p;
  const Row* row = nullptr;
  Interval log_N;
  RationalBox q{0, 0}, per_dimension{0, 1};    ///< of |x_i|^2 and of n/d; of near-simplex classes
  std::vector<LinearForm> rates, none, sizes;  ///< sizes: of the groups of keys
  LinearForm gap;
  std::size_t lead = 0;  ///< the group that dominates
  std::vector<std::string> coordinates;
  Box whole;
};

}  // namespace

void check_class(const std::string& theorem, const json& claim, const json& evidence) {
  std::vector<std::string> keys{"class", "quantity", "relation", "bound", "N"};
  if (claim.contains("k") || claim.contains("p")) keys.insert(keys.end(), {"k", "p"});
  require_keys(claim, keys, "the claim");
  const Class what(theorem, claim);
  what.check_witness(evidence);
  const Rational bound = small_number(claim, "bound");
  check_tree(
      evidence, what.coordinates, what.whole, [&](const Box& leaf) { return what.worst(leaf); },
      what.upper ? bound : Rational(-bound));
}

}  // namespace critscale::checker
