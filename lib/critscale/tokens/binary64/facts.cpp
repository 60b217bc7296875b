// Explicit tokens in binary64: centred directions and their Gram matrix ([binary64-assumptions],
// [token-distances]).
#include "critscale/tokens/binary64/detail/facts.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "critscale/number/detail/ball_matrix.hpp"

namespace critscale {

Ball to_ball(Bounded x) {
  if (!std::isfinite(x.v) || !std::isfinite(x.e)) return Ball::whole_line(53);
  Ball r = Ball::exactly(x.v, 64);
  mag_set_d(arb_radref(r.raw()), x.e);
  return r;
}

Bounded to_bounded(const Ball& x) {
  // Rounding of the midpoint, then everything that is known about the distance to it.
  const double v = arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR);
  if (!std::isfinite(v)) return {0, HUGE_VAL};
  const Ball rest = abs(x - Ball::exactly(v, x.precision()));
  return {v, arf_get_d(rest.upper(53).raw(), ARF_RND_UP)};
}

std::vector<RowBlock> row_blocks(std::size_t n) {
  // A block's rows take some 2^22 numbers where the products of all pairs are not kept.
  const std::size_t most =
      n > TokenDoubles::most_kept ? std::clamp<std::size_t>((std::size_t{1} << 22) / n, 1, 256) : 256;
  const std::size_t size = std::clamp<std::size_t>((n + 7) / 8, std::min<std::size_t>(16, most), most);
  std::vector<RowBlock> r;
  for (std::size_t first = 0; first < n; first += size) r.push_back({first, std::min(n, first + size)});
  return r;
}

namespace {

/// A row times a power of two, high + low, so that the largest entry is in [1/2, 1).
struct ScaledRow {
  long exponent = 0;
  std::vector<double> high, low;
};

ScaledRow scaled_row(const TokenSet& tokens, std::size_t i) {
  const std::size_t d = tokens.d();
  ScaledRow r{0, std::vector<double>(d), std::vector<double>(d)};
  if (tokens.is_binary()) {
    const auto row = tokens.doubles().subspan(i * d, d);
    double largest = 0;
    for (const double x : row) largest = std::max(largest, std::fabs(x));
    int exponent = 0;
    std::frexp(largest, &exponent);
    r.exponent = exponent;
    for (std::size_t k = 0; k < d; ++k) r.high[k] = std::ldexp(row[k], -exponent);
    return r;
  }
  std::vector<Ball> row;
  Ball largest(0, 192);
  for (std::size_t k = 0; k < d; ++k) {
    row.push_back(tokens.entry(i, k, 192));
    largest = max(std::move(largest), abs(row.back()));
  }
  r.exponent = ARF_EXP(arb_midref(largest.raw()));
  for (std::size_t k = 0; k < d; ++k) {
    const Ball x = scaled(row[k], -r.exponent);
    r.high[k] = arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR);
    r.low[k] = arf_get_d((x - Ball::exactly(r.high[k], 192)).midpoint().raw(), ARF_RND_NEAR);
  }
  return r;
}

/// |row|, to 150 bits.
Ball norm_of(const ScaledRow& row) {
  BallMatrix x(1, row.high.size(), 160);
  for (std::size_t k = 0; k < row.high.size(); ++k) {
    arb_set_d(x.raw(0, k), row.high[k]);
    if (row.low[k] != 0) x.set(0, k, x(0, k) + Ball::exactly(row.low[k], 160));
  }
  return sqrt(x.dot(0, x, 0));
}

/// x/r - c for r = r_high + r_low, with no digits lost where the two are close ([binary64-assumptions]).
double centred(double x, double x_low, double r_high, double r_low, double c) {
  const double product = r_high * c, product_low = std::fma(r_high, c, -product);
  const double difference = x - product;
  const double back = difference - x;
  const double difference_low = (x - (difference - back)) - (product + back);
  const double low = ((difference_low - product_low) - r_low * c) + x_low;
  return (difference + low) / r_high;
}

}  // namespace

