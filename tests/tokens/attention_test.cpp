// Attention of queries, keys and values: against sums written out at many bits, and gradients against central
// differences of those sums.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "critscale/text/print.hpp"
#include "critscale/tokens/attention.hpp"
#include "tokens/attention_cases.hpp"

namespace {

using namespace critscale;
using critscale::test::Random;

constexpr Bits deep = 700;

/// One head with its own memory.
struct Head {
  std::size_t m, n, d, e;
  std::vector<double> q, k, v, d_out, bias;
  std::vector<unsigned char> visible;
  AttentionHead view() const { return {m, n, d, e, q, k, v, visible, bias}; }
};

std::vector<Ball> balls(const std::vector<double>& a) {
  std::vector<Ball> r;
  for (const double x : a) r.push_back(Ball::exactly(x, deep));
  return r;
}

/// Arrays that may be moved by less than a double holds.
struct DeepHead {
  std::vector<Ball> q, k, v;
  std::optional<Ball> sink;
};

/// The weights of row i as they are defined: exp(s_ij)/Z_i, invisible keys 0; then Z_i.
std::pair<std::vector<Ball>, Ball> weights(const Head& h, const DeepHead& x, const AttentionOptions& o,
                                           std::size_t i) {
  std::vector<Ball> E(h.n, Ball(0, deep));
  Ball Z = x.sink ? exp(*x.sink) : Ball(0, deep);
  const auto shift = o.causal == Causal::bottom_right ? static_cast<long>(h.n) - static_cast<long>(h.m) : 0L;
  const long position = static_cast<long>(i) + shift;
  for (std::size_t j = 0; j < h.n; ++j) {
    const long distance = position - static_cast<long>(j);
    if (o.causal != Causal::none && distance < 0) continue;
    if (o.window && distance >= static_cast<long>(*o.window)) continue;
    if (!h.visible.empty() && h.visible[i * h.n + j] == 0) continue;
    Ball dot(0, deep), qq(0, deep), kk(0, deep);
    for (std::size_t l = 0; l < h.d; ++l) {
      dot += x.q[i * h.d + l] * x.k[j * h.d + l];
      qq += sqr(x.q[i * h.d + l]);
      kk += sqr(x.k[j * h.d + l]);
    }
    Ball s = dot;
    if (o.unit_beta)
      s *= Ball(o.unit_beta->coefficient, deep) * log(Ball(h.n, deep)) / sqrt(qq * kk);
    else
      s *= o.scale ? Ball(*o.scale, deep) : 1L / sqrt(Ball(h.d, deep));
    // SSMax: coefficient ln(keys seen).
    if (o.schedule && position > 0) s *= Ball(o.schedule->coefficient, deep) * log(Ball(position + 1, deep));
    const Ball b = h.bias.empty()                    ? Ball(0, deep)
                   : std::isinf(h.bias[i * h.n + j]) ? Ball(0, deep)
                                                     : Ball::exactly(h.bias[i * h.n + j], deep);
    if (!h.bias.empty() && std::isinf(h.bias[i * h.n + j])) continue;
    const auto cap = [&](const Ball& y) {
      if (!o.softcap) return y;
      const Ball c(*o.softcap, deep), t = exp(2L * y / c);
      return c * ((t - 1L) / (t + 1L));
    };
    E[j] = exp(o.softcap_after_bias ? cap(s + b) : cap(s) + b);
    Z += E[j];
  }
  for (Ball& w : E)
    if (!certainly(w.is_zero())) w /= Z;
  return {E, Z};
}

/// sum_il dO_il o_il, of which the gradients are derivatives.
Ball loss(const Head& h, const DeepHead& x, const AttentionOptions& o) {
  Ball r(0, deep);
  for (std::size_t i = 0; i < h.m; ++i) {
    const auto [P, Z] = weights(h, x, o, i);
    for (std::size_t j = 0; j < h.n; ++j)
      for (std::size_t l = 0; l < h.e; ++l)
        r += P[j] * x.v[j * h.e + l] * Ball::exactly(h.d_out[i * h.e + l], deep);
  }
  return r;
}

DeepHead deep_head(const Head& h, const AttentionOptions& o) {
  DeepHead x{balls(h.q), balls(h.k), balls(h.v), std::nullopt};
  if (o.sink) x.sink = Ball(*o.sink, deep);
  return x;
}

Head random_head(Random& random) {
  Head h{1 + random.below(5),
         1 + random.below(6),
         1 + random.below(4),
         1 + random.below(3),
         {},
         {},
         {},
         {},
         {},
         {}};
  const double size = std::pow(10.0, static_cast<double>(random.below(3)));
  const auto fill = [&](std::vector<double>& a, std::size_t count, double s) {
    for (std::size_t k = 0; k < count; ++k) a.push_back(s * random.unit());
  };
  fill(h.q, h.m * h.d, size);
  fill(h.k, h.n * h.d, 1);
  if (random.below(3) == 0)
    for (std::size_t k = h.d; k < h.k.size(); ++k) h.k[k] = h.k[k % h.d] + 1e-9 * random.unit();
  fill(h.v, h.n * h.e, 1);
  fill(h.d_out, h.m * h.e, 1);
  switch (random.below(4)) {
    case 0:
      for (std::size_t k = 0; k < h.m * h.n; ++k) h.visible.push_back(random.below(3) != 0);
      break;
    case 1:
      for (std::size_t k = 0; k < h.m * h.n; ++k)
        h.bias.push_back(random.below(4) == 0 ? -HUGE_VAL : 3 * random.unit());
      break;
    default:
      break;
  }
  return h;
}

AttentionOptions random_options(Random& random) {
  AttentionOptions o;
  o.quantities.assign(row_quantities().begin(), row_quantities().end());
  o.digits = 25;
  if (random.below(2) == 0) o.scale = Rational(static_cast<long>(random.below(9)) + 1, 4);
  o.causal = static_cast<Causal>(random.below(3));
  if (random.below(4) == 0) o.window = 1 + random.below(3);
  if (random.below(3) == 0) {
    o.softcap = Rational(static_cast<long>(random.below(30)) + 1, 2);
    o.softcap_after_bias = random.below(2) == 0;
  }
  if (random.below(3) == 0) o.sink = Rational(static_cast<long>(random.below(9)) - 4, 3);
  if (random.below(4) == 0) {
    o.schedule = default_schedule("ssmax");
    o.schedule->coefficient = Rational(2, 3);
    o.schedule->offset = 0;
  }
  return o;
}

void check_value(const std::string& what, const Ball& x, const Ball& right) {
  INFO(what << ": " << print(x, 30).lo << " .. " << print(x, 30).hi << " against " << print(right, 30).lo);
  // A value that is exact is right when the sum of many bits contains it.
  CHECK((x.contains(right) || (x.is_exact() && right.contains(x))));
}

void check_row(const Head& h, const AttentionOptions& o, const AttentionRow& r) {
  const auto [P, Z] = weights(h, deep_head(h, o), o, r.row);
  Ball entropy(0, deep), squares(0, deep), largest(0, deep);
  bool nothing = true;
  for (std::size_t j = 0; j < h.n; ++j) {
    check_value(fmt::format("weight {}", j), r.weights[j], P[j]);
    if (certainly(P[j].is_zero())) continue;
    nothing = false;
    entropy -= P[j] * log(P[j]);
    squares += sqr(P[j]);
    largest = max(std::move(largest), P[j]);
  }
  CHECK(r.sees_nothing == nothing);
  for (std::size_t l = 0; l < h.e; ++l) {
    Ball output(0, deep);
    for (std::size_t j = 0; j < h.n; ++j) output += P[j] * Ball::exactly(h.v[j * h.e + l], deep);
    check_value(fmt::format("output {}", l), r.output[l], output);
  }
  const bool infinite = nothing && !o.sink;
  REQUIRE(r.lse.has_value() == !infinite);
  if (!infinite) CHECK(overlaps(*r.lse, log(Z)));
  CHECK(overlaps(*r.max_weight, largest));
  CHECK(overlaps(*r.entropy, entropy));
  REQUIRE(r.participation.has_value() == !nothing);
  if (!nothing) CHECK(overlaps(*r.participation, 1L / squares));
}

void check_gradient(const std::string& what, const Ball& x, const Ball& right) {
  INFO(what << ": " << print(x, 30).lo << " .. " << print(x, 30).hi << " against " << print(right, 30).lo);
  const Ball slack = scaled(hull(Ball(-1, deep), Ball(1, deep)), -120);
  CHECK(overlaps(x, right + slack));
}

/// The derivative of the loss by one entry, up to about 2^-200.
Ball numerical(const Head& h, const AttentionOptions& o, std::vector<Ball> DeepHead::*array, std::size_t at) {
  DeepHead x = deep_head(h, o);
  const Ball step = scaled(Ball(1, deep), -110), value = (x.*array)[at];
  (x.*array)[at] = value + step;
  const Ball above = loss(h, x, o);
  (x.*array)[at] = value - step;
  return (above - loss(h, x, o)) / (2L * step);
}

void check_gradients(const Head& h, const AttentionOptions& o) {
  const AttentionHead view = h.view();
  const std::span<const double> d_out = h.d_out;
  const AttentionGradients g = attention_gradients({&view, 1}, {&d_out, 1}, o);
  for (std::size_t k = 0; k < h.q.size(); ++k)
    check_gradient(fmt::format("dq {}", k), g.dq[0][k], numerical(h, o, &DeepHead::q, k));
  for (std::size_t k = 0; k < h.k.size(); ++k)
    check_gradient(fmt::format("dk {}", k), g.dk[k], numerical(h, o, &DeepHead::k, k));
  for (std::size_t k = 0; k < h.v.size(); ++k)
    check_gradient(fmt::format("dv {}", k), g.dv[k], numerical(h, o, &DeepHead::v, k));
  if (!o.sink) return;
  DeepHead x = deep_head(h, o);
  const Ball step = scaled(Ball(1, deep), -110), at = *x.sink;
  x.sink = at + step;
  const Ball above = loss(h, x, o);
  x.sink = at - step;
  check_gradient("dsink", g.dsink[0], (above - loss(h, x, o)) / (2L * step));
}

Head simple_head(std::size_t m, std::size_t n) {
  Random random(3);
  Head h{m, n, 2, 2, {}, {}, {}, {}, {}, {}};
  for (std::size_t k = 0; k < 2 * m; ++k) h.q.push_back(random.unit()), h.d_out.push_back(random.unit());
  for (std::size_t k = 0; k < 2 * n; ++k) h.k.push_back(random.unit()), h.v.push_back(random.unit());
  return h;
}

}  // namespace

