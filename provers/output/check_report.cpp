// Reports of `critscale check`.
#include "output/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "critscale/tables/mistakes.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

std::string_view what_of(const std::string& mistake) {
  for (const Mistake& m : known_mistakes())
    if (m.id == mistake) return m.what;
  return {};
}

std::string class_name(double upper) {
  if (upper < 0) return "no distance";
  if (upper <= 2) return fmt::format("{}", static_cast<long>(upper));
  return fmt::format("{:.0f} to {:.0f}", upper / 2 + 1, upper);
}

std::string inputs_text(const Finding& f) {
  std::string r = f.row->question.op;
  for (const auto& [key, text] : f.row->question.inputs) r += fmt::format(" {}=[{}]", key, text);
  return r;
}

std::string finding_text(const Finding& f) {
  std::string r = fmt::format("{} {}: expected {}, found {}", f.id, f.label, f.expected, f.found);
  if (f.ulps) r += fmt::format(", {} ULP", *f.ulps);
  if (f.relative_error) r += fmt::format(", relative error {:.3g}", *f.relative_error);
  if (f.verdict == Verdict::wrong) r += ", outside the tolerance";
  if (f.verdict == Verdict::undecided) r += ", not decided by the table's precision";
  if (!f.mistake.empty()) r += fmt::format("; known mistake {}: {}", f.mistake, what_of(f.mistake));
  return r;
}

std::string list_text(const char* what, const std::vector<std::string>& ids) {
  std::string r;
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(ids.size(), most); ++i) r += fmt::format("  {} {}\n", what, ids[i]);
  if (ids.size() > most) r += fmt::format("  {} ... and {} more\n", what, ids.size() - most);
  return r;
}

std::string xml(std::string_view text) {
  std::string r;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      r += "&amp;";
    else if (c == '<')
      r += "&lt;";
    else if (c == '>')
      r += "&gt;";
    else if (c == '"')
      r += "&quot;";
    else
      r += byte < 32 ? ' ' : c;
  }
  return r;
}

}  // namespace

std::string verdict_text(const Comparison& c) {
  return c.conforms() ? "conforms" : c.is_undecided() ? "undecided" : "does not conform";
}

std::string report_text(const Comparison& c, const CheckSubject& s, std::size_t worst) {
  std::string r =
      fmt::format("{} {}: {} (preset {})\n", s.candidate, verdict_text(c), s.table, s.tolerance.name);
  r += fmt::format("  rows {}, values {}, equal to the correctly rounded value {}", c.rows, c.values,
                   c.correctly_rounded);
  if (c.rounding_undecided > 0)
    r += fmt::format(" (rounding not decided by the table: {})", c.rounding_undecided);
  r += fmt::format("\n  outside the tolerance {}, undecided {}, nan {}, infinite {}\n", c.wrong, c.undecided,
                   c.nans, c.infinities);
  r += fmt::format("  missing {}, extra {}, duplicated {}\n", c.missing.size(), c.extra.size(),
                   c.duplicates.size());
  if (c.left_out > 0)
    r += fmt::format("  left out {} rows whose inputs {} does not hold exactly\n", c.left_out,
                     s.tolerance.format->name);
  r += list_text("missing", c.missing) + list_text("extra", c.extra) + list_text("duplicated", c.duplicates);
  for (const auto& [id, rows] : c.mistakes)
    r += fmt::format("known mistake {}: {} (explains {} rows)\n", id, what_of(id), rows);
  r += "distance to the correctly rounded value, in ULP:\n";
  for (const auto& [upper, count] : c.histogram) r += fmt::format("  {:<24} {}\n", class_name(upper), count);
  if (!c.findings.empty()) r += "worst first:\n";
  for (std::size_t i = 0; i < std::min(worst, c.findings.size()); ++i)
    r += fmt::format("  {}\n    {}\n", finding_text(c.findings[i]), inputs_text(c.findings[i]));
  return r;
}

std::string report_json(const Comparison& c, const CheckSubject& s) {
  ordered_json r = {{"schema", 1},
                    {"verdict", verdict_text(c)},
                    {"table", s.table},
                    {"candidate", s.candidate},
                    {"preset", s.tolerance.name},
                    {"format", s.tolerance.format->name},
                    {"rows", c.rows},
                    {"values", c.values},
                    {"correctly_rounded", c.correctly_rounded},
                    {"rounding_undecided", c.rounding_undecided},
                    {"wrong", c.wrong},
                    {"undecided", c.undecided},
                    {"nan", c.nans},
                    {"infinite", c.infinities},
                    {"left_out", c.left_out},
                    {"missing", c.missing},
                    {"extra", c.extra},
                    {"duplicates", c.duplicates}};
  r["mistakes"] = ordered_json::array();
  for (const auto& [id, rows] : c.mistakes)
    r["mistakes"].push_back({{"id", id}, {"what", what_of(id)}, {"rows", rows}});
  r["ulp_histogram"] = ordered_json::array();
  for (const auto& [upper, count] : c.histogram)
    r["ulp_histogram"].push_back({{"ulp", class_name(upper)}, {"count", count}});
  r["worst"] = ordered_json::array();
  for (const Finding& f : c.findings) {
    ordered_json v = {{"id", f.id}, {"label", f.label}, {"op", f.row->question.op}};
    for (const auto& [key, text] : f.row->question.inputs) v["inputs"][key] = text;
    v["expected"] = f.expected;
    v["found"] = f.found;
    v["ulp"] = f.ulps ? ordered_json(*f.ulps) : ordered_json(nullptr);
    v["relative_error"] =
        f.relative_error ? ordered_json(fmt::format("{:.3g}", *f.relative_error)) : ordered_json(nullptr);
    v["verdict"] = f.verdict == Verdict::right   ? "within tolerance"
                   : f.verdict == Verdict::wrong ? "wrong"
                                                 : "undecided";
    if (!f.mistake.empty()) v["mistake"] = f.mistake;
    r["worst"].push_back(std::move(v));
  }
  return r.dump(2) + "\n";
}

std::string report_junit(const Comparison& c, const CheckSubject& s) {
  std::string cases;
  std::size_t failures = 0, tests = 1;
  const auto fail = [&](const std::string& name, const std::string& message) {
    ++failures;
    ++tests;
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\"><failure message=\"{}\"/></testcase>\n",
                         xml(s.table), xml(name), xml(message));
  };
  for (const Finding& f : c.findings)
    if (f.verdict != Verdict::right) fail(fmt::format("{} {}", f.id, f.label), finding_text(f));
  for (const std::string& id : c.missing) fail(id, "missing");
  for (const std::string& id : c.extra) fail(id, "extra");
  for (const std::string& id : c.duplicates) fail(id, "duplicated");
  if (c.wrong + c.undecided > failures && failures == c.findings.size())
    fail("further values", fmt::format("{} values in all are wrong or undecided", c.wrong + c.undecided));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"critscale check {}\" tests=\"{}\" "
      "failures=\"{}\">\n"
      "{}  <testcase classname=\"{}\" name=\"{} values within tolerance\"/>\n</testsuite>\n",
      xml(s.candidate), tests, failures, cases, xml(s.table),
      c.values - std::min(c.values, c.wrong + c.undecided));
}

}  // namespace critscale::cli
