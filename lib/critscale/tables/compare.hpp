// Another implementation's values against a table. Uses tolerance.hpp and explain.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "critscale/tables/explain.hpp"
#include "critscale/tables/tolerance.hpp"

namespace critscale {

/// What a candidate gave: for each id its values in the order of the row's labels.
struct Candidate {
  std::unordered_map<std::string, std::vector<Outcome>> values;
  std::vector<std::string> duplicates;
};

/// One value that was compared.
struct Finding {
  std::string_view id;  ///< the row's own: ids of long rows are long
  std::string label;
  const ReferenceRow* row = nullptr;
  Verdict verdict = Verdict::right;
  std::string expected, found;
  /// Error over allowance; nothing where that has no meaning.
  std::optional<double> ratio;
  /// Distance to the correctly rounded value in units of the last place of the format; nothing where the
  /// correctly rounded value is not decided or one of the two is nan.
  std::optional<std::uint64_t> ulps;
  /// An upper bound of |x - y|/|y|; nothing where that has no meaning.
  std::optional<double> relative_error;
};

struct Comparison {
  std::size_t rows = 0, values = 0;
  std::size_t correctly_rounded = 0;   ///< equal to the correctly rounded value
  std::size_t rounding_undecided = 0;  ///< the table does not decide the correctly rounded value
  std::size_t wrong = 0, suspicious = 0, undecided = 0;
  std::size_t nans = 0, infinities = 0;  ///< among the candidate's values
  std::size_t without_theory = 0;        ///< values judged by PyTorch's tolerances for want of a theory
  std::size_t not_sought = 0;            ///< wrong rows without a formula: no slip was looked for
  double largest_ratio = 0;              ///< of error over allowance, among values that are right
  double mean_ratio = 0;                 ///< of error over allowance, over the same values
  std::vector<std::string> missing, extra, duplicates;
  /// Rows whose inputs the format does not hold exactly: not compared.
  std::vector<std::string> left_out;
  /// Number of values by distance: 0, 1, 2, 3-4, 5-8, ... (upper end of each class); key -1: nan or
  /// undecided.
  std::map<double, std::size_t> histogram;
  /// Wrong or undecided values first, then suspicious ones, then the other inexact ones; each group by
  /// error over allowance, largest first.
  std::vector<Finding> findings;
  std::vector<Explanation> explanations;

  /// Something was compared, no value is wrong or undecided, no id missing, extra or given twice.
  bool conforms() const;
  /// Nothing wrong was seen, but there was nothing to compare or the table's precision does not decide.
  bool is_undecided() const;
  bool nothing_compared() const { return values == 0; }
};

/// Rows are left out whose inputs are not exact in the tolerance's format. Keeps at most `most_findings`
/// findings, which refer to the rows of `reference`.
Comparison compare(const std::vector<ReferenceRow>& reference, const Candidate& candidate,
                   const Tolerance& tolerance, std::size_t most_findings = 1000);

}  // namespace critscale
