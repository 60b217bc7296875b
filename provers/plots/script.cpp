// gnuplot scripts: data as inline blocks, then one `plot`.
#include "plots/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace critscale::cli {

namespace {

/// From dark to light with rising lightness, also for eyes that confuse red and green.
constexpr const char* palette =
    "set palette defined (0 '#3a0a5c', 1 '#44397f', 2 '#33608d', 3 '#21858c', 4 '#35a878', 5 '#84c74a', "
    "6 '#f5e22b')\n";

/// Told apart by most eyes (after Okabe and Ito), and by their dashes.
constexpr std::array<const char*, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#7a5c00"};
constexpr std::array<int, 4> dashes{1, 2, 4, 5};

/// Between single quotes, where gnuplot gives a meaning to the quote alone; control characters, which file
/// names may have, would end the line.
std::string quoted(const std::string& text) {
  std::string r = "'";
  for (const char c : text) {
    if (c == '\'') r += c;
    r += static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
  }
  return r + "'";
}

/// Characters that a text shows, without its markup.
std::size_t shown(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80 && c != '{' && c != '}' && c != '\\';
  }));
}

/// Points that can still be seen one by one.
constexpr std::size_t most_dots = 45;

/// Points of their own: those of short curves, and pieces that are one point.
std::vector<CurvePoint> dots(const Curve& c) {
  std::size_t count = 0;
  for (const auto& piece : c.pieces) count += piece.size();
  std::vector<CurvePoint> r;
  for (const auto& piece : c.pieces)
    if (piece.size() == 1 || (c.role == Curve::Role::series && count <= most_dots))
      r.insert(r.end(), piece.begin(), piece.end());
  return r;
}

class Script {
 public:
  Script(const Figure& figure, ImageFormat format) : figure_(figure), format_(format) {}

  std::string text() {
    text_ =
        fmt::format("{}set encoding utf8\nset border 3 {}\nset tics out nomirror\n",
                    format_ == ImageFormat::svg
                        ? "set terminal svg size 840,640 enhanced font 'sans-serif,14' background '#ffffff'\n"
                        : "set terminal pngcairo size 840,640 enhanced font 'Sans,11' background '#ffffff'\n",
                    figure_.colour ? "front" : "back");
    set_layout();
    set_axis("x", figure_.x);
    set_axis("y", figure_.y);
    if (figure_.colour) set_axis("cb", *figure_.colour);
    data();
    plot();
    return std::move(text_);
  }

 private:
  void line(const std::string& s) {
    text_ += s;
    text_ += '\n';
  }

  void set_layout() {
    const double below = 0.025 * static_cast<double>(figure_.caption.size());
    std::size_t longest = 0;
    for (const Curve& c : figure_.curves) longest = std::max(longest, shown(c.label));
    // The key of curves stands right of them, that of a heat map above it.
    const double right =
        figure_.colour
            ? 0.83
            : std::max(0.5, 0.93 - 0.0095 * static_cast<double>(std::min<std::size_t>(longest, 44)));
    line(
        fmt::format("set lmargin at screen 0.12\nset rmargin at screen {}\nset tmargin at screen {}\n"
                    "set bmargin at screen {}",
                    right, figure_.colour ? 0.89 : 0.92, 0.145 + below));
    line(fmt::format("set label 1 {} at screen 0.5,0.965 center font ',15'", quoted(figure_.title)));
    for (std::size_t i = 0; i < figure_.caption.size(); ++i)
      line(fmt::format("set label {} {} at screen 0.02,{} left font ',10'", i + 2, quoted(figure_.caption[i]),
                       0.02 + 0.028 * static_cast<double>(figure_.caption.size() - 1 - i)));
    if (figure_.colour)
      line("set key at screen 0.83,0.935 right top horizontal samplen 3\nset grid noxtics noytics");
    else
      line(
          fmt::format("set key at screen {},0.92 left top vertical Left reverse samplen 2 spacing 1.15 font "
                      "',{}'\nset grid xtics ytics lc rgb '#dddddd' lw 1",
                      right + 0.01, longest > 44 ? 8 : 10));
    if (figure_.colour) text_ += palette;
  }

  void set_axis(const char* which, const Axis& axis) {
    line(fmt::format("set {}range [{}:{}]", which, axis.lo, axis.hi));
    line(fmt::format("set {}label {}", which, quoted(axis.label)));
    const std::string marks = tics(axis);
    if (!marks.empty()) line(fmt::format("set {}tics ({})", which, marks));
  }

