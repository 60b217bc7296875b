// Parsing: exactness, refusals, round trips, hostile text.
#include "critscale/text/parse.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

using namespace critscale;

namespace {

namespace mp = boost::multiprecision;

/// Random text of the characters that occur in numbers, or of any bytes.
std::string random_text(std::mt19937_64& random, bool any_byte) {
  static constexpr std::string_view alphabet = "0123456789..ee--++^^//**(()),[]::n critical log";
  std::string text(random() % 14, ' ');
  for (char& c : text)
    c = any_byte ? static_cast<char>(random() % 256) : alphabet[random() % alphabet.size()];
  return text;
}

/// A well-formed fraction text.
std::string random_rational(std::mt19937_64& random) {
  const auto below = [&](unsigned long n) { return random() % n; };
  const auto term = [&]() -> std::string {
    switch (below(5)) {
      case 0:
        return fmt::format("{}", below(1000));
      case 1:
        return fmt::format("{}.{}", below(10), below(100000));
      case 2:
        return fmt::format("{}e-{}", below(100), below(40));
      case 3:
        return fmt::format(".{}e{}", below(100), below(40));
      default:
        return fmt::format("{}^{}", 1 + below(20), below(30));
    }
  };
  const char* sign = below(2) == 0 ? "-" : "";
  if (below(2) == 0) return fmt::format("{}{}", sign, term());
  return fmt::format("{}{}/{}{}", sign, term(), 1 + below(9), below(100));
}

template <class F>
bool refuses(F parse, const std::string& text) {
  try {
    (void)parse(text);
    return false;
  } catch (const InputError& e) {
    const std::string_view message = e.what();
    CHECK(message.find('\n') == std::string_view::npos);
    CHECK(message.size() < 400);
    return true;
  }
}

}  // namespace

TEST_CASE("fractions are read exactly") {
  const std::pair<const char*, Rational> cases[] = {{"3", 3},
                                                    {"-3", -3},
                                                    {"0", 0},
                                                    {"-0", 0},
                                                    {"0.1", {1, 10}},
                                                    {".5", {1, 2}},
                                                    {"-.5", {-1, 2}},
                                                    {"1/3", {1, 3}},
                                                    {"2/6", {1, 3}},
                                                    {"-7/12", {-7, 12}},
                                                    {"2.5e-3", {1, 400}},
                                                    {"1e10", 10000000000},
                                                    {"1E+3", 1000},
                                                    {"1.5/0.5", 3},
                                                    {"10^3/2^3", 125},
                                                    {"10^-3", {1, 1000}},
                                                    {"-2^2", -4},
                                                    {"2^0", 1},
                                                    {"0^3", 0},
                                                    {"0e5", 0},
                                                    {"010", 10},
                                                    {"0010/0020", {1, 2}},
                                                    {"08", 8},
                                                    {"1e007", 10000000},
                                                    {"010^02", 100},
                                                    {"0.10", {1, 10}},
                                                    {"1^999999999999", 1},
                                                    {"5e-1/5e-1", 1}};
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(parse_rational(text) == expected);
  }
  CHECK(parse_rational("10^100") == Rational(mp::pow(Integer(10), 100u)));
  CHECK(parse_rational("1e-1000") == Rational(1, mp::pow(Integer(10), 1000u)));
  // 1.5 + 10^-1000, digit by digit.
  CHECK(parse_rational(fmt::format("1.5{:0>999}", 1)) ==
        Rational(3, 2) + Rational(1, mp::pow(Integer(10), 1000u)));
}

