// Tail claims on the masses, inner products and angle ratio of three bands at the two boundaries for Coq, by
// the tails of provers/formal/BandTails.v: two bands have equal weight, gamma is a number, and the distance
// from the limit over n^-k is a function of L = ln n and the residual. Uses coq_export.hpp and coq_size.hpp.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_export.hpp"
#include "critscale/proof/detail/coq_size.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

struct TieQuantity {
  const char *name, *term, *tail, *theorem;
  enum Kind { mass, output, jacobian } kind;  ///< all but masses change with the residual
  const char* tokens;                         ///< beside i, and what is asked of them
  const char* positions;
  const char* hypotheses;  ///< their names
};

constexpr long tie_bits = 128;

constexpr TieQuantity tie_quantities[] = {
    {"self_weight", "weight d n (gamma * ln (INR n)) x i i", "tail_self", "self_weight_tail",
     TieQuantity::mass, " i", "(i < n)%nat -> ", " Hi"},
    {"band_masses[0]",
     "mass d n (gamma * ln (INR n)) x i (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool)",
     "tail_near", "near_mass_tail", TieQuantity::mass, " i", "(i < n)%nat -> ", " Hi"},
    {"band_masses[1]", "mass d n (gamma * ln (INR n)) x i (fun j => negb (Nat.eqb (i / K) (j / K)))",
     "tail_far", "far_mass_tail", TieQuantity::mass, " i", "(i < n)%nat -> ", " Hi"},
    {"inner_products[0]", "output_inner d n (gamma * ln (INR n)) alpha x i j", "tail_inner_near",
     "inner_near_tail", TieQuantity::output, " i j",
     "(i < n)%nat -> (j < n)%nat -> i <> j -> (i / K = j / K)%nat -> ", " Hi Hj Hij Hc"},
    {"inner_products[1]", "output_inner d n (gamma * ln (INR n)) alpha x i j", "tail_inner_far",
     "inner_far_tail", TieQuantity::output, " i j", "(i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat -> ",
     " Hi Hj Hc"},
    {"angle_ratio", "angle_ratio d n (gamma * ln (INR n)) alpha x", "tail_angle_ratio", "angle_ratio_tail",
     TieQuantity::output, "", "", ""},
    {"jacobian_norm", "jacobian_norm d n (gamma * ln (INR n)) alpha x", "tail_jacobian", "jacobian_tail",
     TieQuantity::jacobian, "", "(n <= d)%nat -> ", " Hnd"}};

const TieQuantity& tie_quantity(const std::string& name) {
  for (const TieQuantity& q : tie_quantities)
    if (name == q.name) return q;
  throw InputError(fmt::format("the Coq library has no tail of {} at a boundary", name));
}

Rational point_of(const nlohmann::json& claim, const char* key) {
  const auto& ends = claim.at("box").at(key);
  const Rational lo = bounded_end(ends.at(0).get<std::string>(), key),
                 hi = bounded_end(ends.at(1).get<std::string>(), key);
  if (lo != hi) throw InputError(fmt::format("at a boundary {} has to be a number", key));
  return lo;
}

struct TieRange {
  Rational lo, hi;
  std::string around(const std::string& name) const {
    return fmt::format("{} <= {} <= {}", term(lo), name, term(hi));
  }
};

struct TieClaim {
  const TieQuantity& what;
  bool near_self;
  Rational theta, r, rho, gamma, gap, N, k, C;
  TieRange alpha, q;
  std::string limit;

  bool output() const { return what.kind == TieQuantity::output; }
  bool jacobian() const { return what.kind == TieQuantity::jacobian; }
  bool residual() const { return what.kind != TieQuantity::mass; }
  /// n^-exponent over n^-k, as a tail.
  std::string vanishing(const Rational& exponent, const std::string& L) const {
    return fmt::format("(vanishing (exp (- ({} * {}))) (exp (- ({} * {}))))", term(exponent), L,
                       term(Rational(exponent - k)), L);
  }
  /// The weights of the token and the two bands over the largest, 1/K and K/n.
  std::string tails(const std::string& L) const {
    const std::string one = "(constant 1)", third = vanishing(gap, L);
    return fmt::format("{} {} {} {} {}", near_self ? one : third, one, near_self ? third : one,
                       vanishing(theta, L), vanishing(Rational(1 - theta), L));
  }
  /// The tail's arguments: the residual and the setting where it has them.
  std::string arguments(const std::string& setting) const {
    return output() ? fmt::format("{} {} (alpha * sqrt q) {}", term(r), term(rho), setting) : setting;
  }
  std::string layer() const {
    return fmt::format("{} {} {} {} {}", term(r), term(rho), term(theta), term(gamma),
                       residual() ? "alpha " + exponent() : exponent());
  }
  /// The exponent of the largest weight.
  std::string exponent() const { return term(near_self ? Rational(0) : gap); }
};

