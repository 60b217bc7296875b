// By what an answer is judged: rounding theory, PyTorch's tolerances, correct rounding, or a number of
// units of the last place. Uses allowance.hpp, reference.hpp and outcome.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/tables/allowance.hpp"
#include "critscale/tables/outcome.hpp"
#include "critscale/tables/reference.hpp"

namespace critscale {

struct Tolerance {
  enum class Rule {
    rounding,  ///< what correct code may err in `arithmetic`; `torch` where there is no theory
    torch,     ///< |x - y| <= atol + rtol |y|, y the right value
    exact,     ///< correctly rounded
    ulp        ///< at most `ulps` units of the last place from the correctly rounded value
  };
  Rule rule = Rule::rounding;
  Arithmetic arithmetic;
  Rational rtol, atol;
  std::uint64_t ulps = 0;

  const BinaryFormat& format() const { return *arithmetic.format; }
  std::string to_string() const;
};
/// "rounding", "torch", "exact" or "ulp=K" in this arithmetic. Throws InputError.
Tolerance make_tolerance(std::string_view rule, const Arithmetic& arithmetic);

/// `suspicious` answers are allowed: roundings of one sign could explain them, random ones would not.
enum class Verdict { right, suspicious, wrong, undecided };

struct Judgement {
  Verdict verdict = Verdict::wrong;
  /// Error over allowance, an upper bound; nothing where that has no meaning.
  std::optional<double> ratio;
};

/// The allowances of a row's values, where the tolerance has them.
std::optional<std::vector<Allowance>> row_allowances(const ReferenceRow& row, const Tolerance& t);
/// Judges one value; `allowance` is that of row_allowances, or nothing.
Judgement judge(const ReferenceValue& right, const Outcome& x, const Tolerance& t,
                const Allowance* allowance);

/// The bit pattern of an outcome in a format; nothing for nan.
std::optional<std::uint64_t> pattern(const Outcome& x, const BinaryFormat& format);
/// That of the right value, where the table decides it.
std::optional<std::uint64_t> right_pattern(const ReferenceValue& v, const BinaryFormat& format);
/// Units of the last place between two patterns.
std::uint64_t distance(const BinaryFormat& format, std::uint64_t a, std::uint64_t b);

}  // namespace critscale
