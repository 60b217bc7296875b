// Reading expressions by recursive descent. Uses expression.hpp.
#include "critscale/text/detail/expression.hpp"

#include <fmt/format.h>

#include <cctype>

#include "critscale/number/detail/roots.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Expression& out) : text_(text), out_(out) {}

  void run() {
    if (text_.size() > 10000) fail("at most 10000 characters");
    sum();
    skip();
    if (at_ != text_.size()) fail("the end of the expression");
  }

 private:
  using Kind = Expression::Kind;

  void sum() {
    if (++depth_ > 200) fail("nesting of at most 200 levels");
    product();
    for (;;) {
      if (take('+')) {
        product();
        emit(Kind::add);
      } else if (take('-')) {
        product();
        emit(Kind::subtract);
      } else {
        break;
      }
    }
    --depth_;
  }
  void product() {
    factor();
    for (;;) {
      if (take('*')) {
        factor();
        emit(Kind::multiply);
      } else if (take('/')) {
        factor();
        emit(Kind::divide);
      } else {
        return;
      }
    }
  }
  void factor() {
    if (take('-')) {
      if (++depth_ > 200) fail("nesting of at most 200 levels");
      factor();
      --depth_;
      emit(Kind::negate);
      return;
    }
    atom();
    if (take('^')) {
      skip();
      const std::string_view digits = run_of([](unsigned char c) { return std::isdigit(c) != 0; });
      if (digits.empty() || digits.size() > 2 || digits == "0") fail("an exponent from 1 to 99");
      out_.steps_.push_back({Kind::power, {}, {}, std::stol(std::string(digits))});
    }
  }
  void atom() {
    skip();
    if (take('(')) {
      sum();
      if (!take(')')) fail("')'");
      return;
    }
    const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; };
    const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (const std::string_view digits = run_of(is_digit); !digits.empty()) {
      out_.steps_.push_back({Kind::number, parse_rational(digits), {}, 0});
      return;
    }
    const std::string name(run_of(is_letter));
    if (name.empty()) fail("a number, a name or '('");
    if (take('(')) {
      sum();
      if (!take(')')) fail("')'");
      out_.steps_.push_back({Kind::call, {}, name, 0});
    } else {
      out_.steps_.push_back({Kind::name, {}, name, 0});
    }
  }

  template <class Accept>
  std::string_view run_of(Accept accept) {
    const std::size_t start = at_;
    while (at_ < text_.size() && accept(static_cast<unsigned char>(text_[at_]))) ++at_;
    return text_.substr(start, at_ - start);
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
  void emit(Kind kind) { out_.steps_.push_back({kind, {}, {}, 0}); }
  [[noreturn]] void fail(std::string_view expected) const {
    throw InputError(
        fmt::format("expression {}: expected {} at position {}", in_quotes(text_), expected, at_));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression& out_;
};

Expression::Expression(std::string_view text) { ExpressionParser(text, *this).run(); }

Rational Expression::evaluate_exactly(const std::function<Rational(const std::string&)>& name) const {
  // A division by zero surfaces as an exception of the number type.
  try {
    return evaluate<Rational>([](const Rational& v) { return v; }, name,
                              [](const std::string& f, const Rational& x) {
                                if (f != "sqrt")
                                  throw InputError(fmt::format("unknown function {}", in_quotes(f)));
                                return exact_sqrt(x);
                              });
  } catch (const std::overflow_error&) {
    throw InputError("division by zero in an expression");
  }
}

}  // namespace critscale
