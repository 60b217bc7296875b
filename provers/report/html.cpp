// Uses html.hpp.
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace critscale::cli::html {

namespace {

/// Reads markup; `open` and `close` give what stands around a raised or lowered part.
template <class Open, class Close, class Text>
std::string read_markup(std::string_view m, Open&& open, Close&& close, Text&& text) {
  std::string r;
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (m[i] == '\\' && i + 1 < m.size()) {
      r += text(m.substr(++i, 1));
    } else if ((m[i] == '_' || m[i] == '^') && i + 1 < m.size()) {
      const bool raised = m[i++] == '^';
      std::size_t end = i + 1;
      if (m[i] == '{') {
        int depth = 1;
        while (end < m.size() && depth > 0) depth += m[end] == '{' ? 1 : m[end] == '}' ? -1 : 0, ++end;
        r += open(raised) + read_markup(m.substr(i + 1, end - i - 2), open, close, text) + close(raised);
      } else {
        r += open(raised) + text(m.substr(i, 1)) + close(raised);
      }
      i = end - 1;
    } else if (m[i] != '{' && m[i] != '}') {
      r += text(m.substr(i, 1));
    }
  }
  return r;
}

std::string without_spaces(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}

}  // namespace

std::string of_markup(std::string_view markup) {
  return read_markup(
      markup, [](bool raised) { return std::string(raised ? "<sup>" : "<sub>"); },
      [](bool raised) { return std::string(raised ? "</sup>" : "</sub>"); }, escape);
}

std::string text_of_markup(std::string_view markup) {
  return read_markup(
      markup, [](bool raised) { return std::string(raised ? "^" : ""); }, [](bool) { return std::string(); },
      [](std::string_view t) { return std::string(t); });
}

std::string data_script(std::string_view json) {
  // The one thing that would end the element early.
  std::string r = "<script type=\"application/json\">";
  for (const char c : json) {
    if (c == '<')
      r += "\\u003c";
    else
      r += c;
  }
  return r + "</script>";
}

void Table::add(const std::vector<TableCell>& cells, const std::string& group) {
  if (!group.empty() && std::find(groups_.begin(), groups_.end(), group) == groups_.end())
    groups_.push_back(group);
  rows_ += group.empty() ? "<tr>" : fmt::format("<tr data-group=\"{}\">", escape(group));
  for (std::size_t i = 0; i < cells.size(); ++i)
    rows_ += fmt::format("<td data-label=\"{}\"{}>{}</td>", escape(columns_.at(i)),
                         cells[i].key.empty() ? "" : fmt::format(" data-key=\"{}\"", escape(cells[i].key)),
                         cells[i].html);
  rows_ += "</tr>\n";
  ++count_;
}

std::string Table::text() const {
  std::string menu;
  if (groups_.size() > 1) {
    menu = fmt::format("<label>Show <select data-menu=\"{}\"><option value=\"\">all</option>", id_);
    for (const std::string& g : groups_) menu += fmt::format("<option>{}</option>", escape(g));
    menu += "</select></label>";
  }
  std::string head;
  for (const std::string& c : columns_)
    head += fmt::format("<th scope=\"col\"><button type=\"button\">{}</button></th>", escape(c));
  return fmt::format(
      "<div class=\"tools\">{}<label>Filter <input type=\"search\" data-filter=\"{}\"></label>"
      "<output data-count=\"{}\">{} rows</output></div>\n"
      "<div class=\"wide\"><table id=\"{}\" "
      "class=\"sorts\"><caption>{}</caption><thead><tr>{}</tr></thead><tbody>\n{}"
      "</tbody></table></div>\n",
      menu, id_, id_, count_, id_, caption_, head, rows_);
}

std::string page(const std::string& title, const std::string& introduction,
                 const std::vector<Section>& sections) {
  std::string body, contents;
  for (const Section& s : sections) {
    const std::string id = without_spaces(s.id);
    contents += fmt::format("<li><a href=\"#{}\">{}</a></li>", id, escape(s.title));
    body += fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, escape(s.title), s.body);
  }
  const bool plots = body.find("class=\"plot\"") != std::string::npos;
  std::string r = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<link rel=\"icon\" href=\"data:,\"><title>{}</title>\n",
      escape(title));
  if (plots) r += fmt::format("<style>{}</style>\n", plot_style());
  r += fmt::format("<style>{}</style></head>\n<body>", style());
  r += fmt::format(
      "<header><h1>{}</h1><button type=\"button\" id=\"theme\">Colours: as the system</button>{}<nav "
      "aria-label=\"Sections\"><ul>{}</ul></nav></header>\n<main>\n{}</main>\n",
      escape(title), introduction, contents, body);
  if (plots) r += fmt::format("<script>/*! uPlot\n{}*/\n{}</script>\n", plot_licence(), plot_script());
  return r + fmt::format("<script>{}</script>\n</body></html>\n", script());
}

}  // namespace critscale::cli::html
