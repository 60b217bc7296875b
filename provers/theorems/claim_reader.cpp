// Uses claim_reader.hpp.
#include "theorems/claim_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/open_box.hpp"

namespace critscale::cli {

RationalBox box_of(const Specification& claim, const std::string& key,
                   const std::optional<RationalBox>& otherwise) {
  const Text* t = claim.find_single(key);
  if (t) return located(t->where, [&] { return parse_box(t->text); });
  if (!otherwise) throw InputError(fmt::format("the key {} is missing", key));
  return *otherwise;
}

void read_range(const Specification& claim, const std::string& key, TailClaim& into,
                const std::optional<RationalBox>& otherwise) {
  constexpr std::string_view end = ",infinity]";
  const Text* t = claim.find_single(key);
  if (!t || !t->text.ends_with(end)) {
    into.box[key] = box_of(claim, key, otherwise);
    return;
  }
  if (key != "gamma_ratio" && key != "gap" && key != "alpha" && key != "q")
    throw InputError(fmt::format("{}: {} needs an upper end", t->where, key));
  const std::string lo = t->text.substr(1, t->text.size() - 1 - end.size());
  into.box[key] = open_range(located(t->where, [&] { return parse_rational(lo); }));
  into.unbounded.insert(key);
}

Rational number_of(const Specification& claim, const std::string& key,
                   const std::optional<Rational>& otherwise) {
  const Text* t = claim.find_single(key);
  if (t) return located(t->where, [&] { return parse_rational(t->text); });
  if (!otherwise) throw InputError(fmt::format("the key {} is missing", key));
  return *otherwise;
}

std::vector<std::string> list_of(const Specification& claim, const std::string& key,
                                 const std::vector<std::string>& otherwise) {
  const Entry* entry = claim.find(key);
  if (!entry) return otherwise;
  std::vector<std::string> list;
  for (const Text& t : entry->values) {
    // "inner_products" stands for those of all bands.
    const std::size_t before = list.size();
    const bool known = std::find(otherwise.begin(), otherwise.end(), t.text) != otherwise.end();
    for (const std::string& one : otherwise)
      if (!known && one.starts_with(t.text + "[")) list.push_back(one);
    if (list.size() == before) list.push_back(t.text);
  }
  return list;
}

std::string job_id(const Specification& claim, const std::string& suffix) {
  std::string id = fmt::format("{}-{}", claim.id.empty() ? "claim" : claim.id, suffix);
  for (char& c : id)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '-';
  while (id.back() == '-') id.pop_back();
  return id;
}

}  // namespace critscale::cli
