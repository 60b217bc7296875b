// Exact arithmetic expressions as text, such as "rho*(1+alpha)^2/(alpha^2+rho)": how certificates
// write limits. Uses exact.hpp, parse.hpp and errors.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/number/errors.hpp"
#include "critscale/number/exact.hpp"

namespace critscale {

/// A parsed expression: numbers (DECIMAL of parse.hpp), names, + - * /, ^ with a small positive
/// integer, parentheses, and functions of one argument. Kept in postfix order.
class Expression {
 public:
  /// Spaces mean nothing. Throws InputError, in one line, for what the grammar does not allow and
  /// for text of more than 10000 characters or nesting deeper than 200.
  explicit Expression(std::string_view text);

  /// The value, given how numbers, names and function calls become values of type T.
  template <class T>
  T evaluate(const std::function<T(const Rational&)>& number,
             const std::function<T(const std::string&)>& name,
             const std::function<T(const std::string&, const T&)>& call) const {
    std::vector<T> stack;
    for (const Step& step : steps_) {
      switch (step.kind) {
        case Kind::number:
          stack.push_back(number(step.value));
          break;
        case Kind::name:
          stack.push_back(name(step.text));
          break;
        case Kind::call:
          stack.back() = call(step.text, stack.back());
          break;
        case Kind::negate:
          stack.back() = -stack.back();
          break;
        case Kind::power: {
          T product = stack.back();
          for (long i = 1; i < step.exponent; ++i) product = T(product * stack.back());
          stack.back() = std::move(product);
          break;
        }
        default: {
          const T b = std::move(stack.back());
          stack.pop_back();
          T& a = stack.back();
          if (step.kind == Kind::add) a = T(a + b);
          if (step.kind == Kind::subtract) a = T(a - b);
          if (step.kind == Kind::multiply) a = T(a * b);
          if (step.kind == Kind::divide) a = T(a / b);
        }
      }
    }
    return stack.back();
  }

  /// The value over the fractions, with sqrt of perfect squares as the only function. Throws
  /// InputError for other roots and functions, and for division by zero.
  Rational evaluate_exactly(const std::function<Rational(const std::string&)>& name) const;

 private:
  enum class Kind { number, name, call, negate, power, add, subtract, multiply, divide };
  struct Step {
    Kind kind;
    Rational value;
    std::string text;
    long exponent = 0;
  };
  friend class ExpressionParser;
  std::vector<Step> steps_;
};

}  // namespace critscale
