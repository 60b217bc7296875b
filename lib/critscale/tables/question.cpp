// Reading the inputs of questions.
#include "critscale/tables/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

constexpr std::array<std::string_view, 7> operations{"softmax", "logsumexp",     "entropy", "attention_row",
                                                     "layer",   "jacobian_norm", "schedule"};

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

InputShape shape_of(std::string_view key) {
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

std::vector<std::string> split_rows(std::string_view text) {
  std::vector<std::string> r;
  for (std::size_t i = 0; i <= text.size();) {
    const std::size_t end = std::min(text.find(';', i), text.size());
    r.emplace_back(text.substr(i, end - i));
    i = end + 1;
  }
  return r;
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
