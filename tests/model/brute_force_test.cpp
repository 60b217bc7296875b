// Every quantity of small configurations against explicit vectors: the anchor of all formulas.
#include "model/brute_force.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "critscale/text/print.hpp"
#include "model/other_types.hpp"

using namespace model_test;

namespace {

struct Layer {
  Rational alpha, q;
};
const std::vector<Layer> layers{{0, 1}, {Rational(1, 2), Rational(9, 4)}, {3, Rational(5, 7)}};

/// The largest relative differences met so far.
struct Differences {
  Ball jacobian, others, asymmetry;
  std::size_t configurations = 0;
};

/// |computed - brute| over the larger of |brute| and 1e-20.
Ball difference(const Ball& computed, const Ball& brute) {
  return abs(computed - brute) / max(abs(brute), Ball(tenth_to(20), 512));
}

void compare(const Configuration& c, Embedding embedding, Differences& largest) {
  INFO(describe(c) << (embedding == Embedding::features ? ", features" : ", compressed"));
  const NamedValues<Ball> computed = ball_values(c, 460);
  const BruteForce brute = brute_force(c, embedding, static_cast<unsigned>(largest.configurations));
  CHECK(computed.size() == brute.values.size());
  for (const auto& [name, value] : computed) {
    const Ball d = difference(value, find(brute.values, name));
    const bool jacobian = name == "jacobian_norm";
    INFO(name << ": computed " << describe(value) << ", by definition " << describe(find(brute.values, name))
              << ", difference " << describe(d));
    CHECK(certainly(less(d, Ball(tenth_to(jacobian ? 60 : 90), 64))));
    Ball& record = jacobian ? largest.jacobian : largest.others;
    record = max(record, d);
  }
  CHECK(certainly(less(brute.asymmetry, Ball(tenth_to(100), 64))));
  largest.asymmetry = max(largest.asymmetry, brute.asymmetry);
  ++largest.configurations;
}

/// d = number of features with the features themselves, d = rank, and one more.
void compare_embeddings(Configuration c, Differences& largest) {
  c.d = PowerProduct(feature_count(c));
  compare(c, Embedding::features, largest);
  c.d = gram_rank(c);
  compare(c, Embedding::compressed, largest);
}

void report(const Differences& d) {
  WARN(fmt::format("{} configurations; largest difference: jacobian_norm {}, others {}; between tokens {}",
                   d.configurations, decimal_above(d.jacobian.upper(), 2), decimal_above(d.others.upper(), 2),
                   decimal_above(d.asymmetry.upper(), 2)));
}

Rational half(long numerator) { return Rational(numerator, 2); }

}  // namespace

TEST_CASE("simplex against explicit vectors") {
  Differences largest;
  for (const long n : {2, 3, 5})
    for (const Rational& rho : {Rational(0), Rational(1, 3), Rational(9, 10), Rational(1)})
      for (const Rational& gamma : {Rational(0), Rational(1, 7), half(3), Rational(12)})
        for (const Layer& layer : layers)
          compare_embeddings(with_layer(simplex(PowerProduct(n), rho, gamma), layer.alpha, layer.q), largest);
  compare_embeddings(simplex(PowerProduct(8), Rational(1, 4), Rational(4, 3)), largest);
  report(largest);
}

TEST_CASE("bands against explicit vectors") {
  using Profile = std::vector<std::pair<Rational, PowerProduct>>;
  const auto size = [](long n) { return PowerProduct(n); };
  const std::vector<Profile> profiles{
      {{Rational(2, 5), size(3)}},
      {{Rational(4, 5), size(2)}, {Rational(1, 5), size(4)}},
      {{Rational(4, 5), size(3)}, {Rational(1, 5), size(6)}},
      {{1, size(2)}, {Rational(1, 4), size(6)}},
      {{1, size(3)}, {0, size(6)}},
      {{1, size(2)}, {1, size(4)}},
      {{half(1), size(2)}, {half(1), size(6)}},
      {{Rational(3, 4), size(2)}, {0, size(4)}},
      {{0, size(2)}, {0, size(4)}},
      {{Rational(9, 10), size(2)}, {Rational(3, 5), size(4)}, {Rational(1, 10), size(8)}},
      {{1, size(2)}, {Rational(3, 5), size(4)}, {0, size(8)}},
      {{half(1), size(2)}, {half(1), size(4)}, {Rational(1, 3), size(8)}},
  };
  Differences largest;
  for (std::size_t i = 0; i < profiles.size(); ++i)
    for (const Rational& gamma : {Rational(0), Rational(1, 5), half(3), Rational(10)}) {
      const Layer& layer = layers[largest.configurations / 2 % layers.size()];
      compare_embeddings(with_layer(banded(profiles[i], gamma), layer.alpha, layer.q), largest);
    }
  report(largest);
}

TEST_CASE("other logit scales against explicit vectors") {
  Differences largest;
  Configuration c = with_layer(simplex(PowerProduct(4), Rational(1, 3), 1), Rational(1, 3), 2);
  for (const LogitScale& scale :
       {LogitScale{point(2), Rational(1, 2), point(1)}, LogitScale{point(0), 0, point(7)},
        LogitScale{point(3), 2, point(Rational(-1, 2))}}) {
    c.scale = scale;
    compare_embeddings(c, largest);
  }
  report(largest);
}
