// Reading result files.
#include "inputs/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "critscale/io/detail/input_file.hpp"
#include "critscale/io/detail/json.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/columns.hpp"
#include "critscale/tables/detail/reader.hpp"

namespace critscale::cli {

namespace {

using json = nlohmann::ordered_json;  // inputs in the order in which they were written

constexpr std::uint64_t largest_file = std::uint64_t{256} << 20;

/// LABEL and COLUMN of a table's column "LABEL.COLUMN"; none for an input.
std::optional<std::pair<std::string, std::string>> split_label(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string column = name.substr(dot + 1);
  for (const Column c : {Column::value, Column::lo, Column::hi, Column::digits, Column::hex, Column::binary64,
                         Column::binary32, Column::bfloat16, Column::binary16})
    if (column == critscale::name(c)) return std::pair{name.substr(0, dot), column};
  return std::nullopt;
}

/// The case's id before ";key=value;..." of a table's id.
std::string case_id(const std::string& id, const ResultRow& row) {
  std::string inputs;
  for (const auto& [key, text] : row.inputs)
    inputs += fmt::format("{}{}={}", inputs.empty() ? "" : ";", key, text);
  if (!id.ends_with(inputs)) return id;
  const std::string rest = id.substr(0, id.size() - inputs.size());
  return rest.ends_with(';') ? rest.substr(0, rest.size() - 1) : rest;
}

Reading& reading_of(ResultRow& row, const std::string& label) {
  const auto it =
      std::find_if(row.readings.begin(), row.readings.end(), [&](const auto& r) { return r.first == label; });
  if (it != row.readings.end()) return it->second;
  return row.readings.emplace_back(label, Reading{}).second;
}

ResultFile read_table(const std::string& path) {
  TableReader reader(path);
  ResultFile file{path, ResultKind::values, reader.about("precision").value_or(""), {}};
  std::vector<std::optional<std::pair<std::string, std::string>>> labels;
  for (const std::string& c : reader.columns()) labels.push_back(split_label(c));
  std::vector<std::string> cells;
  while (reader.next(cells)) {
    ResultRow& row = file.rows.emplace_back();
    std::string id;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string& column = reader.columns()[i];
      if (labels[i]) {
        Reading& r = reading_of(row, labels[i]->first);
        const std::string& kind = labels[i]->second;
        if (kind == "value" || (kind == "binary64" && r.value.empty())) r.value = cells[i];
        if (kind == "lo") r.lo = cells[i];
        if (kind == "hi") r.hi = cells[i];
      } else if (column == "id") {
        id = cells[i];
      } else if (column != "why" && !cells[i].empty()) {
        row.inputs.emplace_back(column, cells[i]);
      }
    }
    row.id = case_id(id, row);
    std::erase_if(row.readings, [](const auto& r) { return r.second.empty(); });
  }
  return file;
}

std::string text_of(const json& v) {
  if (v.is_null()) return "";
  if (v.is_boolean()) return v.get<bool>() ? "true" : "false";
  return v.get<std::string>();
}

/// The readings of the JSON results of one file.
class JsonRows {
 public:
  explicit JsonRows(ResultFile& file) : file_(file) {}

  void add(const json& result) {
    ResultKind kind;
    if (result.contains("inputs") && result.at("inputs").contains("keys"))
      kind = ResultKind::random;
    else if (result.contains("quantities"))
      kind = result.contains("gap_counting") ? ResultKind::tokens : ResultKind::values;
    else if (result.contains("boundaries"))
      kind = ResultKind::boundary;
    else if (result.contains("formula") && result.contains("by_n"))
      kind = ResultKind::schedule;
    else
      throw InputError("neither quantities nor transitions nor a schedule is in it");
    if (!file_.rows.empty() && kind != file_.kind) throw InputError("results of several kinds are in it");
    file_.kind = kind;
    ResultRow row;
    if (result.contains("id")) row.id = text_of(result.at("id"));
    add_inputs(row, result.at("inputs"));
    if (kind == ResultKind::random) {
      add_random(row, result);
      file_.rows.push_back(std::move(row));
      return;
    }
    if (kind == ResultKind::tokens)
      for (const char* key : {"n", "d"})
        row.inputs.emplace_back(key, fmt::to_string(result.at("geometry").at(key).get<std::size_t>()));
    if (result.contains("thresholds"))
      for (const json& t : result.at("thresholds")) row.thresholds.push_back(text_of(t));
    if (result.contains("quantities")) {
      for (const auto& [label, v] : result.at("quantities").items()) add_reading(row, label, v);
      file_.rows.push_back(std::move(row));
    } else if (result.contains("by_n")) {
      for (const json& at_n : result.at("by_n")) add_length(row, at_n);
    } else if (result.contains("transitions")) {
      add_length(row, result);
    }
  }
  std::string precision() const {
    return digits_ > 0 ? fmt::format("{}{} digits", even_ ? "" : "up to ", digits_) : "";
  }

