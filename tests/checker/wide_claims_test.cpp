// Claims about whole domains: every rho in (0, 1), gamma, alpha and q without upper end, exact ties, factors
// ([factors], [open-ends]); claims about many layers ([drift], [collapse]); and claims that say nothing.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <random>

#include "checker/explicit_layer.hpp"
#include "critscale/number/open_box.hpp"
#include "proof/case_claims.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

std::string why_rejected(const json& certificate) { return checker::verify(certificate.dump()).reason; }

void check_accepted(const std::string& claim) {
  for (const cli::Verdict& v : verdicts_of("id = 'w'\n" + claim)) {
    INFO(claim << v.quantity << ": " << v.detail);
    REQUIRE(v.outcome == ProofOutcome::proved);
    CHECK(why_rejected(cli::certificate(v.kind, v.theorem, v.claim, v.evidence)).empty());
  }
}

const std::string everything =
    "rho = { box = ['0', '1'] }\nalpha = { box = ['0', 'infinity'] }\nq = { box = ['0', 'infinity'] }\nN = "
    "'2'\n";

/// The simplex with n tokens after each of some layers, by explicit vectors.
std::vector<Real> inner_products_of_layers(std::size_t n, Real rho, Real gamma, Real alpha, int layers) {
  std::vector<Vector> G(n, Vector(n, rho));
  for (std::size_t i = 0; i < n; ++i) G[i][i] = 1;
  std::vector<Vector> y = vectors_of(G, n);
  Vector norm(n, 1);
  std::vector<Real> products;
  for (int l = 0; l < layers; ++l) {
    const ExplicitLayer layer(y, norm, gamma * std::log(static_cast<Real>(n)), alpha);
    for (std::size_t i = 0; i < n; ++i) {
      norm[i] = std::sqrt(dot(layer.out[i], layer.out[i]));
      for (std::size_t c = 0; c < n; ++c) y[i][c] = layer.out[i][c] / norm[i];
    }
    products.push_back(dot(y[0], y[1]));
  }
  return products;
}

}  // namespace

TEST_CASE("claims about every simplex are proved and accepted") {
  check_accepted("theorem = 'partition'\ngamma_ratio = { box = ['0', '1'] }\n" + everything);
  check_accepted("theorem = 'partition'\ngamma_ratio = { box = ['1', 'infinity'] }\n" + everything);
  const std::string turning = "theorem = '2.1'\nquantity = 'angle_ratio'\nC = '8'\n" + everything;
  check_accepted(turning + "gamma_ratio = { box = ['0', '1'] }\nfactor = '1/rho'\n");
  check_accepted(turning + "gamma_ratio = '1'\n");
  check_accepted(turning + "gamma_ratio = { box = ['101/100', 'infinity'] }\n");
}

TEST_CASE("claims without upper end and with exact ties are proved and accepted on three bands") {
  const std::string boxes =
      "theorem = 'C.2'\ntheta = { box = ['2/5', '1/2'] }\nrho = { box = ['1/10', '1/5'] }\nN = '1000'\n"
      "gap = { box = ['1/5', 'infinity'] }\n";
  check_accepted(boxes + "phase = 'self'\nr = { box = ['7/10', '4/5'] }\nquantity = 'self_weight'\n");
  check_accepted(boxes + "phase = 'near'\nr = { box = ['9/10', '1'] }\nquantity = 'band_masses[0]'\n");
  check_accepted(boxes + "phase = 'far'\nr = '1'\nquantity = ['band_masses[1]', 'inner_products[0]']\n");
}

TEST_CASE("a factor and an open end belong to the claim: without them it is rejected") {
  json c = certificate_of(
      "id = 'w'\ntheorem = '2.1'\nquantity = 'angle_ratio'\n"
      "gamma_ratio = { box = ['0', '1'] }\nfactor = '1/rho'\nC = '2'\n" +
      everything);
  CHECK_THAT(c.at("statement"), Catch::Contains("|Q - L| <= C (1/rho) n^-(1-gamma*(1-rho))"));
  CHECK_THAT(c.at("statement"), Catch::Contains("alpha >= 0, gamma*(1-rho) in [0, 1], q >= 0"));
  json bare = c;
  bare["claim"].erase("factor");
  CHECK_FALSE(checker::verify(forged(bare).dump()).accepted);
  for (const char* factor : {"", "rho", "(1+gamma)^2"}) {
    json other = c;
    other["claim"]["factor"] = factor;
    CHECK_THAT(why_rejected(forged(other)), Catch::Contains("no theorem has this factor here"));
  }
  // Nothing but gamma, alpha and q may be without end.
  json endless = c;
  endless["claim"]["box"]["rho"] = {"0", "infinity"};
  CHECK_FALSE(checker::verify(forged(endless).dump()).accepted);
  json empty = c;
  empty["evidence"]["witness"]["rho"] = "1";
  CHECK_THAT(why_rejected(forged(empty)), Catch::Contains("0 < rho < 1"));
  // What holds up to gamma (1-rho) = 5 need not hold beyond.
  json far = certificate_of(
      "id = 'w'\ntheorem = '2.4'\nrho = '1/3'\ngamma_ratio = { box = ['2', '5'] }\nN = '1000'\n");
  far["claim"]["box"]["gamma_ratio"] = {"2", "infinity"};
  CHECK_THAT(why_rejected(forged(far)), Catch::Contains("needs q > 0 and upper ends"));
}

