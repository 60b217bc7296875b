// Rows of the attention matrix in binary64. Every error bound is one line of [token-weights] or
// [token-jacobian].
#include "critscale/tokens/binary64/detail/rows.hpp"

#include <algorithm>
#include <cmath>

#include "critscale/tokens/detail/shared_parts.hpp"

namespace critscale {

namespace {

constexpr double u = Bounded::u;

}  // namespace

DoubleRows::DoubleRows(const TokenFacts& facts, const TokenDoubles& t, const LayerRequest& request)
    : rows(t.n),
      beta(to_bounded(request.beta)),
      alpha_ball(scaled(Ball(request.alpha, 128), t.scale)),
      alpha(to_bounded(alpha_ball)),
      facts_(facts),
      t_(t),
      k_(t.kernels),
      request_(request),
      n_(t.n),
      d_(t.d),
      gamma_n_(gamma_bound(t.height_n)),
      gamma_d_(gamma_bound(t.height_d)) {}

bool DoubleRows::applies() const {
  constexpr double largest_error = 0.001, least_alpha = 0x1p-800;
  return exponent_error(t_.omega_max) < largest_error && std::isfinite(alpha.v) &&
         (alpha.v == 0 || alpha.v > least_alpha);
}

void DoubleRows::run(bool with_means, bool with_jacobian, const RowSharing* sharing) {
  jacobian_ = with_jacobian;
  if (with_means || with_jacobian) means.resize(n_ * d_);
  const std::vector<RowBlock> blocks = row_blocks(n_);
  const auto rows_of = [&](std::size_t b) {
    return std::span(rows).subspan(blocks[b].first, blocks[b].size());
  };
  const auto means_of = [&](std::size_t b) {
    return means.empty() ? std::span<double>()
                         : std::span(means).subspan(blocks[b].first * d_, blocks[b].size() * d_);
  };
  for_parts(
      sharing, blocks.size(), [&](std::size_t b) { block(blocks[b]); },
      [&](std::size_t b) {
        std::string bytes;
        append_bytes<RowState>(bytes, rows_of(b));
        append_bytes<double>(bytes, means_of(b));
        return bytes;
      },
      [&](std::size_t b, std::string_view bytes) {
        take_bytes(bytes, rows_of(b));
        take_bytes(bytes, means_of(b));
      });
}

void DoubleRows::checkpoint() const {
  if (!request_.options.checkpoint) return;
  const std::lock_guard lock(mutex_);
  request_.options.checkpoint();
}

double DoubleRows::distance_error(double omega_i) const {
  const double reach = omega_i + t_.omega_max;
  return t_.kappa_distance * reach * reach * bound_slack;
}
/// Relative error of exp(-beta D_ij), for every j [token-weights].
double DoubleRows::exponent_error(double omega_i) const {
  const double reach = omega_i + t_.omega_max;
  return (beta.v * (distance_error(omega_i) + 2 * u * reach * reach) + beta.e * reach * reach / 2 + 0x1p-50) *
         bound_slack;
}

void DoubleRows::block(RowBlock b) {
  checkpoint();
  const std::size_t size = b.size();
  std::vector<double> A(size * n_), D(size * n_);
  {
    std::vector<double> room;
    const double* products = t_.products(b, n_, room);
    for (std::size_t i = b.first; i < b.last; ++i) {
      double* row = &D[(i - b.first) * n_];
      t_.distances(facts_, i, products + (i - b.first) * n_, n_, row);
      weights(i, &A[(i - b.first) * n_], row);
    }
  }
  if (means.empty()) return;
  std::vector<double> scratch((size + summation_chunk) * std::max(n_, d_));
  const MatrixView a{A.data(), size, n_, n_}, w{t_.W.data(), n_, d_, d_};
  k_.times(a, w, &means[b.first * d_], d_, scratch.data());
  for (std::size_t i = b.first; i < b.last; ++i) mean(i);
  if (jacobian_) jacobian_rows(b, a, w, D.data(), scratch.data());
}

void DoubleRows::weights(std::size_t i, double* A, const double* D) {
  RowState& row = rows[i];
  k_.exponentials(n_, beta.v, D, A);
  const double error = exponent_error(t_.omega[i]);
  A[i] = 0;
  const double sum_error = error + gamma_n_;
  row.moments.rest = relative_bound(k_.sum(n_, A), sum_error);
  row.moments.rest2 = relative_bound(k_.dot(n_, A, A), 2 * sum_error);
  row.distance_error = distance_error(t_.omega[i]);
  Bounded weighted = relative_bound(k_.dot(n_, A, D), sum_error);
  weighted.e += row.distance_error * (row.moments.rest.v + row.moments.rest.e) * bound_slack;
  A[i] = 1;
  const Bounded total = 1 + row.moments.rest;
  row.moments.distance = weighted / total;
  row.scattered_error = (error + 4 * u) * bound_slack;
  row.common_error = total.e / total.v * bound_slack;
  row.weight_error = row.scattered_error + row.common_error;
  k_.scale(n_, 1 / total.v, A);
  row.reach1 = k_.dot(n_, A, t_.omega.data()) * bound_slack;
  row.reach2 = k_.dot(n_, A, t_.omega2.data()) * bound_slack;
  row.mean2 = {k_.dot(n_, A, t_.s.data()),
               (row.weight_error + gamma_n_ + t_.kappa) * row.reach2 * bound_slack + least_bound};
}

void DoubleRows::mean(std::size_t i) {
  RowState& row = rows[i];
  const double* m = &means[i * d_];
  const double square = k_.dot(d_, m, m);
  // The error of 1 + W_i is one factor for the whole row.
  const double scattered = (row.scattered_error + gamma_n_ + 5 * u) * row.reach1 * bound_slack + least_bound;
  row.mean_error = scattered + row.common_error * (std::sqrt(square) * bound_slack + scattered) * bound_slack;
  row.mean_length = std::sqrt(square) * bound_slack + row.mean_error;
  row.length2 = {square,
                 (row.mean_error * (2 * row.mean_length + row.mean_error) + gamma_d_ * square) * bound_slack +
                     least_bound};
}

void DoubleRows::jacobian_rows(RowBlock b, MatrixView A, MatrixView W, const double* D, double* scratch) {
  const std::size_t size = b.size();
  std::vector<double> Q(size * n_), U(size * n_), F(size * d_), form(size), value(n_), error(n_);
  k_.times_transposed({&means[b.first * d_], size, d_, d_}, W, Q.data(), n_, scratch);
  // The covariance itself where it has few entries.
  const bool itself = covariance_is_small(n_, d_);
  std::vector<double> covariance_scratch(itself ? (2 * summation_chunk + 2 * d_) * d_ : 0);
  if (!itself) k_.quadratic_form(A, {t_.K.data(), n_, n_, n_}, form.data(), scratch);
  std::vector<double> variance(size), squares(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double* a = A.data + i * n_;
    squares[i] = k_.deviations(n_, a, &Q[i * n_], 0.0, &U[i * n_], scratch);
    variance[i] = k_.deviations(n_, a, D + i * n_, rows[b.first + i].moments.distance.v, &U[i * n_], scratch);
  }
  k_.times({U.data(), size, n_, n_}, W, F.data(), d_, scratch);
  for (std::size_t i = 0; i < size; ++i) {
    RowState& row = rows[b.first + i];
    const double image2 = k_.dot(d_, &F[i * d_], &F[i * d_]);
    const Covariance c = itself ? covariance_itself(b.first + i, A.data + i * n_, covariance_scratch.data())
                                : covariance_by_products(b.first + i, squares[i], form[i]);
    row.jacobian = own(b.first + i, variance[i], c, image2);
    BlockRow r{};
    r.n = n_;
    r.A = A.data + i * n_;
    r.D = D + i * n_;
    r.Q = &Q[i * n_];
    r.s = t_.s.data();
    r.omega = t_.omega.data();
    r.inverse_norm2 = t_.inverse_norm2.data();
    r.omega_i = t_.omega[b.first + i];
    r.kappa = t_.kappa;
    r.kappa_distance = t_.kappa_distance;
    r.nu = projection_error(row);
    r.mean2 = row.mean2.v, r.mean2_error = row.mean2.e;
    r.length2 = row.length2.v, r.length2_error = row.length2.e;
    r.distance = row.moments.distance.v, r.distance_error = row.moments.distance.e;
    r.beta = beta.v, r.beta_error = beta.e;
    r.d_minus_1 = static_cast<double>(d_ - 1);
    r.value = value.data(), r.error = error.data();
    k_.block_row(r);
    value[b.first + i] = error[b.first + i] = 0;
    const double sum = k_.sum(n_, value.data()), errors = k_.sum(n_, error.data()) * bound_slack;
    // |value| <= value + 2 error, because the exact terms are not negative.
    const double magnitude = std::fabs(sum) + 2 * errors;
    row.jacobian +=
        Bounded{sum, (errors + (2 * row.weight_error + gamma_n_ + 10 * u) * magnitude) * bound_slack +
                         least_bound * (1 + beta.v * beta.v)};
  }
}

/// |error of <m_i - c, w_k>| / omega_k.
double DoubleRows::projection_error(const RowState& row) const {
  return ((gamma_d_ + 6 * u) * row.mean_length + row.mean_error) * bound_slack;
}

DoubleRows::Covariance DoubleRows::covariance_by_products(std::size_t i, double squares, double form) const {
  const RowState& row = rows[i];
  const double nu = projection_error(row);
  const Bounded S{squares, ((row.weight_error + gamma_n_ + 6 * u) * squares +
                            nu * (2 * row.mean_length + nu) * row.reach2) *
                                   bound_slack +
                               least_bound};
  // Chunks along both sides of the form, a product with A_ik, and a square.
  const double form_height = gamma_bound(3 * summation_chunk + 4 * t_.height_n);
  const Bounded form2{
      form,
      ((2 * row.weight_error + form_height) * form + 3 * t_.kappa * row.reach2 * row.reach2) * bound_slack +
          least_bound};
  return {row.mean2 - row.length2, form2 - 2 * S + sqr(row.length2)};
}

/// Around the computed mean, so that errors are relative to the row's own spread.
DoubleRows::Covariance DoubleRows::covariance_itself(std::size_t i, const double* A, double* scratch) const {
  const RowState& row = rows[i];
  double* C = scratch;
  k_.covariance(n_, d_, A, t_.W.data(), &means[i * d_], C, scratch + d_ * d_);
  double trace = 0;
  for (std::size_t k = 0; k < d_; ++k) trace += C[k * (d_ + 1)];
  const double square = k_.dot(d_ * d_, C, C), reach = std::sqrt(row.reach2) * bound_slack;
  // sum_j A_ij |w_j - c|^2 from above, and its root.
  const double root = (std::sqrt(trace) + 6 * u * reach) * bound_slack, q = root * root;
  const double rounding = gamma_bound(t_.height_n + d_ + 6);
  const double error = ((row.weight_error + rounding) * q + 11 * u * root * reach + 30 * u * u * row.reach2 +
                        row.mean_error * row.mean_error) *
                           bound_slack +
                       least_bound;
  const double square_error =
      error * (2 * std::sqrt(square) * bound_slack + error) + gamma_bound(summation_height(d_ * d_)) * square;
  return {{trace, error}, {square, square_error * bound_slack + least_bound}};
}

/// |block(i,i)|^2.
Bounded DoubleRows::own(std::size_t i, double variance, const Covariance& covariance, double image2) {
  RowState& row = rows[i];
  TokenRow<Bounded>& r = row.moments;
  const double shift = row.distance_error + row.moments.distance.e;
  r.distance_variance = {variance, ((row.weight_error + gamma_n_ + 6 * u) * variance +
                                    shift * (2 * std::sqrt(variance) * bound_slack + shift)) *
                                           bound_slack +
                                       least_bound};
  r.spread = covariance.trace;
  r.covariance2 = covariance.square;
  const double upper_variance = variance + r.distance_variance.e;
  const double image_error =
      ((row.weight_error + gamma_n_ + 10 * u) * std::sqrt(upper_variance * row.reach2) + shift * row.reach1) *
          bound_slack +
      least_bound;
  r.image2 = {
      image2,
      (image_error * (2 * std::sqrt(image2) * bound_slack + image_error) + gamma_d_ * image2) * bound_slack +
          least_bound};
  return own_block(r, to_bounded(t_.norm[i]), beta, alpha, Bounded{static_cast<double>(d_), 0});
}

}  // namespace critscale
