// Specifications: keys with their texts, what they inherit, and the texts chosen for one point.
#include "grids/specification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::cli {

namespace {

constexpr std::array<std::string_view, 8> parameters{"rho",  "n",     "gamma", "gamma_ratio",
                                                     "beta", "alpha", "q",     "d"};

}  // namespace

std::span<const std::string_view> parameter_keys() { return parameters; }

std::vector<Text> expand(const Text& t) {
  std::vector<Text> r;
  for (const ValueRange& range : value_ranges(t))
    for (std::size_t i = 0; i < range.size(); ++i) r.push_back(range[i]);
  return r;
}

std::vector<Quantity> quantities_of(const Specification& s) {
  const Entry* e = s.find("quantities");
  if (!e) return {all_quantities().begin(), all_quantities().end()};
  std::vector<Quantity> r;
  for (const Text& t : e->values) {
    const Quantity q = located(t.where, [&] { return quantity_by_name(t.text); });
    if (std::find(r.begin(), r.end(), q) == r.end()) r.push_back(q);
  }
  return r;
}

const Text* Choice::find(std::string_view key) const {
  for (const auto& [k, t] : chosen_)
    if (k == key) return &t;
  return nullptr;
}

RationalBox Choice::box(std::string_view key, const Rational& otherwise) const {
  const Text* t = find(key);
  return t ? located(t->where, [&] { return parse_box(t->text); }) : RationalBox{otherwise, otherwise};
}

Rational Choice::number(std::string_view key, const Rational& otherwise) const {
  const Text* t = find(key);
  return t ? located(t->where, [&] { return parse_rational(t->text); }) : otherwise;
}

const Entry* Specification::find(std::string_view key) const {
  const auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return it == entries.end() ? nullptr : &*it;
}

const Text* Specification::find_single(std::string_view key) const {
  const Entry* e = find(key);
  if (!e) return nullptr;
  if (e->values.size() != 1)
    throw InputError(fmt::format("{}: expected one value, found {}", e->values[0].where, e->values.size()));
  return &e->values[0];
}

void Specification::inherit(const Specification& defaults) {
  std::vector<Entry> inherited;
  // The three ways to give the logit scale replace each other; so do rho and bands.
  const auto scale = [](std::string_view k) { return k == "gamma" || k == "gamma_ratio" || k == "beta"; };
  const bool has_scale =
      std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return scale(e.key); });
  for (const Entry& e : defaults.entries) {
    if (find(e.key) || (has_scale && scale(e.key)) || (e.key == "rho" && !bands.empty())) continue;
    inherited.push_back(e);
  }
  entries.insert(entries.begin(), inherited.begin(), inherited.end());
  if (bands.empty() && !(find("rho") && !defaults.find("rho"))) bands = defaults.bands;
}

bool is_parameter(std::string_view key) {
  return std::find(parameters.begin(), parameters.end(), key) != parameters.end();
}

}  // namespace critscale::cli
