// Reading candidates from files, and the JSON lines of the protocol.
#include "inputs/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "critscale/io/detail/input_file.hpp"
#include "critscale/io/detail/json.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/tables/detail/npy.hpp"
#include "critscale/tables/detail/reader.hpp"
#include "process/client.hpp"

namespace critscale::cli {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint64_t largest_candidate = std::uint64_t{256} << 20;

/// NaN and Infinity, which many JSON writers emit, as strings.
std::string quote_specials(std::string_view text) {
  std::string r;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto word = [&](std::string_view w) { return text.substr(i, w.size()) == w; };
    if (inside && text[i] == '\\' && i + 1 < text.size()) {
      r += text[i++];
    } else if (text[i] == '"') {
      inside = !inside;
    } else if (!inside) {
      std::string_view found;
      for (const std::string_view w : {"NaN", "-Infinity", "Infinity"})
        if (found.empty() && word(w)) found = w;
      if (!found.empty()) {
        r += fmt::format("\"{}\"", found);
        i += found.size() - 1;
        continue;
      }
    }
    r += text[i];
  }
  return r;
}

json parse_json(std::string_view text, const std::string& where) {
  try {
    return critscale::parse_json(quote_specials(text));
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}: {}", where, e.what(), in_quotes(text)));
  }
}

/// Says where a text is not a number.
Outcome outcome_at(const std::string& where, const std::string& text) {
  try {
    return parse_outcome(text);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", where, e.what()));
  }
}

/// Numbers of a JSON value, arrays flattened.
void collect(const json& v, std::vector<Outcome>& values, const std::string& where) {
  if (v.is_array()) {
    for (const json& item : v) collect(item, values, where);
  } else if (v.is_string()) {
    values.push_back(outcome_at(where, v.get<std::string>()));
  } else if (v.is_number_integer()) {
    values.push_back(parse_outcome(v.dump()));
  } else if (v.is_number()) {
    values.push_back(parse_outcome(fmt::format("{}", v.get<double>())));
  } else if (v.is_null()) {
    values.push_back(parse_outcome("nan"));
  } else if (v.is_object() && v.contains("value")) {
    collect(v["value"], values, where);
  } else {
    throw InputError(fmt::format("{}: expected a number, found {}", where, in_quotes(v.dump())));
  }
}

void add(Candidate& c, const std::string& id, std::vector<Outcome> values) {
  if (!c.values.emplace(id, std::move(values)).second) c.duplicates.push_back(id);
}

using Labels = std::unordered_map<std::string, const ReferenceRow*>;

Labels rows_by_id(const std::vector<ReferenceRow>& rows) {
  Labels r;
  for (const ReferenceRow& row : rows) r.emplace(row.id, &row);
  return r;
}

/// {"id", "value"} or {"id", LABEL: ...}.
void add_object(Candidate& c, const json& v, const Labels& known, const std::string& where) {
  if (!v.is_object() || !v.contains("id") || !v["id"].is_string())
    throw InputError(
        fmt::format("{}: expected an object with a text id, found {}", where, in_quotes(v.dump())));
  const std::string id = v["id"];
  std::vector<Outcome> values;
  if (v.contains("value")) {
    collect(v["value"], values, where);
  } else if (const auto row = known.find(id); row != known.end()) {
    for (const ReferenceValue& x : row->second->values)
      if (v.contains(x.label)) collect(v[x.label], values, where);
  }
  add(c, id, std::move(values));
}

Candidate read_json(const std::string& path, const std::vector<ReferenceRow>& rows) {
  const json root = parse_json(read_whole(path, largest_candidate), path);
  const json& list = root.is_object() && root.contains("results") ? root["results"] : root;
  Candidate c;
  const Labels known = rows_by_id(rows);
  if (list.is_array())
    for (const json& item : list) add_object(c, item, known, path);
  else
    add_object(c, list, known, path);
  return c;
}

