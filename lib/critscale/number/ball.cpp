// Ball: what is not inline. Uses Arb.
#include "critscale/number/ball.hpp"

#include <fmt/format.h>

#include <cmath>

namespace critscale {

void detail::throw_bad_precision(Bits bits) {
  throw InputError(fmt::format("precision of {} bits is outside [{}, {}]", bits, Ball::min_precision,
                               Ball::max_precision));
}

void Ball::assign(const Rational& v) {
  detail::Fmpq q(v);
  arb_set_fmpq(x_, q.x, bits_);
}

void Ball::assign(const Integer& v) {
  detail::Fmpz z(v);
  arb_set_round_fmpz(x_, z.x, bits_);
}

Ball::Ball(const Dyadic& lo, const Dyadic& hi, Bits bits) : Ball() {
  if (!(lo <= hi))
    throw InputError(
        fmt::format("the ends of an enclosure are out of order: [{}, {}]", lo.to_hex(), hi.to_hex()));
  set_precision(bits);
  arb_set_interval_arf(x_, lo.raw(), hi.raw(), bits_);
}

Ball Ball::hull(const Rational& lo, const Rational& hi, Bits bits) {
  if (lo == hi) return Ball(lo, bits);
  if (lo > hi)
    throw InputError(
        fmt::format("the ends of an enclosure are out of order: [{}, {}]", to_string(lo), to_string(hi)));
  return critscale::hull(Ball(lo, bits), Ball(hi, bits));
}

Ball Ball::exactly(double v, Bits bits) {
  if (!std::isfinite(v)) throw InputError("nan and infinities are not numbers");
  return exactly(Dyadic::exactly(v), bits);
}

Ball Ball::exactly(const Dyadic& v, Bits bits) {
  if (!v.is_finite()) throw InputError("nan and infinities are not numbers");
  Ball r;
  r.set_precision(bits);
  arb_set_arf(r.x_, v.raw());
  return r;
}

Ball Ball::whole_line(Bits bits) {
  Ball r;
  r.set_precision(bits);
  arb_zero_pm_inf(r.x_);
  return r;
}

Ball Ball::at(Bits bits) const {
  Ball r;
  r.set_precision(bits);
  arb_set_round(r.x_, x_, bits);
  return r;
}

Dyadic Ball::lower(Bits bits) const {
  Dyadic r;
  if (arf_is_nan(arb_midref(x_)))
    arf_neg_inf(r.raw());
  else
    arb_get_lbound_arf(r.raw(), x_, bits > 0 ? bits : bits_ + 32);
  return r;
}

Dyadic Ball::upper(Bits bits) const {
  Dyadic r;
  if (arf_is_nan(arb_midref(x_)))
    arf_pos_inf(r.raw());
  else
    arb_get_ubound_arf(r.raw(), x_, bits > 0 ? bits : bits_ + 32);
  return r;
}

Dyadic Ball::midpoint() const {
  Dyadic r;
  arf_set(r.raw(), arb_midref(x_));
  return r;
}

Ball Ball::center() const {
  Ball r(*this);
  mag_zero(arb_radref(r.x_));
  return r;
}

Truth Ball::is_zero() const {
  if (arb_is_zero(x_)) return Truth::yes;
  return arb_contains_zero(x_) ? Truth::unknown : Truth::no;
}

Truth Ball::is_positive() const {
  if (arb_is_positive(x_)) return Truth::yes;
  return arb_is_nonpositive(x_) ? Truth::no : Truth::unknown;
}

Truth Ball::is_nonnegative() const {
  if (arb_is_nonnegative(x_)) return Truth::yes;
  return arb_is_negative(x_) ? Truth::no : Truth::unknown;
}

Ball scaled(Ball x, const Integer& e) {
  detail::Fmpz k(e);
  arb_mul_2exp_fmpz(x.raw(), x.raw(), k.x);
  return x;
}

Ball pow(const Ball& x, const Integer& k) {
  Ball r(x);
  detail::Fmpz e(k);
  arb_pow_fmpz(r.raw(), x.raw(), e.x, x.precision());
  return r;
}

Ball intersection(const Ball& a, const Ball& b) {
  if (!a.is_finite()) return b;
  if (!b.is_finite()) return a;
  // Only the one with the larger radius can contain the other.
  const bool a_is_wider = mag_cmp(arb_radref(a.raw()), arb_radref(b.raw())) >= 0;
  if (a_is_wider && a.contains(b)) return b;
  if (!a_is_wider && b.contains(a)) return a;
  Ball r(a);
  const Bits bits = a.precision() > b.precision() ? a.precision() : b.precision();
  BallAccess::bits(r) = bits;
  if (!arb_intersection(r.raw(), a.raw(), b.raw(), bits))
    throw Error("two enclosures of one number do not meet");
  return r;
}

namespace {
Truth from_predicates(bool yes, bool no) { return yes ? Truth::yes : no ? Truth::no : Truth::unknown; }
}  // namespace

Truth less(const Ball& a, const Ball& b) {
  return from_predicates(arb_lt(a.raw(), b.raw()) != 0, arb_ge(a.raw(), b.raw()) != 0);
}

Truth less_equal(const Ball& a, const Ball& b) {
  return from_predicates(arb_le(a.raw(), b.raw()) != 0, arb_gt(a.raw(), b.raw()) != 0);
}

Truth equal(const Ball& a, const Ball& b) {
  return from_predicates(arb_eq(a.raw(), b.raw()) != 0, arb_ne(a.raw(), b.raw()) != 0);
}

Ball up_from_zero(const Ball& x) {
  detail::Fmpz e;
  arf_abs_bound_lt_2exp_fmpz(e.x, x.upper().raw());
  fmpz_sub_ui(e.x, e.x, 1);
  Ball r(1, x.precision());
  arb_mul_2exp_fmpz(r.raw(), r.raw(), e.x);
  mag_one(arb_radref(r.raw()));
  mag_mul_2exp_fmpz(arb_radref(r.raw()), arb_radref(r.raw()), e.x);
  return r;
}

}  // namespace critscale
