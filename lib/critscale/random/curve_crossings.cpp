// Crossings by cells of the line's parameter, on each of which either f = share beta - b keeps its sign or
// its slope does, and by the growth of both beyond the last cell. [line-crossings]
#include "critscale/random/curve_crossings.hpp"

#include <utility>

#include "critscale/number/precision.hpp"
#include "critscale/random/increasing_root.hpp"
#include "critscale/schedules/pieces.hpp"

namespace critscale::random {

namespace {

constexpr Bits cell_bits = 128;

int sign_or_zero(const Ball& x) { return known_sign(x).value_or(0); }

class CellSearch {
 public:
  CellSearch(const ScheduleCurve& curve, const CriticalLine& line, const Rational& share)
      : curve_(curve), line_(line), share_(share) {}

  CurveCrossings run(const PowerProduct& from) {
    if (line_.power() == curve_.final_growth() && curve_.excess() == 0 && !curve_.kink()) {
      result_.finally = limit_sign();
      result_.reason = "beta grows like the line for all n";
      return std::move(result_);
    }
    const Ball first = line_.parameter(log(from, cell_bits + 64), cell_bits).center();
    before_ = sign_of_number([&](Bits bits) { return at_x(log(from, bits)); }, difference_from_line);
    result_.at_start = before_;
    // The first cell begins at the first parameter, which is that of `from` but for an error far below a
    // cell.
    const Ball last = end_of_cells(first);
    cells(first, last, 0);
    tail(last);
    return std::move(result_);
  }

 private:
  Ball share(Bits bits) const { return Ball(share_, bits); }
  Ball difference_at(const Ball& u) const {
    const LinePoint p = line_.at(u);
    return share(u.precision()) * curve_.at(p.x) - p.b;
  }
  Ball at_x(const Ball& x) const {
    return difference_at(line_.power() ? x : line_.parameter(x, x.precision()));
  }

  /// A parameter beyond which growths are ordered once and for all. [line-crossings]
  Ball end_of_cells(const Ball& first) {
    Ball u = (2 * first).center();
    for (int i = 0; i < 200; ++i, u = (2 * u).center()) {
      const LinePoint p = line_.at(u);
      const Ball growth = curve_.growth_from(p.x);
      if (!growth.is_finite()) continue;
      if (const auto power = line_.power(); power && *power == curve_.final_growth()) {
        trend_ = curve_.excess();
        if (!curve_.excess_holds_from(p.x)) continue;
        result_.reason = trend_ == 0 ? "from some n on beta grows like the line"
                                     : "beta's growth d ln beta/d ln ln n tends to the line's from one side";
        return u;
      }
      trend_ = sign_or_zero(growth - p.growth());
      // The line's growth rises, or stays.
      if (trend_ > 0 && !line_.power()) continue;
      if (trend_ == 0) continue;
      result_.reason = trend_ < 0 ? "beyond the last cell beta grows more slowly than the line for ever"
                                  : "beyond the last cell beta grows faster than the line for ever";
      return u;
    }
    throw LimitError("no end was found beyond which the schedule and the line grow apart");
  }

  void cells(const Ball& from, const Ball& to, int depth) {
    const LinePoint a = line_.at(from), b = line_.at(to);
    const Ball values = share(cell_bits) * curve_.over(a.x, b.x) - hull(a.b, b.b);
    if (const auto s = known_sign(values)) return visit(from, to, *s);
    const Ball slopes = share(cell_bits) * curve_.slopes(a.x, b.x) - line_.at(hull(from, to)).slope;
    if (known_sign(slopes))
      return visit(
          from, to,
          sign_of_number([&](Bits bits) { return difference_at(to.at(bits)); }, difference_from_line));
    if (depth > 100) throw LimitError("the schedule touches the critical line, or nearly so");
    const Ball middle = ((from + to) / 2).center();
    cells(from, middle, depth + 1);
    cells(middle, to, depth + 1);
  }

  /// The cell ends with the sign s; where that is another than before, one root lies in it.
  void visit(const Ball& from, const Ball& to, int s) {
    if (before_ * s < 0) result_.roots.push_back(root(from, to, s));
    before_ = s;
  }

  CurveRoot root(const Ball& from, const Ball& to, int rising) const {
    const auto x = [&curve = curve_, &line = line_, share = share_, from, to, rising](Bits bits) {
      const CellSearch search(curve, line, share);
      const auto f = [&](const Ball& u) {
        return rising > 0 ? search.difference_at(u) : -search.difference_at(u);
      };
      return line.at(increasing_root(f, from.at(bits + 32), to.at(bits + 32), bits)).x;
    };
    return {x, rising > 0};
  }

  /// Beyond the cells ln beta - ln b is monotone in x.
  void tail(const Ball& last) {
    result_.finally = before_;
    const auto power = line_.power();
    if (trend_ == 0 || (power && *power == curve_.final_growth())) {
      // beta/b tends to a constant: its distance from 1 decides.
      const int limit = limit_sign();
      result_.finally = trend_ == 0 || limit != 0 ? limit : -trend_;
    } else {
      result_.finally = trend_;
    }
    if (result_.finally == 0 || result_.finally == before_) return;
    Ball to = (2 * last).center();
    for (int i = 0; sign_or_zero(difference_at(to)) != result_.finally; to = (2 * to).center())
      if (++i > 4000) throw LimitError("a last crossing is out of reach");
    result_.roots.push_back(root(last, to, result_.finally));
  }

  /// The sign of lim share beta/b - 1, where that limit is a positive number.
  int limit_sign() const {
    const auto line = line_.squared_coefficient(), own = curve_.squared_final_coefficient();
    if (line && own) {
      const Rational left = *own * share_ * share_;
      return left < *line ? -1 : left > *line ? 1 : 0;
    }
    return sign_of_number(
        [&](Bits bits) { return share(bits) * curve_.final_coefficient(bits) - line_.coefficient(bits); },
        "the schedule's limit less the critical line's");
  }

  const ScheduleCurve& curve_;
  const CriticalLine& line_;
  Rational share_;
  int before_ = 0, trend_ = 0;
  CurveCrossings result_;
};

}  // namespace

CurveCrossings curve_crossings(const ScheduleCurve& curve, const CriticalLine& line, const Rational& share,
                               const PowerProduct& from) {
  return CellSearch(curve, line, share).run(from);
}

}  // namespace critscale::random
