// What rounding may do to answers to attention questions (THEORY-rounding [score-rounding],
// [gradient-rounding]).
#include <algorithm>
#include <cmath>
#include <limits>

#include "critscale/tables/detail/attention_question.hpp"
#include "critscale/tables/detail/row_errors.hpp"

namespace critscale {

namespace {

constexpr double hidden_score = -std::numeric_limits<double>::infinity();

/// ((1 - u)^-k) - 1.
double accumulated(double k, double u) { return std::expm1(shrunk(k, u)); }

/// A scale that is formed, rooted and put into both factors of a product, six roundings, and a little.
constexpr double scale_roundings = 6.2;

/// What exp(s - lse) of correct code stays below, however badly its format holds the scores.
constexpr double largest_weight = 2;

/// One query row: exact scores as doubles, their errors, and what the cap does to gradients.
struct ScoredRow {
  ScoreRow scores;  ///< the keys, then the sink where there is one
  std::vector<double> error;
  std::vector<double> slope, slope_error;  ///< cap' of each key; 1 and 0 without a softcap
};

/// What all rows of a question share.
class AttentionErrors {
 public:
  AttentionErrors(const AttentionQuestion& a, const Arithmetic& arithmetic)
      : a_(a),
        arithmetic_(arithmetic),
        u_(arithmetic),
        scale_(a.options.scale ? static_cast<double>(*a.options.scale)
                               : 1 / std::sqrt(static_cast<double>(a.d))),
        cap_(a.options.softcap ? static_cast<double>(*a.options.softcap) : 0) {}

  const RoundingUnits& units() const { return u_; }
  double scale() const { return scale_; }
  double underflow() const { return underflow_error(*arithmetic_.elementwise); }

  ScoredRow row(std::size_t h, std::size_t i) const {
    ScoredRow r;
    std::vector<double> scores;
    const AttentionHead head = a_.head(h);
    for (std::size_t j = 0; j < a_.n; ++j) add_key(head, i, j, r, scores);
    if (a_.options.sink) {
      scores.push_back(static_cast<double>(*a_.options.sink));
      r.error.push_back(0);
    }
    r.scores.maximum = *std::max_element(scores.begin(), scores.end());
    for (double& s : scores) s = std::isfinite(s) ? s - r.scores.maximum : hidden_score;
    r.scores.x = std::move(scores);
    return r;
  }

 private:
  bool is_seen(std::size_t i, std::size_t j) const {
    const auto m = static_cast<std::ptrdiff_t>(a_.m), n = static_cast<std::ptrdiff_t>(a_.n);
    const std::ptrdiff_t position =
        static_cast<std::ptrdiff_t>(i) + (a_.options.causal == Causal::bottom_right ? n - m : 0);
    const std::ptrdiff_t distance = position - static_cast<std::ptrdiff_t>(j);
    if (a_.options.causal != Causal::none && distance < 0) return false;
    if (a_.options.window && distance >= static_cast<std::ptrdiff_t>(*a_.options.window)) return false;
    return a_.mask.empty() || std::isfinite(a_.mask[i * a_.n + j]);
  }

