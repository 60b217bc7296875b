// Tail claims on the simplex for Coq: |Q - L| <= C n^-k (ln n)^p by the exact remainders of
// provers/formal/Tails.v, bounded on the box in which their variables lie for all n >= N. Uses
// coq_export.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_export.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

constexpr Bits working_bits = 128;
const std::string ratio = "gamma * (1 - rho)";

/// A variable of a remainder: what it stands for, its range, and how Coq sees that it lies there.
struct Variable {
  std::string name, term;
  std::string lo, hi;
  std::string proof;
};

struct Box {
  Rational lo, hi;
};

class SimplexTail {
 public:
  SimplexTail(const Source& source, const Options& options) : source_(source), options_(options) {
    const nlohmann::json& c = source.claim;
    quantity_ = c.at("quantity").get<std::string>();
    phase_ = c.at("phase").get<std::string>();
    N_ = parse_rational(c.at("N").get<std::string>());
    C_ = parse_rational(c.at("C").get<std::string>()) * options.constant_factor;
    for (const auto& [key, ends] : c.at("box").items())
      box_[key] = {bounded_end(ends.at(0).get<std::string>(), key),
                   bounded_end(ends.at(1).get<std::string>(), key)};
    g_ = box_.at("gamma_ratio");
    log_N_ = log(Ball(N_, working_bits));
    refuse_what_is_not_covered();
  }

  std::string text() const;

 private:
  bool below() const { return phase_ == "subcritical"; }
  bool at() const { return phase_ == "critical"; }
  bool is(const char* quantity) const { return quantity_ == quantity; }
  bool is_eta() const { return is("jacobian_norm"); }
  bool has_output() const { return is_eta() || is("inner_products[0]") || is("angle_ratio"); }

  void refuse_what_is_not_covered() const;
  std::string natural_rate() const { return below() ? "1-" + g() : at() ? "1" : g() + "-1"; }
  static std::string g() { return "gamma*(1-rho)"; }
  Rational least_rate() const {
    return below() ? Rational(1 - g_.hi) : at() ? Rational(1) : Rational(g_.lo - 1);
  }
  std::string rate_term() const { return below() ? "1 - " + ratio : at() ? "1" : ratio + " - 1"; }

  std::string range(const std::string& term, const Box& b) const {
    return b.lo == b.hi ? fmt::format("{} = {}", term, coq::term(b.lo))
                        : fmt::format("{} <= {} <= {}", coq::term(b.lo), term, coq::term(b.hi));
  }
  Variable parameter(const std::string& name) const {
    const Box& b = box_.at(name);
    return {name, name, term(b.lo), term(b.hi), "lra"};
  }
  std::string from() const { return fmt::format("{} n ltac:(lra) HN", term(N_)); }
  Variable inverse_n() const {
    const Rational hi = above(Ball(1, working_bits) / Ball(N_, working_bits));
    return {"u", "(/ INR n)", "0", term(hi), fmt::format("apply (inverse_box {}); lra", from())};
  }
  Variable power(const std::string& name, const std::string& exponent, const Rational& least) const {
    const Rational hi = above(exp(-(Ball(least, working_bits) * log_N_)));
    return {name, fmt::format("(power n ({}))", exponent), "0", term(hi),
            fmt::format("apply (power_box {} {}); [lra|interval]", from(), term(least))};
  }
  Variable residual() const {
    const Ball root = sqrt(Ball(box_.at("q").hi, working_bits));
    const Rational hi = above(Ball(box_.at("alpha").hi, working_bits) * root);
    return {"s", "(alpha * sqrt q)", "0", term(hi), "apply residual_box; [lra|apply sqrt_pos|interval]"};
  }
  Variable size_ratio() const {
    return {"h", "(INR n / INR d)", "0", "1", fmt::format("apply (ratio_box {}); auto", from())};
  }
  Variable logarithmic(const std::string& name, const std::string& term, const Ball& hi,
                       const std::string& lemma) const {
    return {name, term, "0", coq::term(above(hi)),
            fmt::format("apply ({} {}); {}", lemma, from(), "try interval; lra")};
  }

