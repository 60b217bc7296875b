// Formulas of attention questions.
#include <fmt/format.h>

#include <cmath>

#include "critscale/tables/detail/attention_question.hpp"

namespace critscale {

namespace {

/// x: the score of a key, capped and masked; with a softcap u is the tanh.
std::string score_lines(const AttentionQuestion& a) {
  const bool masked = !a.mask.empty();
  if (!a.options.softcap) return masked ? "x = s + mask[i,j]; " : "x = s; ";
  if (!masked) return "u = tanh(s/softcap); x = softcap*u; ";
  if (a.options.softcap_after_bias)
    return "u = tanh((s + mask[i,j])/softcap); "
           "x = instead(softcap*u, softcap*tanh(s/softcap) + mask[i,j]) + hidden[i,j]; ";
  // Capped with the mask in it, a masked key would be seen again.
  return "u = tanh(s/softcap); "
         "x = instead(softcap*u + mask[i,j], softcap*tanh((s + mask[i,j])/softcap)); ";
}

/// e: the exponential of a key that the row sees.
std::string exponential_lines(const AttentionQuestion& a) {
  const AttentionOptions& o = a.options;
  std::string r, e = "exp(x)";
  if (o.causal != Causal::none || o.window)
    r += o.causal == Causal::bottom_right ? "at = row[i] + (keys - queries); "
         : o.causal == Causal::top_left   ? "at = instead(row[i], row[i] + (keys - queries)); "
                                          : "at = row[i]; ";
  if (o.causal != Causal::none) {
    e = fmt::format("first(at + 1, {})", e);
    if (o.softcap) e = fmt::format("instead({}, {} + beyond(at + 1, exp(-softcap)))", e, e);
  }
  if (o.window) e = fmt::format("beyond(at + 1 - window, {})", e);
  return r + fmt::format("e = {}; z = sum[j](e){}; ", e, o.sink ? " + exp(sink)" : "");
}

/// P, D and S: the weights, <dO_i, o_i>, and the gradient of the scores.
std::string gradient_lines(const AttentionQuestion& a) {
  return fmt::format(
      "P = over(e, z); t = sum[c](d_out[g,h,i,c]*v[g,j,c]); D = sum[j](P*t); S = P*(t - D){}; ",
      a.options.softcap ? "*(1 - u^2)" : "");
}

FormulaTensor numbers(std::string axes, const std::vector<double>& x, Bits bits) {
  FormulaTensor r{std::move(axes), {}};
  for (const double v : x)
    r.entries.push_back(std::isinf(v) ? Extended{Outcome::Kind::minus_infinity, Ball()}
                                      : Extended{Outcome::Kind::number, Ball::exactly(v, bits)});
  return r;
}

FormulaTensor single_number(const Rational& v, Bits bits) {
  return {"", {{Outcome::Kind::number, Ball(v, bits)}}};
}

std::vector<std::pair<std::string, Rational>> scalars_of(const AttentionQuestion& a) {
  const auto count = [](std::size_t x) { return Rational(static_cast<unsigned long>(x)); };
  std::vector<std::pair<std::string, Rational>> r{{"keys", count(a.n)},
                                                  {"queries", count(a.m)},
                                                  {"head_dim", count(a.d)},
                                                  {"value_dim", count(a.e)},
                                                  {"model_dim", count(a.d * a.heads)},
                                                  {"heads", count(a.heads)},
                                                  {"key_heads", count(a.key_heads)}};
  const AttentionOptions& o = a.options;
  if (o.scale) r.emplace_back("scale", *o.scale);
  if (o.softcap) r.emplace_back("softcap", *o.softcap);
  if (o.sink) r.emplace_back("sink", *o.sink);
  if (o.window) r.emplace_back("window", count(*o.window));
  return r;
}

}  // namespace

std::string attention_formula(const AttentionQuestion& a) {
  std::string r = a.options.scale ? "f = instead(scale, 1/head_dim^(1/2)); " : "f = 1/head_dim^(1/2); ";
  r += "s = f*sum[d](q[g,h,i,d]*k[g,j,d]); ";
  r += score_lines(a) + exponential_lines(a);
  switch (a.quantity) {
    case AttentionQuantity::output:
      return r + (a.options.sink ? "sum[j](e*v[g,j,c])/z" : "over(sum[j](e*v[g,j,c]), z)");
    case AttentionQuantity::lse:
      return r + "log(z)";
    case AttentionQuantity::dq:
      return r + gradient_lines(a) + "f*sum[j](S*k[g,j,d])";
    case AttentionQuantity::dk:
      return r + gradient_lines(a) + "f*sum[h](sum[i](S*q[g,h,i,d]))";
    case AttentionQuantity::dv:
      return r + "P = over(e, z); sum[h](sum[i](P*d_out[g,h,i,c]))";
    default:
      return r + gradient_lines(a) + "-sum[i](exp(sink)/z*D)";
  }
}

FormulaInputs attention_formula_inputs(const AttentionQuestion& a, Bits bits) {
  FormulaInputs r;
  r.sizes = {{'g', a.key_heads}, {'h', a.group()}, {'i', a.m}, {'j', a.n}, {'d', a.d}, {'c', a.e}};
  r.values["q[ghid]"] = numbers("ghid", a.q, bits);
  r.values["k[gjd]"] = numbers("gjd", a.k, bits);
  r.values["v[gjc]"] = numbers("gjc", a.v, bits);
  if (!a.d_out.empty()) r.values["d_out[ghic]"] = numbers("ghic", a.d_out, bits);
  std::vector<double> row;
  for (std::size_t i = 0; i < a.m; ++i) row.push_back(static_cast<double>(i));
  r.values["row[i]"] = numbers("i", row, bits);
  if (!a.mask.empty()) {
    // Capped after it was added, a mask hides by itself no more: its finite part, and what it hides.
    std::vector<double> added = a.mask, hidden(a.mask.size(), 0.0);
    for (std::size_t at = 0; a.options.softcap_after_bias && at < added.size(); ++at)
      if (std::isinf(added[at])) std::swap(added[at], hidden[at]);
    r.values["mask[ij]"] = numbers("ij", added, bits);
    r.values["hidden[ij]"] = numbers("ij", hidden, bits);
  }
  for (const auto& [name, value] : scalars_of(a)) r.values[name] = single_number(value, bits);
  return r;
}

std::vector<std::string> attention_scalars(const AttentionQuestion& a) {
  std::vector<std::string> r;
  for (const auto& [name, value] : scalars_of(a)) r.push_back(name);
  return r;
}

}  // namespace critscale
