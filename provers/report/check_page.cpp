// The page of `check --format json`. Uses report.hpp.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/report.hpp"

namespace critscale::cli::html {

namespace {

using nlohmann::ordered_json;

std::string text(const ordered_json& j, const char* key) {
  if (!j.contains(key) || j.at(key).is_null()) return {};
  return j.at(key).is_string() ? j.at(key).get<std::string>() : j.at(key).dump();
}

std::string counts(const ordered_json& root) {
  std::string r = "<ul class=\"cards\">";
  for (const auto& [key, what] :
       {std::pair{"values", "values"}, std::pair{"correctly_rounded", "correctly rounded"},
        std::pair{"wrong", "wrong"}, std::pair{"suspicious", "suspicious"},
        std::pair{"undecided", "undecided"}, std::pair{"left_out", "rows left out"}})
    if (root.contains(key)) r += fmt::format("<li><b>{}</b> {}</li>", escape(text(root, key)), what);
  return r + "</ul>";
}

std::string mistakes(const ordered_json& root) {
  std::string r;
  for (const ordered_json& m : root.at("mistakes"))
    r += fmt::format(
        "<article><h3>{}</h3><p>Explains {} of {} wrong rows.</p><dl><dt>right</dt><dd><code>{}</code></dd>"
        "<dt>found</dt><dd><code>{}</code></dd></dl></article>",
        escape(text(m, "what")), escape(text(m, "rows")), escape(text(m, "wrong_rows")),
        escape(text(m, "right")), escape(text(m, "formula")));
  return r.empty() ? "<p>No single slip explains what is wrong, or nothing is.</p>" : r;
}

/// Bars, one a class of distances.
std::string histogram(const ordered_json& root) {
  double most = 1;
  for (const ordered_json& h : root.at("ulp_histogram")) most = std::max(most, h.at("count").get<double>());
  std::string bars;
  double y = 0;
  constexpr double step = 24, left = 120, width = 360;
  for (const ordered_json& h : root.at("ulp_histogram")) {
    const double length = h.at("count").get<double>() / most * width;
    bars += fmt::format(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
        "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"18\"/>"
        "<text x=\"{:.1f}\" y=\"{}\">{}</text>",
        left - 8, y + 14, escape(text(h, "ulp")), left, y, length, left + length + 6, y + 14,
        escape(text(h, "count")));
    y += step;
  }
  return fmt::format(
      "<figure><h3>Distance to the correctly rounded value, in units of the last place</h3>"
      "<svg class=\"heat\" viewBox=\"0 0 560 {}\" role=\"img\" aria-label=\"Histogram\">{}</svg></figure>",
      y + 4, bars);
}

std::string findings(const ordered_json& root, const std::string& suffix) {
  Table table("findings" + suffix, "Wrong values first, then suspicious ones, then the other inexact ones.",
              {"Question", "Value", "Verdict", "Expected", "Found", "Of the allowance", "ULP",
               "Relative error", "Slip"});
  for (const ordered_json& f : root.at("worst")) {
    const std::string verdict = text(f, "verdict");
    const std::string kind = verdict == "wrong" ? "bad" : verdict == "within tolerance" ? "good" : "open";
    table.add({{fmt::format("<code>{}</code>", escape(text(f, "id"))), ""},
               {escape(text(f, "label")), ""},
               {fmt::format("<span class=\"badge {}\">{}</span>", kind, escape(verdict)), verdict},
               {fmt::format("<code>{}</code>", escape(text(f, "expected"))), text(f, "expected")},
               {fmt::format("<code>{}</code>", escape(text(f, "found"))), text(f, "found")},
               {escape(text(f, "ratio")), text(f, "ratio")},
               {escape(text(f, "ulp")), text(f, "ulp")},
               {escape(text(f, "relative_error")), text(f, "relative_error")},
               {escape(text(f, "mistake")), ""}},
              verdict);
  }
  return table.text();
}

}  // namespace

Report check_report(const std::string& path, const ordered_json& root, const std::string& suffix) {
  const std::string verdict = text(root, "verdict");
  const std::string kind = verdict == "conforms" ? "good" : verdict == "does not conform" ? "bad" : "open";
  Report r;
  r.title = fmt::format("Critscale: check of {}", text(root, "candidate"));
  r.introduction =
      fmt::format("<p><span class=\"badge {}\">{}</span> against <code>{}</code>, judged by {}. {}</p>{}",
                  kind, escape(verdict), escape(text(root, "table")), escape(text(root, "tolerance")),
                  escape(text(root, "reason")), counts(root));
  r.sections.push_back({"slips" + suffix, "What explains the wrong values", mistakes(root)});
  r.sections.push_back({"distances" + suffix, "Distances", histogram(root)});
  r.sections.push_back({"worst" + suffix, "Values, worst first", findings(root, suffix)});
  std::string ids;
  for (const char* list : {"missing", "extra", "duplicates", "left_out_rows"})
    if (root.contains(list))
      for (const ordered_json& id : root.at(list))
        ids += fmt::format("<li>{}: <code>{}</code></li>", list, escape(id.get<std::string>()));
  if (!ids.empty())
    r.sections.push_back({"rows" + suffix, "Rows that were not compared", "<ul>" + ids + "</ul>"});
  r.sections.push_back(
      {"source" + suffix, "Source", fmt::format("<p>Made from <code>{}</code>.</p>", escape(path))});
  return r;
}

}  // namespace critscale::cli::html
