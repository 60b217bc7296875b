// Correct rounding to binary64, binary32, binary16 and bfloat16. Uses FLINT's arf_t.
#include "critscale/number/rounding.hpp"

#include <bit>

namespace critscale {

using detail::Fmpz;

namespace {

struct Layout {
  int fraction_bits;
  std::uint64_t sign, infinity, quiet_nan;
};

Layout layout(const BinaryFormat& f) {
  const int fraction = f.precision - 1;
  const std::uint64_t exponents = (std::uint64_t{1} << (f.width - f.precision)) - 1;
  const std::uint64_t infinity = exponents << fraction;
  return {fraction, std::uint64_t{1} << (f.width - 1), infinity,
          infinity | (std::uint64_t{1} << (fraction - 1))};
}

}  // namespace

std::uint64_t round_to(const BinaryFormat& f, const Dyadic& v) {
  const Layout l = layout(f);
  if (v.is_nan()) return l.quiet_nan;
  if (v.is_zero()) return 0;
  const std::uint64_t sign = v.sign() < 0 ? l.sign : 0;
  if (!v.is_finite()) return sign | l.infinity;
  // |v| in [2^(e-1), 2^e); the unit of the last place there is 2^(e - precision), but never below
  // the smallest subnormal.
  Fmpz exponent;
  arf_abs_bound_lt_2exp_fmpz(exponent.x, v.raw());
  if (fmpz_cmp_si(exponent.x, f.max_exponent + 1) > 0) return sign | l.infinity;
  if (fmpz_cmp_si(exponent.x, f.min_exponent - f.precision) < 0) return sign;
  const long e = fmpz_get_si(exponent.x);
  const long unit = std::max<long>(e - f.precision, f.min_exponent - l.fraction_bits);
  Fmpz scaled;
  arf_get_fmpz(scaled.x, v.scaled(-unit).raw(), ARF_RND_NEAR);
  const auto m = static_cast<std::uint64_t>(std::abs(fmpz_get_si(scaled.x)));
  // A carry out of the fraction moves into the exponent field, from subnormal to normal and from
  // the largest number to infinity, as the formats are laid out.
  const auto biased_minus_hidden = static_cast<std::uint64_t>(unit + l.fraction_bits - f.min_exponent);
  return sign | ((biased_minus_hidden << l.fraction_bits) + m);
}

std::optional<std::uint64_t> round_to(const BinaryFormat& f, const Ball& x) {
  if (x.is_exact()) return round_to(f, x.midpoint());
  const std::uint64_t lo = round_to(f, x.lower()), hi = round_to(f, x.upper());
  if (lo != hi) return std::nullopt;
  return lo;
}

Dyadic from_bits(const BinaryFormat& f, std::uint64_t bits) {
  const Layout l = layout(f);
  const bool negative = (bits & l.sign) != 0;
  const std::uint64_t field = (bits & ~l.sign) >> l.fraction_bits;
  std::uint64_t m = bits & ((std::uint64_t{1} << l.fraction_bits) - 1);
  Dyadic r;
  if (field == l.infinity >> l.fraction_bits) {
    if (m != 0) return Dyadic::nan();
    r = Dyadic::infinity();
  } else {
    if (field != 0) m |= std::uint64_t{1} << l.fraction_bits;
    const long unit = static_cast<long>(field == 0 ? 1 : field) - 1 + f.min_exponent - l.fraction_bits;
    r = Dyadic(Integer(m)).scaled(unit);
  }
  return negative ? -r : r;
}

double as_double(std::uint64_t binary64_bits) { return std::bit_cast<double>(binary64_bits); }

}  // namespace critscale
