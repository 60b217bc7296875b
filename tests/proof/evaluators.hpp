// The quantities of a tail claim by the library's evaluators, which know nothing of proofs: a second
// opinion on every formula and every bound.
#pragma once

#include <array>
#include <map>
#include <stdexcept>

#include "critscale/model/evaluate.hpp"
#include "critscale/proof/tail.hpp"

namespace critscale::test {

/// One exact point of a claim.
struct ExactPoint {
  PowerProduct n;
  std::map<std::string, Rational> parameters;  ///< as SamplePoint names them
};

inline Rational parameter(const ExactPoint& p, const std::string& name) { return p.parameters.at(name); }

inline Configuration configuration(const TailClaim& claim, const ExactPoint& p) {
  const auto box = [&](const char* name) { return RationalBox{parameter(p, name), parameter(p, name)}; };
  Configuration c;
  c.n = p.n;
  c.scale = critical_scale(box("gamma"));
  c.alpha = box("alpha");
  c.q = box("q");
  const auto ratio = p.parameters.find("n/d");
  c.d = ratio == p.parameters.end() ? p.n : p.n * PowerProduct(Rational(1 / ratio->second));
  c.analytic = true;
  if (claim.geometry == "simplex")
    c.geometry = Simplex{box("rho")};
  else
    c.geometry = Bands{{{box("r"), pow(p.n, parameter(p, "theta"))}, {box("rho"), p.n}}};
  return c;
}

/// Q, or ln Z less its leading term.
inline Ball evaluated(const TailClaim& claim, const ExactPoint& p, Bits bits) {
  const std::string& name = claim.quantity;
  const std::size_t bracket = name.find('[');
  const std::array quantity{quantity_by_name(name.substr(0, bracket))};
  const Evaluation e = evaluate(configuration(claim, p), quantity, bits);
  const std::size_t band =
      bracket == std::string::npos ? 0 : static_cast<std::size_t>(name[bracket + 1] - '0');
  Ball value = e.quantities[0].values.at(band);
  if (name != "log_partition") return value;
  const Rational gamma = parameter(p, "gamma");
  Rational slope = gamma;
  if (claim.phase == "subcritical" || claim.phase == "far") slope = 1 + gamma * parameter(p, "rho");
  if (claim.phase == "near") slope = parameter(p, "theta") + gamma * parameter(p, "r");
  value -= Ball(slope, bits) * log(p.n, bits);
  if (claim.phase == "critical") value -= log(Ball(2, bits));
  return value;
}

/// L at the point, from the problem's exact formula (alpha and q must make sqrt q a fraction).
inline Ball exact_limit(const TailProblem& problem, const ExactPoint& p, const Rational& root_q, Bits bits) {
  if (problem.claim().quantity == "log_partition") return Ball(0, bits);
  std::map<std::string, Rational> at = p.parameters;
  at["root_q"] = root_q;
  at["d"] = 2;
  const Rational low = problem.limit_at(at);
  at["d"] = 1;
  const Rational none = problem.limit_at(at);
  // The limit is linear in 1/d: none + (1 - 1/d) 2 (low - none).
  Ball limit(none, bits);
  const auto ratio = p.parameters.find("n/d");
  if (ratio != p.parameters.end())
    limit += Ball(Rational(2 * (low - none)), bits) * (1 - Ball(ratio->second, bits) / value(p.n, bits));
  return limit;
}

/// The exponent k of a natural rate at a point.
inline Rational exact_rate(const TailClaim& claim, const ExactPoint& p) {
  const Rational gamma = parameter(p, "gamma"), rho = parameter(p, "rho"), far = 1 + gamma * rho;
  if (claim.geometry == "simplex") {
    if (claim.phase == "critical") return 1;
    return claim.phase == "subcritical" ? Rational(far - gamma) : Rational(gamma - far);
  }
  const Rational theta = parameter(p, "theta"), near = theta + gamma * parameter(p, "r");
  Rational k = claim.phase == "far"    ? std::min(Rational(far - near), Rational(far - gamma))
               : claim.phase == "near" ? std::min(Rational(near - far), Rational(near - gamma))
                                       : std::min(Rational(gamma - near), Rational(gamma - far));
  if (claim.quantity == "jacobian_norm" && claim.phase == "self") return claim.box.at("gap").lo;
  if (claim.quantity == "angle_ratio" && claim.phase != "far") k = std::min(k, Rational(1 - theta));
  return k;
}

}  // namespace critscale::test
