// Binary64 with running bounds of the error. Bounds are computed in binary64 too and widened by more than
// their own roundings.
#include "critscale/tables/detail/formula_approximate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/formula_evaluator.hpp"

namespace critscale {

namespace {

/// Twice the unit roundoff; what elementary functions of the C library err at most, relatively, and more.
constexpr double ulp = 0x1p-52, function_error = 0x1p-50, least_double = 0x1p-1074;

bool is_special(const Approximate& x) { return !std::isfinite(x.value); }
Approximate exactly(double v) { return {v, 0}; }

/// A number computed from finite ones; beyond binary64 nothing is known.
Approximate with_error(double v, double e) {
  if (!std::isfinite(v) || !std::isfinite(e)) return Approximate::unknown();
  return {v, e > 0 ? e * (1 + 0x1p-40) + least_double : 0};
}
/// The same for a result that errs by `function_error`.
Approximate rounded_result(double v, double e) {
  return with_error(v, e + function_error * std::abs(v) + 4 * least_double);
}

enum class Sign { negative, zero, positive, open };
Sign sign_of(const Approximate& x) {
  if (x.value > x.error) return Sign::positive;
  if (x.value < -x.error) return Sign::negative;
  return x.value == 0 && x.error == 0 ? Sign::zero : Sign::open;
}
Approximate infinite(bool negative) { return exactly(negative ? -HUGE_VAL : HUGE_VAL); }
Approximate not_a_number() { return exactly(std::numeric_limits<double>::quiet_NaN()); }

/// A double rounded to a narrower format, ties to even.
double rounded_to(const BinaryFormat& f, double x) {
  if (!std::isfinite(x) || x == 0) return x;
  const int e = std::ilogb(x) + 1, unit = std::max(e - f.precision, f.min_exponent - f.precision + 1);
  const double r = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  return std::abs(r) >= std::ldexp(1.0, f.max_exponent + 1) ? std::copysign(HUGE_VAL, x) : r;
}

Approximate opposite(const Approximate& x) { return {-x.value, x.error}; }

}  // namespace

/// The operations of a formula on such numbers; named, as `ApproximateFormula` holds them.
class ApproximateNumbers {
 public:
  using Number = Approximate;

  static Approximate from(const Ball& x) {
    const double v = arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR);
    if (!std::isfinite(v)) return Approximate::unknown();
    double e = mag_get_d(arb_radref(x.raw()));
    if (arf_cmp_d(arb_midref(x.raw()), v) != 0) e += ulp * std::abs(v) + least_double;
    return with_error(v, e);
  }
  Approximate of(const Rational& v) const { return from(Ball(v, 128)); }
  Approximate whole(long v) const { return exactly(static_cast<double>(v)); }

