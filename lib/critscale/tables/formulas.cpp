// Formulas of questions.
#include "critscale/tables/formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "critscale/tables/detail/attention_question.hpp"
#include "critscale/tables/detail/row_errors.hpp"
#include "critscale/tables/detail/schedule_questions.hpp"
#include "critscale/tables/detail/score_rows.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

/// Attention with more products of numbers than this has no formula: its slips would be sought for too long.
constexpr double most_work = 1 << 18;

std::string row_formula(const Question& q) {
  std::string r = q.find("d") ? "s = scores[j]/d^(1/2); " : "s = scores[j]; ";
  const std::string_view exponent = q.find("softcap") ? "c" : "s";
  // The cap comes before the mask: a masked key stays masked.
  if (q.find("softcap")) r += "c = softcap*tanh(s/softcap) + mask[j]; ";
  r += q.find("visible") ? fmt::format("e = first(visible, exp({})); ", exponent)
                         : fmt::format("e = exp({}); ", exponent);
  // With a sink no row is divided by 0.
  return r + (q.find("sink") ? "sum[j](e*values[j,c])/(sum[j](e) + exp(sink))"
                             : "over(sum[j](e*values[j,c]), sum[j](e))");
}

constexpr std::string_view layer_formula =
    "r = sum[c](tokens[i,c]^2)^(1/2); k = sum[c](tokens[j,c]^2)^(1/2); "
    "e = exp(beta*sum[c](tokens[i,c]*tokens[j,c])/(r*k)); "
    "alpha*tokens[i,c] + sum[j](e*(tokens[j,c]/k))/sum[j](e)";

/// |grad X'|_F^2/(n d) of [jacobian], every block of the Jacobian written out over its rows c and columns b:
/// the residual, the key's own direction, and what the scores change through the query and through the key.
constexpr std::string_view jacobian_formula =
    "r = sum[c](tokens[i,c]^2)^(1/2); k = sum[c](tokens[j,c]^2)^(1/2); "
    "w = tokens[i,b]/r; y = tokens[j,c]/k; z = tokens[j,b]/k; "
    "s = sum[c](tokens[i,c]*tokens[j,c])/(r*k); e = exp(beta*s); p = e/sum[j](e); "
    "m = sum[j](p*y); v = sum[j](p*y*z) - m*sum[j](p*z); "
    "g = unit[i,j]*(alpha*unit[c,b] + beta*(v - sum[b](v*w)*w)/r) + "
    "p*(unit[c,b] - y*z)/k + beta*p*(y - m)*(w - s*z)/k; "
    "sum[i](sum[j](sum[c](sum[b](g^2))))/(keys*columns)";

/// 1 where two indices over the same things are equal.
FormulaTensor unit(std::size_t n, const std::string& axes, Bits bits) {
  FormulaTensor r{axes, {}};
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      r.entries.push_back({Outcome::Kind::number, Ball(a == b ? 1 : 0, bits)});
  return r;
}

FormulaTensor scalar(const Rational& v, Bits bits) { return {"", {{Outcome::Kind::number, Ball(v, bits)}}}; }

FormulaTensor list(const std::vector<Score>& scores, Bits bits) {
  FormulaTensor r{"j", {}};
  for (const Score& s : scores)
    r.entries.push_back(s ? Extended{Outcome::Kind::number, Ball(*s, bits)}
                          : Extended{Outcome::Kind::minus_infinity, Ball()});
  return r;
}

FormulaTensor matrix(const std::vector<std::vector<Rational>>& rows, const std::string& axes, Bits bits) {
  FormulaTensor r{axes, {}};
  for (const auto& row : rows)
    for (const Rational& v : row) r.entries.push_back({Outcome::Kind::number, Ball(v, bits)});
  return r;
}

void add_schedule(FormulaInputs& r, const Question& q, Bits bits) {
  const Schedule s = schedule_of(q);
  for (const auto& [key, value] : schedule_inputs(s)) r.values[key] = scalar(value, bits);
  if (q.find("n"))
    r.values["n"] = {"", {{Outcome::Kind::number, Lift<Ball>(bits)(parse_context_length(q.at("n")))}}};
}

/// Value and error of a scalar formula, step by step.
struct Running {
  double value = 0, error = 0;
};

class RunningError {
 public:
  RunningError(const Formula& f, const FormulaInputs& in, const Arithmetic& a) : f_(f), in_(in), u_(a) {}

  Running of(std::size_t node) const {
    const FormulaNode& n = f_.nodes[node];
    switch (n.op) {
      case FormulaOp::input:
        return input(in_.values.at(n.name).entries[0].number);
      case FormulaOp::number:
        return {static_cast<double>(n.value), 0};
      case FormulaOp::line:
      case FormulaOp::prefer:
        return of(n.args[0]);
      default:
        return n.args.size() == 2 ? binary(n.op, of(n.args[0]), of(n.args[1])) : unary(n, of(n.args[0]));
    }
  }

