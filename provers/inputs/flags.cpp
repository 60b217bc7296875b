// Shared flags. CLI11 collects texts; every meaning is given by the exact parsers.
#include "inputs/flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "critscale/number/quote.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/text/parse.hpp"
#include "inputs/case_file.hpp"

namespace critscale::cli {

namespace {

/// "r=4/5,size=10^12".
BandText parse_band_flag(const std::string& text) {
  BandText band;
  for (std::size_t start = 0; start <= text.size();) {
    // A comma inside brackets belongs to a box.
    std::size_t end = start;
    for (int depth = 0; end < text.size() && (text[end] != ',' || depth > 0); ++end)
      depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    const std::string part = text.substr(start, end - start);
    if (part.starts_with("r="))
      band.r = {part.substr(2), "--band r"};
    else if (part.starts_with("size="))
      band.size = {part.substr(5), "--band size"};
    else if (part.starts_with("theta="))
      band.size = {fmt::format("n^({})", part.substr(6)), "--band theta"};
    else
      throw InputError(fmt::format(
          "--band: expected r=R,size=SIZE (or theta=THETA for size n^THETA), found {}", in_quotes(text)));
    start = end + 1;
  }
  if (band.r.text.empty() || band.size.text.empty())
    throw InputError(fmt::format("--band: expected r=R,size=SIZE (or theta=THETA for size n^THETA), found {}",
                                 in_quotes(text)));
  return band;
}

}  // namespace

long read_count(const Text& t, long lowest, long highest) {
  long v = 0;
  const auto* end = t.text.data() + t.text.size();
  const auto [p, error] = std::from_chars(t.text.data(), end, v);
  if (error != std::errc{} || p != end || v < lowest || v > highest)
    throw InputError(fmt::format("{}: expected an integer from {} to {}, found {}", t.where, lowest, highest,
                                 in_quotes(t.text)));
  return v;
}

CLI::Option* add_text_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& description) {
  // One argument an occurrence: CLI11 would split "[1/3,1/2]" for an option that takes more.
  return app
      .add_option_function<std::string>(
          name, [&values](const std::string& v) { values.push_back(v); }, description)
      ->expected(1)
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option* add_name_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& description) {
  return app.add_option(name, values, description)->expected(1)->take_all()->delimiter(',');
}

SharedFlags::SharedFlags(CLI::App& command, bool with_latex) : command_(command) {
  command.add_option("case_file", case_file_, "Case file (TOML)");
  command.add_option("--geometry", geometry_,
                     "simplex or bands (found from --rho or --band when left out); in tables also gaussian");
  add_text_list(
      command, "--rho", rho_,
      "Inner product of the simplex: exact number, box [lo,hi], range from:to:steps, or list with commas");
  add_text_list(command, "--band", bands_,
                "One band, innermost first: r=4/5,size=n^(1/2), or theta=1/2 for that size");
  add_text_list(command, "--n", n_,
                "Context length: INT, INT^INT, INT^(INT^INT), 1e6, or from:to:*ratio such as 10:10^12:*10");
  add_text_list(command, "--gamma", gamma_,
                "beta = gamma log n: exact number, critical (the first threshold, also gamma_1; gamma_2 is "
                "the second), "
                "critical*11/10, box or range, also critical*9/10:critical*11/10:5");
  add_text_list(command, "--gamma-ratio", gamma_ratio_, "gamma (1 - rho) in place of gamma");
  add_text_list(command, "--beta", beta_, "Logit scale: exact number, box, or [c*](log n)^k [+ b]");
  add_text_list(command, "--alpha", alpha_, "Residual strength (default 0)");
  add_text_list(command, "--q", q_, "Squared norm of the tokens (default 1)");
  add_text_list(command, "--d", d_, "Dimension: [c*]n[^(p/q)] or an integer (default n)");
  add_name_list(command, "--quantities", quantities_, "Only these quantities, with commas or repeated");
  command.add_flag("--analytic", analytic_,
                   "Continue the formulas to sizes that are not integers or do not divide");
  command.add_option("--seed", seed_, "Seed of Gaussian tokens (default 0)");
  run_.add(command, "Certified decimal digits, 1 to 100000 (default 30)",
           "Stop after so many seconds (exit code 3)");
  command.add_option("--format", format_, with_latex ? "text, json, csv or latex" : "text, json or csv")
      ->check(with_latex ? CLI::IsMember({"text", "json", "csv", "latex"})
                         : CLI::IsMember({"text", "json", "csv"}));
  command.add_option("-o,--output", output_, "Write the result to this file (beside it first, then renamed)");
  command.add_flag("--force", force_, "Replace an existing output file");
  command.add_flag("--list", list_, "JSON as {\"results\": [...]} also for one result");
}

