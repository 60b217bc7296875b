// Tables and candidates of `check`. The first byte chooses what is foreign: the table, or the candidate as
// JSON, CSV or .npy. The table of the other cases is the environment's CRITSCALE_FUZZ_TABLE.
#include "critscale/tables/compare.hpp"
#include "inputs/candidate.hpp"
#include "support.hpp"
#include "table.hpp"

using namespace critscale;

namespace {

Tolerance judged_by(const std::string& preset) {
  return make_tolerance("rounding", Arithmetic::parse(preset.empty() ? "fp64" : preset));
}

void foreign_table(std::string_view text) {
  const std::string path = fuzz::scratch(fuzz::with_checksum(text), ".csv");
  const std::vector<ReferenceRow> rows = read_reference(path);
  for (const ReferenceRow& row : rows) cli::question_line(row);
  std::string preset = "fp64";
  compare(rows, cli::read_candidate(path, rows, preset), judged_by(preset));
}

void foreign_candidate(std::string_view text, const char* extension) {
  static const std::vector<ReferenceRow> rows = [] {
    const char* table = std::getenv("CRITSCALE_FUZZ_TABLE");
    fuzz::require(table != nullptr, "CRITSCALE_FUZZ_TABLE names a table");
    return read_reference(table);
  }();
  std::string preset;
  const Candidate c = cli::read_candidate(fuzz::scratch(text, extension), rows, preset);
  compare(rows, c, judged_by(preset));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text = fuzz::text(data + 1, size - 1);
  constexpr const char* extensions[] = {"", ".json", ".csv", ".npy"};
  const int kind = data[0] % 4;
  fuzz::guarded([&] {
    if (kind == 0)
      foreign_table(text);
    else
      foreign_candidate(text, extensions[kind]);
  });
  return 0;
}
