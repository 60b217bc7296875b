// A certificate's claim as a theorem for Coq: stated in the definitions of provers/formal/Layer.v for natural
// n >= N and every configuration in the box, and proved by a theorem of that library and a few calls of
// `interval`. The evidence of the certificate is not used: Coq finds its own. Uses coq_text.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "critscale/number/exact.hpp"

namespace critscale::coq {

struct Options {
  Rational constant_factor = 1;  ///< what C is multiplied by; the file says so where it is not 1
};

/// What is proved: the certificate's kind, theorem and claim, its name and its statement as a sentence.
struct Source {
  std::string id, kind, theorem, statement;
  const nlohmann::json& claim;
};

struct File {
  std::string name;     ///< of the theorem and of the file
  std::string text;     ///< empty where the claim is not exported
  std::string missing;  ///< why not, in one line
};

/// The file of a claim.
File export_claim(const Source& source, const Options& options);

/// One theorem, from its parts.
struct Theorem {
  std::string name;
  std::string statement;  ///< after the name: binders and claim
  std::string proof;
  bool lemma = false;
};
/// The whole text: a comment, the imports (`imports` are modules of the library), the theorems.
std::string file_text(const Source& source, const Options& options, const std::string& imports,
                      const std::vector<Theorem>& theorems);

// One kind a file. Each throws InputError for what it cannot export, with the reason.
std::string simplex_tail_file(const Source& source, const Options& options);
std::string band_tail_file(const Source& source, const Options& options);
std::string band_inner_file(const Source& source, const Options& options);
std::string band_jacobian_file(const Source& source, const Options& options);
std::string band_tie_file(const Source& source, const Options& options);
std::string class_file(const Source& source, const Options& options);
std::string simplex_value_file(const Source& source, const Options& options);
std::string simplex_boundary_file(const Source& source, const Options& options);
std::string band_value_file(const Source& source, const Options& options);
std::string band_boundary_file(const Source& source, const Options& options);

}  // namespace critscale::coq
