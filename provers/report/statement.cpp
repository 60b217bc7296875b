// Claims as formulas. What they mean in full is in the sentence beside them. Uses report.hpp and mathml.hpp.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/mathml.hpp"
#include "report/report.hpp"

namespace critscale::cli::html {

namespace {

using nlohmann::ordered_json;

std::string text(const ordered_json& j, const char* key) {
  if (!j.contains(key)) return {};
  return j.at(key).is_string() ? j.at(key).get<std::string>() : j.at(key).dump();
}

/// n^-k (ln n)^p, without what is 1.
std::string rate(const std::string& k, const std::string& p) {
  std::string r;
  if (!k.empty() && k != "0")
    r += operation("\u2062") + raised(identifier("n"), row(operation("−") + bracketed(k)));
  if (!p.empty() && p != "0")
    r += operation("\u2062") +
         raised(row(operation("(") + identifier("ln") + identifier("n") + operation(")")), mathml(p));
  return r;
}

/// "ρ ∈ [1/10, 9/10]", or "α = 0".
std::string range(const std::string& key, const ordered_json& ends) {
  static const std::map<std::string, std::string> names{{"gamma_ratio", "gamma*(1-rho)"},
                                                        {"spread", "rho2-rho1"}};
  const auto it = names.find(key);
  const std::string name =
      key == "gap" ? "<mtext>both exponent gaps</mtext>" : mathml(it == names.end() ? key : it->second);
  const auto lo = ends.at(0).get<std::string>(), hi = ends.at(1).get<std::string>();
  if (lo == hi) return row(name + operation("=") + mathml(lo));
  return row(name + operation("∈") + operation("[") + mathml(lo) + operation(",") + mathml(hi) +
             operation("]"));
}

std::string ranges(const ordered_json& box) {
  std::string r;
  for (const auto& [key, ends] : box.items()) r += (r.empty() ? "" : ", ") + formula(range(key, ends));
  return r;
}

std::string absolute(const std::string& inside) { return row(operation("|") + inside + operation("|")); }

std::string tail(const ordered_json& c) {
  const std::string bound = mathml(text(c, "C")) + rate(text(c, "k"), text(c, "p"));
  const std::string limit = text(c, "limit");
  const std::string distance =
      absolute(mathml(text(c, "quantity")) + (limit == "0" ? "" : operation("−") + bracketed(limit)));
  return formula(row(distance + operation("≤") + bound), true) +
         fmt::format("<p>for all {}, {}</p>",
                     formula(identifier("n") + operation("≥") + mathml(text(c, "N"))), ranges(c.at("box")));
}

std::string of_class(const ordered_json& c) {
  const std::string bound = mathml(text(c, "bound")) + rate(text(c, "k"), text(c, "p"));
  const std::string relation = operation(text(c, "relation") == ">=" ? "≥" : "≤");
  return formula(row(mathml(text(c, "quantity")) + relation + bound), true) +
         fmt::format("<p>for every configuration of the class ({}) and all {}, {}</p>",
                     escape(text(c.at("class"), "name")),
                     formula(identifier("n") + operation("≥") + mathml(text(c, "N"))),
                     ranges(c.at("class").at("box")));
}

std::string value(const ordered_json& c) {
  std::string inputs;
  for (const auto& [key, given] : c.at("inputs").items()) {
    if (key == "geometry" || key == "analytic") continue;
    const std::string t = given.is_string() ? given.get<std::string>() : given.dump();
    inputs += (inputs.empty() ? "" : ", ") + formula(mathml(key) + operation("=") + mathml(t));
  }
  return formula(row(mathml(text(c, "lo")) + operation("≤") + mathml(text(c, "quantity")) + operation("≤") +
                     mathml(text(c, "hi"))),
                 true) +
         fmt::format("<p>at {}</p>", inputs);
}

std::string boundary(const ordered_json& c) {
  const std::string critical = subscripted(identifier("γ"), identifier("c"));
  const std::string finite =
      row(raised(identifier("γ"), operation("*")) + operation("(") + identifier("n") + operation(")"));
  std::string thresholds;
  for (const auto& t : c.at("thresholds"))
    thresholds += (thresholds.empty() ? "" : operation(",")) + mathml(t.get<std::string>());
  const std::string bound = "<mfrac>" + row(mathml(text(c, "C")) + rate(text(c, "k"), "")) +
                            row(identifier("ln") + identifier("n")) + "</mfrac>";
  return formula(row(critical + operation("=") + thresholds + operation(",") + "<mspace width=\"1em\"/>" +
                     absolute(finite + operation("−") + critical) + operation("≤") + bound),
                 true) +
         fmt::format("<p>for all {}</p>", formula(identifier("n") + operation("≥") + mathml(text(c, "N"))));
}

}  // namespace

std::string statement_html(const ordered_json& verdict) {
  if (!verdict.contains("claim") || !verdict.at("claim").is_object()) return {};
  const ordered_json& claim = verdict.at("claim");
  const std::string kind = text(verdict, "kind");
  // A row that was never a claim (refuted before it was complete, say) may lack what its kind has.
  try {
    return kind == "tail"       ? tail(claim)
           : kind == "class"    ? of_class(claim)
           : kind == "value"    ? value(claim)
           : kind == "boundary" ? boundary(claim)
                                : "";
  } catch (const ordered_json::exception&) {
    return {};
  }
}

}  // namespace critscale::cli::html
