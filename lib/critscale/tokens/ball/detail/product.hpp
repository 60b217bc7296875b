// Products of large matrices of Balls, on all threads: numbers as digits that doubles multiply and add
// without error ([ball-products]), or Arb's product where that is better. Private to tokens/; uses
// ball_matrix.hpp.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "critscale/number/detail/ball_matrix.hpp"

namespace critscale {

/// What long work calls now and then, one thread at a time; it may throw to stop the work.
class Checkpoint {
 public:
  Checkpoint() = default;
  explicit Checkpoint(std::function<void()> call) : call_(std::move(call)) {}
  void operator()() const {
    if (!call_) return;
    const std::lock_guard lock(mutex_);
    call_();
  }

 private:
  std::function<void()> call_;
  mutable std::mutex mutex_;
};

/// How numbers are cut into digits, so that sums of `terms` products of digits are integers that a double
/// holds.
struct DigitLayout {
  int digit_bits = 0, slices = 0;

  static DigitLayout of(std::size_t terms, Bits bits);
  bool operator==(const DigitLayout&) const = default;
};

/// Rows of Balls in fixed point: row i is 2^exponent[i] times numbers below 1/2 of `slices` signed digits.
struct DigitRows {
  std::size_t rows = 0, cols = 0;
  DigitLayout layout;
  /// Slice by slice, row by row: digit t stands for 2^(-digit_bits (t + 1)).
  std::unique_ptr<double[]> digits;
  std::vector<long> exponent;
  /// |entry| from above, and the distance of the digits to anything in its Ball; in units of 2^exponent.
  std::unique_ptr<double[]> size, radius;

  /// Empty where the digits cannot hold these numbers.
  static std::unique_ptr<const DigitRows> make(const BallMatrix& A, DigitLayout layout,
                                               const Checkpoint& checkpoint);
};

/// The left-hand side A of products A B^T, whose digits are kept from one product to the next. A must outlive
/// it. One thread at a time.
class LeftFactor {
 public:
  explicit LeftFactor(const BallMatrix& A) : A_(A) {}

 private:
  friend class RightFactor;
  const BallMatrix& A_;
  bool tried_ = false;
  DigitLayout layout_;
  std::unique_ptr<const DigitRows> digits_;
};

/// The right-hand side B of products A B^T, prepared once for several of them.
class RightFactor {
 public:
  /// `terms`: the columns of A where they are more than those of B; 0 for as many.
  RightFactor(BallMatrix B, const Checkpoint& checkpoint, std::size_t terms = 0);
  /// A B^T, enclosing the product of any matrices in A and B; of A's columns the first ones count, as many as
  /// B has. Errors are bounded by the largest entries of a row of A and of a row of B, not entry by entry.
  BallMatrix product(LeftFactor& A) const;
  BallMatrix product(const BallMatrix& A) const {
    LeftFactor left(A);
    return product(left);
  }

 private:
  BallMatrix by_arb(const BallMatrix& A) const;

  BallMatrix B_;
  DigitLayout layout_;
  std::unique_ptr<const DigitRows> digits_;
  const Checkpoint& checkpoint_;
};

}  // namespace critscale
