// Cells of certified numbers.
#include "critscale/tables/detail/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/print.hpp"

namespace critscale {

namespace {

struct ColumnInfo {
  std::string_view name;
  const BinaryFormat* format;
};

constexpr std::array<ColumnInfo, column_count> table{{{"value", nullptr},
                                                      {"lo", nullptr},
                                                      {"hi", nullptr},
                                                      {"digits", nullptr},
                                                      {"hex", nullptr},
                                                      {"binary64", &binary64},
                                                      {"binary32", &binary32},
                                                      {"bfloat16", &bfloat16},
                                                      {"binary16", &binary16},
                                                      {"allowed_fp64", &binary64},
                                                      {"allowed_fp32", &binary32},
                                                      {"allowed_bf16", &bfloat16},
                                                      {"allowed_fp16", &binary16}}};

const ColumnInfo& info(Column c) { return table[static_cast<std::size_t>(c)]; }

std::string printed_cell(const PrintedValue& p, Column c) {
  switch (c) {
    case Column::value:
      return p.value.value_or("");
    case Column::lo:
      return p.lo;
    case Column::hi:
      return p.hi;
    default:
      return fmt::to_string(p.digits);
  }
}

}  // namespace

std::string_view name(Column c) { return info(c).name; }

const BinaryFormat* format_of(Column c) { return c < Column::allowed_fp64 ? info(c).format : nullptr; }

const BinaryFormat* allowance_format_of(Column c) {
  return c >= Column::allowed_fp64 ? info(c).format : nullptr;
}

Column column_by_name(std::string_view name) {
  std::string allowed;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<Column>(i);
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", table[i].name);
  }
  throw InputError(fmt::format("{} is not a column; allowed: {}", in_quotes(name), allowed));
}

std::string rounded_text(const BinaryFormat& format, std::uint64_t bits) {
  // Every format here is a subset of binary64, so this conversion is exact.
  const Dyadic v = from_bits(format, bits);
  if (v.is_nan()) return "nan";
  if (v.is_zero()) return bits == 0 ? "0" : "-0";
  return fmt::format("{}", as_double(round_to(binary64, v)));
}

bool is_decided(const Ball& x, std::span<const Column> columns) {
  return std::all_of(columns.begin(), columns.end(), [&](Column c) {
    return format_of(c) == nullptr || round_to(*format_of(c), x).has_value();
  });
}

std::vector<std::string> cells(const Ball& x, long digits, std::span<const Column> columns) {
  std::vector<std::string> r;
  std::optional<PrintedValue> printed;
  // `value` alone is the common case of large tables and costs less than both ends.
  const bool only_value = std::none_of(columns.begin(), columns.end(), [](Column c) {
    return c == Column::lo || c == Column::hi || c == Column::digits;
  });
  for (const Column c : columns) {
    if (allowance_format_of(c)) {
      r.emplace_back();
    } else if (const BinaryFormat* format = format_of(c)) {
      const auto bits = round_to(*format, x);
      r.push_back(bits ? rounded_text(*format, *bits) : "");
    } else if (c == Column::hex) {
      const HexEnclosure hex = hex_enclosure(x);
      r.push_back(fmt::format("{} {}", hex.lo, hex.hi));
    } else if (c == Column::value && only_value) {
      r.push_back(print_value(x, digits).value_or(""));
    } else {
      if (!printed) printed = print(x, digits);
      r.push_back(printed_cell(*printed, c));
    }
  }
  return r;
}

std::vector<std::string> special_cells(std::span<const Column> columns, std::string_view text) {
  std::vector<std::string> r;
  for (const Column c : columns)
    r.emplace_back(c == Column::value || format_of(c) != nullptr ? text : std::string_view());
  return r;
}

}  // namespace critscale
