// Table cases that ask one operation of an implementation: softmax and the like on exact inputs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "critscale/number/quote.hpp"
#include "critscale/schedules/schedule.hpp"
#include "critscale/tables/allowance.hpp"
#include "critscale/tables/answer.hpp"
#include "critscale/tables/detail/attention_question.hpp"
#include "critscale/tables/detail/rounded_inputs.hpp"
#include "critscale/tables/reference.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/text/parse.hpp"
#include "output/table_rows.hpp"

namespace critscale::cli {

namespace {

/// The inputs of each operation.
std::vector<std::string_view> input_keys_of(std::string_view op) {
  if (op == "attention_row") return {"scores", "values", "d", "softcap", "sink", "visible"};
  if (op == "attention") return attention_keys();
  if (op == "layer" || op == "jacobian_norm") return {"tokens", "beta", "alpha"};
  if (op == "schedule") {
    std::vector<std::string_view> r{"schedule", "position", "n", "train", "keys"};
    for (const ScheduleConstant& c : schedule_constants()) r.push_back(c.key);
    return r;
  }
  return {"logits"};
}

/// Keys that say how a case is computed, not what is asked.
bool is_setting(std::string_view key) {
  constexpr std::array<std::string_view, 10> settings{"op",      "columns",    "digits", "max_bits",
                                                      "threads", "time_limit", "seed",   "quantities",
                                                      "inputs",  "rounded_to"};
  return std::find(settings.begin(), settings.end(), key) != settings.end();
}

bool holds_exactly(const BinaryFormat& format, const Rational& v) {
  const auto bits = round_to(format, Ball(v, 256));
  if (!bits) return false;
  const Dyadic rounded = from_bits(format, *bits);
  return rounded.is_finite() && rounded.to_rational() == v;
}

/// The formats that hold every number among the inputs; "none" where no format does.
std::string formats_of(const Question& q) {
  std::vector<std::string_view> r;
  const std::optional<AttentionQuestion> attention =
      q.op == "attention" ? std::optional(attention_of(q)) : std::nullopt;
  for (const BinaryFormat* format : formats) {
    bool all = !attention || attention->is_exact_in(*format);
    for (const auto& [key, text] : q.inputs) {
      if (attention || key == "schedule" || key == "n" || key == "keys") continue;
      for (const std::string& row : split_rows(text))
        for (const std::string& number : split_list(row))
          all = all && (number == "-inf" || holds_exactly(*format, parse_rational(number)));
    }
    if (all) r.push_back(format->name);
  }
  return r.empty() ? "none" : fmt::format("{}", fmt::join(r, " "));
}

class OperationCase : public TableCase {
 public:
  OperationCase(const Specification& s, const RunOptions& options) : options_(options), where_(s.where) {
    columns = columns_of(s);
    const Text* op = s.find_single("op");
    if (!is_operation(op->text))
      throw InputError(
          fmt::format("{}: {} is not an operation; allowed: softmax, logsumexp, entropy, attention_row, "
                      "attention, layer, jacobian_norm, schedule",
                      op->where, in_quotes(op->text)));
    op_ = op->text;
    const auto allowed = input_keys_of(op_);
    for (const Entry& e : s.entries) {
      if (is_setting(e.key)) continue;
      if (std::find(allowed.begin(), allowed.end(), e.key) == allowed.end())
        throw InputError(fmt::format("{}: {} is no input of {}; allowed: {}", e.values[0].where, e.key, op_,
                                     fmt::join(allowed, ", ")));
      Entry& axis = axes_.emplace_back(e);
      for (Text& t : axis.values)
        if (const auto file = op_ == "attention" ? array_file(t.text) : std::nullopt) {
          t.text = located(t.where, [&] { return with_checksum(*file); });
          has_files_ = true;
        }
      size_ *= e.values.size();
    }
    read_rounding(s);
    for (std::size_t i = 0; i < size_; ++i) {
      std::vector<std::string> names = labels_of(i);
      if (names.size() > labels_.size()) labels_ = std::move(names);
    }
  }
  std::size_t size() const override { return size_; }
  std::vector<std::string> input_keys() const override {
    std::vector<std::string> r{"op"};
    for (const Entry& e : axes_) r.push_back(e.key);
    if (!rounded_to_.empty()) r.emplace_back("rounded_to");
    r.emplace_back("formats");
    return r;
  }
  std::vector<std::string> labels() const override { return labels_; }
  void check(std::size_t i) const override {
    if (op_ == "attention")
      located(where_, [&] { return attention_of(question(i)); });
    else
      values_of(question(i), 64);
  }
  std::size_t rows_at_once() const override { return has_files_ ? 1 : TableCase::rows_at_once(); }
  std::vector<std::string> inputs(std::size_t i) const override { return inputs_of(question(i), i); }
  std::optional<ReferenceRow> asked(std::size_t i) const override {
    ReferenceRow row{{}, question(i), {}, {}};
    for (std::string& label : labels_of(i)) row.values.push_back({std::move(label), {}, {}});
    row.formats = formats_of(row.question);
    return row;
  }
  void evaluate(std::size_t first, std::size_t end,
                const std::function<void(const Row&)>& take) const override {
    for (std::size_t i = first; i < end; ++i) {
      const Question q = question(i);
      Row row{inputs_of(q, i), {}};
      for (const std::optional<Ball>& x : values_of(q, 0))
        row.cells.push_back(x ? cells(*x, options_.digits, columns)
                              : special_cells(columns, special_text(q)));
      add_allowances(q, row);
      take(row);
    }
  }

