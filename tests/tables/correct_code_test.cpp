// Correct code is never accused: simulated implementations in every arithmetic and order stay within the
// allowances, and the largest ratio of error to allowance shows that these are not idle.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>

#include "critscale/tables/allowance.hpp"
#include "critscale/tables/answer.hpp"
#include "critscale/tables/detail/rounded_inputs.hpp"
#include "tables/simulated.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

struct Largest {
  double worst = 0, likely = 0, sum = 0;
  long count = 0;
  void add(double w, double l) {
    worst = std::max(worst, w);
    likely = std::max(likely, l);
    sum += w;
    ++count;
  }
};
using Ratios = std::map<std::string, Largest>;

double as_number(const Ball& x) { return arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR); }

/// error/allowance of one value; the error is formed from the certified value.
void note(Ratios& ratios, const std::string& key, double found, const Ball& right, const Allowance& a) {
  REQUIRE(std::isfinite(found));
  const double error = as_number(Ball(Ball::exactly(found, 256) - right));
  const auto ratio = [&](const Margin& m) {
    const double allowed = error > 0 ? m.up : m.down;
    return error == 0 ? 0.0 : std::abs(error) / allowed;
  };
  INFO(key << ": found " << found << ", right " << as_number(right) << ", ratio " << ratio(a.worst));
  if (!(ratio(a.worst) <= 1)) CHECK(ratio(a.worst) <= 1);
  ratios[key].add(ratio(a.worst), ratio(a.likely));
}

std::string text_of(const std::vector<double>& x) {
  std::string r;
  for (const double v : x) {
    if (!r.empty()) r += ' ';
    r += std::isfinite(v) ? exact_decimal(Dyadic(Ball::exactly(v).midpoint()).to_rational()) : "-inf";
  }
  return r;
}

/// Random and adversarial scores that the format holds.
std::vector<double> scores(std::mt19937_64& random, const BinaryFormat& f, std::size_t n, int kind) {
  std::normal_distribution<double> normal;
  std::vector<double> s;
  for (std::size_t j = 0; j < n; ++j) {
    double x = 0;
    switch (kind) {
      case 0:
        x = normal(random);
        break;
      case 1:
        x = 8 * normal(random);
        break;
      case 2:
        x = 60 * normal(random);
        break;
      case 3:
        x = 0.5;
        break;  // ties
      case 4:
        x = static_cast<double>(j) / 4;
        break;  // ascending
      case 5:
        x = -static_cast<double>(j) / 16;
        break;  // descending
      case 6:
        x = j == n / 2 ? 30 : normal(random);
        break;  // one dominates
      case 7:
        x = (j % 2 == 0 ? 1 : -1) * 20.0;
        break;
      case 8:
        x = 1000 + normal(random);
        break;  // far from 0
      default:
        x = -1000 * std::abs(normal(random));
        break;
    }
    s.push_back(rounded(f, x));
  }
  return s;
}

void run_question(Ratios& ratios, std::mt19937_64& random, const Arithmetic& a, std::size_t n, int kind,
                  std::size_t order_count) {
  const std::vector<double> s = scores(random, *a.format, n, kind);
  const std::string text = text_of(s);
  CAPTURE(a.to_string(), text.substr(0, 200), kind, n);
  const Question softmax{"softmax", {{"logits", text}}}, lse{"logsumexp", {{"logits", text}}},
      entropy{"entropy", {{"logits", text}}};
  std::normal_distribution<double> normal;
  std::vector<double> v;
  for (std::size_t j = 0; j < n; ++j)
    v.push_back(rounded(*a.format, kind == 3 ? 1 + normal(random) / 64 : normal(random)));
  std::string column;
  for (const double x : v) column += (column.empty() ? "" : "; ") + text_of({x});
  const double d = kind % 3 == 0 ? 1 : 128, cap = 30;
  Question row{"attention_row", {{"scores", text}, {"values", column}, {"d", fmt::format("{}", d)}}};
  Question capped = row;
  capped.inputs.emplace_back("softcap", "30");
  const auto right_softmax = answer(softmax, 192), right_lse = answer(lse, 192),
             right_entropy = answer(entropy, 192), right_row = answer(row, 192),
             right_capped = answer(capped, 192);
  const auto a_softmax = *allowances(softmax, a), a_lse = *allowances(lse, a),
             a_entropy = *allowances(entropy, a), a_row = *allowances(row, a),
             a_capped = *allowances(capped, a);
  for (std::size_t k = 0; k < order_count; ++k) {
    const SimulatedCode code(a, orders[k]);
    const std::string in(short_name(*a.format));
    const std::vector<double> p = code.softmax(s);
    for (std::size_t j = 0; j < n; ++j) note(ratios, "softmax " + in, p[j], right_softmax[j], a_softmax[j]);
    note(ratios, "logsumexp " + in, code.logsumexp(s), right_lse[0], a_lse[0]);
    note(ratios, "entropy " + in, code.entropy(s, false), right_entropy[0], a_entropy[0]);
    note(ratios, "entropy by scores " + in, code.entropy(s, true), right_entropy[0], a_entropy[0]);
    const std::vector<double> scaled = code.scaled(s, d);
    for (const bool after : {false, true}) {
      note(ratios, "attention_row " + in, code.output(scaled, v, after), right_row[0], a_row[0]);
      note(ratios, "capped row " + in, code.output(code.capped(scaled, cap), v, after), right_capped[0],
           a_capped[0]);
    }
  }
}

void report(const Ratios& ratios) {
  for (const auto& [key, r] : ratios)
    fmt::print(
        "{:<24} largest error {:.3f} of the worst case, {:.3f} of the likely bound; mean {:.4f}; {} values\n",
        key, r.worst, r.likely, r.sum / static_cast<double>(r.count), r.count);
}

void run(long questions, std::size_t longest) {
  std::mt19937_64 random(20);
  Ratios ratios;
  const std::vector<std::string> arithmetics{
      "fp64", "fp32", "bf16", "fp16", "bf16,elementwise=fp32", "fp16,elementwise=fp32"};
  for (long q = 0; q < questions; ++q) {
    const Arithmetic a = Arithmetic::parse(arithmetics[static_cast<std::size_t>(q) % arithmetics.size()]);
    const std::size_t n = q % 50 == 49 ? longest : 1 + random() % 40;
    run_question(ratios, random, a, n, static_cast<int>(random() % 10), std::size(orders));
  }
  report(ratios);
  for (const auto& [key, r] : ratios) {
    INFO(key);
    // Allowances that nothing comes near would test nothing.
    CHECK(r.worst > 0.02);
  }
}

}  // namespace

TEST_CASE("correct code stays within the allowances") { run(300, 200); }
TEST_CASE("correct code stays within the allowances, ten thousand questions", "[.long]") { run(10000, 2048); }

TEST_CASE("zeros are outside the allowance at long context, in every arithmetic") {
  // A softmax over 393216 equal scores: allowances need the count alone.
  std::string text;
  for (int i = 0; i < 393216; ++i) text += i == 0 ? "0" : " 0";
  const Question q{"softmax", {{"logits", text}}};
  for (const char* arithmetic : {"fp64", "fp32", "bf16", "fp16", "bf16,accumulate=bf16"}) {
    CAPTURE(arithmetic);
    const auto a = *allowances(q, Arithmetic::parse(arithmetic));
    CHECK(a[0].worst.down < 1.0 / 393216);
  }
}
