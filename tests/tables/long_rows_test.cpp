// Long rows take memory traffic in proportion to their length: certified answers, allowances, and a
// comparison whose answers are wrong. Counted are the bytes that are asked of operator new and of FLINT, so
// that load and machine do not matter: every copy of a row, an id or a list, and every Ball of more than two
// limbs, is among them. A quadratic step would make four times the keys ask for sixteen times as much.
#include <flint/flint.h>
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "critscale/tables/answer.hpp"
#include "critscale/tables/compare.hpp"

namespace {
std::atomic<std::size_t> bytes_asked{0};

void* counted(std::size_t size) {
  bytes_asked += size;
  return std::malloc(size);
}
void* counted_zeros(std::size_t count, std::size_t size) {
  bytes_asked += count * size;
  return std::calloc(count, size);
}
void* counted_again(void* p, std::size_t size) {
  bytes_asked += size;
  return std::realloc(p, size);
}
void released(void* p) { std::free(p); }
}  // namespace

void* operator new(std::size_t size) {
  if (void* p = counted(size > 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

using namespace critscale;

namespace {

Question long_row(std::size_t keys, const char* op) {
  std::string logits;
  for (std::size_t j = 0; j < keys; ++j)
    logits += fmt::format("{}{}", j == 0 ? "" : " ", static_cast<double>(j * 7 % 64) / 16);
  return {op, {{"logits", logits}}};
}

std::size_t bytes_for(std::size_t keys, const char* op) {
  const Question q = long_row(keys, op);
  const Tolerance t = make_tolerance("rounding", Arithmetic::parse("fp32"));
  const std::size_t start = bytes_asked;
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
  return bytes_asked - start;
}

}  // namespace

TEST_CASE("long rows take memory traffic in proportion to their length") {
  __flint_set_memory_functions(counted, counted_zeros, counted_again, released);
  for (const char* op : {"softmax", "logsumexp", "entropy"}) {
    bytes_for(64, op);  // tables of constants are made once
    const std::size_t shorter = bytes_for(4096, op), longer = bytes_for(16384, op);
    CAPTURE(op, shorter, longer);
    CHECK(longer > 2 * shorter);
    CHECK(longer < 5 * shorter);
  }
  __flint_set_memory_functions(std::malloc, std::calloc, std::realloc, std::free);
}
