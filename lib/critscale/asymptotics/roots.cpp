// Certified root isolation in gamma: exclusion by interval enclosures, uniqueness by the sign of the
// derivative, refinement by interval Newton. Uses model/ and number/.
#include "critscale/asymptotics/roots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "critscale/model/inputs.hpp"
#include "critscale/model/layer_values.hpp"
#include "critscale/text/certify.hpp"

namespace critscale {

namespace {

constexpr std::size_t most_cells = 200000;
/// ln n below 2^61 keeps every power of n that is formed within MPFR's exponents.
constexpr Bits largest_log_bits = 61;

/// The quantity less the value asked for, as a function of gamma.
class Equation {
 public:
  Equation(const Configuration& c, const RootQuestion& question) : c_(c), question_(question) {}

  template <class Real>
  Real at(const RationalBox& gamma, Bits bits) const {
    Configuration c = c_;
    c.scale = critical_scale(gamma);
    const Lift<Real> lift(bits);
    const auto pick = [&](const auto& layer) {
      return values_of(layer, question_.quantity).at(question_.band) - lift(question_.value);
    };
    if (std::holds_alternative<Simplex>(c.geometry))
      return pick(SimplexLayer<Real>(simplex_inputs<Real>(c, lift)));
    return pick(BandedLayer<Real>(band_inputs<Real>(c, lift)));
  }
  /// The derivative by gamma over a cell.
  Ball slope(const RationalBox& gamma, Bits bits) const {
    return at<Dual<Ball>>(gamma, bits).derivative(c_.bands());
  }
  /// -1 or 1; 0 where it is not decided.
  int sign(const Rational& gamma, Bits bits) const {
    return decide(bits, 16 * bits,
                  [&](Bits b) {
                    return known_sign(at<Ball>({gamma, gamma}, b));
                  })
        .value_or(0);
  }

