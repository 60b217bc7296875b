// Counterexamples to class claims: simplices, which every near-simplex class contains, and nested bands,
// whose rows every class of bands contains ([nested-bands], [near-simplex]). Uses class_claim.hpp and model/.
#include <fmt/format.h>

#include <array>

#include "critscale/model/evaluate.hpp"
#include "critscale/proof/detail/row_groups.hpp"
#include "critscale/text/print.hpp"

namespace critscale {
namespace {

constexpr Bits refutation_bits = 256;

/// One configuration of the class and the claim's quantity on it.
struct Member {
  std::string text;
  Ball value;
  Rational k;  ///< the claim's rate there
};

RationalBox point(const Rational& v) { return {v, v}; }

/// The values of some quantities, the first band's where there are several.
template <std::size_t count>
std::array<Ball, count> values(const Configuration& c, const std::array<Quantity, count>& quantities) {
  const Evaluation e = evaluate(c, quantities, refutation_bits);
  std::array<Ball, count> r;
  for (std::size_t i = 0; i < count; ++i) r[i] = e.quantities[i].values.at(0);
  return r;
}

/// Corners of a box, and the middles of its edges.
Rational corner(const RationalBox& range, int which) {
  return which == 0 ? range.lo : which == 1 ? range.hi : Rational((range.lo + range.hi) / 2);
}

/// A simplex with inner product rho1 + spread (rho1 where `lower`), equal norms q.
Member simplex(const ClassClaim& claim, const Rational& rho1, const Rational& rho2, bool lower,
               const Rational& g, const Rational& alpha, const Rational& q, const PowerProduct& n) {
  const Rational rho = lower ? rho1 : rho2;
  const bool below = class_ratio(claim.quantity) == "gamma*(1-rho1)";
  const Rational gamma = g / (1 - (below ? rho1 : rho2));
  const Configuration c{
      Simplex{point(rho)}, n, critical_scale(point(gamma)), point(alpha), point(q), n, false};
  const auto exact = [](const Rational& v) { return Ball(v, refutation_bits); };
  Ball value;
  if (claim.quantity.starts_with("inner_products")) {
    Ball kept = exact(rho1);
    if (claim.quantity != "inner_products-rho1") {
      const Ball s = exact(alpha) * sqrt(exact(claim.box.at("q").hi));
      kept = kept / (1 - exact(1 - rho2) * (2 * s + 1) / sqr(1 + s));
    }
    value = values<1>(c, {Quantity::inner_products})[0] - kept;
  } else if (claim.quantity == "inner_product_change") {
    value = abs(values<1>(c, {Quantity::inner_products})[0] - exact(rho));
  } else if (claim.quantity == "attention_displacement") {
    // |m_i - y_i|^2 = delta (M^2 + M b).
    const auto [M, b] = values<2>(c, {Quantity::band_masses, Quantity::band_weights});
    value = sqrt(exact(1 - rho) * (sqr(M) + M * b));
  } else {
    const Ball eta = values<1>(c, {Quantity::jacobian_norm})[0], count = critscale::value(n, refutation_bits);
    if (below)
      value = eta - sqr(exact(g) * log(n, refutation_bits)) / (exact(claim.box.at("q").lo) * count);
    else
      value = eta / (1 - 1 / count);
    if (claim.quantity.ends_with("-1/q2")) value -= exact(1 / claim.box.at("q").hi);
  }
  const Rational chi = gamma * (1 - rho2),
                 k = class_exponent(claim, below ? Rational(1 - g) : Rational(g - 1), chi);
  return {fmt::format("the simplex with n = d = {}, rho = {}, gamma = {}, alpha = {}, q = {}", n.to_string(),
                      to_string(rho), to_string(gamma), to_string(alpha), to_string(q)),
          value, k};
}

/// Nested bands whose exponent gaps in the claim's phase are all m; none where there are none.
std::optional<Member> bands(const ClassClaim& claim, const std::vector<Rational>& sizes, const Rational& m,
                            const PowerProduct& n) {
  const RowGroups groups(claim);
  const auto row = groups.row_with_gaps(sizes, m);
  // Every cluster has more than one token.
  if (!row || compare(pow(n, sizes[0]), PowerProduct(1)) <= 0) return std::nullopt;
  Bands bands;
  for (std::size_t b = 0; b < row->inner.size(); ++b)
    bands.bands.push_back({point(row->inner[b]), b < sizes.size() ? pow(n, sizes[b]) : n});
  const Configuration c{bands, n, critical_scale(point(row->gamma)), point(0), point(1), n, true};
  const std::array quantities{Quantity::self_weight, Quantity::band_masses};
  const Evaluation e = evaluate(c, quantities, refutation_bits);
  std::string text = fmt::format("bands with n = {}", n.to_string());
  for (const auto& [name, v] : row->witness(claim)) text += fmt::format(", {} = {}", name, to_string(v));
  return Member{text,
                (groups.lead() == 0 ? e.quantities[0].values[0] : e.quantities[1].values[groups.lead() - 1]) -
                    (claim.quantity.ends_with("-1") ? 1 : 0),
                claim.k == "gap" ? m : parse_rational(claim.k)};
}

}  // namespace

std::optional<std::string> refute_class(const ClassClaim& claim) {
  Integer first = numerator(claim.N) / denominator(claim.N);
  if (!is_integer(claim.N)) ++first;
  const auto violates = [&](const Member& member, const PowerProduct& n) -> std::optional<std::string> {
    const Ball bound(claim.bound, refutation_bits), t = log(n, refutation_bits);
    const Ball value = member.value * exp(Ball(member.k, refutation_bits) * t) / pow(t, Integer(claim.p));
    const bool upper = claim.relation == "<=";
    if (!certainly(upper ? greater(value, bound) : less(value, bound))) return std::nullopt;
    const PrintedValue shown = print(value, 12);
    return fmt::format("on {}: {}{} lies in [{}, {}], {} {}", member.text, claim.quantity,
                       claim.k == "0" && claim.p == 0 ? "" : " n^k (ln n)^-p", shown.lo, shown.hi,
                       upper ? "above" : "below", to_string(claim.bound));
  };
  for (const PowerProduct& n :
       {PowerProduct(first), PowerProduct(Integer(10 * first)), PowerProduct(Integer(1000000 * first)),
        PowerProduct(Integer(first * first))}) {
    if (claim.name != "near-simplex") {
      for (int i = 0; i < 3; ++i) {
        std::vector<Rational> sizes;
        for (const std::string& name : RowGroups::size_names(claim))
          sizes.push_back(corner(claim.box.at(name), i));
        const auto member = bands(claim, sizes, claim.box.at("gap").lo, n);
        if (auto found = member ? violates(*member, n) : std::nullopt) return found;
      }
      continue;
    }
    const std::string ratio = class_ratio(claim.quantity);
    for (int i = 0; i < 3 * 2 * 2 * 2 * 2 * 2; ++i) {
      const Rational rho1 = corner(claim.box.at("rho1"), i % 3),
                     spread = corner(claim.box.at("spread"), i / 3 % 2),
                     g = corner(claim.box.at(ratio), i / 6 % 2),
                     alpha = corner(claim.box.at("alpha"), i / 12 % 2),
                     q = corner(claim.box.at("q"), i / 24 % 2);
      if (auto found = violates(simplex(claim, rho1, rho1 + spread, i / 48 == 0, g, alpha, q, n), n))
        return found;
    }
  }
  return std::nullopt;
}

}  // namespace critscale
