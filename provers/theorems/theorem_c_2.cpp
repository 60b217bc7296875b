// Theorem C.2: three bands, exactly ([phases]), and rows of which only counts and bounds are known
// ([interval-bands], [nested-bands]).
#include <fmt/format.h>

#include "theorems/claim_reader.hpp"

namespace critscale::cli {

std::vector<Job> theorem_c_2_jobs(const Specification& claim) {
  const Text* name = claim.find_single("class");
  if (!name) {
    std::vector<std::string> quantities{"self_weight",       "band_masses[0]",    "band_masses[1]",
                                        "inner_products[0]", "inner_products[1]", "angle_ratio",
                                        "jacobian_norm"};
    // Where two bands tie, ln Z has no claim.
    const Text* phase = claim.find_single("phase");
    if (!phase || (phase->text != "far-near" && phase->text != "near-self"))
      quantities.insert(quantities.begin(), "log_partition");
    return band_tail_jobs(claim, "C.2", quantities, [](const TailClaim&) { return std::string(); });
  }
  const bool nested = name->text == "nested-bands";
  if (!nested && name->text != "interval-bands")
    throw InputError("class " + in_quotes(name->text) + " is not interval-bands or nested-bands");
  ClassClaim c;
  c.theorem = "C.2";
  c.name = name->text;
  if (const Entry* sizes = claim.find("theta"); nested && sizes) {
    for (std::size_t b = 0; b < sizes->values.size(); ++b)
      c.box[fmt::format("theta[{}]", b)] =
          located(sizes->values[b].where, [&] { return parse_box(sizes->values[b].text); });
  } else {
    c.box["theta"] = box_of(claim, "theta");
  }
  c.box["gap"] = box_of(claim, "gap");
  const Text* phase = claim.find_single("phase");
  if (!phase || (!nested && phase->text != "far" && phase->text != "near" && phase->text != "self"))
    throw InputError(nested ? "the key phase must be self or one of band[0], band[1], ..."
                            : "the key phase must be far, near or self");
  c.phase = phase->text;
  const std::string mass = nested ? "leading_mass" : c.phase == "self" ? "self_weight" : c.phase + "_mass";
  std::vector<Job> jobs;
  for (const std::string& quantity : list_of(claim, "quantity", {mass})) {
    c.quantity = quantity;
    for (Job& job : class_jobs(claim, c)) jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace critscale::cli
