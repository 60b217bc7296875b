// The values of a table as references: for each row what was asked and what is right. Uses reader.hpp,
// arithmetic.hpp, question.hpp and outcome.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/number/rounding.hpp"
#include "critscale/tables/arithmetic.hpp"
#include "critscale/tables/outcome.hpp"
#include "critscale/tables/question.hpp"

namespace critscale {

struct ReferenceValue {
  std::string label;
  /// The right value lies in it; nothing where it is no number.
  std::optional<Ball> value;
  /// The correctly rounded value by format, where the table has it.
  std::array<std::optional<std::uint64_t>, formats.size()> rounded = {};
  /// What is right where `value` is nothing: nan or minus infinity.
  Outcome::Kind special = Outcome::Kind::nan;
};

struct ReferenceRow {
  std::string id;
  /// For grid points the operation is "layer", with the parameters as inputs.
  Question question;
  std::vector<ReferenceValue> values;
  /// Names of the formats that hold the inputs exactly, with spaces between; empty: no restriction.
  std::string formats;

  bool is_meant_for(const BinaryFormat& format) const;
};

/// The rows of a table that `critscale table` wrote, its checksum verified. A value is taken from the most
/// exact columns there are: hex, else lo and hi, else value. Throws InputError.
std::vector<ReferenceRow> read_reference(const std::string& path);

/// A column name without its ".value", ".lo", ...: "softmax[0]" of "softmax[0].lo".
std::string label_of(const std::string& column);

}  // namespace critscale
