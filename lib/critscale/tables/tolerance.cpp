// Judging values.
#include "critscale/tables/tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/tables/detail/grid_allowance.hpp"

namespace critscale {

namespace {

using Kind = Outcome::Kind;

Dyadic special_number(Kind kind) {
  return kind == Kind::minus_infinity ? -Dyadic::infinity() : Dyadic::infinity();
}

/// Position on the line of all numbers of the format; both zeros are 0.
std::int64_t ordinal(const BinaryFormat& format, std::uint64_t bits) {
  const std::uint64_t sign = std::uint64_t{1} << (format.width - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

/// m 10^-k.
Rational decimal(long m, long k) {
  Rational r(m);
  for (; k > 0; --k) r /= 10;
  return r;
}

void set_torch(Tolerance& t) {
  const BinaryFormat* f = t.arithmetic.format;
  const auto set = [&](Rational rtol, Rational atol) {
    t.rtol = std::move(rtol);
    t.atol = std::move(atol);
  };
  if (f == &binary64) return set(decimal(1, 7), decimal(1, 7));
  if (f == &binary32) return set(decimal(13, 7), decimal(1, 5));
  if (f == &bfloat16) return set(decimal(16, 3), decimal(1, 5));
  set(decimal(1, 3), decimal(1, 5));
}

Ball bound(double v, Bits bits) { return Ball::exactly(v, std::max<Bits>(bits, 64)); }

/// error/allowance, rounded up.
double upper_quotient(const Ball& error, const Ball& allowance) {
  const Ball r = error / allowance;
  return r.is_finite() ? arf_get_d(r.upper().raw(), ARF_RND_UP) : std::numeric_limits<double>::infinity();
}

Judgement judge_by_rounding(const Ball& y, const Ball& x, const Allowance& a) {
  const Ball difference = x - y;
  const bool above = arf_sgn(arb_midref(difference.raw())) > 0;
  const double worst = above ? a.worst.up : a.worst.down, likely = above ? a.likely.up : a.likely.down;
  const Bits bits = difference.precision();
  const Ball error = abs(difference);
  Judgement r;
  if (std::isnan(worst)) return {Verdict::undecided, std::nullopt};
  // Where rounding may do anything nothing is wrong.
  if (certainly(error.is_zero()) || !std::isfinite(worst)) return {Verdict::right, 0.0};
  r.ratio = upper_quotient(error, bound(worst, bits));
  const Truth inside = less_equal(error, bound(worst, bits));
  if (inside == Truth::unknown) {
    r.verdict = Verdict::undecided;
  } else if (inside == Truth::yes) {
    r.verdict = less_equal(error, bound(likely, bits)) == Truth::no ? Verdict::suspicious : Verdict::right;
  }
  return r;
}

Judgement judge_by_torch(const Ball& y, const Ball& x, const Tolerance& t) {
  const Bits bits = std::max(x.precision(), y.precision());
  const Ball error = abs(x - y), allowed = Ball(t.atol, bits) + Ball(t.rtol, bits) * abs(y);
  const Truth r = less_equal(error, allowed);
  return {r == Truth::yes  ? Verdict::right
          : r == Truth::no ? Verdict::wrong
                           : Verdict::undecided,
          upper_quotient(error, allowed)};
}

Judgement judge_by_units(const ReferenceValue& right, const Outcome& x, const Tolerance& t) {
  const auto expected = right_pattern(right, t.format()), found = pattern(x, t.format());
  if (!expected) return {Verdict::undecided, std::nullopt};
  const std::uint64_t allowed = t.rule == Tolerance::Rule::exact ? 0 : t.ulps;
  const std::uint64_t d = found ? distance(t.format(), *expected, *found) : 0;
  const double ratio = static_cast<double>(d) / static_cast<double>(std::max<std::uint64_t>(allowed, 1));
  return {found && d <= allowed ? Verdict::right : Verdict::wrong, ratio};
}

}  // namespace

std::optional<std::uint64_t> pattern(const Outcome& x, const BinaryFormat& format) {
  if (x.kind == Kind::nan) return std::nullopt;
  return round_to(format, x.is_number() ? x.number.midpoint() : special_number(x.kind));
}

std::optional<std::uint64_t> right_pattern(const ReferenceValue& v, const BinaryFormat& format) {
  const auto index = std::find(formats.begin(), formats.end(), &format) - formats.begin();
  if (const auto stored = v.rounded[static_cast<std::size_t>(index)]) return stored;
  if (v.value) return round_to(format, *v.value);
  if (v.special == Kind::nan) return std::nullopt;
  return round_to(format, special_number(v.special));
}

std::uint64_t distance(const BinaryFormat& format, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::uint64_t>(ordinal(format, a)),
             y = static_cast<std::uint64_t>(ordinal(format, b));
  return ordinal(format, a) > ordinal(format, b) ? x - y : y - x;
}

std::string Tolerance::to_string() const {
  switch (rule) {
    case Rule::torch:
      return fmt::format("tolerance torch, {}", short_name(format()));
    case Rule::exact:
      return fmt::format("correctly rounded, {}", short_name(format()));
    case Rule::ulp:
      return fmt::format("{} ulp, {}", ulps, short_name(format()));
    default:
      return fmt::format("arithmetic {}", arithmetic.to_string());
  }
}

Tolerance make_tolerance(std::string_view rule, const Arithmetic& arithmetic) {
  Tolerance t;
  t.arithmetic = arithmetic;
  set_torch(t);
  if (rule == "rounding") return t;
  if (rule == "torch") {
    t.rule = Tolerance::Rule::torch;
    return t;
  }
  if (rule == "exact") {
    t.rule = Tolerance::Rule::exact;
    return t;
  }
  if (rule.starts_with("ulp=")) {
    const char* end = rule.data() + rule.size();
    const auto [p, error] = std::from_chars(rule.data() + 4, end, t.ulps);
    t.rule = Tolerance::Rule::ulp;
    if (error == std::errc{} && p == end) return t;
  }
  throw InputError(
      fmt::format("{} is not a tolerance; allowed: rounding, torch, exact, ulp=K", in_quotes(rule)));
}

std::optional<std::vector<Allowance>> row_allowances(const ReferenceRow& row, const Tolerance& t) {
  if (t.rule != Tolerance::Rule::rounding) return std::nullopt;
  auto r = grid_allowances(row, t.arithmetic);
  if (!r) r = allowances(row.question, t.arithmetic);
  if (r && r->size() != row.values.size()) return std::nullopt;
  return r;
}

Judgement judge(const ReferenceValue& right, const Outcome& x, const Tolerance& t,
                const Allowance* allowance) {
  if (!right.value) return {x.kind == right.special ? Verdict::right : Verdict::wrong, std::nullopt};
  if (x.kind == Kind::nan) return {};
  if (x.kind != Kind::number) {
    // An infinity is right only where the right value overflows the format.
    const auto rounded = right_pattern(right, t.format());
    if (!rounded) return {Verdict::undecided, std::nullopt};
    return {rounded == pattern(x, t.format()) ? Verdict::right : Verdict::wrong, std::nullopt};
  }
  if (t.rule == Tolerance::Rule::exact || t.rule == Tolerance::Rule::ulp) return judge_by_units(right, x, t);
  return allowance ? judge_by_rounding(*right.value, x.number, *allowance)
                   : judge_by_torch(*right.value, x.number, t);
}

}  // namespace critscale
