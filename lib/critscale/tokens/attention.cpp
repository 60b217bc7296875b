// Attention of given queries, keys and values: what is refused, and the precision of every row.
#include "critscale/tokens/attention.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "critscale/number/quote.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/text/detail/nearest.hpp"
#include "critscale/tokens/ball/detail/attention_backward.hpp"
#include "critscale/tokens/binary64/detail/attention.hpp"
#include "critscale/tokens/binary64/detail/attention_pairs.hpp"
#include "critscale/tokens/detail/settled.hpp"

namespace critscale {

namespace {

constexpr std::array quantities{RowQuantity::output,  RowQuantity::lse,           RowQuantity::max_weight,
                                RowQuantity::entropy, RowQuantity::participation, RowQuantity::self_weight,
                                RowQuantity::weights};
constexpr std::array<std::string_view, quantities.size()> names{
    "output", "lse", "max_weight", "entropy", "participation", "self_weight", "weights"};

Unsettled unsettled_numbers(const AttentionRow& r, long digits, bool zero_is_enough) {
  Unsettled u(digits, zero_is_enough);
  u.look("lse", r.lse);
  u.look("max_weight", r.max_weight);
  u.look("entropy", r.entropy);
  u.look("participation", r.participation);
  u.look("self_weight", r.self_weight);
  u.look("weights", r.weights);
  return u;
}

Unsettled unsettled(const AttentionRow& r, long digits) {
  Unsettled u = unsettled_numbers(r, digits, true);
  u.look("output", r.output);
  return u;
}

/// A number that is never negative has no negative lower end.
void clip(std::optional<Ball>& x) {
  if (x && x->is_finite() && !x->is_exact() && x->contains_zero()) x = up_from_zero(*x);
}

void require_numbers(const char* what, std::span<const double> a, std::size_t rows, std::size_t width) {
  if (a.size() != rows * width)
    throw InputError(
        fmt::format("{}: {} rows of {} numbers are not {} numbers", what, rows, width, a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!std::isfinite(a[i]))
      throw InputError(fmt::format("{}: row {}, column {}: {} is not allowed", what, i / width, i % width,
                                   std::isnan(a[i]) ? "nan" : "infinity"));
}

void require_directions(const char* what, std::span<const double> a, std::size_t rows, std::size_t width) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = a.subspan(i * width, width);
    if (std::all_of(row.begin(), row.end(), [](double x) { return x == 0; }))
      throw InputError(fmt::format("{}: row {} is zero: it has no direction", what, i));
  }
}

void require_valid(const AttentionHead& h, const AttentionOptions& o) {
  if (h.m == 0 || h.n == 0 || h.d == 0 || h.e == 0)
    throw InputError("attention needs at least one query, one key and one coordinate");
  require_numbers("q", h.q, h.m, h.d);
  require_numbers("k", h.k, h.n, h.d);
  require_numbers("v", h.v, h.n, h.e);
  if (!h.visible.empty() && h.visible.size() != h.m * h.n)
    throw InputError(fmt::format("mask: {} entries for {} queries and {} keys", h.visible.size(), h.m, h.n));
  if (!h.bias.empty() && h.bias.size() != h.m * h.n)
    throw InputError(fmt::format("mask: {} entries for {} queries and {} keys", h.bias.size(), h.m, h.n));
  for (std::size_t i = 0; i < h.bias.size(); ++i)
    if (std::isnan(h.bias[i]) || h.bias[i] == HUGE_VAL)
      throw InputError(fmt::format("mask: row {}, column {}: {} is not allowed", i / h.n, i % h.n,
                                   std::isnan(h.bias[i]) ? "nan" : "plus infinity"));
  if (o.scale && o.unit_beta) throw InputError("give either a scale or beta of unit queries and keys");
  if (o.unit_beta) {
    require_directions("q", h.q, h.m, h.d);
    require_directions("k", h.k, h.n, h.d);
  }
  if (o.softcap && *o.softcap <= 0)
    throw InputError(fmt::format("softcap must be positive, found {}", to_string(*o.softcap)));
  if (o.window && *o.window == 0) throw InputError("a window has at least one key");
  if (o.schedule) validate(*o.schedule);
}

void require_rows(const AttentionHead& h, std::span<const std::size_t> rows) {
  for (const std::size_t i : rows)
    if (i >= h.m) throw InputError(fmt::format("row {} does not exist: there are {} queries", i, h.m));
}

Bits first_bits(const AttentionOptions& o) { return bits_for_digits(o.digits) + 48; }

Bits last_bits(const AttentionOptions& o) { return o.max_bits > 0 ? o.max_bits : default_max_bits(o.digits); }

/// A row in Balls; only the outputs of these coordinates where some are named.
AttentionRow row_in_balls(const AttentionHead& head, const AttentionOptions& options,
                          const Checkpoint& checkpoint, std::size_t i,
                          std::span<const std::size_t> outputs_only) {
  const Bits limit = last_bits(options);
  return raise_precision(
      first_bits(options), limit,
      [&](Bits bits) {
        checkpoint();
        const BallAttention attention(head, options, bits);
        if (outputs_only.empty()) return attention.row(i);
        AttentionRow r;
        r.output = attention.output(attention.weights(i), outputs_only);
        return r;
      },
      [&](const AttentionRow& r) { return !unsettled(r, options.digits).found(); },
      [&](const AttentionRow& r) { unsettled(r, options.digits).raise(limit, fmt::format("query {}", i)); });
}

/// What binary64 has left open of a row: all of it, or these coordinates of the output.
struct OpenRow {
  bool all = true;
  std::vector<std::size_t> outputs;

