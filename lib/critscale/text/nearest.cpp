// Uses nearest.hpp.
#include "critscale/text/detail/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "critscale/number/quote.hpp"

namespace critscale {

namespace {

bool same(char a, char b) {
  const auto plain = [](char c) { return c == '_' ? '-' : c; };
  return plain(a) == plain(b);
}

/// The distance of Damerau and Levenshtein, restricted to exchanges of neighbours that are not changed again.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view misspelt, std::span<const std::string> names) {
  constexpr std::size_t longest = 64;
  if (misspelt.empty() || misspelt.size() > longest) return "";
  std::size_t best = std::min<std::size_t>(3, (misspelt.size() + 2) / 3) + 1;
  std::string found;
  for (const std::string& name : names)
    if (const std::size_t d = distance(misspelt, name); d < best) {
      best = d;
      found = name;
    }
  return found;
}

std::string not_among(std::string_view misspelt, std::string_view kind, std::span<const std::string> names) {
  std::string r =
      fmt::format("{} is not a {}; allowed: {}", in_quotes(misspelt), kind, fmt::join(names, ", "));
  if (const std::string near = nearest_name(misspelt, names); !near.empty())
    r += fmt::format("; did you mean {}?", near);
  return r;
}

std::string did_you_mean(std::string_view misspelt, std::span<const std::string> names) {
  const std::string name = nearest_name(misspelt, names);
  return name.empty() ? "" : ", did you mean " + name + "?";
}

}  // namespace critscale
