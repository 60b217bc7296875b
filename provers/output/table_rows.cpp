// Rows of reference tables.
#include "output/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_set>

#include "critscale/io/detail/csv.hpp"
#include "critscale/model/number_cache.hpp"
#include "critscale/text/certify.hpp"
#include "grids/grid.hpp"

namespace critscale::cli {

namespace {

/// Grid points of one layer.
class LayerCase : public TableCase {
 public:
  LayerCase(const Specification& s, const RunOptions& options)
      : where_(s.where), grid_(s), quantities_(quantities_of(s)), options_(options) {
    columns = columns_of(s);
    for (const Column c : columns)
      if (allowance_format_of(c))
        throw InputError(fmt::format("{}: {} is a column of cases with an operation", s.where, name(c)));
    const Point first = grid_[0];
    for (const auto& [key, text] : first.inputs) keys_.push_back(key);
    bands_ = first.configuration.bands();
  }
  std::size_t size() const override { return grid_.size(); }
  std::vector<std::string> input_keys() const override { return keys_; }
  std::vector<std::string> labels() const override {
    std::vector<std::string> r;
    for (const Quantity q : quantities_)
      if (is_per_band(q))
        for (std::size_t b = 0; b < bands_; ++b) r.push_back(fmt::format("{}[{}]", name(q), b));
      else
        r.emplace_back(name(q));
    return r;
  }
  std::size_t deciding_rows() const override { return grid_.deciding_points(); }
  std::size_t deciding_row(std::size_t i) const override { return grid_.deciding_point(i); }
  void check(std::size_t i) const override { grid_[i]; }
  std::vector<std::string> inputs(std::size_t i) const override { return texts_of(grid_[i].inputs); }
  void evaluate(std::size_t first, std::size_t end,
                const std::function<void(const Row&)>& take) const override {
    Row row;
    NumberCache cache;
    for (std::size_t i = first; i < end; ++i) {
      Point p = grid_[i];
      const auto [e, rounded] = located(where_, [&] { return evaluate(p.configuration, cache); });
      row.inputs = texts_of(std::move(p.inputs));
      row.cells.clear();
      for (std::size_t k = 0; k < e.quantities.size(); ++k) {
        const QuantityValues& q = e.quantities[k];
        if (q.undefined)
          row.cells.resize(row.cells.size() + (is_per_band(q.quantity) ? bands_ : 1), special_cells(columns));
        for (std::size_t b = 0; b < q.values.size(); ++b) {
          row.cells.push_back(cells(q.values[b], options_.digits, columns));
          if (!rounded) continue;
          // What is printed stays that of the first evaluation, whatever formats are asked for besides.
          const std::vector<std::string> finer =
              cells(rounded->quantities[k].values[b], options_.digits, columns);
          for (std::size_t c = 0; c < columns.size(); ++c)
            if (format_of(columns[c]) != nullptr) row.cells.back()[c] = finer[c];
        }
      }
      take(row);
    }
  }

 private:
  /// The values, and finer ones where the correctly rounded formats needed them.
  std::pair<Evaluation, std::optional<Evaluation>> evaluate(const Configuration& c,
                                                            NumberCache& cache) const {
    Evaluation e = certified(c, quantities_, options_.digits, options_.max_bits, &cache);
    if (!c.is_point()) return {std::move(e), std::nullopt};
    const auto decided = [&](const Evaluation& v) {
      return std::all_of(v.quantities.begin(), v.quantities.end(), [&](const QuantityValues& q) {
        return std::all_of(q.values.begin(), q.values.end(),
                           [&](const Ball& x) { return is_decided(x, columns); });
      });
    };
    const Bits limit = options_.max_bits > 0 ? options_.max_bits : default_max_bits(options_.digits);
    // A value that is exactly half-way without being recognised as exact stays undecided: its cell
    // is left empty.
    const Bits next = 2 * e.beta.precision();
    if (decided(e) || next > limit) return {std::move(e), std::nullopt};
    return {std::move(e),
            last_at_rising_precision(
                next, limit, [&](Bits bits) { return critscale::evaluate(c, quantities_, bits); }, decided)};
  }

  std::string where_;
  Grid grid_;
  std::vector<Quantity> quantities_;
  RunOptions options_;
  std::vector<std::string> keys_;
  std::size_t bands_ = 1;
};

/// How many of a case's deciding rows are looked at before any work: all where few decide for many; what is
/// wrong with later rows is said when they come.
std::size_t rows_to_check(const TableCase& rows, std::size_t deciding) {
  constexpr std::size_t most = std::size_t{1} << 17;
  return deciding < rows.size() ? deciding : std::min(deciding, most);
}

/// A row's id: the case's and the exact inputs [tables].
std::string row_id(const std::string& case_id, const std::vector<std::string>& keys,
                   const std::vector<std::string>& inputs) {
  std::string id = case_id;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!id.empty()) id += ';';
    id += keys[i];
    id += '=';
    id += inputs[i];
  }
  return id;
}

/// One line: records are lines, so that a cut file can be told.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

std::vector<std::string> texts_of(std::vector<std::pair<std::string, std::string>> inputs) {
  std::vector<std::string> r;
  for (auto& [key, text] : inputs) r.push_back(std::move(text));
  return r;
}

