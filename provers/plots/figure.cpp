// Axes and names.
#include "plots/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace critscale::cli {

namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();

/// The smallest of 1, 2, 5, 10, 20, ... that is not below x.
double round_step(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * unit >= x) return std::max(1.0, factor * unit);
  return std::max(1.0, 10 * unit);
}

/// 10^k as markup.
std::string power_of_ten(double k) {
  if (std::abs(k) < 1e6) return fmt::format("10^{{{:.0f}}}", k);
  const double exponent = std::floor(std::log10(std::abs(k)));
  return fmt::format("10^{{{:.3g}·10^{{{:.0f}}}}}", k / std::pow(10.0, exponent), exponent);
}

}  // namespace

double position(Scale scale, const PlotNumber& x) {
  if (scale == Scale::linear) return x.linear();
  if (x.sign <= 0) return nowhere;
  if (scale == Scale::log) return x.log10;
  return x.log10 > 0 ? std::log10(x.log10) : nowhere;
}

double Axis::clipped(double at) const { return std::isnan(at) ? lo : std::clamp(at, lo, hi); }

std::string tics(const Axis& axis) {
  if (axis.scale == Scale::linear) return "";
  std::string r;
  const auto add = [&](const std::string& label, double at, int level) {
    if (at < axis.lo || at > axis.hi) return;
    r += fmt::format("{}'{}' {} {}", r.empty() ? "" : ", ", label, at, level);
  };
  const double step = round_step((axis.hi - axis.lo) / 9);
  for (double k = std::floor(axis.lo / step) * step; k <= axis.hi; k += step) {
    add(axis.scale == Scale::log ? power_of_ten(k) : fmt::format("10^{{10^{{{:.0f}}}}}", k), k, 0);
    if (axis.scale == Scale::log && step == 1)
      for (int m = 2; m <= 9; ++m) {
        // Short axes need more numbers than their powers of ten.
        const bool labelled = axis.hi - axis.lo < 2 && (m == 2 || m == 5);
        add(labelled ? fmt::format("{}·{}", m, power_of_ten(k)) : "", k + std::log10(m), labelled ? 0 : 1);
      }
  }
  return r;
}

std::string plain(std::string_view text) {
  std::string r;
  for (const char c : text) {
    if (std::string_view("^_@&~{}\\").find(c) != std::string_view::npos) r += '\\';
    r += c >= ' ' && c <= '~' ? c : '?';
  }
  return r;
}

std::string symbol(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> greek{
      {{"rho", "ρ"}, {"gamma", "γ"}, {"alpha", "α"}, {"beta", "β"}}};
  for (const auto& [name, letter] : greek)
    if (key == name) return std::string(letter);
  return plain(key);
}

std::string describe(std::string_view label) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 17> names{{
      {"log_partition", "ln Z_i"},
      {"self_weight", "self weight A_{ii}"},
      {"self_weight2", "squared self weight A_{ii}^2"},
      {"collision", "collision Σ_j A_{ij}^2"},
      {"annealed_log_others", "ln E W"},
      {"band_weights", "attention weight A_{ij}"},
      {"band_masses", "attention mass Σ_j A_{ij}"},
      {"inner_products", "inner product ⟨y′_i, y′_j⟩"},
      {"output_norm2", "squared output norm |x′_i|^2"},
      {"angle_ratio", "angle ratio λ"},
      {"jacobian_norm", "Jacobian norm η"},
      {"participation", "participation 1/Σ_j A_{ij}^2"},
      {"entropy", "entropy −Σ_j A_{ij} ln A_{ij}"},
      {"transitions", "transition γ*(n)"},
      {"distances", "threshold − γ*(n)"},
      {"gamma_effective", "γ_{eff} = β(n)/ln n"},
      {"multiplier", "multiplier of the logits"},
  }};
  const std::size_t end = std::min(label.find_first_of("[."), label.size());
  for (const auto& [name, text] : names)
    if (label.substr(0, end) == name) {
      if (end == label.size() || label == "inner_products[0]") return std::string(text);
      if (label[end] == '.') return fmt::format("{}, {}", text, plain(label.substr(end + 1)));
      return fmt::format("{}, number {}", text, plain(label.substr(end + 1, label.size() - end - 2)));
    }
  return plain(label);
}

}  // namespace critscale::cli