  void data() {
    if (figure_.colour) {
      for (const bool known : {true, false}) {
        line(known ? "$cells << EOD" : "$unknown << EOD");
        for (const Cell& c : figure_.cells) {
          if (c.value.has_value() != known) continue;
          // Under its right and upper neighbours, which are drawn later: no seams between cells.
          const double under = known ? 0.1 : 0;
          const double x_hi = std::min(figure_.x.hi, c.x_hi + under * (c.x_hi - c.x_lo));
          const double y_hi = std::min(figure_.y.hi, c.y_hi + under * (c.y_hi - c.y_lo));
          line(fmt::format("{} {} {} {} {} {} {}", c.x_lo, c.y_lo, c.x_lo, x_hi, c.y_lo, y_hi,
                           c.value.value_or(0)));
        }
        line("EOD");
      }
    }
    for (std::size_t i = 0; i < figure_.curves.size(); ++i) {
      line(fmt::format("$curve{} << EOD", i));
      for (const auto& piece : figure_.curves[i].pieces) {
        for (const CurvePoint& p : piece) line(fmt::format("{} {} {} {}", p.x, p.y, p.lo, p.hi));
        line("");
      }
      line("EOD");
      if (dots(figure_.curves[i]).empty()) continue;
      line(fmt::format("$dots{} << EOD", i));
      for (const CurvePoint& p : dots(figure_.curves[i])) line(fmt::format("{} {}", p.x, p.y));
      line("EOD");
    }
  }

  void plot() {
    std::vector<std::string> layers;
    const auto any = [&](bool known) {
      return std::any_of(figure_.cells.begin(), figure_.cells.end(),
                         [&](const Cell& c) { return c.value.has_value() == known; });
    };
    if (any(true))
      layers.emplace_back(
          "$cells using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder fillcolor palette notitle");
    if (any(false))
      layers.emplace_back(
          "$unknown using 1:2:3:4:5:6 with boxxyerror fillstyle solid 1 noborder fillcolor rgb '#bbbbbb' "
          "notitle");
    for (std::size_t i = 0; i < figure_.curves.size(); ++i) add_layers(layers, i);
    line(fmt::format("plot {}", fmt::join(layers, ", \\\n     ")));
  }

  void add_layers(std::vector<std::string>& layers, std::size_t i) const {
    const Curve& c = figure_.curves[i];
    const std::string title = c.label.empty() ? "notitle" : "title " + quoted(c.label);
    if (c.role == Curve::Role::boundary && figure_.colour) {
      layers.push_back(fmt::format("$curve{} using 1:2 with lines lw 5 lc rgb '#000000' {}", i, title));
      layers.push_back(fmt::format("$curve{} using 1:2 with lines lw 2 lc rgb '#ffffff' notitle", i));
      return;
    }
    const char* colour = c.role == Curve::Role::series ? colours[c.style % colours.size()] : "#000000";
    if (c.role == Curve::Role::boundary) {
      layers.push_back(
          fmt::format("$curve{} using 1:2 with lines lw 1.5 lc rgb '{}' dt 3 {}", i, colour, title));
      return;
    }
    if (c.role == Curve::Role::series)
      layers.push_back(
          fmt::format("$curve{} using 1:3:4 with filledcurves fillcolor rgb '{}' fillstyle transparent "
                      "solid 0.3 noborder notitle",
                      i, colour));
    const int dash = c.role == Curve::Role::limit ? 2 : dashes[c.style / colours.size() % dashes.size()];
    layers.push_back(fmt::format("$curve{} using 1:2 with lines lw {} lc rgb '{}' dt {} {}", i,
                                 c.role == Curve::Role::limit ? 1.5 : 2, colour, dash, title));
    if (!dots(c).empty())
      layers.push_back(fmt::format("$dots{} using 1:2 with points pt 7 ps {} lc rgb '{}' notitle", i,
                                   c.role == Curve::Role::limit ? 0.8 : 0.5, colour));
  }

  const Figure& figure_;
  ImageFormat format_;
  std::string text_;
};

}  // namespace

std::string script(const Figure& figure, ImageFormat format) { return Script(figure, format).text(); }

}  // namespace critscale::cli
