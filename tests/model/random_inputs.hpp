// Random configurations biased to the corners where formulas break. Uses critscale/model/.
#pragma once

#include <initializer_list>
#include <random>
#include <vector>

#include "model/support.hpp"

namespace model_test {

/// Which numbers of tokens are drawn.
enum class Length {
  any,      ///< from 2 to 10^(10^15)
  written,  ///< at most 16, so that a Gram matrix can be written out
};

class RandomInputs {
 public:
  explicit RandomInputs(unsigned seed) : random_(seed) {}

  Configuration simplex(Length length = Length::any);
  /// 1 to 5 levels (3 when written out).
  Configuration bands(Length length = Length::any);

  /// A whole number in [0, bound).
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<unsigned>(choices.size()))];
  }
  /// A fraction in [0, 1] with a small denominator.
  Rational fraction();
  /// A random point of a box, ends included.
  Rational inside(const RationalBox& box) { return box.lo + (box.hi - box.lo) * fraction(); }

 private:
  Rational inner_product();
  /// gamma >= 0: zero, at a threshold, next to it, or anywhere.
  Rational gamma(const Rational& threshold);
  /// Everything but the geometry and n.
  void draw_layer(Configuration& c, const Rational& threshold);

  std::mt19937_64 random_;
};

}  // namespace model_test
