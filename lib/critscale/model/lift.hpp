// From exact parameters to numbers of an evaluator's type. Uses configuration.hpp and number/.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "critscale/layer/real.hpp"
#include "critscale/model/configuration.hpp"
#include "critscale/model/number_cache.hpp"
#include "critscale/number/dual.hpp"
#include "critscale/number/precision.hpp"

namespace critscale {

/// An integer combination of box parameters and a constant: its exact range, and the coefficient
/// of each parameter by its number in box_parameters().
struct Linear {
  RationalBox range;
  std::vector<std::pair<std::size_t, long>> terms;

  static Linear constant(Rational v) { return {{v, v}, {}}; }
  static Linear parameter(const RationalBox& box, std::size_t index) { return {box, {{index, 1}}}; }
  friend Linear operator-(const Linear& a, const Linear& b) {
    Linear r{{a.range.lo - b.range.hi, a.range.hi - b.range.lo}, a.terms};
    for (const auto& [index, coefficient] : b.terms) r.terms.emplace_back(index, -coefficient);
    return r;
  }
};

/// Conversion of exact input to Real. `exact_powers` says whether powers n^-c are formed exactly
/// first, so that nothing is lost at a threshold (a plain point type computes as users' code does).
template <class Real>
class Lift;

/// What the two certified arithmetics share.
template <class Real>
class CertifiedLift {
 public:
  static constexpr bool exact_powers = true;
  explicit CertifiedLift(Bits bits) : bits_(bits) {}
  Bits bits() const { return bits_; }
  Real operator()(const Rational& v) const { return Real(v, bits_); }
  Real operator()(const Linear& v) const { return Real::hull(v.range.lo, v.range.hi, bits_); }

 protected:
  Bits bits_;
};

template <>
class Lift<Ball> : public CertifiedLift<Ball> {
 public:
  explicit Lift(Bits bits, NumberCache* cache = nullptr) : CertifiedLift(bits), cache_(cache) {}
  using CertifiedLift::operator();
  Ball operator()(const PowerProduct& v) const { return cache_ ? cache_->value(v, bits_) : value(v, bits_); }
  Ball log(const PowerProduct& v) const { return log_at(v, bits_); }
  /// x^exponent: by exact powers where the exponents allow it.
  Ball power(const PowerProduct& x, const Rational& exponent) const {
    for (const PowerProduct::Factor& f : x.factors())
      if (!cache_ || is_integer(Rational(f.exponent * exponent))) return value(pow(x, exponent), bits_);
    // An absolute error in the logarithm is a relative one in the power.
    return *decide(bits_ + 32, no_precision_limit, [&](Bits working) -> std::optional<Ball> {
      const Ball logarithm = Ball(exponent, working) * log_at(x, working);
      if (arf_cmpabs_2exp_si(arb_midref(logarithm.raw()), working - bits_ - 8) >= 0) return std::nullopt;
      return exp(logarithm).at(bits_);
    });
  }

 private:
  Ball log_at(const PowerProduct& v, Bits bits) const {
    return cache_ ? cache_->log(v, bits) : critscale::log(v, bits);
  }
  NumberCache* cache_;
};

template <>
class Lift<Interval> : public CertifiedLift<Interval> {
 public:
  using CertifiedLift::CertifiedLift;
  using CertifiedLift::operator();
  Interval operator()(const PowerProduct& v) const {
    if (v.is_one()) return Interval(1, bits_);
    if (v.factors().size() == 1 && is_integer(v.factors()[0].exponent))
      return pow(Interval(v.factors()[0].base, bits_), numerator(v.factors()[0].exponent));
    return exp(log(v));
  }
  Interval power(const PowerProduct& x, const Rational& exponent) const { return (*this)(pow(x, exponent)); }
  Interval log(const PowerProduct& v) const {
    Interval sum(0, bits_);
    for (const auto& [base, exponent] : v.factors())
      sum += Interval(exponent, bits_) * critscale::log(Interval(base, bits_));
    return sum;
  }
};

/// Enclosures with derivatives by the box parameters that are proper boxes.
template <>
class Lift<Dual<Ball>> {
 public:
  static constexpr bool exact_powers = false;
  explicit Lift(Bits bits) : ball_(bits) {}
  Dual<Ball> operator()(const Rational& v) const { return Dual<Ball>(ball_(v)); }
  Dual<Ball> operator()(const PowerProduct& v) const { return Dual<Ball>(ball_(v)); }
  Dual<Ball> log(const PowerProduct& v) const { return Dual<Ball>(ball_.log(v)); }
  Dual<Ball> operator()(const Linear& v) const {
    std::vector<Ball> gradient;
    if (!v.range.is_point())
      for (const auto& [index, coefficient] : v.terms) {
        if (gradient.size() <= index) gradient.resize(index + 1);
        gradient[index] += Ball(coefficient);
      }
    return Dual<Ball>(ball_(v), std::move(gradient));
  }

 private:
  Lift<Ball> ball_;
};

/// Point types: every conversion rounds to nearest, powers are computed as exp of a product.
template <class Real>
class Lift {
 public:
  static constexpr bool exact_powers = false;
  Real operator()(const Rational& v) const {
    return static_cast<Real>(numerator(v)) / static_cast<Real>(denominator(v));
  }
  Real operator()(const Linear& v) const { return (*this)(v.range.lo); }
  Real operator()(const PowerProduct& v) const {
    Real product(1);
    for (const auto& [base, exponent] : v.factors()) {
      using std::pow;
      product *= pow(static_cast<Real>(base), (*this)(exponent));
    }
    return product;
  }
  Real log(const PowerProduct& v) const {
    Real sum{};
    for (const auto& [base, exponent] : v.factors()) {
      using std::log;
      sum += (*this)(exponent)*log(static_cast<Real>(base));
    }
    return sum;
  }
};

}  // namespace critscale
