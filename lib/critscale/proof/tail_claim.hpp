// What a tail claim says (kind `tail`), as exact data. Uses number/.
#pragma once

#include <map>
#include <set>
#include <string>

#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

/// For all real n >= N and every parameter in the box: |Q - L| <= C F n^-k (ln n)^p.
struct TailClaim {
  std::string theorem;   ///< "partition", "2.1", "2.4", "C.2"
  std::string geometry;  ///< "simplex" or "bands" (three bands, N_1 = n^theta)
  std::string quantity;  ///< with the band's number where it has one: "inner_products[0]"
  std::string phase;     ///< simplex: subcritical, critical, supercritical; bands: far, near, self
  /// simplex: rho, gamma_ratio, alpha, q. bands: theta, r, rho, alpha, q, and `gap`, the range
  /// allowed for both exponent gaps of the phase; it takes the place of gamma.
  std::map<std::string, RationalBox> box;
  /// Names of ranges without upper end, in `box` as open_range (number/open_box.hpp).
  std::set<std::string> unbounded;
  Rational N;
  std::string limit;
  Rational C;
  std::string k;
  long p = 0;
  std::string factor;  ///< F: empty for 1, or one of tail_factors ([factors])
};

}  // namespace critscale
