// A loop over parts of one computation, by the threads of this process or by several processes. Uses
// row_sharing.hpp and oneTBB.
#pragma once

#include <tbb/parallel_for.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "critscale/tokens/row_sharing.hpp"

namespace critscale {

/// compute(p) for every p < parts. Of parts computed elsewhere only write(p), a string, arrives: read(p, it)
/// puts it where compute(p) would have put its results.
template <class Compute, class Write, class Read>
void for_parts(const RowSharing* sharing, std::size_t parts, const Compute& compute, const Write& write,
               const Read& read) {
  if (!sharing) {
    tbb::parallel_for(std::size_t{0}, parts, compute);
    return;
  }
  sharing->run(
      parts,
      [&](std::size_t p) {
        compute(p);
        return write(p);
      },
      read);
}

/// Records one after the other as bytes.
template <class T>
void append_bytes(std::string& to, std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t size = to.size();
  to.resize(size + values.size_bytes());
  if (!values.empty()) std::memcpy(to.data() + size, values.data(), values.size_bytes());
}
/// Takes them off the front. Throws std::logic_error where there are not enough.
template <class T>
void take_bytes(std::string_view& from, std::span<T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (from.size() < values.size_bytes()) throw std::logic_error("a part of another process is too short");
  if (!values.empty()) std::memcpy(values.data(), from.data(), values.size_bytes());
  from.remove_prefix(values.size_bytes());
}

}  // namespace critscale
