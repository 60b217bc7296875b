// Matrices of Balls, for products of many of them. Uses ball.hpp and Arb's arb_mat_t.
#pragma once

#include <cstddef>

#include "critscale/number/ball.hpp"

namespace critscale {

/// A rows x cols matrix of enclosures of one precision.
class BallMatrix {
 public:
  BallMatrix(std::size_t rows, std::size_t cols, Bits bits) : bits_(bits) {
    arb_mat_init(m_, static_cast<slong>(rows), static_cast<slong>(cols));
  }
  BallMatrix(BallMatrix&& o) noexcept : BallMatrix(0, 0, o.bits_) { arb_mat_swap(m_, o.m_); }
  BallMatrix& operator=(BallMatrix&& o) noexcept {
    arb_mat_swap(m_, o.m_);
    bits_ = o.bits_;
    return *this;
  }
  BallMatrix(const BallMatrix&) = delete;
  BallMatrix& operator=(const BallMatrix&) = delete;
  ~BallMatrix() { arb_mat_clear(m_); }

  std::size_t rows() const { return static_cast<std::size_t>(arb_mat_nrows(m_)); }
  std::size_t cols() const { return static_cast<std::size_t>(arb_mat_ncols(m_)); }
  Bits precision() const { return bits_; }

  arb_ptr raw(std::size_t i, std::size_t j) { return m_->rows[i] + j; }
  arb_srcptr raw(std::size_t i, std::size_t j) const { return m_->rows[i] + j; }
  Ball operator()(std::size_t i, std::size_t j) const {
    Ball r(0, bits_);
    arb_set(r.raw(), raw(i, j));
    return r;
  }
  void set(std::size_t i, std::size_t j, const Ball& x) { arb_set(raw(i, j), x.raw()); }

  /// A B, enclosing the product of any matrices in A and B.
  friend BallMatrix operator*(const BallMatrix& A, const BallMatrix& B) {
    BallMatrix r(A.rows(), B.cols(), A.bits_);
    arb_mat_mul(r.m_, A.m_, B.m_, r.bits_);
    return r;
  }
  /// The same matrix again; said aloud, because it may be large.
  BallMatrix copy() const {
    BallMatrix r(rows(), cols(), bits_);
    arb_mat_set(r.m_, m_);
    return r;
  }
  BallMatrix transposed() const {
    BallMatrix r(cols(), rows(), bits_);
    arb_mat_transpose(r.m_, m_);
    return r;
  }
  /// The scalar product of row i with row j of another matrix.
  Ball dot(std::size_t i, const BallMatrix& other, std::size_t j) const {
    Ball r(0, bits_);
    arb_dot(r.raw(), nullptr, 0, raw(i, 0), 1, other.raw(j, 0), 1, arb_mat_ncols(m_), bits_);
    return r;
  }

 private:
  arb_mat_t m_;
  Bits bits_;
};

}  // namespace critscale
