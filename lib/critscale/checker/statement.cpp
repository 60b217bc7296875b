// The sentence of a certificate, from its claim. Uses pieces.hpp and verify.hpp.
#include <fmt/format.h>

#include "critscale/checker/pieces.hpp"
#include "critscale/checker/verify.hpp"

namespace critscale::checker {
namespace {

std::string in_range(const std::string& name, const json& box, const std::string& key) {
  const RationalBox r = range(box, key);
  return r.is_point() ? fmt::format("{} = {}", name, to_string(r.lo))
                      : fmt::format("every {} in [{}, {}]", name, to_string(r.lo), to_string(r.hi));
}

std::string tail_statement(const std::string& theorem, const json& claim) {
  const json& box = member(claim, "box");
  const std::string quantity = text(claim, "quantity"), phase = text(claim, "phase");
  const bool simplex = text(claim, "geometry") == "simplex";
  std::string where;
  if (simplex) {
    where = fmt::format(
        "On the simplex ({}; |x_i|^2 = q, all inner products of the directions rho, beta = gamma ln n), for "
        "{}, {}",
        phase, in_range("rho", box, "rho"), in_range("gamma(1-rho)", box, "gamma_ratio"));
  } else {
    const RationalBox gap = range(box, "gap");
    const std::string gaps = phase == "far"        ? "both (1-theta)-gamma(r-rho) and 1-gamma(1-rho)"
                             : phase == "near"     ? "both gamma(r-rho)-(1-theta) and theta-gamma(1-r)"
                             : phase == "self"     ? "both gamma(1-r)-theta and gamma(1-rho)-1"
                             : phase == "far-near" ? "gamma(r-rho) = 1-theta and theta-gamma(1-r)"
                                                   : "gamma(1-r) = theta and gamma(r-rho)-(1-theta)";
    where = fmt::format(
        "On three bands ({} phase; |x_i|^2 = q, clusters of N_1 = n^theta tokens with inner product r inside "
        "and rho "
        "between, beta = gamma ln n), for {}, {}, {}, every gamma with {} in [{}, {}]",
        phase, in_range("theta", box, "theta"), in_range("r", box, "r"), in_range("rho", box, "rho"), gaps,
        to_string(gap.lo), to_string(gap.hi));
  }
  const std::string quantity_text = quantity == "log_partition" ? "ln Z" : quantity;
  const long p = integer(claim, "p");
  return fmt::format(
      "Theorem {}. {}, {}, {}{} and all real n >= {}: |{} - L| <= C n^-k{} with L = {}, C = {}, k = {}.",
      theorem, where, in_range("alpha", box, "alpha"), in_range("q", box, "q"),
      quantity == "jacobian_norm" ? ", every d >= n" : "", to_string(number(claim, "N")), quantity_text,
      p == 0 ? std::string() : fmt::format(" (ln n)^{}", p), text(claim, "limit"),
      to_string(number(claim, "C")), text(claim, "k"));
}

std::string class_statement(const std::string& theorem, const json& claim) {
  const json& description = member(claim, "class");
  const json& box = member(description, "box");
  const std::string name = text(description, "name");
  std::string where;
  if (name == "near-simplex") {
    const std::string ratio = box.contains("gamma*(1-rho1)") ? "gamma*(1-rho1)" : "gamma*(1-rho2)";
    where = fmt::format(
        "For every configuration with rho1 <= <y_i,y_j> <= rho2 and q1 <= |x_i|^2 <= q2, beta = gamma ln n, "
        "with {}, {}, "
        "[q1, q2] = [{}, {}], {}, {}, every d{}",
        in_range("rho1", box, "rho1"), in_range("rho2 - rho1", box, "spread"), to_string(range(box, "q").lo),
        to_string(range(box, "q").hi), in_range("alpha", box, "alpha"), in_range(ratio, box, ratio),
        text(claim, "quantity").starts_with("jacobian_norm-") ? " >= n" : "");
  } else {
    where = fmt::format(
        "For every row with N_1 - 1 = n^theta - 1 near keys at inner products in [l_near, u_near] and n - "
        "N_1 far keys "
        "in [l_far, u_far], beta = gamma ln n, with {}, both exponent gaps of the phase ({}) at least {}",
        in_range("theta", box, "theta"), text(description, "phase"), to_string(range(box, "gap").lo));
  }
  return fmt::format("Theorem {}. {} and all n >= {}: {} {} {}.", theorem, where,
                     to_string(number(claim, "N")), text(claim, "quantity"), text(claim, "relation"),
                     to_string(number(claim, "bound")));
}

std::string boundary_statement(const json& claim) {
  std::string transitions;
  for (const json& t : member(claim, "transitions"))
    transitions += fmt::format("; at n = {} it lies in [{}, {}]", text(t, "n"), text(t, "lo"), text(t, "hi"));
  const auto given = [&](const char* key) { return to_string(number(claim, key)); };
  const json& thresholds = member(claim, "thresholds");
  const std::string threshold = thresholds.is_array() && thresholds.size() == 1 ? thresholds[0].dump() : "?";
  const bool simplex = text(claim, "geometry") == "simplex";
  const std::string where =
      simplex ? fmt::format("On the simplex with rho = {}", given("rho"))
              : fmt::format("On three bands with clusters of n^{}, r = {}, rho = {}, between the phases {}",
                            given("theta"), given("r"), given("rho"), text(claim, "between"));
  const std::string sides =
      simplex
          ? fmt::format(
                "left of it, for gamma(1-rho) <= 1 - {0}, the self weight tends to 0; at it, to 1/2; right "
                "of it, for gamma(1-rho) >= 1 + {0} (up to 5), to 1",
                given("mu"))
          : fmt::format(
                "left of it, where both exponent gaps of the phase are at least {} (up to 40), the mass of "
                "the {} tends to 0; at it, to 1/2; right of it, likewise, to 1",
                given("mu"), text(claim, "between") == "far-near" ? "near band" : "token itself");
  return fmt::format(
      "{} the phase boundary is gamma_c = {}: {}; and the gamma*(n) of equal masses satisfies |gamma*(n) - "
      "gamma_c| <= C n^-k/ln n for all real n >= {} with C = {}, k = {}{}.",
      where, threshold.substr(1, threshold.size() - 2), sides, given("N"), given("C"), given("k"),
      transitions);
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
