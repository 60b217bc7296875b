// The value of a formula, slips included.
#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/formula_evaluator.hpp"

namespace critscale {

namespace {

using Kind = Outcome::Kind;

Extended special(Kind kind) { return {kind, Ball()}; }
Extended infinity(bool negative) { return special(negative ? Kind::minus_infinity : Kind::plus_infinity); }
Extended number(Ball x) { return {Kind::number, std::move(x)}; }

bool is_number(const Extended& x) { return x.kind == Kind::number; }
bool is_nan(const Extended& x) { return x.kind == Kind::nan; }
bool is_zero(const Extended& x) { return is_number(x) && arb_is_zero(x.number.raw()) != 0; }
/// -1, 0 or 1; undecided numbers by their midpoint.
int sign(const Extended& x) {
  if (x.kind == Kind::plus_infinity) return 1;
  if (x.kind == Kind::minus_infinity) return -1;
  return arf_sgn(arb_midref(x.number.raw()));
}
Extended checked(Ball x) { return x.is_finite() ? number(std::move(x)) : special(Kind::nan); }

Extended negative(const Extended& x) {
  if (is_number(x)) return number(-x.number);
  return is_nan(x) ? x : infinity(sign(x) > 0);
}

Extended plus(const Extended& a, const Extended& b) {
  if (is_number(a) && is_number(b)) return number(a.number + b.number);
  if (is_nan(a) || is_nan(b)) return special(Kind::nan);
  if (is_number(a)) return b;
  if (is_number(b)) return a;
  return a.kind == b.kind ? a : special(Kind::nan);
}

Extended times(const Extended& a, const Extended& b) {
  if (is_number(a) && is_number(b)) return number(a.number * b.number);
  if (is_nan(a) || is_nan(b) || sign(a) * sign(b) == 0) return special(Kind::nan);
  return infinity(sign(a) * sign(b) < 0);
}

Extended quotient(const Extended& a, const Extended& b) {
  if (is_nan(a) || is_nan(b)) return special(Kind::nan);
  if (!is_number(b)) return is_number(a) ? number(Ball(0, 64)) : special(Kind::nan);
  if (is_zero(b)) return is_zero(a) ? special(Kind::nan) : infinity(sign(a) < 0);
  if (!is_number(a)) return infinity(sign(a) * sign(b) < 0);
  return checked(a.number / b.number);
}

/// exp(x), exp(x ln b) or exp(x/ln b). Slips ask for exponentials of exponentials: far beyond every format
/// they are 0 or infinite, as there.
Extended exponential(const Extended& x, int base, Bits bits) {
  if (is_nan(x)) return x;
  if (!is_number(x)) return sign(x) < 0 ? number(Ball(0, bits)) : x;
  if (arf_cmpabs_2exp_si(arb_midref(x.number.raw()), 2048) > 0)
    return sign(x) < 0 ? number(Ball(0, bits)) : infinity(false);
  if (base == 0) return checked(exp(x.number));
  const Ball scale = log(Ball(std::abs(base), bits));
  return checked(exp(base > 0 ? Ball(x.number * scale) : Ball(x.number / scale)));
}

Extended logarithm(const Extended& x, int base, Bits bits) {
  if (is_nan(x) || x.kind == Kind::plus_infinity) return x;
  if (is_zero(x)) return infinity(true);
  if (sign(x) <= 0) return special(Kind::nan);
  Ball r = log(x.number);
  if (base > 0) r /= log(Ball(base, bits));
  if (base < 0) r *= log(Ball(-base, bits));
  return checked(std::move(r));
}

Extended tangent(const Extended& x, Bits bits) {
  if (is_nan(x)) return x;
  if (!is_number(x)) return number(Ball(sign(x), bits));
  Ball r = x.number;
  arb_tanh(r.raw(), r.raw(), bits);
  return checked(std::move(r));
}

Extended raised(const Extended& x, const Rational& k, Bits bits) {
  if (is_nan(x) || k == 0) return is_nan(x) ? x : number(Ball(1, bits));
  if (!is_number(x)) {
    if (sign(x) < 0) return special(Kind::nan);
    return k > 0 ? x : number(Ball(0, bits));
  }
  if (is_zero(x)) return k > 0 ? x : infinity(false);
  if (is_integer(k)) return checked(pow(x.number, numerator(k)));
  if (sign(x) < 0) return special(Kind::nan);
  if (k == Rational(1, 2)) return checked(sqrt(x.number));
  return checked(exp(Ball(k, bits) * log(x.number)));
}

Extended rounded_down(const Extended& x, bool up, Bits bits) {
  if (!is_number(x)) return x;
  Ball r(0, bits);
  if (up)
    arf_ceil(arb_midref(r.raw()), arb_midref(x.number.raw()));
  else
    arf_floor(arb_midref(r.raw()), arb_midref(x.number.raw()));
  return number(std::move(r));
}

bool is_less(const Extended& a, const Extended& b) {
  if (is_number(a) && is_number(b))
    return arf_cmp(arb_midref(a.number.raw()), arb_midref(b.number.raw())) < 0;
  return sign(plus(b, negative(a))) > 0;
}

Extended larger_extended(const Extended& a, const Extended& b) {
  if (is_nan(a) || is_nan(b)) return special(Kind::nan);
  if (a.kind == b.kind && !is_number(a)) return a;
  return is_less(a, b) ? b : a;
}

/// Rounded to a format: overflow and underflow included.
Extended held_in(const Extended& x, const BinaryFormat& format, Bits bits) {
  if (!is_number(x)) return x;
  const Dyadic v = from_bits(format, round_to(format, x.number.midpoint()));
  if (!v.is_finite()) return infinity(sign(x) < 0);
  return number(Ball::exactly(v, bits));
}

class ExactNumbers {
 public:
  using Number = Extended;
  explicit ExactNumbers(Bits bits) : bits_(bits) {}

