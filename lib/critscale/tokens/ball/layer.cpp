// One layer on explicit tokens in Ball arithmetic, by blocks of rows on all threads. Letters as in [jacobian]
// and THEORY-tokens.md.
#include <tbb/parallel_for.h>

#include <algorithm>

#include "critscale/layer/real.hpp"
#include "critscale/tokens/ball/detail/extremes.hpp"
#include "critscale/tokens/ball/detail/facts.hpp"

namespace critscale {

namespace {

/// Rows whose weights are held at a time.
constexpr std::size_t block_rows = 256;
/// Sets up to this size form products of outputs by weights where vectors have lost the digits.
constexpr std::size_t most_by_weights = 64;

template <class F>
void each_row(std::size_t count, const Checkpoint& checkpoint, const F& f) {
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    if (i % 16 == 0) checkpoint();
    f(i);
  });
}

/// Weights of the rows from `first` on, and their distances.
struct Block {
  std::size_t first;
  BallMatrix A, D;
};

Ball halved(Ball x) {
  arb_mul_2exp_si(x.raw(), x.raw(), -1);
  return x;
}

/// The columns of W as rows, and for few dimensions the products w_ja w_jb (a <= b).
BallMatrix coordinate_products(const BallMatrix& W) {
  const std::size_t n = W.rows(), d = W.cols();
  BallMatrix r(d * (d + 1) / 2, n, W.precision());
  std::size_t row = 0;
  for (std::size_t a = 0; a < d; ++a)
    for (std::size_t b = a; b < d; ++b, ++row)
      for (std::size_t j = 0; j < n; ++j) arb_mul(r.raw(row, j), W.raw(j, a), W.raw(j, b), W.precision());
  return r;
}

/// One evaluation, step by step.
class BallLayer {
 public:
  BallLayer(const TokenBalls& t, const LayerRequest& request)
      : t_(t),
        facts_(t.facts),
        request_(request),
        checkpoint_(request.options.checkpoint),
        n_(t.n),
        d_(t.d),
        bits_(t.bits),
        beta_(request.beta.at(bits_)),
        alpha_(request.alpha, bits_),
        M_(n_, d_, bits_),
        rows_(n_) {
    for (const Ball& norm : t_.norm) inverse_norm2_.push_back(1L / sqr(norm));
  }

  std::vector<TokenRow<Ball>> moments() && { return std::move(rows_); }

  std::optional<TokenValues> run(std::size_t& vanishing) {
    TokenValues r;
    r.beta = beta_;
    const bool jacobian = wants(Quantity::jacobian_norm) && d_ > 1;
    const bool outputs = wants(Quantity::output_norm2) || wants(Quantity::inner_products) ||
                         wants(Quantity::angle_ratio) || !request_.options.pairs.empty();
    if (jacobian || outputs) columns_.emplace(t_.W.transposed(), checkpoint_);
    if (jacobian) prepare_jacobian();
    std::vector<Ball> norms(n_);
    for (std::size_t first = 0; first < n_; first += block_rows) {
      const Block b = block(first, std::min(n_, first + block_rows));
      LeftFactor weights(b.A);
      if (columns_) keep_means(b, weights);
      if (jacobian) jacobian_rows(b, weights, norms);
    }
    per_row(r);
    if (wants(Quantity::jacobian_norm)) r.jacobian_norm = jacobian ? mean_of(norms) : sqr(alpha_);
    if (outputs && !output_values(r, vanishing)) return std::nullopt;
    return r;
  }

 private:
  bool wants(Quantity q) const {
    return std::find(request_.options.quantities.begin(), request_.options.quantities.end(), q) !=
           request_.options.quantities.end();
  }

  /// exp(-beta D_kj), tied tokens exactly 1.
  Ball exponential(std::size_t k, std::size_t j, const Ball& D) const {
    return facts_.tied(k, j) ? Ball(1, bits_) : exp(-(beta_ * D));
  }

  Block block(std::size_t first, std::size_t last) {
    Block b{first, BallMatrix(last - first, n_, bits_), BallMatrix(last - first, n_, bits_)};
    each_row(last - first, checkpoint_, [&](std::size_t row) {
      const std::size_t i = first + row;
      Ball rest(0, bits_), rest2(0, bits_), weighted(0, bits_);
      for (std::size_t j = 0; j < n_; ++j) {
        const Ball D = t_.distance(i, j);
        Ball E = exponential(i, j, D);
        b.A.set(row, j, E);
        b.D.set(row, j, D);
        if (i == j) continue;
        weighted += E * D;
        rest2 += sqr(E);
        rest += std::move(E);
      }
      const Ball total = 1L + rest;
      for (std::size_t j = 0; j < n_; ++j) arb_div(b.A.raw(row, j), b.A.raw(row, j), total.raw(), bits_);
      rows_[i] = {std::move(rest), std::move(rest2), std::move(weighted) / total, {}, {}, {}, {}};
    });
    return b;
  }

