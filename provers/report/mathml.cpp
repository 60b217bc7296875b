// A recursive reader: sums of products of powers of names, numbers, functions and brackets. Uses mathml.hpp.
#include "report/mathml.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "report/html.hpp"

namespace critscale::cli::html {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> greek{{{"rho", "ρ"},
                                                                               {"gamma", "γ"},
                                                                               {"alpha", "α"},
                                                                               {"beta", "β"},
                                                                               {"theta", "θ"},
                                                                               {"kappa", "κ"},
                                                                               {"delta", "δ"},
                                                                               {"infinity", "∞"},
                                                                               {"eta", "η"},
                                                                               {"lambda", "λ"}}};

std::string letter(std::string_view name) {
  for (const auto& [word, symbol] : greek)
    if (name == word) return identifier(symbol);
  if (name.size() == 1) return identifier(name);
  return fmt::format("<mi mathvariant=\"normal\">{}</mi>", escape(name));
}

/// The symbol of a quantity of the layer; nothing for other names.
std::optional<std::string> quantity(std::string_view name) {
  const std::string a = identifier("A"), y = "<msup><mi>y</mi><mo>′</mo></msup>";
  const std::string i = identifier("i"), j = identifier("j");
  if (name == "log_partition") return row(identifier("ln") + subscripted(identifier("Z"), i));
  if (name == "self_weight") return subscripted(a, row(i + i));
  if (name == "band_weights") return subscripted(a, row(i + j));
  if (name == "band_masses") return identifier("M");
  if (name == "inner_products")
    return row(operation("⟨") + subscripted(y, i) + operation(",") + subscripted(y, j) + operation("⟩"));
  if (name == "output_norm2")
    return row(operation("|") + subscripted("<msup><mi>x</mi><mo>′</mo></msup>", i) +
               raised(operation("|"), "<mn>2</mn>"));
  if (name == "angle_ratio") return identifier("λ");
  if (name == "jacobian_norm") return identifier("η");
  if (name == "participation") return identifier("P");
  if (name == "entropy") return identifier("H");
  if (name == "far_mass" || name == "near_mass")
    return subscripted(identifier("M"), fmt::format("<mtext>{}</mtext>", name.substr(0, name.find('_'))));
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  /// Nothing for a text that is no expression.
  std::optional<std::string> all() {
    auto r = sum();
    if (!rest_.empty() || failed_) return std::nullopt;
    return r;
  }

 private:
  bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool take(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string fail() {
    failed_ = true;
    return {};
  }

  std::string sum() {
    if (++depth_ > 100) return fail();
    std::string r = take('-') ? operation("−") + product() : product();
    while (!failed_ && (at('+') || at('-'))) {
      r += operation(take('+') ? "+" : (take('-'), "−"));
      r += product();
    }
    --depth_;
    return r;
  }

  std::string product() {
    std::string r = power();
    while (!failed_ && (at('*') || at('/'))) {
      if (take('*')) {
        const bool digit = !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0;
        r += operation(digit ? "·" : "\u2062") + power();
      } else {
        take('/');
        r = fmt::format("<mfrac>{}{}</mfrac>", row(unbracketed(r)), row(unbracketed(power())));
      }
    }
    return r;
  }

  /// A fraction needs no brackets above and below.
  static std::string unbracketed(const std::string& r) {
    constexpr std::string_view open = "<mrow data-b=\"1\"><mo stretchy=\"false\">(</mo>",
                               close = "<mo stretchy=\"false\">)</mo></mrow>";
    if (r.starts_with(open) && r.ends_with(close) && r.find(open, 1) == std::string::npos)
      return r.substr(open.size(), r.size() - open.size() - close.size());
    return r;
  }

  std::string power() {
    std::string base = atom();
    if (failed_ || !take('^')) return base;
    std::string exponent = take('-') ? operation("−") + atom() : atom();
    return raised(row(base), row(unbracketed(exponent)));
  }

  std::string atom() {
    if (take('(')) {
      const std::string inside = sum();
      return take(')') ? "<mrow data-b=\"1\"><mo stretchy=\"false\">(</mo>" + inside +
                             "<mo stretchy=\"false\">)</mo></mrow>"
                       : fail();
    }
    std::size_t end = 0;
    while (end < rest_.size() &&
           (std::isdigit(static_cast<unsigned char>(rest_[end])) != 0 || rest_[end] == '.'))
      ++end;
    if (end > 0) return fmt::format("<mn>{}</mn>", taken(end));
    while (end < rest_.size() &&
           (std::isalpha(static_cast<unsigned char>(rest_[end])) != 0 || rest_[end] == '_'))
      ++end;
    if (end == 0) return fail();
    return named(std::string(taken(end)));
  }

  std::string named(const std::string& name) {
    if (take('(')) return function(name);
    std::string index;
    if (take('[')) {
      while (!rest_.empty() && !at(']')) index += taken(1);
      if (!take(']')) return fail();
    } else {
      while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0)
        index += taken(1);
    }
    const auto whole = quantity(name + index);
    if (whole && !index.empty()) return *whole;
    const auto symbol = quantity(name);
    const std::string base = symbol ? *symbol : letter(name);
    if (index.empty()) return base;
    return subscripted(base, fmt::format("<mn>{}</mn>", escape(index)));
  }

  std::string function(const std::string& name) {
    std::string inside = sum();
    while (!failed_ && take(',')) inside += operation(",") + sum();
    if (!take(')')) return fail();
    if (name == "sqrt") return fmt::format("<msqrt>{}</msqrt>", row(inside));
    const std::string shown = name == "log" ? "ln" : name;
    if (shown == "ln" && inside == identifier("n"))
      return row(identifier("ln") + operation("\u2061") + inside);
    return row(fmt::format("<mi>{}</mi>", escape(shown)) + operation("\u2061") + operation("(") + inside +
               operation(")"));
  }

  std::string_view taken(std::size_t count) {
    const std::string_view r = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return r;
  }

  std::string_view rest_;
  bool failed_ = false;
  int depth_ = 0;
};

}  // namespace

std::string identifier(std::string_view text) { return fmt::format("<mi>{}</mi>", text); }
std::string operation(std::string_view text) {
  // Brackets and bars as tall as the letters: around fractions they would be taller than the line.
  const bool bracket = text.size() == 1 && std::string_view("()[]|").find(text) != std::string_view::npos;
  return fmt::format("<mo{}>{}</mo>", bracket ? " stretchy=\"false\"" : "", text);
}
std::string subscripted(const std::string& base, const std::string& index) {
  return fmt::format("<msub>{}{}</msub>", base, index);
}
std::string raised(const std::string& base, const std::string& exponent) {
  return fmt::format("<msup>{}{}</msup>", base, exponent);
}
std::string row(const std::string& inside) { return fmt::format("<mrow>{}</mrow>", inside); }

std::string mathml(std::string_view expression) {
  std::string compact;
  for (const char c : expression)
    if (c != ' ') compact += c;
  if (auto r = Reader(compact).all()) return row(*r);
  return fmt::format("<mtext>{}</mtext>", escape(expression));
}

std::string bracketed(std::string_view expression) {
  int depth = 0;
  for (const char c : expression) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (depth == 0 && (c == '+' || c == '-'))
      return row(operation("(") + mathml(expression) + operation(")"));
  }
  return mathml(expression);
}

std::string formula(const std::string& inside, bool apart) {
  return fmt::format("<math{}>{}</math>", apart ? " display=\"block\"" : "", inside);
}

}  // namespace critscale::cli::html
