// psi and chi by the trapezoidal rule. [laplace-nodes]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "critscale/random/detail/functions.hpp"
#include "critscale/random/law.hpp"

namespace critscale::random {

namespace {

/// Largest |arg w| allowed on the edge of the strip; below pi/2, so that Re w > 0.
constexpr double largest_argument = 1.4;

/// Nodes of the rule with what bounds everything that is left out.
struct Nodes {
  std::vector<Ball> p, w;     ///< masses and weights, weights ascending
  std::vector<double> log_w;  ///< near ln w, to find places only
  Ball left;                  ///< at least the mass of all nodes left of the first
  /// At least the sums of p, p w and p w^2 over all nodes right of the last.
  Ball right, right_w, right_w2;
  /// Errors of the rule: |rule - psi| <= error psi; |rule - chi| and the same for E (1 - exp(-t w))^2 are at
  /// most error_squares E min(t w, 1)^2.
  Ball error, error_squares;
};

/// The rule's error is at most 2 M/(exp(2 pi a/h) - 1) where M bounds the integral of |f| along both edges
/// of the strip |Im x| <= a. [trapezoid]
Ball rule_error(const Ball& edge, const Ball& a, const Ball& h) {
  return 2 * edge / expm1(2 * pi(h.precision()) * a / h);
}

/// Errors from a bound `density` on how the density grows towards the edge of the strip, where |arg w| <=
/// `argument` and |w| <= `growth` w. [laplace-nodes]
void set_errors(Nodes& nodes, const Ball& density, const Ball& argument, const Ball& growth, const Ball& a,
                const Ball& h) {
  const Bits bits = h.precision();
  // 1 - e^(-w) >= (1 - 1/e) min(w, 1).
  const Ball share = -expm1(Ball(-1, bits)), two(2, bits);
  nodes.error = rule_error(density * max(growth, two) / share, a, h);
  // |w^2 e^(-w)| <= min(|w|^2, peak) and |1 - e^(-w)|^2 <= min(|w|^2, 4).
  const Ball peak = max(4 * exp(Ball(-2, bits)) / sqr(cos(argument)), sqr(two));
  nodes.error_squares = rule_error(density * max(sqr(growth), peak), a, h);
}

/// The distance of two nodes: an exact number near h.
Ball step_near(double h, Bits bits) {
  int exponent;
  const double mantissa = std::frexp(h, &exponent);
  return scaled(Ball(static_cast<long>(mantissa * 4096), bits), Integer(exponent - 12));
}

void require_nodes(double count) {
  if (!(count < most_nodes))
    throw LimitError(
        fmt::format("the scores' scale b is too large for this accuracy: the rule would need {:.3g} nodes, "
                    "the limit is {:.3g}",
                    count, most_nodes));
}

/// v = tanh(sinh x), whose density is c cosh x sech(sinh x)^(m-1).
Nodes sphere_nodes(const WeightLaw& law, Bits bits, const NodeOptions& options) {
  const double m = rough(law.m), b = std::max(rough(law.b), 1e-3),
               goal = 0.6932 * static_cast<double>(bits) + 5;
  const double a_near = std::min({0.5 * std::atan(2 * largest_argument / b), std::sqrt(2 * goal / m), 0.7});
  Nodes nodes;
  const Ball a = step_near(a_near, law.bits()), tangent = tan(a);
  const Ball narrow = 1 - sqr(tangent);
  const Ball argument = law.b * tangent / narrow, growth = exp(law.b * sqr(tangent) / narrow);
  const Ball density = exp(-log(narrow) * (law.m - 1) / 2) / cos(a);
  if (!certainly(less(argument, pi(law.bits()) / 2)) || !certainly(narrow.is_positive()))
    throw LimitError("the scores' scale b is not known well enough to choose the nodes of the rule");
  const double h_near = 6.2831 * rough(a) / ((goal + rough_log(density) + 4) * options.density);
  const Ball h = step_near(h_near, law.bits());
  set_errors(nodes, density, argument, growth, a, h);

  // The window: to the right until the mass left out is small beside E w^2 or 1/keys^2, to the left beside 1.
  const auto reach = [&](double loss) {
    const double y = loss / (m - 1), z = std::expm1(std::min(y, 30.0));
    return 1.05 * std::asinh(std::max(y, std::log1p(z + std::sqrt(z * (z + 2)))));
  };
  const double v = std::min(1 - 1e-16, 4 * b / (m + std::sqrt(m * m + 16 * b * b)));
  const double loss = 2 * b * (1 - v) - 0.5 * m * std::log1p(-v * v);
  const double first = -reach(goal), last = reach(goal + std::min(loss, 2 * options.log_keys));
  require_nodes((last - first) / h_near);
  const long from = static_cast<long>(std::floor(first / h_near)),
             to = static_cast<long>(std::ceil(last / h_near));
  const Ball c = exp(log_gamma(law.m / 2) - log_gamma((law.m - 1) / 2)) / sqrt(pi(law.bits()));
  const Ball shift = options.shift == 0 ? Ball(0, law.bits()) : step_near(options.shift, law.bits());
  const auto sinh_at = [&](long j) { return sinh((shift + j) * h); };
  for (long j = from; j <= to; ++j) {
    const Ball x = sinh_at(j), e = exp(2 * x);
    // cosh of the outer variable from sinh; v - 1 = -2/(e^(2x) + 1).
    nodes.p.push_back((h * c * sqrt(1 + sqr(x)) * exp(-(law.m - 1) * log_cosh(x))).at(bits + 32));
    const Ball log_w = -(2 * law.b / (e + 1));
    nodes.log_w.push_back(rough(log_w));
    nodes.w.push_back(exp(log_w).at(bits + 32));
  }
  // The density falls on both sides of 0, and sech(x)^(m-1) like exp(-(m-1) tanh(x_0) x) beyond x_0.
  const auto mass_beyond = [&](long j) {
    const Ball x = abs(sinh_at(j));
    return up_to((c * exp(-(law.m - 1) * log_cosh(x)) / ((law.m - 1) * tanh(x))).at(64));
  };
  if (from >= -1 || to <= 1) throw LimitError("the rule has too few nodes");
  nodes.left = mass_beyond(from);
  nodes.right = nodes.right_w = nodes.right_w2 = mass_beyond(to);
  return nodes;
}

/// v = x/sqrt m with the normal density: ln w = c x - b, c = b/sqrt m.
Nodes gaussian_nodes(const WeightLaw& law, Bits bits, const NodeOptions& options) {
  const Ball c = law.b / sqrt(law.m);
  const double goal = 0.6932 * static_cast<double>(bits) + 5, c_near = std::max(rough(c), 1e-3);
  Nodes nodes;
  const Ball a = step_near(std::min(largest_argument / c_near, std::sqrt(2 * goal)), law.bits());
  const Ball argument = c * a, density = exp(sqr(a) / 2);
  if (!certainly(less(argument, pi(law.bits()) / 2)))
    throw LimitError("the scores' scale b is not known well enough to choose the nodes of the rule");
  const double h_near = 6.2831 * rough(a) / ((goal + rough_log(density) + 4) * options.density);
  const Ball h = step_near(h_near, law.bits());
  set_errors(nodes, density, argument, Ball(1, law.bits()), a, h);
  // To the right until the mass left out is small beside E w^2, or beside 1/keys^2.
  const double reach = std::sqrt(2 * goal) + 1, first = -reach,
               last = std::min(reach + 2 * c_near, std::sqrt(2 * (goal + 2 * options.log_keys)) + 1);
  require_nodes((last - first) / h_near);
  const long from = static_cast<long>(std::floor(first / h_near)),
             to = static_cast<long>(std::ceil(last / h_near));
  const Ball shift = options.shift == 0 ? Ball(0, law.bits()) : step_near(options.shift, law.bits());
  // p and w from node to node by their ratios, anew so often that errors do not add up.
  constexpr long renewal = 64;
  const Ball w_ratio = exp(c * h), p_bend = exp(-sqr(h));
  Ball p(0, law.bits()), p_ratio = p, w = p;
  for (long j = from; j <= to; ++j) {
    const Ball x = (shift + j) * h;
    if ((j - from) % renewal == 0) {
      p = h * normal_density(x);
      p_ratio = exp(-h * (x + h / 2));
      w = exp(c * x - law.b);
    }
    nodes.p.push_back(p.at(bits + 32));
    nodes.log_w.push_back(rough(c * x - law.b));
    nodes.w.push_back(w.at(bits + 32));
    p *= p_ratio;
    p_ratio *= p_bend;
    w *= w_ratio;
  }
  // p w^k is a normal density about k c, times E w^k: beyond the last node it falls, or it reaches its top.
  const Ball end = (shift + to) * h;
  const auto beyond = [&](long k) {
    Ball mass = normal_tail(end - k * c);
    if (!certainly(greater(end, k * c))) mass += h * normal_density(Ball(0, law.bits()));
    return up_to((mass * law.moment(Ball(k, 64))).at(64));
  };
  if (!certainly(end.is_positive())) throw LimitError("the rule has too few nodes");
  nodes.left = up_to(normal_tail(-((shift + from) * h)).at(64));
  nodes.right = beyond(0);
  nodes.right_w = beyond(1);
  nodes.right_w2 = beyond(2);
  return nodes;
}

/// The smaller of two bounds. The minimum as a Ball would carry the larger one's rounding.
Ball up_to_smaller(const Ball& a, const Ball& b) { return up_to(a.upper() < b.upper() ? a : b); }

/// Sums over the nodes for any t: where t w is small by prefix sums of p w^k, where it is large by suffix
/// sums of p, and node by node between.
class NodeSums final : public Laplace {
 public:
  NodeSums(Nodes nodes, Bits bits) : nodes_(std::move(nodes)), bits_(bits) {
    const double powers = 0.6932 * static_cast<double>(bits) / cut;
    powers_ = 3 + static_cast<std::size_t>(powers);
    const std::size_t count = nodes_.p.size();
    std::vector<Ball> sums(powers_ + 1, Ball(0, bits + 32));
    for (std::size_t j = 0; j < count; ++j) {
      if (j % block == 0) prefix_.push_back(sums);
      Ball term = nodes_.p[j];
      sums[0] += term;
      for (std::size_t k = 1; k <= powers_; ++k) sums[k] += term *= nodes_.w[j];
    }
    suffix_.assign(count / block + 2, Ball(0, bits + 32));
    for (std::size_t j = count; j-- > 0;) {
      const std::size_t i = j / block;
      suffix_[i] += nodes_.p[j];
      if (j % block == 0 && i > 0) suffix_[i - 1] = suffix_[i];
    }
  }

