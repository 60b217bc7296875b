// Class claims for Coq: near-simplex configurations and rows with interval bands, by the bounds of
// provers/formal/ClassCertificates.v. There a quantity of the class is bounded for all n >= N by a function
// of N and a few variables; here `interval` bounds that function on the claim's box. Uses coq_export.hpp.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_export.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

struct Range {
  Rational lo, hi;
};

/// One quantity of near-simplex classes.
struct Quantity {
  const char* exponent;  ///< 1 or 2: the claim speaks of gamma (1 - rho1) or gamma (1 - rho2)
  const char* function;  ///< its bound in ClassCertificates.v
  const char* unfold;    ///< definitions within
  const char*
      arguments;  ///< before rho1, rho2 and the exponent: of N and {S} = alpha sqrt q2, {s} = alpha sqrt q1
  const char* binders;  ///< besides d n rho1 rho2 gamma alpha x
  const char* hypotheses;
  const char* term;
  const char* theorem;  ///< with its arguments after the members of the class
};

const std::map<std::string, Quantity> near_simplex = {
    {"inner_products-rho1",
     {"1", "growth_bound", "self_bound, factor_bound, ", "{S}", " (i j : nat)",
      "(i < n)%nat -> (j < n)%nat ->\n  ", "output_inner d n (gamma * ln (INR n)) alpha x i j - rho1",
      "class_growth"}},
    {"attention_displacement",
     {"2", "displacement_bound", "", "", " (i : nat)", "(i < n)%nat ->\n  ",
      "norm d (fun c => attention d n (gamma * ln (INR n)) x i c - unit_token d x i c)",
      "class_displacement"}},
    {"inner_product_change",
     {"2", "change_bound", "displacement_bound, ", "{s}", " (i j : nat)", "(i < n)%nat -> (j < n)%nat ->\n  ",
      "Rabs (output_inner d n (gamma * ln (INR n)) alpha x i j - gram d x i j)", "class_change"}},
    {"jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)",
     {"1", "vanishing_bound", "self_bound, factor_bound, ", "{q1}", "", "(n <= d)%nat ->\n  ",
      "jacobian_norm d n (gamma * ln (INR n)) 0 x - (gamma * (1 - rho1) * ln (INR n)) ^ 2 / ({q1} * INR d)",
      "class_vanishing"}},
    {"jacobian_norm/(1-1/d)",
     {"2", "kept_bound", "", "{q2}", "", "(2 <= d)%nat ->\n  ",
      "jacobian_norm d n (gamma * ln (INR n)) 0 x / (1 - 1 / INR d)", "class_kept"}}};

std::string replaced(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [name, value] : names)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  return text;
}

std::string within(const std::string& value, const Range& r) {
  return fmt::format("{} <= {} <= {}", term(r.lo), value, term(r.hi));
}

class ClassFile {
 public:
  ClassFile(const Source& source, const Options& options) : source_(source), options_(options) {
    const nlohmann::json& c = source.claim;
    quantity_ = c.at("quantity").get<std::string>();
    at_least_ = c.at("relation").get<std::string>() == ">=";
    N_ = parse_rational(c.at("N").get<std::string>());
    bound_ = parse_rational(c.at("bound").get<std::string>());
    bound_ =
        at_least_ ? Rational(bound_ / options.constant_factor) : Rational(bound_ * options.constant_factor);
    for (const auto& [key, ends] : c.at("class").at("box").items())
      box_[key] = {parse_rational(ends.at(0).get<std::string>()),
                   parse_rational(ends.at(1).get<std::string>())};
    if (N_ < 2) throw InputError("N is below 2");
    if (box_.contains("n/d"))
      throw InputError("class claims with fewer dimensions than tokens are not exported");
    if (c.value("k", "0") != "0" || c.value("p", 0L) != 0)
      throw InputError("class claims with a rate are not exported");
  }

