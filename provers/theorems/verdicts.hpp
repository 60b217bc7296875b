// The table of verdicts, DIR/verdicts.json: one row a claim, written anew after each, so that an interrupted
// run can be resumed. Uses theorems.hpp and io/.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "critscale/io/detail/output_file.hpp"
#include "theorems/theorems.hpp"

namespace critscale::cli {

/// A claim of a case file: a job, or why it is none.
struct PlannedClaim {
  Job job;
  std::string request;  ///< a checksum of what is asked, by which version
  std::string refusal;  ///< why it has no meaning; empty for a job
};

std::string_view outcome_name(ProofOutcome o);

/// A row of the table.
nlohmann::ordered_json row_json(const PlannedClaim& claim, const Verdict& verdict);
nlohmann::ordered_json refusal_json(const PlannedClaim& claim);
/// The same as text.
std::string row_text(const std::string& id, const Verdict& verdict);

/// Earlier verdicts that need not be found again.
class EarlierVerdicts {
 public:
  /// Reads DIR/verdicts.json where it is there; what cannot be read counts as nothing.
  explicit EarlierVerdicts(const std::string& directory);
  /// The row of a claim that was proved by the same request, if its certificate is there, states the same
  /// claim and is accepted by the verifier.
  const nlohmann::ordered_json* proved(const PlannedClaim& claim) const;

 private:
  std::string directory_;
  std::map<std::string, nlohmann::ordered_json> rows_;
};

/// What a row says, for its text.
Verdict verdict_of(const nlohmann::ordered_json& row);

/// The table as it grows. All functions may be called from several threads.
class VerdictTable {
 public:
  VerdictTable(const std::string& directory, std::string case_file, bool replace);
  /// Adds a row and writes the table.
  void add(nlohmann::ordered_json row);
  /// Changes the row of that id, if there is one, and writes the table.
  void change(const std::string& id, const std::function<void(nlohmann::ordered_json&)>& change);
  /// Adds rows of claims that were not reached, and writes the table.
  void leave_undecided(const std::vector<PlannedClaim>& claims, const std::string& why);
  std::string text() const;
  /// Whether a row has this verdict.
  bool has(std::string_view verdict) const;

 private:
  std::string text_unlocked() const;
  mutable std::mutex mutex_;
  std::string case_file_;
  OutputFile lock_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

}  // namespace critscale::cli
