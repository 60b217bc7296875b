#include "critscale/random/schedule_verdict.hpp"

#include <fmt/format.h>

#include "critscale/random/increasing_root.hpp"
#include "critscale/schedules/curve.hpp"
#include "critscale/schedules/law.hpp"
#include "critscale/text/certify.hpp"

namespace critscale::random {

namespace {

constexpr Bits cell_bits = 128, most_bits = 1 << 14;

int sign(const Ball& x) {
  if (certainly(x.is_positive())) return 1;
  return certainly(x.is_negative()) ? -1 : 0;
}

/// The sign of a number that is not 0, at rising precision.
int decided_sign(const std::function<Ball(Bits)>& f, const char* what) {
  for (Bits bits = cell_bits; bits <= most_bits; bits *= 2)
    if (const int s = sign(f(bits)); s != 0) return s;
  throw LimitError(fmt::format("{} is not told from 0 at {} bits", what, most_bits));
}

constexpr const char* difference = "(1 - rho) beta less the critical b";

/// Schedules that are functions of real n: cells of the line's parameter, on each of which either the
/// difference f = (1 - rho) beta - b keeps its sign or its slope does. [line-crossings]
class Smooth {
 public:
  Smooth(const Schedule& s, const Keys& keys, long digits)
      : curve_(s), line_(critical_line(keys)), share_(1 - keys.rho), digits_(digits) {}

  ScheduleCrossings run() {
    result_.line = line_->name();
    if (line_->power() == curve_.final_growth() && curve_.is_power() && !curve_.kink()) {
      result_.finally = limit_sign();
      result_.reason = "beta grows like the line for all n";
      return std::move(result_);
    }
    const Ball start = log(Ball(2, cell_bits + 64));
    const Ball first = line_->parameter(start, cell_bits).center();
    before_ = decided_sign([this](Bits bits) { return at_x(log(Ball(2, bits))); }, difference);
    // The first cell begins at the first parameter, which is that of 2 but for an error far below a cell.
    const Ball last = end_of_cells(first);
    cells(first, last, 0);
    tail(last);
    result_.count = Integer(result_.points.size());
    return std::move(result_);
  }

 private:
  Ball share(Bits bits) const { return Ball(share_, bits); }
  Ball difference_at(const Ball& u) const {
    const LinePoint p = line_->at(u);
    return share(u.precision()) * curve_.at(p.x) - p.b;
  }
  Ball at_x(const Ball& x) const {
    return difference_at(line_->power() ? x : line_->parameter(x, x.precision()));
  }

  /// A parameter beyond which growths are ordered once and for all. [line-crossings]
  Ball end_of_cells(const Ball& first) {
    Ball u = (2 * first).center();
    for (int i = 0; i < 200; ++i, u = (2 * u).center()) {
      const LinePoint p = line_->at(u);
      const Ball growth = curve_.growth_from(p.x);
      if (!growth.is_finite()) continue;
      if (const auto power = line_->power(); power && *power == curve_.final_growth()) {
        trend_ = curve_.excess();
        result_.reason = trend_ == 0 ? "from some n on beta grows like the line"
                                     : "beta's growth d ln beta/d ln ln n tends to the line's from one side";
        return u;
      }
      trend_ = sign(growth - p.growth());
      // The line's growth rises, or stays.
      if (trend_ > 0 && !line_->power()) continue;
      if (trend_ == 0) continue;
      result_.reason = trend_ < 0 ? "beyond the last cell beta grows more slowly than the line for ever"
                                  : "beyond the last cell beta grows faster than the line for ever";
      return u;
    }
    throw LimitError("no end was found beyond which the schedule and the line grow apart");
  }

  void cells(const Ball& from, const Ball& to, int depth) {
    const LinePoint a = line_->at(from), b = line_->at(to);
    const Ball values = share(cell_bits) * curve_.over(a.x, b.x) - hull(a.b, b.b);
    if (const int s = sign(values); s != 0) return visit(from, to, s);
    const Ball slopes = share(cell_bits) * curve_.slopes(a.x, b.x) - line_->at(hull(from, to)).slope;
    if (sign(slopes) != 0)
      return visit(from, to, decided_sign([&](Bits bits) { return difference_at(to.at(bits)); }, difference));
    if (depth > 100) throw LimitError("the schedule touches the critical line, or nearly so");
    const Ball middle = ((from + to) / 2).center();
    cells(from, middle, depth + 1);
    cells(middle, to, depth + 1);
  }