TEST_CASE("attention: random heads with every option, forward and backward") {
  Random random(1);
  for (std::size_t set = 0; set < 60; ++set) {
    const Head h = random_head(random);
    const AttentionOptions o = random_options(random);
    INFO("set " << set << ": m " << h.m << ", n " << h.n << ", d " << h.d << ", e " << h.e);
    for (const AttentionRow& r : attend(h.view(), o)) {
      INFO("row " << r.row);
      check_row(h, o, r);
      if (r.lse) CHECK(has_digits(*r.lse, o.digits));
    }
    check_gradients(h, o);
  }
}

TEST_CASE("attention: 60 and 400 digits agree") {
  Random random(2);
  for (std::size_t set = 0; set < 6; ++set) {
    const Head h = random_head(random);
    AttentionOptions o = random_options(random);
    o.digits = 60;
    const auto few = attend(h.view(), o);
    o.digits = 400;
    const auto many = attend(h.view(), o);
    const auto check = [](const char* what, const Ball& x, const Ball& finer) {
      INFO(what << ": " << print(x, 30).lo << " .. " << print(x, 30).hi);
      CHECK((x.contains(finer) || (finer.is_exact() && overlaps(x, finer))));
    };
    const auto check_all = [&](const char* what, const std::vector<Ball>& x, const std::vector<Ball>& finer) {
      REQUIRE(x.size() == finer.size());
      for (std::size_t at = 0; at < x.size(); ++at) check(what, x[at], finer[at]);
    };
    for (std::size_t i = 0; i < few.size(); ++i) {
      check_all("output", few[i].output, many[i].output);
      check_all("weights", few[i].weights, many[i].weights);
      if (few[i].lse) check("lse", *few[i].lse, *many[i].lse);
      check("entropy", *few[i].entropy, *many[i].entropy);
      check("max_weight", *few[i].max_weight, *many[i].max_weight);
    }
    const AttentionHead view = h.view();
    const std::span<const double> d_out = h.d_out;
    const AttentionGradients finer = attention_gradients({&view, 1}, {&d_out, 1}, o);
    o.digits = 60;
    const AttentionGradients g = attention_gradients({&view, 1}, {&d_out, 1}, o);
    check_all("dq", g.dq[0], finer.dq[0]);
    check_all("dk", g.dk, finer.dk);
    check_all("dv", g.dv, finer.dv);
    check_all("dsink", g.dsink, finer.dsink);
  }
}

