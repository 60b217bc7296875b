// Uses class_claim.hpp.
#include "critscale/proof/class_claim.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "critscale/layer/real.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {
namespace {

constexpr Bits working_bits = 64;

Ball number(const Rational& v) { return Ball(v, working_bits); }
/// N^e.
Ball power(const Rational& N, const Rational& e) { return exp(number(e) * log(number(N))); }

struct Inequality {
  const char *theorem, *quantity, *relation, *ratio;
};
constexpr std::array inequalities = {
    Inequality{"2.3", "inner_products-rho1", ">=", "gamma*(1-rho1)"},
    Inequality{"2.3", "attention_displacement", "<=", "gamma*(1-rho2)"},
    Inequality{"2.3", "inner_product_change", "<=", "gamma*(1-rho2)"},
    Inequality{"2.5", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", "<=", "gamma*(1-rho1)"},
    Inequality{"2.5", "jacobian_norm/(1-1/d)", ">=", "gamma*(1-rho2)"},
    Inequality{"C.2", "far_mass", ">=", ""},
    Inequality{"C.2", "near_mass", ">=", ""},
    Inequality{"C.2", "self_weight", ">=", ""},
};

const Inequality& inequality(const std::string& quantity) {
  for (const Inequality& i : inequalities)
    if (quantity == i.quantity) return i;
  std::string allowed;
  for (const Inequality& i : inequalities)
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", i.quantity);
  throw InputError(fmt::format("no class claim about {}; allowed: {}", in_quotes(quantity), allowed));
}

/// Worst cases of a near-simplex leaf: every factor is monotone in every parameter, so the end of
/// each range that makes it worst is taken factor by factor.
class NearSimplexBound {
 public:
  NearSimplexBound(const Rational& N, const Box& leaf)
      : N_(N), rho1_(leaf[0]), spread_(leaf[1]), g_(leaf[2]), alpha_(leaf[3]), q_(leaf[4]) {}

  /// -(smallest of rho1 kappa/(1 - kappa)), kappa = (1 - rho2)(1 - A)(1 - (s/(1+s))^2).
  Ball inner_product_growth() const {
    const Ball s = number(alpha_.hi) * sqrt(number(q_.hi));
    const Ball depth = number(Rational(1 - rho1_.hi - spread_.hi));
    const Ball kappa = depth * (1 - largest_self_weight()) * ((2 * s + 1) / sqr(1 + s));
    return -(number(rho1_.lo) * kappa / (1 - kappa));
  }
  /// (1 - A_ii) sqrt(2 (1 - rho1)).
  Ball displacement() const {
    const Ball others = power(N_, 1 - g_.lo);
    return others / (1 + others) * sqrt(number(Rational(2 * (1 - rho1_.lo))));
  }
  /// 4 e/(2 - e), e = displacement/(1 + s).
  Ball inner_product_change() const {
    const Ball e = displacement() / (1 + number(alpha_.lo) * sqrt(number(q_.lo)));
    return 4 * e / (2 - e);
  }
  /// ((A - A^2)(1 + b c)^2 + A^2 + 2 A b (1 - rho1))/q1 with b = beta/sqrt d at its largest.
  Ball jacobian_excess() const {
    const Ball A = largest_self_weight();
    const Ball b_depth = number(g_.hi) * log(number(N_)) / sqrt(number(N_));  // b (1 - rho1)
    const Ball b = b_depth / number(Rational(1 - rho1_.hi));
    const Ball c = number(Rational(1 - rho1_.lo)) * sqrt(number(Rational(2 * (1 + rho1_.hi))));
    const Ball off_diagonal = min(A, number(Rational(1, 4)));
    return (off_diagonal * sqr(1 + b * c) + sqr(A) + 2 * (A * b_depth)) / number(q_.lo);
  }
  /// -A^2/q2 with the smallest A.
  Ball jacobian_share() const { return -(1 / (number(q_.hi) * sqr(1 + power(N_, 1 - g_.lo)))); }

 private:
  /// A_ii <= 1/(1 + (n-1) n^-g), largest at n = N and the largest g.
  Ball largest_self_weight() const { return 1 / (1 + power(N_, 1 - g_.hi) * number(Rational(1 - 1 / N_))); }
  const Rational& N_;
  const RationalBox &rho1_, &spread_, &g_, &alpha_, &q_;
};

Ball interval_band_bound(const ClassClaim& claim, const Box& leaf) {
  Ball present(1, working_bits);
  if (claim.quantity == "near_mass") present -= power(claim.N, -leaf[0].lo);
  if (claim.quantity == "far_mass") present -= power(claim.N, leaf[0].hi - 1);
  return -(1 / (1 + 2 * power(claim.N, -leaf[1].lo) / present));
}

std::vector<std::string> coordinate_names(const ClassClaim& claim) {
  if (claim.name == "interval-bands") return {"theta", "gap"};
  return {"rho1", "spread", class_ratio(claim.quantity), "alpha", "q"};
}

Box checked_box(const ClassClaim& claim) {
  const Inequality& i = inequality(claim.quantity);
  const bool bands = claim.name == "interval-bands";
  if (!bands && claim.name != "near-simplex")
    throw InputError(
        fmt::format("class {} is neither near-simplex nor interval-bands", in_quotes(claim.name)));
  if (claim.theorem != i.theorem || bands != (claim.theorem == "C.2"))
    throw InputError(
        fmt::format("theorem {} has no claim about {} on {}", claim.theorem, claim.quantity, claim.name));
  if (claim.relation != i.relation)
    throw InputError(fmt::format("the claim about {} has the relation {}", claim.quantity, i.relation));
  Box box;
  for (const std::string& name : coordinate_names(claim)) {
    const auto range = claim.box.find(name);
    if (range == claim.box.end()) throw InputError(fmt::format("the class has no range for {}", name));
    box.push_back(range->second);
  }
  if (bands) {
    if (!(box[0].lo > 0 && box[0].hi < 1 && box[1].lo > 0 && claim.N >= 2))
      throw InputError("interval bands need 0 < theta < 1, gap > 0 and N >= 2");
    const std::string dominant = claim.phase == "self" ? "self_weight" : claim.phase + "_mass";
    if (claim.quantity != dominant)
      throw InputError(fmt::format("in the {} phase the claim is about {}", claim.phase, dominant));
    return box;
  }
  if (!(box[0].lo > 0 && box[1].lo >= 0 && box[0].hi + box[1].hi < 1 && box[3].lo >= 0 && box[4].lo > 0 &&
        claim.N >= 8))
    throw InputError("a near-simplex class needs 0 < rho1 <= rho2 < 1, alpha >= 0, q > 0 and N >= 8");
  const bool below = class_ratio(claim.quantity) == "gamma*(1-rho1)";
  if (below ? !(box[2].lo >= 0 && box[2].hi < 1) : !(box[2].lo > 1))
    throw InputError(
        fmt::format("{} = {} is not on its side of 1", class_ratio(claim.quantity), to_string(box[2])));
  if (claim.theorem == "2.5" && !(box[3].lo == 0 && box[3].hi == 0))
    throw InputError("theorem 2.5 has alpha = 0");
  return box;
}

/// v rounded up to three digits, a little above it.
Rational rounded_up(double v) {
  if (v == 0) return 0;
  const double wide = v + std::abs(v) / 200;
  const int e = static_cast<int>(std::floor(std::log10(std::abs(wide)))) - 2;
  const long m = static_cast<long>(std::ceil(wide / std::pow(10.0, e)));
  const Rational size = parse_rational(fmt::format("{}e{}", std::abs(m), e));
  return m < 0 ? Rational(-size) : size;
}

}  // namespace

std::string class_relation(const std::string& quantity) { return inequality(quantity).relation; }
std::string class_ratio(const std::string& quantity) { return inequality(quantity).ratio; }

Ball class_bound(const ClassClaim& claim, const Box& leaf) {
  if (claim.name == "interval-bands") return interval_band_bound(claim, leaf);
  const NearSimplexBound bound(claim.N, leaf);
  if (claim.quantity == "inner_products-rho1") return bound.inner_product_growth();
  if (claim.quantity == "attention_displacement") return bound.displacement();
  if (claim.quantity == "inner_product_change") return bound.inner_product_change();
  if (claim.quantity == "jacobian_norm/(1-1/d)") return bound.jacobian_share();
  return bound.jacobian_excess();
}

ClassResult decide_class(ClassClaim claim, bool bound_given, const BisectionLimits& limits) {
  ClassResult result;
  const Box box = checked_box(claim);
  const bool upper = claim.relation == "<=";
  if (!bound_given) {
    // The worst point is at a corner but for rho1, along which it is sampled.
    double worst = -HUGE_VAL;
    const long corners = 1L << (box.size() - 1);
    for (long i = 0; i <= 64; ++i) {
      for (long corner = 0; corner < corners; ++corner) {
        Box point = box;
        const Rational v = box[0].lo + Rational(i, 64) * (box[0].hi - box[0].lo);
        point[0] = {v, v};
        for (std::size_t c = 1; c < box.size(); ++c) {
          const Rational& end = (corner >> (c - 1) & 1) != 0 ? box[c].hi : box[c].lo;
          point[c] = {end, end};
        }
        worst = std::max(worst, arf_get_d(class_bound(claim, point).upper().raw(), ARF_RND_UP));
      }
    }
    claim.bound = upper ? rounded_up(worst) : Rational(-rounded_up(worst));
  }
  result.coordinates = coordinate_names(claim);
  if (const auto found = bound_given ? refute_class(claim) : std::nullopt) {
    result.refuted = true;
    result.detail = *found;
    result.claim = std::move(claim);
    return result;
  }
  result.evidence = bisect(
      box, [&](const Box& leaf) -> std::optional<Ball> { return class_bound(claim, leaf); },
      upper ? claim.bound : Rational(-claim.bound), limits);
  result.proved = result.evidence.complete;
  const bool late = limits.deadline && std::chrono::steady_clock::now() > *limits.deadline;
  if (!result.proved)
    result.detail =
        late ? "undecided at the time limit"
             : "undecided: the finite-n inequalities do not give this bound, and no counterexample "
               "was found";
  result.claim = std::move(claim);
  return result;
}

}  // namespace critscale
