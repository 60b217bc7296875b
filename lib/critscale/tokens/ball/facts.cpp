// Explicit tokens in Ball arithmetic: what depends on the tokens alone. Letters as in [jacobian] and
// THEORY-tokens.md.
#include "critscale/tokens/ball/detail/facts.hpp"

#include <tbb/parallel_for.h>

#include "critscale/tokens/ball/detail/extremes.hpp"

namespace critscale {

namespace {

/// Bits that a difference may lose before it is formed in another way.
constexpr Bits loss = 24;

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

Ball gram_distance2(const BallMatrix& rows, const Ball& ii, const Ball& jj, const Ball& ij, std::size_t i,
                    std::size_t j) {
  Ball r = ij;
  arb_mul_2exp_si(r.raw(), r.raw(), 1);
  r = (ii + jj) - std::move(r);
  return r.accurate_bits() >= rows.precision() - loss ? r : row_distance2(rows, i, j);
}

TokenBalls::TokenBalls(const TokenSet& set, const TokenFacts& decided, Bits precision,
                       const Checkpoint& checkpoint)
    : tokens(set),
      facts(decided),
      n(tokens.n()),
      d(tokens.d()),
      bits(precision),
      norm(n),
      W(n, d, bits),
      K(0, 0, bits) {
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
    if (i % 64 == 0) checkpoint();
    for (std::size_t k = 0; k < d; ++k) W.set(i, k, tokens.entry(i, k, bits));
    norm[i] = sqrt(W.dot(i, W, i));
    for (std::size_t k = 0; k < d; ++k) arb_div(W.raw(i, k), W.raw(i, k), norm[i].raw(), bits);
  });
  for (std::size_t k = 0; k < d; ++k) {
    Ball sum(0, bits);
    for (std::size_t i = 0; i < n; ++i) arb_add(sum.raw(), sum.raw(), W.raw(i, k), bits);
    centre.push_back((std::move(sum) / n).center());
    for (std::size_t i = 0; i < n; ++i) arb_sub(W.raw(i, k), W.raw(i, k), centre[k].raw(), bits);
  }
  K = RightFactor(W.copy(), checkpoint).product(W);
  for (std::size_t i = 0; i < n; ++i) s.push_back(K(i, i));
}

Ball TokenBalls::distance(std::size_t i, std::size_t j) const {
  if (facts.tied(i, j)) return Ball(0, bits);
  if (facts.collinear) return Ball(2, bits);
  Ball r = gram_distance2(W, s[i], s[j], K(i, j), i, j);
  arb_mul_2exp_si(r.raw(), r.raw(), -1);
  return r;
}

Ball TokenBalls::cosine(std::size_t i, std::size_t j, const Ball& distance) const {
  if (facts.tied(i, j)) return Ball(1, bits);
  if (facts.collinear) return Ball(-1, bits);
  const Ball r = 1L - distance;
  if (r.accurate_bits() >= bits - loss) return r;
  return tokens.inner_product(i, j, bits) / (norm[i] * norm[j]);
}

TokenGeometry geometry_of(const TokenBalls& t, const Checkpoint& checkpoint) {
  struct Row {
    BallExtremes cosines, distances;
    Ball sum;
  };
  const TokenFacts& facts = t.facts;
  const BallExtremes no_cosines(Ball(1, t.bits), Ball(-1, t.bits)),
      no_distances(Ball(2, t.bits), Ball(0, t.bits));
  std::vector<Row> rows(t.n, Row{no_cosines, no_distances, Ball(0, t.bits)});
  tbb::parallel_for(std::size_t{0}, t.n, [&](std::size_t i) {
    if (i % 16 == 0) checkpoint();
    Row& r = rows[i];
    for (std::size_t j = 0; j < i; ++j) {
      const Ball D = t.distance(i, j), G = t.cosine(i, j, D);
      r.cosines.look(G);
      r.distances.look(D);
      r.sum += G;
    }
  });
  BallExtremes cosines = no_cosines, distances = no_distances;
  Ball sum(0, t.bits);
  for (const Row& r : rows) {
    cosines.look(r.cosines);
    distances.look(r.distances);
    sum += r.sum;
  }
  TokenGeometry g{t.n, t.d, cosines.min_value(), cosines.max_value(), std::move(sum) / facts.pairs, {}, {}};
  if (!facts.all_tied) g.first_threshold = 1L / distances.max_value();
  if (facts.tied_pairs == 0)
    g.last_threshold = 1L / distances.min_value();
  else
    g.rho_max = Ball(1, t.bits);
  return g;
}

std::vector<RowGaps> gaps_of(const TokenBalls& t, const Checkpoint& checkpoint) {
  std::vector<RowGaps> r(t.n);
  const std::vector<double> logarithms = gap_logarithms(t.n);
  tbb::parallel_for(std::size_t{0}, t.n, [&](std::size_t i) {
    if (i % 16 == 0) checkpoint();
    if (t.facts.members[t.facts.direction[i]].size() > 1) return;
    std::vector<Ball> gaps;
    for (std::size_t j = 0; j < t.n; ++j)
      if (j != i) gaps.push_back(t.distance(i, j));
    r[i] = count_gaps(gaps, t.bits, logarithms);
  });
  return r;
}

}  // namespace critscale
