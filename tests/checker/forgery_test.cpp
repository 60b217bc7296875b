// Certificates of every kind, made to claim more or with evidence taken away: all rejected, with a reason,
// though the forger mends statement and digest.
#include <catch2/catch.hpp>
#include <functional>

#include "critscale/checker/verify.hpp"
#include "critscale/number/errors.hpp"
#include "proof/case_claims.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

struct Kind {
  const char *name, *claim;
};
constexpr Kind kinds[] = {
    {"tail",
     "id = 't'\ntheorem = '2.1'\nquantity = 'inner_products[0]'\nrho = { box = ['1/5', '2/5'] }\n"
     "gamma_ratio = '1'\nN = '1000'\n"},
    {"three bands",
     "id = 't'\ntheorem = 'C.2'\nphase = 'near'\nquantity = 'jacobian_norm'\ntheta = { box = ['1/4', '3/4'] "
     "}\n"
     "r = { box = ['7/10', '19/20'] }\nrho = { box = ['1/10', '1/2'] }\ngap = { box = ['1/10', '40'] }\n"
     "N = '1000'\n"},
    {"boundary",
     "id = 'b'\ntheorem = 'boundary'\nrho = '1/3'\nmu = '1/10'\nN = '1000'\nn = ['10^6', '10^100']\n"},
    {"boundary of bands",
     "id = 'b'\ntheorem = 'boundary'\nrho = '1/5'\nr = '4/5'\ntheta = '1/2'\nmu = '1/10'\nN = '1000'\n"
     "n = ['10^6', '10^(10^15)']\n"},
    {"class",
     "id = 'c'\ntheorem = '2.3'\nrho1 = { box = ['1/5', '2/5'] }\nspread = { box = ['0', '1/5'] }\n"
     "q = { box = ['1/2', '2'] }\nalpha = { box = ['0', '2'] }\ngamma_ratio1 = { box = ['0', '9/10'] }\n"
     "N = '1000'\n"},
    {"interval bands",
     "id = 'c'\ntheorem = 'C.2'\nclass = 'interval-bands'\nphase = 'near'\ntheta = { box = ['1/4', '3/4'] }\n"
     "gap = { box = ['1/10', '40'] }\nN = '10^30'\n"},
    {"value",
     "id = 'v'\nkind = 'value'\nrho = '1/3'\ngamma = '3/2'\nn = '10^(10^15)'\nalpha = '1/2'\n"
     "quantities = 'inner_products'\n"},
    {"value on bands",
     "id = 'v'\nkind = 'value'\nband = [{ r = '4/5', size = 'n^(1/2)' }, { r = '1/5', size = 'n' }]\n"
     "gamma = '3/2'\nn = '10^6'\nquantities = 'jacobian_norm'\n"}};

void check_rejected(const json& c, const std::string& what) {
  const checker::Verdict v = checker::verify(c.dump());
  INFO(what << ": " << v.statement);
  CHECK_FALSE(v.accepted);
  CHECK_FALSE(v.reason.empty());
  CHECK(v.reason.find('\n') == std::string::npos);
}

/// Every leaf of a JSON tree, by pointer.
void visit(const json& at, const std::string& path, const std::function<void(const std::string&)>& f) {
  if (at.is_structured())
    for (const auto& item : at.items()) visit(item.value(), path + "/" + item.key(), f);
  if (!at.is_object()) f(path);
}

using Change = std::function<void(json&)>;