  /// The cell ends with the sign s; where that is another than before, one root lies in it.
  void visit(const Ball& from, const Ball& to, int s) {
    if (before_ * s < 0) result_.points.push_back(root(from, to, s));
    before_ = s;
  }

  LineCrossing root(const Ball& from, const Ball& to, int rising) const {
    const auto x_at = [&](Bits bits) {
      const auto f = [&](const Ball& u) { return rising > 0 ? difference_at(u) : -difference_at(u); };
      return line_->at(increasing_root(f, from.at(bits + 32), to.at(bits + 32), bits)).x;
    };
    const Ball n = certify_digits(digits_, [&](Bits bits) { return exp(x_at(bits)); });
    return {n, certify_digits(digits_, x_at), rising > 0};
  }

  /// Beyond the cells ln beta - ln b is monotone in x.
  void tail(const Ball& last) {
    result_.finally = before_;
    const auto power = line_->power();
    if (trend_ == 0 || (power && *power == curve_.final_growth())) {
      // beta/b tends to a constant: its distance from 1 decides.
      const int limit = limit_sign();
      result_.finally = trend_ == 0 || limit != 0 ? limit : -trend_;
    } else {
      result_.finally = trend_;
    }
    if (result_.finally == 0 || result_.finally == before_) return;
    Ball to = (2 * last).center();
    for (int i = 0; sign(difference_at(to)) != result_.finally; to = (2 * to).center())
      if (++i > 4000) throw LimitError("a last crossing is out of reach");
    result_.points.push_back(root(last, to, result_.finally));
  }

  /// The sign of lim (1 - rho) beta/b - 1, where that limit is a positive number.
  int limit_sign() const {
    const auto line = line_->squared_coefficient(), own = curve_.squared_final_coefficient();
    if (line && own) {
      const Rational left = *own * share_ * share_;
      return left < *line ? -1 : left > *line ? 1 : 0;
    }
    return decided_sign(
        [&](Bits bits) { return share(bits) * curve_.final_coefficient(bits) - line_->coefficient(bits); },
        "the schedule's limit less the critical line's");
  }

  ScheduleCurve curve_;
  std::unique_ptr<CriticalLine> line_;
  Rational share_;
  long digits_;
  int before_ = 0, trend_ = 0;
  ScheduleCrossings result_;
};

/// llama4, mistral: step j runs from n = j L + o (the first from 2) to (j + 1) L + o, o = 0 or 1, with a
/// constant multiplier. With rate ln L < 1 or a little less the highest difference of a step, at its start,
/// and the lowest, towards its end, change sign once as j grows, because b/ln n does not fall.
/// [line-crossings]
class Stepped {
 public:
  Stepped(const Schedule& s, const Keys& keys, long digits)
      : s_(s),
        line_(critical_line(keys)),
        share_(1 - keys.rho),
        digits_(digits),
        offset_(*s.law->first_of_step) {
    validate(s);
    const auto power = line_->power();
    const bool steep = power ? *power == 1 : keys.aligned;
    if (!steep)
      throw InputError(fmt::format(
          "the crossings of {}, which has steps, are known for an aligned key or fixed kappa only", name(s)));
    L_ = s.train_length.to_integer();
    if (L_ < 4) throw InputError(fmt::format("{} needs a step of at least 4", name(s)));
    const auto margin = [&](Bits bits) {
      const Rational one_over(1, L_);
      const Ball last = log(Ball(Integer(L_ + offset_), bits)) * Ball(Rational(1 + offset_ * one_over), bits);
      return 1 - Ball(s.rate, bits) * (last + Ball(Rational(offset_ * one_over), bits));
    };
    if (decided_sign(margin, "1 - rate ln(step)") < 0)
      throw InputError(fmt::format("the crossings of {} are known for rate * ln(step) < 1 only", name(s)));
  }

