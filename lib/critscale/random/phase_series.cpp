// Series of the phase lines with rational coefficients, by FLINT's power series. [phase-series]
#include <algorithm>

#include "critscale/number/detail/flint_special.hpp"
#include "critscale/random/phases.hpp"

namespace critscale::random {

namespace {

/// A power series over the rationals, cut at a number of terms.
class Series {
 public:
  explicit Series(long terms) : terms_(terms) { fmpq_poly_init(x_); }
  Series(const Series& o) : Series(o.terms_) { fmpq_poly_set(x_, o.x_); }
  Series& operator=(const Series& o) {
    fmpq_poly_set(x_, o.x_);
    terms_ = o.terms_;
    return *this;
  }
  ~Series() { fmpq_poly_clear(x_); }
  /// constant + linear x.
  static Series line(long constant, long linear, long terms) {
    Series r(terms);
    fmpq_poly_set_coeff_si(r.x_, 0, constant);
    fmpq_poly_set_coeff_si(r.x_, 1, linear);
    return r;
  }
  friend Series operator+(const Series& a, const Series& b) { return binary(fmpq_poly_add, a, b); }
  friend Series operator-(const Series& a, const Series& b) { return binary(fmpq_poly_sub, a, b); }
  friend Series operator*(const Series& a, const Series& b) { return cut(fmpq_poly_mullow, a, b); }
  friend Series operator/(const Series& a, const Series& b) { return cut(fmpq_poly_div_series, a, b); }
  Series times(long p, long q) const {
    Series r = *this;
    fmpq_poly_scalar_mul_si(r.x_, r.x_, p);
    fmpq_poly_scalar_div_si(r.x_, r.x_, q);
    return r;
  }
  Series sqrt() const { return unary(fmpq_poly_sqrt_series); }
  Series log() const { return unary(fmpq_poly_log_series); }
  Series exp() const { return unary(fmpq_poly_exp_series); }
  Series reverse() const { return unary(fmpq_poly_revert_series); }
  Series of(const Series& inner) const { return cut(fmpq_poly_compose_series, *this, inner); }
  /// Divided by x, which must divide it.
  Series over_x() const {
    Series r = *this;
    fmpq_poly_shift_right(r.x_, r.x_, 1);
    return r;
  }
  std::vector<Rational> coefficients(std::size_t count) const {
    std::vector<Rational> r(count);
    for (std::size_t i = 0; i < count; ++i) {
      fmpq_t c;
      fmpq_init(c);
      fmpq_poly_get_coeff_fmpq(c, x_, static_cast<slong>(i));
      fmpq_get_mpq(r[i].backend().data(), c);
      fmpq_clear(c);
    }
    return r;
  }

 private:
  template <class F>
  static Series binary(F f, const Series& a, const Series& b) {
    Series r(a.terms_);
    f(r.x_, a.x_, b.x_);
    return r;
  }
  template <class F>
  static Series cut(F f, const Series& a, const Series& b) {
    Series r(a.terms_);
    f(r.x_, a.x_, b.x_, a.terms_);
    return r;
  }
  template <class F>
  Series unary(F f) const {
    Series r(terms_);
    f(r.x_, x_, terms_);
    return r;
  }
  fmpq_poly_t x_;
  long terms_;
};

}  // namespace

std::vector<Rational> self_line_at_infinity(std::size_t terms) {
  // 1/kappa = v/(1 + v) - ln(1 - v^2)/2 as a series in v, reversed; g = kappa v/(1 - v^2).
  const long t = static_cast<long>(terms) + 2;
  const Series v = Series::line(0, 1, t), one = Series::line(1, 0, t), s = one - v * v;
  const Series v_of = (v / (one + v) - s.log().times(1, 2)).reverse();
  return (v_of / (one - v_of * v_of)).over_x().coefficients(terms);
}

std::vector<Rational> condensation_line_at_infinity(std::size_t terms) {
  // e = 1/kappa: g^2 = kappa^2 e^(4 e) (1 - e^(-2 e)) = 2 kappa e^(4 e) (1 - e^(-2 e))/(2 e).
  const long t = static_cast<long>(terms) + 2;
  const Series e = Series::line(0, 1, t), one = Series::line(1, 0, t);
  const Series ratio = (one - e.times(-2, 1).exp()).over_x().times(1, 2);
  return (e.times(4, 1).exp() * ratio).sqrt().coefficients(terms);
}

std::vector<Rational> self_line_at_zero(std::size_t terms) {
  // x = e^-q: ln x = 1 - 2/kappa + (2 v/(1 + v) - 1), v = sqrt(1 - x), so that X = x exp(1 - 2 v/(1 + v)).
  const long t = static_cast<long>(terms) + 2;
  const Series x = Series::line(0, 1, t), one = Series::line(1, 0, t), v = (one - x).sqrt();
  const Series x_of = (x * (one - (v / (one + v)).times(2, 1)).exp()).reverse();
  return (v.of(x_of) / x_of.over_x()).coefficients(terms);
}

std::vector<Rational> condensation_line_at_zero(std::size_t terms) {
  const long t = static_cast<long>(terms) + 2;
  return Series::line(1, -1, t).sqrt().coefficients(terms);
}

}  // namespace critscale::random