  static OpenRow of(const std::optional<AttentionRow>& r, long digits) {
    OpenRow open{!r || unsettled_numbers(*r, digits, false).found(), {}};
    for (std::size_t l = 0; !open.all && l < r->output.size(); ++l)
      if (!has_digits(r->output[l], digits)) open.outputs.push_back(l);
    return open;
  }
};

/// Outputs that binary64 has left open: zeros where all values are, then in double-double arithmetic.
void settle_outputs(const AttentionHead& head, const AttentionOptions& options, const Checkpoint& checkpoint,
                    std::span<const std::size_t> wanted, std::vector<OpenRow>& open,
                    std::vector<AttentionRow>& rows) {
  std::vector<std::size_t> places, some;
  std::vector<unsigned char> is_zero(head.e);
  for (std::size_t at = 0; at < wanted.size(); ++at)
    for (const std::size_t l : open[at].outputs) is_zero[l] = 1;
  for (std::size_t l = 0; l < head.e; ++l)
    for (std::size_t j = 0; is_zero[l] != 0 && j < head.n; ++j)
      if (head.v[j * head.e + l] != 0) is_zero[l] = 0;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    std::erase_if(open[at].outputs, [&](std::size_t l) {
      if (is_zero[l] == 0) return false;
      rows[at].output[l] = Ball(0, 64);
      return true;
    });
    if (open[at].outputs.empty()) continue;
    places.push_back(at);
    some.push_back(wanted[at]);
  }
  if (some.empty()) return;
  const auto better = outputs_in_pairs(head, options, checkpoint, some);
  for (std::size_t k = 0; k < some.size(); ++k)
    if (!better[k].empty())
      std::erase_if(open[places[k]].outputs, [&](std::size_t l) {
        if (!has_digits(better[k][l], options.digits)) return false;
        rows[places[k]].output[l] = better[k][l];
        return true;
      });
}

Unsettled unsettled(const AttentionGradients& g, long digits) {
  Unsettled u(digits);
  for (const auto& dq : g.dq) u.look("dq", dq);
  u.look("dk", g.dk);
  u.look("dv", g.dv);
  u.look("dsink", g.dsink);
  return u;
}

/// A vector of a row or key takes the place of `width` entries.
void replace(std::vector<Ball>& all, std::size_t row, std::span<const Ball> by) {
  std::copy(by.begin(), by.end(), all.begin() + static_cast<std::ptrdiff_t>(row * by.size()));
}

