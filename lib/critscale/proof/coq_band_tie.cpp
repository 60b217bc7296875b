// Tail claims on the masses of three bands at the two boundaries for Coq, by the tails of
// provers/formal/BandTails.v: two bands have equal weight, gamma is a number, and the distance from the limit
// over n^-k is a function of L = ln n alone. Uses coq_export.hpp and coq_size.hpp.
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
};

constexpr TieQuantity tie_quantities[] = {
    {"self_weight", "weight d n (gamma * ln (INR n)) x i i", "tail_self", "self_weight_tail"},
    {"band_masses[0]",
     "mass d n (gamma * ln (INR n)) x i (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool)",
     "tail_near", "near_mass_tail"},
    {"band_masses[1]", "mass d n (gamma * ln (INR n)) x i (fun j => negb (Nat.eqb (i / K) (j / K)))",
     "tail_far", "far_mass_tail"}};

const TieQuantity& tie_quantity(const std::string& name) {
  for (const TieQuantity& q : tie_quantities)
    if (name == q.name) return q;
  throw InputError(fmt::format("the Coq library has no tail of {} at a boundary", name));
}

std::string replaced_gamma(std::string text, const std::string& gamma) {
  const std::size_t at = text.find("gamma");
  return text.replace(at, 5, gamma);
}

Rational point_of(const nlohmann::json& claim, const char* key) {
  const auto& ends = claim.at("box").at(key);
  const Rational lo = bounded_end(ends.at(0).get<std::string>(), key),
                 hi = bounded_end(ends.at(1).get<std::string>(), key);
  if (lo != hi) throw InputError(fmt::format("at a boundary {} has to be a number", key));
  return lo;
}

}  // namespace

std::string band_tie_file(const Source& source, const Options& options) {
  const nlohmann::json& claim = source.claim;
  const TieQuantity& what = tie_quantity(text_member(claim, "quantity"));
  const bool near_self = text_member(claim, "phase") == "near-self";
  const Rational theta = point_of(claim, "theta"), r = point_of(claim, "r"), rho = point_of(claim, "rho");
  if (!(0 < theta && theta < 1 && 0 < rho && rho < r && r < 1))
    throw InputError("theta, r or rho is out of range");
  const Rational gamma = near_self ? Rational(theta / (1 - r)) : Rational((1 - theta) / (r - rho));
  const Rational gap =
      near_self ? Rational(gamma * (r - rho) - (1 - theta)) : Rational(theta - gamma * (1 - r));
  const auto end = [&](const char* key, std::size_t at) {
    return bounded_end(claim.at("box").at(key).at(at).get<std::string>(), key);
  };
  if (gap < end("gap", 0) || gap > end("gap", 1))
    throw InputError("the third band's gap is outside of its range");
  const Rational N = parse_rational(text_member(claim, "N")), k = parse_rational(text_member(claim, "k")),
                 C = parse_rational(text_member(claim, "C")) * options.constant_factor,
                 limit = parse_rational(text_member(claim, "limit"));
  if (N < 2) throw InputError("N is below 2");
  if (claim.at("p").get<long>() != 0 || k <= 0) throw InputError("the rate is no power of n");
  if (end("q", 0) <= 0) throw InputError("q is not positive");

  const auto vanishing = [&](const Rational& exponent, const std::string& L) {
    return fmt::format("(vanishing (exp (- ({} * {}))) (exp (- ({} * {}))))", term(exponent), L,
                       term(Rational(exponent - k)), L);
  };
  const auto tails = [&](const std::string& L) {
    const std::string one = "(constant 1)", third = vanishing(gap, L);
    return fmt::format("{} {} {} {} {}", near_self ? one : third, one, near_self ? third : one,
                       vanishing(theta, L), vanishing(Rational(1 - theta), L));
  };
  const char* const reduce =
      "lazy beta iota zeta delta [tail_self tail_near tail_far tail_total over times plus rest constant "
      "vanishing value limit distance]";
  const std::string bound_name = identifier(source.id) + "_bound", on_n = tails("(ln (INR n))");
  const Theorem bound{bound_name,
                      fmt::format("(L : R) :\n  ln {} <= L ->\n  Rabs (distance ({} {})) <= {}.", term(N),
                                  what.tail, tails("L"), term(C)),
                      fmt::format("  intros. {}.\n  interval with (i_bisect L, i_depth 40).\n", reduce),
                      true};
  const std::string weight =
      "first [apply known_constant | apply known_vanishing; unfold power; rewrite <- exp_plus; f_equal; "
      "field]";
  const std::string proof = fmt::format(
      "  intros d n K i gamma q x HN HK Hg Bq HT Hi.\n"
      "  assert (Hn : (2 <= n)%nat) by (apply INR_le; change (INR 2) with 2; lra). subst gamma.\n"
      "  assert (Z : exp (0 * ln (INR n)) = 1) by (rewrite Rmult_0_l; apply exp_0).\n"
      "  assert (E : {0} - limit ({1} {2}) = power n {3} * distance ({1} {2})).\n"
      "  {{ apply ({4} d n K q {5} {6} {7} {8} {9} (power n {3}) x {2}); auto; try lra; try ({10}).\n"
      "    all: try (unfold constant, vanishing; cbn [value]; first [transitivity (exp (0 * ln (INR n))); "
      "[symmetry; exact Z|f_equal; field] | f_equal; "
      "field]).\n"
      "    all: {11}; lra. }}\n"
      "  assert (HL : limit ({1} {2}) = {12}) by ({11}; field).\n"
      "  rewrite HL in E. rewrite <- power_Rpower. apply (tail_bound _ _ _ _ _ E); [left; apply "
      "power_pos|].\n"
      "  apply {13}. apply Powers.ln_le; lra.\n",
      replaced_gamma(what.term, term(gamma)), what.tail, on_n, term(k), what.theorem, term(r), term(rho),
      term(theta), term(gamma), term(near_self ? Rational(0) : gap), weight, reduce, term(limit), bound_name);
  const Theorem main{
      identifier(source.id),
      fmt::format(
          ":\n  forall (d n K i : nat) (gamma q : R) (x : tokens),\n  {} <= INR n -> INR K = Rpower (INR n) "
          "{} -> "
          "gamma = {} ->\n  {} <= q <= {} -> three_bands d n K q {} {} x -> (i < n)%nat ->\n  Rabs ({} - "
          "{}) <=\n    {} * Rpower (INR n) (- {}).",
          term(N), term(theta), term(gamma), term(end("q", 0)), term(end("q", 1)), term(r), term(rho),
          what.term, term(limit), term(C), term(k)),
      proof, false};
  return file_text(source, options, "Sums Layer Powers ThreeBandsScaled BandTails", {bound, main});
}

}  // namespace critscale::coq
