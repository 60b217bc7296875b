// Rows of explicit tokens divided among several processes. The library says which parts there are and what
// they give; the caller carries the bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace critscale {

/// For processes that all hold the same tokens and all make the same calls, in the same order.
class RowSharing {
 public:
  virtual ~RowSharing() = default;
  /// make(p) for every part p < parts, each in one of the processes, perhaps several at a time; then take(p,
  /// what it gave) for all parts in every process, one after the other. The bytes are numbers as the machine
  /// has them: the machines are of one kind.
  virtual void run(std::size_t parts, const std::function<std::string(std::size_t)>& make,
                   const std::function<void(std::size_t, std::string_view)>& take) const = 0;
  /// Whether this process's results are used. The others leave out what is not divided, and their results are
  /// empty or rough.
  virtual bool leads() const = 0;
};

}  // namespace critscale