TEST_CASE("what is not a number is refused by name") {
  CHECK_THROWS_WITH(
      parse_rational("abc"),
      "'abc' is not a number: expected an integer, a decimal like 0.1, a fraction like 1/3 or a "
      "power like 10^100");
  for (const char* text :
       {"",      " ",      " 3",    "3 ",   "1 /3",  "1/ 3",  "0x10", "nan",   "inf",   "-inf",  "infinity",
        "1e",    "1e+",    "e5",    "--1",  "+3",    "1_000", "1,5",  "1.5.2", ".",     "5.",    "-",
        "/",     "1/",     "/3",    "1//3", "1/-3",  "1/3/2", "2^",   "^2",    "2^3^2", "2^0.5", "0.5^2",
        "2^(2)", "10^--3", "10^+3", "(1)",  "1e1.5", "3x",    "3\n",  "\t3",   "1e5e5", "½",     "１"})
    CHECK_THROWS_WITH(parse_rational(text), Catch::Contains("is not a number: expected an integer"));
  CHECK_THROWS_WITH(parse_rational(std::string("1\0", 2)), Catch::StartsWith("'1\\x00' is not a number"));
  CHECK_THROWS_WITH(parse_rational("1/0"), "'1/0' divides by zero");
  CHECK_THROWS_WITH(parse_rational("1/0.0"), "'1/0.0' divides by zero");
  CHECK_THROWS_WITH(parse_rational("0^0"), "'0^0' has a power of 0 without a value");
  CHECK_THROWS_WITH(parse_rational("0^-3"), "'0^-3' has a power of 0 without a value");
}

TEST_CASE("fractions have a size limit") {
  CHECK(parse_rational("1e1000000") == parse_rational("10^1000000"));
  CHECK(parse_rational("1e-1000000") * parse_rational("10^1000000") == 1);
  for (const char* text : {"1e1000001", "10^1000001", "10^-1000001", "1e-1000001", "0.1e-1000000",
                           "10e1000000", "9^99999999999999999999", "1e99999999999999999999", "0e1000001"})
    CHECK_THROWS_WITH(
        parse_rational(text),
        fmt::format("'{}' is too large to write out: the limit is 1000000 decimal digits", text));
  CHECK(parse_rational(std::string(1000000, '9')) + 1 == parse_rational("10^1000000"));
  CHECK_THROWS_WITH(parse_rational(std::string(1000001, '9')),
                    fmt::format("'{}...(1000001 characters)' is too large to write out: the limit is 1000000 "
                                "decimal digits",
                                std::string(60, '9')));
  CHECK_THROWS_AS(parse_rational(fmt::format("0.{:0>1000001}", 0)), InputError);
  CHECK_THROWS_AS(parse_rational(std::string(3000000, '-')), InputError);
}

TEST_CASE("context lengths are integers from 2 on") {
  CHECK(parse_context_length("2") == PowerProduct(2));
  CHECK(parse_context_length("0100") == PowerProduct(100));
  CHECK(parse_context_length("10^24").to_integer() == mp::pow(Integer(10), 24u));
  CHECK(parse_context_length("10^(10^15)") == PowerProduct::power(10, Rational(1000000000000000)));
  CHECK(parse_context_length("10^(10^1000)") ==
        PowerProduct::power(10, Rational(mp::pow(Integer(10), 1000u))));
  CHECK(parse_context_length("4^(2^0)") == PowerProduct(4));
  CHECK(parse_context_length("1e6") == PowerProduct(1000000));
  CHECK_THROWS_WITH(parse_context_length("1"), "n must be at least 2, found '1'");
  CHECK_THROWS_WITH(parse_context_length("0"), "n must be at least 2, found '0'");
  CHECK_THROWS_WITH(parse_context_length("1^(10^15)"), "n must be at least 2, found '1^(10^15)'");
  CHECK_THROWS_WITH(parse_context_length("10^0"), "n must be at least 2, found '10^0'");
  CHECK_THROWS_WITH(parse_context_length("10^(0^5)"), "n must be at least 2, found '10^(0^5)'");
  CHECK_THROWS_WITH(
      parse_context_length("10^6.5"),
      "'10^6.5' is not a context length: expected an integer like 4096, a power like 10^100 or a tower "
      "like 10^(10^15)");
  for (const char* text :
       {"",      "-5",      "1e-6",     "2.5",   "5/2",        "n",        "10^",          "10^(",
        "10^(5", "10^(10^", "10^(10^5", "10^-3", "10^(10^-3)", "10^10^15", "10^((10^15))", "10^(10^(10^2))",
        " 10",   "10 ",     "2*10^6",   "10^()", "10^(15)"})
    CHECK_THROWS_WITH(parse_context_length(text), Catch::Contains("is not a context length"));
  CHECK_THROWS_WITH(parse_context_length("10^(10^100000)"),
                    "'10^(10^100000)': an exponent has more than 100000 digits, which is the limit");
  CHECK_THROWS_WITH(parse_context_length("10^(10^10000000)"),
                    "'10^(10^10000000)' is too large to write out: the limit is 1000000 decimal digits");
}