  void add_key(const AttentionHead& head, std::size_t i, std::size_t j, ScoredRow& r,
               std::vector<double>& scores) const {
    if (!is_seen(i, j)) {
      scores.push_back(hidden_score);
      for (std::vector<double>* x : {&r.error, &r.slope, &r.slope_error}) x->push_back(0);
      return;
    }
    double product = 0, size = 0;
    for (std::size_t l = 0; l < a_.d; ++l) {
      const double x = head.q[i * a_.d + l] * head.k[j * a_.d + l];
      product += x;
      size += std::abs(x);
    }
    const double sum = sum_roundings(arithmetic_, a_.d, false) + 1;
    double s = scale_ * product;
    double t = scale_ * size * (accumulated(sum, u_.accumulate) + scale_roundings * u_.elementwise) +
               u_.elementwise * std::abs(s) +
               (2 + 2 * scale_ * static_cast<double>(a_.d)) * underflow_error(*arithmetic_.elementwise);
    const double b = a_.mask.empty() ? 0 : a_.mask[i * a_.n + j];
    if (a_.options.softcap_after_bias) add_mask(b, s, t);
    double slope = 1, slope_error = 0;
    if (cap_ > 0) {
      // The quotient, tanh, and the product with c.
      const double x = s / cap_, tangent = std::tanh(x);
      const double dx = (t + u_.elementwise * (std::abs(s) + t)) / cap_;
      const double moved = tanh_error(x, dx), d_tangent = moved + u_.function * (std::abs(tangent) + moved);
      slope = 1 / (std::cosh(x) * std::cosh(x));
      // 1 - tanh^2, of tanh or of the capped score over c.
      const double d_again = d_tangent + 2 * u_.elementwise * (std::abs(tangent) + d_tangent);
      slope_error = (2 * std::abs(tangent) + d_again) * d_again + 3 * u_.elementwise;
      s = cap_ * tangent;
      t = cap_ * (d_tangent + u_.elementwise * (std::abs(tangent) + d_tangent));
    }
    if (!a_.options.softcap_after_bias) add_mask(b, s, t);
    scores.push_back(s);
    r.error.push_back(1.01 * t);
    r.slope.push_back(slope);
    r.slope_error.push_back(slope_error);
  }
  void add_mask(double b, double& s, double& t) const {
    if (a_.mask.empty()) return;
    s += b;
    t += u_.elementwise * (std::abs(s) + t);
  }

  const AttentionQuestion& a_;
  const Arithmetic& arithmetic_;
  RoundingUnits u_;
  double scale_, cap_;
};

// --- forward ------------------------------------------------------------------------------------------

void forward_row(const AttentionQuestion& a, const Arithmetic& arithmetic, const AttentionErrors& all,
                 std::size_t h, std::size_t i, std::vector<Allowance>& r) {
  const ScoredRow row = all.row(h, i);
  const RowErrors e(row.scores, row.error, arithmetic);
  if (a.quantity == AttentionQuantity::lse) {
    r.push_back(e.visible() == 0 ? Allowance{} : worst_and_likely([&](bool likely) {
      return stored_margin(log_sum_margin(e, row.scores.maximum, arithmetic, likely),
                           row.scores.maximum + e.log_sum(), arithmetic);
    }));
    return;
  }
  const AttentionHead head = a.head(h);
  for (std::size_t l = 0; l < a.e; ++l) {
    std::vector<double> column;
    for (std::size_t j = 0; j < a.n; ++j) column.push_back(head.v[j * a.e + l]);
    if (a.options.sink) column.push_back(0);
    r.push_back(e.visible() == 0 ? Allowance{} : output_allowance(e, column, 0, arithmetic));
  }
}

// --- backward -----------------------------------------------------------------------------------------

/// A number and what it may err.
struct Erring {
  double value = 0, error = 0;
  double size() const { return std::abs(value) + error; }
};

/// One row's weights P_ij, D_i and gradients of scores dS_ij, as they are computed.
struct GradientRow {
  std::vector<Erring> weight, score;  ///< a key
  Erring sink, D;
};

class GradientErrors {
 public:
  GradientErrors(const AttentionQuestion& a, const Arithmetic& arithmetic, bool likely)
      : a_(a), arithmetic_(arithmetic), all_(a, arithmetic), u_(all_.units()), likely_(likely) {}

  std::vector<Margin> run() {
    const AttentionQuestion::Shape shape = a_.shape();
    const std::size_t size = shape.size();
    value_.assign(size, 0);
    size_.assign(size, 0);
    error_.assign(size, 0);
    for (std::size_t h = 0; h < a_.heads; ++h)
      for (std::size_t i = 0; i < a_.m; ++i) add_row(h, i);
    std::vector<Margin> r;
    for (std::size_t at = 0; at < size; ++at) r.push_back(margin(at));
    return r;
  }

 private:
  double roundings(std::size_t terms) const { return sum_roundings(arithmetic_, terms, likely_) + 1; }

  /// <dO_i, v_j>.
  Erring product(std::span<const double> out, std::span<const double> v) const {
    Erring r;
    double size = 0;
    for (std::size_t l = 0; l < a_.e; ++l) {
      r.value += out[l] * v[l];
      size += std::abs(out[l] * v[l]);
    }
    const double sum = accumulated(roundings(a_.e), u_.accumulate) * size;
    r.error = sum + u_.elementwise * (std::abs(r.value) + sum) + all_.underflow();
    return r;
  }

