// Uses symbolic_limit.hpp.
#include "critscale/proof/detail/symbolic_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/asymptotics/limit_inputs.hpp"
#include "critscale/model/layer_values.hpp"
#include "critscale/text/detail/expression.hpp"

namespace critscale {
namespace {

/// Enough for a limit, which is among the first terms.
constexpr std::size_t first_terms = 3, most_terms = 96;

Rational middle(const TailClaim& claim, const char* name) {
  const RationalBox& range = claim.box.at(name);
  return (range.lo + range.hi) / 2;
}

/// gamma inside of a phase of three bands; none where these have no such phase.
std::optional<Rational> gamma_inside(const std::string& phase, const Rational& theta, const Rational& r,
                                     const Rational& rho) {
  const Rational near_far = (1 - theta) / (r - rho), self_near = theta / (1 - r), self_far = 1 / (1 - rho);
  if (phase == "far") return std::min(near_far, self_far) / 2;
  if (phase == "self") return 2 * std::max(self_near, self_far);
  if (near_far >= self_near) return std::nullopt;
  return phase == "near" ? (near_far + self_near) / 2 : phase == "far-near" ? near_far : self_near;
}

LimitConfiguration configuration(const TailClaim& claim, const Rational& alpha) {
  LimitConfiguration c;
  c.alpha = alpha;
  c.q = 2;
  c.analytic = true;
  if (claim.geometry == "simplex") {
    const Rational rho = middle(claim, "rho");
    c.profile = simplex_profile(rho);
    c.gamma = middle(claim, "gamma_ratio") / (1 - rho);
    return c;
  }
  c.simplex = false;
  for (const int t : {8, 4, 12, 1, 15})
    for (const int k : {8, 15, 12, 4, 1}) {
      const auto inside = [&](const char* name, int i) {
        const RationalBox& range = claim.box.at(name);
        return Rational(range.lo + Rational(i, 16) * (range.hi - range.lo));
      };
      const Rational theta = inside("theta", t), rho = middle(claim, "rho");
      // The limit as a function of r is found beside exact ties, where the token's own line is another one.
      Rational r = inside("r", k);
      if (r == 1) r = 1 - theta * (1 - rho) / 2;
      const auto gamma = gamma_inside(claim.phase, theta, r, rho);
      if (!gamma) continue;
      c.profile = {{r, Size{PowerProduct(1), theta}}, {rho, Size{PowerProduct(1), Rational(1)}}};
      c.gamma = *gamma;
      return c;
    }
  throw InputError(fmt::format("the box has no {} phase", claim.phase));
}

Quantity quantity_of(const TailClaim& claim) {
  return quantity_by_name(parse_subscripted(claim.quantity).name);
}
std::size_t band_of(const TailClaim& claim) { return parse_subscripted(claim.quantity).index.value_or(0); }

/// Fixes d as a symbol and leaves out beta's terms, but for the weights, which keep them.
template <class Inputs>
void fix_dimension(Inputs& in, std::size_t terms) {
  Symbols& symbols = in.beta.terms().at(0).coefficient.symbols();
  in.d =
      Expansion(symbols.symbol({"d", "d", [](Bits bits) { return Ball(1000, bits); }}), Rational(0), terms);
  in.beta = Expansion(symbols.constant(0), Rational(0), terms);
}

Expansion expansion(const TailClaim& claim, const LimitConfiguration& c, std::size_t terms) {
  const Quantity q = quantity_of(claim);
  const bool fixed = q == Quantity::jacobian_norm;
  if (c.simplex) {
    auto in = simplex_inputs(c, Parameters::names, terms);
    if (fixed) fix_dimension(in, terms);
    return values_of(SimplexLayer<Expansion>(std::move(in)), q).at(band_of(claim));
  }
  auto in = band_inputs(c, Parameters::names, terms);
  if (fixed) fix_dimension(in, terms);
  return values_of(BandedLayer<Expansion>(std::move(in)), q).at(band_of(claim));
}

/// The coefficient of n^0, ln n included; none where it is 0.
std::optional<Coefficient> constant_term(const TailClaim& claim, const LimitConfiguration& c) {
  for (std::size_t terms = first_terms;; terms *= 2) try {
      const Expansion x = expansion(claim, c, terms);
      if (!x.is_exact() && *x.cutoff() >= 0) throw TooFewTerms("the expansion ends before n^0");
      for (const Expansion::Term& term : x.terms()) {
        if (term.exponent > 0) throw LimitError(fmt::format("{} diverges", claim.quantity));
        if (term.exponent == 0) return term.coefficient;
      }
      return std::nullopt;
    } catch (const TooFewTerms&) {
      if (2 * terms > most_terms) throw;
    }
}

/// A text as a function of the same symbols.
Coefficient read(const std::string& text, Symbols& symbols, const TailClaim& claim,
                 const LimitConfiguration& c) {
  const auto symbol = [&](const std::string& name) {
    return symbols.symbol({name, name, [](Bits bits) { return Ball(1, bits); }});
  };
  const bool simplex = claim.geometry == "simplex";
  const Coefficient root_q = symbol("sqrt(q)"), rho = symbol(simplex ? "rho" : "r2"),
                    one = symbols.constant(1);
  return Expression(text).evaluate<Coefficient>(
      [&](const Rational& v) { return symbols.constant(v); },
      [&](const std::string& name) {
        if (name == "rho") return rho;
        if (name == "r") return symbol("r1");
        if (name == "theta") return symbols.constant(c.profile.front().size.exponent);
        if (name == "alpha" && c.alpha == 0) return symbols.constant(0);
        if (name == "gamma" && claim.phase == "critical") return one / (one - rho);
        if (name == "q") return root_q * root_q;
        if (name == "alpha" || name == "gamma" || name == "d" || name == "n") return symbol(name);
        throw InputError(fmt::format("the limit names {}, which the claim does not have", in_quotes(name)));
      },
      [&](const std::string& function, const Coefficient& x) {
        if (function == "sqrt" && x == root_q * root_q) return root_q;
        if (function == "log") return x == symbol("n") ? symbols.log_n() : symbols.logarithm(x);
        throw InputError(fmt::format("{} in a limit is not understood", in_quotes(function)));
      });
}

LimitComparison compare_at(const TailClaim& claim, const std::string& text, const Rational& alpha) {
  const LimitConfiguration c = configuration(claim, alpha);
  const std::optional<Coefficient> limit = constant_term(claim, c);
  const auto none = Symbols::create(32);
  Symbols& symbols = limit ? limit->symbols() : *none;
  const Coefficient derived = limit ? *limit : symbols.constant(0), stated = read(text, symbols, claim, c);
  const bool equal = derived == stated;
  return {equal, derived.text(), equal ? std::string() : (derived - stated).text()};
}

}  // namespace

LimitComparison compare_limit(const TailClaim& claim, const std::string& text, bool without_residual) {
  const bool none = without_residual || claim.box.at("alpha").lo == 0;
  LimitComparison result;
  if (none) result = compare_at(claim, text, 0);
  if (without_residual || (none && !result.equal)) return result;
  return compare_at(claim, text, Rational(1, 3));
}

}  // namespace critscale