  Bits argument_bits() const override { return bits_ + 32; }

  Ball psi(const Ball& t) const override { return *sums(t, true, false).psi; }
  Ball chi(const Ball& t) const override { return *sums(t, false, true).chi; }
  std::pair<Ball, Ball> psi_and_chi(const Ball& t) const override {
    const Both both = sums(t, true, true);
    return {*both.psi, *both.chi};
  }

 private:
  static constexpr std::size_t block = 16;
  static constexpr double cut = 8;  ///< t w below exp(-cut) is small

  struct Both {
    std::optional<Ball> psi, chi;
  };
  Both sums(const Ball& t, bool with_psi, bool with_chi) const {
    const auto [low, high] = middle(t);
    Both r;
    if (with_psi) r.psi = small_part(t, low, 1);
    if (with_chi) r.chi = small_part(t, low, 2);
    Ball squares = with_chi ? up_to(sqr(t) * prefix_[low / block][2]) : Ball(0, 64);
    for (std::size_t j = low; j < high; ++j) {
      // u is not small: 1 - e^(-u) loses fewer bits than the nodes have to spare.
      const Ball u = t * nodes_.w[j], e = exp(-u);
      if (with_psi) *r.psi += nodes_.p[j] * (1 - e);
      if (!with_chi) continue;
      *r.chi += nodes_.p[j] * sqr(u) * e;
      squares += (nodes_.p[j] * sqr(min(u, Ball(1, 64)))).at(64);
    }
    if (with_psi) r.psi = whole_psi(t, *r.psi, high);
    if (with_chi) r.chi = whole_chi(t, *r.chi, squares, high);
    return r;
  }

