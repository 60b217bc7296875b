// Correct attention code is never accused: simulated kernels in every arithmetic, order and way of writing
// stay within the allowances, forward and backward; the largest ratio of error to allowance shows that these
// are not idle.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "critscale/tables/answer.hpp"
#include "critscale/tables/detail/rounded_inputs.hpp"
#include "tables/simulated_attention.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

struct KernelRatios {
  double largest = 0, sum = 0;
  long count = 0;
};

constexpr const char* attention_arithmetics[] = {
    "fp64", "fp32", "bf16", "fp16", "bf16,elementwise=fp32", "fp16,elementwise=fp32"};

std::string entry(double x) {
  return std::isfinite(x) ? exact_decimal(Dyadic(Ball::exactly(x).midpoint()).to_rational()) : "-inf";
}

class RandomAttention {
 public:
  RandomAttention(std::mt19937_64& random, const BinaryFormat& format) : random_(random), format_(format) {}

  Question question(const char* quantity) {
    const std::size_t key_heads = 1 + below(2), group = 1 + below(2), m = 1 + below(4);
    const std::size_t n = below(12) == 0 ? 40 + below(200) : 1 + below(9), d = 1 + below(9), e = 1 + below(4);
    const double sizes[] = {0.3, 1, 4};
    const double size = sizes[below(3)];
    Question q{"attention", {{"quantity", quantity}}};
    q.inputs.emplace_back("q", heads(key_heads * group, m, d, size));
    q.inputs.emplace_back("k", heads(key_heads, n, d, 1));
    q.inputs.emplace_back("v", heads(key_heads, n, e, below(4) == 0 ? 100 : 1));
    q.inputs.emplace_back("d_out", heads(key_heads * group, m, e, 1));
    if (below(2) == 0) q.inputs.emplace_back("causal", below(2) == 0 ? "top-left" : "bottom-right");
    if (below(4) == 0) q.inputs.emplace_back("window", fmt::to_string(1 + below(n)));
    if (below(3) == 0) q.inputs.emplace_back("scale", below(2) == 0 ? "0.25" : "1.5");
    const bool capped = below(3) == 0;
    if (capped) q.inputs.emplace_back("softcap", below(2) == 0 ? "2" : "20");
    if (below(3) == 0) {
      q.inputs.emplace_back("mask", masks(m, n));
      if (capped) q.inputs.emplace_back("softcap_after_mask", below(2) == 0 ? "true" : "false");
    }
    if (below(3) == 0 || std::string_view(quantity) == "dsink")
      q.inputs.emplace_back("sink", below(2) == 0 ? "0.5" : "-4");
    return q;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string matrix(std::size_t rows, std::size_t width, double size) {
    std::string r;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t l = 0; l < width; ++l)
        r += (l > 0 ? " " : i > 0 ? "; " : "") + entry(rounded(format_, size * normal_(random_)));
    return r;
  }
  std::string heads(std::size_t count, std::size_t rows, std::size_t width, double size) {
    std::string r;
    for (std::size_t h = 0; h < count; ++h) r += (h > 0 ? " | " : "") + matrix(rows, width, size);
    return r;
  }
  std::string masks(std::size_t m, std::size_t n) {
    std::string r;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        r += (j > 0   ? " "
              : i > 0 ? "; "
                      : "") +
             entry(below(4) == 0 ? -HUGE_VAL : rounded(format_, normal_(random_)));
    return r;
  }
  std::mt19937_64& random_;
  const BinaryFormat& format_;
  std::normal_distribution<double> normal_;
};

KernelVariant variant(std::mt19937_64& random) {
  const auto coin = [&] { return random() % 2 == 0; };
  return {static_cast<int>(random() % 3), coin(), coin(), coin(), coin(), coin()};
}

void run_kernels(long questions) {
  std::mt19937_64 random(30);
  std::map<std::string, KernelRatios> ratios;
  for (long at = 0; at < questions; ++at) {
    const Arithmetic arithmetic = Arithmetic::parse(
        attention_arithmetics[static_cast<std::size_t>(at) % std::size(attention_arithmetics)]);
    for (const char* quantity : {"output", "lse", "dq", "dk", "dv", "dsink"}) {
      const Question q = RandomAttention(random, *arithmetic.format).question(quantity);
      const AttentionQuestion a = attention_of(q);
      const std::vector<Ball> right = answer(q, 256);
      const std::vector<Allowance> allowed = attention_allowances(a, arithmetic);
      REQUIRE(right.size() == allowed.size());
      for (int k = 0; k < 3; ++k) {
        const Order order = orders[random() % std::size(orders)];
        const KernelVariant v = variant(random);
        const std::vector<double> found = SimulatedAttention(a, arithmetic, order, v).run();
        REQUIRE(found.size() == right.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          if (!right[i].is_finite()) {
            CHECK(found[i] == -HUGE_VAL);
            continue;
          }
          REQUIRE(std::isfinite(found[i]));
          const Ball difference = Ball::exactly(found[i], 300) - right[i];
          const double error = arf_get_d(arb_midref(difference.raw()), ARF_RND_NEAR);
          const double most = error > 0 ? allowed[i].worst.up : allowed[i].worst.down;
          const double ratio = error == 0 ? 0 : std::abs(error) / most;
          if (!(ratio <= 1)) {
            std::string inputs;
            for (const auto& [key, text] : q.inputs) inputs += key + "=[" + text.substr(0, 200) + "] ";
            CAPTURE(arithmetic.to_string(), inputs, i, found[i], error, most, static_cast<int>(order),
                    v.scale, v.after, v.recomputed, v.by_output, v.products_apart, v.heads_apart);
            CHECK(ratio <= 1);
          }
          KernelRatios& r = ratios[fmt::format("{} {}", quantity, short_name(*arithmetic.format))];
          r.largest = std::max(r.largest, ratio);
          r.sum += ratio;
          ++r.count;
        }
      }
    }
  }
  for (const auto& [key, r] : ratios) {
    fmt::print("{:<12} largest error {:.3f} of the allowance, mean {:.4f}; {} values\n", key, r.largest,
               r.sum / static_cast<double>(r.count), r.count);
    INFO(key);
    // Allowances that nothing comes near would test nothing.
    CHECK(r.largest > 0.02);
  }
}

}  // namespace

TEST_CASE("correct attention code stays within the allowances") { run_kernels(120); }
TEST_CASE("correct attention code stays within the allowances, ten thousand questions", "[.long]") {
  run_kernels(10000);
}