TEST_CASE("context lengths round-trip through their text") {
  for (const char* text :
       {"2", "7", "1024", "4096", "100000", "10^6", "10^100", "10^(10^15)", "12^345", "3^(10^9)",
        "10^(10^99999)", "2^12345678901234567890", "123456789012345678901234567890123"})
    CHECK(parse_context_length(text).to_string() == text);
  CHECK(parse_context_length("1000000").to_string() == "10^6");
  CHECK(parse_context_length("8^(10^9)").to_string() == "2^3000000000");
}

TEST_CASE("sizes are multiples of powers of n or constants") {
  const Rational half(1, 2);
  CHECK(parse_size("n") == Size{PowerProduct(), 1});
  CHECK(parse_size("3*n") == Size{PowerProduct(3), 1});
  CHECK(parse_size("n^(1/2)") == Size{PowerProduct(), half});
  CHECK(parse_size("1/2*n") == Size{PowerProduct(half), 1});
  CHECK(parse_size("10^12") == Size{parse_context_length("10^12"), 0});
  CHECK(parse_size("10^(10^15)") == Size{parse_context_length("10^(10^15)"), 0});
  CHECK(parse_size("2*n^(3/4)") == Size{PowerProduct(2), {3, 4}});
  CHECK(parse_size("10^(10^15)*n^2") == Size{parse_context_length("10^(10^15)"), 2});
  CHECK(parse_size("0.5*n^0.5") == Size{PowerProduct(half), half});
  CHECK(parse_size("1") == Size{PowerProduct(1), 0});
  const PowerProduct n = parse_context_length("10^(10^15)");
  CHECK(resolve(parse_size("3*n^(1/2)"), n) == parse_power_product("3*10^500000000000000"));
  CHECK(resolve(parse_size("10^12"), n) == parse_context_length("10^12"));
  CHECK(resolve(parse_size("n"), n) == n);
  CHECK(resolve(parse_size("1/2*n"), PowerProduct(100)).to_integer() == 50);

  CHECK_THROWS_WITH(
      parse_size("abc"),
      "'abc' is not a size: expected an integer like 4096 or 10^12, or a multiple of a power of n like "
      "n, 3*n or n^(1/2)");
  for (const char* text :
       {"",   "n^(1/2)*3", "3n", "n*n", "n^",    "n^(", "n^(1/2", "n^1/2", "-n",  "n+1",   "3**n", "*n",
        "3*", "N",         "n ", " n",  "3 * n", "n^n", "2^n",    "-3*n",  "n/2", "3*n*2", "n^-1", "--n"})
    CHECK_THROWS_WITH(parse_size(text), Catch::Contains("is not a size"));
  CHECK_THROWS_WITH(parse_size("1/2"), "a size without n must be an integer, found '1/2'");
  CHECK_THROWS_WITH(parse_size("2^(1/2)"), "a size without n must be an integer, found '2^(1/2)'");
  CHECK_THROWS_WITH(parse_size("1/2*n^0"), "a size without n must be an integer, found '1/2*n^0'");
  CHECK_THROWS_WITH(parse_size("n^(-1/2)"), "the power of n in a size must be at least 0, found 'n^(-1/2)'");
  CHECK_THROWS_WITH(parse_size("0*n"), "'0*n' has the factor 0: only positive numbers are allowed");
  CHECK_THROWS_WITH(parse_size("0"), "'0' has the factor 0: only positive numbers are allowed");
  CHECK_THROWS_WITH(parse_size("1/0*n"), "'1/0*n' has the factor 0: only positive numbers are allowed");
}