TieClaim read_tie_claim(const nlohmann::json& claim, const Options& options) {
  const auto range = [&](const char* key) {
    const auto& ends = claim.at("box").at(key);
    return TieRange{bounded_end(ends.at(0).get<std::string>(), key),
                    bounded_end(ends.at(1).get<std::string>(), key)};
  };
  TieClaim c{tie_quantity(text_member(claim, "quantity")),
             text_member(claim, "phase") == "near-self",
             point_of(claim, "theta"),
             point_of(claim, "r"),
             point_of(claim, "rho"),
             0,
             0,
             parse_rational(text_member(claim, "N")),
             parse_rational(text_member(claim, "k")),
             parse_rational(text_member(claim, "C")) * options.constant_factor,
             range("alpha"),
             range("q"),
             expression(text_member(claim, "limit"))};
  if (!(0 < c.theta && c.theta < 1 && 0 < c.rho && c.rho < c.r && c.r < 1))
    throw InputError("theta, r or rho is out of range");
  c.gamma = c.near_self ? Rational(c.theta / (1 - c.r)) : Rational((1 - c.theta) / (c.r - c.rho));
  c.gap = c.near_self ? Rational(c.gamma * (c.r - c.rho) - (1 - c.theta))
                      : Rational(c.theta - c.gamma * (1 - c.r));
  const TieRange gaps = range("gap");
  if (c.gap < gaps.lo || c.gap > gaps.hi) throw InputError("the third band's gap is outside of its range");
  if (c.N < 2) throw InputError("N is below 2");
  if (claim.at("p").get<long>() != 0 || c.k <= 0) throw InputError("the rate is no power of n");
  if (c.q.lo <= 0 || c.alpha.lo < 0) throw InputError("alpha is negative or q is not positive");
  return c;
}

const char* const mass_terms =
    "tail_self tail_near tail_far tail_total over times plus rest constant vanishing value limit distance";
const char* const output_terms =
    "tail_inner_near tail_inner_far tail_angle_ratio share near_apart near_together far_apart far_together "
    "tail_own tail_cluster U_rho W_rho less square setting_of A_ B_ M_ H_ H1_ F_ G_ ";

std::string reduced(const TieClaim& c) {
  return fmt::format("lazy beta iota zeta delta [{}{}]", c.output() ? output_terms : "", mass_terms);
}

Theorem tie_bound(const TieClaim& c, const std::string& name) {
  const std::string setting = c.output() ? fmt::format("(setting_of {})", c.tails("L")) : c.tails("L");
  std::string halved = "i_bisect L";
  if (c.residual() && c.alpha.lo < c.alpha.hi) halved += ", i_bisect alpha";
  if (c.residual() && c.q.lo < c.q.hi) halved += ", i_bisect q";
  return {
      name,
      fmt::format("({} : R) :\n  ln {} <= L ->{}\n  Rabs (distance ({} {})) <= {}.",
                  c.residual() ? "L alpha q" : "L", term(c.N),
                  c.residual() ? fmt::format(" {} -> {} ->", c.alpha.around("alpha"), c.q.around("q")) : "",
                  c.what.tail, c.arguments(setting), term(c.C)),
      fmt::format("  intros. {}.\n  interval with ({}, i_depth 40).\n", reduced(c), halved), true};
}

/// From E : Q - limit = n^-k distance, by the bound.
std::string tie_end(const TieClaim& c, const std::string& bound_name) {
  return fmt::format("{}  apply {}; auto. apply Powers.ln_le; lra.\n",
                     c.jacobian()
                         ? ""
                         : "  rewrite HL in E. rewrite <- power_Rpower. apply (tail_bound _ _ _ _ _ E); "
                           "[left; apply power_pos|].\n",
                     bound_name);
}

/// The known weights of the layer, as what `apply` leaves open.
const char* const tie_weights =
    "auto; try lra;\n      try (first [apply known_constant | apply known_vanishing; unfold power; rewrite "
    "<- "
    "exp_plus; f_equal; field]).\n"
    "    all: try (unfold constant, vanishing; cbn [value]; first [transitivity (exp (0 * ln (INR n))); "
    "[symmetry; exact Z|f_equal; field] | f_equal; field]).\n";

