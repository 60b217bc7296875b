// Class claims on near-simplex configurations for Coq, by the bounds of provers/formal/ClassCertificates.v.
// There a quantity of the class is bounded for all n >= N by a function of N and a few variables; here
// `interval` bounds that function on the claim's box. Uses coq_class.hpp.
#include "critscale/proof/detail/coq_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

constexpr Bits class_bits = 128;

/// One quantity of near-simplex classes. In its texts {N}, {q1}, {q2} are the claim's numbers, {s} and {S}
/// the least and largest alpha sqrt q, {g} the least exponent; {r1}, {sp}, {e}, {a} are variables of the
/// lemma or rho1, rho2 - rho1, the exponent and alpha sqrt q2.
struct Quantity {
  const char *name, *rate;
  const char* exponent;   ///< 1 or 2: the claim speaks of gamma (1 - rho1) or gamma (1 - rho2)
  const char* variables;  ///< of the lemma
  const char* function;   ///< what bounds the quantity, or with a rate its size over n^-rate
  const char* unfold;     ///< definitions within
  const char* binders;    ///< besides d n rho1 rho2 gamma alpha x
  const char* hypotheses;
  const char* term;
  const char* theorem;  ///< of ClassCertificates.v
  const char* extra;    ///< its arguments after those of the class, {M}
  const char* use;      ///< how the hypotheses that are left are proved
};

constexpr const char *no_rate = "0", *pair = " (i j : nat)",
                     *pair_hypotheses = "(i < n)%nat -> (j < n)%nat ->\n  ", *first_token = " (i : nat)",
                     *first_hypothesis = "(i < n)%nat ->\n  ",
                     *displaced =
                         "norm d (fun c => attention d n (gamma * ln (INR n)) x i c - unit_token d x i c)",
                     *changed = "Rabs (output_inner d n (gamma * ln (INR n)) alpha x i j - gram d x i j)",
                     *least_residual =
                         "[lra|split; [apply Rmult_le_pos; [lra|apply sqrt_pos]|apply Rmult_le_compat_r; "
                         "[apply sqrt_pos|lra]]|auto|auto]";

constexpr std::array near_simplex_quantities = {
    Quantity{"inner_products-rho1", no_rate, "1", "r1 sp e", "growth_bound {N} {S} {r1} ({r1} + {sp}) {e}",
             "growth_bound, self_bound, factor_bound, decay", pair, pair_hypotheses,
             "output_inner d n (gamma * ln (INR n)) alpha x i j - rho1", "class_growth", "{S} i j",
             "[lra|apply Rmult_le_compat_r; [apply sqrt_pos|lra]|auto|auto]"},
    Quantity{
        "inner_products-rho1/(1-kappa)", "1-gamma*(1-rho1)", "1", "r1 sp a",
        "growth_rate_bound {a} {r1} {sp}", "growth_rate_bound", pair, pair_hypotheses,
        "output_inner d n (gamma * ln (INR n)) alpha x i j - rho1 / (1 - (1 - rho2) * (2 * (alpha * sqrt "
        "{q2}) + 1) / (1 + alpha * sqrt {q2}) ^ 2)",
        "class_growth_rate", "i j", "[auto|auto]"},
    Quantity{"attention_displacement", no_rate, "2", "r1 sp", "displacement_bound {N} {r1} {sp} {g}",
             "displacement_bound, decay", first_token, first_hypothesis, displaced, "class_displacement",
             "{g} i", "[lra|auto]"},
    Quantity{"attention_displacement", "gamma*(1-rho2)-1", "2", "r1 sp", "displacement_rate_bound {r1} {sp}",
             "displacement_rate_bound", first_token, first_hypothesis, displaced, "class_displacement_rate",
             "i", "[lra|auto]"},
    Quantity{"inner_product_change", no_rate, "2", "r1 sp", "change_bound {N} {s} {r1} {sp} {g}",
             "change_bound, decay", pair, pair_hypotheses, changed, "class_change", "{s} {g} i j",
             least_residual},
    Quantity{"inner_product_change", "gamma*(1-rho2)-1", "2", "r1 sp v u",
             "change_rate_bound {s} {r1} {sp} {v} {u}", "change_rate_bound", pair, pair_hypotheses, changed,
             "class_change_rate", "{s} i j", least_residual},
    Quantity{"jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", no_rate, "1", "r1 sp e",
             "vanishing_bound {N} {q1} {r1} ({r1} + {sp}) {e}",
             "vanishing_bound, self_bound, factor_bound, decay", "", "(n <= d)%nat ->\n  ",
             "jacobian_norm d n (gamma * ln (INR n)) 0 x - (gamma * (1 - rho1) * ln (INR n)) ^ 2 / ({q1} * "
             "INR d)",
             "class_vanishing", "", "[reflexivity|lra|interval|auto]"},
    Quantity{"jacobian_norm/(1-1/d)", no_rate, "2", "", "kept_bound {N} {q2} {g}", "kept_bound, decay", "",
             "(2 <= d)%nat ->\n  ", "jacobian_norm d n (gamma * ln (INR n)) 0 x / (1 - 1 / INR d)",
             "class_kept", "{g}", "[reflexivity|lra|auto]"},
    Quantity{"jacobian_norm/(1-1/d)-1/q2", "gamma*(1-rho2)-1", "2", "", "2 / {q2}", "", "",
             "(2 <= d)%nat ->\n  ", "jacobian_norm d n (gamma * ln (INR n)) 0 x / (1 - 1 / INR d) - 1 / {q2}",
             "class_kept_rate", "", "[reflexivity|lra|auto]"}};

