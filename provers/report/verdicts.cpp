// The page of `prove`: verdicts, constants beside the largest sampled values, assumptions, how to re-check.
// Uses report.hpp and plots/number.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"
#include "plots/number.hpp"
#include "report/mathml.hpp"
#include "report/report.hpp"

namespace critscale::cli::html {

namespace {

using nlohmann::ordered_json;

std::string text(const ordered_json& row, const char* key) {
  return row.contains(key) && row.at(key).is_string() ? row.at(key).get<std::string>() : "";
}

/// A word with the colour of its meaning.
std::string badge(const std::string& verdict) {
  const std::string kind = verdict == "proved"                            ? "good"
                           : verdict == "refuted" || verdict == "refused" ? "bad"
                                                                          : "open";
  return fmt::format("<span class=\"badge {}\">{}</span>", kind, escape(verdict));
}

/// The largest sampled value as a part of the constant, drawn as a bar.
std::string bar(const std::string& ratio) {
  const auto r = read_decimal(ratio);
  if (!r || r->sign <= 0) return {};
  return fmt::format("<span class=\"bar\" aria-hidden=\"true\"><i style=\"width:{:.1f}%\"></i></span>",
                     100 / std::max(1.0, r->linear()));
}

std::string claim_cell(const ordered_json& row) {
  std::string r = fmt::format("<code>{}</code>{}", escape(text(row, "id")), statement_html(row));
  if (const std::string s = text(row, "statement"); !s.empty())
    r += fmt::format("<details><summary>in words</summary><p>{}</p></details>", escape(s));
  if (const std::string d = text(row, "detail"); !d.empty())
    r += fmt::format("<p class=\"note\">{}</p>", escape(d));
  return r;
}

std::string verdict_table(const ordered_json& rows, const std::string& suffix) {
  Table table("verdicts" + suffix, "Every claim with its verdict. A column's name sorts by it.",
              {"Claim", "Theorem", "Verdict", "Constants", "Largest sampled", "Constant over sampled",
               "Paper", "Certificate"});
  for (const ordered_json& row : rows) {
    const std::string certificate = text(row, "certificate"), ratio = text(row, "constant_over_sampled");
    table.add({{claim_cell(row), text(row, "id")},
               {escape(text(row, "theorem")), ""},
               {badge(text(row, "verdict")), text(row, "verdict")},
               {escape(text(row, "constants")), ""},
               {escape(text(row, "largest_sampled")), text(row, "largest_sampled")},
               {escape(ratio) + bar(ratio), ratio},
               {escape(text(row, "paper")), ""},
               {certificate.empty() ? "" : fmt::format("<a href=\"{0}\">JSON</a>", escape(certificate)),
                certificate}},
              text(row, "verdict"));
  }
  return table.text();
}

/// How far the transitions at finite n are from the threshold, beside the bound that is proved for all n >=
/// N.
std::optional<Figure> boundary_figure(const ordered_json& row) {
  const ordered_json& claim = row.at("claim");
  const auto number = [](const ordered_json& j) { return read_exact(j.get<std::string>()); };
  const Rational threshold = parse_rational(claim.at("thresholds").at(0).get<std::string>());
  const auto C = number(claim.at("C")), k = number(claim.at("k"));
  if (!C || !k) return std::nullopt;
  Figure f;
  f.title = fmt::format("|γ^*(n) − γ_c|: {}", plain(text(row, "id")));
  f.caption = {
      "The transitions at which two bands have equal mass, and the bound that is proved for all n ≥ N."};
  Curve found{Curve::Role::series, "threshold less transition", 0, {{}}};
  Curve bound{Curve::Role::limit, "proved bound", 1, {{}}};
  for (const ordered_json& t : claim.at("transitions")) {
    const auto n = number(t.at("n"));
    if (!n || !(n->log10 > 0)) continue;
    const Rational far = threshold - parse_rational(text(t, "lo")),
                   near = threshold - parse_rational(text(t, "hi"));
    // Where the digits of the transition end before the distance begins there is nothing to draw.
    if (near <= 0 || far > near * Rational(101, 100)) continue;
    const double y = std::log10(static_cast<double>(near));
    const double b = C->log10 - k->linear() * n->log10 - std::log10(n->log10 * std::log(10.0));
    found.pieces[0].push_back({n->log10, y, y, y});
    bound.pieces[0].push_back({n->log10, b, b, b});
  }
  if (found.pieces[0].size() < 2) return std::nullopt;
  f.x = {"n", Scale::log, found.pieces[0].front().x, found.pieces[0].back().x};
  f.y = {"distance", Scale::log, found.pieces[0].back().y, bound.pieces[0].front().y};
  f.curves = {found, bound};
  return f;
}

/// Constants over the largest sampled values: how much each proof gives away.
std::optional<Figure> ratio_figure(const ordered_json& rows) {
  std::vector<double> ratios;
  for (const ordered_json& row : rows)
    if (const auto r = read_decimal(text(row, "constant_over_sampled")); r && r->sign > 0)
      ratios.push_back(r->linear());
  if (ratios.size() < 2) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  Curve c{Curve::Role::series, "constant over the largest sampled value", 0, {{}}};
  for (std::size_t i = 0; i < ratios.size(); ++i)
    c.pieces[0].push_back({static_cast<double>(i + 1), ratios[i], ratios[i], ratios[i]});
  Figure f;
  f.title = "Proved constant over the largest sampled value";
  f.caption = {"One point a claim, in rising order. 1 would be a constant that nothing could improve."};
  f.x = {"claims", Scale::linear, 1, static_cast<double>(ratios.size())};
  f.y = {"C over sampled", Scale::linear, 0, ratios.back()};
  f.curves = {c};
  return f;
}

std::string summary(const ordered_json& rows) {
  std::map<std::string, std::size_t> counts;
  for (const ordered_json& row : rows) ++counts[text(row, "verdict")];
  std::string r = "<ul class=\"cards\">";
  for (const auto& [verdict, count] : counts)
    r += fmt::format("<li><b>{}</b> {}</li>", count, badge(verdict));
  return r + "</ul>";
}

const char* const assumed =
    "<p>Tokens x<sub>1</sub>, …, x<sub>n</sub> have directions y<sub>i</sub> = "
    "x<sub>i</sub>/|x<sub>i</sub>|. "
    "Attention has the weights A<sub>ij</sub> = exp(β⟨y<sub>i</sub>, y<sub>j</sub>⟩)/Z<sub>i</sub>, "
    "and takes x<sub>i</sub> to x′<sub>i</sub> = Σ<sub>j</sub> A<sub>ij</sub> y<sub>j</sub> + α "
    "x<sub>i</sub>; "
    "y′<sub>i</sub> is its direction, β = γ ln n. In the formulas M<sub>b</sub> is the sum of A<sub>ij</sub> "
    "over the "
    "tokens j of band b (the innermost is 0), λ the angle ratio, η the Jacobian norm, P = 1/Σ<sub>j</sub> "
    "A<sub>ij</sub><sup>2</sup> and H the entropy. Each claim says in words which configurations it "
    "speaks of.</p>"
    "<p>A proved claim holds for every n ≥ N and every point of its box, not only where it was sampled. The "
    "largest "
    "sampled value is no part of the proof: it shows how sharp the constant is.</p>"
    "<p>What is trusted: the meaning of the claim, the inequalities of THEORY-proofs.md, the checker's "
    "interval "
    "arithmetic (MPFI, MPFR, GMP), compiler and machine. The prover, its constants and its trees are "
    "not.</p>";

const char* const recheck =
    "<p>The checker has other arithmetic and formulas of its own. In the folder of this report:</p>"
    "<pre><code>critscale verify certificates/*.json</code></pre>"
    "<p>Exit code 0 says that all are accepted. From Python: "
    "<code>critscale.verify(glob.glob(\"certificates/*.json\"))</code>.</p>";

}  // namespace

Report verdicts_report(const std::string& path, const ordered_json& root, const std::string& suffix) {
  const ordered_json& rows = root.at("verdicts");
  if (!rows.is_array()) throw InputError(fmt::format("{}: verdicts is no list", path));
  Report r;
  r.title = "Critscale: proofs";
  r.introduction =
      fmt::format("<p>Claims of <code>{}</code>.</p>{}", escape(text(root, "case_file")), summary(rows));
  r.sections.push_back({"claims" + suffix, "Claims", verdict_table(rows, suffix)});
  std::string plots;
  if (const auto f = ratio_figure(rows)) plots += figure_html(*f);
  for (const ordered_json& row : rows)
    if (text(row, "kind") == "boundary" && row.contains("claim")) try {
        if (const auto f = boundary_figure(row)) plots += figure_html(*f);
      } catch (const ordered_json::exception&) {
        // A claim without these numbers has no figure.
      }
  if (!plots.empty()) r.sections.push_back({"constants" + suffix, "How sharp the constants are", plots});
  r.sections.push_back({"assumed" + suffix, "What is assumed and what is trusted", assumed});
  r.sections.push_back({"recheck" + suffix, "How to check it again", recheck});
  return r;
}

}  // namespace critscale::cli::html
