// What random false claims are made of, and whether the checker accepts one of them.
#pragma once

#include <fmt/format.h>
#include <algorithm>

#include <catch2/catch.hpp>
#include <random>

#include "checker/explicit_layer.hpp"
#include "critscale/checker/verify.hpp"
#include "proof/case_claims.hpp"

namespace critscale::test {

using Random = std::mt19937_64;
inline long pick(Random& random, long lo, long hi) {
  return lo + static_cast<long>(random() % static_cast<unsigned long>(hi - lo + 1));
}
inline Rational fraction(Random& random, long lo, long hi, long of) {
  return Rational(pick(random, lo, hi), of);
}
inline Real real(const Rational& v) { return v.convert_to<Real>(); }
/// A fraction close to v, by 18 digits.
inline Rational near(Real v) { return parse_rational(fmt::format("{:.17e}", static_cast<double>(v))); }
inline std::string text_of(const Rational& v) { return to_string(v); }
inline nlohmann::json point_range(const Rational& v) { return {text_of(v), text_of(v)}; }

/// The statement is the claim's, so that nothing but the mathematics can be the reason for refusing.
inline bool accepted(const std::string& kind, const std::string& theorem, const nlohmann::json& claim,
                     const nlohmann::json& evidence) {
  return checker::verify(cli::certificate(kind, theorem, claim, evidence).dump()).accepted;
}
/// A tree with a few splits and random leaves.
inline std::string random_tree(std::size_t coordinates, Random& random, int depth = 0) {
  if (depth == 3 || random() % (depth == 0 ? 3 : 2) != 0) return random() % 4 == 0 ? "x" : ".";
  std::string tree(1, static_cast<char>('0' + random() % coordinates));
  tree += random_tree(coordinates, random, depth + 1);
  tree += random_tree(coordinates, random, depth + 1);
  return tree;
}
inline nlohmann::json evidence_of(const std::vector<std::string>& coordinates, const nlohmann::json& witness,
                                  Random& random) {
  const std::string tree = random_tree(coordinates.size(), random);
  return {{"method", "bisection"},
          {"coordinates", coordinates},
          {"tree", tree},
          {"leaves", std::count_if(tree.begin(), tree.end(), [](char c) { return c == '.' || c == 'x'; })},
          {"witness", witness}};
}

/// The row of token 0 that sees keys at the given inner products, in general position otherwise.
inline ExplicitLayer row_of(const Vector& inner, Real beta) {
  std::vector<Vector> y(inner.size() + 1, Vector(inner.size() + 1));
  y[0][0] = 1;
  for (std::size_t j = 0; j < inner.size(); ++j)
    y[j + 1][0] = inner[j], y[j + 1][j + 1] = std::sqrt(1 - inner[j] * inner[j]);
  return {y, Vector(y.size(), 1), beta, 0};
}

}  // namespace critscale::test
