// Rounding the inputs of questions.
#include "critscale/tables/detail/rounded_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/number/errors.hpp"
#include "critscale/number/precision.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

std::string rounded(std::string_view key, const std::string& text, const BinaryFormat& format) {
  if (text == "-inf") return text;
  const Rational v = parse_rational(text);
  // Enough precision for any number that is not within 2^-4096 of a tie.
  const auto pattern = decide(128, 4096, [&](Bits bits) { return round_to(format, Ball(v, bits)); });
  if (!pattern) throw InputError(fmt::format("{}: {} is too close to a tie of {}", key, text, format.name));
  const Dyadic r = from_bits(format, *pattern);
  if (!r.is_finite()) throw InputError(fmt::format("{}: {} overflows {}", key, text, format.name));
  return exact_decimal(r.to_rational());
}

}  // namespace

std::string exact_decimal(const Rational& dyadic) {
  Integer n = numerator(dyadic);
  const Integer d = denominator(dyadic);
  const auto places = static_cast<std::size_t>(msb(d));
  if (d != Integer(1) << places)
    throw InputError(fmt::format("{} has no finite decimal of this kind", to_string(dyadic)));
  const bool negative = n < 0;
  if (negative) n = -n;
  for (std::size_t i = 0; i < places; ++i) n *= 5;
  std::string digits = to_string(n);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  return negative ? "-" + digits : digits;
}

Question rounded_inputs(const Question& q, const BinaryFormat& format) {
  constexpr std::array<std::string_view, 11> counts{"schedule", "n",      "position",          "visible",
                                                    "keys",     "train",  "train_length",      "quantity",
                                                    "causal",   "window", "softcap_after_mask"};
  Question r{q.op, {}};
  for (const auto& [key, text] : q.inputs) {
    if (std::find(counts.begin(), counts.end(), key) != counts.end()) {
      r.inputs.emplace_back(key, text);
      continue;
    }
    if (array_file(text))
      throw InputError(fmt::format("{}: a file is asked about as it is, not rounded", key));
    std::string all;
    for (const std::string& head : split_heads(text)) {
      all += all.empty() ? "" : " | ";
      bool is_first = true;
      for (const std::string& row : split_rows(head)) {
        std::string line;
        for (const std::string& x : split_list(row))
          line += (line.empty() ? "" : " ") + rounded(key, x, format);
        all += (is_first ? "" : "; ") + line;
        is_first = false;
      }
    }
    r.inputs.emplace_back(key, std::move(all));
  }
  return r;
}

}  // namespace critscale
