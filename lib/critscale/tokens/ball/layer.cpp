// One layer on explicit tokens in Ball arithmetic. Letters as in [jacobian] and THEORY-tokens.md.
#include <algorithm>

#include "critscale/layer/real.hpp"
#include "critscale/tokens/ball/facts.hpp"

namespace critscale {

namespace {

/// One evaluation, step by step.
class BallLayer {
 public:
  BallLayer(const TokenSet& tokens, const TokenFacts& facts, const TokenBalls& t, const BallRequest& request)
      : tokens_(tokens),
        facts_(facts),
        t_(t),
        request_(request),
        n_(t.n),
        d_(t.d),
        bits_(t.bits),
        beta_(request.beta.at(bits_)),
        alpha_(request.alpha, bits_),
        A_(n_, n_, bits_),
        M_(n_, d_, bits_) {}

  std::vector<TokenRow<Ball>> moments() && { return std::move(rows_); }

  std::optional<TokenValues> run(std::size_t& vanishing) {
    TokenValues r;
    r.beta = beta_;
    weights();
    per_row(r);
    const bool outputs = wants(Quantity::output_norm2) || wants(Quantity::inner_products) ||
                         wants(Quantity::angle_ratio) || !request_.options.pairs.empty();
    if (outputs || wants(Quantity::jacobian_norm)) M_ = A_ * t_.W;
    checkpoint();
    if (wants(Quantity::jacobian_norm)) r.jacobian_norm = jacobian_norm();
    if (outputs && !output_values(r, vanishing)) return std::nullopt;
    return r;
  }

 private:
  bool wants(Quantity q) const {
    return std::find(request_.options.quantities.begin(), request_.options.quantities.end(), q) !=
           request_.options.quantities.end();
  }
  void checkpoint() const {
    if (request_.options.checkpoint) request_.options.checkpoint();
  }

  void weights() {
    for (std::size_t i = 0; i < n_; ++i) {
      Ball rest(0, bits_), rest2(0, bits_), weighted(0, bits_);
      for (std::size_t j = 0; j < n_; ++j) {
        Ball E = facts_.tied(i, j) ? Ball(1, bits_) : exp(-(beta_ * t_.D(i, j)));
        A_.set(i, j, E);
        if (i == j) continue;
        weighted += E * t_.D(i, j);
        rest2 += sqr(E);
        rest += std::move(E);
      }
      const Ball total = 1L + rest;
      for (std::size_t j = 0; j < n_; ++j) arb_div(A_.raw(i, j), A_.raw(i, j), total.raw(), bits_);
      rows_.push_back({std::move(rest), std::move(rest2), std::move(weighted) / total, {}, {}, {}, {}});
      if (i % 16 == 0) checkpoint();
    }
  }

  void per_row(TokenValues& r) const {
    for (const TokenRow<Ball>& row : rows_) {
      if (wants(Quantity::log_partition)) r.log_partition.push_back(beta_ + log1p(row.rest));
      if (wants(Quantity::self_weight)) r.self_weight.push_back(row.self_weight());
      if (wants(Quantity::participation)) r.participation.push_back(row.participation());
      if (wants(Quantity::entropy)) r.entropy.push_back(row.entropy(beta_));
    }
  }

  /// A_ij (D_ij - distance_i), whose products with tokens give -C_i y_i.
  BallMatrix tilted_weights() const {
    BallMatrix U(n_, n_, bits_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) U.set(i, j, A_(i, j) * (t_.D(i, j) - rows_[i].distance));
    return U;
  }

  Ball jacobian_norm() {
    const Ball d(d_, bits_);
    // In one dimension directions do not move.
    if (d_ == 1) return sqr(alpha_);
    const BallMatrix Q = M_ * t_.W.transposed(), F = tilted_weights() * t_.W;
    checkpoint();
    BallMatrix H(n_, n_, bits_);
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t k = 0; k < n_; ++k) arb_sqr(H.raw(j, k), t_.K.raw(j, k), bits_);
    const BallMatrix AH = A_ * H;
    Ball sum(0, bits_);
    for (std::size_t i = 0; i < n_; ++i) {
      checkpoint();
      TokenRow<Ball>& row = rows_[i];
      const Ball length2 = M_.dot(i, M_, i);
      Ball mean2(0, bits_), squares(0, bits_);
      row.distance_variance = Ball(0, bits_);
      for (std::size_t j = 0; j < n_; ++j) {
        const Ball A = A_(i, j);
        mean2 += A * t_.K(j, j);
        row.distance_variance += A * sqr(t_.D(i, j) - row.distance);
        squares += A * sqr(Q(i, j));
      }
      row.spread = mean2 - length2;
      row.covariance2 = A_.dot(i, AH, i) - 2L * squares + sqr(length2);
      row.image2 = F.dot(i, F, i);
      sum += own_block(row, t_.norm[i], beta_, alpha_, d);
      for (std::size_t k = 0; k < n_; ++k)
        if (k != i) {
          const Ball s = t_.K(k, k), q = Q(i, k), B = (mean2 + s) / 2L - q, R = s - 2L * q + length2;
          sum += sqr(A_(i, k) / t_.norm[k]) *
                 other_block_factor<Ball>(t_.D(i, k), B, row.distance, R, beta_, d - 1L);
        }
    }
    return std::move(sum) / (Ball(n_, bits_) * d);
  }

