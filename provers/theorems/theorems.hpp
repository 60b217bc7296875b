// The theorems that `critscale prove` knows: each turns a [[claim]] table into jobs, one a
// certificate. Uses inputs/ and lib/critscale/proof.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "critscale/proof/prove.hpp"
#include "grids/specification.hpp"

namespace critscale::cli {

/// What became of one claim.
struct Verdict {
  ProofOutcome outcome = ProofOutcome::undecided;
  std::string kind, theorem, quantity;
  nlohmann::json claim, evidence;
  std::string constants;  ///< "C = 7/5, k = 1-gamma*(1-rho)"
  std::string sampled;    ///< largest sampled value of what C bounds; empty where nothing is sampled
  double ratio = 0;       ///< C over that
  std::string paper;      ///< agreement with what the paper states
  std::string detail;     ///< counterexample, or why undecided
};

struct JobContext {
  BisectionLimits limits;
  std::atomic<long>* leaves = nullptr;
};

struct Job {
  std::string id;  ///< also the name of the certificate's file
  std::function<Verdict(const JobContext&)> run;
};

/// The jobs of one [[claim]]. Throws InputError that names the place.
std::vector<Job> jobs_of(const Specification& claim);

// One a file.
std::vector<Job> partition_jobs(const Specification& claim);
std::vector<Job> theorem_2_1_jobs(const Specification& claim);
std::vector<Job> theorem_2_3_jobs(const Specification& claim);
std::vector<Job> theorem_2_4_jobs(const Specification& claim);
std::vector<Job> theorem_2_5_jobs(const Specification& claim);
std::vector<Job> theorem_c_2_jobs(const Specification& claim);
std::vector<Job> boundary_jobs(const Specification& claim);
std::vector<Job> many_layers_jobs(const Specification& claim);
std::vector<Job> value_jobs(const Specification& claim);

}  // namespace critscale::cli