std::string mass_proof(const TieClaim& c) {
  const std::string tail = fmt::format("{} {}", c.what.tail, c.tails("(ln (INR n))"));
  std::string value = c.what.term;
  value.replace(value.find("gamma"), 5, term(c.gamma));
  return fmt::format(
      "  assert (E : {0} - limit ({1}) = power n {2} * distance ({1})).\n"
      "  {{ apply ({3} d n K q {4} (power n {2}) x {5}); {6}    all: {7}; lra. }}\n"
      "  match goal with |- Rabs (_ - ?l) <= _ => assert (HL : limit ({1}) = l) end.\n"
      "  {{ {7}; field. }}\n",
      value, tail, term(c.k), c.what.theorem, c.layer(), c.tails("(ln (INR n))"), tie_weights, reduced(c));
}

/// (ln N)^j N^-(1-k), from above: what (ln n)^j n^-(1-k) is at most.
std::string log_power_at_most(const TieClaim& c, int j) {
  const Ball log_N = log(Ball(c.N, tie_bits));
  if (c.k >= 1 || (log_N * Ball(Rational(1 - c.k), tie_bits)).lower().to_rational() < j)
    throw InputError("N is too small for the Coq library's bound of (ln n)^2/n");
  const Ball decay = exp(-(Ball(Rational(1 - c.k), tie_bits) * log_N));
  return term(above(j == 1 ? Ball(log_N * decay) : Ball(log_N * log_N * decay)));
}

/// z = n/d, w = 1 - 1/d, and l1, l2 for (ln n)^j n^-(1-k).
std::string jacobian_tail_term(const TieClaim& c, const std::string& L, const std::string& w) {
  return fmt::format("(tail_jacobian {0} {1} alpha q {2} {3} ({4} * (z * l1)) ({4} ^ 2 * (z * l2)))",
                     term(c.r), term(c.rho), c.tails(L), w, term(c.gamma));
}

Theorem jacobian_tie_bound(const TieClaim& c, const std::string& name) {
  std::string halved = "i_bisect L";
  if (c.alpha.lo < c.alpha.hi) halved += ", i_bisect alpha";
  if (c.q.lo < c.q.hi) halved += ", i_bisect q";
  return {
      name,
      fmt::format("(L z w l1 l2 alpha q : R) :\n  ln {0} <= L -> 0 <= z <= 1 -> 1 - / {0} <= w <= 1 -> 0 <= "
                  "l1 <= {1} -> 0 <= l2 <= {2} ->\n  {3} -> {4} ->\n  Rabs {5} <= {6}.",
                  term(c.N), log_power_at_most(c, 1), log_power_at_most(c, 2), c.alpha.around("alpha"),
                  c.q.around("q"), jacobian_tail_term(c, "L", "w"), term(c.C)),
      fmt::format(
          "  intros. lazy beta iota zeta delta [tail_jacobian eta_distance {}].\n  name_eta. interval "
          "with ({}, i_depth 40).\n",
          mass_terms, halved),
      true};
}

std::string jacobian_tie_proof(const TieClaim& c) {
  const std::string L = "(ln (INR n))", rest = term(Rational(1 - c.k)),
                    self = fmt::format("limit (tail_self {})", c.tails(L));
  return fmt::format(
      "  destruct (dimension_share n d Hn Hnd) as (z & Bz & Ez & Bw). specialize (Bw {0} ltac:(lra) HN).\n"
      "  set (l1 := ln (INR n) ^ 1 * power n {1}). set (l2 := ln (INR n) ^ 2 * power n {1}).\n"
      "  assert (B1 : 0 <= l1 <= {2}) by (apply (log_power_from {0}); [lra|exact HN|simpl INR; "
      "interval|interval]).\n"
      "  assert (B2 : 0 <= l2 <= {3}) by (apply (log_power_from {0}); [lra|exact HN|simpl INR; "
      "interval|interval]).\n"
      "  assert (S : power n 1 = power n {4} * power n {1}) by (rewrite <- power_plus; f_equal; field).\n"
      "  assert (E : jacobian_norm d n ({5} * ln (INR n)) alpha x\n"
      "    - (alpha ^ 2 + ({6} ^ 2 / q + 2 * alpha / sqrt q * {6}) * (1 - / INR d))\n"
      "    = power n {4} * {7}).\n"
      "  {{ apply (jacobian_tail d n K q {8} (power n {4}) x); try lia; try reflexivity; {9}"
      "    1: lazy beta iota zeta delta [{10}]; lra.\n"
      "    all: unfold Rdiv at 1; rewrite Ez, S; unfold l1, l2; ring. }}\n"
      "  match goal with |- Rabs (_ - ?l) <= _ => match type of E with _ - ?m = _ => replace l with m end "
      "end.\n"
      "  2:{{ lazy beta iota zeta delta [{10}]. pose proof (sqrt_lt_R0 q ltac:(lra)) as Q. clear - Bq Q.\n"
      "    unfold Rdiv. generalize dependent (sqrt q). generalize (/ INR d). intros. field. lra. }}\n"
      "  rewrite <- power_Rpower. apply (tail_bound _ _ _ _ _ E); [left; apply power_pos|].\n",
      term(c.N), rest, log_power_at_most(c, 1), log_power_at_most(c, 2), term(c.k), term(c.gamma), self,
      jacobian_tail_term(c, L, "(1 - / INR d)"), c.layer(), tie_weights, mass_terms);
}