/// What neither binary64 nor double-double arithmetic has settled, in Balls: only the rows and keys
/// concerned.
void settle_in_balls(std::span<const AttentionHead> heads, std::span<const std::span<const double>> d_out,
                     const AttentionOptions& options, const Checkpoint& checkpoint, const OpenGradients& open,
                     AttentionGradients& g) {
  const Bits limit = last_bits(options),
             first = std::min<Bits>(std::max<Bits>(first_bits(options), 160), limit);
  for (std::size_t h = 0; h < heads.size(); ++h)
    tbb::parallel_for(std::size_t{0}, open.queries[h].size(), [&](std::size_t at) {
      const std::size_t i = open.queries[h][at];
      const auto rest = [&](const std::vector<Ball>& row) {
        Unsettled r(options.digits);
        r.look("dq", row);
        return r;
      };
      replace(g.dq[h], i,
              raise_precision(
                  first, limit,
                  [&](Bits bits) {
                    checkpoint();
                    return query_gradient(heads[h], d_out[h], options, i, bits);
                  },
                  [&](const std::vector<Ball>& r) { return !rest(r).found(); },
                  [&](const std::vector<Ball>& r) { rest(r).raise(limit, fmt::format("query {}", i)); }));
    });
  if (open.keys.empty() && !open.sink) return;
  const AttentionGradients some = raise_precision(
      first, limit,
      [&](Bits bits) { return key_gradients(heads, d_out, options, checkpoint, open.keys, bits); },
      [&](const AttentionGradients& r) { return !unsettled(r, options.digits).found(); },
      [&](const AttentionGradients& r) { unsettled(r, options.digits).raise(limit, "gradients"); });
  const std::size_t d = heads[0].d, e = heads[0].e;
  for (std::size_t at = 0; at < open.keys.size(); ++at) {
    replace(g.dk, open.keys[at], std::span(some.dk).subspan(at * d, d));
    replace(g.dv, open.keys[at], std::span(some.dv).subspan(at * e, e));
  }
  if (open.sink) g.dsink = some.dsink;
}

/// Columns l of dk, dv or dq that are 0 because every number they are made of is: in these arrays column l is
/// 0.
void settle_columns_of_zeros(std::span<const std::span<const double>> arrays, std::size_t width,
                             std::vector<Ball>& gradient) {
  for (std::size_t l = 0; l < width; ++l) {
    const bool zero = std::all_of(arrays.begin(), arrays.end(), [&](std::span<const double> a) {
      for (std::size_t at = l; at < a.size(); at += width)
        if (a[at] != 0) return false;
      return true;
    });
    for (std::size_t at = l; zero && at < gradient.size(); at += width) gradient[at] = Ball(0, 64);
  }
}

/// Every entry of gradients from binary64 gets its digits.
void settle_gradients(std::span<const AttentionHead> heads, std::span<const std::span<const double>> d_out,
                      const AttentionOptions& options, const Checkpoint& checkpoint, AttentionGradients& g) {
  const std::size_t d = heads[0].d, e = heads[0].e;
  std::vector<std::span<const double>> queries;
  for (const AttentionHead& head : heads) queries.push_back(head.q);
  for (std::vector<Ball>& dq : g.dq) settle_columns_of_zeros({&heads[0].k, 1}, d, dq);
  settle_columns_of_zeros(queries, d, g.dk);
  settle_columns_of_zeros(d_out, e, g.dv);
  const std::function<bool(const Ball&)> enough = [&](const Ball& x) {
    return has_digits(x, options.digits);
  };
  OpenGradients open = OpenGradients::of(g, d, e, enough);
  if (open.none()) return;
  refine_gradients(heads, d_out, options, checkpoint, open, enough, g);
  open = OpenGradients::of(g, d, e, enough);
  settle_in_balls(heads, d_out, options, checkpoint, open, g);
}

}  // namespace

std::span<const RowQuantity> row_quantities() { return quantities; }

std::string_view name(RowQuantity q) {
  return names[static_cast<std::size_t>(std::find(quantities.begin(), quantities.end(), q) -
                                        quantities.begin())];
}

RowQuantity row_quantity_by_name(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return quantities[i];
  throw InputError(not_among(text, "quantity", std::vector<std::string>(names.begin(), names.end())));
}

