// Double-double arithmetic and the gradients made with it: enclosures contain what Balls of 500 bits find,
// and are far narrower than those of binary64.
#include <catch2/catch.hpp>

#include "attention_cases.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/tokens/ball/detail/attention_backward.hpp"
#include "critscale/tokens/binary64/detail/attention_pairs.hpp"

namespace {

using namespace critscale;
using namespace critscale::test;

const std::function<bool(const Ball&)> never = [](const Ball&) { return false; };

Ball exact(double hi, double lo) { return Ball::exactly(hi, 500) + Ball::exactly(lo, 500); }

/// A pair of any size up to 2^reach.
NumberPair pair(Random& random, int reach) {
  const double hi = std::ldexp(random.unit(), static_cast<int>(random.below(60)) - 60 + reach);
  return {hi, hi * 0x1p-53 * random.unit()};
}

/// |found - right| <= bound |scale|.
void check_near(const char* what, NumberPair found, const Ball& right, const Ball& scale, double bound) {
  const Ball rest = Ball::exactly(bound, 64) * abs(scale) - abs(exact(found.hi, found.lo) - right);
  INFO(what << ": " << found.hi << " + " << found.lo);
  CHECK(certainly(rest.is_nonnegative()));
}

/// What pairs give for all entries, whatever binary64 has found; empty where binary64 covers nothing.
std::optional<AttentionGradients> by_pairs(std::span<const AttentionHead> heads,
                                           std::span<const std::span<const double>> d_out,
                                           const AttentionOptions& options,
                                           const PairKernels& kernels = pair_kernels()) {
  const Checkpoint none;
  auto g = gradients_binary64(heads, d_out, options, none);
  if (!g) return g;
  for (auto* entries : {&g->dk, &g->dv, &g->dsink})
    for (Ball& x : *entries) x = Ball::whole_line(53);
  for (auto& dq : g->dq)
    for (Ball& x : dq) x = Ball::whole_line(53);
  const OpenGradients open = OpenGradients::of(*g, heads[0].d, heads[0].e, never);
  refine_gradients(heads, d_out, options, none, open, never, *g, kernels);
  return g;
}

void check_gradients(const AttentionGradients& g, const AttentionGradients& fine) {
  for (std::size_t h = 0; h < g.dq.size(); ++h) check_all_contained("dq", g.dq[h], fine.dq[h]);
  check_all_contained("dk", g.dk, fine.dk);
  check_all_contained("dv", g.dv, fine.dv);
  check_all_contained("dsink", g.dsink, fine.dsink);
}

void check_outputs(const Case& c) {
  const AttentionHead head = c.view();
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < c.m; ++i) all.push_back(i);
  const auto rows = outputs_in_pairs(head, c.options, {}, all);
  for (std::size_t i = 0; i < c.m; ++i)
    if (!rows[i].empty())
      check_all_contained("output", rows[i], BallAttention(head, c.options, 500).row(i).output);
}

void check_cases(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::size_t covered = 0, finite = 0, all = 0;
  const Checkpoint none;
  for (std::size_t set = 0; set < count; ++set) {
    const Case c = hard_case(random);
    INFO("set " << set << " of seed " << seed << ": m " << c.m << ", n " << c.n << ", d " << c.d << ", e "
                << c.e);
    const AttentionHead head = c.view();
    const std::span<const double> d_out = c.d_out;
    check_outputs(c);
    const auto g = by_pairs({&head, 1}, {&d_out, 1}, c.options);
    if (!g) continue;
    ++covered;
    check_gradients(*g, gradients_in_balls({&head, 1}, {&d_out, 1}, c.options, none, 500));
    for (const auto* entries : {&g->dq[0], &g->dk, &g->dv})
      for (const Ball& x : *entries) {
        ++all;
        finite += x.is_finite() ? 1 : 0;
      }
  }
  CHECK(covered > count / 4);
  CHECK(finite > all * 9 / 10);
}

}  // namespace

