// What a user asked for, still as text: the common form of command-line flags and case files. Uses ranges.hpp
// and lib/critscale.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "critscale/model/configuration.hpp"
#include "critscale/model/evaluate.hpp"
#include "grids/ranges.hpp"

namespace critscale::cli {

/// The texts given for one key; several for a list.
struct Entry {
  std::string key;
  std::vector<Text> values;
};

struct BandText {
  Text r, size;
};

/// Keys with their texts, in the order in which they were written.
struct Specification {
  /// Of a [[case]] or [[claim]] table: "file:line"; empty for flags.
  std::string where;
  std::string id, why;
  std::vector<Entry> entries;
  std::vector<BandText> bands;

  const Entry* find(std::string_view key) const;
  /// The single text of a key. Throws InputError when a list was given.
  const Text* find_single(std::string_view key) const;
  /// Fills in what `defaults` has and this has not.
  void inherit(const Specification& defaults);
};

/// Runs f and puts `where: ` before the message of an InputError.
template <class F>
auto located(const std::string& where, F&& f) {
  try {
    return f();
  } catch (const InputError& error) {
    // FILE:LINE says no more where the message names a line of FILE itself.
    const std::string_view file = std::string_view(where).substr(0, where.rfind(':') + 1);
    if (where.empty() || (!file.empty() && std::string_view(error.what()).starts_with(file))) throw;
    throw InputError(where + ": " + error.what());
  }
}

/// The keys of the layer's parameters.
std::span<const std::string_view> parameter_keys();
/// Whether a key names a parameter of the layer (and may be a list or a range).
bool is_parameter(std::string_view key);

/// The quantities that a specification selects, each once; all without a selection.
std::vector<Quantity> quantities_of(const Specification& s);

/// The values of one text, made one by one: the items of a list with commas, each a value or a range (see
/// grids/ranges.hpp).
std::vector<Text> expand(const Text& text);

/// The texts chosen for one grid point.
class Choice {
 public:
  void set(const std::string& key, const Text& text) { chosen_.emplace_back(key, text); }
  const Text* find(std::string_view key) const;
  RationalBox box(std::string_view key, const Rational& otherwise) const;
  /// The exact number of a key. Throws InputError for a box.
  Rational number(std::string_view key, const Rational& otherwise) const;

 private:
  std::vector<std::pair<std::string, Text>> chosen_;
};

}  // namespace critscale::cli