  /// What the remainder is made of: the theorem of Tails.v, its name there, its variables, and along which
  /// of them to bisect.
  struct Remainder {
    std::string lemma;                ///< that Q - L = n^-k * remainder, applied to its arguments
    std::string function;             ///< the remainder, with %s free
    std::vector<std::string> unfold;  ///< definitions
    std::vector<Variable> variables;
    std::vector<std::string> bisect;
    std::string exists;  ///< the range hypothesis of f where the remainder holds a logarithm
  };
  Remainder remainder() const;
  Remainder mass_remainder() const;
  Remainder logarithm_remainder() const;
  Remainder output_remainder() const;
  Remainder eta_remainder() const;

  std::string quantity_term() const;
  std::string scale_term() const;
  std::string claim_scale() const;
  std::string binders() const;
  std::string main_proof(const Remainder& r) const;

  const Source& source_;
  const Options& options_;
  std::string quantity_, phase_;
  Rational N_, C_;
  std::map<std::string, Box> box_;
  Box g_;
  Ball log_N_;
};

void SimplexTail::refuse_what_is_not_covered() const {
  const auto& c = source_.claim;
  const std::string k = c.at("k").get<std::string>();
  const long p = c.at("p").get<long>(), natural_p = is_eta() && at() ? 2 : 0;
  if (N_ < 2) throw InputError("N is below 2");
  if (c.contains("factor")) throw InputError("claims with a factor are not exported");
  if (p != natural_p) throw InputError(fmt::format("p is {}, the Coq library has {}", p, natural_p));
  if (k != natural_rate())
    throw InputError(fmt::format("k is {}, the Coq library has {}", k, natural_rate()));
  if (box_.at("rho").lo <= 0 || box_.at("rho").hi >= 1) throw InputError("rho is not within (0, 1)");
  if (box_.at("q").lo <= 0) throw InputError("q is not positive");
  const bool any_ratio = is("self_weight") || is("band_masses[0]");
  if (below() && !any_ratio && g_.lo <= 0)
    throw InputError("gamma (1-rho) is not positive throughout the box");
}

SimplexTail::Remainder SimplexTail::mass_remainder() const {
  const std::string sign = is("self_weight") == !(phase_ == "supercritical") ? "" : "- ";
  const std::string name = is("self_weight") ? "self_weight" : "other_mass";
  Remainder r;
  if (at()) {
    r.lemma = fmt::format("{}_at d n q rho gamma x", name);
    r.function = sign + "(1 / (2 * (2 - u)))";
    r.variables = {inverse_n()};
  } else if (below()) {
    r.lemma = fmt::format("{}_below d n q rho gamma x", name);
    r.function = sign + "(1 / (v + 1 - u))";
    r.variables = {power("v", rate_term(), least_rate()), inverse_n()};
  } else {
    r.lemma = fmt::format("{}_above d n q rho gamma x", name);
    r.function = sign + "((1 - u) / (1 + v * (1 - u)))";
    r.variables = {power("v", rate_term(), least_rate()), inverse_n()};
  }
  r.bisect = {r.variables[0].name};
  return r;
}