  Approximate plus(const Approximate& a, const Approximate& b) const {
    const double r = a.value + b.value;
    if (is_special(a) || is_special(b))
      return a.is_known() && b.is_known() ? exactly(r) : Approximate::unknown();
    // What the sum loses, exactly.
    const double part = r - a.value, lost = (a.value - (r - part)) + (b.value - part);
    return with_error(r, a.error + b.error + std::abs(lost));
  }
  Approximate times(const Approximate& a, const Approximate& b) const {
    if (!a.is_known() || !b.is_known()) return Approximate::unknown();
    if (is_special(a) || is_special(b)) {
      const Sign s = sign_of(a), t = sign_of(b);
      if (std::isnan(a.value) || std::isnan(b.value) || s == Sign::zero || t == Sign::zero)
        return not_a_number();
      return s == Sign::open || t == Sign::open ? Approximate::unknown()
                                                : infinite((s == Sign::negative) != (t == Sign::negative));
    }
    const double r = a.value * b.value, lost = std::fma(a.value, b.value, -r);
    const double e =
        std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error + std::abs(lost);
    // Errors may underflow too.
    const bool exact =
        a.error == 0 && b.error == 0 && (a.value == 0 || b.value == 0 || std::abs(r) > 0x1p-960);
    return with_error(r, exact ? e : e + least_double);
  }
  Approximate quotient(const Approximate& a, const Approximate& b) const {
    if (!a.is_known() || !b.is_known()) return Approximate::unknown();
    if (std::isnan(a.value) || std::isnan(b.value)) return not_a_number();
    if (is_special(b)) return is_special(a) ? not_a_number() : exactly(0);
    const Sign s = sign_of(a), t = sign_of(b);
    if (t == Sign::open) return Approximate::unknown();
    if (t == Sign::zero) {
      if (s == Sign::open) return Approximate::unknown();
      return s == Sign::zero ? not_a_number() : infinite(s == Sign::negative);
    }
    if (is_special(a)) return infinite((s == Sign::negative) != (t == Sign::negative));
    const double r = a.value / b.value, rest = std::fma(-r, b.value, a.value),
                 least = std::abs(b.value) - b.error;
    const double e = (a.error + std::abs(r) * b.error + std::abs(rest)) / least;
    const bool exact = a.error == 0 && b.error == 0 &&
                       (a.value == 0 || (std::abs(r) > 0x1p-960 && std::abs(a.value) > 0x1p-960));
    return with_error(r, exact ? e : e + least_double);
  }
  Approximate larger(const Approximate& a, const Approximate& b) const {
    if (!a.is_known() || !b.is_known()) return Approximate::unknown();
    if (std::isnan(a.value) || std::isnan(b.value)) return not_a_number();
    if (is_special(a) || is_special(b)) return a.value < b.value ? b : a;
    return {std::max(a.value, b.value), std::max(a.error, b.error)};
  }
  Approximate positive_or_one(const Approximate& x) const {
    if (!x.is_known()) return x;
    if (is_special(x) || sign_of(x) == Sign::negative || sign_of(x) == Sign::zero) return exactly(1);
    return sign_of(x) == Sign::positive ? x : Approximate::unknown();
  }

  Approximate held(const Approximate& x, const BinaryFormat& format) const {
    if (!x.is_known() || is_special(x)) return x;
    if (&format == &binary64)
      return x.error == 0 ? x : with_error(x.value, x.error + ulp * std::abs(x.value));
    if (x.error == 0) return exactly(rounded_to(format, x.value));
    const double low = rounded_to(format, std::nextafter(x.value - x.error, -HUGE_VAL)),
                 high = rounded_to(format, std::nextafter(x.value + x.error, HUGE_VAL));
    if (low == high) return exactly(low);
    return with_error(rounded_to(format, x.value), high - low);
  }

  Approximate inside(std::size_t key, const Approximate& limit, const Approximate& x, bool first) const {
    if (!limit.is_known()) return limit;
    const auto at = static_cast<double>(key);
    if (limit.error > 0 && std::abs(at - limit.value) <= limit.error) return Approximate::unknown();
    return (at < limit.value) == first ? x : exactly(0);
  }

  Approximate apply(const FormulaNode& n, const Approximate& x) const {
    if (!x.is_known() || std::isnan(x.value)) return x;
    switch (n.op) {
      case FormulaOp::negate:
        return opposite(x);
      case FormulaOp::power:
        return raised(x, n.value);
      case FormulaOp::exp:
        return exponential(x, n.base);
      case FormulaOp::log:
        return logarithm(x, n.base);
      case FormulaOp::tanh:
        return is_special(x) ? exactly(x.value < 0 ? -1 : 1) : rounded_result(std::tanh(x.value), x.error);
      case FormulaOp::floor:
        return step(x, [](double v) { return std::floor(v); });
      case FormulaOp::ceil:
        return step(x, [](double v) { return std::ceil(v); });
      case FormulaOp::xlogx:
        if (sign_of(x) == Sign::open) return Approximate::unknown();
        return sign_of(x) == Sign::zero ? x : times(x, logarithm(x, n.base));
      default:
        throw Error("a formula's node has no such operation");
    }
  }

  Approximate combine(const FormulaNode& n, const Approximate& a, const Approximate& b) const {
    switch (n.op) {
      case FormulaOp::add:
        return plus(a, b);
      case FormulaOp::subtract:
        return plus(a, opposite(b));
      case FormulaOp::multiply:
        return times(a, b);
      case FormulaOp::divide:
        return quotient(a, b);
      case FormulaOp::over:
        if (sign_of(a) == Sign::open || sign_of(b) == Sign::open) return Approximate::unknown();
        return sign_of(a) == Sign::zero && sign_of(b) == Sign::zero ? a : quotient(a, b);
      case FormulaOp::max:
        return larger(a, b);
      case FormulaOp::min:
        return opposite(larger(opposite(a), opposite(b)));
      case FormulaOp::unmask:
        return a.is_known() && a.value == -HUGE_VAL ? b : a;
      default:
        throw Error("a formula's node has no such operation");
    }
  }

