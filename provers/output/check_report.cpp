// Reports of `critscale check`.
#include "output/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "output/markup.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

/// The slips that explain a row, by its id.
using Slips = std::unordered_map<std::string, std::string>;

Slips slips_of(const Comparison& c) {
  Slips r;
  for (const Explanation& e : c.explanations)
    for (const std::string& id : e.ids) r.try_emplace(id, fmt::format("{}: {}", e.what, e.formula));
  return r;
}

std::string class_name(double upper) {
  if (upper < 0) return "no distance";
  if (upper <= 2) return fmt::format("{}", static_cast<long>(upper));
  return fmt::format("{:.0f} to {:.0f}", upper / 2 + 1, upper);
}

/// A list of more than this many numbers is shortened.
constexpr std::size_t most_numbers = 16, shown_numbers = 8;

/// "4096 values, first 8: 0 0 0 ..." for long lists.
std::string shortened(const std::string& text) {
  std::size_t spaces = 0, end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == ' ' && ++spaces == shown_numbers) end = i;
  if (spaces < most_numbers) return text;
  return fmt::format("{} values, first {}: {} ...", spaces + 1, shown_numbers, text.substr(0, end));
}

std::string finding_inputs(const Finding& f) {
  std::string r = f.row->question.op;
  for (const auto& [key, text] : f.row->question.inputs) r += fmt::format(" {}=[{}]", key, shortened(text));
  return r;
}

/// Ids hold the inputs, and are as long.
std::string short_id(std::string_view id) {
  constexpr std::size_t most = 160;
  return id.size() <= most ? std::string(id)
                           : fmt::format("{}... ({} characters)", id.substr(0, most), id.size());
}

std::string_view verdict_name(Verdict v) {
  switch (v) {
    case Verdict::right:
      return "within tolerance";
    case Verdict::suspicious:
      return "suspicious";
    case Verdict::wrong:
      return "wrong";
    default:
      return "undecided";
  }
}

std::string finding_text(const Finding& f, const Slips& slips) {
  std::string r = fmt::format("{} {}: expected {}, found {}", short_id(f.id), f.label, f.expected, f.found);
  if (f.ratio) r += fmt::format(", {:.3g} of the allowance", *f.ratio);
  if (f.ulps) r += fmt::format(", {} ULP", *f.ulps);
  if (f.relative_error) r += fmt::format(", relative error {:.3g}", *f.relative_error);
  if (f.verdict == Verdict::wrong) r += ", outside the tolerance";
  if (f.verdict == Verdict::suspicious) r += ", suspicious: roundings hardly ever add up to that";
  if (f.verdict == Verdict::undecided) r += ", not decided by the table's precision";
  if (const auto slip = slips.find(std::string(f.id)); slip != slips.end() && f.verdict == Verdict::wrong)
    r += fmt::format("; explained by {}", slip->second);
  return r;
}

std::string list_text(const char* what, const std::vector<std::string>& ids, std::size_t most = 10) {
  std::string r;
  for (std::size_t i = 0; i < std::min(ids.size(), most); ++i)
    r += fmt::format("  {} {}\n", what, short_id(ids[i]));
  if (ids.size() > most && most > 0) r += fmt::format("  {} ... and {} more\n", what, ids.size() - most);
  return r;
}

}  // namespace

std::string verdict_text(const Comparison& c) {
  if (c.conforms()) return "conforms";
  if (!c.is_undecided()) return "does not conform";
  return c.nothing_compared() ? "nothing compared" : "undecided";
}

std::string reason_text(const Comparison& c, const CheckSubject& s) {
  if (!c.nothing_compared() || !c.is_undecided()) return {};
  if (c.left_out.empty()) return "the table has no values";
  return fmt::format("none of the {} rows has inputs that {} holds exactly", c.left_out.size(),
                     s.tolerance.format().name);
}

std::string report_text(const Comparison& c, const CheckSubject& s, std::size_t worst) {
  std::string r =
      fmt::format("{} {}: {} ({})", s.candidate, verdict_text(c), s.table, s.tolerance.to_string());
  if (!c.left_out.empty())
    r += fmt::format(", {} of {} rows left out", c.left_out.size(),
                     c.left_out.size() + c.rows + c.missing.size());
  r += '\n';
  if (const std::string reason = reason_text(c, s); !reason.empty()) r += fmt::format("  {}\n", reason);
  r += fmt::format("  rows {}, values {}, equal to the correctly rounded value {}", c.rows, c.values,
                   c.correctly_rounded);
  if (c.rounding_undecided > 0)
    r += fmt::format(" (rounding not decided by the table: {})", c.rounding_undecided);
  r += fmt::format("\n  outside the tolerance {}, suspicious {}, undecided {}, nan {}, infinite {}\n",
                   c.wrong, c.suspicious, c.undecided, c.nans, c.infinities);
  if (c.values > 0)
    r += fmt::format("  largest error of the others: {:.3g} of the allowance; on average {:.2g}\n",
                     c.largest_ratio, c.mean_ratio);
  if (c.without_theory > 0)
    r += fmt::format("  judged by PyTorch's tolerances for want of a rounding theory: {} values\n",
                     c.without_theory);
  r += fmt::format("  missing {}, extra {}, duplicated {}\n", c.missing.size(), c.extra.size(),
                   c.duplicates.size());
  r += list_text("missing", c.missing) + list_text("extra", c.extra) + list_text("duplicated", c.duplicates);
  if (!c.left_out.empty() && worst > 0) {
    r += fmt::format("left out, as {} does not hold their inputs exactly:\n", s.tolerance.format().name);
    r += list_text("left out", c.left_out, worst);
  }
  for (const Explanation& e : c.explanations)
    r += fmt::format("explained: {} ({} of {} wrong rows)\n  right: {}\n  found: {}\n", e.what, e.rows,
                     e.wrong_rows, e.right, e.formula);
  if (c.not_sought > 0)
    r += fmt::format(
        "no slip was looked for in {} wrong rows: attention of more than 262144 products, or grid points of "
        "a "
        "layer\n",
        c.not_sought);
  r += "distance to the correctly rounded value, in ULP:\n";
  for (const auto& [upper, count] : c.histogram) r += fmt::format("  {:<24} {}\n", class_name(upper), count);
  if (!c.findings.empty()) r += "worst first:\n";
  const Slips slips = slips_of(c);
  for (std::size_t i = 0; i < std::min(worst, c.findings.size()); ++i)
    r += fmt::format("  {}\n    {}\n", finding_text(c.findings[i], slips), finding_inputs(c.findings[i]));
  return r;
}

