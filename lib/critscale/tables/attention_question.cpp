// Reading attention questions.
#include "critscale/tables/detail/attention_question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/tokens/arrays.hpp"

namespace critscale {

namespace {

constexpr std::array<std::string_view, 6> quantity_names{"output", "lse", "dq", "dk", "dv", "dsink"};

/// An array of an attention question: heads, rows, width.
struct HeadArray {
  std::size_t heads = 0, rows = 0, width = 0;
  std::vector<double> entries;
  std::string shape() const { return fmt::format("({}, {}, {})", heads, rows, width); }
};

double exact_double(std::string_view key, const std::string& text) {
  const Rational v = [&] {
    try {
      return parse_rational(text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", key, error.what()));
    }
  }();
  const auto x = static_cast<double>(v);
  if (!std::isfinite(x) || Rational(x) != v)
    throw InputError(fmt::format(
        "{}: {} is no binary64 number; inputs = \"rounded\" asks about the numbers a format holds", key,
        text));
  return x;
}

StoredArray stored_array(std::string_view key, const ArrayFile& file) {
  try {
    if (!file.crc64.empty())
      if (const std::string found = file_checksum(file.path); found != file.crc64)
        throw InputError(fmt::format("{}: is not the file that was asked about (crc64 {}, found {})",
                                     file.path, file.crc64, found));
    return read_array(file.path, file.bfloat16);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", key, error.what()));
  }
}

HeadArray array_of_file(std::string_view key, const ArrayFile& file) {
  StoredArray stored = stored_array(key, file);
  const auto& shape = stored.shape;
  if (shape.size() < 2 || shape.size() > 4 || stored.boolean)
    throw InputError(
        fmt::format("{}: {}: expected numbers (rows, width), (heads, rows, width) or (batch, heads, rows, "
                    "width), found {}",
                    key, file.path, shape_text(shape)));
  HeadArray r{1, shape[shape.size() - 2], shape[shape.size() - 1], std::move(stored.entries)};
  for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) r.heads *= shape[axis];
  if (r.entries.empty()) throw InputError(fmt::format("{}: {}: the array is empty", key, file.path));
  return r;
}

/// "1 0; 0 1 | 2 0; 0 2": rows end with ";", heads with "|". Or a file.
HeadArray head_array(const Question& q, std::string_view key) {
  if (const auto file = array_file(q.at(key))) return array_of_file(key, *file);
  HeadArray r;
  for (const std::string& head : split_heads(q.at(key))) {
    std::size_t rows = 0;
    for (const std::string& row : split_rows(head)) {
      const std::vector<std::string> numbers = split_list(row);
      if (r.width == 0) r.width = numbers.size();
      if (numbers.empty() || numbers.size() != r.width)
        throw InputError(fmt::format("{}: rows must be non-empty and of equal length", key));
      for (const std::string& x : numbers) r.entries.push_back(exact_double(key, x));
      ++rows;
    }
    if (r.rows == 0) r.rows = rows;
    if (rows != r.rows) throw InputError(fmt::format("{}: heads must have equally many rows", key));
    ++r.heads;
  }
  return r;
}

void require(bool fits, const std::string& what) {
  if (!fits) throw InputError(what);
}

/// The mask of a file: numbers, or bool with true for what is visible.
std::vector<double> mask_of_file(const ArrayFile& file, std::size_t m, std::size_t n) {
  StoredArray stored = stored_array("mask", file);
  require(stored.shape == std::vector<std::uint64_t>{m, n},
          fmt::format("mask: {}: expected ({}, {}), found {}", file.path, m, n, shape_text(stored.shape)));
  if (stored.boolean)
    for (double& x : stored.entries) x = x != 0 ? 0.0 : -HUGE_VAL;
  return std::move(stored.entries);
}

std::vector<double> mask_of(const Question& q, std::size_t m, std::size_t n) {
  if (const auto file = array_file(q.at("mask"))) return mask_of_file(*file, m, n);
  std::vector<double> r;
  const std::vector<std::string> rows = split_rows(q.at("mask"));
  require(rows.size() == m, fmt::format("mask: {} rows for {} queries", rows.size(), m));
  for (const std::string& row : rows) {
    const std::vector<std::string> numbers = split_list(row);
    require(numbers.size() == n, fmt::format("mask: a row of {} numbers for {} keys", numbers.size(), n));
    for (const std::string& x : numbers) r.push_back(x == "-inf" ? -HUGE_VAL : exact_double("mask", x));
  }
  return r;
}

std::size_t window_of(const Question& q) {
  const Rational v = number_of(q, "window");
  if (!is_integer(v) || v < 1 || v > 1000000000)
    throw InputError(fmt::format("window must be a number of keys, at least 1, found {}", to_string(v)));
  return static_cast<std::size_t>(v);
}

AttentionOptions options_of(const Question& q) {
  AttentionOptions o;
  if (q.find("scale")) o.scale = number_of(q, "scale");
  if (const std::string* causal = q.find("causal")) {
    if (*causal == "top-left")
      o.causal = Causal::top_left;
    else if (*causal == "bottom-right")
      o.causal = Causal::bottom_right;
    else if (*causal != "none")
      throw InputError(
          fmt::format("causal: expected top-left, bottom-right or none, found {}", in_quotes(*causal)));
  }
  if (q.find("window")) o.window = window_of(q);
  if (q.find("softcap")) {
    o.softcap = number_of(q, "softcap");
    if (*o.softcap <= 0)
      throw InputError(fmt::format("softcap must be positive, found {}", to_string(*o.softcap)));
  }
  if (const std::string* after = q.find("softcap_after_mask")) {
    if (*after != "true" && *after != "false")
      throw InputError(
          fmt::format("softcap_after_mask: expected true or false, found {}", in_quotes(*after)));
    o.softcap_after_bias = *after == "true";
    if (o.softcap_after_bias && !o.softcap) throw InputError("softcap_after_mask needs softcap");
  }
  if (q.find("sink")) o.sink = number_of(q, "sink");
  return o;
}

AttentionQuantity quantity_of(const Question& q) {
  const std::string* text = q.find("quantity");
  if (!text) return AttentionQuantity::output;
  const auto at = std::find(quantity_names.begin(), quantity_names.end(), *text);
  if (at == quantity_names.end())
    throw InputError(fmt::format("quantity: {} is not known; allowed: {}", in_quotes(*text),
                                 fmt::join(quantity_names, ", ")));
  return static_cast<AttentionQuantity>(at - quantity_names.begin());
}

bool needs_d_out(AttentionQuantity quantity) { return quantity >= AttentionQuantity::dq; }

}  // namespace

AttentionHead AttentionQuestion::head(std::size_t a) const {
  const auto part = [](const std::vector<double>& x, std::size_t at, std::size_t size) {
    return std::span(x).subspan(at * size, size);
  };
  AttentionHead r;
  r.m = m;
  r.n = n;
  r.d = d;
  r.e = e;
  r.q = part(q, a, m * d);
  r.k = part(k, a / group(), n * d);
  r.v = part(v, a / group(), n * e);
  r.bias = mask;
  return r;
}

std::span<const double> AttentionQuestion::d_out_of(std::size_t a) const {
  return std::span(d_out).subspan(a * m * e, m * e);
}

AttentionQuestion::Shape AttentionQuestion::shape() const {
  switch (quantity) {
    case AttentionQuantity::output:
      return {heads, m, e};
    case AttentionQuantity::lse:
      return {heads, m, 1};
    case AttentionQuantity::dq:
      return {heads, m, d};
    case AttentionQuantity::dk:
      return {key_heads, n, d};
    case AttentionQuantity::dv:
      return {key_heads, n, e};
    default:
      return {heads, 1, 1};
  }
}

double AttentionQuestion::work() const {
  return static_cast<double>(heads) * static_cast<double>(m) * static_cast<double>(n) *
         static_cast<double>(d + e);
}

std::vector<std::string_view> attention_keys() {
  return {"quantity",           "q",   "k", "v", "d_out", "mask", "scale", "causal", "window", "softcap",
          "softcap_after_mask", "sink"};
}

bool is_held(const BinaryFormat& format, double x) {
  if (x == 0 || std::isinf(x)) return true;
  int exponent = 0;
  const double part = std::frexp(x, &exponent);  // in [1/2, 1)
  // The last place that the format has for a number of this size.
  const int places = std::min(format.precision, exponent - format.min_exponent + format.precision - 1);
  const double scaled = places > 0 ? std::ldexp(part, places) : 0.5;
  return exponent - 1 <= format.max_exponent && scaled == std::nearbyint(scaled);
}

bool AttentionQuestion::is_exact_in(const BinaryFormat& format) const {
  const auto all = [&](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [&](double v) { return is_held(format, v); });
  };
  const auto number = [&](const std::optional<Rational>& v) {
    if (!v) return true;
    const auto x = static_cast<double>(*v);
    return std::isfinite(x) && Rational(x) == *v && is_held(format, x);
  };
  return all(q) && all(k) && all(v) && all(d_out) && all(mask) && number(options.scale) &&
         number(options.softcap) && number(options.sink);
}

