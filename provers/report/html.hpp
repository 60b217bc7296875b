// The page of `critscale report`: one file that needs no other. Uses fmt (in the .cpp only).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/markup.hpp"

namespace critscale::cli::html {

/// gnuplot's markup of figures ("A_{ii}", "10^{6}") as HTML, and as text without it.
std::string of_markup(std::string_view markup);
std::string text_of_markup(std::string_view markup);

/// JSON inside a script element.
std::string data_script(std::string_view json);

/// One cell of a table that sorts: what is shown, and what it is sorted by (a number as text; empty: the
/// text).
struct TableCell {
  std::string html, key;
};

/// A table that can be sorted by every column and filtered by a text.
class Table {
 public:
  Table(std::string id, std::string caption, std::vector<std::string> columns)
      : id_(std::move(id)), caption_(std::move(caption)), columns_(std::move(columns)) {}
  /// `group` is one of the words that a menu filters by; empty where there is no menu.
  void add(const std::vector<TableCell>& cells, const std::string& group = "");
  std::string text() const;

 private:
  std::string id_, caption_;
  std::vector<std::string> columns_, groups_;
  std::string rows_;
  std::size_t count_ = 0;
};

struct Section {
  std::string id, title, body;
};

/// The whole page. Plots are elements of the class `plot` with their data.
std::string page(const std::string& title, const std::string& introduction,
                 const std::vector<Section>& sections);

/// The page's own style and script, and those of uPlot with its licence; made from report/assets/.
std::string_view style();
std::string_view script();
std::string_view plot_style();
std::string_view plot_script();
std::string_view plot_licence();

}  // namespace critscale::cli::html
