// What a user asked for, still as text: the common form of command-line flags and case files, and
// its expansion into exact configurations. Uses lib/critscale/model and asymptotics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/model/configuration.hpp"

namespace critscale::cli {

/// One text with the place it came from, for error messages: "--rho" or "cases/a.toml:12: rho".
struct Text {
  std::string text;
  std::string where;
};

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
    if (where.empty()) throw;
    throw InputError(where + ": " + error.what());
  }
}

/// Whether a key names a parameter of the layer (and may be a list or a range).
bool is_parameter(std::string_view key);

/// One grid point: an exact configuration and the inputs as exact text, in grid order.
struct Point {
  Configuration configuration;
  std::vector<std::pair<std::string, std::string>> inputs;
};

/// Which parameters a command can do without.
struct PointOptions {
  bool needs_n = true;
};

/// The points of a specification: the product of all lists, the last written key varying fastest.
/// Every configuration is validated. Throws InputError.
class Grid {
 public:
  explicit Grid(const Specification& specification);
  std::size_t size() const { return size_; }
  /// The i-th point. Throws InputError that names the place and the parameter.
  Point operator[](std::size_t i) const;

 private:
  struct Axis {
    std::string key;
    std::vector<Text> values;
  };
  const Specification& specification_;
  bool analytic_ = false;
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

}  // namespace critscale::cli
