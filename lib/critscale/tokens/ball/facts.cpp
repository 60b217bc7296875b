// Explicit tokens in Ball arithmetic: what depends on the tokens alone. Letters as in [jacobian] and
// THEORY-tokens.md.
#include "critscale/tokens/ball/facts.hpp"

#include <algorithm>

namespace critscale {

TokenFacts::TokenFacts(const TokenSet& tokens) : direction(tokens.direction_classes()) {
  const std::size_t n = tokens.n();
  pairs = n * (n - 1) / 2;
  for (std::size_t i = 0; i < n; ++i) {
    if (direction[i] == members.size()) members.emplace_back();
    tied_pairs += members[direction[i]].size();
    members[direction[i]].push_back(i);
  }
  all_tied = tied_pairs == pairs;
  if (members.size() > 2) return;
  const std::vector<std::size_t> line = tokens.line_classes();
  collinear = *std::max_element(line.begin(), line.end()) == 0;
  if (collinear)
    for (const std::size_t c : direction) opposite.push_back(c != 0);
}

namespace {

/// |a_i - a_j|^2, rows of A.
Ball row_distance2(const BallMatrix& A, std::size_t i, std::size_t j) {
  Ball sum(0, A.precision()), difference(0, A.precision());
  for (std::size_t k = 0; k < A.cols(); ++k) {
    arb_sub(difference.raw(), A.raw(i, k), A.raw(j, k), A.precision());
    arb_addmul(sum.raw(), difference.raw(), difference.raw(), A.precision());
  }
  return sum;
}

}  // namespace

Ball gram_distance2(const BallMatrix& rows, const BallMatrix& gram, std::size_t i, std::size_t j) {
  constexpr Bits loss = 24;
  Ball r = gram(i, i) + gram(j, j) - 2L * gram(i, j);
  return r.accurate_bits() >= rows.precision() - loss ? r : row_distance2(rows, i, j);
}

TokenBalls::TokenBalls(const TokenSet& tokens, const TokenFacts& facts, Bits precision)
    : n(tokens.n()),
      d(tokens.d()),
      bits(precision),
      G(n, n, bits),
      W(n, d, bits),
      K(n, n, bits),
      D(n, n, bits) {
  BallMatrix X(n, d, bits);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) X.set(i, k, tokens.entry(i, k, bits));
    norm.push_back(sqrt(X.dot(i, X, i)));
  }
  G = X * X.transposed();
  for (std::size_t k = 0; k < d; ++k) {
    Ball sum(0, bits);
    for (std::size_t i = 0; i < n; ++i) {
      arb_div(W.raw(i, k), X.raw(i, k), norm[i].raw(), bits);
      arb_add(sum.raw(), sum.raw(), W.raw(i, k), bits);
    }
    centre.push_back((std::move(sum) / n).center());
    for (std::size_t i = 0; i < n; ++i) arb_sub(W.raw(i, k), W.raw(i, k), centre[k].raw(), bits);
  }
  K = W * W.transposed();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      if (facts.tied(i, j)) {
        D.set(i, j, Ball(0, bits));
        G.set(i, j, Ball(1, bits));
      } else if (facts.collinear) {
        D.set(i, j, Ball(2, bits));
        G.set(i, j, Ball(-1, bits));
      } else {
        const Ball cosine = G(i, j) / (norm[i] * norm[j]);
        const Ball distance = intersection(gram_distance2(W, K, i, j) / 2L, 1L - cosine);
        G.set(i, j, cosine.is_exact() ? cosine : intersection(cosine, 1L - distance));
        D.set(i, j, distance);
      }
      if (i != j) {
        arb_set(D.raw(j, i), D.raw(i, j));
        arb_set(G.raw(j, i), G.raw(i, j));
      }
    }
}

TokenGeometry geometry_of(const TokenFacts& facts, const TokenBalls& t) {
  TokenGeometry r{t.n, t.d, Ball(1, t.bits), Ball(-1, t.bits), Ball(0, t.bits), {}, {}};
  Ball nearest(2, t.bits), farthest(0, t.bits);
  for (std::size_t i = 0; i < t.n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Ball G = t.G(i, j), D = t.D(i, j);
      r.rho_min = min(std::move(r.rho_min), G);
      r.rho_max = max(std::move(r.rho_max), G);
      r.rho_mean += G;
      nearest = min(std::move(nearest), D);
      farthest = max(std::move(farthest), D);
    }
  r.rho_mean /= facts.pairs;
  if (!facts.all_tied) r.first_threshold = 1L / farthest;
  if (facts.tied_pairs == 0)
    r.last_threshold = 1L / nearest;
  else
    r.rho_max = Ball(1, t.bits);
  return r;
}

std::vector<RowGaps> gaps_of(const TokenFacts& facts, const TokenBalls& t) {
  std::vector<RowGaps> r;
  for (std::size_t i = 0; i < t.n; ++i) {
    std::vector<Ball> gaps;
    if (facts.members[facts.direction[i]].size() == 1)
      for (std::size_t j = 0; j < t.n; ++j)
        if (j != i) gaps.push_back(t.D(i, j));
    r.push_back(gaps.empty() ? RowGaps{} : count_gaps(gaps, t.bits));
  }
  return r;
}

}  // namespace critscale
