// The trapezoidal rule over ln t: step, window, tails and error. [trapezoid] [tails]
#include "critscale/random/detail/integral.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "critscale/random/detail/functions.hpp"

namespace critscale::random {

namespace {

/// ln of the accuracy asked for, with what the strip's factors cost.
double goal_of(Bits bits) { return 0.6932 * static_cast<double>(bits) + 8; }

/// A sum with what is known of the terms left out on either side.
struct Sum {
  Ball nodes, left, right;
  bool wanted = true, done = false;
};

class Rule {
 public:
  Rule(const IntegralRequest& r, const WeightLaw& w, const Laplace& transform, Bits bits)
      : request_(r), w_(w), transform_(transform), bits_(bits), goal_(goal_of(bits)) {
    // Strip |Im s| <= 3/2 < pi/2.
    const double h = 6.2831 * 1.5 / (goal_ * r.density);
    step_ = Ball(static_cast<long>(h * 1048576), working()) / (1L << 20);
    h_ = rough(step_);
    edge_ = cos(Ball(3, working()) / 2);
    error_ = 1 / expm1(3 * pi(working()) / step_);
    shift_ = Ball(static_cast<long>(r.shift * 1024), working()) / 1024;
  }

  Integrals run() {
    const Ball one(1, working());
    const long top = request_.aligned ? cut_aligned() : cut_keys_only();
    find_scale(top);
    self_.wanted = request_.aligned;
    self2_.wanted = request_.aligned;
    others_.wanted = request_.with_squares;
    log_.wanted = request_.with_log;
    right_tails(top);
    for (long k = top; !finished(k + 1); --k) add(k);
    // |rule - integral| <= 2 M/(e^(2 pi a/h) - 1), M = I/cos(a)^j; I <= 2 rule.
    const auto relative = [&](const Sum& s, long power) {
      const Ball part = 4 * error_.at(64) * pow(edge_.at(64), Integer(-power));
      if (!certainly(less(8 * part, Ball(1, 64)))) return Ball::whole_line(bits_);
      const Ball rule = step_ * s.nodes + s.left + s.right;
      return rule + within(part * rule.at(64));
    };
    Integrals r;
    if (request_.aligned) {
      r.self = relative(self_, 1);
      r.self2 = relative(self2_, 2);
    }
    if (request_.with_squares) r.others = relative(others_, 2);
    if (request_.with_log)
      r.log_sum = log_scale() + step_ * log_.nodes + log_.left + log_.right +
                  within(2 * error_.at(64) / edge_.at(64) * log_spread());
    return r;
  }

  /// Whether t may be the last node of a row without an aligned key.
  bool decayed(const Ball& t) const {
    const Ball goal(static_cast<long>(goal_), 64), small(static_cast<long>(goal_ + smallness()), 64);
    const bool squares = !request_.with_squares || certainly(greater(survival(t / 2), small));
    return squares &&
           (!request_.with_log || certainly(greater(survival(2 * t) - log_of_log_tail(t) * 2, 2 * goal)));
  }

 private:
  Bits working() const { return bits_ + 32; }
  /// As accurate as the transform needs.
  Ball t_at(long k) const { return exp(((shift_ + k) * step_).at(transform_.argument_bits())); }

  /// phi^exponent = (1 - psi)^exponent, with its relative accuracy, or from 0 on where phi is not told from
  /// 0.
  static Ball power(const Ball& psi, const Ball& exponent) {
    const Ball log_phi = log1p(-psi);
    if (log_phi.is_finite() || !psi.is_finite()) return exp(exponent * log_phi);
    return up_to(exp(exponent * log(largest_phi(psi))));
  }
  static Ball largest_phi(const Ball& psi) { return Ball::exactly((1 - psi).upper(), psi.precision()); }
  /// -keys ln phi(t), or a number below it.
  Ball survival(const Ball& t) const {
    const Ball psi = transform_.psi(t), log_phi = log1p(-psi);
    return -(request_.keys * (log_phi.is_finite() || !psi.is_finite() ? log_phi : log(largest_phi(psi))));
  }
  /// ln sqrt(E(1/w)/(keys t)), which with phi(2 t)^(keys/2) bounds the rest of E ln W. [log-keys-only]
  Ball log_of_log_tail(const Ball& t) const {
    return (log(w_.moment(Ball(-1, 64))) - request_.log_keys.at(64) - log(t.at(64))) / 2;
  }

