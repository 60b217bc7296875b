// What a user asked for, still as text: the common form of command-line flags and case files, and
// its expansion into exact configurations. Uses lib/critscale/model and asymptotics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "critscale/asymptotics/limit_inputs.hpp"
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

/// Whether a key names a parameter of the layer (and may be a list or a range).
bool is_parameter(std::string_view key);

/// The quantities that a specification selects, each once; all without a selection.
std::vector<Quantity> quantities_of(const Specification& s);

/// One grid point: an exact configuration and the inputs as exact text, in grid order.
struct Point {
  Configuration configuration;
  std::vector<std::pair<std::string, std::string>> inputs;
};

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

/// One grid point as n grows: the same layer with n left free.
struct GrowthPoint {
  LimitConfiguration configuration;
  std::vector<std::pair<std::string, std::string>> inputs;
};

/// What a command asks of a grid.
struct GridOptions {
  /// n is a parameter; otherwise points are for n that grows, and n is no axis.
  bool with_n = true;
  /// gamma, gamma_ratio or beta is a parameter; otherwise it is no axis.
  bool with_scale = true;
};

/// The points of a specification: the product of all lists, the last written key varying fastest.
/// Every configuration is validated. Throws InputError.
class Grid {
 public:
  explicit Grid(const Specification& specification, GridOptions options = {});
  std::size_t size() const { return size_; }
  /// The i-th point. Throws InputError that names the place and the parameter.
  Point operator[](std::size_t i) const;
  /// The i-th point as n grows, for a grid without n. Without a scale, gamma is 0 and no input.
  GrowthPoint growth(std::size_t i) const;
  /// Points such that all points are valid when these are.
  std::size_t deciding_points() const;
  /// The index of the i-th of them.
  std::size_t deciding_point(std::size_t i) const;

 private:
  Choice choose(std::size_t i) const;
  /// The values of one grid point.
  struct Chosen;
  /// A text with its meaning, where that needs no other parameter.
  struct Value {
    Text text;
    std::optional<RationalBox> box;
    std::optional<PowerProduct> length;
    std::string canonical;
  };
  /// The values of one key; where they are many, each is read when it is asked for.
  struct Axis {
    std::string key;
    std::vector<ValueRange> ranges;
    std::size_t count = 0;
    std::vector<Value> values;  ///< empty where they are many
    Text text(std::size_t i) const;
  };
  static Value read(const std::string& key, Text text);
  bool is_separable() const;

  const Specification& specification_;
  GridOptions options_;
  bool analytic_ = false;
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

}  // namespace critscale::cli
