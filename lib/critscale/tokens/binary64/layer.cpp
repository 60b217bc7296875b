// The binary64 path: values of rows, outputs and pairs. Every error bound is one line of [token-outputs].
#include "critscale/tokens/binary64/detail/layer.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "critscale/layer/real.hpp"
#include "critscale/tokens/binary64/detail/rows.hpp"
#include "critscale/tokens/detail/shared_parts.hpp"

namespace critscale {

namespace {

constexpr double u = Bounded::u;
constexpr double least = least_bound;

/// Row i of the outputs h_i = c + c' + g_i.
struct OutputState {
  std::vector<double> q, q_error, gamma, phi, chi, chi_error, length, length_error;
  explicit OutputState(std::size_t n)
      : q(n), q_error(n), gamma(n), phi(n), chi(n), chi_error(n), length(n), length_error(n) {}
};

/// What the pairs (i, j), j < i, of some rows add up to.
struct PairSums {
  Bounded ratios, complements;
  /// Smallest and largest 1 - cos: ends of their enclosures.
  double min_low = 2, min_high = 2, max_low = 0, max_high = 0;
  void operator+=(const PairSums& o) {
    ratios += o.ratios;
    complements += o.complements;
    min_low = std::min(min_low, o.min_low);
    min_high = std::min(min_high, o.min_high);
    max_low = std::max(max_low, o.max_low);
    max_high = std::max(max_high, o.max_high);
  }
};

class DoubleLayer {
 public:
  DoubleLayer(const TokenSet& tokens, const TokenFacts& facts, const TokenDoubles& t,
              const LayerRequest& request, const RowSharing* sharing)
      : tokens_(tokens),
        facts_(facts),
        t_(t),
        k_(t.kernels),
        request_(request),
        sharing_(sharing),
        n_(t.n),
        d_(t.d),
        gamma_n_(gamma_bound(t.height_n)),
        gamma_d_(gamma_bound(t.height_d)),
        rows_(facts, t, request) {}

  std::vector<TokenRow<Bounded>> moments() const {
    std::vector<TokenRow<Bounded>> r;
    for (const RowState& row : rows_.rows) r.push_back(row.moments);
    return r;
  }

  std::optional<TokenValues> run() {
    if (!rows_.applies()) return std::nullopt;
    pairs_ = wants(Quantity::inner_products) || wants(Quantity::angle_ratio);
    const bool with_jacobian = wants(Quantity::jacobian_norm);
    if (with_jacobian && t_.K.empty() && !covariance_is_small(n_, d_))
      throw LimitError(fmt::format(
          "jacobian_norm of more than {} tokens is evaluated where d^2 <= 2 n, found n = {}, d = {}",
          TokenDoubles::most_kept, n_, d_));
    const bool with_outputs = pairs_ || wants(Quantity::output_norm2) || !request_.options.pairs.empty();
    rows_.run(with_outputs, with_jacobian, sharing_);
    TokenValues r;
    r.beta = request_.beta;
    per_row(r);
    if (with_jacobian) r.jacobian_norm = jacobian_norm();
    if (with_outputs && !outputs(r)) return std::nullopt;
    return r;
  }

 private:
  bool wants(Quantity q) const {
    return std::find(request_.options.quantities.begin(), request_.options.quantities.end(), q) !=
           request_.options.quantities.end();
  }
  void per_row(TokenValues& r) const {
    for (const RowState& state : rows_.rows) {
      TokenRow<Ball> row;
      row.rest = to_ball(state.moments.rest);
      row.rest2 = to_ball(state.moments.rest2);
      row.distance = to_ball(state.moments.distance);
      if (wants(Quantity::log_partition)) r.log_partition.push_back(request_.beta + log1p(row.rest));
      if (wants(Quantity::self_weight)) r.self_weight.push_back(row.self_weight());
      if (wants(Quantity::participation)) r.participation.push_back(row.participation());
      if (wants(Quantity::entropy)) r.entropy.push_back(row.entropy(request_.beta));
    }
  }

