// The grid of a specification: the product of its lists as exact configurations, made one by one. Uses
// specification.hpp, lib/critscale/model and asymptotics.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/asymptotics/limit_inputs.hpp"
#include "critscale/model/configuration.hpp"
#include "grids/ranges.hpp"
#include "grids/specification.hpp"

namespace critscale::cli {

/// One grid point: an exact configuration and the inputs as exact text, in grid order.
struct Point {
  Configuration configuration;
  std::vector<std::pair<std::string, std::string>> inputs;
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
  /// The values of one grid point, by the place of their key in the list of parameters.
  struct Chosen;
  static Value read(const std::string& key, Text text);
  void read_geometry(const Chosen& choice, Point& p) const;
  void read_logit_scale(const Chosen& choice, Point& p) const;
  bool is_separable() const;

  const Specification& specification_;
  GridOptions options_;
  bool analytic_ = false;
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

}  // namespace critscale::cli
