// What `critscale report` makes of each kind of file: the sections of a page. Uses html.hpp, inputs/ and
// plots/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plots/figure.hpp"
#include "report/html.hpp"

namespace critscale::cli::html {

/// A title, what is said below it, and the sections. Several reports may share a page: `suffix` ends the ids
/// of each.
struct Report {
  std::string title, introduction;
  std::vector<Section> sections;
};

/// Of the table of verdicts that `prove` writes (verdicts.cpp). Throws InputError that names the file.
Report verdicts_report(const std::string& path, const nlohmann::ordered_json& root,
                       const std::string& suffix);
/// Of the JSON report of `check` (check_page.cpp).
Report check_report(const std::string& path, const nlohmann::ordered_json& root, const std::string& suffix);
/// Of a reference table, or of JSON that `plot` reads (results_page.cpp).
Report results_report(const std::string& path, const std::string& suffix);

/// The sentence of one verdict as formulas (statement.cpp); empty for a row without a claim.
std::string statement_html(const nlohmann::ordered_json& verdict);

/// A figure as HTML (figures.cpp): curves that are drawn when the page is opened, or cells as SVG.
std::string figure_html(const Figure& figure);

}  // namespace critscale::cli::html
