// Reports of `critscale table --coverage`.
#include "output/coverage_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace critscale::cli {

std::string coverage_text(const std::vector<CoverageGroup>& groups, const Tolerance& t) {
  std::string r;
  std::size_t all = 0, told = 0, alone = 0;
  for (const CoverageGroup& g : groups) {
    const auto shown = static_cast<std::size_t>(
        std::count_if(g.told.begin(), g.told.end(), [](std::size_t n) { return n > 0; }));
    std::size_t alike = 0;
    for (const auto& group : g.alike) alike += group.size();
    r += fmt::format(
        "{}\n  {} rows, {} mutations: {} told from the right formula, {} of them from every other\n",
        g.formula, g.rows, g.mutations.size(), shown, shown - alike);
    for (std::size_t i = 0; i < g.mutations.size(); ++i)
      if (g.told[i] == 0)
        r += fmt::format("  not told: {} ({})\n", g.mutations[i].what, to_string(g.mutations[i].formula));
    for (const auto& group : g.alike) {
      r += "  alike:";
      for (const std::size_t i : group)
        r += fmt::format("{} {}", i == group[0] ? "" : ";", g.mutations[i].what);
      r += '\n';
    }
    all += g.mutations.size();
    told += shown;
    alone += shown - alike;
  }
  return r + fmt::format("{}: {} mutations, {} told from the right formula, {} of them from every other\n",
                         t.to_string(), all, told, alone);
}

}  // namespace critscale::cli