/// Claims that say more than is true: changes of `claim`, by kind.
struct Stronger {
  const char *kind, *what;
  Change change;
};
json& tail_of(json& c) { return c["evidence"]["right"]["claim"]; }
const Stronger stronger[] = {
    {"tail", "C", [](json& c) { c["claim"]["C"] = "3/4"; }},
    {"tail", "k", [](json& c) { c["claim"]["k"] = "11/10"; }},
    {"tail", "p", [](json& c) { c["claim"]["p"] = -1; }},
    {"tail", "N",
     [](json& c) {
       c["claim"]["N"] = "2";
       c["claim"]["C"] = "1";
     }},
    {"tail", "box",
     [](json& c) {
       c["claim"]["box"]["rho"] = {"1/1000", "2/5"};
       c["claim"]["C"] = "1";
     }},
    {"tail", "box of gamma",
     [](json& c) {
       c["claim"]["box"]["gamma_ratio"] = {"9/10", "1"};
     }},
    {"tail", "limit", [](json& c) { c["claim"]["limit"] = "rho"; }},
    {"tail", "quantity", [](json& c) { c["claim"]["quantity"] = "angle_ratio"; }},
    {"tail", "phase", [](json& c) { c["claim"]["phase"] = "subcritical"; }},
    {"tail", "geometry", [](json& c) { c["claim"]["geometry"] = "bands"; }},
    {"three bands", "C", [](json& c) { c["claim"]["C"] = "1/3"; }},
    {"three bands", "k", [](json& c) { c["claim"]["k"] = "1/2"; }},
    {"three bands", "N", [](json& c) { c["claim"]["N"] = "2"; }},
    {"three bands", "gap",
     [](json& c) {
       c["claim"]["box"]["gap"] = {"1/100", "40"};
     }},
    {"three bands", "r",
     [](json& c) {
       c["claim"]["box"]["r"] = {"7/10", "999/1000"};
     }},
    {"three bands", "phase", [](json& c) { c["claim"]["phase"] = "self"; }},
    {"three bands", "quantity", [](json& c) { c["claim"]["quantity"] = "angle_ratio"; }},
    {"boundary", "C", [](json& c) { c["claim"]["C"] = "3/2"; }},
    {"boundary", "k", [](json& c) { c["claim"]["k"] = "2"; }},
    {"boundary", "mu", [](json& c) { c["claim"]["mu"] = "1/1000"; }},
    {"boundary", "N", [](json& c) { c["claim"]["N"] = "2"; }},
    {"boundary", "threshold", [](json& c) { c["claim"]["thresholds"] = {"2"}; }},
    {"boundary", "two thresholds",
     [](json& c) {
       c["claim"]["thresholds"] = {"3/2", "3/2"};
     }},
    {"boundary", "rho", [](json& c) { c["claim"]["rho"] = "1/4"; }},
    {"boundary", "transition", [](json& c) { c["claim"]["transitions"][0]["lo"] = "3/2"; }},
    {"boundary", "transition's n", [](json& c) { c["claim"]["transitions"][0]["n"] = "10^7"; }},
    {"boundary", "transition below N", [](json& c) { c["claim"]["transitions"][0]["n"] = "10"; }},
    {"boundary", "constant of a side", [](json& c) { tail_of(c)["C"] = "1/10"; }},
    {"boundary", "rate of a side", [](json& c) { tail_of(c)["k"] = "0"; }},
    {"boundary", "logarithm in a side", [](json& c) { tail_of(c)["p"] = 1; }},
    {"boundary", "box of a side",
     [](json& c) {
       tail_of(c)["box"]["gamma_ratio"] = {"2", "5"};
     }},
    {"boundary of bands", "C", [](json& c) { c["claim"]["C"] = "1"; }},
    {"boundary of bands", "k", [](json& c) { c["claim"]["k"] = "1"; }},
    {"boundary of bands", "mu", [](json& c) { c["claim"]["mu"] = "1/1000"; }},
    {"boundary of bands", "threshold", [](json& c) { c["claim"]["thresholds"] = {"5/2"}; }},
    {"boundary of bands", "other boundary", [](json& c) { c["claim"]["between"] = "near-self"; }},
    {"boundary of bands", "theta", [](json& c) { c["claim"]["theta"] = "1/3"; }},
    {"boundary of bands", "no near phase", [](json& c) { c["claim"]["theta"] = "1/100"; }},
    {"boundary of bands", "transition", [](json& c) { c["claim"]["transitions"][1]["hi"] = "4/5"; }},
    {"class", "bound", [](json& c) { c["claim"]["bound"] = "9/10"; }},
    {"class", "relation", [](json& c) { c["claim"]["relation"] = "<="; }},
    {"class", "N", [](json& c) { c["claim"]["N"] = "8"; }},
    {"class", "rate",
     [](json& c) {
       c["claim"]["k"] = "-1/100";
       c["claim"]["p"] = 0;
     }},
    {"class", "a witness outside", [](json& c) { c["evidence"]["witness"]["rho1"] = "1/2"; }},
    {"tail", "a witness outside", [](json& c) { c["evidence"]["witness"]["gamma"] = "0"; }},
    {"three bands", "a witness outside", [](json& c) { c["evidence"]["witness"]["gamma"] = "100"; }},
    {"interval bands", "a witness outside", [](json& c) { c["evidence"]["witness"]["gamma"] = "100"; }},
    {"class", "gamma",
     [](json& c) {
       c["claim"]["class"]["box"]["gamma*(1-rho1)"] = {"0", "99/100"};
     }},
    {"class", "alpha",
     [](json& c) {
       c["claim"]["class"]["box"]["alpha"] = {"0", "20"};
     }},
    {"class", "spread",
     [](json& c) {
       c["claim"]["class"]["box"]["spread"] = {"0", "1/2"};
     }},
    {"class", "quantity", [](json& c) { c["claim"]["quantity"] = "inner_product_change"; }},
    {"class", "class", [](json& c) { c["claim"]["class"]["name"] = "interval-bands"; }},
    {"interval bands", "bound", [](json& c) { c["claim"]["bound"] = "999/1000"; }},
    {"interval bands", "N", [](json& c) { c["claim"]["N"] = "1000"; }},
    {"interval bands", "gap",
     [](json& c) {
       c["claim"]["class"]["box"]["gap"] = {"1/1000", "40"};
     }},
    {"interval bands", "quantity", [](json& c) { c["claim"]["quantity"] = "self_weight"; }},
    {"value", "lo", [](json& c) { c["claim"]["lo"] = "9/10"; }},
    {"value", "hi", [](json& c) { c["claim"]["hi"] = "1/10"; }},
    {"value", "lo above hi", [](json& c) { std::swap(c["claim"]["lo"], c["claim"]["hi"]); }},
    {"value", "lo to the limit", [](json& c) { c["claim"]["lo"] = c["claim"]["hi"]; }},
    {"value", "n", [](json& c) { c["claim"]["inputs"]["n"] = "10"; }},
    {"value", "n beyond the exponents", [](json& c) { c["claim"]["inputs"]["n"] = "10^(10^30)"; }},
    {"value", "rho", [](json& c) { c["claim"]["inputs"]["rho"] = "1/2"; }},
    {"value", "gamma", [](json& c) { c["claim"]["inputs"]["gamma"] = "2"; }},
    {"value", "alpha", [](json& c) { c["claim"]["inputs"]["alpha"] = "0"; }},
    {"value", "d below the rank", [](json& c) { c["claim"]["inputs"]["d"] = "10"; }},
    {"value", "quantity", [](json& c) { c["claim"]["quantity"] = "angle_ratio"; }},
    {"value", "band", [](json& c) { c["claim"]["quantity"] = "inner_products[1]"; }},
    {"value", "no decimal", [](json& c) { c["claim"]["lo"] = "1e-2e3"; }},
    {"value", "ambiguous decimal", [](json& c) { c["claim"]["lo"] = "1e1/2"; }},
    {"value on bands", "lo", [](json& c) { c["claim"]["lo"] = "1"; }},
    {"value on bands", "size", [](json& c) { c["claim"]["inputs"]["band[0].size"] = "100"; }},
    {"value on bands", "size that does not divide",
     [](json& c) { c["claim"]["inputs"]["band[0].size"] = "999"; }},
    {"value on bands", "last size", [](json& c) { c["claim"]["inputs"]["band[1].size"] = "10^7"; }},
    {"value on bands", "order", [](json& c) { c["claim"]["inputs"]["band[0].r"] = "1/10"; }},
    {"value on bands", "geometry", [](json& c) { c["claim"]["inputs"]["geometry"] = "simplex"; }},
    {"value on bands", "beta and gamma", [](json& c) { c["claim"]["inputs"]["beta"] = "1"; }},
};

}  // namespace