TEST_CASE("double-double: elementwise kernels keep their bounds") {
  Random random(1);
  for (const PairKernels* k : all_pair_kernels()) {
    INFO(k->instruction_set);
    for (std::size_t set = 0; set < 300; ++set) {
      const NumberPair a = pair(random, 30), b = pair(random, 30);
      const Ball A = exact(a.hi, a.lo), B = exact(b.hi, b.lo);
      NumberPair x = a;
      k->shift(1, b, &x.hi, &x.lo);
      check_near("sum", x, A + B, A + B, 0x1p-100);
      x = a;
      k->gaps(1, b, &x.hi, &x.lo);
      check_near("difference", x, B - A, B - A, 0x1p-100);
      x = a;
      k->scale(1, b, &x.hi, &x.lo);
      check_near("product", x, A * B, A * B, 0x1p-100);
      x = a;
      k->add_multiple(1, b, &a.hi, &x.hi, &x.lo);
      check_near("multiple", x, A + B * exact(a.hi, 0), abs(A) + abs(B * exact(a.hi, 0)), 0x1p-99);
      NumberPair t = pair(random, static_cast<int>(random.below(11)));
      if (t.hi < 0) t = {-t.hi, -t.lo};
      x = t;
      k->exponentials(1, &x.hi, &x.lo);
      const Ball right = exp(-exact(t.hi, t.lo));
      if (t.hi < 680)
        check_near("exponential", x, right, right, 0x1p-94);
      else
        CHECK((x.hi == 0 && x.lo == 0));
      const NumberPair c{20, 0}, turns{0x1.999999999999ap-4, -0x1.999999999999ap-58};
      NumberPair s = pair(random, 8), slope{};
      const Ball S = exact(s.hi, s.lo), E = exp(-abs(S) / 10L);
      k->cap(1, c, turns, &s.hi, &s.lo, &slope.hi, &slope.lo);
      const Ball capped = 20L * (1L - E) / (1L + E);
      check_near("cap", s, S.midpoint().sign() < 0 ? -capped : capped, Ball(20L, 500), 0x1p-90);
      const Ball steep = 4L * E / sqr(1L + E);
      check_near("slope", slope, steep, steep, 0x1p-82);
    }
  }
}

TEST_CASE("double-double: products of vectors and sums") {
  Random random(2);
  for (const std::size_t d : {1, 3, 31, 64, 200}) {
    const std::size_t n = 1 + random.below(70);
    std::vector<double> a(2 * d), b(n * d);
    for (double& x : a) x = std::ldexp(random.unit(), static_cast<int>(random.below(20)));
    for (std::size_t at = 0; at < b.size(); ++at)
      // Sums that nearly vanish.
      b[at] = at % 2 == 1 && d > 1 ? -b[at - 1] * a[at % d - 1] / (a[at % d] + 1e-3) : random.unit();
    std::vector<double> first_hi, first_lo;
    for (const PairKernels* k : all_pair_kernels()) {
      INFO(k->instruction_set << ", d " << d << ", n " << n);
      std::vector<double> hi(2 * n), lo(2 * n), scratch(k->width * d);
      k->dots({a.data(), 2, d, d}, {b.data(), n, d, d}, hi.data(), lo.data(), n, scratch.data());
      Ball sum(0, 500), products(0, 500), sizes(0, 500), product_sizes(0, 500);
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          Ball right(0, 500), size(0, 500);
          for (std::size_t l = 0; l < d; ++l) {
            const Ball p = exact(a[i * d + l], 0) * exact(b[j * d + l], 0);
            right += p, size += abs(p);
          }
          const double terms = static_cast<double>(d) + 2;
          check_near("dot", {hi[i * n + j], lo[i * n + j]}, right, size, terms * terms * 0x1p-106);
          const Ball x = exact(hi[i * n + j], lo[i * n + j]);
          sum += x, sizes += abs(x), products += sqr(x), product_sizes += sqr(x);
        }
      const double additions = static_cast<double>(2 * n) * 0x1p-100;
      check_near("sum", k->sum(2 * n, hi.data(), lo.data()), sum, sizes, additions);
      check_near("dot of pairs", k->dot(2 * n, hi.data(), lo.data(), hi.data(), lo.data()), products,
                 product_sizes, additions + 0x1p-100);
      if (first_hi.empty()) first_hi = hi, first_lo = lo;
      CHECK(hi == first_hi);
      CHECK(lo == first_lo);
    }
  }
}

TEST_CASE("attention: gradients in pairs of doubles enclose what Balls find") { check_cases(250, 11); }

TEST_CASE("attention: gradients in pairs of doubles enclose what Balls find on five thousand sets",
          "[.long]") {
  check_cases(5000, 12);
}