const Quantity& near_simplex_quantity(const ClassSource& claim) {
  bool known = false;
  for (const Quantity& q : near_simplex_quantities) {
    if (claim.quantity != q.name) continue;
    if (claim.rate == q.rate) return q;
    known = true;
  }
  throw InputError(
      known ? fmt::format("the Coq library has no bound of {} with k = {}", claim.quantity, claim.rate)
            : fmt::format("the Coq library has no bound of {}", claim.quantity));
}

class NearSimplexFile {
 public:
  explicit NearSimplexFile(const ClassSource& claim)
      : claim_(claim),
        what_(near_simplex_quantity(claim)),
        rho1_(claim.box("rho1")),
        spread_(claim.box("spread")),
        g_(claim.box(fmt::format("gamma*(1-rho{})", what_.exponent))),
        alpha_(claim.box("alpha")),
        q_(claim.box("q")) {
    const bool below = what_.exponent[0] == '1';
    if (rho1_.lo <= 0 || rho1_.hi + spread_.hi >= 1) throw InputError("rho1 and rho2 are not within (0, 1)");
    if (q_.lo <= 0 || alpha_.lo < 0 || spread_.lo < 0 || g_.lo < 0)
      throw InputError("a range is below its domain");
    if (below ? g_.hi > 1 : g_.lo < 1)
      throw InputError(fmt::format("gamma*(1-rho{}) is on both sides of 1", what_.exponent));
    if (is_jacobian() && alpha_.hi != 0) throw InputError("the bound of the Jacobian norm is for alpha = 0");
    if (std::string(what_.theorem) == "class_vanishing" && claim.N < 8)
      throw InputError("N is below 8, where (ln n)^2/n has not begun to fall");
    exponent_ = fmt::format("gamma * (1 - rho{})", what_.exponent);
  }

  std::string text() const {
    return file_text(claim_.source, claim_.options, "Sums Layer Powers ClassCertificates",
                     {lemma(), {identifier(claim_.source.id), statement(), proof(), false}});
  }

 private:
  bool is_jacobian() const { return claim_.quantity.starts_with("jacobian_norm"); }
  bool has_rate() const { return claim_.rate != no_rate; }
  bool has(char variable) const { return std::string(what_.variables).find(variable) != std::string::npos; }
  bool has_rho() const { return has('r'); }

  std::map<std::string, std::string> numbers() const {
    return {{"{N}", term(claim_.N)},
            {"{S}", fmt::format("({} * sqrt {})", term(alpha_.hi), term(q_.hi))},
            {"{s}", fmt::format("({} * sqrt {})", term(alpha_.lo), term(q_.lo))},
            {"{q1}", term(q_.lo)},
            {"{q2}", term(q_.hi)},
            {"{g}", term(g_.lo)}};
  }
  std::string filled(const char* text) const { return replaced(text, numbers()); }
  std::string at_variables() const {
    return replaced(filled(what_.function),
                    {{"{r1}", "r1"}, {"{sp}", "sp"}, {"{e}", "e"}, {"{a}", "a"}, {"{v}", "v"}, {"{u}", "u"}});
  }
  std::string at_configuration() const {
    return replaced(filled(what_.function), {{"({r1} + {sp})", "rho2"},
                                             {"{r1}", "rho1"},
                                             {"{sp}", "(rho2 - rho1)"},
                                             {"{e}", "(" + exponent_ + ")"},
                                             {"{a}", fmt::format("(alpha * sqrt {})", term(q_.hi))},
                                             {"{v}", fmt::format("(power n ({} - 1))", exponent_)},
                                             {"{u}", "(/ INR n)"}});
  }