 private:
  template <class Step>
  static Approximate step(const Approximate& x, const Step& whole) {
    if (is_special(x) || x.error == 0) return exactly(whole(x.value));
    const double low = whole(std::nextafter(x.value - x.error, -HUGE_VAL)),
                 high = whole(std::nextafter(x.value + x.error, HUGE_VAL));
    return low == high ? exactly(low) : Approximate::unknown();
  }

  static Approximate exponential(const Approximate& x, int base) {
    if (is_special(x)) return x.value < 0 ? exactly(0) : x;
    double v = x.value, e = x.error;
    if (base != 0) {
      const double scale = base > 0 ? std::log(base) : 1 / std::log(-base);
      v *= scale;
      e = e * scale + function_error * std::abs(v);
    }
    const double r = std::exp(v);
    return rounded_result(r, r * std::expm1(e));
  }

  static Approximate logarithm(const Approximate& x, int base) {
    if (is_special(x)) return x.value > 0 ? x : not_a_number();
    const Sign s = sign_of(x);
    if (s == Sign::zero) return infinite(true);
    if (s != Sign::positive) return s == Sign::open ? Approximate::unknown() : not_a_number();
    const double scale = base > 0 ? 1 / std::log(base) : base < 0 ? std::log(-base) : 1;
    return rounded_result(std::log(x.value) * scale, scale * x.error / (x.value - x.error));
  }

  Approximate raised(const Approximate& x, const Rational& power) const {
    if (power == 0) return exactly(1);
    const auto k = static_cast<double>(power);
    const Sign s = sign_of(x);
    if (s == Sign::open) return power == 2 ? times(x, x) : Approximate::unknown();
    if (is_special(x)) {
      if (s == Sign::negative) return not_a_number();
      return k > 0 ? x : exactly(0);
    }
    if (s == Sign::zero) return k > 0 ? x : infinite(false);
    if (power == 2) return times(x, x);
    if (s == Sign::negative && !is_integer(power)) return not_a_number();
    const double r = std::pow(x.value, k), size = std::abs(x.value);
    if (x.error == 0 && power == Rational(1, 2) && std::fma(r, r, -x.value) == 0 && r > 0x1p-480)
      return exactly(r);
    return rounded_result(r, std::abs(r) * std::expm1(std::abs(k) * std::log1p(x.error / (size - x.error))));
  }
};

namespace {

using ApproximateInputs = FormulaInputsOf<Approximate>;

ApproximateInputs approximate(const FormulaInputs& in) {
  ApproximateInputs r;
  r.sizes = in.sizes;
  for (const auto& [name, tensor] : in.values) {
    FormulaTensorOf<Approximate>& t = r.values[name];
    t.axes = tensor.axes;
    for (const Extended& x : tensor.entries)
      t.entries.push_back(x.kind == Outcome::Kind::number ? ApproximateNumbers::from(x.number)
                          : x.kind == Outcome::Kind::nan  ? not_a_number()
                                                         : infinite(x.kind == Outcome::Kind::minus_infinity));
  }
  return r;
}

}  // namespace

struct ApproximateFormula::State {
  Formula right;
  ApproximateInputs inputs;
  FormulaEvaluator<ApproximateNumbers> values;

  State(const Formula& f, const FormulaInputs& in)
      : right(f), inputs(approximate(in)), values(right, inputs, ApproximateNumbers()) {
    values.run();
  }
};

ApproximateFormula::ApproximateFormula(const Formula& right, const FormulaInputs& inputs)
    : state_(std::make_unique<State>(right, inputs)) {}
ApproximateFormula::ApproximateFormula(ApproximateFormula&&) noexcept = default;
ApproximateFormula& ApproximateFormula::operator=(ApproximateFormula&&) noexcept = default;
ApproximateFormula::~ApproximateFormula() = default;

std::vector<Approximate> ApproximateFormula::of(const Formula& f) const {
  return FormulaEvaluator<ApproximateNumbers>(f, state_->inputs, ApproximateNumbers(), &state_->values)
      .run()
      .entries;
}

}  // namespace critscale
