// The one place that knows where FLINT and Arb keep their headers: FLINT 3 contains Arb, with
// FLINT 2 it is a library of its own.
#pragma once

#include <flint/flint.h>
#include <gmp.h>
#include <mpfr.h>
#if __FLINT_RELEASE >= 30000
#include <flint/arb.h>
#include <flint/arb_mat.h>
#include <flint/arf.h>
#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/mag.h>
#else
#include <arb.h>
#include <arb_mat.h>
#include <arf.h>
#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <mag.h>
#endif

#include "critscale/number/exact.hpp"

namespace critscale::detail {

/// RAII for fmpz_t, FLINT's integer.
struct Fmpz {
  fmpz_t x;
  Fmpz() { fmpz_init(x); }
  explicit Fmpz(const Integer& n) : Fmpz() { fmpz_set_mpz(x, n.backend().data()); }
  explicit Fmpz(long n) : Fmpz() { fmpz_set_si(x, n); }
  Fmpz(const Fmpz&) = delete;
  Fmpz& operator=(const Fmpz&) = delete;
  ~Fmpz() { fmpz_clear(x); }
  Integer integer() const {
    Integer n;
    fmpz_get_mpz(n.backend().data(), x);
    return n;
  }
};

/// RAII for fmpq_t, FLINT's fraction.
struct Fmpq {
  fmpq_t x;
  explicit Fmpq(const Rational& r) {
    fmpq_init(x);
    fmpq_set_mpq(x, r.backend().data());
  }
  Fmpq(const Fmpq&) = delete;
  Fmpq& operator=(const Fmpq&) = delete;
  ~Fmpq() { fmpq_clear(x); }
};

/// RAII for mag_t, an upper bound of few bits.
struct Mag {
  mag_t x;
  Mag() { mag_init(x); }
  Mag(const Mag&) = delete;
  Mag& operator=(const Mag&) = delete;
  ~Mag() { mag_clear(x); }
};

}  // namespace critscale::detail
