// Other formats of a finished table, made row by row from its CSV.
#include "critscale/tables/detail/convert.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/crc.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "critscale/io/detail/output_file.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/columns.hpp"
#include "critscale/tables/detail/npy.hpp"
#include "critscale/tables/detail/reader.hpp"
#include "critscale/tables/detail/writer.hpp"
#include "critscale/tables/outcome.hpp"

namespace critscale {

namespace {

namespace fs = std::filesystem;
using Cells = std::vector<std::string>;

/// The binary format of a column "LABEL.binary32"; nullptr for text and for inputs.
const BinaryFormat* column_format(const std::string& column) {
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos) return nullptr;
  for (const Column c : {Column::binary64, Column::binary32, Column::bfloat16, Column::binary16})
    if (column.compare(dot + 1, std::string::npos, name(c)) == 0) return format_of(c);
  return nullptr;
}

/// The number of a rounded cell, by way of binary64, which holds it exactly; nan for an empty one.
Dyadic rounded_number(const std::string& cell) {
  if (cell.empty()) return Dyadic::nan();
  const Outcome o = parse_outcome(cell);
  if (o.kind == Outcome::Kind::nan) return Dyadic::nan();
  if (!o.is_number())
    return o.kind == Outcome::Kind::plus_infinity ? Dyadic::infinity() : -Dyadic::infinity();
  return from_bits(binary64, round_to(binary64, o.number).value());
}

std::uint64_t rounded_pattern(const std::string& cell, const BinaryFormat& format) {
  if (cell == "-0") return std::uint64_t{1} << (format.width - 1);
  return round_to(format, rounded_number(cell));
}

/// A quoted text of JSON or C: both escape alike what occurs here.
std::string escaped(std::string_view text) {
  std::string r = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      r += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 32)
      r += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      r += c;
  }
  return r + "\"";
}

void each_row(const std::string& csv, const std::function<void(const Cells&)>& take) {
  TableReader reader(csv);
  Cells cells;
  while (reader.next(cells)) take(cells);
}

/// {"schema": 1, "about": [...], "results": [{COLUMN: text, ...}, ...]}; empty cells are left out.
void write_json(const std::string& csv, std::ostream& out) {
  const TableReader head(csv);
  out << "{\"schema\": 1,\n \"about\": [";
  for (std::size_t i = 0; i < head.about().size(); ++i)
    out << (i > 0 ? ",\n  " : "\n  ") << escaped(head.about()[i]);
  out << "],\n \"results\": [";
  bool first = true;
  each_row(csv, [&](const Cells& cells) {
    out << (first ? "\n  {" : ",\n  {");
    first = false;
    bool any = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].empty()) continue;
      out << (any ? ", " : "") << escaped(head.columns()[i]) << ": " << escaped(cells[i]);
      any = true;
    }
    out << "}";
  });
  out << "]}\n";
}

/// NumPy's type of a column: a float for rounded values (bfloat16, which NumPy has not, as float32),
/// bytes as wide as the longest cell otherwise.
struct ArrayColumn {
  std::string name, type;
  const BinaryFormat* format = nullptr;
  std::size_t width = 1;
};

std::vector<ArrayColumn> array_columns(const std::string& csv, std::size_t& rows) {
  std::vector<ArrayColumn> r;
  const TableReader head(csv);
  for (const std::string& column : head.columns()) r.push_back({column, {}, column_format(column), 1});
  each_row(csv, [&](const Cells& cells) {
    ++rows;
    for (std::size_t i = 0; i < cells.size(); ++i) r[i].width = std::max(r[i].width, cells[i].size());
  });
  for (ArrayColumn& c : r) {
    if (c.format == &bfloat16) c.format = &binary32;
    if (c.format) c.width = static_cast<std::size_t>(c.format->width) / 8;
    c.type = fmt::format("'{}{}'", c.format ? "<f" : "|S", c.width);
  }
  return r;
}

void append_item(std::string& out, const std::string& cell, const ArrayColumn& column) {
  if (!column.format) {
    out += cell;
    out.append(column.width - cell.size(), '\0');
    return;
  }
  const std::uint64_t bits = rounded_pattern(cell, *column.format);
  for (std::size_t i = 0; i < column.width; ++i) out += static_cast<char>(bits >> (8 * i) & 255);
}

std::string python_text(const std::string& name) {
  std::string r = "'";
  for (const char c : name) r += c == '\'' || c == '\\' ? '_' : c;
  return r + "'";
}

/// One array of records, a field a column.
void write_npy(const std::string& csv, std::ostream& out) {
  std::size_t rows = 0;
  const std::vector<ArrayColumn> columns = array_columns(csv, rows);
  std::string descr = "[";
  for (const ArrayColumn& c : columns) descr += fmt::format("({}, {}), ", python_text(c.name), c.type);
  out << npy_header(descr + "]", rows);
  std::string record;
  each_row(csv, [&](const Cells& cells) {
    record.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) append_item(record, cells[i], columns[i]);
    out << record;
  });
}

/// A number of so many bytes, the lowest first.
void put(std::string& out, std::uint64_t v, int bytes) {
  for (; bytes > 0; --bytes, v >>= 8) out += static_cast<char>(v & 255);
}

