// Laws that hold for every configuration, on random inputs biased to corners. A failure names every
// input exactly.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "critscale/model/inputs.hpp"
#include "model/other_types.hpp"
#include "model/random_inputs.hpp"

using namespace model_test;

namespace {

/// Any geometry; simplices one time in three.
Configuration any(RandomInputs& random) { return random.below(3) == 0 ? random.simplex() : random.bands(); }

std::size_t band_count(const Configuration& c) { return c.bands(); }

std::string band(const char* name, std::size_t b) { return fmt::format("{}[{}]", name, b); }

/// Every value of `a` overlaps the value of `b` with the same name.
template <class Other>
void check_overlap(const NamedValues<Ball>& a, const NamedValues<Other>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].name == b[i].name);
    INFO(a[i].name << ": " << describe(a[i].value));
    if constexpr (std::is_same_v<Other, Ball>) {
      INFO("and " << describe(b[i].value));
      CHECK(overlaps(a[i].value, b[i].value));
    } else {
      INFO("and [" << b[i].value.lower().to_hex() << ", " << b[i].value.upper().to_hex() << "]");
      CHECK((a[i].value.lower() <= b[i].value.upper() && b[i].value.lower() <= a[i].value.upper()));
    }
  }
}

}  // namespace

TEST_CASE("two precisions overlap, each as accurate as its bits and log beta allow") {
  RandomInputs random(1);
  for (int i = 0; i < 600; ++i) {
    const Configuration c = any(random);
    const Bits low = 64 + random.below(120), high = low + 1 + random.below(400);
    INFO(describe(c) << ", " << low << " and " << high << " bits");
    const NamedValues<Ball> a = ball_values(c, low), b = ball_values(c, high);
    check_overlap(a, b);
    const Bits lost = 24 + log2_of_beta(c);
    for (std::size_t k = 0; k < a.size(); ++k) {
      INFO(a[k].name << ": " << describe(a[k].value) << ", " << describe(b[k].value));
      // A precision that beta's size uses up promises nothing.
      if (low > lost) CHECK((a[k].value.is_exact() || a[k].value.accurate_bits() >= low - lost));
      if (high > lost) CHECK((b[k].value.is_exact() || b[k].value.accurate_bits() >= high - lost));
    }
  }
}

TEST_CASE("Ball and Interval overlap") {
  RandomInputs random(2);
  for (int i = 0; i < 400; ++i) {
    const Configuration c = any(random);
    const Bits bits = 64 + random.below(200);
    INFO(describe(c) << ", " << bits << " bits");
    const NamedValues<Interval> intervals = interval_values(c, bits);
    check_overlap(ball_values(c, bits), intervals);
    for (const auto& [name, value] : intervals) {
      INFO(name);
      CHECK_FALSE(value.is_empty());
    }
  }
}

TEST_CASE("the simplex is a banded configuration with one level") {
  RandomInputs random(3);
  for (int i = 0; i < 500; ++i) {
    const Configuration c = random.simplex();
    INFO(describe(c));
    Configuration bands = c;
    bands.geometry = Bands{{{std::get<Simplex>(c.geometry).rho, c.n}}};
    check_overlap(ball_values(c, 200), ball_values(bands, 200));
  }
}

TEST_CASE("bands of equal inner product are one band") {
  RandomInputs random(4);
  for (int i = 0; i < 300; ++i) {
    const Configuration c = random.bands();
    // Split one band at a size between its own and the one inside it.
    Configuration split = c;
    auto& bands = std::get<Bands>(split.geometry).bands;
    const std::size_t b = random.below(static_cast<unsigned>(bands.size()));
    const PowerProduct inner = b == 0 ? PowerProduct(1) : bands[b - 1].size, ratio = bands[b].size / inner;
    const PowerProduct middle = inner * PowerProduct(2);
    if (!divides(middle, bands[b].size) || middle == bands[b].size) continue;
    bands.insert(bands.begin() + static_cast<std::ptrdiff_t>(b), Band{bands[b].r, middle});
    INFO(describe(c) << "\nsplit: " << describe(split));
    const NamedValues<Ball> whole = ball_values(c, 200), parts = ball_values(split, 200);
    for (const auto& [name, value] : whole) {
      INFO(name << ": " << describe(value));
      if (name.find('[') == std::string::npos) {
        INFO(describe(find(parts, name)));
        CHECK(overlaps(value, find(parts, name)));
      }
    }
    for (std::size_t k = 0; k < band_count(c); ++k)
      for (const char* name : {"inner_products", "band_weights"}) {
        INFO(band(name, k));
        CHECK(overlaps(find(whole, band(name, k)), find(parts, band(name, k < b ? k : k + 1))));
        if (k == b) CHECK(overlaps(find(whole, band(name, k)), find(parts, band(name, k))));
      }
    CHECK(overlaps(find(whole, band("band_masses", b)),
                   find(parts, band("band_masses", b)) + find(parts, band("band_masses", b + 1))));
  }
}

