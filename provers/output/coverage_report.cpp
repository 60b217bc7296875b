// Reports of `critscale table --coverage`.
#include "output/coverage_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace critscale::cli {

std::string coverage_text(const std::vector<CoverageGroup>& groups, const Tolerance& t) {
  std::string r;
  std::size_t all = 0, told = 0, holes = 0, alike = 0;
  const auto list = [&](const CoverageGroup& g, Standing standing, const char* what) {
    for (std::size_t i = 0; i < g.mutations.size(); ++i)
      if (g.standing[i] == standing)
        r += fmt::format("  {}: {} ({})\n", what, g.mutations[i].what, to_string(g.mutations[i].formula));
  };
  for (const CoverageGroup& g : groups) {
    const auto count = [&](Standing s) {
      return static_cast<std::size_t>(std::count(g.standing.begin(), g.standing.end(), s));
    };
    std::size_t together = 0;
    for (const auto& group : g.alike) together += group.size();
    r += fmt::format(
        "{}\n  {} rows, {} mutations: {} told from the right formula ({} say the same as another), {} that "
        "formula itself, {} roundings of this arithmetic, {} not told, {} alike\n",
        g.formula, g.rows, g.mutations.size(), count(Standing::told), g.repeated.size(),
        count(Standing::same), count(Standing::own_rounding), count(Standing::hole), together);
    list(g, Standing::hole, "not told");
    list(g, Standing::same, "the right formula in other words");
    list(g, Standing::own_rounding, "a rounding of this arithmetic");
    for (const auto& group : g.alike) {
      r += "  alike:";
      for (const std::size_t i : group)
        r += fmt::format("{} {}", i == group[0] ? "" : ";", g.mutations[i].what);
      r += '\n';
    }
    all += g.mutations.size();
    told += count(Standing::told);
    holes += count(Standing::hole);
    alike += together;
  }
  return r + fmt::format("{}: {} mutations, {} told from the right formula, {} not told, {} alike\n",
                         t.to_string(), all, told, holes, alike);
}

}  // namespace critscale::cli
