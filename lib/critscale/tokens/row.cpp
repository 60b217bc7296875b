// One row at a time, in Ball arithmetic.
#include "critscale/tokens/row.hpp"

#include <fmt/format.h>

#include "critscale/tokens/detail/settled.hpp"

namespace critscale {

namespace {

/// The row with a working precision of `bits`; the largest exponent is that of the row's own weight, exp(0).
AttendedRow row_at(const TokenSet& tokens, const LogitScale& scale, const Rational& alpha, std::size_t i,
                   Bits bits) {
  const std::size_t n = tokens.n(), d = tokens.d();
  const Ball beta = token_beta(scale, n, bits), own = sqrt(tokens.inner_product(i, i, bits));
  AttendedRow r{i, {}, std::vector<Ball>(d, Ball(0, bits))};
  std::vector<Ball> lengths;
  Ball total(0, bits);
  for (std::size_t j = 0; j < n; ++j) {
    lengths.push_back(j == i ? own : sqrt(tokens.inner_product(j, j, bits)));
    const Ball cosine = j == i ? Ball(1, bits) : tokens.inner_product(i, j, bits) / (own * lengths.back());
    r.weights.push_back(j == i ? Ball(1, bits) : exp(beta * (cosine - 1)));
    total += r.weights.back();
  }
  for (std::size_t j = 0; j < n; ++j) {
    r.weights[j] /= total;
    const Ball factor = r.weights[j] / lengths[j];
    for (std::size_t k = 0; k < d; ++k) r.output[k] += factor * tokens.entry(j, k, bits);
  }
  const Ball a(alpha, bits);
  for (std::size_t k = 0; k < d; ++k) r.output[k] += a * tokens.entry(i, k, bits);
  return r;
}

Unsettled unsettled(const AttendedRow& r, long digits) {
  Unsettled u(digits);
  u.look("weights", r.weights);
  u.look("output", r.output);
  return u;
}

}  // namespace

AttendedRow token_row(const TokenSet& tokens, const LogitScale& scale, const Rational& alpha, std::size_t i,
                      long digits, Bits max_bits, const std::function<void()>& checkpoint) {
  require_digits(digits);
  if (i >= tokens.n()) throw InputError(fmt::format("there is no token {}: there are {}", i, tokens.n()));
  const Bits limit = max_bits > 0 ? max_bits : default_max_bits(digits);
  return raise_precision(
      bits_for_digits(digits) + 64, limit,
      [&](Bits bits) {
        if (checkpoint) checkpoint();
        return row_at(tokens, scale, alpha, i, bits);
      },
      [&](const AttendedRow& r) { return !unsettled(r, digits).found(); },
      [&](const AttendedRow& r) { unsettled(r, digits).raise(limit, fmt::format("row {}", i)); });
}

}  // namespace critscale
