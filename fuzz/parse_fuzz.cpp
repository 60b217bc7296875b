// Numbers, sizes and expressions. The first byte chooses a reader; what is read is written and read again.
#include "critscale/text/parse.hpp"

#include "critscale/text/detail/expression.hpp"
#include "critscale/text/detail/interval_sizes.hpp"
#include "plots/number.hpp"
#include "support.hpp"

using namespace critscale;

namespace {

/// Numbers that are long only as powers are not written out.
bool is_short(const Rational& x) {
  constexpr unsigned most_bits = 20000;
  return msb(Integer(abs(numerator(x)) + 1)) < most_bits && msb(denominator(x)) < most_bits;
}

void read_by(unsigned kind, std::string_view text) {
  switch (kind) {
    case 0: {
      const Rational x = parse_rational(text);
      if (is_short(x)) fuzz::require(parse_rational(x.str()) == x, "a fraction");
      break;
    }
    case 1: {
      const PowerProduct x = parse_power_product(text);
      fuzz::require(parse_power_product(x.to_string()) == x, "a power product");
      break;
    }
    case 2: {
      const PowerProduct x = parse_context_length(text);
      fuzz::require(parse_power_product(x.to_string()) == x, "a context length");
      break;
    }
    case 3: {
      const Size x = parse_size(text);
      fuzz::require(parse_size(to_string(x)) == x, "a size");
      break;
    }
    case 4: {
      const GammaSpec x = parse_gamma(text);
      fuzz::require(parse_gamma(to_string(x)) == x, "gamma");
      break;
    }
    case 5: {
      const BetaSpec x = parse_beta(text);
      fuzz::require(parse_beta(to_string(x)) == x, "beta");
      break;
    }
    case 6: {
      const RationalBox x = parse_box(text);
      fuzz::require(parse_box(to_string(x)) == x, "a box");
      break;
    }
    case 7:
      parse_values(text);
      break;
    case 8:
      parse_subscripted(text);
      break;
    case 9:
      Expression(text).evaluate_exactly([](const std::string&) { return Rational(2) / 3; });
      break;
    case 10:
      parse_interval(std::string(text), 128);
      break;
    default:
      cli::read_exact(text);
      cli::read_decimal(text);
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  fuzz::guarded([&] { read_by(data[0] % 12u, fuzz::text(data + 1, size - 1)); });
  return 0;
}
