// Explicit tokens: what makes a set valid, and exact directions.
#include "critscale/tokens/set.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace critscale {

namespace {

[[noreturn]] void throw_zero_token(std::size_t i) {
  throw InputError(fmt::format("token {} is zero: it has no direction", i));
}

/// A number that is the same for rows that are multiples of each other: both divisions round the same
/// exact quotients.
std::uint64_t fingerprint(std::span<const double> row, bool of_lines) {
  std::size_t pivot = 0;
  for (std::size_t k = 1; k < row.size(); ++k)
    if (std::fabs(row[k]) > std::fabs(row[pivot])) pivot = k;
  const double divisor = of_lines ? row[pivot] : std::fabs(row[pivot]);
  std::uint64_t hash = 1469598103934665603U;
  for (const double x : row) {
    const double quotient = x / divisor + 0.0;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &quotient, sizeof bits);
    if (quotient == 0) bits = 0;
    hash = (hash ^ bits) * 1099511628211U;
    hash ^= hash >> 29;
  }
  return hash;
}

std::uint64_t fingerprint(std::span<const Rational> row, bool of_lines) {
  std::size_t pivot = 0;
  for (std::size_t k = 1; k < row.size(); ++k)
    if (abs(row[k]) > abs(row[pivot])) pivot = k;
  const Rational divisor = of_lines ? row[pivot] : Rational(abs(row[pivot]));
  std::uint64_t hash = 0;
  for (const Rational& x : row) hash = 31 * hash + std::hash<std::string>{}(Rational(x / divisor).str());
  return hash;
}

}  // namespace

void TokenSet::require_shape(std::size_t count) const {
  if (n_ < 2) throw InputError(fmt::format("at least 2 tokens are needed, found {}", n_));
  if (d_ < 1) throw InputError("tokens need at least 1 coordinate, found 0");
  if (count / d_ != n_ || count % d_ != 0)
    throw InputError(fmt::format("{} tokens of {} coordinates are not {} numbers", n_, d_, count));
}

TokenSet::TokenSet(std::size_t n, std::size_t d, std::vector<double> entries)
    : n_(n), d_(d), doubles_(std::move(entries)) {
  require_shape(doubles_.size());
  for (std::size_t i = 0; i < n_; ++i) {
    bool zero = true;
    for (std::size_t k = 0; k < d_; ++k) {
      const double x = doubles_[i * d_ + k];
      if (!std::isfinite(x))
        throw InputError(fmt::format("token {}, coordinate {}: {} is not a number that tokens can have", i, k,
                                     std::isnan(x) ? "nan"
                                     : x > 0       ? "inf"
                                                   : "-inf"));
      zero = zero && x == 0;
    }
    if (zero) throw_zero_token(i);
  }
}

TokenSet::TokenSet(std::size_t n, std::size_t d, std::vector<Rational> entries)
    : n_(n), d_(d), fractions_(std::move(entries)) {
  require_shape(fractions_.size());
  for (std::size_t i = 0; i < n_; ++i) {
    bool zero = true;
    for (std::size_t k = 0; k < d_; ++k) zero = zero && fractions_[i * d_ + k] == 0;
    if (zero) throw_zero_token(i);
  }
}

Rational TokenSet::exact(std::size_t i, std::size_t k) const {
  return is_binary() ? Dyadic::exactly(doubles_[i * d_ + k]).to_rational() : fractions_[i * d_ + k];
}

Ball TokenSet::entry(std::size_t i, std::size_t k, Bits bits) const {
  return is_binary() ? Ball::exactly(doubles_[i * d_ + k], bits) : Ball(fractions_[i * d_ + k], bits);
}

std::vector<std::size_t> TokenSet::direction_classes() const { return classes(false); }
std::vector<std::size_t> TokenSet::line_classes() const { return classes(true); }

std::vector<std::size_t> TokenSet::classes(bool of_lines) const {
  // x_i = t x_j with t != 0: every 2x2 minor with the pivot column vanishes.
  const auto parallel = [&](std::size_t i, std::size_t j) {
    std::size_t pivot = 0;
    while (exact(i, pivot) == 0) ++pivot;
    const Rational a = exact(i, pivot), b = exact(j, pivot);
    if (b == 0 || (!of_lines && (a > 0) != (b > 0))) return false;
    for (std::size_t k = 0; k < d_; ++k)
      if (exact(i, k) * b != exact(j, k) * a) return false;
    return true;
  };
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> representatives;
  std::vector<std::size_t> result(n_);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const std::uint64_t key = is_binary() ? fingerprint(std::span(doubles_).subspan(i * d_, d_), of_lines)
                                          : fingerprint(std::span(fractions_).subspan(i * d_, d_), of_lines);
    std::vector<std::size_t>& known = representatives[key];
    std::size_t found = n_;
    for (const std::size_t j : known)
      if (parallel(i, j)) found = j;
    if (found == n_) {
      known.push_back(i);
      result[i] = count++;
    } else {
      result[i] = result[found];
    }
  }
  return result;
}

}  // namespace critscale