 private:
  Question question(std::size_t i) const {
    Question q{op_, {}};
    const BinaryFormat* format = rounding_of(i);
    if (format) i /= rounded_to_.size();
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      q.inputs.emplace_back(axis->key, axis->values[i % axis->values.size()].text);
      i /= axis->values.size();
    }
    std::reverse(q.inputs.begin(), q.inputs.end());
    return format ? located(where_, [&] { return rounded_inputs(q, *format); }) : q;
  }
  /// `inputs = "rounded"`: a question for each of the formats in `rounded_to` (default: all), about the
  /// numbers that the format holds in place of those written.
  void read_rounding(const Specification& s) {
    const Text* inputs = s.find_single("inputs");
    const Entry* to = s.find("rounded_to");
    if (inputs && inputs->text != "rounded" && inputs->text != "exact")
      throw InputError(
          fmt::format("{}: inputs is exact or rounded, found {}", inputs->where, in_quotes(inputs->text)));
    if (!inputs || inputs->text == "exact") {
      if (to) throw InputError(fmt::format("{}: rounded_to needs inputs = \"rounded\"", to->values[0].where));
      return;
    }
    if (!to) rounded_to_.assign(formats.begin(), formats.end());
    for (std::size_t i = 0; to && i < to->values.size(); ++i)
      rounded_to_.push_back(
          located(to->values[i].where, [&] { return &format_by_short_name(to->values[i].text); }));
    size_ *= rounded_to_.size();
  }
  const BinaryFormat* rounding_of(std::size_t i) const {
    return rounded_to_.empty() ? nullptr : rounded_to_[i % rounded_to_.size()];
  }
  static std::string_view special_text(const Question& q) {
    return undefined_answer(q) == Outcome::Kind::minus_infinity ? "-inf" : "nan";
  }
  /// The cells of allowed_... columns, rounded up.
  void add_allowances(const Question& q, Row& row) const {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const BinaryFormat* format = allowance_format_of(columns[c]);
      if (!format) continue;
      const auto allowed = allowances(q, Arithmetic::of(*format));
      for (std::size_t i = 0; allowed && i < row.cells.size() && i < allowed->size(); ++i) {
        const Margin m = (*allowed)[i].worst;
        row.cells[i][c] = fmt::format("{:.4e}", 1.0001 * std::max(m.down, m.up));
      }
    }
  }
  std::vector<std::string> inputs_of(const Question& q, std::size_t i) const {
    std::vector<std::string> r{op_};
    for (const auto& [key, text] : q.inputs) r.push_back(text);
    if (const BinaryFormat* format = rounding_of(i)) r.emplace_back(format->name);
    r.push_back(formats_of(q));
    return r;
  }
  std::vector<std::string> labels_of(std::size_t i) const {
    return located(where_, [&] { return answer_labels(question(i)); });
  }
  /// Certified values, or at `bits` where those are given; nothing where the answer is no number.
  std::vector<std::optional<Ball>> values_of(const Question& q, Bits bits) const {
    return located(where_, [&] {
      try {
        // What attention cannot tell from 0 is not told from it by more bits.
        const bool is_attention = op_ == "attention";
        const auto decided = [&](const std::vector<Ball>& v) {
          return std::all_of(v.begin(), v.end(), [&](const Ball& x) {
            return !x.is_finite() || (is_attention && x.contains_zero()) || is_decided(x, columns);
          });
        };
        std::vector<Ball> v =
            bits > 0 ? answer(q, bits) : certified_answer(q, options_.digits, options_.max_bits);
        if (bits == 0 && !decided(v))
          v = last_at_rising_precision(
              256, 16384, [&](Bits b) { return answer(q, b); }, decided);
        std::vector<std::optional<Ball>> r;
        for (Ball& x : v) r.push_back(x.is_finite() ? std::optional(std::move(x)) : std::nullopt);
        return r;
      } catch (const UndefinedError&) {
        return std::vector<std::optional<Ball>>(answer_labels(q).size());
      }
    });
  }

  RunOptions options_;
  std::string where_, op_;
  std::vector<Entry> axes_;
  bool has_files_ = false;
  std::vector<const BinaryFormat*> rounded_to_;
  std::size_t size_ = 1;
  std::vector<std::string> labels_;
};

}  // namespace

std::unique_ptr<TableCase> operation_case(const Specification& s, const RunOptions& options) {
  return std::make_unique<OperationCase>(s, options);
}

}  // namespace critscale::cli
