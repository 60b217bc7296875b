// Long rows take time in proportion to their length: certified answers, allowances, and a comparison whose
// answers are wrong. Processor time of this process; a quadratic step would make four times the keys cost
// sixteen times as much.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <ctime>

#include "critscale/tables/answer.hpp"
#include "critscale/tables/compare.hpp"

using namespace critscale;

namespace {

Question long_row(std::size_t keys, const char* op) {
  std::string logits;
  for (std::size_t j = 0; j < keys; ++j)
    logits += fmt::format("{}{}", j == 0 ? "" : " ", static_cast<double>(j * 7 % 64) / 16);
  return {op, {{"logits", logits}}};
}

double seconds_for(std::size_t keys, const char* op) {
  const Question q = long_row(keys, op);
  const Tolerance t = make_tolerance("rounding", Arithmetic::parse("fp32"));
  const std::clock_t start = std::clock();
  // The id of a published row holds its inputs.
  ReferenceRow row{q.inputs[0].second, q, {}, {}};
  const std::vector<std::string> labels = answer_labels(q);
  const std::vector<Ball> right = certified_answer(q, 15);
  for (std::size_t i = 0; i < labels.size(); ++i) row.values.push_back({labels[i], right[i]});
  Candidate c;
  // Weights of a sum that was counted one term short.
  std::vector<Outcome> found;
  for (const Ball& x : right) found.push_back(Outcome::of(x * Ball(Rational(101, 100), 128)));
  c.values.emplace(row.id, std::move(found));
  const Comparison r = compare({row}, c, t);
  CHECK(r.wrong > 0);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("long rows take time in proportion to their length") {
  for (const char* op : {"softmax", "logsumexp", "entropy"}) {
    const double shorter = seconds_for(4096, op), longer = seconds_for(16384, op);
    CAPTURE(op, shorter, longer);
    CHECK(longer < 12 * shorter + 0.05);
  }
}
