// Exact products by digits ([ball-products]).
#include "critscale/tokens/ball/detail/product.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

#include "critscale/tokens/binary64/detail/kernels.hpp"

namespace critscale {

namespace {

/// Digits cost the square of the precision, Arb's residues the precision: beyond this Arb is faster.
constexpr Bits most_bits = 640;
/// Below this many products Arb is faster, and its errors are bounded entry by entry.
constexpr std::size_t least_work = std::size_t{1} << 18;
constexpr std::size_t tile_rows = 128, tile_cols = 256;
constexpr double slack = 1 + 0x1p-20;

int log2_ceil(std::size_t n) { return static_cast<int>(std::bit_width(n - 1)); }

/// Half of the exponents that numbers may have: far from where sums of them overflow.
constexpr slong most_exponent = slong{1} << 40;

/// e with |x| < 2^e for all x in the row; most_exponent or more where the digits cannot hold them.
slong row_exponent(const BallMatrix& A, std::size_t i) {
  slong e = -most_exponent;
  for (std::size_t k = 0; k < A.cols(); ++k) {
    if (arb_is_finite(A.raw(i, k)) == 0) return most_exponent;
    e = std::max(e, arf_abs_bound_lt_2exp_si(arb_midref(A.raw(i, k))));
  }
  return e == -most_exponent ? 0 : e;
}

/// |z| as limbs; `small` is used where z is no more than a word.
std::pair<const mp_limb_t*, std::size_t> limbs(const fmpz_t z, mp_limb_t& small) {
  if (COEFF_IS_MPZ(*z)) {
    const mpz_ptr m = COEFF_TO_PTR(*z);
    return {mpz_limbs_read(m), mpz_size(m)};
  }
  small = static_cast<mp_limb_t>(std::labs(*z));
  return {&small, small == 0 ? 0 : 1};
}

/// Bits [at, at + count) of |z|, count <= 32.
std::uint64_t bits_at(const mp_limb_t* limb, std::size_t n, std::size_t at, int count) {
  const std::size_t word = at / 64, shift = at % 64;
  if (word >= n) return 0;
  std::uint64_t x = limb[word] >> shift;
  if (shift != 0 && word + 1 < n) x |= limb[word + 1] << (64 - shift);
  return x & ((std::uint64_t{1} << count) - 1);
}

/// Row i, whose entries are below 2^(exponent - 1).
void convert_row(const BallMatrix& A, std::size_t i, slong exponent, DigitRows& r) {
  const int b = r.layout.digit_bits, s = r.layout.slices;
  r.exponent[i] = exponent;
  const double least = std::ldexp(slack, -b * s), resolution = std::ldexp(1.0, -2 * b);
  const std::uint64_t half = std::uint64_t{1} << (b - 1);
  detail::Fmpz z;
  mag_t radius;
  mag_init(radius);
  for (std::size_t k = 0; k < r.cols; ++k) {
    const std::size_t at = i * r.cols + k;
    arf_get_fmpz_fixed_si(z.x, arb_midref(A.raw(i, k)), exponent - b * s);
    mp_limb_t small = 0;
    const auto [limb, n] = limbs(z.x, small);
    const double sign = fmpz_sgn(z.x) < 0 ? -1 : 1;
    std::uint64_t carry = 0;
    for (int t = s - 1; t >= 0; --t) {
      const std::uint64_t raw = bits_at(limb, n, static_cast<std::size_t>(b * (s - 1 - t)), b) + carry;
      carry = t > 0 && raw > half ? 1 : 0;
      const double digit = static_cast<double>(raw) - (carry != 0 ? static_cast<double>(2 * half) : 0.0);
      r.digits[static_cast<std::size_t>(t) * r.rows * r.cols + at] = sign * digit;
    }
    const std::size_t top = static_cast<std::size_t>(b * (s - 1)),
                      next = static_cast<std::size_t>(b * (s - 2));
    const auto leading = static_cast<double>((bits_at(limb, n, top, b) << b) + bits_at(limb, n, next, b) + 1);
    mag_mul_2exp_si(radius, arb_radref(A.raw(i, k)), -exponent);
    r.size[at] = leading * resolution;
    r.radius[at] = mag_get_d(radius) * slack + least;
  }
  mag_clear(radius);
}

/// Rows [i, i_end) of A times rows [j, j_end) of B, which may have fewer columns.
void multiply_tile(const DigitRows& A, const DigitRows& B, std::size_t i, std::size_t i_end, std::size_t j,
                   std::size_t j_end, BallMatrix& C) {
  const TokenKernels& kernels = *token_kernels().front();
  const std::size_t height = i_end - i, width = j_end - j, count = height * width, inner = B.cols;
  const auto s = static_cast<std::size_t>(B.layout.slices);
  std::vector<double> part(count), scratch(count), error(count);
  std::vector<std::int64_t> level(count * s);
  const auto view = [inner](const DigitRows& M, const std::unique_ptr<double[]>& v, std::size_t row,
                            std::size_t rows) {
    return MatrixView{v.get() + row * M.cols, rows, inner, M.cols};
  };
  for (std::size_t t = 0; t < s; ++t)
    for (std::size_t v = 0; t + v < s; ++v) {
      kernels.times_transposed(view(A, A.digits, t * A.rows + i, height),
                               view(B, B.digits, v * B.rows + j, width), part.data(), width, scratch.data());
      std::int64_t* sum = &level[(t + v) * count];
      for (std::size_t k = 0; k < count; ++k) sum[k] += static_cast<std::int64_t>(part[k]);
    }
  // |A| rad B + rad A (|B| + rad B), of numbers >= 0.
  std::vector<double> reach(width * inner);
  for (std::size_t k = 0; k < reach.size(); ++k) reach[k] = B.size[j * inner + k] + B.radius[j * inner + k];
  kernels.times_transposed(view(A, A.radius, i, height), {reach.data(), width, inner, inner}, error.data(),
                           width, scratch.data());
  kernels.times_transposed(view(A, A.size, i, height), view(B, B.radius, j, width), part.data(), width,
                           scratch.data());
  const int digit_bits = B.layout.digit_bits, slices = B.layout.slices;
  const double left_out = static_cast<double>(inner * s) * std::ldexp(0.5, -digit_bits * slices);
  detail::Fmpz z, e;
  mag_t radius;
  mag_init(radius);
  for (std::size_t k = 0; k < count; ++k) {
    fmpz_zero(z.x);
    for (std::size_t t = 0; t < s; ++t) {
      fmpz_mul_2exp(z.x, z.x, static_cast<ulong>(digit_bits));
      const std::int64_t x = level[t * count + k];
      if (x >= 0)
        fmpz_add_ui(z.x, z.x, static_cast<ulong>(x));
      else
        fmpz_sub_ui(z.x, z.x, static_cast<ulong>(-x));
    }
    const slong exponent = A.exponent[i + k / width] + B.exponent[j + k % width];
    arb_ptr out = C.raw(i + k / width, j + k % width);
    fmpz_set_si(e.x, exponent - digit_bits * (slices + 1));
    arb_set_round_fmpz_2exp(out, z.x, e.x, C.precision());
    mag_set_d(radius, (error[k] + part[k] + left_out) * slack);
    mag_mul_2exp_si(radius, radius, exponent);
    mag_add(arb_radref(out), arb_radref(out), radius);
  }
  mag_clear(radius);
}

}  // namespace

DigitLayout DigitLayout::of(std::size_t terms, Bits bits) {
  // Sums of products of digits are terms 2^(2 b - 2) at most.
  const int height = log2_ceil(terms), b = (53 - height) / 2 + 1;
  return {b, std::max(2, static_cast<int>((bits + height + 8 + b - 1) / b))};
}

std::unique_ptr<const DigitRows> DigitRows::make(const BallMatrix& A, DigitLayout layout,
                                                 const Checkpoint& checkpoint) {
  auto r = std::make_unique<DigitRows>();
  r->rows = A.rows();
  r->cols = A.cols();
  r->layout = layout;
  const std::size_t count = r->rows * r->cols;
  r->digits = std::make_unique_for_overwrite<double[]>(count * static_cast<std::size_t>(layout.slices));
  r->exponent.resize(r->rows);
  r->size = std::make_unique_for_overwrite<double[]>(count);
  r->radius = std::make_unique_for_overwrite<double[]>(count);
  std::atomic<bool> held = true;
  tbb::parallel_for(std::size_t{0}, r->rows, [&](std::size_t i) {
    if (i % 64 == 0) checkpoint();
    if (const slong e = row_exponent(A, i); std::labs(e) >= most_exponent)
      held = false;
    else
      convert_row(A, i, e + 1, *r);
  });
  if (!held) return nullptr;
  return r;
}

RightFactor::RightFactor(BallMatrix B, const Checkpoint& checkpoint, std::size_t terms)
    : B_(std::move(B)),
      layout_(DigitLayout::of(std::max(terms, B_.cols()), B_.precision())),
      checkpoint_(checkpoint) {
  if (B_.precision() <= most_bits && B_.rows() * B_.cols() > 0)
    digits_ = DigitRows::make(B_, layout_, checkpoint_);
}

BallMatrix RightFactor::product(LeftFactor& left) const {
  const BallMatrix& A = left.A_;
  if (!digits_ || A.rows() * B_.rows() * B_.cols() < least_work) return by_arb(A);
  if (!left.tried_ || left.layout_ != layout_) {
    left.digits_ = DigitRows::make(A, layout_, checkpoint_);
    left.layout_ = layout_;
    left.tried_ = true;
  }
  if (!left.digits_) return by_arb(A);
  BallMatrix C(A.rows(), B_.rows(), B_.precision());
  const std::size_t across = (B_.rows() + tile_cols - 1) / tile_cols;
  const std::size_t tiles = across * ((A.rows() + tile_rows - 1) / tile_rows);
  tbb::parallel_for(std::size_t{0}, tiles, [&](std::size_t tile) {
    checkpoint_();
    const std::size_t i = tile / across * tile_rows, j = tile % across * tile_cols;
    multiply_tile(*left.digits_, *digits_, i, std::min(A.rows(), i + tile_rows), j,
                  std::min(B_.rows(), j + tile_cols), C);
  });
  return C;
}

BallMatrix RightFactor::by_arb(const BallMatrix& A) const {
  const BallMatrix right = B_.transposed();
  const bool small = A.rows() * B_.rows() * B_.cols() < least_work;
  if (small && A.cols() == B_.cols()) return A * right;
  // Rows of A in blocks, so that threads and checkpoints come between.
  constexpr std::size_t height = 64;
  BallMatrix C(A.rows(), B_.rows(), B_.precision());
  tbb::parallel_for(std::size_t{0}, (A.rows() + height - 1) / height, [&](std::size_t block) {
    checkpoint_();
    const std::size_t first = block * height, last = std::min(A.rows(), first + height);
    BallMatrix part(last - first, B_.cols(), A.precision());
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t k = 0; k < B_.cols(); ++k) arb_set(part.raw(i - first, k), A.raw(i, k));
    part = part * right;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < B_.rows(); ++j) arb_swap(C.raw(i, j), part.raw(i - first, j));
  });
  return C;
}

}  // namespace critscale