TEST_CASE("sizes round-trip through their text") {
  for (const char* text : {"n", "3*n", "n^(1/2)", "1/2*n", "10^12", "2*n^(3/4)", "n^2", "10^(10^15)*n^2",
                           "4096", "1/2*10^24*n^(1/3)", "2^(1/2)*n", "1"})
    CHECK(to_string(parse_size(text)) == text);
  CHECK(to_string(parse_size("0.5*n^(2/4)")) == "1/2*n^(1/2)");
}

TEST_CASE("gamma is a number or a multiple of the first threshold") {
  CHECK(parse_gamma("3/2") == GammaSpec{false, {3, 2}});
  CHECK(parse_gamma("0") == GammaSpec{false, 0});
  CHECK(parse_gamma("critical") == GammaSpec{true, 1});
  CHECK(parse_gamma("critical*11/10") == GammaSpec{true, {11, 10}});
  CHECK(parse_gamma("critical*1.1") == GammaSpec{true, {11, 10}});
  for (const char* text : {"3/2", "0", "critical", "critical*11/10", "critical*0"})
    CHECK(to_string(parse_gamma(text)) == text);
  CHECK_THROWS_WITH(
      parse_gamma("crit"),
      "'crit' is not a value of gamma: expected a number like 3/2, critical, or a multiple like "
      "critical*11/10");
  for (const char* text : {"", "critical*", "critical1", "critical/2", "2*critical", "critical critical",
                           "Critical", "critical *2", "1.5x"})
    CHECK_THROWS_WITH(parse_gamma(text), Catch::Contains("is not a value of gamma"));
  CHECK_THROWS_WITH(parse_gamma("-1"), "gamma must be at least 0, found '-1'");
  CHECK_THROWS_WITH(parse_gamma("critical*-1"), "gamma must be at least 0, found 'critical*-1'");
}

TEST_CASE("beta is a power of log n with a factor and a constant, or a number") {
  CHECK(parse_beta("(log n)^2") == BetaSpec{1, 2, 0});
  CHECK(parse_beta("3/2*(log n)^(1/2) + 5") == BetaSpec{{3, 2}, {1, 2}, 5});
  CHECK(parse_beta("0.5*log n") == BetaSpec{{1, 2}, 1, 0});
  CHECK(parse_beta("log n+3") == BetaSpec{1, 1, 3});
  CHECK(parse_beta("2 * log n + 1/3") == BetaSpec{2, 1, {1, 3}});
  CHECK(parse_beta("log n - 3") == BetaSpec{1, 1, -3});
  CHECK(parse_beta("log n + -3") == BetaSpec{1, 1, -3});
  CHECK(parse_beta("(log n)^0.5") == BetaSpec{1, {1, 2}, 0});
  CHECK(parse_beta("(log n)") == BetaSpec{1, 1, 0});
  CHECK(parse_beta("7/2") == BetaSpec{0, 0, {7, 2}});
  CHECK(parse_beta("2*(log n)^0 + 1") == BetaSpec{0, 0, 3});
  CHECK(parse_beta("0*log n + 1") == BetaSpec{0, 0, 1});
  for (const char* text :
       {"(log n)^2", "3/2*(log n)^(1/2) + 5", "log n", "1/2*log n", "log n - 3", "7/2", "0"})
    CHECK(to_string(parse_beta(text)) == text);
  CHECK_THROWS_WITH(
      parse_beta("ln n"),
      "'ln n' is not a value of beta: expected a number, or a power of log n with a factor and a "
      "constant like 2*(log n)^(1/2) + 3 or 0.5*log n");
  for (const char* text : {"",           "log",         "logn",          "log n^2", "(log n",
                           "(log n)^",   "(log n)^1/2", "(log n)^(1/2",  "log n +", "log n + + 3",
                           "log n - -3", "log n 3",     "2 log n",       "2*",      "log n ",
                           " log n",     "log n*2",     "log n + log n", "log m",   "2**log n",
                           "log n)",     "(log n)^2^3", "+ log n"})
    CHECK_THROWS_WITH(parse_beta(text), Catch::Contains("is not a value of beta"));
  CHECK_THROWS_WITH(parse_beta("-1"), "beta must be at least 0, found '-1'");
  CHECK_THROWS_WITH(parse_beta("0*log n - 1"), "beta must be at least 0, found '0*log n - 1'");
  CHECK_THROWS_WITH(parse_beta("-2*log n"),
                    "the factor of log n in beta must be at least 0, found '-2*log n'");
  CHECK_THROWS_WITH(parse_beta("(log n)^(-1)"),
                    "the power of log n in beta must be at least 0, found '(log n)^(-1)'");
}

