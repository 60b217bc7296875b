// Correct rounding: ties, subnormals, overflow, and agreement with the hardware and with MPFR.
#include "critscale/number/rounding.hpp"

#include <mpfr.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace critscale;

namespace {

Dyadic dyadic(const char* text) { return Dyadic::from_hex(text); }

}  // namespace

TEST_CASE("doubles round to binary32 as the hardware rounds them") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    // Exponents around the whole range of binary32, subnormals and overflow included.
    const std::uint64_t exponent = 1023 - 160 + random() % 300;
    std::uint64_t bits = (random() & 1) << 63 | exponent << 52 | (random() & ((std::uint64_t{1} << 52) - 1));
    if (i % 3 == 0) bits = (bits >> 29 << 29) | std::uint64_t{1} << 28;  // a tie for normal results
    const double v = std::bit_cast<double>(bits);
    const std::uint64_t expected = std::bit_cast<std::uint32_t>(static_cast<float>(v));
    REQUIRE(round_to(binary32, Dyadic::exactly(v)) == expected);
  }
}

TEST_CASE("binary64 agrees with itself and with MPFR's subnormal rounding") {
  std::mt19937_64 random(3);
  const auto emin = mpfr_get_emin(), emax = mpfr_get_emax();
  for (int i = 0; i < 20000; ++i) {
    const double v = std::bit_cast<double>(random());
    if (v != v) continue;
    REQUIRE(round_to(binary64, Dyadic::exactly(v)) == (v == 0 ? 0 : std::bit_cast<std::uint64_t>(v)));
    REQUIRE(from_bits(binary64, std::bit_cast<std::uint64_t>(v)) == Dyadic::exactly(v));
    // A 100-bit number near the bottom of the range.
    const long e = -1000 - static_cast<long>(random() % 180);
    const Dyadic x = Dyadic(Integer(random()) * Integer(random())).scaled(Integer(e - 100));
    mpfr_t m;
    mpfr_init2(m, 200);
    arf_get_mpfr(m, x.raw(), MPFR_RNDN);
    REQUIRE(as_double(round_to(binary64, x)) == mpfr_get_d(m, MPFR_RNDN));
    mpfr_clear(m);
  }
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
}

TEST_CASE("every finite binary16 and bfloat16 number, and the ties between neighbours") {
  for (const BinaryFormat* f : {&binary16, &bfloat16}) {
    const std::uint64_t infinity = round_to(*f, Dyadic::infinity());
    for (std::uint64_t bits = 0; bits < infinity; ++bits) {
      const Dyadic v = from_bits(*f, bits);
      REQUIRE(round_to(*f, v) == bits);
      REQUIRE((bits == 0 || round_to(*f, -v) == (bits | 0x8000)));
      if (bits + 1 == infinity) continue;
      const Ball middle = (Ball::exactly(v, 64) + Ball::exactly(from_bits(*f, bits + 1), 64)) / 2;
      REQUIRE(round_to(*f, middle.midpoint()) == (bits % 2 == 0 ? bits : bits + 1));
      const Ball above = middle + scaled(Ball(1, 800), Integer(-300));
      REQUIRE(round_to(*f, above.midpoint()) == bits + 1);
    }
  }
}

TEST_CASE("overflow, underflow and signs") {
  CHECK(round_to(binary32, dyadic("0x1.fffffefffffffp+127")) == 0x7f7fffff);
  CHECK(round_to(binary32, dyadic("0x1.ffffffp+127")) == 0x7f800000);
  CHECK(round_to(binary32, dyadic("-0x1p+1000000000000000000000")) == 0xff800000);
  CHECK(round_to(binary32, dyadic("0x1p-150")) == 0);  // half the smallest subnormal, a tie to even
  CHECK(round_to(binary32, dyadic("0x1.00000000000001p-150")) == 1);
  CHECK(round_to(binary32, dyadic("-0x1p-100000000000000000000")) == 0x80000000);
  CHECK(round_to(binary16, dyadic("0x1.ffcp+15")) == 0x7bff);
  CHECK(round_to(binary16, dyadic("0x1.ffep+15")) == 0x7c00);
  CHECK(round_to(bfloat16, Dyadic()) == 0);
  CHECK(from_bits(bfloat16, 0x3f80) == Dyadic::exactly(1.0));
  CHECK(from_bits(binary16, 0x7e00).is_nan());
}

TEST_CASE("an enclosure rounds only when all of it rounds to one number") {
  CHECK(round_to(binary64, Ball(Rational(1, 10), 80)) == std::bit_cast<std::uint64_t>(0.1));
  CHECK_FALSE(round_to(binary64, Ball(Rational(1, 10), 40)));
  // 1 + 2^-53 is a tie: any radius leaves it open, the exact value does not.
  const Ball tie = 1 + scaled(Ball(1, 100), Integer(-53));
  CHECK(round_to(binary64, tie) == std::bit_cast<std::uint64_t>(1.0));
  const Dyadic below = (tie - scaled(Ball(1, 300), Integer(-200))).midpoint();
  const Dyadic above = (tie + scaled(Ball(1, 300), Integer(-200))).midpoint();
  CHECK_FALSE(round_to(binary64, Ball(below, above, 300)));
}