  /// A weight as a quotient of the row's sums, or recomputed as exp(s - lse) with lse kept in the format of
  /// sums: the larger error.
  Erring weight(const RowErrors& e, const ScoredRow& row, double lse_error, std::size_t j) const {
    if (!e.sees(j)) return {};
    const Margin quotient = e.weight(j, likely_);
    const double l = e.log_p(j);
    const double b = (1 + u_.elementwise) * row.error[j] + lse_error +
                     (u_.elementwise + 2 * u_.inner) * (std::abs(l) + row.error[j] + lse_error) -
                     std::log1p(-u_.function);
    const double again = at_most(weight_excess(e.p()[j], l, b), largest_weight) + all_.underflow();
    return {e.p()[j], std::max({quotient.down, quotient.up, again})};
  }

  GradientRow gradient_row(std::size_t h, std::size_t i) const {
    const ScoredRow row = all_.row(h, i);
    const RowErrors e(row.scores, row.error, arithmetic_);
    GradientRow r;
    r.weight.resize(a_.n);
    r.score.resize(a_.n);
    if (e.visible() == 0) return r;
    const Margin s = log_sum_margin(e, row.scores.maximum, arithmetic_, likely_);
    const double lse = row.scores.maximum + e.log_sum();
    // The format of sums holds it: what its elementwise rounding would cost is taken off.
    const double lse_error = std::max(s.down, s.up) - u_.elementwise * std::abs(lse) +
                             2 * u_.accumulate * std::abs(lse) + 2 * u_.accumulate;
    const AttentionHead head = a_.head(h);
    const std::span<const double> out = a_.d_out_of(h).subspan(i * a_.e, a_.e);
    std::vector<Erring> products(a_.n);
    double terms = 0, terms_error = 0;
    for (std::size_t j = 0; j < a_.n; ++j) {
      r.weight[j] = weight(e, row, std::max(lse_error, 0.0), j);
      if (!e.sees(j)) continue;
      products[j] = product(out, head.v.subspan(j * a_.e, a_.e));
      const Erring &w = r.weight[j], &t = products[j];
      r.D.value += w.value * t.value;
      terms += w.size() * t.size();
      terms_error += w.error * t.size() + w.value * t.error;
    }
    const double by_weights =
        terms_error + (accumulated(roundings(e.visible()), u_.accumulate) + 2 * u_.elementwise) * terms;
    r.D.error = std::max(by_weights, error_by_output(e, head, out)) + u_.elementwise * std::abs(r.D.value) +
                all_.underflow();
    if (a_.options.sink) r.sink = weight(e, row, std::max(lse_error, 0.0), a_.n);
    for (std::size_t j = 0; j < a_.n; ++j)
      if (e.sees(j)) r.score[j] = score(r.weight[j], products[j], r.D, row.slope[j], row.slope_error[j]);
    return r;
  }

  /// D as <dO_i, o_i>, o_i rounded to the output's format.
  double error_by_output(const RowErrors& e, const AttentionHead& head, std::span<const double> out) const {
    double r = 0, size = 0;
    for (std::size_t l = 0; l < a_.e; ++l) {
      std::vector<double> column;
      double o = 0;
      for (std::size_t j = 0; j < a_.n; ++j) {
        column.push_back(head.v[j * a_.e + l]);
        o += e.p()[j] * column.back();
      }
      if (a_.options.sink) column.push_back(0);
      const Allowance allowed = output_allowance(e, column, 0, arithmetic_);
      const Margin& m = likely_ ? allowed.likely : allowed.worst;
      const double error = std::max(m.down, m.up) + u_.output * std::abs(o);
      r += std::abs(out[l]) * error;
      size += std::abs(out[l]) * (std::abs(o) + error);
    }
    return r + accumulated(roundings(a_.e), u_.accumulate) * size;
  }

  /// P (dP - D) cap', or P dP - P D, rounded once more before the products with keys and queries.
  Erring score(const Erring& w, const Erring& t, const Erring& D, double slope, double slope_error) const {
    const double difference = t.value - D.value, d_difference = t.error + D.error;
    Erring r{w.value * difference * slope, 0};
    double error = w.error * (std::abs(difference) + d_difference) + w.value * d_difference;
    error += 2 * u_.elementwise * w.size() * (t.size() + D.size());
    error = error * (slope + slope_error) + w.value * std::abs(difference) * slope_error;
    error += (3 * u_.elementwise + u_.weights) * (std::abs(r.value) + error);
    r.error = error + 2 * all_.underflow() + weight_underflow();
    return r;
  }

