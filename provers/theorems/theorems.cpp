// Uses theorems.hpp.
#include "theorems/theorems.hpp"

#include <fmt/format.h>

#include "theorems/claim_reader.hpp"

namespace critscale::cli {

std::vector<Job> jobs_of(const Specification& claim) {
  const Text* kind = claim.find_single("kind");
  if (kind && kind->text != "value" && kind->text != "tail" && kind->text != "class" &&
      kind->text != "boundary" && kind->text != "layers")
    throw InputError(fmt::format("{}: kind {} is not tail, boundary, class, layers or value", kind->where,
                                 in_quotes(kind->text)));
  if (kind && kind->text == "value") return located(claim.where, [&] { return value_jobs(claim); });
  const Text* theorem = claim.find_single("theorem");
  if (!theorem) throw InputError(claim.where + ": a claim needs the key theorem");
  return located(claim.where, [&] {
    if (theorem->text == "partition") return partition_jobs(claim);
    if (theorem->text == "2.1") return theorem_2_1_jobs(claim);
    if (theorem->text == "2.3") return theorem_2_3_jobs(claim);
    if (theorem->text == "2.4") return theorem_2_4_jobs(claim);
    if (theorem->text == "2.5") return theorem_2_5_jobs(claim);
    if (theorem->text == "C.2") return theorem_c_2_jobs(claim);
    if (theorem->text == "boundary") return boundary_jobs(claim);
    if (theorem->text == "layers") return many_layers_jobs(claim);
    throw InputError("theorem " + in_quotes(theorem->text) +
                     " is unknown; allowed: partition, 2.1, 2.3, 2.4, 2.5, C.2, boundary, layers");
  });
}

}  // namespace critscale::cli
