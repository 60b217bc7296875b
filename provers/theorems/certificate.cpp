// Uses certificate.hpp and claim_reader.hpp.
#include "theorems/certificate.hpp"

#include "critscale/checker/verify.hpp"
#include "theorems/claim_reader.hpp"

namespace critscale::cli {

using nlohmann::json;

json certificate(const std::string& kind, const std::string& theorem, const json& claim,
                 const json& evidence) {
  json c{{"schema", 1},
         {"kind", kind},
         {"theorem", theorem},
         {"statement", checker::statement(kind, theorem, claim)},
         {"claim", claim},
         {"evidence", evidence},
         {"tool", {{"name", "critscale"}, {"version", CRITSCALE_VERSION}}}};
  c["digest"] = checker::digest(c);
  return c;
}

json to_json(const TailClaim& claim) {
  json box = json::object();
  for (const auto& [name, range] : claim.box)
    box[name] = {to_string(range.lo), claim.unbounded.count(name) != 0 ? "infinity" : to_string(range.hi)};
  json all{{"geometry", claim.geometry},
           {"phase", claim.phase},
           {"quantity", claim.quantity},
           {"box", box},
           {"N", to_string(claim.N)},
           {"limit", claim.limit},
           {"C", to_string(claim.C)},
           {"k", claim.k},
           {"p", claim.p}};
  if (!claim.factor.empty()) all["factor"] = claim.factor;
  return all;
}

json to_json(const Bisection& evidence, const std::vector<std::string>& coordinates, const Witness& witness) {
  json point = json::object();
  for (const auto& [name, v] : witness) point[name] = to_string(v);
  return {{"method", "bisection"},
          {"coordinates", coordinates},
          {"tree", evidence.tree},
          {"leaves", evidence.leaves},
          {"witness", point}};
}

}  // namespace critscale::cli
