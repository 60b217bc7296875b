// Where a schedule crosses a threshold: gamma_eff is cut into pieces on which it is monotone in x = ln n,
// so that signs at the ends of the pieces decide how often it crosses. Uses schedule_verdict.hpp and
// schedules/law.hpp.
#include <fmt/format.h>

#include <functional>
#include <optional>
#include <utility>

#include "critscale/asymptotics/schedule_verdict.hpp"
#include "critscale/schedules/law.hpp"
#include "critscale/text/certify.hpp"

namespace critscale {

namespace {

constexpr Bits most_bits = 1 << 15;

int sign_of(std::strong_ordering order) {
  return order == std::strong_ordering::less ? -1 : order == std::strong_ordering::greater ? 1 : 0;
}

class Finder {
 public:
  Finder(const Schedule& s, const Rational& t, long digits) : s_(s), t_(t), digits_(digits) {}

  Crossings run() {
    if (s_.law->first_of_step) return steps();
    pieces_ = s_.law->pieces(s_);
    int before = 0;
    for (const Piece& p : pieces_) visit(p, before);
    result_.count = result_.points.size();
    result_.reason = fmt::format(
        "gamma_eff is monotone in n on {} piece{} ({}){}", pieces_.size(), pieces_.size() == 1 ? "" : "s",
        shape(), result_.points.empty() ? "; its ends and limit lie on one side of the threshold" : "");
    return std::move(result_);
  }

 private:
  std::string shape() const {
    std::string r;
    for (const Piece& p : pieces_) {
      if (!r.empty()) r += ", then ";
      r += p.trend < 0 ? "falling" : p.trend > 0 ? "rising" : "constant";
    }
    return r;
  }

  // --- signs and roots --------------------------------------------------------------------------

  int sign_at(const Piece& p, const Place& x) const {
    return sign_of_number([&](Bits bits) { return p.gamma(x(bits)) - Ball(t_, bits); },
                          "gamma_eff minus the threshold");
  }

  /// The sign for large n; 0 where gamma_eff stays on the threshold.
  int sign_at_infinity(int trend) const {
    const GammaLimit limit = gamma_limit(s_);
    if (limit.kind == GammaLimit::Kind::infinite) return 1;
    if (limit.kind == GammaLimit::Kind::zero) return -1;
    const int sign = sign_of(limit.constant->compare(t_));
    // Strictly monotone towards the threshold: on the side it comes from.
    return sign != 0 ? sign : -trend;
  }

  /// Adds the crossing inside the piece, or the change of sign at its start.
  void visit(const Piece& p, int& before) {
    if (p.trend == 0) {
      const int sign = sign_at_infinity(0);
      // A continuous curve that is level after a piece has that piece's last sign.
      before = sign;
      return;
    }
    const int first = before != 0 ? before : sign_at(p, p.from);
    const int last = p.to ? sign_at(p, *p.to) : sign_at_infinity(p.trend);
    if (first * last < 0) result_.points.push_back(root(p, first));
    before = last;
  }

  /// The one root on a piece on which the sign changes from `first`.
  Crossing root(const Piece& p, int first) const {
    Ball low = p.from(64).center(), high = p.to ? (*p.to)(64).center() : 2 * low;
    const auto sign = [&](const Ball& x) {
      return known_sign(p.gamma(x) - Ball(t_, x.precision())).value_or(0);
    };
    if (!p.to)
      while (sign(high) != -first) high = (2 * high).center();
    // A start good to some 40 bits, then secants at full precision; the result is verified below.
    for (int i = 0; i < 48; ++i) {
      const Ball middle = ((low + high) / 2).center();
      const int s = sign(middle);
      if (s == 0) break;
      (s == first ? low : high) = middle;
    }
    const auto enclosure = [&](Bits bits) { return refine(p, low, high, bits); };
    const Ball x = certify_digits(
        digits_, [&](Bits bits) { return exp(enclosure(bits)); }, most_bits + 8 * digits_);
    const Ball log_n = enclosure(x.precision());
    return {exp(log_n), log_n, first < 0};
  }

  Ball refine(const Piece& p, const Ball& low, const Ball& high, Bits bits) const {
    const Bits working = bits + 64;
    const auto f = [&](const Ball& x) { return (p.gamma(x) - Ball(t_, working)).center(); };
    Ball a = low.at(working), b = high.at(working), fa = f(a), fb = f(b);
    for (int i = 0; i < 64 && !certainly(fb.is_zero()); ++i) {
      const Ball slope = fb - fa;
      if (possibly(slope.is_zero())) break;
      Ball next = (b - fb * (b - a) / slope).center();
      a = std::exchange(b, std::move(next));
      fa = std::exchange(fb, f(b));
    }
    // The sign changes between b (1 - 2^-bits) and b (1 + 2^-bits), inside the piece's closure.
    const Ball step = scaled(abs(b), Integer(-bits));
    const Ball left = (b - step).center(), right = (b + step).center();
    const Ball gl = p.gamma(left) - Ball(t_, working), gr = p.gamma(right) - Ball(t_, working);
    const bool change = (certainly(gl.is_positive()) && certainly(gr.is_negative())) ||
                        (certainly(gl.is_negative()) && certainly(gr.is_positive()));
    return change ? hull(left, right) : Ball::whole_line(bits);
  }