  /// psi from the sum over the nodes before `high`.
  Ball whole_psi(const Ball& t, Ball sum, std::size_t high) const {
    if (high < nodes_.p.size()) sum += suffix_[high / block] * (1 - up_to(exp(-(t * nodes_.w[high]))));
    // Nodes left out: psi's terms p (1 - exp(-t w)) are at most p min(1, t w).
    sum += up_to(nodes_.left * min(Ball(1, 64), t * nodes_.w[0]));
    sum += up_to_smaller(nodes_.right, t * nodes_.right_w);
    // psi <= rule/(1 - error).
    return enclosed(sum, 2 * nodes_.error, sum);
  }

  /// chi likewise, with at least the sum of p min(u, 1)^2 over those nodes.
  Ball whole_chi(const Ball& t, Ball sum, Ball squares, std::size_t high) const {
    if (high < nodes_.p.size()) {
      // u^2 e^(-u) falls beyond u = 2.
      const Ball u = t * nodes_.w[high], mass = suffix_[high / block];
      const bool falls = certainly(greater(u, Ball(2, 64)));
      sum += up_to(falls ? Ball(mass * sqr(u) * exp(-u)) : mass);
      squares += mass;
    }
    // Terms left out are at most p min(1, t w)^2.
    const Ball rest = up_to(nodes_.left * sqr(min(Ball(1, 64), t * nodes_.w[0]))) +
                      up_to_smaller(nodes_.right, sqr(t) * nodes_.right_w2);
    // With D = E min(u, 1)^2: (1 - 1/e)^2 D <= E (1 - e^(-u))^2 <= squares + error D, so that D <= 4 squares.
    return enclosed(sum + rest, 4 * nodes_.error_squares, squares + rest);
  }