  std::string text() const {
    const std::string name = source_.claim.at("class").at("name").get<std::string>();
    if (name == "near-simplex") return near_simplex_text();
    if (name == "interval-bands") return rows_text();
    throw InputError(fmt::format("the Coq library has no class {}", name));
  }

 private:
  std::string near_simplex_text() const;
  std::string rows_text() const;
  const Range& box(const std::string& key) const {
    const auto found = box_.find(key);
    if (found == box_.end()) throw InputError(fmt::format("the class has no {}", key));
    return found->second;
  }
  std::string relation(const std::string& value) const {
    return at_least_ ? fmt::format("{} <= {}", term(bound_), value)
                     : fmt::format("{} <= {}", value, term(bound_));
  }
  std::string bound_name() const { return identifier(source_.id) + "_bound"; }
  /// The lemma on the function, by `interval` alone.
  Theorem bound_lemma(const std::string& variables, const std::string& ranges, const std::string& value,
                      const std::string& unfold, const std::string& bisect) const {
    return {bound_name(), fmt::format("{} :\n  {}\n  {}.", variables, ranges, relation(value)),
            fmt::format("  intros. unfold {}. cbv zeta.\n"
                        "  first [ timeout 60 (interval with ({}i_depth 30))\n"
                        "        | timeout 240 (interval with ({}i_depth 60, i_prec 60)) ].\n",
                        unfold, bisect, bisect),
            true};
  }

  const Source& source_;
  const Options& options_;
  std::string quantity_;
  bool at_least_ = false;
  Rational N_, bound_;
  std::map<std::string, Range> box_;
};