SimplexTail::Remainder SimplexTail::logarithm_remainder() const {
  Remainder r;
  if (at()) {
    r.lemma = "log_partition_at d n q rho gamma x";
    r.function = "- (f / 2)";
    const Rational hi =
        above(Ball(1, working_bits) / (Ball(1, working_bits) - Ball(Rational(1 / (2 * N_)), working_bits)));
    r.variables = {
        {"f", "f", "1", term(hi),
         fmt::format("destruct (inverse_box {} {} ltac:(lra)); split; [lra|]; apply Rle_trans with "
                     "(1 / (1 - / INR n / 2)); [lra|interval]",
                     from(), term(above(Ball(1, working_bits) / Ball(N_, working_bits))))}};
  } else {
    r.lemma = fmt::format("log_partition_{} d n q rho gamma x", below() ? "below" : "above");
    const std::string other = below() ? "e" : "u";
    r.function = fmt::format("(1 - {}) * f", other);
    r.variables = {below() ? power("e", ratio, g_.lo) : inverse_n(),
                   {"f", "f", "0", "1",
                    "split; [|lra]; apply Rle_trans with (2 := proj1 Hf); left; apply Rinv_0_lt_compat, "
                    "Rplus_lt_0_compat; [lra|]; apply Rmult_lt_0_compat; [apply power_pos|]; " +
                        std::string(below() ? "pose proof (power_lt_1 n Hn (gamma * (1 - rho)) ltac:(lra))"
                                            : "pose proof (inverse_range n Hn)") +
                        "; lra"}};
  }
  r.exists = "f";
  return r;
}

SimplexTail::Remainder SimplexTail::output_remainder() const {
  const bool lambda = is("angle_ratio");
  Remainder r;
  const std::string where = below() ? "below" : at() ? "at" : "above";
  r.lemma = fmt::format("{}_{} d n q rho alpha gamma x", lambda ? "angle_ratio" : "inner_product", where);
  const std::string arguments = below() ? "rho s v e u" : at() ? "rho s u" : "rho s v u";
  const std::string inside = fmt::format("lambda_{} {}", where, arguments);
  r.function = lambda ? inside : fmt::format("- ((1 - rho) * {})", inside);
  r.unfold = {"lambda_" + where};
  r.variables = {parameter("rho"), residual()};
  if (!at()) r.variables.push_back(power("v", rate_term(), least_rate()));
  if (below()) r.variables.push_back(power("e", ratio, g_.lo));
  r.variables.push_back(inverse_n());
  r.bisect = {"rho", "s"};
  if (!at()) r.bisect.push_back("v");
  if (below()) r.bisect.push_back("e");
  if (at()) r.bisect.push_back("u");
  return r;
}

SimplexTail::Remainder SimplexTail::eta_remainder() const {
  Remainder r;
  const std::string where = below() ? "below" : at() ? "at" : "above";
  r.lemma = fmt::format("jacobian_norm_{} d n q rho alpha gamma x", where);
  r.unfold = {"eta_" + where, "simplex_T", "simplex_V"};
  r.variables = {parameter("q"), parameter("rho"), parameter("alpha")};
  const Ball one(1, working_bits), N(N_, working_bits);
  if (below()) {
    r.function = "eta_below q (sqrt q) rho alpha v e u z1 z2 h";
    r.variables.insert(r.variables.end(),
                       {power("v", rate_term(), least_rate()), power("e", ratio, g_.lo), inverse_n(),
                        logarithmic("z1", fmt::format("({0} * ln (INR n) * power n ({0}))", ratio), exp(-one),
                                    "log_decay_box"),
                        logarithmic("z2", fmt::format("(({0} * ln (INR n)) ^ 2 * power n ({0}))", ratio),
                                    4 * exp(-(one + one)), "log2_decay_box"),
                        size_ratio()});
    r.bisect = {"v", "e", "q", "rho"};
  } else if (at()) {
    const Rational least_log = coq::below(log_N_);
    r.function = "eta_at q (sqrt q) rho alpha u l h";
    r.variables.insert(
        r.variables.end(),
        {inverse_n(),
         {"l", "(/ ln (INR n))", "0", term(above(one / Ball(least_log, working_bits))),
          fmt::format("apply (inverse_log_box {} {}); [lra|interval|lra]", from(), term(least_log))},
         size_ratio()});
    r.bisect = {"q", "alpha", "rho", "h"};
  } else {
    r.function = "eta_above q (sqrt q) rho alpha g v u z1 z2 h";
    r.variables.insert(r.variables.end(),
                       {{"g", "(" + ratio + ")", term(g_.lo), term(g_.hi), "lra"},
                        power("v", rate_term(), least_rate()),
                        inverse_n(),
                        logarithmic("z1", "(ln (INR n) * / INR n)", log_N_ / N, "log_over_box"),
                        logarithmic("z2", "(ln (INR n) ^ 2 * / INR n)", log_N_ * log_N_ / N, "log2_over_box"),
                        size_ratio()});
    r.bisect = {"v", "g", "q", "rho"};
    if (N_ < 8) throw InputError("N is below 8, where (ln n)^2/n has not begun to fall");
  }
  return r;
}

