// The code of the kernels in double-double arithmetic; included once for every instruction set, with
// CRITSCALE_KERNELS naming it. Includes no header whose inline functions could be shared with other code.
#pragma once

#ifndef CRITSCALE_KERNELS
#error "CRITSCALE_KERNELS must name the instruction set"
#endif

#include "critscale/tokens/binary64/detail/double_double.hpp"
#include "critscale/tokens/binary64/detail/pair_kernels.hpp"

namespace critscale {
inline namespace CRITSCALE_KERNELS {
namespace {

/// Sums are kept in so many parts.
constexpr std::size_t lanes = 16;
constexpr std::size_t tile = 32;

DoubleDouble of(NumberPair x) { return {x.hi, x.lo}; }

/// Rows of A against a tile of B, of which column w is key w ([double-double], sums of products).
void tile_of_dots(MatrixView A, const double* __restrict columns, std::size_t keys, double* hi, double* lo,
                  std::size_t stride) {
  for (std::size_t i = 0; i < A.rows; ++i) {
    const double* a = A.data + i * A.stride;
    double sum[tile] = {}, rest[tile] = {};
    for (std::size_t l = 0; l < A.cols; ++l) {
      const double x = a[l];
      const double* __restrict column = columns + l * tile;
      for (std::size_t w = 0; w < tile; ++w) {
        const DoubleDouble p = two_product(x, column[w]), s = two_sum(sum[w], p.hi);
        sum[w] = s.hi;
        rest[w] += s.lo + p.lo;
      }
    }
    for (std::size_t w = 0; w < keys; ++w) {
      const DoubleDouble r = two_sum(sum[w], rest[w]);
      hi[i * stride + w] = r.hi;
      lo[i * stride + w] = r.lo;
    }
  }
}

void dots(MatrixView A, MatrixView B, double* hi, double* lo, std::size_t stride, double* scratch) {
  for (std::size_t j = 0; j < B.rows; j += tile) {
    const std::size_t keys = B.rows - j < tile ? B.rows - j : tile;
    for (std::size_t l = 0; l < B.cols; ++l)
      for (std::size_t w = 0; w < tile; ++w)
        scratch[l * tile + w] = w < keys ? B.data[(j + w) * B.stride + l] : 0.0;
    tile_of_dots(A, scratch, keys, hi + j, lo + j, stride);
  }
}

template <class F>
void each(std::size_t n, double* __restrict hi, double* __restrict lo, const F& f) {
  for (std::size_t j = 0; j < n; ++j) {
    const DoubleDouble r = f(DoubleDouble{hi[j], lo[j]});
    hi[j] = r.hi;
    lo[j] = r.lo;
  }
}

void scale(std::size_t n, NumberPair c, double* hi, double* lo) {
  const DoubleDouble factor = of(c);
  each(n, hi, lo, [=](DoubleDouble a) { return a * factor; });
}
void shift(std::size_t n, NumberPair c, double* hi, double* lo) {
  const DoubleDouble by = of(c);
  each(n, hi, lo, [=](DoubleDouble a) { return a + by; });
}
void gaps(std::size_t n, NumberPair c, double* hi, double* lo) {
  const DoubleDouble top = of(c);
  each(n, hi, lo, [=](DoubleDouble a) { return top - a; });
}

void multiply(std::size_t n, const double* __restrict b_hi, const double* __restrict b_lo,
              double* __restrict hi, double* __restrict lo) {
  for (std::size_t j = 0; j < n; ++j) {
    const DoubleDouble r = DoubleDouble{hi[j], lo[j]} * DoubleDouble{b_hi[j], b_lo[j]};
    hi[j] = r.hi;
    lo[j] = r.lo;
  }
}

/// a + b for |a| >= |b|, with an error below 2^-103 |a|.
[[gnu::always_inline]] inline DoubleDouble add_smaller(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = fast_two_sum(a.hi, b.hi);
  return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

/// exp(-t) by [double-double], exponentials. Loops that call it are vectorised only where it is part of them.
[[gnu::always_inline]] inline DoubleDouble exponential(DoubleDouble t) {
  // ln 2 = high + middle + low; high and middle have 32 bits, so that their products with k < 2^11 are exact.
  constexpr double high = 0x1.62e42feep-1, middle = 0x1.a39ef356p-33, low = 0x1.93c7673007e5fp-65,
                   log2_e = 0x1.71547652b82fep+0, magic = 0x1.8p52, limit = 680;
  const bool counts = t.hi < limit;
  const double t_hi = counts ? t.hi : limit, t_lo = counts ? t.lo : 0.0;
  const double shifted = t_hi * log2_e + magic, k = shifted - magic;
  const DoubleDouble near = two_sum(t_hi - k * high, -(k * middle));
  const DoubleDouble z = two_sum(near.hi, near.lo + (t_lo - k * low));
  // exp(-z) = (exp w)^16.
  const DoubleDouble w{z.hi * -0x1p-4, z.lo * -0x1p-4};
  double tail = 1.0 / 479001600;
  tail = tail * w.hi + 1.0 / 39916800;
  tail = tail * w.hi + 1.0 / 3628800;
  tail = tail * w.hi + 1.0 / 362880;
  tail = tail * w.hi + 1.0 / 40320;
  tail = tail * w.hi + 1.0 / 5040;
  // 1/6!, 1/5!, 1/4!, 1/3! to two doubles.
  DoubleDouble p = add_smaller({0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65}, w * tail);
  p = add_smaller({0x1.1111111111111p-7, 0x1.1111111111111p-63}, w * p);
  p = add_smaller({0x1.5555555555555p-5, 0x1.5555555555555p-59}, w * p);
  p = add_smaller({0x1.5555555555555p-3, 0x1.5555555555555p-57}, w * p);
  p = add_smaller({0.5, 0}, w * p);
  p = add_smaller({1, 0}, w * p);
  p = add_smaller({1, 0}, w * p);
  p = p * p;
  p = p * p;
  p = p * p;
  p = p * p;
  // The low bits of `shifted` are k; 2^-k by its exponent field.
  const auto bits = (1023UL << 52) - (__builtin_bit_cast(unsigned long, shifted) << 52);
  const double power = counts ? __builtin_bit_cast(double, bits) : 0.0;
  return {p.hi * power, p.lo * power};
}

void exponentials(std::size_t n, double* hi, double* lo) {
  each(n, hi, lo, [](DoubleDouble t) { return exponential(t); });
}

void cap(std::size_t n, NumberPair c, NumberPair turns, double* __restrict hi, double* __restrict lo,
         double* __restrict slope_hi, double* __restrict slope_lo) {
  const DoubleDouble bound = of(c), factor = of(turns), one{1, 0};
  for (std::size_t j = 0; j < n; ++j) {
    const double sign = hi[j] < 0 ? -1.0 : 1.0;
    const DoubleDouble E = exponential(DoubleDouble{sign * hi[j], sign * lo[j]} * factor);
    const DoubleDouble sum = one + E, r = bound * ((one - E) / sum), slope = (E / sum) / sum;
    hi[j] = sign * r.hi;
    lo[j] = sign * r.lo;
    slope_hi[j] = 4 * slope.hi;
    slope_lo[j] = 4 * slope.lo;
  }
}

/// sum_j term(j), in `lanes` parts.
template <class Term>
NumberPair sum_of(std::size_t n, const Term& term) {
  double hi[lanes] = {}, lo[lanes] = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes)
    for (std::size_t w = 0; w < lanes; ++w) {
      const DoubleDouble s = DoubleDouble{hi[w], lo[w]} + term(j + w);
      hi[w] = s.hi;
      lo[w] = s.lo;
    }
  DoubleDouble total{hi[0], lo[0]};
  for (std::size_t w = 1; w < lanes; ++w) total = total + DoubleDouble{hi[w], lo[w]};
  for (; j < n; ++j) total = total + term(j);
  return {total.hi, total.lo};
}

NumberPair sum(std::size_t n, const double* hi, const double* lo) {
  return sum_of(n, [=](std::size_t j) { return DoubleDouble{hi[j], lo[j]}; });
}

NumberPair dot(std::size_t n, const double* a_hi, const double* a_lo, const double* b_hi,
               const double* b_lo) {
  return sum_of(n, [=](std::size_t j) {
    return DoubleDouble{a_hi[j], a_lo[j]} * DoubleDouble{b_hi[j], b_lo[j]};
  });
}

void add_multiple(std::size_t n, NumberPair c, const double* __restrict x, double* __restrict hi,
                  double* __restrict lo) {
  const DoubleDouble factor = of(c);
  for (std::size_t j = 0; j < n; ++j) {
    const DoubleDouble r = DoubleDouble{hi[j], lo[j]} + factor * x[j];
    hi[j] = r.hi;
    lo[j] = r.lo;
  }
}

}  // namespace

extern const PairKernels pairs;
const PairKernels pairs{CRITSCALE_KERNELS_NAME, tile, dots, scale, shift,       gaps, multiply,
                        exponentials,           cap,  sum,  dot,   add_multiple};

}  // namespace CRITSCALE_KERNELS
}  // namespace critscale