  // --- schedules with steps: on step j (from j L + o to (j+1) L + o, the first from 2; o = 0 or 1) the
  // multiplier is constant
  // ---------------------------------------------------------------------------------------

  long start_offset() const { return *s_.law->first_of_step; }
  Integer start_of(const Integer& j) const {
    return j == 0 ? Integer(2) : Integer(j * s_.train_length.to_integer() + start_offset());
  }

  Ball step_beta(const Integer& j, Bits bits) const { return beta_on_step(s_, j, Lift<Ball>(bits)); }
  int sign_of_end(const Integer& j, const Integer& n) const {
    return sign_of_number([&](Bits bits) { return step_beta(j, bits) / log(Ball(n, bits)) - Ball(t_, bits); },
                          "gamma_eff minus the threshold at a step");
  }

  /// With rate ln L < 1 (rate ln(L+1) (1 + 1/L) < 1 where steps start one later) both the highest value of a
  /// step, at its start, and the lowest, towards its end, fall with j: the steps that contain the threshold
  /// are consecutive.
  Crossings steps() {
    const Integer L = s_.train_length.to_integer();
    if (L < 3) throw InputError(fmt::format("{} needs a step of at least 3", name(s_)));
    const auto margin = [&](Bits bits) {
      const Ball last(Integer(L + start_offset()), bits);
      return 1 - Ball(s_.rate, bits) * log(last) *
                     Ball(Rational(1 + Rational(start_offset()) / Rational(L)), bits);
    };
    if (sign_of_number(margin, "1 - rate ln(step)") < 0)
      throw InputError(fmt::format("the crossings of {} are known for rate * ln(step) < 1 only", name(s_)));
    const auto top = [&](const Integer& j) { return sign_of_end(j, start_of(j)); };
    const auto bottom = [&](const Integer& j) { return sign_of_end(j, start_of(Integer(j + 1))); };
    const std::string why =
        "on every step gamma_eff falls, and the highest and the lowest values of the steps fall from step to "
        "step";
    if (top(0) < 0) return {{}, 0, why + "; the first step starts below the threshold"};
    if (sign_at_infinity(-1) > 0)
      return {{}, 0, why + "; the limit, which they never reach, is not below the threshold"};
    const Integer first = first_negative(bottom), last = first_negative(top) - 1;
    // Down on every step from the first to the last, and up at the start of each but the first.
    Crossings r{{}, Integer(2 * (last - first) + 1), why};
    r.points.push_back(on_step(first));
    if (last > first) r.points.push_back(at_start_of(Integer(first + 1)));
    if (last > first + 1) r.points.push_back(at_start_of(last));
    if (last > first) r.points.push_back(on_step(last));
    return r;
  }

  /// The smallest j >= 0 with sign -1, for signs that fall in j.
  Integer first_negative(const std::function<int(const Integer&)>& sign) const {
    Integer high = 1;
    while (sign(high) > 0) {
      high *= 2;
      if (high > (Integer(1) << 4096))
        throw LimitError(fmt::format("{} crosses beyond step 2^4096", name(s_)));
    }
    Integer low = -1;
    while (high - low > 1) {
      const Integer middle = (low + high) / 2;
      (sign(middle) < 0 ? high : low) = middle;
    }
    return high;
  }

  Crossing on_step(const Integer& j) const {
    const auto x = [&](Bits bits) { return step_beta(j, bits) / Ball(t_, bits); };
    const Ball n = certify_digits(digits_, [&](Bits bits) { return exp(x(bits)); });
    return {n, x(n.precision()), false};
  }

  /// The jump at the step's start.
  Crossing at_start_of(const Integer& j) const {
    const Ball n(start_of(j), bits_for_digits(digits_) + 4096);
    return {n, certify_digits(digits_, [&](Bits bits) { return log(n.at(bits)); }), true};
  }

  const Schedule& s_;
  const Rational t_;
  const long digits_;
  std::vector<Piece> pieces_;
  Crossings result_;
};

}  // namespace

Crossings crossings(const Schedule& s, const Rational& t, long digits) {
  validate(s);
  if (t <= 0) throw InputError(fmt::format("a threshold must be positive, found {}", to_string(t)));
  return Finder(s, t, digits).run();
}

}  // namespace critscale
