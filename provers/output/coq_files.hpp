// The directory that `critscale prove --coq` writes: one .v file a certificate, checked by coqc where it is
// installed, and files that print every statement and its assumptions. Uses
// lib/critscale/proof/coq_export.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "critscale/proof/coq_export.hpp"

namespace critscale::cli {

/// What Coq's kernel says of a certificate.
struct KernelVerdict {
  std::string status;  ///< "accepted", "not accepted", "not exported", "not run"
  std::string detail;  ///< why not; for "accepted" empty
  double seconds = 0;  ///< of coqc

  /// Adds the members `kernel`, `kernel_detail` and `kernel_seconds` to a row of the table of verdicts.
  void write_to(nlohmann::ordered_json& row) const;
  /// A line below the verdict's own.
  std::string text() const;
};

class CoqFiles {
 public:
  /// `library` is the folder of provers/formal. Throws InputError where a path cannot be used.
  CoqFiles(std::string directory, std::string library, coq::Options options);
  /// Writes the claim's file and has it compiled. A file that is not accepted is removed.
  KernelVerdict add(const coq::Source& source);
  /// Writes _CoqProject, Statements.v and Assumptions.v of what was added.
  void finish() const;

 private:
  std::string directory_, library_;
  coq::Options options_;
  bool runs_ = false;  ///< coqc is there, and the library is compiled
  std::string why_not_;
  std::vector<std::string> names_;
};

}  // namespace critscale::cli