TEST_CASE("attention: one dominant key keeps the digits of its gradients") {
  // The first key has all but about exp(-2000) of the weight.
  Head h = simple_head(1, 3);
  h.q = {1000, 0};
  h.k = {2, 0, 0, 1, 0, -1};
  AttentionOptions o;
  o.scale = 1;
  o.digits = 20;
  o.quantities = {RowQuantity::max_weight, RowQuantity::entropy};
  const AttentionHead view = h.view();
  const std::span<const double> d_out = h.d_out;
  const AttentionGradients g = attention_gradients({&view, 1}, {&d_out, 1}, o);
  for (const Ball& x : g.dk) CHECK((x.is_exact() || has_digits(x, 20)));
  CHECK(certainly(less(abs(g.dk[0]), exp(Ball(-1900, 64)))));
  CHECK(has_digits(*attend(view, o)[0].entropy, 20));
}

TEST_CASE("attention: unit queries and keys, masks and windows by position") {
  Head h = simple_head(3, 5);
  AttentionOptions o;
  o.digits = 20;
  o.quantities.assign(row_quantities().begin(), row_quantities().end());
  Schedule s = default_schedule("power-of-log");
  s.coefficient = Rational(3, 2);
  s.power = 1;
  s.offset = 0;
  o.unit_beta = s;
  for (const Causal causal : {Causal::none, Causal::top_left, Causal::bottom_right}) {
    o.causal = causal;
    for (const AttentionRow& r : attend(h.view(), o)) check_row(h, o, r);
  }
  // Five queries on three keys, bottom right: the first two see nothing.
  h = simple_head(5, 3);
  o.unit_beta.reset();
  const auto rows = attend(h.view(), o);
  CHECK(rows[0].sees_nothing);
  CHECK_FALSE(rows[1].lse);
  CHECK(certainly(rows[1].output[0].is_zero()));
  CHECK_FALSE(rows[2].sees_nothing);
  CHECK(certainly(equal(*rows[2].max_weight, Ball(1, 64))));
  o.rows = {4, 2};
  const auto chosen = attend(h.view(), o);
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[0].row == 4);
  CHECK(overlaps(*chosen[0].lse, *rows[4].lse));
}

