// Uses coq_export.hpp.
#include "critscale/proof/detail/coq_export.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {

namespace {

std::string text_of(const Source& source, const Options& options) {
  const std::string geometry = source.claim.value("geometry", "");
  if (source.kind == "tail" && geometry == "simplex") return simplex_tail_file(source, options);
  if (source.kind == "tail" && geometry == "bands") {
    const bool tie = source.claim.value("phase", "").find('-') != std::string::npos;
    if (tie) return band_tie_file(source, options);
    const std::string quantity = source.claim.value("quantity", "");
    if (quantity == "jacobian_norm") return band_jacobian_file(source, options);
    const bool inner = quantity.starts_with("inner_products") || quantity == "angle_ratio";
    return inner ? band_inner_file(source, options) : band_tail_file(source, options);
  }
  if (source.kind == "class") return class_file(source, options);
  if (source.kind == "boundary" && geometry == "simplex") return simplex_boundary_file(source, options);
  if (source.kind == "boundary" && geometry == "bands") return band_boundary_file(source, options);
  if (source.kind == "value") {
    const bool simplex = source.claim.at("inputs").value("geometry", "") == "simplex";
    return simplex ? simplex_value_file(source, options) : band_value_file(source, options);
  }
  throw InputError(fmt::format("no theorem of the Coq library speaks of {} claims{}", source.kind,
                               geometry.empty() ? "" : " on " + geometry));
}

}  // namespace

File export_claim(const Source& source, const Options& options) {
  File file{identifier(source.id), {}, {}};
  try {
    file.text = text_of(source, options);
  } catch (const InputError& e) {
    file.missing = e.what();
  }
  return file;
}

std::string file_text(const Source& source, const Options& options, const std::string& imports,
                      const std::vector<Theorem>& theorems) {
  std::string text = fmt::format("(* {}.\n   {}\n", comment(source.id), comment(source.statement));
  if (options.constant_factor != 1)
    text += fmt::format("   Here C is {} times the certificate's.\n", to_string(options.constant_factor));
  text += fmt::format(
      "   Written by `critscale prove --coq`; definitions in Critscale's Sums.v and Layer.v. *)\n"
      "From Coq Require Import Reals Lra Lia.\nFrom Interval Require Import Tactic.\n"
      "From Critscale Require Import {}.\nOpen Scope R_scope.\n",
      imports);
  for (const Theorem& t : theorems)
    text += fmt::format("\n{} {} {}\nProof.\n{}Qed.\n", t.lemma ? "Lemma" : "Theorem", t.name, t.statement,
                        t.proof);
  return text;
}

}  // namespace critscale::coq
