// The arrays of `critscale attention`: read or drawn, and seen to fit each other. Uses attention_flags.hpp
// and tokens/.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "critscale/tokens/arrays.hpp"
#include "inputs/attention_flags.hpp"

namespace critscale::cli {

/// An array as (batch, heads, rows, width).
struct HeadArray {
  StoredArray array;
  std::size_t batch = 1, heads = 1, rows = 0, width = 0;

  std::span<const double> head(std::size_t b, std::size_t h) const {
    return std::span(array.entries).subspan((b * heads + h) * rows * width, rows * width);
  }
};

struct AttentionArrays {
  HeadArray q, k, v, d_out;
  StoredArray mask;                    ///< numbers to add; empty where the mask is one of truth values
  std::vector<unsigned char> visible;  ///< that one

  /// Query heads that use one key head.
  std::size_t group() const { return q.heads / k.heads; }
  /// Query head h of batch item b with its keys; refers to this object.
  AttentionHead head(std::size_t b, std::size_t h) const {
    return {
        q.rows,  k.rows,      q.width, v.width, q.head(b, h), k.head(b, h / group()), v.head(b, h / group()),
        visible, mask.entries};
  }
};

/// Throws InputError for files that cannot be read, and names the two shapes that do not fit.
AttentionArrays read_arrays(const AttentionFlags& flags);

}  // namespace critscale::cli
