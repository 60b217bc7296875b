// One question to an implementation: an operation and its exact inputs [questions], as the cells of
// a table keep them. Uses number/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "critscale/number/exact.hpp"

namespace critscale {

/// Inputs are texts: numbers ("1/3", "-0.25", "-inf" for a masked score), lists with a space between
/// numbers ("0 1 -inf"), matrices with "; " between rows ("1 0; 0 1"), heads of matrices with " | " between.
struct Question {
  std::string op;
  std::vector<std::pair<std::string, std::string>> inputs;

  const std::string* find(std::string_view key) const;
  /// Throws InputError that names the operation and the key when it is missing.
  const std::string& at(std::string_view key) const;
};

/// The operations an implementation can be asked for.
bool is_operation(std::string_view op);
/// Which inputs of an operation are lists, matrices or heads of matrices ("1 0; 0 1 | 2 0; 0 2"); the others
/// are single values.
enum class InputShape { single, list, matrix, heads };
InputShape shape_of(std::string_view op, std::string_view key);

/// An array in a file, "file:PATH" or "bfloat16:PATH" (patterns of bfloat16 in uint16), then, where it is
/// known, " crc64=..." of the file. PATH is FILE.npy, FILE.npz or FILE.npz:NAME.
struct ArrayFile {
  std::string path, crc64;
  bool bfloat16 = false;
};
/// Nothing for a text of numbers.
std::optional<ArrayFile> array_file(std::string_view text);
/// The text with the checksum that the file has now. Throws InputError.
std::string with_checksum(const ArrayFile& file);
/// CRC-64 of FILE.npy, FILE.npz or FILE.npz:NAME, 16 hexadecimal digits. Throws InputError.
std::string file_checksum(const std::string& path);

/// A score: a number, or nothing for a masked entry (-inf).
using Score = std::optional<Rational>;

std::vector<std::string> split_list(std::string_view text);
std::vector<std::string> split_rows(std::string_view text);
std::vector<std::string> split_heads(std::string_view text);
/// Throw InputError that names the key.
Rational number_of(const Question& q, std::string_view key);
std::vector<Score> scores_of(const Question& q, std::string_view key);
/// Rows of equal length.
std::vector<std::vector<Rational>> matrix_of(const Question& q, std::string_view key);

}  // namespace critscale