  /// The smallest k found with accept(t_k), which holds from some t on; `low` is below it. Without an aligned
  /// key 2 t_k stays within the transform's reach.
  template <class F>
  long first_where(double low, F&& accept) const {
    const double reach = transform_.log_reach() - (request_.aligned ? 0 : std::log(2.0));
    const long top = reach < 1e9
                         ? static_cast<long>(std::floor(reach / h_ - 0.01)) - (request_.aligned ? 0 : 1)
                         : 1L << 40;
    long lo = static_cast<long>(std::floor(low / h_)), hi = std::min(lo + 64, top);
    while (!accept(t_at(hi))) {
      if (hi >= top) throw LimitError("no end of the integral over t was found at this precision");
      const long width = hi - lo;
      lo = hi;
      hi = std::min(hi + 2 * width, top);
    }
    while (hi - lo > 1) {
      const long middle = lo + (hi - lo) / 2;
      (accept(t_at(middle)) ? hi : lo) = middle;
    }
    return hi;
  }

  /// ln E(1 + W), or ln E W without an aligned key.
  double annealed() const {
    const Ball others = request_.keys.at(64) * w_.moment(Ball(1, 64));
    return rough_log(request_.aligned ? Ball(1 + others) : others);
  }
  /// How small the integrals may be, as -ln: E A^2 >= 1/E(1 + W)^2, E sum A^2 >= 1/keys.
  double smallness() const { return request_.aligned ? 2 * annealed() : rough_log(request_.keys); }
  /// t (1 + keys E w) bounds t + keys psi from above.
  double start() const { return -annealed() - 2; }
  long cut_aligned() const {
    const Ball goal(static_cast<long>(goal_ + smallness()), 64);
    return first_where(start() + std::log(goal_), [&](const Ball& t) {
      return certainly(greater(t, goal)) || certainly(greater(t + survival(t), goal));
    });
  }
  long cut_keys_only() const {
    return first_where(start() + std::log(goal_), [&](const Ball& t) { return decayed(t); });
  }

  /// The scale t* = 1/r where the row's transform has fallen by about e.
  void find_scale(long top) {
    if (!request_.with_log) return;
    scale_ = first_where(start(), [&](const Ball& t) {
      if (request_.aligned && certainly(greater(t, Ball(1, 64)))) return true;
      return certainly(greater(survival(t) + (request_.aligned ? t : Ball(0, 64)), Ball(1, 64)));
    });
    scale_ = std::min(scale_, top);
    rate_ = exp(log_scale());
  }
  Ball log_scale() const { return -((shift_ + scale_) * step_); }

  /// At least E |ln(X/r)|, X = 1 + W or W. [expectations]
  Ball log_spread() const {
    const Ball ln_r = log_scale();
    if (request_.aligned) {
      const Ball annealed = log1p(request_.keys * w_.moment(Ball(1, working())));
      return up_to((annealed + abs(ln_r)).at(64));
    }
    const Ball center = abs(request_.log_keys - w_.b - ln_r);
    if (w_.law == KeyLaw::sphere) return up_to((center + w_.b).at(64));
    const Ball largest = sqrt(2 * (request_.log_keys + 1) / w_.m);
    return up_to((center + w_.b * largest).at(64));
  }

  /// What the nodes beyond `top` add up to. [tails]
  void right_tails(long top) {
    const Ball t = t_at(top), h = step_.at(64), rest = h / -expm1(-h);
    const auto power = [&](const Ball& x) { return exp(-survival(x)); };
    if (request_.aligned) {
      const Ball end = exp(-t) * power(t);
      self_.right = up_to(rest * end);
      self2_.right = up_to(rest * exp(h) * (t + 1) * end);
      if (others_wanted()) {
        const Ball second = transform_.chi(t) / sqr(t);
        others_.right =
            up_to(rest * exp(h) * request_.keys.at(64) * second * (t + 1) * end / (1 - transform_.psi(t)));
      }
    } else if (others_wanted()) {
      others_.right = up_to(rest * exp(h) * 4 * power(t / 2));
    }
    if (!request_.with_log) return;
    const Ball rt = t * rate_.at(64);
    const Ball rows =
        request_.aligned ? Ball(exp(-t) * power(t) / t) : Ball(exp(log_of_log_tail(t) - survival(2 * t) / 2));
    log_.right = within(up_to(exp(-rt) / rt) + up_to(rows));
  }
  bool others_wanted() const { return request_.with_squares; }

