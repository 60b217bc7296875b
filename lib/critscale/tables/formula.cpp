// Formulas from text and back.
#include "critscale/tables/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

namespace {

struct Function {
  std::string_view name;
  FormulaOp op;
  std::size_t arguments;
};
constexpr std::array<Function, 14> functions{{{"exp", FormulaOp::exp, 1},
                                              {"log", FormulaOp::log, 1},
                                              {"tanh", FormulaOp::tanh, 1},
                                              {"floor", FormulaOp::floor, 1},
                                              {"ceil", FormulaOp::ceil, 1},
                                              {"xlogx", FormulaOp::xlogx, 1},
                                              {"max", FormulaOp::max, 2},
                                              {"min", FormulaOp::min, 2},
                                              {"over", FormulaOp::over, 2},
                                              {"first", FormulaOp::first, 2},
                                              {"beyond", FormulaOp::first_complement, 2},
                                              {"unmask", FormulaOp::unmask, 2},
                                              {"prefer", FormulaOp::prefer, 2},
                                              {"instead", FormulaOp::instead, 2}}};

/// Recursive descent over sums, products and powers.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Formula run() {
    while (true) {
      const std::size_t start = at_;
      std::string name = word();
      if (name.empty() || !take('=')) {
        at_ = start;
        name.clear();
      }
      f_.lines.emplace_back(name, sum());
      if (!take(';')) break;
    }
    skip();
    if (at_ != text_.size()) fail();
    return std::move(f_);
  }

 private:
  [[noreturn]] void fail() const {
    throw InputError(fmt::format("formula {}: not understood at position {}", in_quotes(text_), at_));
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail();
  }
  std::string word() {
    skip();
    const std::size_t start = at_;
    const auto fits = [&](char c) {
      return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0 ||
             (at_ > start && std::isdigit(static_cast<unsigned char>(c)) != 0);
    };
    while (at_ < text_.size() && fits(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  std::size_t add(FormulaNode node) {
    f_.nodes.push_back(std::move(node));
    return f_.nodes.size() - 1;
  }
  std::size_t sum() {
    std::size_t r = take('-') ? add({.op = FormulaOp::negate, .args = {product()}}) : product();
    while (true) {
      if (take('+'))
        r = add({.op = FormulaOp::add, .args = {r, product()}});
      else if (take('-'))
        r = add({.op = FormulaOp::subtract, .args = {r, product()}});
      else
        return r;
    }
  }
  std::size_t product() {
    std::size_t r = power();
    while (true) {
      if (take('*'))
        r = add({.op = FormulaOp::multiply, .args = {r, power()}});
      else if (take('/'))
        r = add({.op = FormulaOp::divide, .args = {r, power()}});
      else
        return r;
    }
  }
  Rational number() {
    const std::size_t start = at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return Rational(Integer(std::string(text_.substr(start, at_ - start))));
  }
  /// An exponent: 2, (1/2), (-2/3).
  std::size_t power() {
    const std::size_t base = primary();
    if (!take('^')) return base;
    skip();
    if (!take('(')) return add({.op = FormulaOp::power, .args = {base}, .value = number()});
    const bool negative = take('-');
    Rational exponent = number();
    if (take('/')) exponent /= number();
    need(')');
    return add({.op = FormulaOp::power, .args = {base}, .value = negative ? Rational(-exponent) : exponent});
  }
  std::size_t primary() {
    if (take('(')) {
      const std::size_t r = sum();
      need(')');
      return r;
    }
    skip();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
      return add({.op = FormulaOp::number, .value = number()});
    const std::string name = word();
    if (name.empty()) fail();
    if (name == "sum") return indexed_sum();
    for (const Function& f : functions)
      if (f.name == name) return call(f);
    for (const auto& [line, node] : f_.lines)
      if (line == name) return add({.op = FormulaOp::line, .args = {node}, .name = name});
    FormulaNode input{.op = FormulaOp::input, .name = name};
    if (take('[')) {
      do input.axes += word();
      while (take(','));
      need(']');
    }
    return add(std::move(input));
  }
  std::size_t indexed_sum() {
    need('[');
    const std::string index = word();
    need(']');
    need('(');
    const std::size_t terms = sum();
    need(')');
    return add({.op = FormulaOp::sum, .args = {terms}, .name = index});
  }
  std::size_t call(const Function& f) {
    need('(');
    FormulaNode node{.op = f.op};
    do node.args.push_back(sum());
    while (take(','));
    need(')');
    if (node.args.size() != f.arguments) fail();
    return add(std::move(node));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Formula f_;
};

/// How tightly an operation binds: sums 1, products 2, powers 3, all else 4.
int strength(FormulaOp op) {
  switch (op) {
    case FormulaOp::add:
    case FormulaOp::subtract:
    case FormulaOp::negate:
      return 1;
    case FormulaOp::multiply:
    case FormulaOp::divide:
      return 2;
    case FormulaOp::power:
      return 3;
    default:
      return 4;
  }
}

std::string slip_text(SumSlip slip) {
  switch (slip) {
    case SumSlip::without_first:
      return " without the first term";
    case SumSlip::without_last:
      return " without the last term";
    case SumSlip::first_twice:
      return " with the first term twice";
    case SumSlip::last_twice:
      return " with the last term twice";
    case SumSlip::without_own:
      return " without the row's own term";
    case SumSlip::only_first:
      return ", the first term alone";
    case SumSlip::only_last:
      return ", the last term alone";
    default:
      return "";
  }
}

class FormulaPrinter {
 public:
  explicit FormulaPrinter(const Formula& f) : f_(f) {}

  std::string text(std::size_t node, int outer) const {
    const FormulaNode& n = f_.nodes[node];
    if (n.op == FormulaOp::same) return text(n.args[0], outer);
    std::string r = bare(n);
    if (strength(n.op) < outer) r = "(" + r + ")";
    if (n.held) r = fmt::format("{}{{{} in {}}}", r, n.is_shifted ? "summed" : "kept", n.held->name);
    return r;
  }

 private:
  std::string binary(const FormulaNode& n, const char* sign, int left, int right) const {
    return text(n.args[0], left) + sign + text(n.args[1], right);
  }
  std::string bare(const FormulaNode& n) const {
    switch (n.op) {
      case FormulaOp::input: {
        std::string r = n.name;
        for (std::size_t i = 0; i < n.axes.size(); ++i)
          r += fmt::format("{}{}", i == 0 ? "[" : ",", n.axes[i]);
        return n.axes.empty() ? r : r + "]";
      }
      case FormulaOp::number:
        return is_integer(n.value) ? to_string(n.value) : "(" + to_string(n.value) + ")";
      case FormulaOp::line:
        return n.name;
      case FormulaOp::add:
        return binary(n, " + ", 1, 1);
      case FormulaOp::subtract:
        return binary(n, " - ", 1, 2);
      case FormulaOp::multiply:
        return binary(n, "*", 2, 3);
      case FormulaOp::divide:
        return binary(n, "/", 2, 3);
      case FormulaOp::negate:
        return "-" + text(n.args[0], 2);
      case FormulaOp::power:
        return is_integer(n.value) && n.value >= 0
                   ? fmt::format("{}^{}", text(n.args[0], 4), to_string(n.value))
                   : fmt::format("{}^({})", text(n.args[0], 4), to_string(n.value));
      case FormulaOp::sum:
        return fmt::format("sum[{}{}]({})", n.name, slip_text(n.slip), text(n.args[0], 0));
      case FormulaOp::exp:
      case FormulaOp::log:
        return with_base(n);
      default:
        return call(n);
    }
  }
  std::string with_base(const FormulaNode& n) const {
    const char* name = n.op == FormulaOp::exp ? "exp" : "log";
    const std::string x = text(n.args[0], 0);
    if (n.base == 0) return fmt::format("{}({})", name, x);
    if (n.base > 0) return fmt::format("{}{}({})", name, n.base, x);
    if (n.op == FormulaOp::exp) return fmt::format("exp({}/ln {})", text(n.args[0], 3), -n.base);
    return fmt::format("(ln {}*log({}))", -n.base, x);
  }
  std::string call(const FormulaNode& n) const {
    for (const Function& f : functions) {
      if (f.op != n.op) continue;
      std::string r;
      for (const std::size_t a : n.args) r += (r.empty() ? "" : ", ") + text(a, 0);
      return fmt::format("{}({})", f.name, r);
    }
    return {};
  }
  const Formula& f_;
};

}  // namespace

Formula parse_formula(std::string_view text) { return FormulaParser(text).run(); }

std::string to_string(const Formula& f) {
  const FormulaPrinter printer(f);
  std::string r;
  for (const auto& [name, node] : f.lines) {
    if (!r.empty()) r += "; ";
    if (!name.empty()) r += name + " = ";
    r += printer.text(node, 0);
  }
  if (f.is_interleaved) r += ", query heads dealt to key heads in turn";
  if (f.spread == Formula::Spread::first) r += ", the first row's value for all";
  if (f.spread == Formula::Spread::last) r += ", the last row's value for all";
  return r;
}

}  // namespace critscale
