// Reading reference tables.
#include "critscale/tables/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/columns.hpp"
#include "critscale/tables/detail/reader.hpp"
#include "critscale/tables/outcome.hpp"

namespace critscale {

namespace {

std::size_t position_of_suffix(const std::string& column) {
  const std::size_t dot = column.rfind('.');
  return dot == std::string::npos || column.find(']', dot) != std::string::npos ? std::string::npos : dot;
}

/// Where one label's columns stand.
struct Label {
  std::string name;
  std::array<std::optional<std::size_t>, column_count> at;
  const std::string& cell(const std::vector<std::string>& row, Column c) const {
    static const std::string none;
    const auto i = at[static_cast<std::size_t>(c)];
    return i ? row[*i] : none;
  }
  bool empty(const std::vector<std::string>& row) const {
    return std::all_of(at.begin(), at.end(), [&](const auto& i) { return !i || row[*i].empty(); });
  }
};

std::optional<std::uint64_t> read_rounded(const std::string& text, const BinaryFormat& format) {
  if (text.empty()) return std::nullopt;
  const Outcome o = parse_outcome(text);
  switch (o.kind) {
    case Outcome::Kind::nan:
      return round_to(format, Dyadic::nan());
    case Outcome::Kind::plus_infinity:
      return round_to(format, Dyadic::infinity());
    case Outcome::Kind::minus_infinity:
      return round_to(format, -Dyadic::infinity());
    default:
      // The shortest decimal stands for a binary64 number, which the format contains.
      if (text == "-0") return std::uint64_t{1} << (format.width - 1);
      const auto v = round_to(binary64, o.number);
      if (!v) throw InputError(fmt::format("'{}' is not a {} number", text, format.name));
      return round_to(format, from_bits(binary64, *v));
  }
}

std::optional<Ball> read_value(const Label& label, const std::vector<std::string>& row) {
  const std::string &hex = label.cell(row, Column::hex), &lo = label.cell(row, Column::lo),
                    &hi = label.cell(row, Column::hi), &value = label.cell(row, Column::value);
  if (value == "nan" || value == "-inf") return std::nullopt;
  if (const std::size_t space = hex.find(' '); space != std::string::npos) {
    const Dyadic a = Dyadic::from_hex(std::string_view(hex).substr(0, space));
    const Dyadic b = Dyadic::from_hex(std::string_view(hex).substr(space + 1));
    return Ball(a, b, 4 * static_cast<Bits>(hex.size()) + 64);
  }
  if (!lo.empty() && !hi.empty()) {
    const Bits bits = 4 * static_cast<Bits>(lo.size()) + 64;
    return hull(enclose_decimal(lo, bits), enclose_decimal(hi, bits));
  }
  if (!value.empty()) return enclose_value(value);
  // Rounded columns alone: what rounds to this number; half a unit on each side.
  for (const Column c : {Column::binary64, Column::binary32, Column::binary16, Column::bfloat16}) {
    if (label.cell(row, c).empty()) continue;
    const BinaryFormat& format = *format_of(c);
    const std::uint64_t bits = read_rounded(label.cell(row, c), format).value();
    const Dyadic middle = from_bits(format, bits);
    if (!middle.is_finite()) return std::nullopt;
    const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << (format.width - 1));
    const Dyadic above = from_bits(format, magnitude + 1);
    const Ball m = Ball::exactly(middle, 128);
    if (!above.is_finite()) return m;
    const Ball unit = Ball::exactly(above, 128) - abs(m);
    return hull(m - unit, m + unit);
  }
  return std::nullopt;
}

bool has_minus_infinity(const Label& label, const std::vector<std::string>& row) {
  return std::any_of(label.at.begin(), label.at.end(), [&](const auto& i) { return i && row[*i] == "-inf"; });
}

}  // namespace

bool ReferenceRow::is_meant_for(const BinaryFormat& format) const {
  if (formats.empty()) return true;
  const std::vector<std::string> names = split_list(formats);
  return std::find(names.begin(), names.end(), format.name) != names.end();
}

std::string label_of(const std::string& column) {
  const std::size_t dot = position_of_suffix(column);
  return dot == std::string::npos ? column : column.substr(0, dot);
}

std::vector<ReferenceRow> read_reference(const std::string& path) {
  TableReader reader(path);
  std::vector<Label> labels;
  std::vector<std::pair<std::size_t, std::string>> inputs;
  const auto id = reader.column("id");
  if (!id) throw InputError(fmt::format("{}: the table has no id column", path));
  for (std::size_t i = 0; i < reader.columns().size(); ++i) {
    const std::string& column = reader.columns()[i];
    const std::size_t dot = position_of_suffix(column);
    // "band[0].r" is an input.
    std::optional<Column> kind;
    if (dot != std::string::npos) try {
        kind = column_by_name(column.substr(dot + 1));
      } catch (const InputError&) {
      }
    if (!kind) {
      if (column != "id" && column != "why") inputs.emplace_back(i, column);
      continue;
    }
    if (labels.empty() || labels.back().name != column.substr(0, dot))
      labels.push_back({column.substr(0, dot), {}});
    labels.back().at[static_cast<std::size_t>(*kind)] = i;
  }
  if (labels.empty()) throw InputError(fmt::format("{}: the table has no values", path));
  std::vector<ReferenceRow> rows;
  std::vector<std::string> cells;
  while (reader.next(cells)) {
    ReferenceRow row{cells[*id], {"layer", {}}, {}, {}};
    for (const auto& [i, key] : inputs) {
      if (cells[i].empty()) continue;
      if (key == "op")
        row.question.op = cells[i];
      else if (key == "formats")
        row.formats = cells[i];
      else if (key != "rounded_to")
        row.question.inputs.emplace_back(key, cells[i]);
    }
    for (const Label& label : labels) {
      if (label.empty(cells)) continue;
      ReferenceValue v{label.name, read_value(label, cells)};
      for (std::size_t f = 0; f < formats.size(); ++f)
        v.rounded[f] = read_rounded(label.cell(cells, column_by_name(formats[f]->name)), *formats[f]);
      if (!v.value && has_minus_infinity(label, cells)) v.special = Outcome::Kind::minus_infinity;
      row.values.push_back(std::move(v));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace critscale