TEST_CASE("narrowing keeps every solution of lines, with and without upper ends") {
  std::mt19937_64 random(5);
  const auto some = [&](long lo, long hi) {
    return Rational(lo * 8 + static_cast<long>(random() % static_cast<unsigned long>(8 * (hi - lo) + 1)), 8);
  };
  long kept = 0, closed = 0;
  for (int i = 0; i < 20000; ++i) {
    Box y, base, slope;
    std::vector<bool> open;
    for (int k = 0; k < 2; ++k) {
      const Rational a = some(-2, 4), b = some(-1, 1), s = some(0, 2);
      y.push_back({a, a + some(0, 2)});
      base.push_back({b, b + some(0, 1)});
      RationalBox steep{s, s + some(0, 1)};
      slope.push_back(random() % 2 == 0 ? steep : -steep);
      open.push_back(random() % 2 == 0);
    }
    const Box whole = y;
    const std::vector<bool> was_open = open;
    const Rational lowest = some(-1, 1);
    const auto x = narrow_open(y, open, base, slope, lowest);
    for (std::size_t k = 0; k < 2; ++k) closed += was_open[k] && !open[k];
    for (int tries = 0; tries < 6; ++tries) {
      const Rational at = lowest + some(0, 1) * some(0, 9);
      Rational v[2];
      bool inside = true;
      for (std::size_t k = 0; k < 2; ++k) {
        const auto within = [&](const RationalBox& r) { return Rational(r.lo + some(0, 1) * (r.hi - r.lo)); };
        v[k] = within(base[k]) + within(slope[k]) * at;
        inside = inside && v[k] >= whole[k].lo && (was_open[k] || v[k] <= whole[k].hi);
      }
      if (!inside) continue;
      ++kept;
      REQUIRE(x);
      REQUIRE((x->lo <= at && (!x->hi || at <= *x->hi)));
      for (std::size_t k = 0; k < 2; ++k) REQUIRE((y[k].lo <= v[k] && (open[k] || v[k] <= y[k].hi)));
    }
  }
  CHECK(kept > 2000);
  CHECK(closed > 500);
}

TEST_CASE("claims about many layers hold on explicit vectors, and smaller constants are rejected") {
  const std::string claim = "id = 'l'\ntheorem = 'layers'\nrho = { box = ['1/5', '1/3'] }\n";
  json drift = certificate_of(claim + "bound = 'drift'\ngamma_ratio = '4'\nN = '4'\n"),
       collapse = certificate_of(claim + "bound = 'collapse'\nN = '3'\n");
  CHECK(why_rejected(drift).empty());
  CHECK(why_rejected(collapse).empty());
  const auto constant = [](const json& c) {
    return parse_rational(c.at("claim").at("C").get<std::string>()).convert_to<Real>();
  };
  Real most_drift = 0, most_collapse = 0;
  for (const Real rho : {0.2L, 0.25L, 1 / 3.0L}) {
    for (const std::size_t n : {3ul, 4ul, 6ul, 9ul}) {
      const Real log_n = std::log(static_cast<Real>(n));
      for (const Real g : {4.0L, 4.5L, 6.0L}) {
        if (n < 4) continue;
        const Real k = g - 1, gamma = g / (1 - rho), scale = std::exp(k * log_n),
                   layers = scale / (gamma * constant(drift) * log_n);
        for (const Real alpha : {0.0L, 0.5L}) {
          const auto products =
              inner_products_of_layers(n, rho, gamma, alpha, static_cast<int>(std::min(layers, 200.0L)));
          for (std::size_t l = 0; l < products.size(); ++l) {
            CHECK(products[l] >= rho - 1e-15L);
            most_drift = std::max(most_drift, (products[l] - rho) * scale / static_cast<Real>(l + 1));
          }
        }
      }
      for (const Real g : {0.0L, 0.5L, 0.9L}) {
        const Real scale = std::exp(2 * (1 - g) * log_n);
        for (const Real product : inner_products_of_layers(n, rho, g / (1 - rho), 0, 4))
          most_collapse = std::max(most_collapse, (1 - product) * scale);
      }
    }
  }
  CHECK(most_drift > 0.1L);
  CHECK(most_collapse > 0.1L);
  CHECK(most_drift <= constant(drift));
  CHECK(most_collapse <= constant(collapse));
  // Just below what is proved, and just below what is attained.
  for (json* c : {&drift, &collapse}) {
    for (const Real smaller : {0.98L * constant(*c), 0.999L * (c == &drift ? most_drift : most_collapse)}) {
      json less = *c;
      less["claim"]["C"] = fmt::format("{:.9f}", static_cast<double>(smaller));
      CHECK_THAT(why_rejected(forged(less)), Catch::Contains("C is too small"));
    }
  }
  json threshold = drift;
  threshold["claim"]["gamma_ratio"] = "1";
  CHECK_THAT(why_rejected(forged(threshold)), Catch::Contains("above the threshold"));
  threshold["claim"]["gamma_ratio"] = "11/10";
  CHECK_THAT(why_rejected(forged(threshold)), Catch::Contains("N is too small"));
  json none = collapse;
  none["claim"]["rho"] = {"0", "1/3"};
  CHECK_THAT(why_rejected(forged(none)), Catch::Contains("0 < rho < 1"));
}

