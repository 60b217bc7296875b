// Figures as HTML: curves as data that the page's script draws with uPlot, heat maps as SVG. Uses report.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/report.hpp"

namespace critscale::cli::html {

namespace {

using nlohmann::ordered_json;

std::string_view scale_name(Scale s) {
  return s == Scale::linear ? "linear" : s == Scale::log ? "log" : "log-log";
}

ordered_json axis_json(const Axis& a) {
  return {{"label", text_of_markup(a.label)}, {"scale", scale_name(a.scale)}, {"lo", a.lo}, {"hi", a.hi}};
}

/// Six digits, and null for what has no place: positions are for the eye.
ordered_json position_json(double v) {
  if (!std::isfinite(v)) return nullptr;
  return ordered_json::parse(fmt::format("{:.9g}", v));
}

ordered_json curve_json(const Curve& c) {
  ordered_json r{{"label", text_of_markup(c.label)},
                 {"role", c.role == Curve::Role::series  ? "series"
                          : c.role == Curve::Role::limit ? "limit"
                                                         : "boundary"},
                 {"style", c.style},
                 {"points", ordered_json::array()}};
  for (const auto& piece : c.pieces) {
    for (const CurvePoint& p : piece)
      r["points"].push_back(
          {position_json(p.x), position_json(p.y), position_json(p.lo), position_json(p.hi)});
    r["points"].push_back(nullptr);
  }
  return r;
}

/// From dark to light with rising lightness, also for eyes that confuse red and green.
std::string colour(double share) {
  constexpr std::array<std::array<double, 3>, 7> stops{{{58, 10, 92},
                                                        {68, 57, 127},
                                                        {51, 96, 141},
                                                        {33, 133, 140},
                                                        {53, 168, 120},
                                                        {132, 199, 74},
                                                        {245, 226, 43}}};
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double part = at - static_cast<double>(i);
  std::array<int, 3> c{};
  for (std::size_t k = 0; k < 3; ++k)
    c[k] = static_cast<int>(std::lround(stops[i][k] * (1 - part) + stops[i + 1][k] * part));
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

std::string number_text(const Axis& a, double at) {
  if (a.scale == Scale::linear) return fmt::format("{:.4g}", at);
  if (a.scale == Scale::log)
    return at > -5 && at < 6 ? fmt::format("{:.4g}", std::pow(10.0, at)) : fmt::format("10^{:.4g}", at);
  return fmt::format("10^(10^{:.3g})", at);
}

/// A heat map in user units: x from 0 to `width`, y downwards.
class HeatMap {
 public:
  explicit HeatMap(const Figure& f) : f_(f) {}

  std::string text() const {
    std::string r =
        fmt::format("<svg class=\"heat\" viewBox=\"-58 -8 {} {}\" role=\"img\" aria-label=\"{}\">",
                    width + 140, height + 58, escape(text_of_markup(f_.title)));
    // Cells of one colour are one path.
    std::map<std::string, std::string> paths;
    for (const Cell& c : f_.cells)
      paths[c.value ? colour((*c.value - f_.colour->lo) / (f_.colour->hi - f_.colour->lo)) : "#999999"] +=
          fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}z", x(c.x_lo), y(c.y_hi), x(c.x_hi), y(c.y_lo),
                      x(c.x_lo));
    for (const auto& [fill, path] : paths) r += fmt::format("<path fill=\"{}\" d=\"{}\"/>", fill, path);
    for (const Curve& c : f_.curves) r += curve(c);
    return r + axes() + key() + "</svg>";
  }

 private:
  static constexpr double width = 520, height = 360;
  double x(double at) const { return (f_.x.clipped(at) - f_.x.lo) / (f_.x.hi - f_.x.lo) * width; }
  double y(double at) const { return height - (f_.y.clipped(at) - f_.y.lo) / (f_.y.hi - f_.y.lo) * height; }

  std::string curve(const Curve& c) const {
    std::string r;
    for (const auto& piece : c.pieces) {
      std::string points;
      for (const CurvePoint& p : piece) points += fmt::format("{:.1f},{:.1f} ", x(p.x), y(p.y));
      for (const char* stroke : {"#000000\" stroke-width=\"3", "#ffffff\" stroke-width=\"1.4"})
        r += fmt::format("<polyline fill=\"none\" stroke=\"{}\" points=\"{}\"/>", stroke, points);
    }
    return r;
  }

  std::string axes() const {
    std::string r = fmt::format("<rect class=\"frame\" width=\"{}\" height=\"{}\"/>", width, height);
    constexpr int steps = 4;
    for (int i = 0; i <= steps; ++i) {
      const double share = static_cast<double>(i) / steps;
      r += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", share * width,
                       height + 18, escape(number_text(f_.x, f_.x.lo + share * (f_.x.hi - f_.x.lo))));
      r += fmt::format("<text x=\"-6\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
                       height - share * height + 4,
                       escape(number_text(f_.y, f_.y.lo + share * (f_.y.hi - f_.y.lo))));
    }
    r += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", width / 2, height + 40,
                     escape(text_of_markup(f_.x.label)));
    return r +
           fmt::format("<text transform=\"translate(-44 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                       height / 2, escape(text_of_markup(f_.y.label)));
  }

  std::string key() const {
    std::string r;
    constexpr int steps = 40;
    for (int i = 0; i < steps; ++i)
      r += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"14\" height=\"{:.1f}\" fill=\"{}\"/>", width + 16,
                       height * (1 - static_cast<double>(i + 1) / steps), height / steps + 0.5,
                       colour((i + 0.5) / steps));
    for (int i = 0; i <= 2; ++i)
      r += fmt::format(
          "<text x=\"{}\" y=\"{:.1f}\">{}</text>", width + 34, height * (1 - i / 2.0) + (i == 0 ? 0 : 10),
          escape(number_text(*f_.colour, f_.colour->lo + i / 2.0 * (f_.colour->hi - f_.colour->lo))));
    return r;
  }

  const Figure& f_;
};

}  // namespace

std::string figure_html(const Figure& f) {
  // Lines are wrapped text; the first sentence has no full stop.
  std::string caption;
  for (const std::string& line : f.caption) {
    const bool begins = !line.empty() && line[0] >= 'A' && line[0] <= 'Z';
    if (!caption.empty()) caption += begins && caption.back() != '.' ? ". " : " ";
    caption += of_markup(line);
  }
  std::string drawn;
  if (f.colour) {
    drawn = HeatMap(f).text();
  } else {
    ordered_json j{{"x", axis_json(f.x)}, {"y", axis_json(f.y)}, {"curves", ordered_json::array()}};
    for (const Curve& c : f.curves) j["curves"].push_back(curve_json(c));
    drawn = fmt::format("<div class=\"plot\" tabindex=\"0\" role=\"img\" aria-label=\"{}\">{}</div>",
                        escape(text_of_markup(f.title)), data_script(j.dump()));
  }
  return fmt::format("<figure><h3>{}</h3>{}<figcaption>{}</figcaption></figure>\n", of_markup(f.title), drawn,
                     caption);
}

}  // namespace critscale::cli::html