std::vector<Column> columns_of(const Specification& s) {
  const Entry* e = s.find("columns");
  if (!e) return {Column::value, Column::lo, Column::hi, Column::binary64};
  std::vector<Column> r;
  for (const Text& t : e->values) {
    const Column c = located(t.where, [&] { return column_by_name(t.text); });
    if (std::find(r.begin(), r.end(), c) == r.end()) r.push_back(c);
  }
  return r;
}

TableRows::TableRows(const SharedFlags& flags) : specifications_(flags.specifications()) {
  // Questions to implementations name this key otherwise.
  for (Specification& s : specifications_)
    for (Entry& e : s.entries)
      if (s.find("op") && e.key == "train_length") e.key = "train";
  for (const Specification& s : specifications_) {
    Placed p;
    if (s.find("op"))
      p.rows = operation_case(s, flags.run_options(s));
    else if (const Text* geometry = s.find_single("geometry");
             s.find("tokens") || (geometry && geometry->text == "gaussian"))
      p.rows = token_case(s, flags.run_options(s));
    else
      p.rows = std::make_unique<LayerCase>(s, flags.run_options(s));
    p.rows->id = one_line(s.id);
    p.rows->why = one_line(s.why);
    p.keys = p.rows->input_keys();
    starts_.push_back(starts_.back() + p.rows->size());
    cases_.push_back(std::move(p));
  }
  for (Placed& p : cases_)
    for (const std::string& key : p.keys) p.inputs.push_back(place(key));
  for (Placed& p : cases_)
    for (const std::string& label : p.rows->labels()) {
      std::vector<std::size_t>& positions = p.cells.emplace_back();
      for (const Column c : p.rows->columns) positions.push_back(place(fmt::format("{}.{}", label, name(c))));
    }
}

std::size_t TableRows::rows_at_once() const {
  std::size_t r = std::numeric_limits<std::size_t>::max();
  for (const Placed& p : cases_) r = std::min(r, p.rows->rows_at_once());
  return r;
}

std::size_t TableRows::place(const std::string& column) {
  const auto [it, is_new] = positions_.try_emplace(column, columns_.size());
  if (is_new) columns_.push_back(column);
  return it->second;
}

void TableRows::check_all(const RunOptions& options) const {
  RunOptions without_limit;
  without_limit.threads = options.threads;
  for (const Placed& p : cases_) {
    const std::size_t rows = rows_to_check(*p.rows, p.rows->deciding_rows());
    const auto check = [&](std::size_t i) { p.rows->check(p.rows->deciding_row(i)); };
    // In order where that is quick: the first row without a meaning is the one that is named.
    constexpr std::size_t few = 4096;
    for (std::size_t i = 0; i < rows && rows <= few; ++i) check(i);
    if (rows > few) run_parallel(rows, without_limit, check);
  }
  require_distinct_ids();
}

void TableRows::require_distinct_ids() const {
  std::map<std::string, std::vector<const Placed*>> by_id;
  for (const Placed& p : cases_) by_id[p.rows->id].push_back(&p);
  for (const auto& [id, cases] : by_id) {
    std::unordered_set<std::string> seen;
    for (const Placed* p : cases) {
      // Within one case two rows are the same iff two of the deciding rows are.
      const bool alone = cases.size() == 1;
      const std::size_t rows = rows_to_check(*p->rows, alone ? p->rows->deciding_rows() : p->rows->size());
      std::unordered_set<std::size_t> visited;
      for (std::size_t k = 0; k < rows; ++k) {
        const std::size_t i = alone ? p->rows->deciding_row(k) : k;
        if (alone && !visited.insert(i).second) continue;
        if (const auto [it, is_new] = seen.insert(row_id(id, p->keys, p->rows->inputs(i))); !is_new)
          throw InputError(fmt::format("two rows of the table are the same: {}", *it));
      }
    }
  }
}

std::vector<ReferenceRow> TableRows::questions() const {
  std::vector<ReferenceRow> r;
  for (const Placed& p : cases_)
    for (std::size_t i = 0; i < p.rows->size(); ++i)
      if (auto row = p.rows->asked(i)) {
        row->id = row_id(p.rows->id, p.keys, p.rows->inputs(i));
        r.push_back(std::move(*row));
      }
  return r;
}

std::string TableRows::block(std::size_t first, std::size_t end) const {
  std::string r;
  std::vector<std::string> line(columns_.size());
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    const std::size_t from = std::max(first, starts_[c]), to = std::min(end, starts_[c + 1]);
    if (from >= to) continue;
    const Placed& p = cases_[c];
    for (std::string& cell : line) cell.clear();
    line[1] = p.rows->why;
    p.rows->evaluate(from - starts_[c], to - starts_[c], [&](const TableCase::Row& row) {
      line[0] = row_id(p.rows->id, p.keys, row.inputs);
      for (std::size_t i = 0; i < row.inputs.size(); ++i) line[p.inputs[i]] = row.inputs[i];
      // A row may have fewer values than the longest row of its case.
      for (std::size_t l = 0; l < p.cells.size(); ++l)
        for (std::size_t k = 0; k < p.cells[l].size(); ++k)
          line[p.cells[l][k]] =
              l < row.cells.size() && !row.cells[l].empty() ? row.cells[l][k] : std::string();
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (i > 0) r += ',';
        append_csv_cell(r, line[i]);
      }
      r += '\n';
    });
  }
  return r;
}

}  // namespace critscale::cli