TEST_CASE("attention: gradients in pairs of doubles have twice the digits of doubles") {
  Random random(13);
  Case c{150, 260, 24, 8, {}, {}, {}, {}, {}, {}, {}};
  std::vector<double> q2, d_out2;
  const auto fill = [&](std::vector<double>& a, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) a.push_back(2 * random.unit());
  };
  fill(c.q, c.m * c.d), fill(c.k, c.n * c.d), fill(c.v, c.n * c.e), fill(c.d_out, c.m * c.e);
  fill(q2, c.m * c.d), fill(d_out2, c.m * c.e);
  c.options.causal = Causal::bottom_right;
  c.options.sink = Rational(1, 3);
  c.options.softcap = Rational(9);
  const AttentionHead heads[] = {c.view(), {c.m, c.n, c.d, c.e, q2, c.k, c.v, {}, {}}};
  const std::span<const double> d_outs[] = {c.d_out, d_out2};
  const Checkpoint none;
  const AttentionGradients fine = gradients_in_balls(heads, d_outs, c.options, none, 300);
  for (const PairKernels* k : all_pair_kernels()) {
    INFO(k->instruction_set);
    const auto g = by_pairs(heads, d_outs, c.options, *k);
    REQUIRE(g);
    check_gradients(*g, fine);
    std::size_t few = 0, all = 0;
    for (const std::vector<Ball>* values : {&g->dq[0], &g->dq[1], &g->dk, &g->dv, &g->dsink})
      for (const Ball& x : *values) {
        few += has_digits(x, 18) ? 0 : 1;
        ++all;
      }
    INFO(few << " of " << all);
    CHECK(few < all / 100);
  }
}

TEST_CASE("attention: outputs in pairs of doubles have twice the digits of doubles") {
  Random random(15);
  Case c{40, 300, 24, 8, {}, {}, {}, {}, {}, {}, {}};
  const auto fill = [&](std::vector<double>& a, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) a.push_back(2 * random.unit());
  };
  fill(c.q, c.m * c.d), fill(c.k, c.n * c.d), fill(c.v, c.n * c.e);
  c.options.causal = Causal::bottom_right;
  c.options.quantities = {RowQuantity::output};
  check_outputs(c);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < c.m; ++i) all.push_back(i);
  for (const auto& row : outputs_in_pairs(c.view(), c.options, {}, all)) {
    REQUIRE(row.size() == c.e);
    for (const Ball& x : row) CHECK(has_digits(x, 18));
  }
}

TEST_CASE("attention: entries that doubles leave open get their digits, and zeros are exact") {
  Random random(14);
  Case c{40, 60, 6, 5, {}, {}, {}, {}, {}, {}, {}};
  const auto fill = [&](std::vector<double>& a, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) a.push_back(2 * random.unit());
  };
  fill(c.q, c.m * c.d), fill(c.k, c.n * c.d), fill(c.v, c.n * c.e), fill(c.d_out, c.m * c.e);
  // A column of zeros in each array, and a row without a gradient.
  for (std::size_t i = 0; i < c.m; ++i) c.q[i * c.d + 1] = c.d_out[i * c.e + 2] = 0;
  for (std::size_t j = 0; j < c.n; ++j) c.k[j * c.d + 3] = 0;
  for (std::size_t l = 0; l < c.e; ++l) c.d_out[7 * c.e + l] = 0;
  c.options.digits = 10;
  const AttentionHead head = c.view();
  const std::span<const double> d_out = c.d_out;
  const AttentionGradients g = attention_gradients({&head, 1}, {&d_out, 1}, c.options);
  const AttentionGradients fine = gradients_in_balls({&head, 1}, {&d_out, 1}, c.options, {}, 300);
  check_gradients(g, fine);
  for (const std::vector<Ball>* values : {&g.dq[0], &g.dk, &g.dv})
    for (const Ball& x : *values) CHECK(has_digits(x, 10));
  const auto is_zero = [](const Ball& x) { return x.is_exact() && x.contains_zero(); };
  for (std::size_t j = 0; j < c.n; ++j) CHECK((is_zero(g.dk[j * c.d + 1]) && is_zero(g.dv[j * c.e + 2])));
  for (std::size_t i = 0; i < c.m; ++i) CHECK(is_zero(g.dq[0][i * c.d + 3]));
  for (std::size_t l = 0; l < c.d; ++l) CHECK(is_zero(g.dq[0][7 * c.d + l]));
}

TEST_CASE("attention: what no pair of doubles can settle goes to Balls key by key") {
  // Two query rows whose contributions to one number of dk and dv cancel exactly: q and -q, one d_out.
  Case c{2, 3, 2, 1, {1, 2, -1, -2}, {1, 0.5, 1, 0.5, 1, 0.5}, {1, 2, 5}, {}, {1, 1}, {}, {}};
  c.options.digits = 6;
  const AttentionHead head = c.view();
  const std::span<const double> d_out = c.d_out;
  const AttentionGradients g = attention_gradients({&head, 1}, {&d_out, 1}, c.options);
  for (const Ball& x : g.dk) CHECK(x.contains_zero());
  for (const Ball& x : g.dv) CHECK(has_digits(x, 6));
}
