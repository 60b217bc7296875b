// Class claims: bounds for every configuration of a class and all n >= N ([interval-bands], [nested-bands],
// [near-simplex]; [classes]). Uses number/ and bisection.hpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "critscale/proof/bisection.hpp"

namespace critscale {

/// For every configuration of the class, with class parameters anywhere in the box, and all whole n >= N:
/// quantity relation bound n^-k (ln n)^p.
struct ClassClaim {
  std::string theorem;  ///< "2.3", "2.5" or "C.2"
  std::string name;     ///< "near-simplex", "interval-bands" or "nested-bands"
  std::string phase;    ///< of interval bands: far, near, self; of nested bands: self, band[0], band[1], ...
  /// near-simplex: rho1, spread = rho2 - rho1, gamma*(1-rho1) or gamma*(1-rho2), alpha, and q, the
  /// range of |x_i|^2; for the Jacobian norm below the threshold n/d from 0 to the most, 1 where it is
  /// missing (d >= n). interval-bands: theta and gap, the least exponent gap.
  /// nested-bands: theta[0], theta[1], ... of all clusters but the last, and gap.
  std::map<std::string, RationalBox> box;
  std::string quantity;
  std::string relation;  ///< "<=" or ">="
  Rational bound;
  Rational N;
  std::string k = "0";  ///< a number, or a rate in the class's parameters (class_rates)
  long p = 0;
};

struct ClassResult {
  bool proved = false, refuted = false;
  ClassClaim claim;                      ///< with the bound that was found
  std::vector<std::string> coordinates;  ///< of the evidence
  Bisection evidence;
  Witness witness;     ///< an exact configuration of the class
  std::string detail;  ///< the counterexample, or why nothing was decided
};

/// The upper end of n/d.
Rational most_tokens_per_dimension(const ClassClaim& claim);
/// The relation that the inequalities of [interval-bands] and [near-simplex] give for the quantity. Throws
/// InputError for a quantity that has none.
std::string class_relation(const std::string& quantity);
/// The name of the gamma coordinate of a near-simplex quantity.
std::string class_ratio(const std::string& quantity);
/// The rate that the quantity tends to its limit with: "0" where it is no distance from a limit.
std::string class_rate(const std::string& quantity);
/// The claim's k at one configuration near the simplex, by |gamma ratio - 1| and gamma (1-rho2).
Rational class_exponent(const ClassClaim& claim, const Rational& first, const Rational& second);
/// A configuration of the class as parameters by name ([witness]); nothing where the class is empty.
std::optional<Witness> class_witness(const ClassClaim& claim);

/// An exact configuration of the class, its n and an enclosure of the quantity there that contradicts the
/// claim; none where none was found: the inequalities of the theory are not sharp, so a claim may be neither
/// proved nor refuted.
std::optional<std::string> refute_class(const ClassClaim& claim);

/// Proves the claim with the given bound (or refutes it), or finds a bound within 1 % of what the
/// inequalities give.
ClassResult decide_class(ClassClaim claim, bool bound_given, const BisectionLimits& limits);

/// The largest value that the inequalities allow on a box of coordinates, times n^k (ln n)^-p (the smallest,
/// negated, for ">=").
Ball class_bound(const ClassClaim& claim, const Box& leaf);

}  // namespace critscale
