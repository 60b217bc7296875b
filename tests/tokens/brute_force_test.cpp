// Explicit tokens against the definition of the layer in 100 digits: scores, softmax, outputs, and the
// Jacobian by central differences. No formula is shared with the library.
#include <boost/multiprecision/mpfr.hpp>
#include <catch2/catch.hpp>

#include "critscale/text/print.hpp"
#include "critscale/tokens/row.hpp"
#include "tokens/token_sets.hpp"

namespace {

using namespace token_test;
namespace mp = boost::multiprecision;
using Number = mp::number<mp::mpfr_float_backend<100>, mp::et_off>;
using Vectors = std::vector<std::vector<Number>>;

Number dot(const std::vector<Number>& a, const std::vector<Number>& b) {
  Number sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// x'_i = sum_j softmax(beta <y_i, y_j>) y_j + alpha x_i.
Vectors outputs(const Vectors& x, const Number& beta, const Number& alpha) {
  Vectors y = x, r = x;
  for (auto& v : y) {
    const Number length = sqrt(dot(v, v));
    for (Number& c : v) c /= length;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    Number Z = 0;
    std::vector<Number> m(x[0].size(), Number(0));
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Number weight = exp(Number(beta * dot(y[i], y[j])));
      Z += weight;
      for (std::size_t c = 0; c < m.size(); ++c) m[c] += weight * y[j][c];
    }
    for (std::size_t c = 0; c < m.size(); ++c) r[i][c] = m[c] / Z + alpha * x[i][c];
  }
  return r;
}

Number jacobian_norm(Vectors x, const Number& beta, const Number& alpha) {
  const Number step("1e-33");
  Number sum = 0;
  for (auto& token : x)
    for (Number& coordinate : token) {
      const Number at = coordinate;
      coordinate = at + step;
      const Vectors up = outputs(x, beta, alpha);
      coordinate = at - step;
      const Vectors down = outputs(x, beta, alpha);
      coordinate = at;
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t c = 0; c < x[i].size(); ++c) {
          const Number slope = (up[i][c] - down[i][c]) / (2 * step);
          sum += slope * slope;
        }
    }
  return sum / (x.size() * x[0].size());
}

Ball exact_ball(const Number& x) {
  Dyadic exact;
  arf_set_mpfr(exact.raw(), x.backend().data());
  return Ball::exactly(exact, 400);
}

void check_close(const std::string& what, const Ball& x, const Number& reference) {
  const Ball v = exact_ball(reference);
  INFO(what << ": " << print(x, 30).lo << " .. " << print(x, 30).hi << " against " << print(v, 30).lo);
  CHECK(certainly(less_equal(abs(x - v), pow(Ball(10, 400), Integer(-25)))));
}

}  // namespace

TEST_CASE("explicit tokens of different norms agree with the definition and with central differences") {
  const std::vector<TokenSet> sets{
      TokenSet(2, 2, std::vector<double>{1, 0.5, -0.25, 2}),
      TokenSet(4, 3, std::vector<double>{1, 0.5, 0.25, 0.75, 0.5, -3, 2, 1, 0.5, -0.5, 0.125, 1}),
      TokenSet(3, 1, std::vector<double>{1, -2, 0.5}),
      TokenSet(3, 2, std::vector<Rational>{Rational(1, 3), Rational(1, 10), 1, 2, Rational(-1, 7), 5})};
  for (const TokenSet& tokens : sets)
    for (const Rational& alpha : {Rational(0), Rational(1, 2)})
      for (const Rational& gamma : {Rational(1, 2), Rational(3)}) {
        INFO(describe(tokens) << " alpha " << to_string(alpha) << " gamma " << to_string(gamma));
        const auto number = [](const Rational& v) { return Number(numerator(v)) / Number(denominator(v)); };
        Vectors x(tokens.n(), std::vector<Number>(tokens.d()));
        for (std::size_t i = 0; i < tokens.n(); ++i)
          for (std::size_t k = 0; k < tokens.d(); ++k) x[i][k] = number(tokens.exact(i, k));
        const Number beta = number(gamma) * log(Number(tokens.n()));
        const Vectors out = outputs(x, beta, number(alpha));
        const TokenModel model(tokens);
        const TokenValues v = model.evaluate(gamma_scale(gamma), alpha, everything(40));
        check_close("jacobian_norm", *v.jacobian_norm, jacobian_norm(x, beta, number(alpha)));
        Number ratios = 0, smallest = 2, largest = -2;
        std::size_t pairs = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
          check_close("output_norm2", v.output_norm2[i], dot(out[i], out[i]));
          const AttendedRow row = token_row(tokens, gamma_scale(gamma), alpha, i, 40);
          Ball total(0, 200);
          for (std::size_t k = 0; k < tokens.d(); ++k) check_close("output", row.output[k], out[i][k]);
          for (const Ball& w : row.weights) total += w;
          CHECK(certainly(less_equal(abs(total - 1), pow(Ball(10, 200), Integer(-39)))));
          CHECK(overlaps(row.weights[i], v.self_weight[i]));
          for (std::size_t j = 0; j < i; ++j) {
            const auto cosine = [](const std::vector<Number>& a, const std::vector<Number>& b) {
              return Number(dot(a, b) / sqrt(Number(dot(a, a) * dot(b, b))));
            };
            const Number after = cosine(out[i], out[j]);
            smallest = after < smallest ? after : smallest;
            largest = after > largest ? after : largest;
            if (model.tied(i, j)) continue;
            ratios += (1 - after) / (1 - cosine(x[i], x[j]));
            ++pairs;
          }
        }
        check_close("inner_products.min", v.inner_products->min, smallest);
        check_close("inner_products.max", v.inner_products->max, largest);
        check_close("angle_ratio", *v.angle_ratio, Number(ratios / pairs));
      }
}