AttentionQuestion attention_of(const Question& question) {
  AttentionQuestion r;
  r.quantity = quantity_of(question);
  r.options = options_of(question);
  HeadArray q = head_array(question, "q"), k = head_array(question, "k"), v = head_array(question, "v");
  require(q.width == k.width, fmt::format("q {} and k {} differ in width", q.shape(), k.shape()));
  require(k.rows == v.rows && k.heads == v.heads,
          fmt::format("k {} and v {} differ in heads or rows", k.shape(), v.shape()));
  require(q.heads % k.heads == 0,
          fmt::format("{} heads of q are no multiple of {} heads of k", q.heads, k.heads));
  r.heads = q.heads;
  r.key_heads = k.heads;
  r.m = q.rows;
  r.n = k.rows;
  r.d = q.width;
  r.e = v.width;
  if (needs_d_out(r.quantity)) {
    HeadArray out = head_array(question, "d_out");
    require(
        out.heads == r.heads && out.rows == r.m && out.width == r.e,
        fmt::format("d_out {} is not shaped like the output ({}, {}, {})", out.shape(), r.heads, r.m, r.e));
    r.d_out = std::move(out.entries);
  }
  if (r.quantity == AttentionQuantity::dsink) require(r.options.sink.has_value(), "dsink needs sink");
  if (question.find("mask")) r.mask = mask_of(question, r.m, r.n);
  r.q = std::move(q.entries);
  r.k = std::move(k.entries);
  r.v = std::move(v.entries);
  return r;
}

}  // namespace critscale