  ScheduleCrossings run() const {
    ScheduleCrossings r;
    r.line = line_->name();
    r.reason =
        "on every step the schedule falls behind the line, and so do the starts and the ends of the steps "
        "from "
        "step to step";
    r.finally = -1;
    const auto top = [&](const Integer& j) { return sign_at(j, start_of(j)); };
    const auto bottom = [&](const Integer& j) { return sign_at(j, start_of(Integer(j + 1))); };
    if (top(0) < 0) return r;
    if (line_->power() && limit_sign() > 0) {
      r.finally = 1;
      return r;
    }
    const Integer first = first_negative(bottom), last = first_negative(top) - 1;
    r.count = 2 * (last - first) + 1;
    r.points.push_back(on_step(first));
    if (last > first) r.points.push_back(at_start_of(Integer(first + 1)));
    if (last > first + 1) r.points.push_back(at_start_of(last));
    if (last > first) r.points.push_back(on_step(last));
    return r;
  }

 private:
  Integer start_of(const Integer& j) const { return j == 0 ? Integer(2) : Integer(j * L_ + offset_); }
  Ball own(const Integer& j, Bits bits) const {
    const Lift<Ball> lift(bits);
    return lift(share_) * logit_factor(s_, lift) * (1 + lift(s_.rate) * log(Ball(Integer(j + 1), bits)));
  }
  Ball critical(const Ball& x) const {
    return line_->at(line_->power() ? x : line_->parameter(x, x.precision())).b;
  }
  int sign_at(const Integer& j, const Integer& n) const {
    return decided_sign([&](Bits bits) { return own(j, bits) - critical(log(Ball(n, bits))); }, difference);
  }
  int limit_sign() const {
    return decided_sign(
        [&](Bits bits) {
          const Lift<Ball> lift(bits);
          return lift(share_) * logit_factor(s_, lift) * lift(s_.rate) - line_->coefficient(bits);
        },
        "the schedule's limit less the critical line's");
  }

  /// The smallest j >= 0 with sign -1, for signs that change once.
  Integer first_negative(const std::function<int(const Integer&)>& sign_of) const {
    Integer high = 1, low = -1;
    while (sign_of(high) > 0) {
      high *= 2;
      if (high > (Integer(1) << 4096))
        throw LimitError(fmt::format("{} crosses beyond step 2^4096", name(s_)));
    }
    while (high - low > 1) {
      const Integer middle = (low + high) / 2;
      (sign_of(middle) < 0 ? high : low) = middle;
    }
    return high;
  }

  /// On the step b = (1 - rho) beta, whose place is the line's inverse.
  LineCrossing on_step(const Integer& j) const {
    const auto x_at = [&](Bits bits) {
      const Ball b = own(j, bits + 64);
      if (line_->power()) return Ball(b / line_->coefficient(bits + 64));
      const auto f = [&](const Ball& u) { return line_->at(u).b - b; };
      Ball lo(1, bits + 64), hi(1, bits + 64);
      while (!certainly(f(lo).is_negative())) lo = lo / 4;
      while (!certainly(f(hi).is_positive())) hi = 2 * hi;
      return line_->at(increasing_root(f, lo, hi, bits)).x;
    };
    return {certify_digits(digits_, [&](Bits bits) { return exp(x_at(bits)); }),
            certify_digits(digits_, x_at), false};
  }

  /// The jump at a step's start.
  LineCrossing at_start_of(const Integer& j) const {
    const Ball n(start_of(j), bits_for_digits(digits_) + 4096);
    return {n, certify_digits(digits_, [&](Bits bits) { return log(n.at(bits)); }), true};
  }

  const Schedule& s_;
  std::unique_ptr<CriticalLine> line_;
  Rational share_;
  long digits_, offset_;
  Integer L_;
};

}  // namespace

ScheduleCrossings schedule_crossings(const Schedule& s, const Keys& keys, long digits) {
  validate(keys);
  if (s.law->first_of_step) return Stepped(s, keys, digits).run();
  return Smooth(s, keys, digits).run();
}

}  // namespace critscale::random
