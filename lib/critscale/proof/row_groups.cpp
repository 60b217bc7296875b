// Uses row_groups.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/quote.hpp"
#include "critscale/proof/detail/row_groups.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {
namespace {

bool has_three_bands(const ClassClaim& claim) { return claim.name == "interval-bands"; }

std::size_t leading_group(const ClassClaim& claim, std::size_t count) {
  const std::string& phase = claim.phase;
  if (phase == "self") return 0;
  if (has_three_bands(claim) && (phase == "near" || phase == "far")) return phase == "near" ? 1 : 2;
  const auto [name, band] = parse_subscripted(phase);
  if (has_three_bands(claim) || name != "band" || !band || *band + 1 >= count)
    throw InputError(fmt::format(
        "phase {} names no band: {}", in_quotes(phase),
        has_three_bands(claim) ? "far, near or self" : fmt::format("self, band[0] to band[{}]", count - 2)));
  return *band + 1;
}

}  // namespace

std::vector<std::string> RowGroups::size_names(const ClassClaim& claim) {
  std::vector<std::string> names;
  for (const auto& [name, range] : claim.box)
    if (name.starts_with("theta")) names.push_back(name);
  return names;
}

RowGroups::RowGroups(const ClassClaim& claim)
    : count_(size_names(claim).size() + 2), lead_(leading_group(claim, count_)) {}

LinearForm RowGroups::coordinate(std::size_t i) const {
  LinearForm form{0, std::vector<Rational>(count_ - 1)};
  form.weights[i] = 1;
  return form;
}

LinearForm RowGroups::size_exponent(std::size_t t) const {
  if (t == 0) return {0, {}};
  return t + 1 == count_ ? LinearForm{1, {}} : coordinate(t - 1);
}

void RowGroups::require_meaning(const ClassClaim& claim) const {
  Rational inner = 0;
  for (const std::string& name : size_names(claim)) {
    const RationalBox& size = claim.box.at(name);
    if (size.lo <= inner || size.hi >= 1)
      throw InputError(fmt::format("{} = {} does not lie between {} and 1: the sizes of the bands must rise",
                                   name, to_string(size), to_string(inner)));
    inner = size.hi;
  }
  if (claim.box.at("gap").lo <= 0) throw InputError("bands need gap > 0");
  if (count_ < 3 || count_ > 9) throw InputError("a class of bands has 2 to 8 of them");
  const std::string dominant = !has_three_bands(claim) ? "leading_mass"
                               : claim.phase == "self" ? "self_weight"
                                                       : claim.phase + "_mass";
  if (claim.quantity != dominant && claim.quantity != dominant + "-1")
    throw InputError(fmt::format("in the {} phase the claim is about {}", claim.phase, dominant));
}

std::optional<BandRow> RowGroups::row_with_gaps(const std::vector<Rational>& sizes, const Rational& m) const {
  // gamma (1 - r) of each band: all groups but the leading one weigh n^gamma, or n^(gamma-m) where it leads.
  std::vector<Rational> depths = sizes;
  depths.emplace_back(1);
  for (std::size_t b = 0; b < depths.size(); ++b)
    depths[b] += lead_ == 0 ? m : lead_ == b + 1 ? Rational(-m) : Rational(0);
  if (depths[0] < 0 || !std::is_sorted(depths.begin(), depths.end())) return std::nullopt;
  BandRow row{sizes, {}, std::max(Rational(2), depths.back())};
  for (const Rational& depth : depths) row.inner.push_back(1 - depth / row.gamma);
  return row;
}

std::optional<BandRow> RowGroups::member(const ClassClaim& claim) const {
  std::vector<Rational> sizes;
  for (const std::string& name : size_names(claim)) {
    const RationalBox& size = claim.box.at(name);
    sizes.push_back(sizes.size() + 1 < lead_ ? size.lo : size.hi);
  }
  return row_with_gaps(sizes, claim.box.at("gap").lo);
}

Witness BandRow::witness(const ClassClaim& claim) const {
  const std::vector<std::string> names = RowGroups::size_names(claim);
  Witness all;
  for (std::size_t b = 0; b < names.size(); ++b) all.emplace_back(names[b], sizes[b]);
  for (std::size_t b = 0; b < inner.size(); ++b)
    all.emplace_back(!has_three_bands(claim) ? fmt::format("r[{}]", b) : b == 0 ? "r" : "rho", inner[b]);
  all.emplace_back("gamma", gamma);
  return all;
}

}  // namespace critscale