  Ball jacobian_norm() const {
    Ball sum(0, 64);
    for (const RowState& row : rows_.rows) sum += to_ball(row.jacobian);
    return scaled(std::move(sum) / (Ball(n_) * Ball(d_)), -2 * t_.scale);
  }

  /// x'_i = (1 + a_i)(c + g_i), a_i = alpha r_i, and g_i = c' + g'_i from the mean c' on; the rows' means
  /// become g'.
  bool outputs(TokenValues& r) {
    std::vector<double> shift(d_), attended(n_), own(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const Ball a = rows_.alpha_ball * t_.norm[i];
      attended[i] = to_bounded(1L / (1L + a)).v;
      own[i] = to_bounded(a / (1L + a)).v;
    }
    tbb::parallel_for(std::size_t{0}, n_, [&](std::size_t i) {
      double* g = &rows_.means[i * d_];
      const double* w = &t_.W[i * d_];
      for (std::size_t k = 0; k < d_; ++k) g[k] = g[k] * attended[i] + w[k] * own[i];
    });
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < d_; ++k) shift[k] += rows_.means[i * d_ + k];
    Ball centre2(0, 160);
    double centre_length = 0;
    for (std::size_t k = 0; k < d_; ++k) {
      shift[k] /= static_cast<double>(n_);
      centre2 += sqr(Ball::exactly(t_.centre[k], 160) + Ball::exactly(shift[k], 160));
    }
    centre_length = (std::sqrt(k_.dot(d_, t_.centre.data(), t_.centre.data())) +
                     std::sqrt(k_.dot(d_, shift.data(), shift.data()))) *
                    bound_slack;
    const Bounded centre2_bounded = to_bounded(centre2);
    OutputState out(n_);
    std::vector<char> positive(n_);
    tbb::parallel_for(std::size_t{0}, n_, [&](std::size_t i) {
      double* g = &rows_.means[i * d_];
      for (std::size_t k = 0; k < d_; ++k) g[k] -= shift[k];
      const RowState& row = rows_.rows[i];
      const double square = k_.dot(d_, g, g);
      const double gamma = std::sqrt(square) * bound_slack;
      const double phi = (attended[i] * (row.mean_error + 4 * u * row.mean_length) +
                          own[i] * 9 * u * t_.omega[i] + u * gamma) *
                             bound_slack +
                         least;
      out.q[i] = square;
      out.q_error[i] = (phi * (2 * gamma + phi) + gamma_d_ * square) * bound_slack + least;
      out.gamma[i] = gamma;
      out.phi[i] = phi;
      out.chi[i] = k_.dot(d_, t_.centre.data(), g) + k_.dot(d_, shift.data(), g);
      out.chi_error[i] = centre_length * (phi + (gamma_d_ + 2 * u) * gamma) * bound_slack + least;
      const Bounded length2 =
          (centre2_bounded + 2 * Bounded{out.chi[i], out.chi_error[i]}) + Bounded{out.q[i], out.q_error[i]};
      const Bounded length = sqrt(length2);
      out.length[i] = length.v;
      out.length_error[i] = length.e;
      positive[i] = length2.v > length2.e;
    });
    if (std::find(positive.begin(), positive.end(), 0) != positive.end()) return false;
    if (wants(Quantity::output_norm2))
      for (std::size_t i = 0; i < n_; ++i)
        r.output_norm2.push_back(
            sqr((1L + rows_.alpha_ball * t_.norm[i]) * to_ball({out.length[i], out.length_error[i]})));
    for (const auto& [i, j] : request_.options.pairs) {
      const Ball complement = always_equal(i, j) ? Ball(0) : to_ball(close_pair(out, i, j));
      const Ball input = facts_.tied(i, j) ? Ball(1) : 1L - to_ball(t_.close_distance(i, j));
      r.pairs.push_back({i, j, input, 1L - complement});
    }
    if (pairs_) all_pairs(r, out);
    return true;
  }

