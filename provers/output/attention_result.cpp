// Results of `critscale attention`.
#include "output/attention_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "output/csv_table.hpp"
#include "output/value.hpp"

namespace critscale::cli {

using nlohmann::ordered_json;

namespace {

const char* const no_key = "the row sees no key";

ordered_json minus_infinity() {
  return {{"value", "-infinity"}, {"lo", "-infinity"}, {"hi", "-infinity"}, {"digits", 0}, {"hex", nullptr}};
}

bool is_shown(const AttentionResult& r, Gradient g) {
  return std::find(r.shown.begin(), r.shown.end(), g) != r.shown.end();
}

class Json {
 public:
  Json(const AttentionResult& result, long digits) : result_(result), digits_(digits) {}

  std::string text() const {
    ordered_json r = {{"schema", 1}, {"inputs", ordered_json::object()}};
    for (const auto& [key, text] : result_.inputs) r["inputs"][key] = text;
    if (!result_.quantities.empty()) {
      r["heads"] = ordered_json::array();
      for (std::size_t h = 0; h < result_.heads.size(); ++h) r["heads"].push_back(head(h));
    }
    if (!result_.gradients.empty()) gradients(r);
    return r.dump(1) + "\n";
  }

 private:
  ordered_json value(const Ball& x) const { return value_json(x, digits_); }
  ordered_json array(const std::vector<Ball>& values) const {
    ordered_json r = ordered_json::array();
    for (const Ball& x : values) r.push_back(value(x));
    return r;
  }
  ordered_json matrix(const std::vector<Ball>& values, std::size_t width) const {
    ordered_json r = ordered_json::array();
    for (std::size_t at = 0; at < values.size(); at += width) {
      ordered_json row = ordered_json::array();
      for (std::size_t k = 0; k < width; ++k) row.push_back(value(values[at + k]));
      r.push_back(std::move(row));
    }
    return r;
  }

  ordered_json of_row(const AttentionRow& row, RowQuantity q) const {
    const auto single = [&](const std::optional<Ball>& x, const char* why) {
      return x ? value(*x) : undefined_json(why);
    };
    switch (q) {
      case RowQuantity::output:
        return array(row.output);
      case RowQuantity::weights:
        return array(row.weights);
      case RowQuantity::lse:
        return row.lse ? value(*row.lse) : minus_infinity();
      case RowQuantity::max_weight:
        return single(row.max_weight, no_key);
      case RowQuantity::entropy:
        return single(row.entropy, no_key);
      case RowQuantity::participation:
        return single(row.participation, no_key);
      default:
        return single(row.self_weight, "no key stands at the row's position");
    }
  }

  ordered_json head(std::size_t h) const {
    ordered_json r = {{"head", h}, {"rows", ordered_json::array()}};
    for (const AttentionRow& row : result_.heads[h]) r["rows"].push_back(row.row);
    for (const RowQuantity q : result_.quantities) {
      ordered_json& values = r[std::string(name(q))] = ordered_json::array();
      for (const AttentionRow& row : result_.heads[h]) values.push_back(of_row(row, q));
    }
    return r;
  }

  void gradients(ordered_json& r) const {
    for (const auto& [key, gradient] : {std::pair{"dq", Gradient::dq}, std::pair{"dk", Gradient::dk},
                                        std::pair{"dv", Gradient::dv}, std::pair{"dsink", Gradient::dsink}}) {
      if (!is_shown(result_, gradient)) continue;
      ordered_json& values = r[key] = ordered_json::array();
      for (const AttentionGradients& g : result_.gradients) {
        if (gradient == Gradient::dq)
          for (const auto& dq : g.dq) values.push_back(matrix(dq, result_.key_width));
        if (gradient == Gradient::dk) values.push_back(matrix(g.dk, result_.key_width));
        if (gradient == Gradient::dv) values.push_back(matrix(g.dv, result_.value_width));
        if (gradient == Gradient::dsink)
          for (const Ball& x : g.dsink) values.push_back(value(x));
      }
      // One head's sink is one number.
      if (gradient == Gradient::dsink && values.size() == 1) values = ordered_json(values[0]);
    }
  }

  const AttentionResult& result_;
  long digits_;
};

/// Every value under its name; infinite and undefined ones have none.
void each_value(const AttentionResult& r,
                const std::function<void(const std::string&, const std::optional<Ball>&)>& f) {
  for (std::size_t h = 0; h < r.heads.size(); ++h)
    for (const AttentionRow& row : r.heads[h]) {
      const auto label = [&](RowQuantity q) { return fmt::format("{}[{}][{}]", name(q), h, row.row); };
      const auto several = [&](RowQuantity q, const std::vector<Ball>& values) {
        for (std::size_t k = 0; k < values.size(); ++k) f(fmt::format("{}[{}]", label(q), k), values[k]);
      };
      for (const RowQuantity q : r.quantities) switch (q) {
          case RowQuantity::output:
            several(q, row.output);
            break;
          case RowQuantity::weights:
            several(q, row.weights);
            break;
          case RowQuantity::lse:
            f(label(q), row.lse);
            break;
          case RowQuantity::max_weight:
            f(label(q), row.max_weight);
            break;
          case RowQuantity::entropy:
            f(label(q), row.entropy);
            break;
          case RowQuantity::participation:
            f(label(q), row.participation);
            break;
          case RowQuantity::self_weight:
            f(label(q), row.self_weight);
            break;
        }
    }
  const auto matrix = [&](const std::string& label, const std::vector<Ball>& values, std::size_t width) {
    for (std::size_t at = 0; at < values.size(); ++at)
      f(fmt::format("{}[{}][{}]", label, at / width, at % width), values[at]);
  };
  std::size_t head = 0, sink = 0;
  for (std::size_t g = 0; g < r.gradients.size(); ++g) {
    if (is_shown(r, Gradient::dq))
      for (const auto& dq : r.gradients[g].dq) matrix(fmt::format("dq[{}]", head++), dq, r.key_width);
    if (is_shown(r, Gradient::dk)) matrix(fmt::format("dk[{}]", g), r.gradients[g].dk, r.key_width);
    if (is_shown(r, Gradient::dv)) matrix(fmt::format("dv[{}]", g), r.gradients[g].dv, r.value_width);
    if (is_shown(r, Gradient::dsink))
      for (const Ball& x : r.gradients[g].dsink) f(fmt::format("dsink[{}]", sink++), x);
  }
}

}  // namespace

std::string render_attention(const AttentionResult& result, long digits, Format format) {
  if (format == Format::json) return Json(result, digits).text();
  std::string r;
  if (format == Format::csv) {
    CsvTable table({"quantity", "value", "lo", "hi"});
    each_value(result, [&](const std::string& label, const std::optional<Ball>& x) {
      table.add_row();
      table.set("quantity", label);
      table.set("", x ? &*x : nullptr, digits);
    });
    return table.text();
  }
  for (const auto& [key, text] : result.inputs)
    r += fmt::format("{}{} = {}", r.empty() ? "" : ", ", key, text);
  r += "\n";
  each_value(result, [&](const std::string& label, const std::optional<Ball>& x) {
    const bool infinite = !x && label.starts_with("lse");
    r += fmt::format("  {:<22} {}\n", label,
                     x          ? value_text(*x, digits)
                     : infinite ? "-infinity"
                                : "undefined");
  });
  return r;
}

}  // namespace critscale::cli
