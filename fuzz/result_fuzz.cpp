// Results as `plot` reads them (the first byte: JSON, or a table), up to the gnuplot scripts: outside data
// blocks every line must begin as the program's own lines do, and no text may end its quotes.
#include "inputs/result_file.hpp"

#include "plots/plan.hpp"
#include "plots/script.hpp"
#include "support.hpp"
#include "table.hpp"

using namespace critscale;

namespace {

void check_command(std::string_view line) {
  fuzz::require(line.starts_with("set ") || line.starts_with("plot ") || line.starts_with("     $"),
                "a line begins with a command");
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') quoted = !quoted;
    if (!quoted)
      fuzz::require(c != '`' && c != '"' && c != ';' && c != '!', "no command is hidden in a line");
    else
      fuzz::require(static_cast<unsigned char>(c) >= ' ', "no control character in a text");
  }
  fuzz::require(!quoted, "quotes pair");
}

void check_script(const std::string& s) {
  bool data = false;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t end = std::min(s.find('\n', at), s.size());
    const std::string_view line(s.data() + at, end - at);
    at = end + 1;
    if (data && line == "EOD")
      data = false;
    else if (data)
      fuzz::require(line.find_first_not_of("0123456789+-.einfa ") == line.npos, "a line of data");
    else if (line.starts_with("$") && line.ends_with(" << EOD"))
      data = true;
    else
      check_command(line);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text = fuzz::text(data + 1, size - 1);
  fuzz::guarded([&] {
    const std::string path =
        data[0] % 2 == 0 ? fuzz::scratch(text, ".json") : fuzz::scratch(fuzz::with_checksum(text), ".csv");
    cli::PlotOptions options;
    if ((data[0] & 4) != 0) options.scale = (data[0] & 8) != 0 ? cli::Scale::log : cli::Scale::linear;
    for (const cli::Figure& f : cli::plan(cli::read_result(path), options)) {
      fuzz::require(f.name.find('/') == std::string::npos, "a figure's name is no path");
      check_script(cli::script(f, (data[0] & 16) != 0 ? cli::ImageFormat::svg : cli::ImageFormat::png));
    }
  });
  return 0;
}
