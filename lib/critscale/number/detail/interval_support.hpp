// What the source files of Interval share: the exponent range, the sign of zero. Uses MPFI and MPFR.
#pragma once

#include <mpfi.h>

namespace critscale::detail {

/// MPFR's widest exponent range, a setting of the thread, while it lives; the range found comes back after.
/// comes back after.
class WidestExponents {
 public:
  WidestExponents() : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  WidestExponents(const WidestExponents&) = delete;
  WidestExponents& operator=(const WidestExponents&) = delete;
  ~WidestExponents() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }

 private:
  mpfr_exp_t emin_, emax_;
};

/// A zero has no sign here.
inline void normalize_zeros(mpfi_ptr z) {
  if (mpfr_zero_p(&z->left)) mpfr_set_zero(&z->left, 1);
  if (mpfr_zero_p(&z->right)) mpfr_set_zero(&z->right, 1);
}

}  // namespace critscale::detail
