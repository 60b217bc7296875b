// Attention in binary64: its enclosures contain the values of the Ball path, on sets made to be hard for it.
#include <catch2/catch.hpp>

#include "attention_cases.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/tokens/ball/detail/attention_backward.hpp"
#include "critscale/tokens/binary64/detail/attention.hpp"

namespace {

using namespace critscale;
using namespace critscale::test;

std::size_t check_case(const Case& c) {
  const AttentionHead head = c.view();
  AttentionOptions fine = c.options;
  fine.digits = 40;
  const DoubleAttention doubles(head, c.options);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < c.m; ++i) all.push_back(i);
  const auto rough = doubles.rows(all);
  std::size_t covered = 0;
  for (std::size_t i = 0; i < c.m; ++i) {
    if (!rough[i]) continue;
    ++covered;
    const AttentionRow right = BallAttention(head, fine, 500).row(i);
    const AttentionRow& r = *rough[i];
    INFO("row " << i);
    check_contained("lse", r.lse, right.lse);
    check_contained("max_weight", r.max_weight, right.max_weight);
    check_contained("entropy", r.entropy, right.entropy);
    check_contained("participation", r.participation, right.participation);
    check_contained("self_weight", r.self_weight, right.self_weight);
    for (std::size_t j = 0; j < c.n; ++j) check_contained("weight", r.weights[j], right.weights[j]);
    for (std::size_t l = 0; l < c.e; ++l) check_contained("output", r.output[l], right.output[l]);
  }
  return covered;
}

/// Whether binary64 covers the case's gradients.
bool check_gradients(const Case& c) {
  const AttentionHead head = c.view();
  const std::span<const double> d_out = c.d_out;
  const Checkpoint none;
  const auto rough = gradients_binary64({&head, 1}, {&d_out, 1}, c.options, none);
  if (!rough) return false;
  const AttentionGradients fine = gradients_in_balls({&head, 1}, {&d_out, 1}, c.options, none, 500);
  check_all_contained("dq", rough->dq[0], fine.dq[0]);
  check_all_contained("dk", rough->dk, fine.dk);
  check_all_contained("dv", rough->dv, fine.dv);
  check_all_contained("dsink", rough->dsink, fine.dsink);
  return true;
}

void check_cases(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::size_t covered = 0, gradients = 0;
  for (std::size_t set = 0; set < count; ++set) {
    const Case c = hard_case(random);
    INFO("set " << set << " of seed " << seed << ": m " << c.m << ", n " << c.n << ", d " << c.d << ", e "
                << c.e);
    covered += check_case(c);
    gradients += check_gradients(c) ? 1 : 0;
  }
  CHECK(covered > count / 2);
  CHECK(gradients > count / 4);
}

}  // namespace

TEST_CASE("attention: binary64 encloses what Balls find") { check_cases(250, 1); }

TEST_CASE("attention: binary64 encloses what Balls find on ten thousand sets", "[.long]") {
  check_cases(10000, 2);
}

TEST_CASE("attention: both arithmetics give the digits asked for") {
  Random random(5);
  for (std::size_t set = 0; set < 40; ++set) {
    Case c = hard_case(random);
    c.options.digits = 9;
    const auto fast = attend(c.view(), c.options);
    c.options.allow_binary64 = false;
    c.options.digits = 20;
    const auto slow = attend(c.view(), c.options);
    for (std::size_t i = 0; i < fast.size(); ++i) {
      INFO("set " << set << ", row " << i);
      REQUIRE(fast[i].lse.has_value() == slow[i].lse.has_value());
      if (fast[i].lse) CHECK(overlaps(*fast[i].lse, *slow[i].lse));
      for (std::size_t l = 0; l < c.e; ++l) CHECK(overlaps(fast[i].output[l], slow[i].output[l]));
    }
  }
}

TEST_CASE("attention: gradients of binary64 keep their digits, also where one key dominates") {
  Random random(6);
  for (const bool dominated : {false, true}) {
    Case c{200, 300, 16, 8, {}, {}, {}, {}, {}, {}, {}};
    const auto fill = [&](std::vector<double>& a, std::size_t count) {
      for (std::size_t at = 0; at < count; ++at) a.push_back(2 * random.unit());
    };
    fill(c.q, c.m * c.d), fill(c.k, c.n * c.d), fill(c.v, c.n * c.e), fill(c.d_out, c.m * c.e);
    if (dominated)
      for (std::size_t i = 0; i < c.m; ++i) c.q[i * c.d] = c.k[0] = 12;
    const AttentionHead head = c.view();
    const std::span<const double> d_out = c.d_out;
    const Checkpoint none;
    const auto g = gradients_binary64({&head, 1}, {&d_out, 1}, c.options, none);
    REQUIRE(g);
    const AttentionGradients fine = gradients_in_balls({&head, 1}, {&d_out, 1}, c.options, none, 300);
    check_all_contained("dq", g->dq[0], fine.dq[0]);
    check_all_contained("dk", g->dk, fine.dk);
    check_all_contained("dv", g->dv, fine.dv);
    std::size_t few = 0, all = 0;
    for (const std::vector<Ball>* values : {&g->dq[0], &g->dk, &g->dv})
      for (const Ball& x : *values) {
        few += has_digits(x, 8) ? 0 : 1;
        ++all;
      }
    INFO(few << " of " << all << (dominated ? ", one key dominates" : ""));
    CHECK(few < all / 50);
  }
}

TEST_CASE("attention: gradients of both arithmetics have the digits asked for") {
  Random random(9);
  for (std::size_t set = 0; set < 30; ++set) {
    Case c = hard_case(random);
    c.options.digits = 6;
    const AttentionHead head = c.view();
    const std::span<const double> d_out = c.d_out;
    const AttentionGradients fast = attention_gradients({&head, 1}, {&d_out, 1}, c.options);
    c.options.allow_binary64 = false;
    c.options.digits = 20;
    const AttentionGradients slow = attention_gradients({&head, 1}, {&d_out, 1}, c.options);
    INFO("set " << set);
    for (std::size_t at = 0; at < fast.dk.size(); ++at) CHECK(overlaps(fast.dk[at], slow.dk[at]));
    for (std::size_t at = 0; at < fast.dv.size(); ++at) CHECK(overlaps(fast.dv[at], slow.dv[at]));
    for (std::size_t at = 0; at < fast.dq[0].size(); ++at) {
      CHECK(overlaps(fast.dq[0][at], slow.dq[0][at]));
      CHECK((has_digits(fast.dq[0][at], 6) || fast.dq[0][at].contains_zero()));
    }
  }
}
