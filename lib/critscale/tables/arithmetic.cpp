// Arithmetics by name, and what their formats' roundings cost.
#include "critscale/tables/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

namespace {

// In the order of `formats`.
constexpr std::array<std::string_view, 4> short_names{"fp64", "fp32", "bf16", "fp16"};

SummationOrder parse_order(std::string_view text) {
  using enum SummationOrder::Kind;
  if (text == "any") return {};
  if (text == "sequential") return {sequential, 1};
  if (text == "pairwise") return {pairwise, 1};
  std::size_t block = 0;
  if (text.starts_with("blocked:")) {
    const char* end = text.data() + text.size();
    const auto [p, error] = std::from_chars(text.data() + 8, end, block);
    if (error != std::errc{} || p != end) block = 0;
  }
  if (block == 0)
    throw InputError(
        fmt::format("order: expected any, sequential, pairwise or blocked:SIZE, found {}", in_quotes(text)));
  return {blocked, block};
}

std::string order_text(const SummationOrder& order) {
  using enum SummationOrder::Kind;
  switch (order.kind) {
    case sequential:
      return "sequential";
    case pairwise:
      return "pairwise";
    case blocked:
      return fmt::format("blocked:{}", order.block);
    default:
      return "any";
  }
}

}  // namespace

const BinaryFormat& format_by_short_name(std::string_view name) {
  for (std::size_t i = 0; i < formats.size(); ++i)
    if (name == short_names[i] || name == formats[i]->name) return *formats[i];
  throw InputError(fmt::format("{} is not a format; allowed: fp64, fp32, bf16, fp16", in_quotes(name)));
}

std::string_view short_name(const BinaryFormat& format) {
  const auto i = std::find(formats.begin(), formats.end(), &format) - formats.begin();
  return short_names.at(static_cast<std::size_t>(i));
}

double SummationOrder::roundings(std::size_t n, std::size_t rescalings) const {
  const auto terms = static_cast<double>(n);
  if (n < 2) return 0;
  switch (kind) {
    case Kind::sequential:
      return terms - 1;
    case Kind::pairwise:
      return static_cast<double>(std::bit_width(n - 1));
    case Kind::blocked: {
      const auto b = static_cast<double>(std::min(block, n));
      return b - 1 + std::ceil(terms / b);
    }
    default:
      // A rescaling multiplies what was summed by exp(old - new): an exponential of at most two units, a
      // difference and a product.
      return terms - 1 + 6 * static_cast<double>(std::min(rescalings, n - 1));
  }
}

Arithmetic Arithmetic::of(const BinaryFormat& format) {
  const bool is_short = format.width < 32;
  return {&format, &format, is_short ? &binary32 : &format, &format, {}};
}

Arithmetic Arithmetic::parse(std::string_view text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  Arithmetic r = of(format_by_short_name(text.substr(0, comma)));
  for (std::string_view rest = text.substr(std::min(comma + 1, text.size())); !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::string_view key = part.substr(0, part.find('='));
    const std::string_view value = part.substr(std::min(key.size() + 1, part.size()));
    if (key == "accumulate")
      r.accumulate = &format_by_short_name(value);
    else if (key == "weights")
      r.weights = &format_by_short_name(value);
    else if (key == "elementwise")
      r.elementwise = &format_by_short_name(value);
    else if (key == "order")
      r.order = parse_order(value);
    else
      throw InputError(
          fmt::format("arithmetic: {} is not known; allowed: elementwise=, accumulate=, weights=, order=",
                      in_quotes(part)));
  }
  return r;
}

std::string Arithmetic::to_string() const {
  std::string r(short_name(*format));
  if (elementwise != format) r += fmt::format(",elementwise={}", short_name(*elementwise));
  if (accumulate != format) r += fmt::format(",accumulate={}", short_name(*accumulate));
  if (weights != format) r += fmt::format(",weights={}", short_name(*weights));
  if (order.kind != SummationOrder::Kind::any) r += fmt::format(",order={}", order_text(order));
  return r;
}

double unit_roundoff(const BinaryFormat& format) { return std::ldexp(1.0, -format.precision); }

double underflow_error(const BinaryFormat& format) {
  const bool is_flushed = &format == &binary32 || &format == &bfloat16;
  return std::ldexp(1.0, is_flushed ? format.min_exponent : format.min_exponent - format.precision + 1);
}

}  // namespace critscale
