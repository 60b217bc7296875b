// Another implementation's values against a table. Uses reference.hpp, outcome.hpp and mistakes.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "critscale/tables/outcome.hpp"
#include "critscale/tables/reference.hpp"

namespace critscale {

/// |x - y| <= atol + rtol |y|, y the right value.
struct Tolerance {
  std::string_view name;
  const BinaryFormat* format;
  Rational rtol, atol;
};
/// fp64, fp32, bf16, fp16 with PyTorch's tolerances [tables]. Throws InputError that lists them.
Tolerance tolerance_by_name(std::string_view name);

/// What a candidate gave: for each id its values in the order of the row's labels.
struct Candidate {
  std::unordered_map<std::string, std::vector<Outcome>> values;
  std::vector<std::string> duplicates;
};

enum class Verdict { right, wrong, undecided };

/// One value that was compared.
struct Finding {
  std::string id, label;
  const ReferenceRow* row = nullptr;
  Verdict verdict = Verdict::right;
  std::string expected, found;
  /// Distance to the correctly rounded value in units of the last place of the format; nothing where the
  /// correctly rounded value is not decided or one of the two is nan.
  std::optional<std::uint64_t> ulps;
  /// An upper bound of |x - y|/|y|; nothing where that has no meaning.
  std::optional<double> relative_error;
  /// The known mistake that explains the row.
  std::string mistake;
};

struct Comparison {
  std::size_t rows = 0, values = 0;
  std::size_t correctly_rounded = 0;   ///< equal to the correctly rounded value
  std::size_t rounding_undecided = 0;  ///< the table does not decide the correctly rounded value
  std::size_t wrong = 0, undecided = 0;
  std::size_t left_out = 0;              ///< rows whose inputs the format does not hold exactly
  std::size_t nans = 0, infinities = 0;  ///< among the candidate's values
  std::vector<std::string> missing, extra, duplicates;
  /// Number of values by distance: 0, 1, 2, 3-4, 5-8, ... (upper end of each class); key -1: nan or
  /// undecided.
  std::map<double, std::size_t> histogram;
  /// Wrong or undecided values first, then the other inexact ones; each group by distance, largest first.
  std::vector<Finding> findings;
  /// How many rows each known mistake explains.
  std::map<std::string, std::size_t> mistakes;

  /// No value wrong or undecided, no id missing, extra or given twice.
  bool conforms() const;
  /// Not decided by the table's precision, and nothing else wrong.
  bool is_undecided() const;
};

/// Rows are left out whose inputs are not exact in the tolerance's format. Keeps at most `most_findings`
/// findings.
Comparison compare(const std::vector<ReferenceRow>& reference, const Candidate& candidate,
                   const Tolerance& tolerance, std::size_t most_findings = 1000);

}  // namespace critscale