std::string ClassFile::near_simplex_text() const {
  const auto found = near_simplex.find(quantity_);
  if (found == near_simplex.end())
    throw InputError(fmt::format("the Coq library has no bound of {}", quantity_));
  const Quantity& quantity = found->second;
  const std::string theorem = quantity.theorem;
  const std::string key = fmt::format("gamma*(1-rho{})", quantity.exponent);
  const std::string exponent = fmt::format("gamma * (1 - rho{})", quantity.exponent);
  const Range g = box(key), rho1 = box("rho1"), spread = box("spread"), q = box("q"), alpha = box("alpha");
  const bool below = quantity.exponent[0] == '1', jacobian = quantity_.rfind("jacobian_norm", 0) == 0;
  if (rho1.lo <= 0 || rho1.hi + spread.hi >= 1) throw InputError("rho1 and rho2 are not within (0, 1)");
  if (q.lo <= 0 || alpha.lo < 0 || spread.lo < 0 || g.lo < 0) throw InputError("a range is below its domain");
  if (below ? g.hi > 1 : g.lo < 1) throw InputError(fmt::format("{} is on both sides of 1", key));
  if (jacobian && alpha.hi != 0) throw InputError("the bound of the Jacobian norm is for alpha = 0");
  if (theorem == "class_vanishing" && N_ < 8)
    throw InputError("N is below 8, where (ln n)^2/n has not begun to fall");

  const std::map<std::string, std::string> names = {
      {"{S}", fmt::format("({} * sqrt {})", term(alpha.hi), term(q.hi))},
      {"{s}", fmt::format("({} * sqrt {})", term(alpha.lo), term(q.lo))},
      {"{q1}", term(q.lo)},
      {"{q2}", term(q.hi)}};
  const std::string arguments = replaced(quantity.arguments, names);
  const bool of_rho = theorem != "class_kept";
  const auto function = [&](const std::string& r1, const std::string& r2, const std::string& e) {
    return fmt::format("{} {} {} {}{}", quantity.function, term(N_), arguments,
                       of_rho ? fmt::format("{} {} ", r1, r2) : "", e);
  };
  const std::string unfold = fmt::format("{}, {}decay", quantity.function, quantity.unfold);
  const std::string rho_ranges = within("r1", rho1) + " -> " + within("sp", spread) + " -> ";
  const std::string value = function("r1", "(r1 + sp)", "g");
  std::vector<Theorem> theorems = {
      bound_lemma(of_rho ? "(r1 sp g : R)" : "(g : R)", (of_rho ? rho_ranges : "") + within("g", g) + " ->",
                  value, unfold, of_rho ? "i_bisect r1, i_bisect sp, i_bisect g, " : "i_bisect g, ")};
  const bool of_residual = theorem != "class_displacement";  // the attention itself has none
  const std::string members =
      fmt::format("{} {} {} rho1 rho2 gamma{} d n x ltac:(lra) HN ltac:(lra) ltac:(lra) ltac:(lra) Hg{} HC",
                  term(N_), term(q.lo), term(q.hi),
                  !of_residual ? ""
                  : jacobian   ? " 0"
                               : " alpha",
                  of_residual ? " ltac:(lra)" : "");
  std::string use = fmt::format("apply ({} {}", theorem, members);
  if (theorem == "class_growth") {
    use += fmt::format(" {} i j); [lra| |auto|auto].\n    apply Rmult_le_compat_r; [apply sqrt_pos|lra].\n",
                       replaced("{S}", names));
  } else if (theorem == "class_displacement") {
    use += " i); [lra|auto].\n";
  } else if (theorem == "class_change") {
    const std::string small = identifier(source_.id) + "_small";
    theorems.insert(theorems.begin(),
                    {small,
                     fmt::format("(r1 sp g : R) :\n  {}{} ->\n  displacement_bound {} r1 (r1 + sp) g < 2.",
                                 rho_ranges, within("g", g), term(N_)),
                     "  intros. unfold displacement_bound, decay. cbv zeta.\n"
                     "  interval with (i_bisect r1, i_bisect sp, i_bisect g).\n",
                     true});
    use += fmt::format(
        " {} i j); [lra| | |auto|auto].\n"
        "    + split; [apply Rmult_le_pos; [lra|apply sqrt_pos]|apply Rmult_le_compat_r; [apply "
        "sqrt_pos|lra]].\n"
        "    + replace rho2 with (rho1 + (rho2 - rho1)) at 1 by ring. apply {}; lra.\n",
        replaced("{s}", names), small);
  } else if (theorem == "class_vanishing") {
    use += "); [reflexivity|lra|interval|auto].\n";
  } else {
    use += "); [reflexivity|lra|auto].\n";
  }
  const std::string tokens = std::string(quantity.binders).find("i j") != std::string::npos ? " i j"
                             : *quantity.binders != '\0'                                    ? " i"
                                                                                            : "";
  const std::string positions = tokens == " i j" ? " Hi Hj" : tokens == " i" ? " Hi" : " Hd";
  const bool residual = !jacobian;
  std::string statement = fmt::format(
      ":\n  forall (d n : nat) (rho1 rho2 gamma {}: R) (x : tokens){},\n  {} <= INR n -> {} ->\n  {} -> {} "
      "->{}\n  "
      "near_simplex d n {} {} rho1 rho2 x ->\n  {}{}.",
      residual ? "alpha " : "", quantity.binders, term(N_), within("rho1", rho1),
      within("rho2 - rho1", spread), within(exponent, g),
      residual ? " " + within("alpha", alpha) + " ->" : "", term(q.lo), term(q.hi), quantity.hypotheses,
      relation(replaced(quantity.term, names)));
  const std::string by_bound =
      fmt::format("  - {}apply {}; lra.\n",
                  of_rho ? "replace rho2 with (rho1 + (rho2 - rho1)) at 1 by ring. " : "", bound_name());
  const std::string by_theorem = "  - " + use;
  std::string proof = fmt::format(
      "  intros d n rho1 rho2 gamma {}x{} HN B1 B2 Bg {}HC{}.\n"
      "  assert (Hg : 0 <= gamma) by nra.\n  apply Rle_trans with ({}).\n{}{}",
      residual ? "alpha " : "", tokens, residual ? "Ba " : "", positions,
      function("rho1", "rho2", "(" + exponent + ")"), at_least_ ? by_bound : by_theorem,
      at_least_ ? by_theorem : by_bound);
  theorems.push_back({identifier(source_.id), statement, proof, false});
  return file_text(source_, options_, "Sums Layer ClassCertificates", theorems);
}