  /// x'_i = (1 + alpha r_i) h_i with h_i = centre + g_i.
  bool output_values(TokenValues& r, std::size_t& vanishing) {
    BallMatrix H(n_, d_, bits_);
    std::vector<Ball> factor;
    for (std::size_t i = 0; i < n_; ++i) {
      const Ball a = alpha_ * t_.norm[i];
      factor.push_back(1L + a);
      for (std::size_t k = 0; k < d_; ++k) {
        arb_ptr g = M_.raw(i, k);
        arb_addmul(g, a.raw(), t_.W.raw(i, k), bits_);
        arb_div(g, g, factor[i].raw(), bits_);
        arb_add(H.raw(i, k), g, t_.centre[k].raw(), bits_);
      }
    }
    const BallMatrix products = H * H.transposed();
    std::vector<Ball> length;
    for (std::size_t i = 0; i < n_; ++i) {
      const Ball length2 = products(i, i);
      if (!certainly(length2.is_positive())) {
        vanishing = i;
        return false;
      }
      length.push_back(sqrt(length2));
      if (wants(Quantity::output_norm2)) r.output_norm2.push_back(sqr(factor[i]) * length2);
    }
    const BallMatrix gram = M_ * M_.transposed();
    checkpoint();
    const auto pair = [&](std::size_t i, std::size_t j) -> Ball {
      if (always_equal(i, j)) return Ball(0, bits_);
      if (facts_.collinear) return 1L - sign(i) * sign(j);
      const Ball difference = products(i, i) - products(j, j);
      return one_minus_cosine(gram_distance2(M_, gram, i, j), difference, length[i], length[j]);
    };
    const auto cosine = [&](std::size_t i, std::size_t j, const Ball& complement) {
      if (complement.is_exact()) return 1L - complement;
      return intersection(products(i, j) / (length[i] * length[j]), 1L - complement);
    };
    for (const auto& [i, j] : request_.options.pairs)
      r.pairs.push_back({i, j, t_.G(i, j), cosine(i, j, pair(i, j))});
    if (wants(Quantity::inner_products) || wants(Quantity::angle_ratio)) all_pairs(r, pair, cosine);
    return true;
  }

  template <class Pair, class Cosine>
  void all_pairs(TokenValues& r, const Pair& pair, const Cosine& cosine) {
    OutputProducts products{Ball(1, bits_), Ball(-1, bits_), Ball(0, bits_)};
    Ball ratios(0, bits_);
    bool some_equal = false;
    for (std::size_t i = 0; i < n_; ++i) {
      checkpoint();
      for (std::size_t j = 0; j < i; ++j) {
        const Ball complement = pair(i, j);
        if (!facts_.tied(i, j)) ratios += complement / t_.D(i, j);
        const Ball c = cosine(i, j, complement);
        some_equal = some_equal || certainly(complement.is_zero());
        products.min = min(std::move(products.min), c);
        products.max = max(std::move(products.max), c);
        products.mean += c;
      }
    }
    if (wants(Quantity::inner_products)) {
      products.mean /= facts_.pairs;
      if (some_equal) products.max = Ball(1, bits_);
      r.inner_products = std::move(products);
    }
    if (!wants(Quantity::angle_ratio)) return;
    if (facts_.all_tied)
      r.angle_ratio_undefined = "every pair of tokens is tied (inner product 1)";
    else
      r.angle_ratio = std::move(ratios) / (facts_.pairs - facts_.tied_pairs);
  }

  bool always_equal(std::size_t i, std::size_t j) const {
    return outputs_always_equal(tokens_, facts_, request_, i, j);
  }
  /// On one line: whether y'_i is y_0 or -y_0.
  Ball sign(std::size_t i) const {
    // <m_i, y_0> + alpha r_i <y_i, y_0>: masses of the two directions.
    Ball sum(0, bits_);
    for (std::size_t j = 0; j < n_; ++j) sum += facts_.opposite[j] ? -A_(i, j) : A_(i, j);
    const Ball own = alpha_ * t_.norm[i];
    sum += facts_.opposite[i] ? -own : own;
    if (certainly(sum.is_positive())) return Ball(1, bits_);
    if (certainly(sum.is_negative())) return Ball(-1, bits_);
    return hull(Ball(-1, bits_), Ball(1, bits_));
  }

  const TokenSet& tokens_;
  const TokenFacts& facts_;
  const TokenBalls& t_;
  const BallRequest& request_;
  const std::size_t n_, d_;
  const Bits bits_;
  const Ball beta_, alpha_;
  BallMatrix A_, M_;  // M_: m_i - centre, and from output_values on g_i
  std::vector<TokenRow<Ball>> rows_;
};

}  // namespace

bool outputs_always_equal(const TokenSet& tokens, const TokenFacts& facts, const BallRequest& request,
                          std::size_t i, std::size_t j) {
  if (request.alpha == 0) return request.beta_is_zero || facts.tied(i, j);
  if (!facts.tied(i, j)) return false;
  // Of tokens with one direction, those with one norm are equal.
  for (std::size_t k = 0; k < tokens.d(); ++k)
    if (tokens.exact(i, k) != tokens.exact(j, k)) return false;
  return true;
}

std::optional<TokenValues> evaluate_balls(const TokenSet& tokens, const TokenFacts& facts,
                                          const TokenBalls& t, const BallRequest& request,
                                          std::size_t& vanishing, std::vector<TokenRow<Ball>>* moments) {
  BallLayer layer(tokens, facts, t, request);
  std::optional<TokenValues> values = layer.run(vanishing);
  if (moments) *moments = std::move(layer).moments();
  return values;
}

}  // namespace critscale