  void keep_means(const Block& b, LeftFactor& weights) {
    BallMatrix means = columns_->product(weights);
    for (std::size_t row = 0; row < means.rows(); ++row)
      for (std::size_t k = 0; k < d_; ++k) arb_swap(M_.raw(b.first + row, k), means.raw(row, k));
  }

  void per_row(TokenValues& r) const {
    for (const TokenRow<Ball>& row : rows_) {
      if (wants(Quantity::log_partition)) r.log_partition.push_back(beta_ + log1p(row.rest));
      if (wants(Quantity::self_weight)) r.self_weight.push_back(row.self_weight());
      if (wants(Quantity::participation)) r.participation.push_back(row.participation());
      if (wants(Quantity::entropy)) r.entropy.push_back(row.entropy(beta_));
    }
  }

  void prepare_jacobian() {
    tokens_.emplace(t_.W.copy(), checkpoint_);
    // The covariance itself where it has fewer entries than a row of weights.
    if (d_ * (d_ + 1) / 2 <= n_ / 2)
      second_moments_.emplace(coordinate_products(t_.W), checkpoint_);
    else
      prepare_squares();
  }

  /// The squares of K, symmetric: rows by blocks, up to the block on the diagonal, what lies before it twice.
  void prepare_squares() {
    for (std::size_t first = 0; first < n_; first += block_rows) {
      const std::size_t last = std::min(n_, first + block_rows);
      BallMatrix H(last - first, last, bits_);
      each_row(last - first, checkpoint_, [&](std::size_t k) {
        for (std::size_t j = 0; j < last; ++j) {
          arb_sqr(H.raw(k, j), t_.K.raw(first + k, j), bits_);
          if (j < first) arb_mul_2exp_si(H.raw(k, j), H.raw(k, j), 1);
        }
      });
      squares_.push_back(std::make_unique<RightFactor>(std::move(H), checkpoint_, n_));
    }
  }

  Ball mean_of(const std::vector<Ball>& norms) const {
    Ball sum(0, bits_);
    for (const Ball& x : norms) sum += x;
    return std::move(sum) / (Ball(n_, bits_) * Ball(d_, bits_));
  }

  /// |C_i|_F^2 from the entries of C_i, or from K ([token-formulas]).
  std::vector<Ball> covariances(const Block& b, LeftFactor& weights, const BallMatrix& Q) const {
    const std::size_t size = b.A.rows();
    std::vector<Ball> r(size, Ball(0, bits_));
    if (second_moments_) {
      const BallMatrix S = second_moments_->product(weights);
      each_row(size, checkpoint_, [&](std::size_t row) {
        const std::size_t i = b.first + row;
        std::size_t at = 0;
        for (std::size_t k = 0; k < d_; ++k)
          for (std::size_t l = k; l < d_; ++l, ++at) {
            const Ball square = sqr(S(row, at) - M_(i, k) * M_(i, l));
            r[row] += k == l ? square : 2L * square;
          }
      });
      return r;
    }
    // sum_jk A_ij K_jk^2 A_ik by blocks of k.
    for (std::size_t block = 0; block < squares_.size(); ++block) {
      const BallMatrix AH = squares_[block]->product(weights);
      each_row(size, checkpoint_, [&](std::size_t row) {
        for (std::size_t k = 0; k < AH.cols(); ++k)
          arb_addmul(r[row].raw(), AH.raw(row, k), b.A.raw(row, block * block_rows + k), bits_);
      });
    }
    each_row(size, checkpoint_, [&](std::size_t row) {
      Ball squares(0, bits_);
      for (std::size_t j = 0; j < n_; ++j) squares += b.A(row, j) * sqr(Q(row, j));
      const std::size_t i = b.first + row;
      r[row] = r[row] - 2L * squares + sqr(M_.dot(i, M_, i));
    });
    return r;
  }

