// Where FLINT and Arb keep special functions, rigorous integration and polynomials over the rationals:
// flint.hpp's companion for the few files that need them.
#pragma once

#include "critscale/number/flint.hpp"
#if __FLINT_RELEASE >= 30000
#include <flint/acb.h>
#include <flint/acb_calc.h>
#include <flint/acb_hypgeom.h>
#include <flint/arb_hypgeom.h>
#include <flint/fmpq_poly.h>
#else
#include <acb.h>
#include <acb_calc.h>
#include <acb_hypgeom.h>
#include <arb_hypgeom.h>
#include <flint/fmpq_poly.h>
#endif
