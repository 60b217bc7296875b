// Members of JSON objects read strictly: what is accepted, and what is refused by name.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "critscale/io/detail/json_fields.hpp"
#include "critscale/number/errors.hpp"

using namespace critscale;
using namespace critscale::fields;

namespace {

template <class F>
std::string refusal(F f) {
  try {
    (void)f();
    return "accepted";
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find('\n') == std::string::npos);
    return e.what();
  }
}

}  // namespace

TEST_CASE("members are read as what they are") {
  const json o = parse_json(R"({"a": "1/3", "k": -2, "r": ["0.1", "1/2"], "point": ["2", "2"], "t": "x y"})");
  CHECK(text(o, "t") == "x y");
  CHECK(number(o, "a") == Rational(1, 3));
  CHECK(integer(o, "k") == -2);
  CHECK(range(o, "r") == RationalBox{Rational(1, 10), Rational(1, 2)});
  CHECK(range(o, "point").is_point());
  CHECK(&member(o, "a") == &o.at("a"));
  CHECK_NOTHROW(require_keys(o, {"t", "point", "r", "k", "a"}, "the object"));
}

TEST_CASE("a member that is missing or of another kind is refused by name") {
  for (const char* not_an_object : {"[]", "\"a\"", "1", "null"})
    CHECK(refusal([&] { return member(parse_json(not_an_object), "a"); }) == "a is missing");
  const json o = parse_json(R"({"n": 1, "f": 0.5, "t": "1/0", "e": "", "b": true})");
  CHECK(refusal([&] { return text(o, "z"); }) == "z is missing");
  CHECK(refusal([&] { return text(o, "n"); }) == "n is not text");
  // Numbers are text: JSON's own are rounded by who reads them.
  CHECK(refusal([&] { return number(o, "f"); }) == "f is not text");
  for (const char* key : {"t", "e"}) CHECK(refusal([&] { return number(o, key); }) != "accepted");
}

TEST_CASE("integers are small JSON integers and nothing else") {
  for (long i = -8; i <= 8; ++i) CHECK(integer(json{{"p", i}}, "p") == i);
  for (const char* bad : {"9", "-9", "2.0", "1e0", "\"2\"", "true", "null", "[1]", "18446744073709551616",
                          "18446744073709551618", "4294967296", "0.0"})
    CHECK(refusal([&] { return integer(parse_json(fmt::format(R"({{"p": {}}})", bad)), "p"); }) ==
          "p is not an integer in [-8, 8]");
}

TEST_CASE("ranges have two fractions in order") {
  for (const char* bad :
       {R"("1")", "[]", R"(["1"])", R"(["1", "2", "3"])", "[1, 2]", R"(["1", 2])", R"({"lo": "1"})"})
    CHECK(refusal([&] { return range(parse_json(fmt::format(R"({{"r": {}}})", bad)), "r"); }) ==
          "r is not a range of two fractions");
  CHECK(refusal([&] { return range(parse_json(R"({"r": ["2", "1"]})"), "r"); }) == "the range of r is empty");
  CHECK(refusal([&] { return range(parse_json(R"({"r": ["one", "2"]})"), "r"); }) != "accepted");
}

TEST_CASE("numbers that are reckoned with often are not too long") {
  const json o = parse_json(
      R"({"k": "7^-1000000", "r": ["10^-600", "1"], "s": ["10^-620", "1"], "t": ["-2^2049", "0"]})");
  CHECK(number(o, "k") > 0);
  CHECK(refusal([&] { return small_number(o, "k"); }) == "k is a fraction of more than 2048 bits");
  CHECK(range(o, "r").hi == 1);
  CHECK(refusal([&] { return range(o, "s"); }) == "s is a fraction of more than 2048 bits");
  CHECK(refusal([&] { return range(o, "t"); }) == "t is a fraction of more than 2048 bits");
}

TEST_CASE("an object has exactly the members that are expected") {
  const json o{{"a", 1}, {"b", 2}};
  CHECK(refusal([&] { return require_keys(o, {"a"}, "it"), 0; }) == "it has an unknown member 'b'");
  CHECK(refusal([&] { return require_keys(o, {"a", "b", "c"}, "it"), 0; }) == "c is missing");
  CHECK(refusal([&] { return require_keys(json::array(), {}, "it"), 0; }) == "it is not an object");
  CHECK_NOTHROW(require_keys(json::object(), {}, "it"));
}
