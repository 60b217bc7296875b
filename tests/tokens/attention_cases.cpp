#include "attention_cases.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>

#include "critscale/text/print.hpp"

namespace critscale::test {

Case hard_case(Random& random) {
  Case c{1 + random.below(3),
         1 + random.below(90),
         1 + random.below(80),
         1 + random.below(3),
         {},
         {},
         {},
         {},
         {},
         {},
         {}};
  if (random.below(6) == 0) c.n = 1;
  const double sizes[] = {1, 30, 1e4, 1e-7, 1e-160, 1e150, 0x1p-24};
  const double q_size = sizes[random.below(7)], k_size = sizes[random.below(4)],
               v_size = sizes[random.below(7)];
  const auto fill = [&](std::vector<double>& a, std::size_t count, double s) {
    for (std::size_t at = 0; at < count; ++at) a.push_back(s * random.unit());
  };
  fill(c.q, c.m * c.d, q_size);
  fill(c.k, c.n * c.d, k_size);
  fill(c.v, c.n * c.e, v_size);
  fill(c.d_out, c.m * c.e, sizes[random.below(3)]);
  switch (random.below(7)) {
    case 0:
      for (std::size_t at = c.d; at < c.k.size(); ++at)
        c.k[at] = std::nextafter(c.k[at % c.d], random.below(2) == 0 ? 1.0 : -1.0);
      break;
    case 1:
      for (std::size_t l = 0; l < c.d; ++l) c.k[l] = 40 * c.q[l];
      break;
    case 2:
      for (std::size_t at = 0; at < c.m * c.n; ++at)
        c.bias.push_back(random.below(3) == 0   ? -HUGE_VAL
                         : random.below(3) == 0 ? -3.4e38
                                                : 10 * random.unit());
      break;
    case 3:
      for (std::size_t at = 0; at < c.m * c.n; ++at) c.visible.push_back(random.below(3) != 0);
      break;
    case 4:
      // Values that nearly agree: differences of them are what gradients are made of.
      for (std::size_t at = c.e; at < c.v.size(); ++at) c.v[at] = c.v[at % c.e] * (1 + 1e-9 * random.unit());
      break;
    default:
      break;
  }
  AttentionOptions& o = c.options;
  o.quantities.assign(row_quantities().begin(), row_quantities().end());
  o.causal = static_cast<Causal>(random.below(3));
  if (random.below(3) == 0) {
    o.softcap = Rational(static_cast<long>(random.below(60)) + 1, 2);
    o.softcap_after_bias = random.below(2) == 0;
  }
  if (random.below(3) == 0) o.sink = Rational(static_cast<long>(random.below(40)) - 20, 3);
  if (random.below(3) == 0) o.scale = Rational(static_cast<long>(random.below(3)) - 1, 3);
  if (random.below(4) == 0) o.window = 1 + random.below(20);
  if (random.below(4) == 0) {
    o.schedule = default_schedule("ssmax");
    o.schedule->coefficient = Rational(2, 3);
    o.schedule->offset = 0;
  }
  return c;
}

namespace {
std::string ends(const Ball& x) { return fmt::format("[{}, {}]", print(x, 20).lo, print(x, 20).hi); }
}  // namespace

void check_contained(const char* what, const std::optional<Ball>& rough, const std::optional<Ball>& fine) {
  REQUIRE(rough.has_value() == fine.has_value());
  if (!rough) return;
  INFO(what << ": " << ends(*rough) << " against " << ends(*fine));
  // Of 500 bits the other one is as good as a number, but not narrower than 1 -+ 2^-900.
  CHECK((overlaps(*rough, *fine) || !rough->is_finite()));
}

void check_all_contained(const char* what, const std::vector<Ball>& rough, const std::vector<Ball>& fine) {
  REQUIRE(rough.size() == fine.size());
  for (std::size_t at = 0; at < rough.size(); ++at) check_contained(what, rough[at], fine[at]);
}

}  // namespace critscale::test
