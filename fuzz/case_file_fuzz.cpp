// Case files, up to the grids' deciding points and the jobs of claims, which are not run.
#include "inputs/case_file.hpp"

#include "grids/grid.hpp"
#include "support.hpp"
#include "theorems/theorems.hpp"

using namespace critscale;

namespace {

void visit(const cli::Specification& s) {
  const cli::Grid grid(s);
  if (grid.size() > 0) grid[0];
  constexpr std::size_t few = 1000;
  if (grid.size() < few)
    for (std::size_t i = 0; i < grid.deciding_points(); ++i) grid[grid.deciding_point(i)];
}

void visit_claim(const cli::Specification& s) {
  for (const cli::Job& job : cli::jobs_of(s))
    fuzz::require(!job.id.empty() && job.id[0] != '.' &&
                      job.id.find_first_of(std::string_view("/\\\0\n", 4)) == std::string::npos,
                  "an id is a file name");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::guarded([&] {
    const cli::CaseFile file = cli::read_case_file(fuzz::scratch(fuzz::text(data, size), ".toml"));
    for (const cli::Specification& s : file.cases) fuzz::guarded([&] { visit(s); });
    for (const cli::Specification& s : file.claims) fuzz::guarded([&] { visit_claim(s); });
  });
  return 0;
}