  /// sum_k |block(i,k)|^2 of the block's rows.
  void jacobian_rows(const Block& b, LeftFactor& weights, std::vector<Ball>& norms) {
    const std::size_t size = b.A.rows();
    const Ball d(d_, bits_);
    const JacobianUnits<Ball> unit{d - 1L, beta_, sqr(beta_), d};
    BallMatrix means(size, d_, bits_), U(size, n_, bits_);
    each_row(size, checkpoint_, [&](std::size_t row) {
      for (std::size_t k = 0; k < d_; ++k) arb_set(means.raw(row, k), M_.raw(b.first + row, k));
      // A_ij (D_ij - distance_i), whose products with tokens give -C_i y_i.
      for (std::size_t j = 0; j < n_; ++j)
        U.set(row, j, b.A(row, j) * (b.D(row, j) - rows_[b.first + row].distance));
    });
    const BallMatrix Q = tokens_->product(means), F = columns_->product(U);
    std::vector<Ball> covariance2 = covariances(b, weights, Q);
    each_row(size, checkpoint_, [&](std::size_t at) {
      const std::size_t i = b.first + at;
      TokenRow<Ball>& row = rows_[i];
      const Ball length2 = M_.dot(i, M_, i);
      Ball mean2(0, bits_);
      row.distance_variance = Ball(0, bits_);
      for (std::size_t j = 0; j < n_; ++j) {
        const Ball A = b.A(at, j);
        mean2 += A * t_.s[j];
        row.distance_variance += A * sqr(b.D(at, j) - row.distance);
      }
      row.spread = mean2 - length2;
      row.covariance2 = std::move(covariance2[at]);
      row.image2 = F.dot(at, F, at);
      Ball sum = own_block(row, t_.norm[i], beta_, alpha_, d);
      for (std::size_t k = 0; k < n_; ++k)
        if (k != i) {
          const Ball &s = t_.s[k], q = Q(at, k), B = halved(mean2 + s) - q, R = (s - (q + q)) + length2;
          sum += sqr(b.A(at, k)) * inverse_norm2_[k] *
                 other_block_factor(unit, Ball(b.D(at, k)), B, row.distance, R);
        }
      norms[i] = std::move(sum);
    });
  }

  /// x'_i = (1 + alpha r_i) h_i with h_i = centre + g_i.
  bool output_values(TokenValues& r, std::size_t& vanishing) {
    H_.emplace(n_, d_, bits_);
    factor_.assign(n_, Ball());
    length2_.assign(n_, Ball());
    g2_.assign(n_, Ball());
    each_row(n_, checkpoint_, [&](std::size_t i) {
      const Ball a = alpha_ * t_.norm[i];
      factor_[i] = 1L + a;
      for (std::size_t k = 0; k < d_; ++k) {
        arb_ptr g = M_.raw(i, k);
        arb_addmul(g, a.raw(), t_.W.raw(i, k), bits_);
        arb_div(g, g, factor_[i].raw(), bits_);
        arb_add(H_->raw(i, k), g, t_.centre[k].raw(), bits_);
      }
      length2_[i] = H_->dot(i, *H_, i);
      g2_[i] = M_.dot(i, M_, i);
    });
    for (std::size_t i = 0; i < n_; ++i) {
      if (!certainly(length2_[i].is_positive())) {
        vanishing = i;
        return false;
      }
      length_.push_back(sqrt(length2_[i]));
      inverse_length_.push_back(1L / length_[i]);
      if (wants(Quantity::output_norm2)) r.output_norm2.push_back(sqr(factor_[i]) * length2_[i]);
    }
    if (facts_.collinear) {
      signs_.assign(n_, Ball());
      each_row(n_, checkpoint_, [&](std::size_t i) { signs_[i] = sign(i); });
    }
    for (const auto& [i, j] : request_.options.pairs) {
      const Ball product = H_->dot(i, *H_, j);
      r.pairs.push_back({i, j, t_.cosine(i, j), cosine(i, j, product, complement(i, j, M_.dot(i, M_, j)))});
    }
    if (wants(Quantity::inner_products) || wants(Quantity::angle_ratio)) all_pairs(r);
    return true;
  }

  /// 1 - <y'_i, y'_j>, from <g_i, g_j>.
  Ball complement(std::size_t i, std::size_t j, const Ball& gram) const {
    if (outputs_always_equal(t_.tokens, facts_, request_, i, j)) return Ball(0, bits_);
    if (facts_.collinear) return 1L - signs_[i] * signs_[j];
    return one_minus_cosine(gram_distance2(M_, g2_[i], g2_[j], gram, i, j), Ball(length2_[i] - length2_[j]),
                            length_[i], length_[j]);
  }
  Ball cosine(std::size_t i, std::size_t j, const Ball& product, const Ball& complement) const {
    if (complement.is_exact()) return 1L - complement;
    const bool lost = product.contains_zero() && n_ <= most_by_weights;
    return intersection(
        (lost ? product_by_weights(i, j) : product) * (inverse_length_[i] * inverse_length_[j]),
        1L - complement);
  }

