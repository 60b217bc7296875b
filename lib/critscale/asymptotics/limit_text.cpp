// Text of limits. Uses limit_text.hpp.
#include "critscale/asymptotics/limit_text.hpp"

#include <fmt/format.h>

namespace critscale {

namespace {

std::string coefficient_text(const Coefficient& c, Notation notation) {
  return notation == Notation::latex ? c.latex() : c.text();
}

/// n^power (ln n)^k, empty for 1.
std::string scale_text(const Rational& power, long k, Notation notation) {
  const bool latex = notation == Notation::latex;
  std::string r;
  if (power == 1) r = "n";
  if (power != 0 && power != 1)
    r = fmt::format("n^{}{}{}", latex ? "{" : "(", to_string(power), latex ? "}" : ")");
  if (k == 0) return r;
  if (!r.empty()) r += latex ? " " : "*";
  if (latex) return r + (k == 1 ? "\\ln n" : fmt::format("(\\ln n)^{{{}}}", k));
  return r + (k == 1 ? "ln(n)" : k > 0 ? fmt::format("ln(n)^{}", k) : fmt::format("ln(n)^({})", k));
}

/// A term without its sign; `negative` says what that is.
std::string unsigned_text(const PowerLogTerm& term, Notation notation, bool& negative) {
  const bool latex = notation == Notation::latex;
  std::string c = coefficient_text(term.coefficient, notation);
  const std::string scale = scale_text(term.power, term.log_power, notation);
  const bool sum = term.coefficient.is_sum();
  negative = !sum && c.starts_with('-');
  if (negative) c.erase(0, 1);
  if (scale.empty()) return c;
  if (sum) c = latex ? "\\left(" + c + "\\right)" : "(" + c + ")";
  if (c == "1") return scale;
  return c + (latex ? " " : "*") + scale;
}

}  // namespace

std::string text(const PowerLogTerm& term, Notation notation) {
  bool negative = false;
  const std::string r = unsigned_text(term, notation, negative);
  return negative ? "-" + r : r;
}

std::string expansion_text(const Limit& limit, Notation notation) {
  std::string r;
  if (limit.limit && (!limit.limit->is_zero() || limit.terms.empty()))
    r = coefficient_text(*limit.limit, notation);
  for (const PowerLogTerm& t : limit.terms) {
    bool negative = false;
    const std::string term = unsigned_text(t, notation, negative);
    if (r.empty())
      r = negative ? "-" + term : term;
    else
      r += (negative ? " - " : " + ") + term;
  }
  if (limit.complete || limit.terms.empty()) return r;
  const PowerLogTerm& last = limit.terms.back();
  const std::string scale = scale_text(last.power, last.log_power, notation);
  return r + fmt::format(" + o({})", scale.empty() ? "1" : scale);
}

std::string latex_symbol(Quantity q, std::size_t band) {
  switch (q) {
    case Quantity::log_partition:
      return "\\ln Z_i";
    case Quantity::self_weight:
      return "A_{ii}";
    case Quantity::band_weights:
      return fmt::format("A_{{ij}}\\big|_{{j \\in B_{{{}}}}}", band);
    case Quantity::band_masses:
      return fmt::format("\\sum_{{j \\in B_{{{}}}}} A_{{ij}}", band);
    case Quantity::inner_products:
      return fmt::format("\\langle y'_i, y'_j \\rangle\\big|_{{j \\in B_{{{}}}}}", band);
    case Quantity::output_norm2:
      return "|x'_i|^2";
    case Quantity::angle_ratio:
      return "\\lambda";
    case Quantity::jacobian_norm:
      return "\\eta";
    case Quantity::participation:
      return "\\Big(\\sum_j A_{ij}^2\\Big)^{-1}";
    case Quantity::entropy:
      return "-\\sum_j A_{ij} \\ln A_{ij}";
  }
  return "";
}

}  // namespace critscale