TEST_CASE("forged certificates of every kind are rejected") {
  for (const Kind& kind : kinds) {
    const json good = certificate_of(kind.claim);
    INFO(kind.name);
    const checker::Verdict v = checker::verify(good.dump());
    INFO(v.reason);
    REQUIRE(v.accepted);

    // A claim that says more.
    int changes = 0;
    for (const Stronger& s : stronger) {
      if (std::string(s.kind) != kind.name) continue;
      json bad = good;
      s.change(bad);
      REQUIRE(bad != good);
      check_rejected(bad, std::string(s.what) + ", not mended");
      check_rejected(forged(bad), s.what);
      ++changes;
    }
    REQUIRE(changes > 0);

    // Every theorem and kind but its own.
    for (const char* theorem : {"partition", "2.1", "2.3", "2.4", "2.5", "C.2", "boundary", "", "2.2"}) {
      if (good["theorem"] == theorem) continue;
      json bad = good;
      bad["theorem"] = theorem;
      check_rejected(forged(bad), theorem);
    }
    for (const char* other : {"tail", "boundary", "class", "value", ""}) {
      if (good["kind"] == other) continue;
      json bad = good;
      bad["kind"] = other;
      check_rejected(forged(bad), other);
    }

    // Any member left out, or of another kind; any that nobody knows.
    visit(good, "", [&](const std::string& path) {
      if (path.starts_with("/tool/") || path == "/digest" || path == "/statement") return;  // mended or free
      const json::json_pointer at(path);
      json bad = good;
      if (at.back().find_first_not_of("0123456789") != std::string::npos) {
        bad.at(at.parent_pointer()).erase(at.back());
        check_rejected(forged(bad), "without " + path);
      }
      bad = good;
      bad.at(at) = nullptr;
      check_rejected(forged(bad), "null for " + path);
    });
    for (const char* place : {"", "/claim", "/evidence"}) {
      json bad = good;
      bad.at(json::json_pointer(place))["more"] = "1";
      check_rejected(forged(bad), std::string("more in ") + place);
    }

    // A file cut off anywhere.
    const std::string text = good.dump(1);
    for (std::size_t i = 0; i < 40; ++i)
      CHECK_FALSE(checker::verify(text.substr(0, i * text.size() / 40)).accepted);
  }
}

