// Decimals as signs and logarithms.
#include "plots/number.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/text/print.hpp"

namespace critscale::cli {

namespace {

/// The whole text as a double; nothing when it is not one.
std::optional<double> read_double(std::string_view text) {
  double v = 0;
  const auto [p, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || p != text.data() + text.size()) return std::nullopt;
  return v;
}

/// log10 of an exact positive number.
PlotNumber positive(const PowerProduct& x) {
  if (x.is_one()) return {1, 0};
  const std::optional<PlotNumber> natural = read_decimal(*print_value(log(x, 64), 17));
  return {1, natural->linear() / std::log(10.0)};
}

}  // namespace

double PlotNumber::linear() const { return sign == 0 ? 0 : sign * std::pow(10.0, log10); }

std::optional<PlotNumber> read_decimal(std::string_view text) {
  PlotNumber r{1, 0};
  if (text.starts_with('-')) {
    r.sign = -1;
    text.remove_prefix(1);
  }
  if (text == "inf") return PlotNumber{r.sign, std::numeric_limits<double>::infinity()};
  double exponent = 0;
  if (const std::size_t e = text.find('e'); e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto v = read_double(digits);
    if (!v) return std::nullopt;
    exponent = *v;
    text = text.substr(0, e);
  }
  // The significant digits as d.ddd..., whatever the length of the text.
  std::string significant;
  double shift = -1;
  bool point = false, any = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    any = true;
    if (significant.empty() && c == '0') {
      if (point) shift -= 1;
      continue;
    }
    if (!point) shift += 1;
    if (significant.size() == 1) significant += '.';
    if (significant.size() < 24) significant += c;
  }
  if (!any) return std::nullopt;
  if (significant.empty()) return PlotNumber{0, 0};
  r.log10 = std::log10(*read_double(significant)) + (shift + exponent);
  return r;
}

std::optional<PlotNumber> read_exact(std::string_view text) {
  if (text.starts_with('-')) {
    auto r = read_exact(text.substr(1));
    if (r) r->sign = -r->sign;
    return r;
  }
  if (text == "0") return PlotNumber{0, 0};
  try {
    return positive(parse_power_product(text));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace critscale::cli