  Extended of(const Rational& v) const { return number(Ball(v, bits_)); }
  Extended whole(long v) const { return number(Ball(v, bits_)); }
  Extended plus(const Extended& a, const Extended& b) const { return critscale::plus(a, b); }
  Extended times(const Extended& a, const Extended& b) const { return critscale::times(a, b); }
  Extended quotient(const Extended& a, const Extended& b) const { return critscale::quotient(a, b); }
  Extended larger(const Extended& a, const Extended& b) const { return larger_extended(a, b); }
  Extended held(const Extended& x, const BinaryFormat& format) const { return held_in(x, format, bits_); }
  Extended positive_or_one(const Extended& x) const { return is_number(x) && sign(x) > 0 ? x : whole(1); }
  Extended inside(std::size_t key, const Extended& limit, const Extended& x, bool first) const {
    const bool is_inside = is_less(number(Ball(static_cast<long>(key), bits_)), limit);
    return is_inside == first ? x : number(Ball(0, bits_));
  }

  Extended apply(const FormulaNode& n, const Extended& x) const {
    switch (n.op) {
      case FormulaOp::negate:
        return negative(x);
      case FormulaOp::power:
        return raised(x, n.value, bits_);
      case FormulaOp::exp:
        return exponential(x, n.base, bits_);
      case FormulaOp::log:
        return logarithm(x, n.base, bits_);
      case FormulaOp::tanh:
        return tangent(x, bits_);
      case FormulaOp::floor:
        return rounded_down(x, false, bits_);
      case FormulaOp::ceil:
        return rounded_down(x, true, bits_);
      case FormulaOp::xlogx:
        return is_zero(x) ? x : critscale::times(x, logarithm(x, n.base, bits_));
      default:
        throw Error("a formula's node has no such operation");
    }
  }

  Extended combine(const FormulaNode& n, const Extended& a, const Extended& b) const {
    switch (n.op) {
      case FormulaOp::add:
        return critscale::plus(a, b);
      case FormulaOp::subtract:
        return critscale::plus(a, negative(b));
      case FormulaOp::multiply:
        return critscale::times(a, b);
      case FormulaOp::divide:
        return critscale::quotient(a, b);
      case FormulaOp::over:
        return is_zero(a) && is_zero(b) ? a : critscale::quotient(a, b);
      case FormulaOp::max:
        return larger_extended(a, b);
      case FormulaOp::min:
        return negative(larger_extended(negative(a), negative(b)));
      case FormulaOp::unmask:
        return a.kind == Kind::minus_infinity ? b : a;
      default:
        throw Error("a formula's node has no such operation");
    }
  }

 private:
  Bits bits_;
};

}  // namespace

FormulaTensor evaluate(const Formula& f, const FormulaInputs& inputs, Bits bits) {
  return FormulaEvaluator<ExactNumbers>(f, inputs, ExactNumbers(bits)).run();
}

}  // namespace critscale