TEST_CASE("trees with parts dropped or flipped are rejected, whatever the kind") {
  for (const Kind& kind : kinds) {
    const json good = certificate_of(kind.claim);
    visit(good["evidence"], "/evidence", [&](const std::string& path) {
      if (!path.ends_with("/tree")) return;
      const json::json_pointer at(path);
      const std::string tree = good.at(at);
      const auto with = [&](const std::string& changed) {
        json bad = good;
        bad.at(at) = changed;
        return forged(bad);
      };
      const std::size_t step = 1 + tree.size() / 20;
      for (std::size_t i = 0; i < tree.size(); i += step) {
        INFO(kind.name << " " << path << " at " << i);
        check_rejected(with(tree.substr(0, i)), "cut");
        check_rejected(with(std::string(tree).erase(i, 1)), "one dropped");
        check_rejected(with(std::string(tree).replace(i, 1, "9")), "a coordinate that is not there");
        if (tree[i] == '.') check_rejected(with(std::string(tree).replace(i, 1, "x")), "called empty");
      }
      check_rejected(with(tree + "."), "longer");
    });
  }
}

TEST_CASE("a side of a boundary whose claim is true but tends to nothing is rejected") {
  // |Q - L| <= n^-k holds for any mass where k <= 0 throughout the box: one leaf proves it.
  const char *below = "1-gamma*(1-rho)", *above = "gamma*(1-rho)-1", *capped = "min(gamma*(1-rho)-1,1)";
  const json good = certificate_of(kinds[2].claim), bands = certificate_of(kinds[3].claim);
  const auto with = [](json c, const char* side, const std::string& k, long p) {
    json& part = c["evidence"][side];
    part["claim"].update({{"k", k}, {"p", p}, {"C", "1"}});
    part["evidence"].update({{"tree", "."}, {"leaves", 1}});
    return forged(c);
  };
  struct Side {
    const char *side, *k;
    long p;
  };
  const std::vector<Side> empty{{"left", above, 0}, {"left", "0", 0},  {"left", "-1", 0},
                                {"left", above, 1}, {"at", below, 0},  {"at", above, 0},
                                {"at", capped, 0},  {"at", "0", 0},    {"right", below, 0},
                                {"right", "-1", 0}, {"right", "0", 0}, {"right", below, 2}};
  for (const Side& s : empty) {
    const json bad = with(good, s.side, s.k, s.p);
    INFO(s.side << " " << s.k << " " << s.p);
    CHECK(checker::verify(bad.dump()).reason == "a tail claim of a boundary does not tend to 0");
    // As a claim of its own it is proved: it says little, but that is true.
    const json& part = bad["evidence"][s.side];
    json tail = bad;
    tail["kind"] = "tail";
    tail["theorem"] = "partition";
    tail["claim"] = part["claim"];
    tail["evidence"] = part["evidence"];
    CHECK(checker::verify(forged(tail).dump()).accepted);
  }
  for (const char* side : {"left", "at", "right"})
    for (const char* k : {"0", "-1/2"})
      CHECK(checker::verify(with(bands, side, k, 0).dump()).reason ==
            "a tail claim of a boundary does not tend to 0");
}

TEST_CASE("integers that do not fit are not read modulo 2^64") {
  const json good = certificate_of(kinds[0].claim);
  for (const std::uint64_t p : {~std::uint64_t{0} - 1, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    json bad = good;
    bad["claim"]["p"] = p;
    CHECK(checker::verify(forged(bad).dump()).reason == "p is not an integer in [-8, 8]");
  }
  json bad = good;
  bad["claim"]["p"] = -9;
  CHECK_FALSE(checker::verify(forged(bad).dump()).accepted);
  bad = good;
  bad["claim"]["p"] = 0.0;
  CHECK_FALSE(checker::verify(forged(bad).dump()).accepted);
}

TEST_CASE("a stronger claim that the evidence does prove is a true claim, and accepted") {
  // The checker accepts exactly what the evidence proves (CERTIFICATES.md): a little less than C holds too.
  json c = certificate_of(kinds[0].claim);
  const Rational C = parse_rational(c["claim"]["C"].get<std::string>());
  c["claim"]["C"] = to_string(Rational(C * 999 / 1000));
  CHECK_FALSE(checker::verify(c.dump()).accepted);
  CHECK(checker::verify(forged(c).dump()).accepted);
}
