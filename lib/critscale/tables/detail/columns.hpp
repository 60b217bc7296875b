// The columns a table can have for one certified number, and their cells. Uses number/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/number/rounding.hpp"

namespace critscale {

/// What is written of a number x. `value`, `lo`, `hi`, `digits` are those of PrintedValue; `hex` is
/// both ends of the enclosure as hexadecimal numbers with a space between; the rest is x correctly
/// rounded to that format, written as the shortest decimal that binary64 reads back as exactly
/// the rounded number. The allowed_... columns are not of x alone: what a correct implementation in that
/// format may err (allowance.hpp); `cells` leaves them empty.
enum class Column {
  value,
  lo,
  hi,
  digits,
  hex,
  binary64,
  binary32,
  bfloat16,
  binary16,
  allowed_fp64,
  allowed_fp32,
  allowed_bf16,
  allowed_fp16
};
inline constexpr std::size_t column_count = 13;

std::string_view name(Column c);
/// Throws InputError that lists what is allowed.
Column column_by_name(std::string_view name);
/// The format of a column of rounded values; nullptr for the others.
const BinaryFormat* format_of(Column c);

/// The format of an allowed_... column; nullptr for the others.
const BinaryFormat* allowance_format_of(Column c);

/// The text of a rounded value: "0.5", "1e-07", "inf", "-0", "nan".
std::string rounded_text(const BinaryFormat& format, std::uint64_t bits);

/// Whether every column of rounded values has one: all numbers in x round alike.
bool is_decided(const Ball& x, std::span<const Column> columns);

/// The cells of x in the order of `columns`. A cell is empty where the number has no certain digit
/// (value) or where the enclosure does not decide the rounding.
std::vector<std::string> cells(const Ball& x, long digits, std::span<const Column> columns);

/// The cells of a value that is no number: `text` ("nan", "-inf") in `value` and the binary formats, the
/// others empty.
std::vector<std::string> special_cells(std::span<const Column> columns, std::string_view text = "nan");

}  // namespace critscale