  bool always_equal(std::size_t i, std::size_t j) const {
    return outputs_always_equal(tokens_, facts_, request_, i, j);
  }

  /// 1 - cos of outputs i and j from the difference of their vectors.
  Bounded close_pair(const OutputState& out, std::size_t i, std::size_t j) const {
    const double square = k_.distance2(d_, &rows_.means[i * d_], &rows_.means[j * d_]),
                 phi = out.phi[i] + out.phi[j];
    const Bounded distance2{
        square, (gamma_bound(t_.height_d + 3) * square + phi * (2 * std::sqrt(square) * bound_slack + phi)) *
                        bound_slack +
                    least};
    const auto at = [](const std::vector<double>& v, const std::vector<double>& e, std::size_t k) {
      return Bounded{v[k], e[k]};
    };
    const Bounded difference = 2 * (at(out.chi, out.chi_error, i) - at(out.chi, out.chi_error, j)) +
                               (at(out.q, out.q_error, i) - at(out.q, out.q_error, j));
    return one_minus_cosine(distance2, difference, at(out.length, out.length_error, i),
                            at(out.length, out.length_error, j));
  }

  void all_pairs(TokenValues& r, const OutputState& out) const {
    PairSums total;
    if (request_.beta_is_zero && request_.alpha == 0) {
      // Every output is the mean of all directions.
      total.min_low = total.min_high = 0;
    } else {
      const std::vector<RowBlock> blocks = row_blocks(n_);
      std::vector<PairSums> sums(blocks.size());
      // The last rows have most to do.
      const auto block_of = [&](std::size_t part) { return blocks.size() - 1 - part; };
      const auto sums_of = [&](std::size_t part) { return std::span(sums).subspan(block_of(part), 1); };
      for_parts(
          sharing_, blocks.size(),
          [&](std::size_t part) { sums[block_of(part)] = pair_rows(blocks[block_of(part)], out); },
          [&](std::size_t part) {
            std::string bytes;
            append_bytes<PairSums>(bytes, sums_of(part));
            return bytes;
          },
          [&](std::size_t part, std::string_view bytes) { take_bytes(bytes, sums_of(part)); });
      for (const PairSums& s : sums) total += s;
    }
    if (wants(Quantity::inner_products)) {
      const auto between = [](double lo, double hi) {
        return 1L - Ball(Dyadic::exactly(std::max(lo, 0.0)), Dyadic::exactly(std::min(hi, 2.0)), 64);
      };
      r.inner_products = {between(total.max_low, total.max_high), between(total.min_low, total.min_high),
                          1L - to_ball(total.complements) / facts_.pairs};
    }
    if (wants(Quantity::angle_ratio))
      r.angle_ratio = to_ball(total.ratios) / (facts_.pairs - facts_.tied_pairs);
  }

  PairSums pair_rows(RowBlock b, const OutputState& out) const {
    rows_.checkpoint();
    const std::size_t size = b.size(), width = b.last;
    std::vector<double> P(size * width), scratch(size * width), D(n_), complement(width),
        complement_error(width), distance_error(width), ratio(width), ratio_error(width), room;
    const double* products = t_.products(b, width, room);
    k_.times_transposed({&rows_.means[b.first * d_], size, d_, d_}, {rows_.means.data(), width, d_, d_},
                        P.data(), width, scratch.data());
    PairSums sums;
    for (std::size_t i = b.first; i < b.last; ++i) {
      t_.distances(facts_, i, products + (i - b.first) * n_, i, D.data());
      PairRow r{};
      r.n = i;
      r.D = D.data(), r.omega = t_.omega.data();
      r.P = &P[(i - b.first) * width], r.q = out.q.data(), r.gamma = out.gamma.data(), r.phi = out.phi.data();
      r.q_error = out.q_error.data(), r.chi = out.chi.data(), r.chi_error = out.chi_error.data();
      r.length = out.length.data(), r.length_error = out.length_error.data();
      r.omega_i = t_.omega[i], r.kappa_distance = t_.kappa_distance;
      r.kappa_output = (gamma_d_ + 4 * u) * bound_slack;
      r.q_i = out.q[i], r.q_i_error = out.q_error[i];
      r.gamma_i = out.gamma[i], r.phi_i = out.phi[i];
      r.chi_i = out.chi[i], r.chi_i_error = out.chi_error[i];
      r.length_i = out.length[i], r.length_i_error = out.length_error[i];
      r.complement = complement.data(), r.complement_error = complement_error.data();
      r.distance_error = distance_error.data();
      r.ratio = ratio.data(), r.ratio_error = ratio_error.data();
      k_.pair_row(r);
      refine(r, out, i);
      for (const std::size_t j : facts_.members[facts_.direction[i]]) {
        if (j >= i) break;
        ratio[j] = ratio_error[j] = 0;
        if (always_equal(i, j)) complement[j] = complement_error[j] = 0;
      }
      add_row(sums, r, i);
    }
    return sums;
  }