  // --- sums over keys, rows and heads: value, sum of magnitudes, error of the terms ---------------------

  void add(std::size_t at, const Erring& x, double factor) {
    value_[at] += x.value * factor;
    size_[at] += x.size() * std::abs(factor);
    error_[at] += x.error * std::abs(factor);
  }

  double weight_underflow() const { return underflow_error(*arithmetic_.weights); }
  /// A weight in the format that it has when it meets dO.
  Erring held(const Erring& w) const {
    return w.size() > 0 ? Erring{w.value, w.error + weight_underflow()} : w;
  }

  void add_row(std::size_t h, std::size_t i) {
    const GradientRow row = gradient_row(h, i);
    const AttentionHead head = a_.head(h);
    const std::size_t key_head = h / a_.group();
    const double f = all_.scale();
    for (std::size_t j = 0; j < a_.n; ++j) {
      if (a_.quantity == AttentionQuantity::dq)
        for (std::size_t l = 0; l < a_.d; ++l)
          add((h * a_.m + i) * a_.d + l, row.score[j], f * head.k[j * a_.d + l]);
      if (a_.quantity == AttentionQuantity::dk)
        for (std::size_t l = 0; l < a_.d; ++l)
          add((key_head * a_.n + j) * a_.d + l, row.score[j], f * head.q[i * a_.d + l]);
      if (a_.quantity == AttentionQuantity::dv)
        for (std::size_t l = 0; l < a_.e; ++l)
          add((key_head * a_.n + j) * a_.e + l, held(row.weight[j]), a_.d_out_of(h)[i * a_.e + l]);
    }
    if (a_.quantity != AttentionQuantity::dsink) return;
    const Erring &w = row.sink, &D = row.D;
    add(h,
        {-w.value * D.value,
         w.error * D.size() + w.value * D.error + 2 * u_.elementwise * w.size() * D.size()},
        1);
  }

  Margin margin(std::size_t at) const {
    const AttentionQuantity q = a_.quantity;
    const std::size_t terms = q == AttentionQuantity::dq      ? a_.n
                              : q == AttentionQuantity::dsink ? a_.m
                                                              : a_.m * a_.group();
    const double factors = q == AttentionQuantity::dq || q == AttentionQuantity::dk ? scale_roundings : 1;
    double relative = accumulated(roundings(terms), u_.accumulate) + factors * u_.elementwise + u_.weights;
    // Keys and values may have been repeated for each query head, and their gradients rounded before they
    // are added up.
    const bool is_of_keys = q == AttentionQuantity::dk || q == AttentionQuantity::dv;
    if (is_of_keys && a_.group() > 1)
      relative += static_cast<double>(a_.group() + 1) * std::max(u_.output, u_.elementwise);
    double error = error_[at] + relative * size_[at];
    error += u_.elementwise * (std::abs(value_[at]) + error);
    if (is_of_keys) error += static_cast<double>(a_.group()) * underflow_error(*arithmetic_.format);
    return stored_margin(symmetric_margin(error), value_[at], arithmetic_);
  }

  const AttentionQuestion& a_;
  const Arithmetic& arithmetic_;
  AttentionErrors all_;
  RoundingUnits u_;
  bool likely_;
  std::vector<double> value_, size_, error_;
};

}  // namespace

std::vector<Allowance> attention_allowances(const AttentionQuestion& a, const Arithmetic& arithmetic) {
  std::vector<Allowance> r;
  if (a.quantity <= AttentionQuantity::lse) {
    const AttentionErrors all(a, arithmetic);
    for (std::size_t h = 0; h < a.heads; ++h)
      for (std::size_t i = 0; i < a.m; ++i) forward_row(a, arithmetic, all, h, i, r);
    return r;
  }
  const std::vector<Margin> worst = GradientErrors(a, arithmetic, false).run(),
                            likely = GradientErrors(a, arithmetic, true).run();
  for (std::size_t at = 0; at < worst.size(); ++at) r.push_back({worst[at], likely[at]});
  return r;
}

}  // namespace critscale
