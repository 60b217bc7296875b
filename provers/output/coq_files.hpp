// The directory that `critscale prove --coq` writes: one .v file a certificate, checked by coqc where it is
// installed, and files that print every statement and its assumptions. Uses
// lib/critscale/proof/detail/coq_export.hpp.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "critscale/proof/detail/coq_export.hpp"

namespace critscale::cli {

/// What Coq's kernel says of a certificate.
struct KernelVerdict {
  std::string status;       ///< "accepted", "not accepted", "not exported", "not run"
  std::string detail;       ///< why not; for "accepted" empty
  std::string assumptions;  ///< of what is accepted: "reals", or "reals, machine numbers"; of the group it
                            ///< was checked with
  double seconds = 0;       ///< of processor time, of coqc

  /// Sets the members `kernel`, `kernel_detail`, `kernel_assumptions` and `kernel_seconds` of a row of the
  /// table of verdicts.
  void write_to(nlohmann::ordered_json& row) const;
  /// A line below the verdict's own.
  std::string text(const std::string& id) const;
};

/// How coqc is run.
struct CoqLimits {
  int jobs = 0;                ///< at once; 0: one a core
  double seconds = 300;        ///< of processor time for each certificate
  long memory_kib = 3L << 20;  ///< address space for each certificate
};

class CoqFiles {
 public:
  using Report = std::function<void(const std::string& id, const KernelVerdict&)>;

  /// `library` is the folder of provers/formal. Throws InputError where a path cannot be used.
  CoqFiles(std::string directory, std::string library, coq::Options options, CoqLimits limits);
  /// Writes the claim's file. What it says of the kernel is final except where coqc runs: then the file waits
  /// for `check`.
  KernelVerdict add(const coq::Source& source);
  /// Has coqc check what waits, several files at once, and reports each as it is decided (from any thread,
  /// one at a time). A file that is not accepted is removed. What was accepted before by the same library,
  /// and is the same text, is not checked again.
  void check(const Report& report);
  /// Writes _CoqProject, Statements.v and Assumptions.v of what was added.
  void finish() const;

 private:
  struct Waiting {
    std::string id, name, sum, theorems;
  };
  struct Compiled {
    const Waiting* file;
    KernelVerdict verdict;
  };
  /// Of a text and the compiled modules it imports.
  std::string sum_of(const std::string& text);
  /// Has coqc compile a file; the verdict is "accepted" or why not. With what it wrote.
  std::pair<KernelVerdict, std::string> coqc(const std::string& stem) const;
  /// Says of compiled files what they rest on: of all at once, or of each where that is too much.
  void judge(std::vector<Compiled>& group) const;
  const KernelVerdict* known(const Waiting& file) const;
  void read_known();
  void write_known() const;

  std::string directory_, library_;
  coq::Options options_;
  CoqLimits limits_;
  bool runs_ = false;  ///< coqc is there, and the library is compiled
  std::string why_not_;
  /// Of compiled modules; each contains those of what it uses.
  std::map<std::string, std::string> module_sums_;
  std::vector<Waiting> waiting_;
  std::vector<std::string> names_;  ///< of files that are accepted, or that nobody checked
  std::map<std::string, std::pair<std::string, KernelVerdict>> known_;  ///< name: checksum, verdict
};

}  // namespace critscale::cli
