// Uses claim_reader.hpp.
#include "theorems/claim_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace critscale::cli {

RationalBox box_of(const Specification& claim, const std::string& key,
                   const std::optional<RationalBox>& otherwise) {
  const Text* t = claim.find_single(key);
  if (t) return located(t->where, [&] { return parse_box(t->text); });
  if (!otherwise) throw InputError(fmt::format("the key {} is missing", key));
  return *otherwise;
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