  void add(long k) {
    const Ball exact_t = t_at(k), t = exact_t.at(working());
    const auto [psi, chi] = request_.with_squares ? transform_.psi_and_chi(exact_t)
                                                  : std::pair(transform_.psi(exact_t), Ball(0, 64));
    const Ball self = request_.aligned ? exp(-t) : Ball(1, 64);
    const Ball others = self * power(psi, request_.keys - 1), row = others * (1 - psi);
    if (request_.aligned) {
      self_.nodes += t * row;
      self2_.nodes += sqr(t) * row;
    }
    if (request_.with_squares) others_.nodes += request_.keys * chi * others;
    if (request_.with_log) log_.nodes += exp(-(t * rate_)) - row;
  }

  /// Whether the nodes before k no longer matter; then notes what they add up to. [tails]
  bool finished(long k) {
    const Ball t = t_at(k).at(64), h = step_.at(64);
    // sum_(j<k) h t_j^power = h t_k^power/(e^(power h) - 1).
    const auto below = [&](const Ball& power) { return h * exp(power * log(t)) / expm1(power * h); };
    const Ball one(1, 64);
    bool all = true;
    const auto close = [&](Sum& s, const Ball& bound, const Ball& scale) {
      if (!s.wanted) return;
      s.left = up_to(bound);
      all = all && certainly(less(scaled(s.left, Integer(bits_)), scale));
    };
    if (request_.aligned) {
      close(self_, below(one), step_.at(64) * self_.nodes.at(64));
      close(self2_, below(2 * one), step_.at(64) * self2_.nodes.at(64));
    }
    if (request_.with_squares) close(others_, power_tail(t, h, 2), step_.at(64) * others_.nodes.at(64));
    if (request_.with_log) {
      Ball bound = rate_.at(64) * below(one);
      bound += request_.aligned ? below(one) + power_tail(t, h, 1) : power_tail(t, h, 1);
      close(log_, bound, one);
      log_.left = within(log_.left);
    }
    return all;
  }

  /// keys sum_(j<k) h t_j^p E w^p, which bounds the sums of keys psi (p <= 1) and of keys chi (p <= 2), for
  /// the best p = i/32: its logarithm is convex in p. A coarse choice of p would cost a power of the number
  /// of keys.
  Ball power_tail(const Ball& t, const Ball& h, long largest) {
    const auto bound = [&](std::size_t i) {
      const Ball p = Ball(static_cast<long>(i), 64) / powers_of_one;
      if (!fractional_[i]) fractional_[i] = request_.keys.at(64) * w_.moment(p).at(64);
      return up_to(*fractional_[i] * h * exp(p * log(t)) / expm1(p * h));
    };
    const auto most = static_cast<std::size_t>(powers_of_one * largest);
    std::size_t& i = best_power_[largest - 1];
    if (i == 0) i = most;
    for (Ball here = bound(i);;) {
      const auto smaller = [&](std::size_t j) {
        Ball there = bound(j);
        if (!certainly(less(there.center(), here.center()))) return false;
        i = j;
        here = std::move(there);
        return true;
      };
      if (!(i > 1 && smaller(i - 1)) && !(i < most && smaller(i + 1))) return here;
    }
  }

  static constexpr long powers_of_one = 32;

  const IntegralRequest& request_;
  const WeightLaw& w_;
  const Laplace& transform_;
  Bits bits_;
  double goal_, h_ = 0;
  Ball step_, edge_, error_, shift_, rate_;
  long scale_ = 0;
  Sum self_, self2_, others_, log_;
  std::optional<Ball> fractional_[2 * powers_of_one + 1];
  std::size_t best_power_[2] = {0, 0};
};

}  // namespace

double largest_t(Bits bits) {
  // t + keys psi(t) reaches goal + 2 ln E(1 + W) by t = goal + 4 at the latest; then one step more.
  return 1.6 * goal_of(bits) + 12;
}

bool decays_before(const IntegralRequest& request, const WeightLaw& w, const Laplace& transform, double t,
                   Bits bits) {
  const Rule rule(request, w, transform, bits);
  // A little before t, since the rule's nodes do not meet it.
  return rule.decayed(Ball::exactly(0.7 * t, transform.argument_bits()));
}

Integrals integrate(const IntegralRequest& request, const WeightLaw& w, const Laplace& transform, Bits bits) {
  return Rule(request, w, transform, bits).run();
}

}  // namespace critscale::random