std::string report_json(const Comparison& c, const CheckSubject& s) {
  ordered_json r = {{"schema", 1},
                    {"verdict", verdict_text(c)},
                    {"table", s.table},
                    {"candidate", s.candidate},
                    {"preset", short_name(s.tolerance.format())},
                    {"format", s.tolerance.format().name},
                    {"tolerance", s.tolerance.to_string()},
                    {"reason", reason_text(c, s)},
                    {"rows", c.rows},
                    {"values", c.values},
                    {"correctly_rounded", c.correctly_rounded},
                    {"rounding_undecided", c.rounding_undecided},
                    {"wrong", c.wrong},
                    {"suspicious", c.suspicious},
                    {"undecided", c.undecided},
                    {"nan", c.nans},
                    {"infinite", c.infinities},
                    {"largest_ratio", fmt::format("{:.3g}", c.largest_ratio)},
                    {"mean_ratio", fmt::format("{:.3g}", c.mean_ratio)},
                    {"without_theory", c.without_theory},
                    {"left_out", c.left_out.size()},
                    {"left_out_rows", c.left_out},
                    {"missing", c.missing},
                    {"extra", c.extra},
                    {"duplicates", c.duplicates}};
  r["not_sought"] = c.not_sought;
  r["mistakes"] = ordered_json::array();
  for (const Explanation& e : c.explanations)
    r["mistakes"].push_back({{"id", e.id},
                             {"what", e.what},
                             {"rows", e.rows},
                             {"wrong_rows", e.wrong_rows},
                             {"right", e.right},
                             {"formula", e.formula}});
  r["ulp_histogram"] = ordered_json::array();
  for (const auto& [upper, count] : c.histogram)
    r["ulp_histogram"].push_back({{"ulp", class_name(upper)}, {"count", count}});
  r["worst"] = ordered_json::array();
  const Slips slips = slips_of(c);
  for (const Finding& f : c.findings) {
    ordered_json v = {{"id", std::string(f.id)}, {"label", f.label}, {"op", f.row->question.op}};
    for (const auto& [key, text] : f.row->question.inputs) v["inputs"][key] = text;
    v["expected"] = f.expected;
    v["found"] = f.found;
    v["ulp"] = f.ulps ? ordered_json(*f.ulps) : ordered_json(nullptr);
    v["relative_error"] =
        f.relative_error ? ordered_json(fmt::format("{:.3g}", *f.relative_error)) : ordered_json(nullptr);
    v["ratio"] = f.ratio ? ordered_json(fmt::format("{:.3g}", *f.ratio)) : ordered_json(nullptr);
    v["verdict"] = verdict_name(f.verdict);
    if (const auto slip = slips.find(std::string(f.id)); slip != slips.end() && f.verdict == Verdict::wrong)
      v["mistake"] = slip->second;
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
                         escape(s.table), escape(name), escape(message));
  };
  const Slips slips = slips_of(c);
  for (const Finding& f : c.findings)
    if (f.verdict == Verdict::wrong || f.verdict == Verdict::undecided)
      fail(fmt::format("{} {}", short_id(f.id), f.label), finding_text(f, slips));
  for (const std::string& id : c.missing) fail(short_id(id), "missing");
  for (const std::string& id : c.extra) fail(short_id(id), "extra");
  for (const std::string& id : c.duplicates) fail(short_id(id), "duplicated");
  if (c.wrong + c.undecided > failures && failures == c.findings.size())
    fail("further values", fmt::format("{} values in all are wrong or undecided", c.wrong + c.undecided));
  if (const std::string reason = reason_text(c, s); !reason.empty()) fail("nothing compared", reason);
  for (const std::string& id : c.left_out)
    cases += fmt::format(
        "  <testcase classname=\"{}\" name=\"{}\"><skipped message=\"{} does not hold the inputs "
        "exactly\"/></testcase>\n",
        escape(s.table), escape(short_id(id)), s.tolerance.format().name);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"critscale check {}\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\">\n"
      "{}  <testcase classname=\"{}\" name=\"{} values within tolerance\"/>\n</testsuite>\n",
      escape(s.candidate), tests + c.left_out.size(), failures, c.left_out.size(), cases, escape(s.table),
      c.values - std::min(c.values, c.wrong + c.undecided));
}

}  // namespace critscale::cli
