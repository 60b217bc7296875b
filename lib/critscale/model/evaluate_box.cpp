// Evaluation over boxes: cells, their enclosures, and where to split them.
#include "critscale/model/evaluate_box.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace critscale {

namespace {

/// What an evaluation over a box asks for at each of its cells.
struct BoxTask {
  std::span<const Quantity> quantities;
  bool with_angle_ratio;
  Bits bits;

  template <class Real>
  Values<Real> evaluate(const Configuration& c) const {
    return evaluate_as<Real>(c, quantities, Lift<Real>(bits), with_angle_ratio);
  }
};

/// Calls f with the corresponding values of all arguments, beta first.
template <class F, class... V>
void for_each_value(F f, V&&... v) {
  f(v.beta...);
  const auto& first = std::get<0>(std::forward_as_tuple(v...));
  for (std::size_t i = 0; i < first.quantities.size(); ++i)
    for (std::size_t b = 0; b < first.quantities[i].size(); ++b) f(v.quantities[i][b]...);
}

Interval to_interval(const Ball& x) {
  return x.is_finite() ? Interval(x.lower(), x.upper(), x.precision()) : Interval::whole_line(x.precision());
}

/// The numbers common to two enclosures of one set of values.
Interval common(const Interval& a, const Interval& b) {
  Interval r = intersection(a, b);
  if (r.is_empty()) throw Error("two enclosures of one number do not meet");
  return r;
}

/// A ball around an interval. Where the interval has one sign the ball keeps it: its end nearer to
/// zero is not moved beyond zero by the radius, which is rounded up to few bits.
Ball to_ball(const Interval& x, Bits bits) {
  if (!x.is_finite()) return Ball::whole_line(bits);
  const Dyadic lo = x.lower(), hi = x.upper();
  const Ball centered(lo, hi, bits);
  if (lo.sign() * hi.sign() < 0 || centered.is_exact()) return centered;
  Ball r(centered);
  const mag_ptr radius = arb_radref(r.raw());
  const arf_ptr middle = arb_midref(r.raw());
  detail::Mag increase;
  mag_mul_2exp_si(increase.x, radius, -28);
  mag_add(radius, radius, increase.x);
  arf_set_mag(middle, radius);
  if (lo.sign() >= 0)
    arf_add(middle, middle, lo.raw(), bits, ARF_RND_DOWN);
  else
    arf_sub(middle, hi.raw(), middle, bits, ARF_RND_DOWN);
  return r.contains(lo) && r.contains(hi) ? r : centered;
}

/// f(center) + gradient(cell) . (cell - center).
Ball mean_value(const Ball& at_center, const Dual<Ball>& over_cell, const std::vector<Ball>& offset) {
  Ball r = at_center;
  for (std::size_t i = 0; i < over_cell.gradient().size(); ++i) r += over_cell.gradient()[i] * offset[i];
  return r;
}

/// The part of a value's relative width that comes from one parameter, as a double capped where a
/// value is unknown anyway; only ever used to choose where to split.
double relative_width(const Ball& slope, const Ball& offset, const Ball& at_center) {
  constexpr double cap = 1e6;
  if (certainly(offset.is_zero()) || certainly(slope.is_zero())) return 0;
  const Ball part = abs(slope * offset) / abs(at_center);
  return part.is_finite() ? std::min(arf_get_d(part.upper().raw(), ARF_RND_UP), cap) : cap;
}

/// Enclosures over one cell, and the parameter that contributes most to their width.
struct Cell {
  Values<Interval> values;
  std::size_t widest = 0;
};

/// The natural extension by end points, which keeps signs over wide cells, met with that by balls and
/// with the mean-value form, which is tight over small ones.
Cell evaluate_cell(const Configuration& cell, const BoxTask& task) {
  Configuration center = cell;
  std::vector<Ball> offset;
  for (RationalBox* p : box_parameters(center)) {
    const Rational middle = (p->lo + p->hi) / 2;
    offset.push_back(Ball::hull(p->lo - middle, p->hi - middle, task.bits));
    *p = {middle, middle};
  }
  Cell r{task.evaluate<Interval>(cell)};
  // A parameter that is a point has offset 0 and must not be chosen.
  std::vector<double> contribution;
  for (const Ball& o : offset) contribution.push_back(certainly(o.is_zero()) ? -1 : 0);
  for_each_value(
      [&](Interval& value, const Ball& at_center, const Dual<Ball>& over_cell) {
        value = common(value, to_interval(over_cell.value()));
        value = common(value, to_interval(mean_value(at_center, over_cell, offset)));
        for (std::size_t i = 0; i < over_cell.gradient().size(); ++i)
          contribution[i] += relative_width(over_cell.gradient()[i], offset[i], at_center);
      },
      r.values, task.evaluate<Ball>(center), task.evaluate<Dual<Ball>>(cell));
  r.widest = static_cast<std::size_t>(std::max_element(contribution.begin(), contribution.end()) -
                                      contribution.begin());
  return r;
}

/// The hull over the 2^depth cells found by halving the parameter that contributes most to the width;
/// no wider than the enclosure over the undivided cell.
Values<Interval> evaluate_cells(const Configuration& c, const BoxTask& task, int depth) {
  Cell whole = evaluate_cell(c, task);
  if (depth == 0) return std::move(whole.values);
  Configuration half = c;
  RationalBox& split = *box_parameters(half)[whole.widest];
  const RationalBox all = split;
  const Rational middle = (all.lo + all.hi) / 2;
  split = {all.lo, middle};
  const Values<Interval> lower = evaluate_cells(half, task, depth - 1);
  split = {middle, all.hi};
  const Values<Interval> upper = evaluate_cells(half, task, depth - 1);
  for_each_value([](Interval& w, const Interval& a, const Interval& b) { w = common(w, hull(a, b)); },
                 whole.values, lower, upper);
  return std::move(whole.values);
}

/// Halvings of a box: 2^10 cells.
constexpr int box_depth = 10;

}  // namespace

Values<Ball> evaluate_box(const Configuration& c, std::span<const Quantity> quantities, Bits bits) {
  // Where every pair is tied somewhere in the box, lambda is undefined for the box.
  const Values<Interval> over_box = evaluate_cells(c, {quantities, !all_tied(c), bits}, box_depth);
  Values<Ball> r{to_ball(over_box.beta, bits), {}};
  for (const std::vector<Interval>& q : over_box.quantities) {
    r.quantities.emplace_back();
    for (const Interval& x : q) r.quantities.back().push_back(to_ball(x, bits));
  }
  return r;
}

}  // namespace critscale
