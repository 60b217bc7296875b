// The sentence of a certificate, from its claim. Uses pieces.hpp and verify.hpp.
#include <fmt/format.h>

#include "critscale/checker/pieces.hpp"
#include "critscale/checker/verify.hpp"

namespace critscale::checker {
namespace {

std::string given(const json& claim, const char* key) { return to_string(number(claim, key)); }

/// "rho in [1/10, 9/10], alpha = 0, ...".
std::string ranges(const json& box) {
  std::string all;
  for (const auto& item : box.items()) {
    const RationalBox r = range(box, item.key());
    all += fmt::format("{}{}", all.empty() ? "" : ", ", item.key());
    all += r.is_point() ? " = " + to_string(r.lo)
                        : fmt::format(" in [{}, {}]", to_string(r.lo), to_string(r.hi));
  }
  return all;
}

std::string tail_statement(const std::string& theorem, const json& claim) {
  const std::string quantity = text(claim, "quantity"), phase = text(claim, "phase");
  const std::string gaps = phase == "far"        ? "(1-theta)-gamma(r-rho) and 1-gamma(1-rho)"
                           : phase == "near"     ? "gamma(r-rho)-(1-theta) and theta-gamma(1-r)"
                           : phase == "self"     ? "gamma(1-r)-theta and gamma(1-rho)-1"
                           : phase == "far-near" ? "theta-gamma(1-r) at gamma(r-rho) = 1-theta"
                                                 : "gamma(r-rho)-(1-theta) at gamma(1-r) = theta";
  const std::string where =
      text(claim, "geometry") == "simplex"
          ? "On the simplex (|x_i|^2 = q, inner products rho of all directions, gamma_ratio = gamma(1-rho)"
          : "On three bands (|x_i|^2 = q, clusters of N_1 = n^theta tokens with inner product r inside and "
            "rho "
            "between, gap the range of " +
                gaps;
  const long p = integer(claim, "p");
  return fmt::format(
      "Theorem {}. {}, beta = gamma ln n; {}), for every {}{} and all real n >= {}: |{} - L| <= C n^-k{} "
      "with L = "
      "{}, C = {}, k = {}.",
      theorem, where, phase, ranges(member(claim, "box")),
      quantity == "jacobian_norm" ? ", every d >= n" : "", given(claim, "N"),
      quantity == "log_partition" ? "ln Z" : quantity, p == 0 ? std::string() : fmt::format(" (ln n)^{}", p),
      text(claim, "limit"), given(claim, "C"), text(claim, "k"));
}

std::string class_statement(const std::string& theorem, const json& claim) {
  const json& description = member(claim, "class");
  const std::string quantity = text(claim, "quantity");
  const std::string where = text(description, "name") == "near-simplex"
                                ? "For every configuration with rho1 <= <y_i,y_j> <= rho2 = rho1 + spread "
                                  "and q the range of |x_i|^2"
                                : "For every row with N_1 - 1 = n^theta - 1 near and n - N_1 far keys, inner "
                                  "products in intervals, and "
                                  "gap the range of both exponent gaps of the phase " +
                                      text(description, "phase");
  return fmt::format("Theorem {}. {}, beta = gamma ln n, with {}{} and all n >= {}: {} {} {}.", theorem,
                     where, ranges(member(description, "box")),
                     quantity.starts_with("jacobian_norm-") ? ", every d >= n" : "", given(claim, "N"),
                     quantity, text(claim, "relation"), given(claim, "bound"));
}

std::string boundary_statement(const json& claim) {
  std::string where, transitions;
  for (const char* key : {"theta", "r", "rho"})
    if (claim.contains(key))
      where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", key, given(claim, key));
  for (const json& t : member(claim, "transitions"))
    transitions += fmt::format("; at n = {} it lies in [{}, {}]", text(t, "n"), text(t, "lo"), text(t, "hi"));
  const bool simplex = text(claim, "geometry") == "simplex";
  const std::string between = simplex ? "far-self" : text(claim, "between");
  return fmt::format(
      "On {} with {}, between the phases {}, the boundary is gamma_c = {}: up to the margin {} (in {}), the "
      "mass "
      "of the {} tends to 0 left of it, to 1/2 at it and to 1 right of it; the gamma*(n) of equal masses "
      "satisfies "
      "|gamma*(n) - gamma_c| <= C n^-k/ln n for all real n >= {} with C = {}, k = {}{}.",
      simplex ? "the simplex" : "three bands with clusters of n^theta tokens", where, between,
      member(claim, "thresholds").dump(), given(claim, "mu"),
      simplex ? "gamma(1-rho), at most 5" : "both exponent gaps, at most 40",
      between == "far-near" ? "near band" : "token itself", given(claim, "N"), given(claim, "C"),
      given(claim, "k"), transitions);
}

std::string value_statement(const std::string& theorem, const json& claim) {
  std::string inputs;
  for (const auto& item : member(claim, "inputs").items())
    inputs += fmt::format("{}{} = {}", inputs.empty() ? "" : ", ", item.key(),
                          text(member(claim, "inputs"), item.key()));
  return fmt::format("Theorem {}. At {}: {} <= {} <= {}.", theorem, inputs, text(claim, "lo"),
                     text(claim, "quantity"), text(claim, "hi"));
}

}  // namespace

std::string statement(const std::string& kind, const std::string& theorem, const json& claim) {
  if (kind == "value") return value_statement(theorem, claim);
  if (kind == "tail") return tail_statement(theorem, claim);
  if (kind == "class") return class_statement(theorem, claim);
  if (kind == "boundary") return boundary_statement(claim);
  throw Rejected(fmt::format("unknown kind {}", in_quotes(kind)));
}

}  // namespace critscale::checker