 private:
  static void add_inputs(ResultRow& row, const json& inputs) {
    for (const auto& [key, v] : inputs.items()) {
      if (!v.is_array()) {
        row.inputs.emplace_back(key, text_of(v));
        continue;
      }
      for (std::size_t l = 0; l < v.size(); ++l)
        if (v[l].is_object())
          for (const auto& [part, text] : v[l].items())
            row.inputs.emplace_back(fmt::format("{}[{}].{}", key, l, part), text_of(text));
        else
          row.inputs.emplace_back(fmt::format("{}[{}]", key, l), text_of(v[l]));
    }
  }

  /// V, or a list of V (one a band or token), or V by name (the smallest, largest and mean of all pairs).
  void add_reading(ResultRow& row, const std::string& label, const json& v) {
    if (v.is_array()) {
      for (std::size_t b = 0; b < v.size(); ++b) add_reading(row, fmt::format("{}[{}]", label, b), v[b]);
      return;
    }
    if (v.is_object() && !v.contains("value")) {
      for (const auto& [part, value] : v.items()) add_reading(row, fmt::format("{}.{}", label, part), value);
      return;
    }
    const Reading r{text_of(v.at("value")), text_of(v.at("lo")), text_of(v.at("hi"))};
    if (r.empty()) return;
    const long digits = v.at("digits").get<long>();
    even_ = even_ && (digits_ == 0 || digits == digits_);
    digits_ = std::max(digits_, digits);
    row.readings.emplace_back(label, r);
  }

  /// Expectations by their names, the lines as g_self and g_cond, transitions as transition_self and so on.
  void add_random(ResultRow& row, const json& result) {
    if (result.contains("kappa")) add_reading(row, "kappa", result.at("kappa"));
    for (const auto& [group, prefix] :
         {std::pair{"quantities", ""}, std::pair{"thresholds", ""}, std::pair{"transitions", "transition_"}})
      if (result.contains(group))
        for (const auto& [label, v] : result.at(group).items()) add_reading(row, prefix + label, v);
  }

  void add_length(const ResultRow& common, const json& at_n) {
    ResultRow row = common;
    std::erase_if(row.inputs, [](const auto& i) { return i.first == "n"; });
    row.inputs.emplace_back("n", text_of(at_n.contains("n") ? at_n.at("n") : at_n.at("inputs").at("n")));
    for (const char* label : {"transitions", "distances", "multiplier", "beta", "gamma_effective",
                              "self_weight", "participation"})
      if (at_n.contains(label)) add_reading(row, label, at_n.at(label));
    file_.rows.push_back(std::move(row));
  }

  ResultFile& file_;
  long digits_ = 0;
  bool even_ = true;
};

ResultFile read_json(const std::string& path) {
  const std::string text = read_whole(path, largest_file);
  ResultFile file{path, ResultKind::values, "", {}};
  JsonRows rows(file);
  json root;
  try {
    root = parse_json<json>(text);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path, e.what()));
  }
  try {
    if (root.contains("results"))
      for (const json& result : root.at("results")) rows.add(result);
    else
      rows.add(root);
  } catch (const json::exception&) {
    throw InputError(
        fmt::format("{}: not a result of critscale eval, tokens, boundary, schedule or random", path));
  } catch (const InputError& e) {
    throw InputError(fmt::format(
        "{}: not a result of critscale eval, tokens, boundary, schedule or random: {}", path, e.what()));
  }
  file.precision = rows.precision();
  return file;
}

}  // namespace

std::string_view ResultRow::input(std::string_view key) const {
  for (const auto& [k, text] : inputs)
    if (k == key) return text;
  return {};
}

const Reading* ResultRow::reading(std::string_view label) const {
  for (const auto& [l, r] : readings)
    if (l == label) return &r;
  return nullptr;
}

ResultFile read_result(const std::string& path) {
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  if (!std::filesystem::exists(path)) throw InputError(fmt::format("{}: no such file", path));
  if (std::filesystem::is_directory(path)) throw InputError(fmt::format("{}: is a directory", path));
  if (extension != ".csv" && extension != ".json")
    throw InputError(
        fmt::format("{}: expected a table (.csv) or a result in JSON (.json) of eval, tokens, boundary, "
                    "schedule or random",
                    path));
  ResultFile file = extension == ".csv" ? read_table(path) : read_json(path);
  const auto drawable = [](const ResultRow& row) { return !row.readings.empty(); };
  if (std::none_of(file.rows.begin(), file.rows.end(), drawable))
    throw InputError(fmt::format("{}: no certified numbers to draw are in it", path));
  return file;
}

}  // namespace critscale::cli
