// The loops over all pairs in double-double arithmetic ([double-double]), compiled once for every instruction
// set. Numbers are two arrays, hi and lo. Raw pointers and plain numbers only cross. Uses kernels.hpp.
#pragma once

#include "critscale/tokens/binary64/detail/kernels.hpp"

namespace critscale {

/// hi + lo.
struct NumberPair {
  double hi = 0, lo = 0;
};

struct PairKernels {
  const char* instruction_set;
  /// Keys whose products are made together: `scratch` of `dots` holds so many rows of B.
  std::size_t width;
  /// <a_i, b_j> within (d + 2)^2 2^-106 |a_i| |b_j|, in rows of that stride.
  void (*dots)(MatrixView A, MatrixView B, double* hi, double* lo, std::size_t stride, double* scratch);
  /// a_j *= c; a_j += c; a_j = c - a_j.
  void (*scale)(std::size_t n, NumberPair c, double* hi, double* lo);
  void (*shift)(std::size_t n, NumberPair c, double* hi, double* lo);
  void (*gaps)(std::size_t n, NumberPair c, double* hi, double* lo);
  /// a_j *= b_j.
  void (*multiply)(std::size_t n, const double* b_hi, const double* b_lo, double* hi, double* lo);
  /// a_j = exp(-a_j), a_j >= -1/4, within 2^-94 of itself; 0 from 680 on.
  void (*exponentials)(std::size_t n, double* hi, double* lo);
  /// a_j = c tanh(a_j/c), with the slope there; `turns` is 2/c.
  void (*cap)(std::size_t n, NumberPair c, NumberPair turns, double* hi, double* lo, double* slope_hi,
              double* slope_lo);
  /// sum_j a_j and sum_j a_j b_j: a term passes at most n additions.
  NumberPair (*sum)(std::size_t n, const double* hi, const double* lo);
  NumberPair (*dot)(std::size_t n, const double* a_hi, const double* a_lo, const double* b_hi,
                    const double* b_lo);
  /// a_j += c x_j.
  void (*add_multiple)(std::size_t n, NumberPair c, const double* x, double* hi, double* lo);
};

/// The fastest this processor can run. All give the same bytes.
const PairKernels& pair_kernels();
/// All it can run.
std::span<const PairKernels* const> all_pair_kernels();

}  // namespace critscale
