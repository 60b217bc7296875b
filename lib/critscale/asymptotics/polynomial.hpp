// Polynomial: integer polynomials in the symbols of a table, FLINT's fmpz_mpoly with RAII. For the
// implementation of coefficients only. Uses FLINT.
#pragma once

#include <flint/fmpz_mpoly.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "critscale/number/flint.hpp"

namespace critscale::detail {

using MonomialOrder = const fmpz_mpoly_ctx_struct*;

class Polynomial {
 public:
  explicit Polynomial(MonomialOrder ring) : ring_(ring) { fmpz_mpoly_init(p_, ring_); }
  Polynomial(MonomialOrder ring, const Integer& constant) : Polynomial(ring) {
    fmpz_mpoly_set_fmpz(p_, Fmpz(constant).x, ring_);
  }
  static Polynomial variable(MonomialOrder ring, std::size_t index) {
    Polynomial r(ring);
    fmpz_mpoly_gen(r.p_, static_cast<slong>(index), ring);
    return r;
  }
  Polynomial(const Polynomial& o) : Polynomial(o.ring_) { fmpz_mpoly_set(p_, o.p_, ring_); }
  Polynomial(Polynomial&& o) noexcept : ring_(o.ring_) {
    fmpz_mpoly_init(p_, ring_);
    fmpz_mpoly_swap(p_, o.p_, ring_);
  }
  Polynomial& operator=(const Polynomial& o) {
    fmpz_mpoly_set(p_, o.p_, ring_);
    return *this;
  }
  Polynomial& operator=(Polynomial&& o) noexcept {
    fmpz_mpoly_swap(p_, o.p_, ring_);
    return *this;
  }
  ~Polynomial() { fmpz_mpoly_clear(p_, ring_); }

  MonomialOrder ring() const { return ring_; }
  fmpz_mpoly_struct* raw() { return p_; }
  const fmpz_mpoly_struct* raw() const { return p_; }

  bool is_zero() const { return fmpz_mpoly_is_zero(p_, ring_) != 0; }
  bool is_one() const { return fmpz_mpoly_is_one(p_, ring_) != 0; }
  bool is_constant() const { return fmpz_mpoly_is_fmpz(p_, ring_) != 0; }
  Integer constant() const {
    Fmpz c;
    fmpz_mpoly_get_fmpz(c.x, p_, ring_);
    return c.integer();
  }
  bool contains(std::size_t variable) const {
    return fmpz_mpoly_degree_si(p_, static_cast<slong>(variable), ring_) > 0;
  }
  /// Number of terms; term 0 is the largest monomial.
  std::size_t size() const { return static_cast<std::size_t>(fmpz_mpoly_length(p_, ring_)); }
  Integer coefficient(std::size_t term) const {
    Fmpz c;
    fmpz_mpoly_get_term_coeff_fmpz(c.x, p_, static_cast<slong>(term), ring_);
    return c.integer();
  }
  std::vector<ulong> exponents(std::size_t term) const {
    std::vector<ulong> e(static_cast<std::size_t>(fmpz_mpoly_ctx_nvars(ring_)));
    fmpz_mpoly_get_term_exp_ui(e.data(), p_, static_cast<slong>(term), ring_);
    return e;
  }
  /// The sum of terms given one by one in any order.
  void push(const Integer& c, const std::vector<ulong>& e) {
    fmpz_mpoly_push_term_fmpz_ui(p_, Fmpz(c).x, e.data(), ring_);
  }
  void finish() {
    fmpz_mpoly_sort_terms(p_, ring_);
    fmpz_mpoly_combine_like_terms(p_, ring_);
  }

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial r(a.ring_);
    fmpz_mpoly_add(r.p_, a.p_, b.p_, a.ring_);
    return r;
  }
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b) {
    Polynomial r(a.ring_);
    fmpz_mpoly_sub(r.p_, a.p_, b.p_, a.ring_);
    return r;
  }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial r(a.ring_);
    fmpz_mpoly_mul(r.p_, a.p_, b.p_, a.ring_);
    return r;
  }
  Polynomial operator-() const {
    Polynomial r(ring_);
    fmpz_mpoly_neg(r.p_, p_, ring_);
    return r;
  }
  friend bool operator==(const Polynomial& a, const Polynomial& b) {
    return fmpz_mpoly_equal(a.p_, b.p_, a.ring_) != 0;
  }

 private:
  fmpz_mpoly_t p_;
  MonomialOrder ring_;
};

}  // namespace critscale::detail