  Rational largest_residual() const {
    return above(Ball(alpha_.hi, class_bits) * sqrt(Ball(q_.hi, class_bits)));
  }
  Rational largest_power() const {
    return above(exp(-(Ball(Rational(g_.lo - 1), class_bits) * log(Ball(claim_.N, class_bits)))));
  }

  Theorem lemma() const {
    std::string ranges;
    if (has_rho()) ranges += within("r1", rho1_) + " -> " + within("sp", spread_) + " -> ";
    if (has('e')) ranges += within("e", g_) + " -> ";
    if (has('a')) ranges += within("a", {0, largest_residual()}) + " -> ";
    if (has('v')) ranges += within("v", {0, largest_power()}) + " -> ";
    if (has('u'))
      ranges += within("u", {0, above(Ball(1, class_bits) / Ball(claim_.N, class_bits))}) + " -> ";
    return claim_.bound_lemma(what_.variables, ranges, at_variables(), what_.unfold);
  }

  std::string statement() const {
    return fmt::format(
        ":\n  forall (d n : nat) (rho1 rho2 gamma {}: R) (x : tokens){},\n  {} <= INR n -> {} ->\n  {} -> {} "
        "->{}\n  near_simplex d n {} {} rho1 rho2 x ->\n  {}{}.",
        is_jacobian() ? "" : "alpha ", what_.binders, term(claim_.N), within("rho1", rho1_),
        within("rho2 - rho1", spread_), within(exponent_, g_),
        is_jacobian() ? "" : " " + within("alpha", alpha_) + " ->", term(q_.lo), term(q_.hi),
        what_.hypotheses,
        claim_.relation(filled(what_.term),
                        what_.exponent[0] == '1' ? "1 - " + exponent_ : exponent_ + " - 1"));
  }

  /// The lemma, applied to the configuration.
  std::string by_lemma() const {
    std::string text;
    if (std::string(what_.function).find("({r1} + {sp})") != std::string::npos)
      text = "replace rho2 with (rho1 + (rho2 - rho1)) at 1 by ring. ";
    text += fmt::format("apply {}; try lra", claim_.bound_name());
    if (has('a'))
      text += ".\n    split; [apply Rmult_le_pos; [lra|apply sqrt_pos]|]. apply Rle_trans with (" +
              fmt::format("{} * sqrt {}); [apply Rmult_le_compat_r; [apply sqrt_pos|lra]|interval]",
                          term(alpha_.hi), term(q_.hi));
    if (has('v'))
      text += fmt::format(
          ".\n    + split; [left; apply power_pos|]. apply Rle_trans with (exp (- ({0} - 1) * ln {1})); "
          "[|interval].\n      apply Rle_trans with (power n ({0} - 1)); [apply (power_falls n "
          "(size_at_least_2 {1} n "
          "ltac:(lra) HN)); lra|apply power_from; lra].\n"
          "    + split; [left; apply Rinv_0_lt_compat; lra|]. apply Rle_trans with (/ {1}); [apply "
          "Rinv_le_contravar; lra|lra]",
          term(g_.lo), term(claim_.N));
    return text + ".\n";
  }
  /// The theorem of the library, applied to the configuration.
  std::string by_theorem() const {
    const std::string theorem = what_.theorem;
    const bool of_residual = !theorem.starts_with("class_displacement");  // the attention itself has none
    const std::string members =
        fmt::format("{} {} {} rho1 rho2 gamma{} d n x ltac:(lra) HN ltac:(lra) ltac:(lra) ltac:(lra) Hg{} HC",
                    term(claim_.N), term(q_.lo), term(q_.hi),
                    !of_residual    ? ""
                    : is_jacobian() ? " 0"
                                    : " alpha",
                    of_residual ? " ltac:(lra)" : "");
    return fmt::format("apply ({} {} {}); {}.\n", theorem, members, filled(what_.extra), what_.use);
  }

