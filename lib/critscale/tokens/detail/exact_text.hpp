// Certified values of tokens and attention as exact text, for other processes of the same program: what is
// read is what was written, to the last bit and the precision. Uses Arb's own text form (in the .cpp only).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/tokens/attention.hpp"
#include "critscale/tokens/layer.hpp"
#include "critscale/tokens/row.hpp"

namespace critscale {

/// Writes one value after the other.
class BallWriter {
 public:
  void put(std::size_t count);
  void put(const Ball& x);
  template <class T>
  void put(const std::optional<T>& x) {
    put(std::size_t{x ? 1U : 0U});
    if (x) put(*x);
  }
  void put(const std::string& text);
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& x : values) put(x);
  }
  void put(const AttentionRow& row);
  void put(const AttentionGradients& g);
  void put(const TokenGeometry& g);
  void put(const RowGaps& row);
  void put(const OutputProducts& p);
  void put(const TokenPair& p);
  void put(const TokenValues& v);
  void put(const AttendedRow& row);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Reads them in the same order. Throws std::logic_error for anything else.
class BallReader {
 public:
  explicit BallReader(std::string_view text) : rest_(text) {}

  template <class T>
  T get() {
    T x{};
    get(x);
    return x;
  }
  void get(std::size_t& count);
  void get(Ball& x);
  void get(std::string& text);
  template <class T>
  void get(std::optional<T>& x) {
    x.reset();
    if (get<std::size_t>() == 1) get(x.emplace());
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.clear();
    for (auto count = get<std::size_t>(); count > 0; --count) get(values.emplace_back());
  }
  void get(AttentionRow& row);
  void get(AttentionGradients& g);
  void get(TokenGeometry& g);
  void get(RowGaps& row);
  void get(OutputProducts& p);
  void get(TokenPair& p);
  void get(TokenValues& v);
  void get(AttendedRow& row);

 private:
  std::string_view word();
  std::string_view rest_;
};

}  // namespace critscale