 private:
  const Configuration& c_;
  const RootQuestion& question_;
};

/// Off the middle, so that a split does not hit a root that is a simple fraction.
Rational split_point(const RationalBox& cell) { return cell.lo + (cell.hi - cell.lo) * Rational(1999, 4096); }

bool excludes_zero(const Interval& x) { return !possibly(x.is_zero()); }

/// Cells with exactly one root each.
std::vector<RationalBox> isolate(const Equation& f, const RationalBox& range, Bits bits) {
  std::vector<RationalBox> pending{range}, isolated;
  const Rational smallest = (range.hi - range.lo) / Rational(Integer(1) << static_cast<unsigned>(bits / 2));
  std::size_t cells = 0;
  while (!pending.empty()) {
    const RationalBox cell = pending.back();
    pending.pop_back();
    if (excludes_zero(f.at<Interval>(cell, bits))) continue;
    if (!f.slope(cell, bits).contains_zero()) {
      const int left = f.sign(cell.lo, bits), right = f.sign(cell.hi, bits);
      if (left * right > 0) continue;
      if (left * right < 0) {
        isolated.push_back(cell);
        continue;
      }
    }
    if (++cells > most_cells || cell.hi - cell.lo < smallest)
      throw LimitError(
          fmt::format("roots are not separated near gamma = {:.17g} after {} cells: a multiple root, a root "
                      "at an end of the "
                      "range, or too large a range",
                      static_cast<double>(cell.lo), cells));
    const Rational middle = split_point(cell);
    pending.push_back({middle, cell.hi});
    pending.push_back({cell.lo, middle});
  }
  return isolated;
}

RationalBox box_of(const Ball& x) { return {x.lower().to_rational(), x.upper().to_rational()}; }

/// The one root in a cell, to the digits asked: interval Newton, and halving where that stalls.
Ball refine(const Equation& f, const RationalBox& cell, long digits, Bits bits) {
  Ball root = Ball::hull(cell.lo, cell.hi, bits);
  const int left = f.sign(cell.lo, bits);
  const Bits limit = bits + 4 * default_max_bits(digits);
  while (!has_digits(root, digits)) {
    const RationalBox box = box_of(root);
    const Rational middle = root.midpoint().to_rational();
    const Ball step = f.at<Ball>({middle, middle}, bits) / f.slope(box, bits);
    const Ball next = intersection(root.at(bits), Ball(middle, bits) - step);
    if (next.accurate_bits() > root.accurate_bits() + 1) {
      root = next.at(bits);
      continue;
    }
    const Rational split = split_point(box);
    const int sign = f.sign(split, bits);
    if (sign != 0) {
      const RationalBox half = sign == left ? RationalBox{split, box.hi} : RationalBox{box.lo, split};
      const Ball halved = Ball::hull(half.lo, half.hi, bits);
      const RationalBox after = box_of(halved);
      if (4 * (after.hi - after.lo) < 3 * (box.hi - box.lo)) {
        root = halved;
        continue;
      }
    }
    bits *= 2;
    if (bits > limit) throw_precision_limit(root, digits, limit);
    root = root.at(bits);
  }
  return root;
}

/// The root that is so near an end of the range that its side is not decided, and how far round the end it
/// was looked for; nothing where the end itself is no root.
struct EndRoot {
  Ball root;
  Rational radius;
};

std::optional<EndRoot> root_at_end(const Equation& f, const Rational& end, long digits, Bits bits) {
  if (f.sign(end, bits) != 0) return std::nullopt;
  Rational radius = end == 0 ? Rational(1) : end;
  for (long i = 0; i < digits + 2; ++i) radius /= 10;
  const RationalBox around{end - radius, end + radius};
  if (f.slope(around, bits).contains_zero() || f.sign(around.lo, bits) * f.sign(around.hi, bits) >= 0)
    throw LimitError(
        fmt::format("roots are not separated near gamma = {:.17g}, an end of the range: a multiple root",
                    static_cast<double>(end)));
  return EndRoot{Ball::hull(around.lo, around.hi, bits), radius};
}

/// Bits that ln n costs: gamma changes the quantities on the scale 1/ln n.
Bits bits_of_log(const PowerProduct& n) {
  Bits bits = 0;
  while (!certainly(less(log(n, 64), scaled(Ball(1, 64), Integer(bits))))) ++bits;
  return bits;
}

}  // namespace

std::vector<Ball> gammas_with_value(const Configuration& c, const RootQuestion& question,
                                    const RationalBox& range, long digits) {
  require_digits(digits);
  if (range.lo < 0 || range.lo >= range.hi)
    throw InputError(fmt::format("a range of gamma needs 0 <= from < to, found {}", to_string(range)));
  Configuration checked = c;
  checked.scale = critical_scale(range);
  validate(checked);
  if (question.band >= (is_per_band(question.quantity) ? c.bands() : 1))
    throw InputError(fmt::format("there is no {}[{}]: the configuration has {} band{}",
                                 name(question.quantity), question.band, c.bands(),
                                 c.bands() == 1 ? "" : "s"));
  const Bits log_bits = bits_of_log(c.n);
  if (log_bits > largest_log_bits)
    throw LimitError(
        fmt::format("n = {} is beyond the exponents of interval arithmetic, 2^62", c.n.to_string()));
  const Equation f(checked, question);
  const Bits bits = 192 + 4 * log_bits;
  const Bits fine = bits + bits_for_digits(digits);
  const std::optional<EndRoot> first = root_at_end(f, range.lo, digits, fine),
                               last = root_at_end(f, range.hi, digits, fine);
  const RationalBox between{first ? Rational(range.lo + first->radius) : range.lo,
                            last ? Rational(range.hi - last->radius) : range.hi};
  std::vector<Ball> roots;
  if (first) roots.push_back(first->root);
  if (between.lo < between.hi)
    for (const RationalBox& cell : isolate(f, between, bits)) roots.push_back(refine(f, cell, digits, fine));
  if (last) roots.push_back(last->root);
  return roots;
}

}  // namespace critscale