struct PreparedAttention::Facts {
  Facts(const AttentionHead& h, const AttentionOptions& o) : head(h), options(o), checkpoint(o.checkpoint) {
    require_digits(options.digits);
    require_valid(head, options);
    if (options.allow_binary64 && options.digits <= binary64_digits) doubles.emplace(head, options);
  }
  AttentionHead head;
  AttentionOptions options;
  Checkpoint checkpoint;
  std::optional<DoubleAttention> doubles;
};

PreparedAttention::PreparedAttention(const AttentionHead& head, const AttentionOptions& options)
    : facts_(std::make_shared<const Facts>(head, options)) {}

std::vector<AttentionRow> PreparedAttention::rows(std::span<const std::size_t> wanted) const {
  const auto& [head, options, checkpoint, doubles] = *facts_;
  require_rows(head, wanted);
  std::vector<AttentionRow> rows(wanted.size());
  std::vector<OpenRow> open(wanted.size());
  if (doubles) {
    const std::size_t height = doubles->rows_at_once();
    tbb::parallel_for(std::size_t{0}, (wanted.size() + height - 1) / height, [&](std::size_t block) {
      checkpoint();
      const std::size_t first = block * height, size = std::min(height, wanted.size() - first);
      auto found = doubles->rows(wanted.subspan(first, size));
      for (std::size_t at = 0; at < size; ++at) {
        open[first + at] = OpenRow::of(found[at], options.digits);
        if (!open[first + at].all) rows[first + at] = std::move(*found[at]);
      }
    });
  }
  settle_outputs(head, options, checkpoint, wanted, open, rows);
  tbb::parallel_for(std::size_t{0}, wanted.size(), [&](std::size_t at) {
    const std::vector<std::size_t>& outputs = open[at].outputs;
    if (open[at].all) {
      rows[at] = row_in_balls(head, options, checkpoint, wanted[at], {});
      clip(rows[at].self_weight);
      clip(rows[at].entropy);
    } else if (!outputs.empty()) {
      AttentionRow better = row_in_balls(head, options, checkpoint, wanted[at], outputs);
      for (std::size_t k = 0; k < outputs.size(); ++k)
        rows[at].output[outputs[k]] = std::move(better.output[k]);
    }
  });
  return rows;
}

std::vector<AttentionRow> attend(const AttentionHead& head, const AttentionOptions& options) {
  std::vector<std::size_t> wanted = options.rows;
  if (wanted.empty()) {
    wanted.resize(head.m);
    std::iota(wanted.begin(), wanted.end(), std::size_t{0});
  }
  return PreparedAttention(head, options).rows(wanted);
}

std::size_t attention_rows_at_once(std::size_t keys) { return DoubleAttention::rows_at_once(keys); }

AttentionGradients attention_gradients(std::span<const AttentionHead> heads,
                                       std::span<const std::span<const double>> d_out,
                                       const AttentionOptions& options) {
  require_digits(options.digits);
  if (heads.empty() || heads.size() != d_out.size())
    throw InputError("gradients need d_out for every query head");
  if (options.unit_beta) throw InputError("gradients are those of q, k and v as they are, without unit beta");
  if (!options.rows.empty()) throw InputError("gradients need all query rows");
  for (std::size_t h = 0; h < heads.size(); ++h) {
    require_valid(heads[h], options);
    if (heads[h].n != heads[0].n || heads[h].d != heads[0].d || heads[h].e != heads[0].e)
      throw InputError("query heads with different keys have no gradients in common");
    require_numbers("d_out", d_out[h], heads[h].m, heads[h].e);
  }
  const Checkpoint checkpoint(options.checkpoint);
  if (options.allow_binary64 && options.digits <= binary64_digits)
    if (std::optional<AttentionGradients> fast = gradients_binary64(heads, d_out, options, checkpoint)) {
      settle_gradients(heads, d_out, options, checkpoint, *fast);
      return std::move(*fast);
    }
  const Bits limit = last_bits(options);
  return raise_precision(
      first_bits(options), limit,
      [&](Bits bits) { return gradients_in_balls(heads, d_out, options, checkpoint, bits); },
      [&](const AttentionGradients& g) { return !unsettled(g, options.digits).found(); },
      [&](const AttentionGradients& g) { unsettled(g, options.digits).raise(limit, "gradients"); });
}

}  // namespace critscale