SimplexTail::Remainder SimplexTail::remainder() const {
  if (is_eta()) return eta_remainder();
  if (has_output()) return output_remainder();
  if (is("log_partition")) return logarithm_remainder();
  if (is("self_weight") || is("band_masses[0]")) return mass_remainder();
  throw InputError(fmt::format("the Coq library has no tail of {}", quantity_));
}

std::string SimplexTail::quantity_term() const {
  const std::string layer = "d n (gamma * ln (INR n))";
  if (is("log_partition")) return fmt::format("ln (partition {} x i)", layer);
  if (is("self_weight")) return fmt::format("weight {} x i i", layer);
  if (is("band_masses[0]")) return fmt::format("mass {} x i (fun j => negb (Nat.eqb j i))", layer);
  if (is("angle_ratio")) return fmt::format("angle_ratio {} alpha x", layer);
  if (is_eta()) return fmt::format("jacobian_norm {} alpha x", layer);
  return fmt::format("output_inner {} alpha x i j", layer);
}

std::string SimplexTail::claim_scale() const {
  const std::string rate = fmt::format("Rpower (INR n) (- ({}))", rate_term());
  return is_eta() && at() ? fmt::format("({} * ln (INR n) ^ 2)", rate) : rate;
}

std::string SimplexTail::scale_term() const {
  if (!at()) return fmt::format("(power n ({}))", rate_term());
  return is_eta() ? "(/ INR n * ln (INR n) ^ 2)" : "(/ INR n)";
}

std::string SimplexTail::binders() const {
  std::string text = fmt::format(
      ":\n  forall (d n : nat) (q rho {}gamma : R) (x : tokens){},\n  {} <= INR n -> {} ->\n  {} -> ",
      has_output() ? "alpha " : "",
      is("inner_products[0]") ? " (i j : nat)"
      : has_output()          ? ""
                              : " (i : nat)",
      term(N_), range("rho", box_.at("rho")), range(ratio, g_));
  if (has_output()) text += range("alpha", box_.at("alpha")) + " -> ";
  text += range("q", box_.at("q")) + " -> simplex d n q rho x ->\n  ";
  if (is("inner_products[0]"))
    text += "(i < n)%nat -> (j < n)%nat -> i <> j ->\n  ";
  else if (is_eta())
    text += "(n <= d)%nat ->\n  ";
  else if (!has_output())
    text += "(i < n)%nat ->\n  ";
  return text + fmt::format("Rabs ({} -\n    ({})) <= {} * {}.", quantity_term(),
                            expression(source_.claim.at("limit").get<std::string>()), term(C_),
                            claim_scale());
}