TokenDoubles::TokenDoubles(const TokenSet& tokens, const TokenKernels& used, bool keep)
    : kernels(used),
      n(tokens.n()),
      d(tokens.d()),
      height_n(summation_height(n)),
      height_d(summation_height(d)),
      centre(d),
      W(n * d),
      K(keep ? n * n : 0),
      s(n),
      omega(n),
      omega2(n),
      norm(n),
      inverse_norm2(n) {
  std::vector<ScaledRow> rows(n);
  std::vector<Ball> row_norm(n);
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
    rows[i] = scaled_row(tokens, i);
    row_norm[i] = norm_of(rows[i]);
  });
  std::vector<double> r_high(n), r_low(n);
  scale = rows[0].exponent;
  for (std::size_t i = 0; i < n; ++i) {
    scale = std::min(scale, rows[i].exponent);
    r_high[i] = arf_get_d(arb_midref(row_norm[i].raw()), ARF_RND_NEAR);
    r_low[i] = arf_get_d((row_norm[i] - Ball::exactly(r_high[i], 160)).midpoint().raw(), ARF_RND_NEAR);
    for (std::size_t k = 0; k < d; ++k) centre[k] += rows[i].high[k] / r_high[i];
  }
  for (double& c : centre) c /= static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    norm[i] = scaled(row_norm[i], rows[i].exponent - scale);
    inverse_norm2[i] = to_bounded(1L / sqr(norm[i])).v;
  }
  const std::vector<RowBlock> blocks = row_blocks(n);
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
    for (std::size_t k = 0; k < d; ++k)
      W[i * d + k] = centred(rows[i].high[k], rows[i].low[k], r_high[i], r_low[i], centre[k]);
  });
  // The last rows have most to do.
  tbb::parallel_for(std::size_t{0}, keep ? blocks.size() : 0, [&](std::size_t task) {
    const RowBlock b = blocks[blocks.size() - 1 - task];
    std::vector<double> scratch(b.size() * b.last);
    kernels.times_transposed({W.data() + b.first * d, b.size(), d, d}, {W.data(), b.last, d, d},
                             K.data() + b.first * n, n, scratch.data());
    for (std::size_t j = 0; j < b.last; ++j)
      for (std::size_t i = std::max(b.first, j); i < b.last; ++i) K[j * n + i] = K[i * n + j];
  });
  // An upper bound of at least 2^-46 makes the absolute part of w's error part of the relative one.
  constexpr double least_omega = 0x1p-46;
  omega_max = 0;
  for (std::size_t i = 0; i < n; ++i) {
    s[i] = keep ? K[i * n + i] : kernels.dot(d, &W[i * d], &W[i * d]);
    omega[i] = std::max(least_omega, std::sqrt(s[i]) * (1 + 0x1p-30));
    omega2[i] = omega[i] * omega[i];
    omega_max = std::max(omega_max, omega[i]);
  }
  kappa = (gamma_bound(height_d) + 11 * Bounded::u) * bound_slack;
  kappa_distance = (kappa + 4 * Bounded::u) * bound_slack / 2;
}

std::shared_ptr<const TokenDoubles> TokenDoubles::make(const TokenSet& tokens, const TokenFacts& facts,
                                                       const TokenKernels& kernels, std::size_t kept) {
  constexpr std::size_t largest = std::size_t{1} << 20;
  if (facts.collinear || facts.all_tied || tokens.n() > largest || tokens.d() > largest) return nullptr;
  return std::shared_ptr<const TokenDoubles>(new TokenDoubles(tokens, kernels, tokens.n() <= kept));
}

const double* TokenDoubles::products(RowBlock rows, std::size_t width, std::vector<double>& room) const {
  if (!K.empty()) return K.data() + rows.first * n;
  room.resize(rows.size() * n);
  // As many columns as stay in a cache with their products.
  constexpr std::size_t columns = 256;
  std::vector<double> scratch(rows.size() * columns);
  for (std::size_t j = 0; j < width; j += columns)
    kernels.times_transposed({W.data() + rows.first * d, rows.size(), d, d},
                             {W.data() + j * d, std::min(columns, width - j), d, d}, &room[j], n,
                             scratch.data());
  return room.data();
}

void TokenDoubles::distances(const TokenFacts& facts, std::size_t i, const double* products,
                             std::size_t width, double* D) const {
  kernels.distances(width, products, s.data(), s[i], D);
  for (const std::size_t j : facts.members[facts.direction[i]])
    if (j < width) D[j] = 0;
}

Bounded TokenDoubles::close_distance(std::size_t i, std::size_t j) const {
  const double square = kernels.distance2(d, W.data() + i * d, W.data() + j * d);
  const double shift = 5 * Bounded::u * (omega[i] + omega[j]);
  const double error =
      (gamma_bound(height_d + 3) * square + shift * (2 * std::sqrt(square) + shift)) * bound_slack;
  return {square / 2, error / 2 + Bounded::least};
}

}  // namespace critscale
