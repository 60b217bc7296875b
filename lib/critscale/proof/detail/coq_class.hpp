// What class claims have in common for Coq: their box, their bound and its rate, and the lemma that bounds a
// function on the box. Uses coq_export.hpp and coq_text.hpp.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "critscale/proof/detail/coq_export.hpp"

namespace critscale::coq {

struct ClassRange {
  Rational lo, hi;
};

/// `lo <= value <= hi`.
std::string within(const std::string& value, const ClassRange& range);
/// A text in which every name is replaced by its value.
std::string replaced(std::string text, const std::map<std::string, std::string>& names);

class ClassSource {
 public:
  /// Throws InputError for a box with an open end and for what no class claim has.
  ClassSource(const Source& source, const Options& options);

  const ClassRange& box(const std::string& key) const;
  /// The claim's inequality about a term; with a rate the bound times n^-exponent.
  std::string relation(const std::string& value, const std::string& exponent) const;
  /// A lemma on real numbers by `interval` alone: on the ranges, `value` is on the bound's side of the bound
  /// (with a rate: at most its size).
  Theorem bound_lemma(const std::string& variables, const std::string& ranges, const std::string& value,
                      const std::string& unfold) const;
  std::string bound_name() const;

  const Source& source;
  const Options& options;
  std::string quantity, rate;  ///< rate: "0" where the bound is a number
  bool at_least = false;
  Rational N, bound;

 private:
  std::map<std::string, ClassRange> box_;
};

std::string row_class_file(const ClassSource& claim);

}  // namespace critscale::coq