std::string SimplexTail::main_proof(const Remainder& r) const {
  const std::string tokens = is("inner_products[0]") ? " i j" : has_output() ? "" : " i";
  std::string proof = fmt::format("  intros d n q rho {}gamma x{} HN Br Bg {}Bq HS{}.\n",
                                  has_output() ? "alpha " : "", tokens, has_output() ? "Ba " : "",
                                  is("inner_products[0]") ? " Hi Hj Hij"
                                  : is_eta()              ? " Hd"
                                  : has_output()          ? ""
                                                          : " Hi");
  proof += fmt::format("  pose proof (size_from {}) as Hn.\n  assert (Hg : 0 <= gamma) by nra.\n", from());
  if (is_eta())
    proof +=
        "  assert (Hd0 : (0 < d)%nat) by lia. pose proof (sqrt_lt_R0 q ltac:(lra)) as Hq.\n"
        "  assert (HD : 0 < INR d) by (apply lt_0_INR; auto).\n";
  else if (has_output())
    proof +=
        "  destruct (residual_box alpha (sqrt q) (alpha * sqrt q)) as [Hs _]; [lra|apply sqrt_pos|lra|].\n";
  if (!r.exists.empty())
    proof +=
        fmt::format("  destruct ({} Hn{} ltac:(lra) HS i{} Hi) as (f & Hf & E).\n", r.lemma, " ltac:(lra)",
                    below() ? " ltac:(lra) ltac:(lra)"
                    : at()  ? " ltac:(lra)"
                            : "");
  if (at()) proof += "  rewrite (scale_power_1 n Hn).\n";
  std::string function = r.function;
  std::string arguments, list;
  for (const Variable& v : r.variables) arguments += " " + v.term;
  const std::string bound = identifier(source_.id) + "_remainder";
  proof += fmt::format("  apply (scaled _ {} ({}{})).\n", scale_term(), bound, arguments);
  proof += is_eta() && at()
               ? "  - apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra|apply pow_lt, log_pos; auto].\n"
           : at() ? "  - apply Rinv_0_lt_compat; lra.\n"
                  : "  - apply power_pos.\n";
  if (!r.exists.empty())
    proof += fmt::format("  - unfold {}. rewrite <- E. limit_equal.\n", bound);
  else
    proof += fmt::format("  - unfold {}. etransitivity; [|apply ({}){}; auto; lra].\n    limit_equal.\n",
                         bound, r.lemma,
                         is("inner_products[0]") ? " with (i := i) (j := j)"
                         : has_output()          ? ""
                                                 : " with (i := i)");
  proof += fmt::format("  - apply {}_bound.\n", bound);
  for (const Variable& v : r.variables) proof += fmt::format("    + {}.\n", v.proof);
  return proof;
}

std::string SimplexTail::text() const {
  const Remainder r = remainder();
  const std::string name = identifier(source_.id), remainder_name = name + "_remainder";
  std::string names, ranges, all;
  for (const Variable& v : r.variables) {
    names += " " + v.name;
    ranges += fmt::format("{} <= {} <= {} -> ", v.lo, v.name, v.hi);
    all += fmt::format("i_bisect {}, ", v.name);
  }
  std::string chosen;
  for (const std::string& v : r.bisect) chosen += fmt::format("i_bisect {}, ", v);
  const std::string unfold = r.unfold.empty() ? "" : ", " + fmt::format("{}", fmt::join(r.unfold, ", "));
  const Theorem bound{remainder_name + "_bound",
                      fmt::format("{} :\n  {}\n  Rabs ({}{}) <= {}.", names.substr(1), ranges, remainder_name,
                                  names, term(C_)),
                      fmt::format("  intros. unfold {}{}. cbv zeta.\n"
                                  "  first [ interval with ({}i_depth 40)\n"
                                  "        | interval with ({}i_depth 60)\n"
                                  "        | interval with ({}i_depth 80, i_prec 60) ].\n",
                                  remainder_name, unfold, chosen, all, all),
                      true};
  const Theorem main{name, binders(), main_proof(r), false};
  std::string text =
      file_text(source_, options_, "Sums Layer Simplex Powers Tails Certificate", {bound, main});
  const std::string definition =
      fmt::format("\nDefinition {} ({} : R) : R := {}.\n", remainder_name, names.substr(1), r.function);
  const std::string scope = "Open Scope R_scope.\n";
  text.insert(text.find(scope) + scope.size(), definition);
  return text;
}

}  // namespace

std::string simplex_tail_file(const Source& source, const Options& options) {
  return SimplexTail(source, options).text();
}

}  // namespace critscale::coq