/// A phase of a row: the dominating band, its two gaps, and its bound.
struct Phase {
  const char* quantity;
  const char* value;
  const char* first;
  const char* second;
  const char* function;
  const char* theorem;
};

const std::map<std::string, Phase> phases = {
    {"far",
     {"far_mass", "mass d n (gamma * ln (INR n)) x i (fun j => (negb (near j) && negb (Nat.eqb j i))%bool)",
      "1 - theta - gamma * (u_near - l_far)", "1 - gamma * (1 - l_far)", "row_far_bound",
      "certified_far_mass"}},
    {"near",
     {"near_mass", "mass d n (gamma * ln (INR n)) x i near", "gamma * (l_near - u_far) - (1 - theta)",
      "theta - gamma * (1 - l_near)", "row_near_bound", "certified_near_mass"}},
    {"self",
     {"self_weight", "weight d n (gamma * ln (INR n)) x i i", "gamma * (1 - u_near) - theta",
      "gamma * (1 - u_far) - 1", "row_self_bound", "certified_self_weight"}}};

std::string ClassFile::rows_text() const {
  const auto found = phases.find(source_.claim.at("class").at("phase").get<std::string>());
  if (found == phases.end() || found->second.quantity != quantity_ || !at_least_)
    throw InputError(fmt::format("the Coq library has no bound of {}", quantity_));
  const Phase& phase = found->second;
  const Range theta = box("theta"), gap = box("gap");
  if (theta.lo <= 0 || theta.hi >= 1) throw InputError("theta is not within (0, 1)");
  if (gap.lo < 0) throw InputError("a gap is negative");
  const bool of_theta = found->first != "self";
  const auto function = [&](const std::string& t, const std::string& k1, const std::string& k2) {
    return fmt::format("{} {} {}{} {}", phase.function, term(N_), of_theta ? t + " " : "", k1, k2);
  };
  const std::string ranges =
      (of_theta ? within("t", theta) + " -> " : "") + within("k1", gap) + " -> " + within("k2", gap) + " ->";
  const Theorem bound =
      bound_lemma(of_theta ? "(t k1 k2 : R)" : "(k1 k2 : R)", ranges, function("t", "k1", "k2"),
                  std::string(phase.function) + ", decay",
                  of_theta ? "i_bisect t, i_bisect k1, i_bisect k2, " : "i_bisect k1, i_bisect k2, ");
  const Theorem main{
      identifier(source_.id),
      fmt::format(
          ":\n  forall (d n K i : nat) (near : nat -> bool) (theta gamma l_near u_near l_far u_far : R) (x : "
          "tokens),\n  {} <= INR n -> {} -> 0 <= gamma -> INR K = Rpower (INR n) theta ->\n  {} ->\n  {} ->\n"
          "  row_bands d n K i near l_near u_near l_far u_far x ->\n  {}.",
          term(N_), within("theta", theta), within(phase.first, gap), within(phase.second, gap),
          relation(phase.value)),
      fmt::format("  intros d n K i near theta gamma l_near u_near l_far u_far x HN Bt Hg HK G1 G2 HR.\n"
                  "  apply Rle_trans with ({}).\n  - apply {}; lra.\n"
                  "  - apply ({} {} theta gamma l_near u_near l_far u_far d n K i near x); auto; lra.\n",
                  function("theta", fmt::format("({})", phase.first), fmt::format("({})", phase.second)),
                  bound_name(), phase.theorem, term(N_)),
      false};
  return file_text(source_, options_, "Sums Layer ClassCertificates", {bound, main});
}

}  // namespace

std::string class_file(const Source& source, const Options& options) {
  return ClassFile(source, options).text();
}

}  // namespace critscale::coq
