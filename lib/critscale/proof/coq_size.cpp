// Uses coq_size.hpp.
#include "critscale/proof/detail/coq_size.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {

namespace {

/// Exponents of this many digits are written out.
constexpr std::size_t most_digits = 40;

Integer power_of(const Integer& base, const Integer& exponent) {
  if (exponent > 1000)
    throw InputError(fmt::format("the exponent {}^{} is too large", base.str(), exponent.str()));
  Integer result = 1;
  for (Integer k = 0; k < exponent; ++k) result *= base;
  return result;
}

Integer whole(const std::string& text) {
  const Rational value = parse_rational(text);
  if (denominator(value) != 1) throw InputError(fmt::format("the size {} has no form in Coq", text));
  return numerator(value);
}

}  // namespace

SizeTerm size_term(const std::string& text) {
  const std::size_t hat = text.find('^');
  if (hat == std::string::npos) return {term(parse_rational(text)), "lra"};
  const std::string base = term(parse_rational(text.substr(0, hat)));
  std::string exponent = text.substr(hat + 1);
  if (exponent.front() != '(') return {fmt::format("{} ^ {}", base, exponent), "interval"};
  exponent = exponent.substr(1, exponent.size() - 2);
  const std::size_t second = exponent.find('^');
  if (second == std::string::npos) throw InputError(fmt::format("the size {} has no form in Coq", text));
  exponent =
      fmt::format("({} ^ {})", term(parse_rational(exponent.substr(0, second))), exponent.substr(second + 1));
  return {fmt::format("Rpower {} {}", base, exponent), "apply power_at_least; lra"};
}

PowerSize power_size(const std::string& text, const Integer& base) {
  const std::size_t hat = text.find('^');
  if (hat == std::string::npos) {
    const Integer b = base == 0 ? Integer(10) : base;
    Integer rest = whole(text), exponent = 0;
    if (b < 2 || rest < 1) throw InputError(fmt::format("the size {} is no power of {}", text, b.str()));
    for (; rest % b == 0; rest /= b) ++exponent;
    if (rest != 1) throw InputError(fmt::format("the size {} is no power of {}", text, b.str()));
    return {b, exponent};
  }
  const Integer b = whole(text.substr(0, hat));
  if (base != 0 && b != base)
    throw InputError(fmt::format("the size {} is no power of {}", text, base.str()));
  std::string exponent = text.substr(hat + 1);
  if (exponent.front() == '(') exponent = exponent.substr(1, exponent.size() - 2);
  const std::size_t second = exponent.find('^');
  const Integer e = second == std::string::npos
                        ? whole(exponent)
                        : power_of(whole(exponent.substr(0, second)), whole(exponent.substr(second + 1)));
  if (b < 2 || e < 1 || e.str().size() > most_digits)
    throw InputError(fmt::format("the size {} has no form in Coq", text));
  return {b, e};
}

std::string insert_size(const SizeTerm& n) {
  if (n.value.starts_with("Rpower"))
    return "  unfold Rdiv, Rpower. rewrite ?(inverse_of_power n _ _ HN), ?(log_of_power n _ _ HN).\n";
  return "  rewrite ?HN. unfold Rpower.\n";
}

const char* const point_strategies =
    "  small_powers.\n"
    "  first [ interval with (i_prec 160) | interval with (i_prec 320)\n"
    "        | interval with (i_prec 700) ].\n";

std::string text_member(const nlohmann::json& object, const char* key) {
  if (!object.contains(key)) throw InputError(fmt::format("the claim has no {}", key));
  return object.at(key).get<std::string>();
}

}  // namespace critscale::coq
