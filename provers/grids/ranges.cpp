// Uses ranges.hpp.
#include "grids/ranges.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/detail/range.hpp"
#include "critscale/text/parse.hpp"
#include "grids/specification.hpp"

namespace critscale::cli {

namespace {

/// The name of a threshold that a text begins with: "critical", "gamma_2"; empty where it is a number.
std::string threshold_name(const std::string& text) {
  for (const char* name : {"critical", "gamma_1", "gamma_2", "gamma_3", "gamma_4"})
    if (text == name || text.starts_with(fmt::format("{}*", name))) return name;
  return "";
}

/// The factor of "critical*A" (1 where it is left out), or the number itself where the range is of numbers.
Rational read_end(const std::string& text, const std::string& name) {
  if (threshold_name(text) != name)
    throw InputError("both ends of a range are numbers, or multiples of the same threshold");
  return name.empty() ? parse_rational(text) : parse_gamma_text(text).factor;
}

Rational power_of(const Rational& x, std::size_t i) {
  Rational r = 1, square = x;
  for (; i > 0; i >>= 1) {
    if ((i & 1) != 0) r *= square;
    if (i > 1) square *= square;
  }
  return r;
}

unsigned bits_of(const Rational& x) { return msb(Integer(abs(numerator(x)) + 1)) + msb(denominator(x)); }

/// How many of from, from*ratio, ... do not pass `to`.
std::size_t terms_up_to(const Rational& from, const Rational& to, const Rational& ratio) {
  if (from <= 0 || to <= 0 || ratio <= 0 || ratio == 1)
    throw InputError("a range FROM:TO:*RATIO needs positive ends and a positive ratio other than 1");
  if (ratio > 1 ? from > to : from < to)
    throw InputError("the ratio of a range FROM:TO:*RATIO leads away from TO");
  constexpr std::size_t most = 100000;
  constexpr unsigned most_bits = 1u << 20;
  std::size_t count = 0;
  for (Rational x = from; ratio > 1 ? x <= to : x >= to; x *= ratio) {
    if (++count > most) throw InputError(fmt::format("a range FROM:TO:*RATIO has at most {} values", most));
    if (bits_of(x) > most_bits) throw InputError("the values of a range FROM:TO:*RATIO become too long");
  }
  return count;
}

}  // namespace

Rational GammaText::resolve(const std::vector<Rational>& thresholds) const {
  if (threshold == 0) return factor;
  if (thresholds.empty()) throw InputError("'critical' has no meaning here: this geometry has no threshold");
  if (threshold > thresholds.size())
    throw InputError(fmt::format("gamma_{} has no meaning here: this geometry has {} threshold{}", threshold,
                                 thresholds.size(), thresholds.size() == 1 ? "" : "s"));
  return thresholds[threshold - 1] * factor;
}

GammaText parse_gamma_text(const std::string& text) {
  const std::string name = threshold_name(text);
  const GammaSpec gamma = parse_gamma(name.empty() ? text : "critical" + text.substr(name.size()));
  const std::size_t number = name.starts_with("gamma_") ? static_cast<std::size_t>(name.back() - '0') : 1;
  return {gamma.critical ? number : 0, gamma.factor};
}

ValueRange ValueRange::read(const Text& t) {
  ValueRange r;
  r.where_ = t.where;
  const std::size_t first = t.text.find(':');
  if (first == std::string::npos) {
    r.single_ = t.text;
    return r;
  }
  located(t.where, [&] {
    const std::size_t second = t.text.find(':', first + 1);
    const auto malformed = [&] {
      return InputError(
          fmt::format("{} is not a range: expected from:to:steps like 1/10:9/10:5, or from:to:*ratio like "
                      "10:10^12:*10",
                      in_quotes(t.text)));
    };
    if (second == std::string::npos || t.text.find(':', second + 1) != std::string::npos) throw malformed();
    const std::string from = t.text.substr(0, first), to = t.text.substr(first + 1, second - first - 1),
                      last = t.text.substr(second + 1);
    const std::string name = threshold_name(from);
    if (!name.empty()) r.prefix_ = name + "*";
    r.geometric_ = last.starts_with('*');
    r.from_ = read_end(from, name);
    const Rational end = read_end(to, name);
    if (r.geometric_) {
      r.step_ = parse_rational(last.substr(1));
      r.count_ = terms_up_to(r.from_, end, r.step_);
      return;
    }
    if (last.empty() || last.find_first_not_of("0123456789") != std::string::npos) throw malformed();
    const Rational steps = parse_rational(last);
    r.step_ = range_step(r.from_, end, numerator(steps));
    r.count_ = static_cast<std::size_t>(numerator(steps));
  });
  return r;
}

Text ValueRange::operator[](std::size_t i) const {
  if (step_ == 0) return {single_, where_};
  const Rational v = geometric_ ? Rational(from_ * power_of(step_, i)) : Rational(from_ + Integer(i) * step_);
  return {prefix_ + to_string(v), where_};
}

std::vector<ValueRange> value_ranges(const Text& t) {
  std::vector<ValueRange> r;
  for (std::size_t start = 0; start <= t.text.size();) {
    std::size_t end = start;
    for (int depth = 0; end < t.text.size() && (t.text[end] != ',' || depth > 0); ++end)
      depth += t.text[end] == '[' || t.text[end] == '('   ? 1
               : t.text[end] == ']' || t.text[end] == ')' ? -1
                                                          : 0;
    r.push_back(ValueRange::read({t.text.substr(start, end - start), t.where}));
    start = end + 1;
  }
  return r;
}

}  // namespace critscale::cli
