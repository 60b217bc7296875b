// What the answers to one question say of a slip. Private to tables/; uses explain.hpp and
// formula_approximate.hpp.
#pragma once

#include <optional>
#include <vector>

#include "critscale/tables/detail/formula_approximate.hpp"
#include "critscale/tables/explain.hpp"

namespace critscale {

/// What a row's answers say of a mutation. They are silent where both it and the right formula are about as
/// far away.
enum class Evidence { against, silent, in_favour };

/// A row with what its mutations are compared with.
class EvidenceRow {
 public:
  EvidenceRow(const JudgedRow& judged, const Formula& right, const Tolerance& t);

  const JudgedRow& judged() const { return judged_; }
  const ReferenceRow& row() const { return *judged_.row; }
  bool is_wrong() const { return judged_.is_wrong; }
  std::size_t entries() const { return found_.size(); }
  /// Entries of the largest array that the formula goes through, about. Rows of heads cost more than they
  /// have answers.
  double work() const { return work_; }
  /// Balls of this question are evaluated: it is not too large.
  bool is_exact() const;
  /// The first wrong number; the number of entries where there is none.
  std::size_t first_wrong() const;

  /// A formula made from the right one. Binary64 with error bounds decides what it can, Balls the rest; of
  /// questions too large for these what is open counts as near.
  Evidence evidence(const Formula& f) const;
  /// The formula's value at an entry less the one found; nan where it is no number or not known.
  double residual(const Formula& f, std::size_t entry) const;

 private:
  struct Found {
    Outcome::Kind kind;
    double value, size_right, distance;  ///< the answer, |right|, |answer - right|
    const Allowance* allowance;
    bool has_right, is_wrong;
  };
  double allowed(const Found& x, double size) const;
  Truth is_near(const Approximate& mutated, const Found& x) const;
  static Truth is_nearer(const Approximate& mutated, const Found& x);
  std::optional<Evidence> approximate_evidence(const Formula& f) const;
  Evidence exact_evidence(const Formula& f) const;

  JudgedRow judged_;
  const Tolerance* t_;
  FormulaInputs inputs_;
  std::optional<std::vector<Allowance>> allowances_;
  std::vector<Found> found_;
  ApproximateFormula approximate_;
  double work_ = 0;
};

}  // namespace critscale