TEST_CASE("small configurations overlap the general Gram form") {
  RandomInputs random(5);
  for (int i = 0; i < 150; ++i) {
    const Configuration c =
        random.below(2) == 0 ? random.simplex(Length::written) : random.bands(Length::written);
    const auto n = static_cast<unsigned>(c.n.to_integer());
    const std::size_t token = random.below(n);
    INFO(describe(c) << ", token " << token);
    check_overlap(ball_values(c, 400), gram_values(c, token, 400));
  }
}

TEST_CASE("weights, masses and what they bound") {
  RandomInputs random(6);
  for (int i = 0; i < 600; ++i) {
    const Configuration c = any(random);
    INFO(describe(c));
    const NamedValues<Ball> v = ball_values(c, 180);
    const auto between = [&](const std::string& name, const Ball& lo, const Ball& hi) {
      const Ball& x = find(v, name);
      INFO(name << ": " << describe(x) << " between " << describe(lo) << " and " << describe(hi));
      CHECK(possibly(less_equal(lo, x)));
      CHECK(possibly(less_equal(x, hi)));
    };
    const Ball zero(0), one(1), n = value(c.n, 180), log_n = log(c.n, 180);
    Ball total = find(v, "self_weight"), count_total = Ball(1);
    const auto* bands = std::get_if<Bands>(&c.geometry);
    PowerProduct inner(1);
    for (std::size_t b = 0; b < band_count(c); ++b) {
      const PowerProduct size = bands ? bands->bands[b].size : c.n;
      const Ball count = value(size, 500) - value(inner, 500);
      inner = size;
      const Ball &mass = find(v, band("band_masses", b)), &weight = find(v, band("band_weights", b));
      INFO("band " << b << ": mass " << describe(mass) << ", weight " << describe(weight));
      CHECK(overlaps(mass, count * weight));
      total += mass;
      between(band("band_masses", b), zero, one);
      between(band("band_weights", b), zero, find(v, "self_weight"));
      between(band("inner_products", b), zero, one);
    }
    CHECK(total.contains(Rational(1)));
    CHECK(total.accurate_bits() > 180 - 24 - log2_of_beta(c));
    between("self_weight", 1 / n, one);
    between("participation", one, n);
    between("entropy", log(Ball(find(v, "participation"))), log_n);
    const Ball beta = evaluate(c, {}, 180).beta;
    between("log_partition", max(beta, log_n), beta + log_n);
    const Ball s = sqrt(Ball(c.q.lo, 180)) * Ball(c.alpha.lo, 180);
    between("output_norm2", sqr(s), sqr(1 + s));
    between("jacobian_norm", zero, Ball::whole_line(64));
    CHECK(possibly(find(v, "jacobian_norm").is_nonnegative()));
    if (!all_tied(c)) CHECK(possibly(find(v, "angle_ratio").is_nonnegative()));
  }
}

TEST_CASE("only alpha sqrt q matters to the outputs, and eta scales with 1/q") {
  RandomInputs random(7);
  for (int i = 0; i < 200; ++i) {
    const Configuration c = any(random);
    Configuration scaled = c;
    scaled.alpha = point(c.alpha.lo / 3);
    scaled.q = point(c.q.lo * 9);
    INFO(describe(c));
    const NamedValues<Ball> a = ball_values(c, 160), b = ball_values(scaled, 160);
    for (const auto& [name, value] : a) {
      INFO(name);
      CHECK(overlaps(value, name == "jacobian_norm" ? 9 * find(b, name) : find(b, name)));
    }
  }
}
