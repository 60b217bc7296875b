// Schedules: multipliers against independent values, exact steps and clamps, limits.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "critscale/schedules/law.hpp"
#include "critscale/text/parse.hpp"
#include "schedules/names.hpp"

using namespace critscale;

namespace {

Schedule make(std::string_view kind, long L = 8192) {
  Schedule s;
  s.law = &schedule_by_name(kind);
  s.train_length = PowerProduct(L);
  return s;
}

Schedule affine(std::string_view kind, const Rational& c, const Rational& b, const Rational& k = 1) {
  Schedule s = make(kind);
  s.coefficient = c;
  s.offset = b;
  s.power = k;
  return s;
}

Schedule with_factor(std::string_view kind, const Rational& factor, const Rational& mscale = 1,
                     long L = 8192) {
  Schedule s = make(kind, L);
  s.factor = factor;
  s.mscale = mscale;
  return s;
}

struct Value {
  Schedule schedule;
  long n;
  const char* multiplier;  ///< 32 digits, from another program and other arithmetic
};

using namespace schedule_name;

Schedule infoscale_64() {
  Schedule s = make(infoscale);
  s.dimension = 64;
  return s;
}

const std::vector<Value>& values() {
  static const std::vector<Value> v{
      {make(log_n), 2, "0.44444444444444444444444444444444"},
      {make(log_n), 15, "0.44444444444444444444444444444444"},
      {make(log_n), 16, "0.44444444444444444444444444444444"},
      {make(log_n), 17, "0.45416253791670437869489622342338"},
      {make(log_n), 512, "1"},
      {make(log_n), 1000000, "2.2146187299249082319135462863263"},
      {make(qwen_log_n, 2048), 2, "1"},
      {make(qwen_log_n, 2048), 2047, "1"},
      {make(qwen_log_n, 2048), 2048, "1"},
      {make(qwen_log_n, 2048), 2049, "1.0000640244555678766598670849129"},
      {make(qwen_log_n, 2048), 3000, "1.0500678895802948386422452029469"},
      {affine(ssmax, Rational(43, 100), Rational(1, 2)), 1000000, "6.4406695399246378647664179530857"},
      {make(yarn), 2, "1"},
      {make(yarn), 8192, "1"},
      {make(yarn), 8193, "1.0000244127214985595539487432158"},
      {make(yarn), 1000000, "2.1917609857062164055884830294720"},
      {with_factor(yarn, 40), 7, "1.8738542070926265874637638626577"},
      {with_factor(yarn, 32), 7, "1.8132604340394956655840077530398"},
      {with_factor(yarn, 40, Rational(707, 1000)), 7, "1.5896261651208735109316127130283"},
      {make(longrope), 8192, "1"},
      {make(longrope), 8193, "1.0000135461143417312334510577651"},
      {make(longrope), 1000000, "1.5331975822557056990170705059182"},
      {with_factor(longrope, 32, 1, 4096), 7, "1.4166666666666666666666666666667"},
      // Llama 4 at positions n - 1.
      {make(llama4), 1, "1"},
      {make(llama4), 8191, "1"},
      {make(llama4), 8192, "1.0693147180559945309417232121458"},
      {make(llama4), 8193, "1.0693147180559945309417232121458"},
      {make(llama4), 16383, "1.0693147180559945309417232121458"},
      {make(llama4), 16384, "1.1098612288668109691395245236923"},
      {make(llama4), 1000000, "1.4812184355372417495262008609960"},
      {infoscale_64(), 2, "0.29548617930312171883180238311233"},
      {infoscale_64(), 8192, "1"},
      {infoscale_64(), 1000000, "1.1952653096950597232387756666965"},
      {make(gaussian), 1000000, "5.2565217697569319786301213581010"},
      {affine(power_of_log, Rational(3, 4), 1, Rational(3, 2)), 1000, "14.616537251546114667803431514092"}};
  return v;
}

}  // namespace

TEST_CASE("multipliers agree with independent values to 30 digits, in both certified arithmetics") {
  for (const Value& v : values()) {
    INFO(name(v.schedule) << " n = " << v.n);
    validate(v.schedule);
    const Rational expected = parse_rational(v.multiplier), tolerance(Integer(1), pow(Integer(10), 30));
    const Ball ball = multiplier(v.schedule, PowerProduct(v.n), Lift<Ball>(192));
    CHECK(certainly(less_equal(abs(ball - Ball(expected, 192)), Ball(Rational(2 * tolerance), 192))));
    const Interval interval = multiplier(v.schedule, PowerProduct(v.n), Lift<Interval>(192));
    const Ball other(interval.lower(), interval.upper(), 192);
    CHECK(overlaps(ball, other));
    CHECK(other.accurate_bits() > 150);
  }
}