  /// The integral from the rule's value and its error, which is a part of `scale`; nothing is known where
  /// that part is not small.
  static Ball enclosed(const Ball& rule, const Ball& part, const Ball& scale) {
    if (!certainly(less(8 * part.at(64), Ball(1, 64)))) return Ball::whole_line(rule.precision());
    return rule + within(part.at(64) * scale.at(64));
  }

  /// sum over the nodes before `low` of p (1 - exp(-u)) (offset 1) or p u^2 exp(-u) (offset 2), u = t w.
  Ball small_part(const Ball& t, std::size_t low, std::size_t offset) const {
    const std::vector<Ball>& s = prefix_[low / block];
    Ball sum(0, bits_ + 32), power = offset == 1 ? t : sqr(t);
    for (std::size_t k = 0;; ++k) {
      if (k > 0) power = power * t / static_cast<long>(offset == 1 ? k + 1 : k);
      const Ball term = power * s[k + offset];
      if (k + offset == powers_) return sum + within(term);
      if (k % 2 == 0)
        sum += term;
      else
        sum -= term;
    }
  }

  /// The nodes to be taken one by one; both ends are multiples of a block, or the number of nodes.
  std::pair<std::size_t, std::size_t> middle(const Ball& t) const {
    const double log_t = rough_log(t), top = std::log(0.6932 * static_cast<double>(bits_) + 8);
    const auto find = [&](double u) {
      return static_cast<std::size_t>(std::lower_bound(nodes_.log_w.begin(), nodes_.log_w.end(), u - log_t) -
                                      nodes_.log_w.begin());
    };
    const std::size_t count = nodes_.p.size();
    const std::size_t low = find(-cut) / block * block;
    const std::size_t high = (find(top) + block - 1) / block * block;
    return {std::min(low, (count - 1) / block * block), std::min(std::max(high, low), count)};
  }

  Nodes nodes_;
  Bits bits_;
  std::size_t powers_;
  std::vector<std::vector<Ball>> prefix_;  ///< sums of p w^k over the nodes before each block
  std::vector<Ball> suffix_;               ///< sums of p from each block on
};

}  // namespace

std::unique_ptr<Laplace> laplace_by_nodes(const LawAt& law, Bits bits, NodeOptions options) {
  const WeightLaw near = law(64);
  const double size = std::max({0.0, rough_log(abs(near.b) + 1), rough_log(near.m)});
  const WeightLaw w = law(bits + 40 + static_cast<Bits>(3 * size));
  return std::make_unique<NodeSums>(
      w.law == KeyLaw::sphere ? sphere_nodes(w, bits, options) : gaussian_nodes(w, bits, options), bits);
}

}  // namespace critscale::random
