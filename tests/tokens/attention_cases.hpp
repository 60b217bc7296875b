// Small attention heads made to be hard for doubles, and the comparison of two enclosures.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "critscale/tokens/attention.hpp"

namespace critscale::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  double unit() { return static_cast<double>(static_cast<std::int64_t>(engine_())) * 0x1p-63; }

 private:
  std::mt19937_64 engine_;
};

struct Case {
  std::size_t m, n, d, e;
  std::vector<double> q, k, v, bias, d_out;
  std::vector<unsigned char> visible;
  AttentionOptions options;
  AttentionHead view() const { return {m, n, d, e, q, k, v, visible, bias}; }
};

/// Scores up to +-10^4, nearly equal keys, one dominant key, subnormal sizes, few keys, biases that hide.
Case hard_case(Random& random);

void check_contained(const char* what, const std::optional<Ball>& rough, const std::optional<Ball>& fine);
void check_all_contained(const char* what, const std::vector<Ball>& rough, const std::vector<Ball>& fine);

}  // namespace critscale::test