TEST_CASE("boxes have two ordered ends") {
  CHECK(parse_box("[3/10,2/5]") == RationalBox{{3, 10}, {2, 5}});
  CHECK(parse_box("[0.3, 0.4]") == RationalBox{{3, 10}, {2, 5}});
  CHECK(parse_box("1/3") == RationalBox{{1, 3}, {1, 3}});
  CHECK(parse_box("[1,1]").is_point());
  CHECK_FALSE(parse_box("[-1,1]").is_point());
  for (const char* text : {"[3/10,2/5]", "1/3", "[-1,0]"}) CHECK(to_string(parse_box(text)) == text);
  CHECK_THROWS_WITH(parse_box("[2,1]"), "the ends of the box '[2,1]' are out of order");
  CHECK_THROWS_WITH(parse_box("[1"),
                    "'[1' is not a number or a box: expected a number like 1/3 or two ends like [3/10,2/5]");
  for (const char* text : {"", "[", "[]", "[,]", "[1,]", "[,1]", "[1]", "1,2", "1]", "[1,2]]", "[[1,2]]",
                           "[1;2]", "[1 ,2]", "[1,2] ", "(1,2)"})
    CHECK_THROWS_WITH(parse_box(text), Catch::Contains("is not a number or a box"));
}

TEST_CASE("a name may have a number in brackets") {
  CHECK(parse_subscripted("entropy").name == "entropy");
  CHECK_FALSE(parse_subscripted("entropy").index);
  CHECK(parse_subscripted("band_masses[0]").name == "band_masses");
  CHECK(parse_subscripted("band_masses[0]").index == 0u);
  CHECK(parse_subscripted("x[999999]").index == 999999u);
  for (const char* bad : {"x[", "x[]", "x[-1]", "x[+1]", "x[ 1]", "x[01]", "x[1.0]", "x[1", "x[1]]", "x[1] ",
                          "x[1][2]", "x[1000000]", "x[18446744073709551616]", "x[one]"})
    CHECK(refuses(parse_subscripted, bad));
}

TEST_CASE("ranges are exact and contain both ends") {
  CHECK(parse_range("1/10:9/10:5") == std::vector<Rational>{{1, 10}, {3, 10}, {1, 2}, {7, 10}, {9, 10}});
  CHECK(parse_range("1:0:2") == std::vector<Rational>{1, 0});
  CHECK(parse_values("0.1:0.4:4").back() == Rational(2, 5));
  CHECK(parse_values("1/3") == std::vector<Rational>{{1, 3}});
  CHECK(spaced(0, 1, 4) == std::vector<Rational>{0, {1, 3}, {2, 3}, 1});
  CHECK_THROWS_WITH(parse_range("0:1:1"), "a range has at least 2 and at most 10000000 points, found '1'");
  CHECK_THROWS_WITH(parse_range("0:1:10000001"),
                    "a range has at least 2 and at most 10000000 points, found '10000001'");
  CHECK_THROWS_WITH(parse_range("1/2:0.5:3"), "both ends of a range are '1/2'");
  CHECK_THROWS_WITH(parse_range("0:1e-1000:10000000"),
                    "a range of 10000000 points is too large for ends with so many digits");
  CHECK_THROWS_WITH(parse_values("0:1"), "'0:1' is not a range: expected from:to:steps like 1/10:9/10:5");
  for (const char* text :
       {":", "::", "0::3", ":1:3", "0:1:", "0:1:2.5", "0:1:-3", "0:1:3:4", "0 :1:3", "a:b:c"})
    CHECK_THROWS_WITH(parse_values(text), Catch::Contains("is not a range"));
}