std::string output_proof(const TieClaim& c) {
  const bool angle = std::string(c.what.tokens).empty();
  return fmt::format(
      "  set (m := setting_of {0}).\n"
      "  assert (A : actual n {1} {2} {3} {4} {5} (power n {6}) m).\n"
      "  {{ apply (setting_actual d n K q {1} {2} {3} {4} {5} (power n {6}) x); {7}    all: lazy beta iota "
      "zeta delta [{8}]; lra. }}\n"
      "  assert (S : 0 <= alpha * sqrt q) by (apply Rmult_le_pos; [lra|apply sqrt_pos]).\n"
      "  assert (LP : limits_positive {1} {2} (alpha * sqrt q) m).\n"
      "  {{ unfold limits_positive, m. {9}.\n    split; interval with (i_bisect alpha, i_bisect q). }}\n"
      "  pose proof ({10} d n K q {11} (power n {6}) x m Hn ltac:(lra) HK HT A ltac:(lra) ltac:(lra) "
      "ltac:(lra) ltac:(lra) ltac:(lra) {12}) as E.\n"
      "  match goal with |- Rabs (_ - ?l) <= _ => assert (HL : limit ({13} {14}) = l) end.\n"
      "  {{ clear - S. unfold m. {9}. generalize dependent (alpha * sqrt q). intros s S.\n"
      "    assert (0 <= s * s) by (apply Rmult_le_pos; auto). field. repeat split; nra. }}\n",
      c.tails("(ln (INR n))"), term(c.r), term(c.rho), term(c.theta), term(c.gamma), c.exponent(), term(c.k),
      tie_weights, mass_terms, reduced(c), c.what.theorem, c.layer(),
      angle ? fmt::format("ltac:(lra) LP ltac:(unfold m; {}; lra)", reduced(c))
            : fmt::format("i j LP{}", c.what.hypotheses),
      c.what.tail, c.arguments("m"));
}

}  // namespace

std::string band_tie_file(const Source& source, const Options& options) {
  const TieClaim c = read_tie_claim(source.claim, options);
  const std::string name = identifier(source.id), bound_name = name + "_bound";
  const std::string proof = fmt::format(
      "  intros d n K{} gamma{} q r rho x HN HK Hg{} Bq Er Eo HT{}. subst gamma r rho.\n"
      "  assert (Hn : (2 <= n)%nat) by (apply INR_le; change (INR 2) with 2; lra).\n"
      "  assert (Z : exp (0 * ln (INR n)) = 1) by (rewrite Rmult_0_l; apply exp_0).\n{}{}",
      c.what.tokens, c.residual() ? " alpha" : "", c.residual() ? " Ba" : "", c.what.hypotheses,
      c.output()     ? output_proof(c)
      : c.jacobian() ? jacobian_tie_proof(c)
                     : mass_proof(c),
      tie_end(c, bound_name));
  const Theorem main{
      name,
      fmt::format(
          ":\n  forall (d n K{} : nat) (gamma{} q r rho : R) (x : tokens),\n  {} <= INR n -> INR K = "
          "Rpower (INR n) {} -> gamma = {} ->\n  {}{} -> r = {} -> rho = {} -> three_bands d n K q r rho "
          "x -> {}\n  Rabs ({} - ({})) <=\n    {} * Rpower (INR n) (- {}).",
          c.what.tokens, c.residual() ? " alpha" : "", term(c.N), term(c.theta), term(c.gamma),
          c.residual() ? c.alpha.around("alpha") + " -> " : "", c.q.around("q"), term(c.r), term(c.rho),
          c.what.positions, c.what.term, c.limit, term(c.C), term(c.k)),
      proof, false};
  const char* const imports = c.jacobian() ? "Sums Layer Powers ThreeBandsScaled BandTails "
                                             "ThreeBandsJacobian JacobianTails Points JacobianPoints"
                                           : "Sums Layer Powers ThreeBandsScaled BandTails";
  return file_text(source, options, imports,
                   {c.jacobian() ? jacobian_tie_bound(c, bound_name) : tie_bound(c, bound_name), main});
}

}  // namespace critscale::coq
