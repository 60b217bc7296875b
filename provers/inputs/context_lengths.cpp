#include "inputs/context_lengths.hpp"

#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::cli {

std::vector<Text> texts_of(const Specification& s, const std::string& key) {
  const Entry* e = s.find(key);
  return e ? e->values : std::vector<Text>{};
}

std::vector<std::pair<PowerProduct, Text>> context_lengths(const Specification& s,
                                                           const std::vector<std::string>& positions) {
  std::vector<std::pair<PowerProduct, Text>> r;
  const auto add = [&](const std::string& text, const std::string& where) {
    const PowerProduct n = located(where, [&] { return parse_context_length(text); });
    r.emplace_back(n, Text{n.to_string(), where});
  };
  for (const Text& t : texts_of(s, "n")) {
    for (const Text& v : expand(t)) add(v.text, v.where);
  }
  std::vector<Text> rows = texts_of(s, "position");
  for (const std::string& p : positions) rows.push_back({p, "--position"});
  for (const Text& t : rows)
    located(t.where, [&] {
      const Rational p = parse_rational(t.text);
      if (!is_integer(p) || p < 1)
        throw InputError(
            "a position must be an integer of at least 1 (a row alone attends to itself), found " + t.text);
      add(to_string(Rational(p + 1)), "");
    });
  return r;
}

}  // namespace critscale::cli