  std::string proof() const {
    const std::string tokens = what_.binders == pair ? " i j" : what_.binders == first_token ? " i" : "";
    const std::string positions = what_.binders == pair ? " Hi Hj" : tokens == " i" ? " Hi" : " Hd";
    std::string text = fmt::format(
        "  intros d n rho1 rho2 gamma {}x{} HN B1 B2 Bg {}HC{}.\n  assert (Hg : 0 <= gamma) by nra.\n",
        is_jacobian() ? "" : "alpha ", tokens, is_jacobian() ? "" : "Ba ", positions);
    if (!has_rate()) {
      text += fmt::format("  apply Rle_trans with ({}).\n", at_configuration());
      return text + (claim_.at_least ? "  - " + by_lemma() + "  - " + by_theorem()
                                     : "  - " + by_theorem() + "  - " + by_lemma());
    }
    text += fmt::format("  rewrite <- power_Rpower. apply (rate_{} ({})).\n",
                        claim_.at_least ? "at_least" : "at_most", at_configuration());
    text += "  - left. apply power_pos.\n  - " + by_theorem();
    if (claim_.at_least)
      return text + fmt::format("  - apply Rle_trans with {}; [|lra]. ", term(Rational(-claim_.bound))) +
             by_lemma();
    return text + "  - " + by_lemma();
  }

  const ClassSource& claim_;
  const Quantity& what_;
  ClassRange rho1_, spread_, g_, alpha_, q_;
  std::string exponent_;
};

}  // namespace

std::string within(const std::string& value, const ClassRange& r) {
  return fmt::format("{} <= {} <= {}", term(r.lo), value, term(r.hi));
}

std::string replaced(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [name, value] : names)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  return text;
}

ClassSource::ClassSource(const Source& claim_source, const Options& given)
    : source(claim_source), options(given) {
  const nlohmann::json& c = source.claim;
  quantity = c.at("quantity").get<std::string>();
  rate = c.value("k", no_rate);
  at_least = c.at("relation").get<std::string>() == ">=";
  N = parse_rational(c.at("N").get<std::string>());
  bound = parse_rational(c.at("bound").get<std::string>());
  // A bound from below is weaker where it is smaller.
  const bool divide = at_least && bound > 0;
  bound = divide ? Rational(bound / options.constant_factor) : Rational(bound * options.constant_factor);
  for (const auto& [key, ends] : c.at("class").at("box").items())
    box_[key] = {bounded_end(ends.at(0).get<std::string>(), key),
                 bounded_end(ends.at(1).get<std::string>(), key)};
  if (N < 2) throw InputError("N is below 2");
  if (box_.contains("n/d"))
    throw InputError("class claims with fewer dimensions than tokens are not exported");
  if (c.value("p", 0L) != 0) throw InputError("class claims with a power of ln n are not exported");
}

const ClassRange& ClassSource::box(const std::string& key) const {
  const auto found = box_.find(key);
  if (found == box_.end()) throw InputError(fmt::format("the class has no {}", key));
  return found->second;
}

std::string ClassSource::relation(const std::string& value, const std::string& exponent) const {
  const std::string size =
      rate == no_rate ? term(bound) : fmt::format("{} * Rpower (INR n) (- ({}))", term(bound), exponent);
  return at_least ? fmt::format("{} <= {}", size, value) : fmt::format("{} <= {}", value, size);
}

std::string ClassSource::bound_name() const { return identifier(source.id) + "_bound"; }

Theorem ClassSource::bound_lemma(const std::string& variables, const std::string& ranges,
                                 const std::string& value, const std::string& unfold) const {
  std::string bisect;
  for (std::size_t at = 0; at < variables.size();) {
    const std::size_t end = std::min(variables.find(' ', at), variables.size());
    bisect += fmt::format("i_bisect {}, ", variables.substr(at, end - at));
    at = end + 1;
  }
  const bool size = rate != no_rate && at_least;
  const std::string claim = size || !at_least
                                ? fmt::format("{} <= {}", value, term(size ? Rational(-bound) : bound))
                                : fmt::format("{} <= {}", term(bound), value);
  const std::string before =
      unfold.empty() ? "  intros.\n" : fmt::format("  intros. unfold {}. cbv zeta.\n", unfold);
  return {bound_name(),
          fmt::format("{}:\n  {}{}.", variables.empty() ? "" : fmt::format("({} : R) ", variables),
                      ranges.empty() ? "" : ranges + "\n  ", claim),
          before + fmt::format("  first [ interval with ({}i_depth 40)\n"
                               "        | interval with ({}i_depth 80, i_prec 60) ].\n",
                               bisect, bisect),
          true};
}

std::string class_file(const Source& source, const Options& options) {
  const ClassSource claim(source, options);
  const std::string name = source.claim.at("class").at("name").get<std::string>();
  if (name == "near-simplex") return NearSimplexFile(claim).text();
  if (name == "interval-bands") return row_class_file(claim);
  throw InputError(fmt::format("the Coq library has no class {}", name));
}

}  // namespace critscale::coq
