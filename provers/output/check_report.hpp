// The report of `critscale check` as text, JSON or JUnit XML. Uses lib/critscale/tables.
#pragma once

#include <string>

#include "critscale/tables/compare.hpp"

namespace critscale::cli {

/// What was compared with what.
struct CheckSubject {
  std::string table, candidate;
  Tolerance tolerance;
};

/// "conforms", "does not conform", "undecided" or "nothing compared".
std::string verdict_text(const Comparison& c);
/// Why nothing was compared; empty where something was.
std::string reason_text(const Comparison& c, const CheckSubject& subject);
std::string report_text(const Comparison& c, const CheckSubject& subject, std::size_t worst);
std::string report_json(const Comparison& c, const CheckSubject& subject);
/// One test case a row that has something to report, one for each missing, extra or duplicated id, and one
/// for all the rest.
std::string report_junit(const Comparison& c, const CheckSubject& subject);

}  // namespace critscale::cli
