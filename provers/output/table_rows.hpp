// The rows of a reference table: for each case its grid points, evaluated to cells [tables]. Uses
// lib/critscale/tables and inputs/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "critscale/tables/detail/columns.hpp"
#include "critscale/tables/detail/writer.hpp"
#include "critscale/tables/reference.hpp"
#include "inputs/flags.hpp"

namespace critscale::cli {

/// One case of a table: its rows' inputs and certified values.
class TableCase {
 public:
  struct Row {
    std::vector<std::string> inputs;              ///< one a key of `input_keys`
    std::vector<std::vector<std::string>> cells;  ///< by label; empty where undefined
  };
  virtual ~TableCase() = default;
  virtual std::size_t size() const = 0;
  /// Names of the inputs, the same for every row.
  virtual std::vector<std::string> input_keys() const = 0;
  /// Names of the values: "self_weight", "inner_products[1]".
  virtual std::vector<std::string> labels() const = 0;
  /// Rows such that all rows have a meaning when these have; `check` throws InputError when row i has none.
  virtual std::size_t deciding_rows() const { return size(); }
  /// The index of the i-th of them.
  virtual std::size_t deciding_row(std::size_t i) const { return i; }
  virtual void check(std::size_t i) const = 0;
  /// The inputs of row i, one a key.
  virtual std::vector<std::string> inputs(std::size_t i) const = 0;
  /// Rows that are computed and written together: few where a row takes long.
  virtual std::size_t rows_at_once() const { return 256; }
  /// What row i asks an implementation, and its values' names; nothing for rows that are no questions.
  virtual std::optional<ReferenceRow> asked(std::size_t) const { return std::nullopt; }
  /// Rows [first, end) in order.
  virtual void evaluate(std::size_t first, std::size_t end,
                        const std::function<void(const Row&)>& take) const = 0;

  std::string id, why;
  std::vector<Column> columns;
};

/// The texts of named inputs.
std::vector<std::string> texts_of(std::vector<std::pair<std::string, std::string>> inputs);

/// The columns that a specification selects; value, lo, hi, binary64 without a selection.
std::vector<Column> columns_of(const Specification& s);

/// A case with `op`: questions to implementations (operation_case.cpp). Throws InputError.
std::unique_ptr<TableCase> operation_case(const Specification& s, const RunOptions& options);

/// A case with geometry "gaussian", the paper's tokens, or with the key `tokens`, those of files
/// (token_case.cpp). Throws InputError.
std::unique_ptr<TableCase> token_case(const Specification& s, const RunOptions& options);

/// All cases of a command with their common columns.
class TableRows {
 public:
  explicit TableRows(const SharedFlags& flags);

  std::size_t size() const { return starts_.back(); }
  /// The fewest rows_at_once of its cases.
  std::size_t rows_at_once() const;
  /// id, why, inputs, then LABEL.COLUMN.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Throws InputError for the first row that has no meaning, and where two rows have the same id.
  void check_all(const RunOptions& options) const;
  /// The rows that are questions, without their values.
  std::vector<ReferenceRow> questions() const;
  /// Rows [first, end) as CSV lines.
  std::string block(std::size_t first, std::size_t end) const;

 private:
  struct Placed {
    std::unique_ptr<TableCase> rows;
    std::vector<std::string> keys;
    std::vector<std::size_t> inputs;              ///< where each input goes
    std::vector<std::vector<std::size_t>> cells;  ///< where each label's columns go
  };
  std::size_t place(const std::string& column);
  void require_distinct_ids() const;

  std::vector<Specification> specifications_;
  std::vector<Placed> cases_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::string> columns_{"id", "why"};
  std::unordered_map<std::string, std::size_t> positions_{{"id", 0}, {"why", 1}};
};

}  // namespace critscale::cli