void SharedFlags::add_tokens(CLI::App& command) {
  add_text_list(command, "--tokens", tokens_, "Token file (.npy, .npz, .csv, .vec) in place of a geometry");
}

std::vector<Specification> SharedFlags::specifications(bool may_be_empty) const {
  Specification flags;
  // In the order in which they were given: the last varies fastest.
  const auto add = [&](const char* key, const char* flag, const std::vector<std::string>& values) {
    if (values.empty()) return;
    Entry e{key, {}};
    for (const std::string& v : values) e.values.push_back({v, flag});
    flags.entries.push_back(std::move(e));
  };
  std::vector<std::string> seen;
  for (const CLI::Option* option : command_.parse_order()) {
    const std::string name = option->get_name();
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    if (name == "--rho") add("rho", "--rho", rho_);
    if (name == "--n") add("n", "--n", n_);
    if (name == "--tokens") add("tokens", "--tokens", tokens_);
    if (name == "--gamma") add("gamma", "--gamma", gamma_);
    if (name == "--gamma-ratio") add("gamma_ratio", "--gamma-ratio", gamma_ratio_);
    if (name == "--beta") add("beta", "--beta", beta_);
    if (name == "--alpha") add("alpha", "--alpha", alpha_);
    if (name == "--q") add("q", "--q", q_);
    if (name == "--d") add("d", "--d", d_);
    if (name == "--quantities") add("quantities", "--quantities", quantities_);
  }
  if (!geometry_.empty()) add("geometry", "--geometry", {geometry_});
  if (!seed_.empty()) add("seed", "--seed", {seed_});
  if (analytic_) add("analytic", "--analytic", {"true"});
  for (const std::string& b : bands_) flags.bands.push_back(parse_band_flag(b));
  if (case_file_.empty()) {
    if (!may_be_empty && flags.entries.empty() && flags.bands.empty())
      throw InputError(
          "a case file or parameters are needed, such as --rho 1/3 --n 10^6 --gamma 3/2 (see --help)");
    return {flags};
  }
  if (!flags.entries.empty() || !flags.bands.empty())
    throw InputError("give either a case file or parameters, not both");
  std::vector<Specification> cases = read_case_file(case_file_).cases;
  if (cases.empty()) throw InputError(fmt::format("{}: no [[case]] table", case_file_));
  return cases;
}

void RunFlags::add(CLI::App& command, const std::string& digits_description,
                   const std::string& limit_description) {
  command.add_option("--digits", digits_, digits_description);
  command.add_option("--max-bits", max_bits_, "Largest working precision in bits (default: by the digits)");
  command.add_option("--threads", threads_, "Threads (default: all cores)");
  command.add_option("--time-limit", time_limit_, limit_description);
}

RunOptions RunFlags::read(const std::function<std::optional<Text>(const char* key)>& otherwise) const {
  const auto given = [&](const std::string& text, const char* flag, const char* key) {
    return !text.empty() ? std::optional<Text>({text, flag}) : otherwise ? otherwise(key) : std::nullopt;
  };
  RunOptions r;
  if (const auto digits = given(digits_, "--digits", "digits")) r.digits = read_count(*digits, 1, max_digits);
  if (const auto bits = given(max_bits_, "--max-bits", "max_bits"))
    r.max_bits = read_count(*bits, 32, Ball::max_precision);
  if (const auto threads = given(threads_, "--threads", "threads"))
    r.threads = static_cast<std::size_t>(read_count(*threads, 1, 1024));
  if (const auto time_limit = given(time_limit_, "--time-limit", "time_limit")) {
    const Rational seconds = located(time_limit->where, [&] { return parse_rational(time_limit->text); });
    if (seconds <= 0)
      throw InputError(fmt::format("{}: expected a positive number of seconds, found {}", time_limit->where,
                                   in_quotes(time_limit->text)));
    r.time_limit = static_cast<double>(seconds);
  }
  return r;
}

RunOptions SharedFlags::run_options(const Specification& s) const {
  return run_.read([&](const char* key) {
    const Text* t = s.find_single(key);
    return t ? std::optional<Text>(*t) : std::nullopt;
  });
}

Format SharedFlags::format() const { return format_by_name(format_); }

Format format_by_name(std::string_view name) {
  return name == "json"    ? Format::json
         : name == "csv"   ? Format::csv
         : name == "latex" ? Format::latex
                           : Format::text;
}

}  // namespace critscale::cli