TEST_CASE("well-formed fractions round-trip") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_rational(random);
    INFO(text);
    const Rational v = parse_rational(text);
    CHECK(parse_rational(to_string(v)) == v);
    if (v > 0) {
      CHECK(parse_power_product(text) == PowerProduct(v));
    }
  }
}

TEST_CASE("hostile text is refused, never worse") {
  std::mt19937_64 random(4);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_text(random, i % 4 == 0);
    accepted += !refuses(parse_rational, text);
    accepted += !refuses(parse_context_length, text);
    accepted += !refuses(parse_power_product, text);
    accepted += !refuses(parse_size, text);
    accepted += !refuses(parse_gamma, text);
    accepted += !refuses(parse_beta, text);
    accepted += !refuses(parse_box, text);
    if (text.find(':') == std::string::npos || text.size() < 7) accepted += !refuses(parse_values, text);
  }
  CHECK(accepted > 1000);
  for (const char c : {'1', '(', '[', '-', '^', '/', '.', '*', 'n', ' ', ':', '\0', '\xff'}) {
    const std::string text(1500000, c);
    CHECK(refuses(parse_rational, text));
    CHECK(refuses(parse_context_length, text));
    CHECK(refuses(parse_power_product, text));
    CHECK(refuses(parse_size, text));
    CHECK(refuses(parse_gamma, text));
    CHECK(refuses(parse_beta, text));
    CHECK(refuses(parse_box, text));
    CHECK(refuses(parse_values, text));
  }
}

TEST_CASE("sizes, gamma and beta that are accepted round-trip") {
  std::mt19937_64 random(5);
  const auto pick = [&](std::initializer_list<const char*> parts) {
    return parts.begin()[random() % parts.size()];
  };
  const auto check = [](auto parse, const std::string& text) {
    INFO(text);
    const auto v = parse(text);
    CHECK(parse(to_string(v)) == v);
    CHECK(to_string(parse(to_string(v))) == to_string(v));
  };
  for (int i = 0; i < 500; ++i) {
    const char* c =
        pick({"", "3*", "1/2*", "10^24*", "10^(10^15)*", "0.25*", "2^(1/2)*3*", "1e-9*", "7^-30*6*"});
    check(parse_size, fmt::format("{}n{}", c, pick({"", "^2", "^(1/2)", "^0.75", "^(0.5)", "^(7/3)"})));
    check(parse_gamma,
          fmt::format("{}{}", pick({"", "critical*"}), pick({"1", "0.1", "11/10", "0", "2e-3", "10^30"})));
    check(parse_beta,
          fmt::format("{}{}{}", pick({"", "2*", "1/3 * ", "0*"}),
                      pick({"log n", "(log n)", "(log n)^2", "(log n)^(1/2)", "(log n)^0.1", "(log n)^0"}),
                      pick({"", "+1", " + 1/2", " + 0.0", "+ 1e9"})));
  }
}

TEST_CASE("a product has at most 100 factors") {
  std::string text = "2";
  for (int i = 1; i < 100; ++i) text += "*3";
  CHECK(parse_power_product(text) == parse_power_product("2*3^99"));
  CHECK_THROWS_WITH(parse_power_product(text + "*3"), Catch::Contains("has more than 100 factors"));
}

TEST_CASE("quoted text stays one printable line") {
  CHECK(in_quotes("abc") == "'abc'");
  CHECK(in_quotes("a\nb\t\xc3") == "'a\\x0ab\\x09\\xc3'");
  CHECK(in_quotes(std::string(100, 'x')) == fmt::format("'{}...(100 characters)'", std::string(60, 'x')));
}
