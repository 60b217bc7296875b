// Rows of bands of keys as class claims speak of them: the groups of keys, the token itself first, then the
// bands from the inside out ([interval-bands], [nested-bands]). Uses class_claim.hpp.
#pragma once

#include "critscale/proof/class_claim.hpp"

namespace critscale {

/// A row of nested bands: the exponents of the clusters' sizes but the last, the inner products, gamma.
struct BandRow {
  std::vector<Rational> sizes, inner;
  Rational gamma;
  /// The parameters by the names that the claim has for them.
  Witness witness(const ClassClaim& claim) const;
};

class RowGroups {
 public:
  /// Throws InputError for a phase that names no group.
  explicit RowGroups(const ClassClaim& claim);
  /// The names of the sizes' exponents.
  static std::vector<std::string> size_names(const ClassClaim& claim);

  std::size_t count() const { return count_; }
  /// The group that dominates.
  std::size_t lead() const { return lead_; }
  /// Group t ends with cluster n^this, as a form in the sizes' exponents and the gap: 0 for the token, 1 for
  /// the last.
  LinearForm size_exponent(std::size_t t) const;
  LinearForm gap() const { return coordinate(count_ - 2); }

  /// Throws InputError unless the sizes rise, the gap is positive and the quantity is the dominating mass.
  void require_meaning(const ClassClaim& claim) const;
  /// The row with these sizes whose exponent gaps are all m; none where the inner products would not fall.
  std::optional<BandRow> row_with_gaps(const std::vector<Rational>& sizes, const Rational& m) const;
  /// Such a row of the claim, with its least gap and sizes that leave the dominating band most room.
  std::optional<BandRow> member(const ClassClaim& claim) const;

 private:
  LinearForm coordinate(std::size_t i) const;
  std::size_t count_, lead_;
};

}  // namespace critscale