  /// <h_i, h_j> as a sum over the inner products of the tokens, each of which has its digits: outputs that
  /// are nearly orthogonal may have theirs where the sums of vectors have lost them.
  Ball product_by_weights(std::size_t i, std::size_t j) const {
    const auto weights = [&](std::size_t k) {
      std::vector<Ball> r;
      const Ball total = 1L + rows_[k].rest;
      for (std::size_t l = 0; l < n_; ++l) r.push_back(exponential(k, l, t_.distance(k, l)) / total);
      r[k] += alpha_ * t_.norm[k];
      return r;
    };
    const std::vector<Ball> left = weights(i), right = weights(j);
    Ball sum(0, bits_);
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t l = 0; l < n_; ++l) sum += left[k] * right[l] * t_.cosine(k, l);
    return std::move(sum) / (factor_[i] * factor_[j]);
  }

  /// What the pairs (i, j), j < i, of a row add up to.
  struct PairRow {
    BallExtremes cosines;
    Ball sum, ratios;
    bool some_equal = false;
  };
  PairRow no_pairs() const {
    return {BallExtremes(Ball(1, bits_), Ball(-1, bits_)), Ball(0, bits_), Ball(0, bits_)};
  }

  void all_pairs(TokenValues& r) {
    const RightFactor outputs(H_->copy(), checkpoint_), moved(M_.copy(), checkpoint_);
    std::vector<PairRow> sums(n_, no_pairs());
    for (std::size_t first = 0; first < n_; first += block_rows) {
      const std::size_t size = std::min(n_ - first, block_rows);
      BallMatrix h(size, d_, bits_), g(size, d_, bits_);
      for (std::size_t row = 0; row < size; ++row)
        for (std::size_t k = 0; k < d_; ++k) {
          arb_set(h.raw(row, k), H_->raw(first + row, k));
          arb_set(g.raw(row, k), M_.raw(first + row, k));
        }
      const BallMatrix products = outputs.product(h), gram = moved.product(g);
      each_row(size, checkpoint_,
               [&](std::size_t row) { sums[first + row] = pair_row(first + row, products, gram, row); });
    }
    PairRow total = no_pairs();
    for (const PairRow& s : sums) {
      total.cosines.look(s.cosines);
      total.sum += s.sum;
      total.ratios += s.ratios;
      total.some_equal = total.some_equal || s.some_equal;
    }
    if (wants(Quantity::inner_products))
      r.inner_products = {total.cosines.min_value(),
                          total.some_equal ? Ball(1, bits_) : total.cosines.max_value(),
                          std::move(total.sum) / facts_.pairs};
    if (!wants(Quantity::angle_ratio)) return;
    if (facts_.all_tied)
      r.angle_ratio_undefined = "every pair of tokens is tied (inner product 1)";
    else
      r.angle_ratio = std::move(total.ratios) / (facts_.pairs - facts_.tied_pairs);
  }

  PairRow pair_row(std::size_t i, const BallMatrix& products, const BallMatrix& gram, std::size_t row) const {
    PairRow r = no_pairs();
    for (std::size_t j = 0; j < i; ++j) {
      const Ball x = complement(i, j, gram(row, j));
      if (wants(Quantity::angle_ratio) && !facts_.tied(i, j)) r.ratios += x / t_.distance(i, j);
      const Ball c = cosine(i, j, products(row, j), x);
      r.some_equal = r.some_equal || certainly(x.is_zero());
      r.cosines.look(c);
      r.sum += c;
    }
    return r;
  }

  /// On one line: whether y'_i is y_0 or -y_0.
  Ball sign(std::size_t i) const {
    // <m_i, y_0> + alpha r_i <y_i, y_0>: masses of the two directions.
    const Ball total = 1L + rows_[i].rest;
    Ball sum(0, bits_);
    for (std::size_t j = 0; j < n_; ++j) {
      const Ball A = exponential(i, j, t_.distance(i, j)) / total;
      sum += facts_.opposite[j] ? -A : A;
    }
    const Ball own = alpha_ * t_.norm[i];
    sum += facts_.opposite[i] ? -own : own;
    if (certainly(sum.is_positive())) return Ball(1, bits_);
    if (certainly(sum.is_negative())) return Ball(-1, bits_);
    return hull(Ball(-1, bits_), Ball(1, bits_));
  }

  const TokenBalls& t_;
  const TokenFacts& facts_;
  const LayerRequest& request_;
  const Checkpoint checkpoint_;
  const std::size_t n_, d_;
  const Bits bits_;
  const Ball beta_, alpha_;
  std::optional<RightFactor> columns_, tokens_, second_moments_;
  std::vector<std::unique_ptr<RightFactor>> squares_;
  BallMatrix M_;  // m_i - centre, and from output_values on g_i
  std::vector<TokenRow<Ball>> rows_;
  std::optional<BallMatrix> H_;
  std::vector<Ball> inverse_norm2_, factor_, length2_, length_, inverse_length_, g2_, signs_;
};

}  // namespace

std::optional<TokenValues> evaluate_balls(const TokenBalls& t, const LayerRequest& request,
                                          std::size_t& vanishing, std::vector<TokenRow<Ball>>* moments) {
  BallLayer layer(t, request);
  std::optional<TokenValues> values = layer.run(vanishing);
  if (moments) *moments = std::move(layer).moments();
  return values;
}

}  // namespace critscale
