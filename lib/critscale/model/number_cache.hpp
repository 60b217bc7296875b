// Values and logarithms of the few exact numbers that a grid asks for again at every point. Uses
// number/.
#pragma once

#include <array>
#include <cstddef>

#include "critscale/number/power_product.hpp"

namespace critscale {

/// Keeps the last enclosures computed, by number and precision. For one thread. What it returns
/// is what `value` and `log` return.
class NumberCache {
 public:
  const Ball& value(const PowerProduct& x, Bits bits) {
    return values_.find(x, bits, [](const PowerProduct& v, Bits b) { return critscale::value(v, b); });
  }
  const Ball& log(const PowerProduct& x, Bits bits) {
    return logarithms_.find(x, bits, [](const PowerProduct& v, Bits b) { return critscale::log(v, b); });
  }

 private:
  class Kept {
   public:
    template <class F>
    const Ball& find(const PowerProduct& x, Bits bits, F&& compute) {
      for (const Entry& e : entries_)
        if (e.bits == bits && e.x.factors() == x.factors()) return e.result;
      Entry& e = entries_[oldest_];
      oldest_ = (oldest_ + 1) % entries_.size();
      e = {x, bits, compute(x, bits)};
      return e.result;
    }

   private:
    struct Entry {
      PowerProduct x;
      Bits bits = 0;
      Ball result;
    };
    std::array<Entry, 8> entries_;
    std::size_t oldest_ = 0;
  };
  Kept values_, logarithms_;
};

}  // namespace critscale
