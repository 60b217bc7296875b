// Reading the keys of a [[claim]], and the two kinds of jobs that several theorems share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "critscale/number/quote.hpp"
#include "critscale/proof/class_claim.hpp"
#include "theorems/theorems.hpp"

namespace critscale::cli {

/// The range of a key: a number or a box. Throws InputError when it is missing and has no default.
RationalBox box_of(const Specification& claim, const std::string& key,
                   const std::optional<RationalBox>& otherwise = std::nullopt);
/// Reads the range of a key of a tail claim; { box = ["1", "infinity"] } has no upper end.
void read_range(const Specification& claim, const std::string& key, TailClaim& into,
                const std::optional<RationalBox>& otherwise = std::nullopt);
Rational number_of(const Specification& claim, const std::string& key,
                   const std::optional<Rational>& otherwise = std::nullopt);
/// The texts of a list, or the default.
std::vector<std::string> list_of(const Specification& claim, const std::string& key,
                                 const std::vector<std::string>& otherwise);
/// `id`, with a quantity such as inner_products[0] as a suffix that suits a file name.
std::string job_id(const Specification& claim, const std::string& suffix);

/// What the paper states about a limit, as an expression in rho, q and d for alpha = 0; empty where
/// it states nothing (or its wording was not available).
using PaperLimit = std::function<std::string(const TailClaim&)>;
/// One job for each quantity of a simplex claim.
std::vector<Job> simplex_tail_jobs(const Specification& claim, const std::string& theorem,
                                   const std::vector<std::string>& quantities, const PaperLimit& paper);
/// The same on three bands.
std::vector<Job> band_tail_jobs(const Specification& claim, const std::string& theorem,
                                const std::vector<std::string>& quantities, const PaperLimit& paper);
/// One job for each N of a class claim.
std::vector<Job> class_jobs(const Specification& claim, const ClassClaim& what);
/// A near-simplex claim with the class of the table and one of the quantities that belong to it.
std::vector<Job> near_simplex_jobs(const Specification& claim, const std::string& theorem,
                                   const std::vector<std::string>& below,
                                   const std::vector<std::string>& above);

/// A tail claim as the JSON of a certificate.
nlohmann::json to_json(const TailClaim& claim);
nlohmann::json to_json(const Bisection& evidence, const std::vector<std::string>& coordinates,
                       const Witness& witness);

}  // namespace critscale::cli
