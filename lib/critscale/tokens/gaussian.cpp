// Gaussian tokens: the transformation of Box and Muller, certified until it rounds.
#include "critscale/tokens/gaussian.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "critscale/number/precision.hpp"
#include "critscale/number/rounding.hpp"
#include "critscale/tokens/detail/philox.hpp"

namespace critscale {

namespace {

/// (k + 1/2) 2^-64 in (0, 1), exactly.
Ball uniform(std::uint32_t high, std::uint32_t low, Bits bits) {
  Ball u(std::uint64_t{high} << 32 | low, bits);
  arb_mul_2exp_si(u.raw(), u.raw(), 1);
  arb_add_ui(u.raw(), u.raw(), 1, ARF_PREC_EXACT);
  arb_mul_2exp_si(u.raw(), u.raw(), -65);
  return u;
}

/// sqrt(-2 ln u) cos(2 pi v) and the same with sin, each as the bits of the format's nearest number. Neither
/// is ever such a number or a midpoint of two: the logarithm is transcendental, the cosine algebraic and not
/// zero, so raising the precision ends.
std::pair<std::uint64_t, std::uint64_t> gaussian_bits(const std::array<std::uint32_t, 4>& random,
                                                      const BinaryFormat& format) {
  using Pair = std::optional<std::pair<std::uint64_t, std::uint64_t>>;
  return *decide(80, no_precision_limit, [&](Bits bits) -> Pair {
    const Ball radius = sqrt(-2L * log(uniform(random[0], random[1], bits)));
    const Ball turn = uniform(random[2], random[3], bits);
    Ball sine(0, bits), cosine(0, bits);
    arb_sin_cos_pi(sine.raw(), cosine.raw(), (2L * turn).raw(), bits);
    const auto first = round_to(format, radius * cosine), second = round_to(format, radius * sine);
    if (!first || !second) return std::nullopt;
    return std::pair{*first, *second};
  });
}

std::pair<double, double> gaussian_pair(const std::array<std::uint32_t, 4>& random) {
  const auto [first, second] = gaussian_bits(random, binary64);
  return {as_double(first), as_double(second)};
}

/// In binary32.
std::pair<double, double> single_pair(const std::array<std::uint32_t, 4>& random) {
  const auto [first, second] = gaussian_bits(random, binary32);
  const auto value = [](std::uint64_t single) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(single)));
  };
  return {value(first), value(second)};
}

/// The binary32 number next to x, where every number within 2^-40 |x| has the same one.
std::optional<double> clear_single(double x) {
  const auto low = static_cast<float>(x * (1 - 0x1p-40)), high = static_cast<float>(x * (1 + 0x1p-40));
  if (low != high) return std::nullopt;
  return low;
}

/// The pair in doubles, where their rounding to binary32 leaves no doubt: logarithm, sine and cosine of the C
/// library need be right to 40 bits only.
std::optional<std::pair<double, double>> quick_single_pair(const std::array<std::uint32_t, 4>& random) {
  const std::uint64_t u = std::uint64_t{random[0]} << 32 | random[1],
                      v = std::uint64_t{random[2]} << 32 | random[3];
  // (u + 1/2) 2^-64, or what it lacks to 1.
  const double below = (static_cast<double>(u) + 0.5) * 0x1p-64,
               rest = (static_cast<double>(~u) + 0.5) * 0x1p-64;
  const double logarithm = u >> 63 == 0 ? std::log(below) : std::log1p(-rest);
  // The nearest quarter of a turn, and what is left of it, in [-1/8, 1/8) of a turn.
  const std::uint64_t quarter = (v + (std::uint64_t{1} << 61)) >> 62;
  const auto left = static_cast<std::int64_t>(v - (quarter << 62));
  const double angle = (static_cast<double>(left) + 0.5) * (0x1.921fb54442d18p+2 * 0x1p-64);
  const double sine = std::sin(angle), cosine = std::cos(angle), radius = std::sqrt(-2 * logarithm);
  const double turned[] = {cosine, -sine, -cosine, sine};
  const auto first = clear_single(radius * turned[quarter % 4]),
             second = clear_single(radius * turned[(quarter + 3) % 4]);
  if (!first || !second) return std::nullopt;
  return std::pair{*first, *second};
}

/// The double next to sqrt(x); a square root of a fraction is no midpoint of doubles unless it is rational,
/// and then it is exact at some precision or its rounding is decided.
double rounded_sqrt(const Rational& x) {
  return as_double(
      *decide(128, no_precision_limit, [&](Bits bits) { return round_to(binary64, sqrt(Ball(x, bits))); }));
}

}  // namespace

GaussianDraw::GaussianDraw(std::size_t n, std::size_t d, std::uint64_t seed) : n_(n), d_(d) {
  constexpr std::size_t limit = std::size_t{1} << 31;
  if (n < 2) throw InputError(fmt::format("at least 2 tokens are needed, found n={}", n));
  if (d < 1) throw InputError("tokens need at least 1 coordinate, found d=0");
  if (n >= limit || d > limit / (n + 1))
    throw InputError(fmt::format("(n+1) d must be at most 2^31, found n={}, d={}", n, d));
  g_.resize((n + 1) * d);
  const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed),
                                         static_cast<std::uint32_t>(seed >> 32)};
  tbb::parallel_for(std::size_t{0}, n + 1, [&](std::size_t i) {
    for (std::size_t k = 0; k < d; k += 2) {
      const std::array<std::uint32_t, 4> counter{static_cast<std::uint32_t>(k / 2), 0,
                                                 static_cast<std::uint32_t>(i), 0};
      const auto [first, second] = gaussian_pair(philox(counter, key));
      g_[i * d + k] = first;
      if (k + 1 < d) g_[i * d + k + 1] = second;
    }
  });
}

TokenSet GaussianDraw::tokens(const Rational& rho) const {
  if (rho < 0 || rho > 1) throw InputError(fmt::format("rho must lie in [0, 1], found {}", to_string(rho)));
  const double a = rounded_sqrt(rho / d_), b = rounded_sqrt((1 - rho) / d_);
  std::vector<double> x(n_ * d_);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < d_; ++k) {
      const double own = b * g_[(i + 1) * d_ + k];
      x[i * d_ + k] = std::fma(a, g_[k], own);
    }
  return TokenSet(n_, d_, std::move(x));
}

std::vector<double> gaussian_array(std::size_t rows, std::size_t width, std::uint64_t seed,
                                   std::uint32_t array) {
  if (rows > std::size_t{1} << 32)
    throw InputError(fmt::format("at most 2^32 rows are drawn, found {}", rows));
  std::vector<double> r(rows * width);
  const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed),
                                         static_cast<std::uint32_t>(seed >> 32)};
  tbb::parallel_for(std::size_t{0}, rows, [&](std::size_t i) {
    for (std::size_t k = 0; k < width; k += 2) {
      // Arrays begin at 1: GaussianDraw has the numbers of 0.
      const auto random =
          philox({static_cast<std::uint32_t>(k / 2), array + 1, static_cast<std::uint32_t>(i), 0}, key);
      const auto quick = quick_single_pair(random);
      const auto [first, second] = quick ? *quick : single_pair(random);
      r[i * width + k] = first;
      if (k + 1 < width) r[i * width + k + 1] = second;
    }
  });
  return r;
}

TokenSet gaussian_tokens(std::size_t n, std::size_t d, const Rational& rho, std::uint64_t seed) {
  return GaussianDraw(n, d, seed).tokens(rho);
}

}  // namespace critscale