/// An uncompressed zip archive, one .npy a column; one column in memory at a time.
void write_npz(const std::string& csv, std::ostream& out) {
  std::size_t rows = 0;
  const std::vector<ArrayColumn> columns = array_columns(csv, rows);
  std::string directory;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string data = npy_header(columns[i].type, rows);
    each_row(csv, [&](const Cells& cells) { append_item(data, cells[i], columns[i]); });
    boost::crc_32_type crc;
    crc.process_bytes(data.data(), data.size());
    if (offset + data.size() > 0xffffffff)
      throw InputError("the table is too large for .npz (4 GB); use .csv");
    const std::string name = columns[i].name + ".npy";
    // Version, flags, method (stored), time and date (1980-01-01), checksum, sizes, length of the name.
    std::string fields;
    put(fields, 20, 2);
    put(fields, 0, 2);
    put(fields, 0, 2);
    put(fields, 0, 2);
    put(fields, 33, 2);
    put(fields, crc.checksum(), 4);
    put(fields, data.size(), 4);
    put(fields, data.size(), 4);
    put(fields, name.size(), 2);
    put(fields, 0, 2);
    out << "PK\x03\x04" << fields << name << data;
    directory += "PK\x01\x02";
    put(directory, 20, 2);
    directory += fields;
    put(directory, 0, 10);  // comment length, disk, internal and external attributes
    put(directory, offset, 4);
    directory += name;
    offset += 4 + fields.size() + name.size() + data.size();
  }
  std::string end = "PK\x05\x06";
  put(end, 0, 4);
  put(end, columns.size(), 2);
  put(end, columns.size(), 2);
  put(end, directory.size(), 4);
  put(end, offset, 4);
  put(end, 0, 2);
  out << directory << end;
}

/// A name for C: letters, digits and underscores.
std::string c_name(const std::string& column) {
  std::string r;
  for (const char c : column) r += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  while (r.ends_with('_')) r.pop_back();
  return r.empty() || std::isdigit(static_cast<unsigned char>(r[0])) != 0 ? "_" + r : r;
}

/// An array of structs for C and C++; rounded values as hexadecimal floating constants, other cells as text.
void write_header_file(const std::string& csv, std::ostream& out) {
  const TableReader head(csv);
  for (const std::string& line : head.about()) out << "// " << line << "\n";
  out << "#pragma once\n#include <math.h>\n\nstruct critscale_row {\n";
  std::vector<const BinaryFormat*> formats;
  for (const std::string& column : head.columns()) {
    formats.push_back(column_format(column));
    const char* type = !formats.back() ? "const char* " : formats.back() == &binary64 ? "double " : "float ";
    out << "  " << type << c_name(column) << ";\n";
  }
  out << "};\n\nstatic const struct critscale_row critscale_table[] = {\n";
  each_row(csv, [&](const Cells& cells) {
    out << "  {";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out << (i > 0 ? ", " : "");
      if (!formats[i]) {
        out << escaped(cells[i]);
        continue;
      }
      const Dyadic v = rounded_number(cells[i]);
      const char* suffix = formats[i] == &binary64 ? "" : "f";
      if (v.is_nan())
        out << "NAN";
      else if (!v.is_finite())
        out << (v.sign() < 0 ? "-INFINITY" : "INFINITY");
      else
        out << (cells[i] == "-0" ? "-" : "") << v.to_hex() << suffix;
    }
    out << "},\n";
  });
  out << "};\n";
}

std::string tex(std::string_view text) {
  std::string r;
  for (const char c : text) {
    if (std::strchr("&%$#_{}", c) != nullptr)
      r += fmt::format("\\{}", c);
    else if (c == '^')
      r += "\\^{}";
    else if (c == '~' || c == '\\')
      r += ' ';
    else
      r += c;
  }
  return r;
}

/// A booktabs tabular; the packages it needs stand in its first line.
void write_latex(const std::string& csv, std::ostream& out) {
  const TableReader head(csv);
  out << "% \\usepackage{booktabs}\n";
  for (const std::string& line : head.about()) out << "% " << line << "\n";
  // The id repeats the inputs.
  const auto line = [&](const Cells& cells) {
    bool any = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (head.columns()[i] == "id") continue;
      out << (any ? " & " : "") << tex(cells[i]);
      any = true;
    }
    out << " \\\\\n";
  };
  out << "\\begin{tabular}{" << std::string(head.columns().size() - 1, 'l') << "}\n\\toprule\n";
  line(head.columns());
  out << "\\midrule\n";
  each_row(csv, line);
  out << "\\bottomrule\n\\end{tabular}\n";
}

struct Format {
  std::string_view extension;
  void (*write)(const std::string& csv, std::ostream& out);
};

/// .csv is what is there already.
constexpr std::array<Format, 6> table_formats{{{".csv", nullptr},
                                               {".json", write_json},
                                               {".npy", write_npy},
                                               {".npz", write_npz},
                                               {".h", write_header_file},
                                               {".tex", write_latex}}};

const Format& format_of_path(const std::string& path) {
  for (const Format& f : table_formats)
    if (path.ends_with(f.extension)) return f;
  throw InputError(fmt::format("{}: the extension must be .csv, .json, .npy, .npz, .h or .tex", path));
}

}  // namespace

void require_table_format(const std::string& path) { format_of_path(path); }

void convert_finished(const std::string& path, const std::string& name, bool force) {
  const Format& format = format_of_path(name);
  if (!format.write) return finish(path, force);
  const std::string csv = path + ".partial", converted = path + ".converted";
  require_no_directory(converted);
  {
    std::ofstream out(converted, std::ios::binary | std::ios::trunc);
    format.write(csv, out);
    out.flush();
    if (!out) throw InputError(fmt::format("{}: cannot be written", converted));
  }
  publish(converted, path, force);
  std::error_code error;
  fs::remove(csv, error);
  fs::remove(csv + ".sum", error);
}

}  // namespace critscale
