// Explicit tokens ([layer]): vectors whose entries are exact numbers. Uses number/.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "critscale/number/ball.hpp"

namespace critscale {

/// n >= 2 tokens in R^d, none of them zero. Every entry is the exact number given: either all are
/// doubles, or all are fractions.
class TokenSet {
 public:
  /// Entries row by row, one row a token. Throws InputError that names the token (counted from 0) for
  /// fewer than two tokens, no coordinates, a count that is not n d, NaN, infinity, or a zero token.
  TokenSet(std::size_t n, std::size_t d, std::vector<double> entries);
  TokenSet(std::size_t n, std::size_t d, std::vector<Rational> entries);

  /// Number of tokens.
  std::size_t n() const { return n_; }
  /// Number of coordinates.
  std::size_t d() const { return d_; }
  /// Whether every entry is a double; then `doubles` holds them, and else `fractions`.
  bool is_binary() const { return fractions_.empty(); }
  std::span<const double> doubles() const { return doubles_; }
  std::span<const Rational> fractions() const { return fractions_; }

  /// x_ik as a fraction.
  Rational exact(std::size_t i, std::size_t k) const;
  /// An enclosure of x_ik; exact for doubles.
  Ball entry(std::size_t i, std::size_t k, Bits bits) const;
  /// <x_i, x_j> from the exact sum of exact products: of relative radius at most 2^-bits, and 0 where it is
  /// 0.
  Ball inner_product(std::size_t i, std::size_t j, Bits bits) const;

  /// For each token the number of its direction: two tokens have the same number iff one is a positive
  /// multiple of the other, which is decided exactly. Numbers are given in order of appearance.
  std::vector<std::size_t> direction_classes() const;
  /// The same for lines: multiples of either sign.
  std::vector<std::size_t> line_classes() const;

 private:
  void require_shape(std::size_t count) const;
  std::vector<std::size_t> classes(bool of_lines) const;

  std::size_t n_, d_;
  std::vector<double> doubles_;
  std::vector<Rational> fractions_;
};

}  // namespace critscale