 private:
  /// A constant that no binary format holds, such as 1/10, is rounded once.
  Running input(const Ball& x) const {
    const double v = midpoint(x);
    return {v, arb_is_exact(x.raw()) != 0 ? 0 : u_.elementwise * std::abs(v)};
  }
  static double midpoint(const Ball& x) { return arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR); }
  Running rounded(double value, double error) const { return with(u_.elementwise, value, error); }
  /// The result of an elementary function.
  Running function(double value, double error) const { return with(u_.function, value, error); }
  static Running with(double u, double value, double error) {
    return {value, error + u * (std::abs(value) + error)};
  }
  Running binary(FormulaOp op, const Running& a, const Running& b) const {
    switch (op) {
      case FormulaOp::add:
        return rounded(a.value + b.value, a.error + b.error);
      case FormulaOp::subtract:
        return rounded(a.value - b.value, a.error + b.error);
      case FormulaOp::multiply:
        return rounded(a.value * b.value,
                       std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error);
      case FormulaOp::divide: {
        const double least = std::max(std::abs(b.value) - b.error, 1e-300), value = a.value / b.value;
        return rounded(value, (a.error + std::abs(value) * b.error) / least);
      }
      case FormulaOp::max:
        return {std::max(a.value, b.value), std::max(a.error, b.error)};
      default:
        throw Error("a schedule's formula has no such operation");
    }
  }
  Running unary(const FormulaNode& n, const Running& a) const {
    const double size = std::abs(a.value), least = std::max(size - a.error, 1e-300);
    switch (n.op) {
      case FormulaOp::negate:
        return {-a.value, a.error};
      case FormulaOp::log:
        return function(std::log(a.value), a.error / least);
      case FormulaOp::exp:
        return function(std::exp(a.value), std::exp(a.value) * std::expm1(a.error));
      case FormulaOp::floor:
        // Positions and steps are integers that the format holds: the quotient's floor is exact.
        return {std::floor(a.value), 0};
      case FormulaOp::power: {
        const auto k = static_cast<double>(n.value);
        const double value = std::pow(a.value, k);
        return function(value, std::abs(k * value) * a.error / least * (1 + a.error / least));
      }
      default:
        throw Error("a schedule's formula has no such operation");
    }
  }
  const Formula& f_;
  const FormulaInputs& in_;
  RoundingUnits u_;
};

}  // namespace

std::optional<std::string> formula_text(const Question& q) {
  if (q.op == "softmax") return "e = exp(logits[j]); e/sum[j](e)";
  if (q.op == "logsumexp") return "log(sum[j](exp(logits[j])))";
  if (q.op == "entropy") return "e = exp(logits[j]); p = e/sum[j](e); -sum[j](xlogx(p))";
  if (q.op == "attention_row") return row_formula(q);
  if (q.op == "attention") {
    const AttentionQuestion a = attention_of(q);
    return a.work() > most_work ? std::nullopt : std::optional(attention_formula(a));
  }
  if (q.op == "layer" && q.find("tokens")) return std::string(layer_formula);
  if (q.op == "jacobian_norm" && q.find("tokens")) return std::string(jacobian_formula);
  if (q.op == "schedule") return schedule_formula_text(q);
  return std::nullopt;
}

FormulaInputs formula_inputs(const Question& q, Bits bits) {
  if (q.op == "attention") return attention_formula_inputs(attention_of(q), bits);
  FormulaInputs r;
  const auto single = [&](std::string_view key, const Rational& otherwise) {
    r.values[std::string(key)] = scalar(q.find(key) ? number_of(q, key) : otherwise, bits);
  };
  if (q.op == "schedule") {
    add_schedule(r, q, bits);
    for (const auto& [key, text] : q.inputs)
      if (key != "schedule" && key != "n" && !r.values.contains(key)) single(key, 0);
    return r;
  }
  std::size_t keys = 0, columns = 0;
  if (q.op == "layer" || q.op == "jacobian_norm") {
    const auto tokens = matrix_of(q, "tokens");
    keys = tokens.size();
    columns = tokens[0].size();
    r.values["tokens[ic]"] = matrix(tokens, "ic", bits);
    r.values["tokens[jc]"] = matrix(tokens, "jc", bits);
    single("beta", 1);
    single("alpha", 0);
    r.sizes['i'] = keys;
    if (q.op == "jacobian_norm") {
      r.values["tokens[ib]"] = matrix(tokens, "ib", bits);
      r.values["tokens[jb]"] = matrix(tokens, "jb", bits);
      r.values["unit[ij]"] = unit(keys, "ij", bits);
      r.values["unit[cb]"] = unit(columns, "cb", bits);
      r.sizes['b'] = columns;
    }
  } else if (q.op == "attention_row") {
    const auto scores = scores_of(q, "scores");
    const auto values = matrix_of(q, "values");
    keys = scores.size();
    columns = values[0].size();
    visible_keys(q, keys);
    r.values["scores[j]"] = list(scores, bits);
    if (q.find("softcap")) {
      FormulaTensor mask = r.values["scores[j]"];
      for (Extended& x : mask.entries)
        if (x.kind == Outcome::Kind::number) x.number = Ball(0, bits);
      r.values["mask[j]"] = std::move(mask);
      for (Extended& x : r.values["scores[j]"].entries)
        if (x.kind != Outcome::Kind::number) x = {Outcome::Kind::number, Ball(0, bits)};
    }
    r.values["values[jc]"] = matrix(values, "jc", bits);
    for (const std::string_view key : {"d", "softcap", "sink", "visible"})
      if (q.find(key)) single(key, 0);
  } else {
    const auto logits = scores_of(q, "logits");
    keys = logits.size();
    r.values["logits[j]"] = list(logits, bits);
  }
  r.sizes['j'] = keys;
  r.values["keys"] = scalar(Rational(static_cast<long>(keys)), bits);
  if (columns > 0) {
    r.sizes['c'] = columns;
    r.values["columns"] = scalar(Rational(static_cast<long>(columns)), bits);
  }
  return r;
}

Allowance schedule_allowance(const Question& q, const Arithmetic& arithmetic) {
  const Formula f = parse_formula(*formula_text(q));
  const Running r = RunningError(f, formula_inputs(q, 128), arithmetic).of(f.result());
  const double u = unit_roundoff(*arithmetic.format);
  const double error =
      (r.error + u * (std::abs(r.value) + r.error) + underflow_error(*arithmetic.format)) * (1 + 1e-9);
  return {{error, error}, {error, error}};
}

}  // namespace critscale
