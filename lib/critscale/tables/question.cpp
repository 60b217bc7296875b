// Reading the inputs of questions.
#include "critscale/tables/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "critscale/io/detail/checksum.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

constexpr std::array<std::string_view, 8> operations{
    "softmax", "logsumexp", "entropy", "attention_row", "attention", "layer", "jacobian_norm", "schedule"};

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> r;
  for (std::size_t i = 0; i <= text.size();) {
    const std::size_t end = std::min(text.find(separator, i), text.size());
    r.emplace_back(text.substr(i, end - i));
    i = end + 1;
  }
  return r;
}

Rational parse(std::string_view key, const std::string& text) {
  try {
    return parse_rational(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", key, error.what()));
  }
}

}  // namespace

const std::string* Question::find(std::string_view key) const {
  for (const auto& [k, text] : inputs)
    if (k == key) return &text;
  return nullptr;
}

const std::string& Question::at(std::string_view key) const {
  const std::string* text = find(key);
  if (!text) throw InputError(fmt::format("{} needs {}", op, key));
  return *text;
}

bool is_operation(std::string_view op) {
  return std::find(operations.begin(), operations.end(), op) != operations.end();
}

InputShape shape_of(std::string_view op, std::string_view key) {
  if (op == "attention") {
    if (key == "q" || key == "k" || key == "v" || key == "d_out") return InputShape::heads;
    return key == "mask" ? InputShape::matrix : InputShape::single;
  }
  if (key == "logits" || key == "scores") return InputShape::list;
  if (key == "values" || key == "tokens") return InputShape::matrix;
  return InputShape::single;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> r;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    if (end > i) r.emplace_back(text.substr(i, end - i));
    i = end + 1;
  }
  return r;
}

std::vector<std::string> split_rows(std::string_view text) { return split_at(text, ';'); }

std::vector<std::string> split_heads(std::string_view text) { return split_at(text, '|'); }

std::optional<ArrayFile> array_file(std::string_view text) {
  ArrayFile r;
  for (const auto& [start, bfloat16] :
       {std::pair<std::string_view, bool>{"file:", false}, {"bfloat16:", true}}) {
    if (!text.starts_with(start)) continue;
    constexpr std::string_view mark = " crc64=";
    std::string_view path = text.substr(start.size());
    if (const std::size_t at = path.rfind(mark); at != std::string_view::npos) {
      r.crc64 = path.substr(at + mark.size());
      path = path.substr(0, at);
    }
    r.path = path;
    r.bfloat16 = bfloat16;
    return r;
  }
  return std::nullopt;
}

std::string with_checksum(const ArrayFile& file) {
  return fmt::format("{}:{} crc64={}", file.bfloat16 ? "bfloat16" : "file", file.path,
                     file_checksum(file.path));
}

std::string file_checksum(const std::string& path) {
  const std::size_t colon = path.rfind(".npz:");
  const std::string file = colon == std::string::npos ? path : path.substr(0, colon + 4);
  std::ifstream in(file, std::ios::binary);
  std::error_code error;
  if (!in || !std::filesystem::is_regular_file(file, error))
    throw InputError(fmt::format("{}: cannot be read", file));
  Checksum sum;
  std::string block(std::size_t{1} << 20, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
    sum.add(std::string_view(block).substr(0, static_cast<std::size_t>(in.gcount())));
  return sum.text();
}

Rational number_of(const Question& q, std::string_view key) { return parse(key, q.at(key)); }

std::vector<Score> scores_of(const Question& q, std::string_view key) {
  std::vector<Score> r;
  for (const std::string& text : split_list(q.at(key)))
    r.push_back(text == "-inf" ? Score() : Score(parse(key, text)));
  if (r.empty()) throw InputError(fmt::format("{}: the list is empty", key));
  return r;
}

std::vector<std::vector<Rational>> matrix_of(const Question& q, std::string_view key) {
  std::vector<std::vector<Rational>> r;
  for (const std::string& row : split_rows(q.at(key))) {
    r.emplace_back();
    for (const std::string& text : split_list(row)) r.back().push_back(parse(key, text));
    if (r.back().empty() || r.back().size() != r.front().size())
      throw InputError(fmt::format("{}: rows must be non-empty and of equal length", key));
  }
  return r;
}

}  // namespace critscale
