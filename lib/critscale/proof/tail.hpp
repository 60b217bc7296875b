// Tail proofs: |Q - L| <= C n^-k (ln n)^p for all n >= N and a whole box of parameters
// (provers/THEORY-proofs.md). Uses number/, model/, bisection.hpp.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "critscale/number/open_box.hpp"
#include "critscale/number/power_product.hpp"
#include "critscale/proof/bisection.hpp"
#include "critscale/proof/difference.hpp"
#include "critscale/proof/exponents.hpp"
#include "critscale/proof/rates.hpp"
#include "critscale/proof/tail_claim.hpp"

namespace critscale {

/// A point of a claim: its parameters by name, exactly, and a box of coordinates that contains it.
struct SamplePoint {
  Box box;
  std::vector<std::pair<std::string, Rational>> parameters;
  /// "rho = 1/3, gamma = 3/2, ...".
  std::string text() const;
};

/// What C may be multiplied by in a claim ([factors]).
inline constexpr const char* tail_factors[] = {"1/rho", "(1+gamma)^2"};

/// A tail claim in the coordinates of its proof. Coordinate 0 is always x = ln N/ln n in [0, 1].
class TailProblem {
 public:
  /// Throws InputError, in one line, for a claim without meaning: unknown names, ranges outside the
  /// domain, a box that crosses a threshold, N < 2.
  explicit TailProblem(const TailClaim& claim);
  virtual ~TailProblem() = default;

  const TailClaim& claim() const { return claim_; }
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  const Box& box() const { return box_; }

  /// Enclosures for all points of a box at the n of the given range; empty where the box contains
  /// no point that the claim speaks of.
  virtual std::optional<Difference<Ball>> difference(const Box& leaf, const LogRange& tau) const = 0;
  /// The range of ln n on a box.
  LogRange log_range(const Box& leaf) const;
  /// The least k on the whole box.
  Rational least_rate() const;
  /// No k on the box is larger than this; none where k is unbounded.
  std::optional<Rational> greatest_rate() const;
  /// n^k (ln n)^-p on a box.
  Ball scale(const Box& leaf, const LogRange& tau) const;
  /// |Q - L| n^k (ln n)^-p on a box.
  std::optional<Ball> bound(const Box& leaf) const;

  /// How many numbers in [0, 1] name a point of the claim, the first of them x.
  std::size_t sample_size() const { return box_.size() + 1; }
  /// That point; empty where these numbers name none.
  virtual std::optional<SamplePoint> sample(const std::vector<Rational>& unit) const = 0;
  /// A point of the claim where sampling at random finds none, because few points of the box are points of
  /// the claim; empty where there is none, or none was found.
  virtual std::optional<SamplePoint> find() const { return std::nullopt; }
  /// The exact limit where it is a fraction, by the problem's own formula, for alpha and q given by
  /// alpha and sqrt q.
  virtual Rational limit_at(const std::map<std::string, Rational>& parameters) const = 0;

 protected:
  /// Throws InputError unless the claim's box has a range for `name` inside [lo, hi].
  const RationalBox& range(const std::string& name, const Rational& lo, const Rational& hi) const;
  /// `open` ranges have no upper end.
  void add_coordinate(const std::string& name, const RationalBox& range, bool open = false);
  bool is_open(const std::string& name) const { return claim_.unbounded.count(name) != 0; }
  /// Throws InputError unless the claim's factor is one of these; where it has one.
  void require_factor(std::initializer_list<const char*> allowed) const;
  /// What follows the geometry's coordinates: s = alpha sqrt q for quantities that depend on alpha
  /// and q through s alone, else alpha, q and n/d.
  void add_layer_coordinates();
  /// The sampled point of those coordinates, from the numbers after the geometry's.
  SamplePoint layer_point(const std::vector<Rational>& unit, std::size_t first) const;
  static Rational at(const RationalBox& range, const Rational& unit) {
    return range.lo + unit * (range.hi - range.lo);
  }
  /// 1/(1+s), or s/(1+s), for s in a range, with or without an upper end.
  static Ball residual_share(const RationalBox& s, bool unbounded, bool complement, Bits bits) {
    const Rational lo = unbounded ? Rational(0) : Rational(1 / (1 + s.hi)), hi = 1 / (1 + s.lo);
    return complement ? Ball::hull(lo, hi, bits) : Ball::hull(Rational(1 - hi), Rational(1 - lo), bits);
  }
  bool is_jacobian() const { return claim_.quantity == "jacobian_norm"; }

  TailClaim claim_;
  std::vector<std::string> coordinates_;
  Box box_;
  std::vector<bool> open_;  ///< coordinates without upper end (number/open_box.hpp)
  Rate rate_;
  /// Forms known not to be negative at any point of the claim.
  Rate nonnegative_;

 private:
  Ball log_N_;
};

std::unique_ptr<TailProblem> make_simplex_problem(const TailClaim& claim);
std::unique_ptr<TailProblem> make_band_problem(const TailClaim& claim);
std::unique_ptr<TailProblem> make_tail_problem(const TailClaim& claim);

/// The exact limit, as text in the claim's parameters: the leading term of log_partition, the limit
/// for d -> infinity corrected by its exact 1/d term for jacobian_norm, the limit otherwise.
std::string derived_limit(const TailClaim& claim);
/// The rate that the quantity has in its phase, as text.
std::string natural_rate(const TailClaim& claim);
long natural_log_power(const TailClaim& claim);

}  // namespace critscale