TEST_CASE("multipliers that published code gets wrong") {
  std::ifstream file(CRITSCALE_SOURCE_DIR "/tests/reference/faults.json");
  REQUIRE(file);
  int seen = 0;
  const auto agrees = [&](const auto& fault, const Ball& found) {
    const Ball right(parse_rational(fault["right"].template get<std::string>()), 192);
    INFO(fault["id"]);
    CHECK(certainly(less(abs(found - right), Ball(Rational(Integer(1), pow(Integer(10), 29)), 64))));
    ++seen;
  };
  const auto at = [](const Schedule& s, long n) { return multiplier(s, PowerProduct(n), Lift<Ball>(192)); };
  const auto faults = nlohmann::json::parse(file);
  for (const auto& fault : faults["cases"]) {
    if (fault["id"] == "yarn-square") agrees(fault, at(with_factor(yarn, 40), 10));
    if (fault["id"] == "yarn-twice-32") agrees(fault, sqrt(at(with_factor(yarn, 32), 10)));
    if (fault["id"] == "logn-row") agrees(fault, at(make(qwen_log_n, 2048), 3000));
    if (fault["id"] == "llama4-step") agrees(fault, at(make(llama4), 8191 + 1));
  }
  CHECK(seen == 4);
}

TEST_CASE("llama4's step is exact at large n and enclosed beyond what can be written out") {
  const Schedule s = make(llama4);
  const auto at = [&](const PowerProduct& n) { return multiplier(s, n, Lift<Ball>(4096)); };
  const Integer edge = 8192 * pow(Integer(10), 900);
  const Ball below = at(PowerProduct(Integer(edge - 1))), on = at(PowerProduct(edge)),
             above = at(PowerProduct(Integer(edge + 1)));
  CHECK(certainly(less(below, on)));
  CHECK(overlaps(on, above));
  // ln floor differs from ln(n/8192) by less than 8192/n.
  const PowerProduct huge = PowerProduct::power(10, Rational(100000));
  const Ball expected = 1 + (log(huge, 256) - log(PowerProduct(8192), 256)) / 10;
  CHECK(overlaps(multiplier(s, huge, Lift<Ball>(256)), expected));
  CHECK(multiplier(s, huge, Lift<Ball>(256)).accurate_bits() > 200);
  CHECK_THROWS_AS(at(PowerProduct::power(2, Rational(41, 2))), InputError);
}

TEST_CASE("the logit scale and the head's dimension scale beta") {
  Schedule s = make(constant);
  s.logit_scale = 8;
  s.head_dim = 64;
  const Ball b = beta(s, PowerProduct(10), Lift<Ball>(64));
  CHECK(b.contains(Rational(1)));
  s.head_dim = 2;
  CHECK(overlaps(sqr(beta(s, PowerProduct(10), Lift<Ball>(64))), Ball(32)));
}

TEST_CASE("limits of gamma_eff are exact") {
  using Kind = GammaLimit::Kind;
  CHECK(gamma_limit(make(constant)).kind == Kind::zero);
  CHECK(gamma_limit(make(gaussian)).kind == Kind::zero);
  CHECK(gamma_limit(infoscale_64()).kind == Kind::zero);
  CHECK(gamma_limit(with_factor(yarn, 40)).kind == Kind::zero);
  CHECK(gamma_limit(with_factor(longrope, 40)).kind == Kind::zero);
  CHECK(gamma_limit(make(yarn)).kind == Kind::infinite);
  CHECK(gamma_limit(affine(power_of_log, 1, 0, Rational(101, 100))).kind == Kind::infinite);
  CHECK(gamma_limit(affine(power_of_log, 1, 0, Rational(99, 100))).kind == Kind::zero);
  CHECK(gamma_limit(make(log_n)).constant->to_string() == "1/ln(512)");
  CHECK(gamma_limit(make(longrope)).constant->to_string() == "1/ln(8192)");
  Schedule s = make(llama4);
  s.logit_scale = 15;
  REQUIRE(gamma_limit(s).constant->exact());
  CHECK(*gamma_limit(s).constant->exact() == Rational(3, 2));
  CHECK(overlaps(limit_offset(s, 128), 15 - Ball(Rational(3, 2), 128) * log(Ball(8192, 128))));
}

TEST_CASE("exact comparisons with thresholds") {
  Schedule s = affine(ssmax, Rational(3, 2), 0);
  CHECK(compare_gamma(s, PowerProduct(10), Rational(3, 2)) == std::strong_ordering::equal);
  s.offset = Rational(1, 1000000);
  CHECK(compare_gamma(s, PowerProduct::power(10, Rational(1000000000000L)), Rational(3, 2)) ==
        std::strong_ordering::greater);
  s.offset = 0;
  s.logit_scale = 3;
  s.head_dim = 9;
  CHECK(compare_gamma(s, PowerProduct(10), Rational(3, 2)) == std::strong_ordering::equal);
  s.head_dim = 10;
  CHECK(compare_gamma(s, PowerProduct(10), Rational(3, 2)) == std::strong_ordering::less);
  CHECK(compare_gamma(make(log_n), PowerProduct(100), Rational(16, 100)) == std::strong_ordering::greater);
}

TEST_CASE("constants outside their range are refused by name") {
  CHECK_THROWS_AS(schedule_by_name("sumax"), InputError);
  CHECK_THROWS_AS(validate(make(qwen_log_n, 1)), InputError);
  CHECK_THROWS_AS(validate(make(infoscale)), InputError);
  CHECK_THROWS_AS(validate(with_factor(yarn, 0)), InputError);
  CHECK_THROWS_AS(validate(affine(ssmax, -1, 0)), InputError);
  for (const std::string_view n : schedule_names()) CHECK(schedule_by_name(n).name == n);
}