TEST_CASE("attention: grouped heads share the gradients of their keys") {
  Head a = simple_head(3, 4), b = a;
  for (double& x : b.q) x = -2 * x;
  AttentionOptions o;
  o.digits = 20;
  const std::vector<AttentionHead> heads{a.view(), b.view()};
  const std::vector<std::span<const double>> d_out{a.d_out, b.d_out};
  const AttentionGradients both = attention_gradients(heads, d_out, o);
  const AttentionGradients first = attention_gradients({&heads[0], 1}, {&d_out[0], 1}, o);
  const AttentionGradients second = attention_gradients({&heads[1], 1}, {&d_out[1], 1}, o);
  for (std::size_t k = 0; k < both.dk.size(); ++k) CHECK(overlaps(both.dk[k], first.dk[k] + second.dk[k]));
  for (std::size_t k = 0; k < both.dv.size(); ++k) CHECK(overlaps(both.dv[k], first.dv[k] + second.dv[k]));
}

TEST_CASE("attention: what has no meaning is refused") {
  Head h = simple_head(2, 2);
  AttentionOptions o;
  h.v[1] = std::nan("");
  CHECK_THROWS_WITH(attend(h.view(), o), Catch::Contains("v: row 0, column 1: nan"));
  h = simple_head(2, 2);
  h.k[0] = HUGE_VAL;
  CHECK_THROWS_WITH(attend(h.view(), o), Catch::Contains("k: row 0, column 0: infinity"));
  h = simple_head(2, 2);
  h.visible = {1, 1};
  CHECK_THROWS_AS(attend(h.view(), o), InputError);
  h.visible.clear();
  o.softcap = 0;
  CHECK_THROWS_AS(attend(h.view(), o), InputError);
  o.softcap.reset();
  o.rows = {2};
  CHECK_THROWS_WITH(attend(h.view(), o), Catch::Contains("row 2 does not exist"));
}