Candidate read_csv(const std::string& path, const std::vector<ReferenceRow>& rows,
                   const BinaryFormat* format) {
  TableReader reader(path, false);
  const auto id = reader.column("id");
  if (!id) throw InputError(fmt::format("{}: no column id", path));
  // The column of each label: its rounded value in the format asked for, as named, its value. A table's
  // column `schedule` is an input, `schedule.binary32` an answer.
  std::unordered_map<std::string, std::size_t> columns;
  const auto find = [&](const std::string& label) {
    for (const std::string& name :
         {fmt::format("{}.{}", label, format->name), label, fmt::format("{}.value", label)})
      if (const auto i = reader.column(name)) return *i;
    return std::string::npos;
  };
  const Labels known = rows_by_id(rows);
  Candidate c;
  std::vector<std::string> cells;
  while (reader.next(cells)) {
    std::vector<Outcome> values;
    if (const auto row = known.find(cells[*id]); row != known.end())
      for (const ReferenceValue& v : row->second->values) {
        const auto [at, inserted] = columns.try_emplace(v.label, std::string::npos);
        if (inserted) at->second = find(v.label);
        if (at->second == std::string::npos || cells[at->second].empty())
          values.push_back(parse_outcome("nan"));
        else
          values.push_back(outcome_at(fmt::format("{}: {}", path, cells[*id]), cells[at->second]));
      }
    add(c, cells[*id], std::move(values));
  }
  return c;
}

Candidate from_array(const NumberArray& a, const std::vector<ReferenceRow>& rows) {
  // In the table's order: what is left over at the end is missing or extra.
  Candidate c;
  std::size_t next = 0;
  for (const ReferenceRow& row : rows) {
    if (next + row.values.size() > a.values.size()) break;
    std::vector<Outcome> values;
    for (std::size_t i = 0; i < row.values.size(); ++i)
      values.push_back(parse_outcome(fmt::format("{}", a.values[next++])));
    add(c, row.id, std::move(values));
  }
  if (next < a.values.size())
    add(c, fmt::format("({} values after the last row)", a.values.size() - next), {});
  return c;
}

}  // namespace

Candidate read_candidate(const std::string& path, const std::vector<ReferenceRow>& rows,
                         std::string& preset) {
  if (path.ends_with(".npy")) {
    const NumberArray a = read_npy(path);
    if (preset.empty()) preset = a.preset;
    return from_array(a, rows);
  }
  if (preset.empty()) preset = "fp64";
  if (path.ends_with(".json")) return read_json(path, rows);
  if (path.ends_with(".csv")) return read_csv(path, rows, &format_by_short_name(preset));
  throw InputError(fmt::format("{}: a candidate is .csv, .json or .npy", path));
}

std::string question_line(const ReferenceRow& row) {
  ordered_json r = {{"id", row.id}, {"op", row.question.op}, {"inputs", ordered_json::object()}};
  for (const auto& [key, text] : row.question.inputs) {
    const InputShape shape = shape_of(row.question.op, key);
    if (const auto file = row.question.op == "attention" ? array_file(text) : std::nullopt) {
      r["inputs"][key] = {{"file", file->path}, {"crc64", file->crc64}};
      if (file->bfloat16) r["inputs"][key]["bfloat16"] = true;
    } else if (shape == InputShape::single) {
      r["inputs"][key] = text;
    } else if (shape == InputShape::list) {
      r["inputs"][key] = split_list(text);
    } else if (shape == InputShape::heads) {
      for (const std::string& head : split_heads(text)) {
        ordered_json rows = ordered_json::array();
        for (const std::string& line : split_rows(head)) rows.push_back(split_list(line));
        r["inputs"][key].push_back(std::move(rows));
      }
    } else {
      for (const std::string& line : split_rows(text)) r["inputs"][key].push_back(split_list(line));
    }
  }
  if (row.question.find("geometry"))
    for (const ReferenceValue& v : row.values) r["inputs"]["quantities"].push_back(v.label);
  return r.dump() + "\n";
}

Candidate run_client(const std::string& command, const std::vector<ReferenceRow>& rows,
                     const ClientLimits& limits) {
  std::string questions;
  std::size_t bytes = limits.bytes_per_row;
  for (const ReferenceRow& row : rows) {
    const std::string question = question_line(row);
    questions += question;
    // An answer repeats the id, which is as long as the inputs.
    bytes += limits.bytes_per_row + row.values.size() * limits.bytes_per_value + question.size();
  }
  const std::string answers =
      converse(command, questions, limits.seconds, std::min<std::size_t>(bytes, largest_candidate));
  Candidate c;
  const Labels known = rows_by_id(rows);
  std::istringstream lines(answers);
  std::string line;
  while (std::getline(lines, line))
    if (line.find_first_not_of(" \r\t") != std::string::npos)
      add_object(c, parse_json(line, "the client's answer"), known, "the client's answer");
  return c;
}

}  // namespace critscale::cli