  /// Pairs that the Gram matrices leave with few digits, once more from differences.
  void refine(const PairRow& r, const OutputState& out, std::size_t i) const {
    constexpr double enough = 0x1p-36;
    for (std::size_t j = 0; j < i; ++j) {
      const bool good_distance = r.distance_error[j] <= enough * r.D[j];
      const bool good_complement = r.complement_error[j] <= enough * r.complement[j];
      if ((good_distance && good_complement) || facts_.tied(i, j)) continue;
      const Bounded c = close_pair(out, i, j);
      if (c.e < r.complement_error[j]) {
        r.complement[j] = c.v;
        r.complement_error[j] = c.e;
      }
      Bounded D{r.D[j], r.distance_error[j]};
      if (!good_distance) D = t_.close_distance(i, j);
      const Bounded ratio = Bounded{r.complement[j], r.complement_error[j]} / D;
      r.ratio[j] = ratio.v;
      r.ratio_error[j] = ratio.e;
    }
  }

  void add_row(PairSums& sums, const PairRow& r, std::size_t count) const {
    const auto total = [&](const double* values, const double* errors) {
      const double sum = k_.sum(count, values), error = k_.sum(count, errors) * bound_slack;
      // The exact terms are not negative: |value| <= value + 2 error.
      return Bounded{sum, (error + gamma_n_ * (std::fabs(sum) + 2 * error)) * bound_slack + least};
    };
    sums.ratios += total(r.ratio, r.ratio_error);
    sums.complements += total(r.complement, r.complement_error);
    for (std::size_t j = 0; j < count; ++j) {
      const double error = r.complement_error[j] * bound_slack + u * r.complement[j];
      // Nothing is known where the error is not finite; nan would pass the comparisons.
      const bool known = error < 4 && r.complement[j] < 4;
      const double low = known ? r.complement[j] - error : 0, high = known ? r.complement[j] + error : 2;
      sums.min_low = std::min(sums.min_low, low);
      sums.min_high = std::min(sums.min_high, high);
      sums.max_low = std::max(sums.max_low, low);
      sums.max_high = std::max(sums.max_high, high);
    }
  }

  const TokenSet& tokens_;
  const TokenFacts& facts_;
  const TokenDoubles& t_;
  const TokenKernels& k_;
  const LayerRequest& request_;
  const RowSharing* sharing_;
  const std::size_t n_, d_;
  const double gamma_n_, gamma_d_;
  bool pairs_ = false;
  DoubleRows rows_;
};

}  // namespace

std::optional<TokenValues> evaluate_binary64(const TokenSet& tokens, const TokenFacts& facts,
                                             const TokenDoubles& t, const LayerRequest& request,
                                             std::vector<TokenRow<Bounded>>* moments,
                                             const RowSharing* sharing) {
  DoubleLayer layer(tokens, facts, t, request, sharing);
  std::optional<TokenValues> values = layer.run();
  if (moments) *moments = layer.moments();
  return values;
}

}  // namespace critscale