TEST_CASE("what says no more than the range of its quantity is called trivial") {
  const std::string value =
      "id = 't'\nkind = 'value'\nrho = '1/3'\ngamma = '1'\nn = '100'\nquantities = 'self_weight'\n";
  CHECK(verdicts_of(value + "lo = '0'\nhi = '1'\n").at(0).outcome == ProofOutcome::trivial);
  CHECK(verdicts_of(value + "lo = '0'\nhi = '1/2'\n").at(0).outcome == ProofOutcome::proved);
  const std::string kept =
      "id = 't'\ntheorem = '2.3'\nrho1 = '1/5'\nspread = { box = ['0', '1/5'] }\ngamma_ratio2 = "
      "{ box = ['11/10', '5'] }\nN = '10^6'\nquantity = 'inner_product_change'\n";
  const cli::Verdict change = verdicts_of(kept + "bound = '4/5'\n").at(0);
  CHECK(change.outcome == ProofOutcome::trivial);
  CHECK_THAT(change.detail, Catch::Contains("<= 1-rho1, here 4/5, holds anyway"));
  CHECK(verdicts_of(kept + "bound = '79/100'\n").at(0).outcome == ProofOutcome::proved);
  const std::string mass =
      "id = 't'\ntheorem = 'partition'\nquantity = 'self_weight'\nrho = '1/3'\n"
      "gamma_ratio = { box = ['1/4', '3/4'] }\nN = '1000'\nC = '1'\n";
  CHECK(verdicts_of(mass + "k = '0'\n").at(0).outcome == ProofOutcome::trivial);
  CHECK(verdicts_of(mass + "k = '1/5'\n").at(0).outcome != ProofOutcome::trivial);
}

TEST_CASE("sizes beyond the limits are refused by name") {
  json tail = certificate_of(
      "id = 's'\ntheorem = 'partition'\nquantity = 'self_weight'\nrho = '1/3'\ngamma_ratio = '1/2'\nN = "
      "'1000'\n");
  const std::string long_number = "1/1" + std::string(700, '0');
  for (const char* key : {"C", "N"}) {
    json c = tail;
    c["claim"][key] = long_number;
    CHECK_THAT(why_rejected(forged(c)), Catch::Contains("more than 2048 bits"));
  }
  tail["evidence"]["witness"]["rho"] = long_number;
  CHECK_THAT(why_rejected(forged(tail)), Catch::Contains("more than 2048 bits"));
  json value = certificate_of(
      "id = 's'\nkind = 'value'\nrho = '1/3'\ngamma = '1'\nn = '100'\nquantities = 'self_weight'\n");
  json input = value;
  input["claim"]["inputs"]["gamma"] = "1." + std::string(5000, '0');
  CHECK_THAT(why_rejected(forged(input)), Catch::Contains("gamma has more than 4096 characters"));
  json end = value;
  end["claim"]["lo"] = "0." + std::string(140000, '0') + "1";
  CHECK_THAT(why_rejected(forged(end)), Catch::Contains("has more than 131072 digits"));
  json boundary =
      certificate_of("id = 's'\ntheorem = 'boundary'\nrho = '1/3'\nmu = '1/2'\nN = '1000'\nn = '10^6'\n");
  const json one = boundary["claim"]["transitions"][0];
  boundary["claim"]["transitions"] = json::array();
  for (int i = 0; i < 1001; ++i) boundary["claim"]["transitions"].push_back(one);
  CHECK_THAT(why_rejected(forged(boundary)), Catch::Contains("not a list of at most 1000"));
}
