// Expressions of claims and limits as MathML. Uses html.hpp (in the .cpp only).
#pragma once

#include <string>
#include <string_view>

namespace critscale::cli::html {

/// An expression such as "rho*(1+alpha*sqrt(q))^2/(1-gamma*(1-rho))" as MathML; a text that is none stands as
/// it is. The result goes inside `formula`.
std::string mathml(std::string_view expression);

/// The same in brackets where it is a sum, so that it can stand after a minus.
std::string bracketed(std::string_view expression);

/// A whole formula, set apart or in the line.
std::string formula(const std::string& inside, bool apart = false);

/// "x", "=", "2": an identifier, an operator, a number.
std::string identifier(std::string_view text);
std::string operation(std::string_view text);
std::string subscripted(const std::string& base, const std::string& index);
std::string raised(const std::string& base, const std::string& exponent);
/// Several things next to each other as one.
std::string row(const std::string& inside);

}  // namespace critscale::cli::html
