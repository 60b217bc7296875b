// Zero outputs at beta = 0. The directions' mean is a sum of rational vectors times square roots of
// rationals; square roots of rationals from different classes modulo squares are linearly independent over
// the rationals, so the sum is zero iff the part of every class is.
#include "critscale/tokens/detail/zero.hpp"

#include <fmt/format.h>

namespace critscale {

namespace {

std::optional<Rational> rational_root(const Rational& x) {
  const Integer p = sqrt(numerator(x)), q = sqrt(denominator(x));
  if (p * p != numerator(x) || q * q != denominator(x)) return std::nullopt;
  return Rational(p, q);
}

/// The part of sum_j y_j in one class: `radicand`^(-1/2) times a rational vector.
struct Part {
  Rational radicand;
  std::vector<Rational> sum;
};

std::vector<Rational> row(const TokenSet& tokens, std::size_t i) {
  std::vector<Rational> x;
  for (std::size_t k = 0; k < tokens.d(); ++k) x.push_back(tokens.exact(i, k));
  return x;
}

Rational squared_norm(const std::vector<Rational>& x) {
  Rational sum = 0;
  for (const Rational& v : x) sum += v * v;
  return sum;
}

void add(std::vector<Part>& parts, const Rational& radicand, const std::vector<Rational>& x,
         const Rational& factor) {
  for (Part& part : parts)
    if (const auto root = rational_root(part.radicand / radicand)) {
      // x / sqrt(radicand) = root x / sqrt(part.radicand)
      for (std::size_t k = 0; k < x.size(); ++k) part.sum[k] += factor * *root * x[k];
      return;
    }
  parts.push_back({radicand, x});
  for (Rational& v : parts.back().sum) v *= factor;
}

bool is_zero(const std::vector<Part>& parts) {
  for (const Part& part : parts)
    for (const Rational& v : part.sum)
      if (v != 0) return false;
  return true;
}

}  // namespace

bool output_of_means_is_zero(const TokenSet& tokens, const Rational& alpha, std::size_t i) {
  std::vector<Part> output;
  for (std::size_t j = 0; j < tokens.n(); ++j) {
    const std::vector<Rational> x = row(tokens, j);
    add(output, squared_norm(x), x, Rational(1));
  }
  add(output, Rational(1), row(tokens, i), alpha * tokens.n());
  return is_zero(output);
}

bool output_on_line_is_zero(const TokenSet& tokens, const Rational& gamma, const Rational& alpha,
                            std::size_t i, std::size_t same) {
  // (p n^(2 gamma) - q)/(p n^(2 gamma) + q) + alpha r_i = 0, p and q tokens of either direction.
  const auto norm = rational_root(squared_norm(row(tokens, i)));
  constexpr unsigned largest_power = 1000;
  const Rational exponent = 2 * gamma;
  if (!norm || numerator(exponent) > largest_power || denominator(exponent) > largest_power) return false;
  const Rational s = alpha * *norm;
  if (s >= 1) return false;
  const Rational target = Rational(tokens.n() - same) * (1 - s) / (Rational(same) * (1 + s));
  const auto power = [](const Integer& x, const Integer& k) { return pow(x, static_cast<unsigned>(k)); };
  return power(Integer(tokens.n()), numerator(exponent)) *
             power(denominator(target), denominator(exponent)) ==
         power(numerator(target), denominator(exponent));
}

void throw_zero_output(std::size_t i) {
  throw UndefinedError(fmt::format("the output x' of token {} is zero: it has no direction", i));
}

void throw_vanishing_output(std::size_t i, Bits bits) {
  throw LimitError(fmt::format(
      "the output x' of token {} cannot be told from zero at {} bits: it may have no direction", i, bits));
}

}  // namespace critscale
