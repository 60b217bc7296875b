// Tail claims on the masses and the partition function of three bands for Coq, by the theorems of
// provers/formal/BandCertificates.v: with K = n^theta exactly, |Q - L| <= c/(1 - N^-t) n^-k in the phases far
// and near, c n^-k in the phase self, with c 1 or 2. Uses coq_export.hpp.
#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_export.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

struct Phase {
  const char* rate;  ///< as certificates write it
  const char* first;
  const char* second;
  const char* theorem;
  const char* share;    ///< t of N^-t, empty in the phase self
  const char* ordered;  ///< the hypothesis rho <= r <= 1 where the theorem has it
  const char* log_limit;
  std::array<const char*, 3> limits;  ///< of self weight, near and far mass; the dominating one is 1
  std::array<int, 3> place;           ///< of each of these in the theorem's conclusion: 1 to 3
};

const std::map<std::string, Phase> phases = {{"far",
                                              {"min(1-theta-gamma*(r-rho),1-gamma*(1-rho))",
                                               "1 - theta - gamma * (r - rho)",
                                               "1 - gamma * (1 - rho)",
                                               "far_masses",
                                               "1 - theta",
                                               " ltac:(lra)",
                                               "(1+gamma*rho)*log(n)",
                                               {"0", "0", "1"},
                                               {1, 2, 3}}},
                                             {"near",
                                              {"min(gamma*(r-rho)-1+theta,theta-gamma*(1-r))",
                                               "gamma * (r - rho) - (1 - theta)",
                                               "theta - gamma * (1 - r)",
                                               "near_masses",
                                               "theta",
                                               " ltac:(lra)",
                                               "(theta+gamma*r)*log(n)",
                                               {"0", "1", "0"},
                                               {1, 3, 2}}},
                                             {"self",
                                              {"min(gamma*(1-r)-theta,gamma*(1-rho)-1)",
                                               "gamma * (1 - r) - theta",
                                               "gamma * (1 - rho) - 1",
                                               "self_masses",
                                               "",
                                               "",
                                               "gamma*log(n)",
                                               {"1", "0", "0"},
                                               {3, 1, 2}}}};

const std::array<const char*, 3> quantities = {"self_weight", "band_masses[0]", "band_masses[1]"};
const std::array<const char*, 3> terms = {
    "weight d n (gamma * ln (INR n)) x i i",
    "mass d n (gamma * ln (INR n)) x i (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool)",
    "mass d n (gamma * ln (INR n)) x i (fun j => negb (Nat.eqb (i / K) (j / K)))"};

struct Range {
  Rational lo, hi;
};

std::string within(const std::string& value, const Range& r) {
  return r.lo == r.hi ? fmt::format("{} = {}", value, term(r.lo))
                      : fmt::format("{} <= {} <= {}", term(r.lo), value, term(r.hi));
}

}  // namespace

std::string band_tail_file(const Source& source, const Options& options) {
  const nlohmann::json& claim = source.claim;
  const auto text_of = [&](const char* key) { return claim.at(key).get<std::string>(); };
  const auto box = [&](const char* key) {
    const auto& ends = claim.at("box").at(key);
    return Range{bounded_end(ends.at(0).get<std::string>(), key),
                 bounded_end(ends.at(1).get<std::string>(), key)};
  };
  const auto found = phases.find(text_of("phase"));
  if (found == phases.end())
    throw InputError(fmt::format("the Coq library has no phase {}", text_of("phase")));
  const Phase& phase = found->second;
  const std::string quantity = text_of("quantity");
  const Rational N = parse_rational(text_of("N")), C = parse_rational(text_of("C")) * options.constant_factor;
  const Range theta = box("theta"), r = box("r"), rho = box("rho"), gap = box("gap"), q = box("q");
  if (N < 2) throw InputError("N is below 2");
  if (claim.contains("factor")) throw InputError("claims with a factor are not exported");
  if (theta.lo <= 0 || theta.hi >= 1) throw InputError("theta is not within (0, 1)");
  if (rho.hi > r.lo || r.hi > 1 || rho.lo < 0)
    throw InputError("r and rho are not ordered throughout the box");
  if (q.lo <= 0 || gap.lo < 0) throw InputError("a range is below its domain");
  if (claim.at("p").get<long>() != 0 || text_of("k") != phase.rate)
    throw InputError(fmt::format("k is {}, the Coq library has {}", text_of("k"), phase.rate));

  std::string value = "ln (partition d n (gamma * ln (INR n)) x i)", limit = phase.log_limit;
  int place = 4;
  for (std::size_t b = 0; b < quantities.size(); ++b)
    if (quantity == quantities[b]) {
      value = terms[b];
      limit = phase.limits[b];
      place = phase.place[b];
    }
  if (place == 4 && quantity != "log_partition")
    throw InputError(fmt::format("the Coq library has no tail of {} on bands", quantity));
  if (text_of("limit") != limit)
    throw InputError(fmt::format("the limit is written {}, the Coq library has {}", text_of("limit"), limit));

  const std::string name = identifier(source.id), share = phase.share;
  const std::string constant = place <= 2 ? "1" : "2";
  const auto least = [&](const std::string& t) {
    return share.empty() ? constant : fmt::format("{} / (1 - decay {} {})", constant, term(N), t);
  };
  const Theorem bound{
      name + "_constant",
      fmt::format("(theta : R) :\n  {} -> {} <= {}.", within("theta", theta), least("(" + share + ")"),
                  term(C)),
      share.empty() ? "  intros. lra.\n" : "  intros. unfold decay. interval with (i_bisect theta).\n", true};
  const std::string rate = fmt::format("(Rmin ({}) ({}))", phase.first, phase.second);
  const Theorem main{name,
                     fmt::format(":\n  forall (d n K i : nat) (theta gamma q r rho : R) (x : tokens),\n  {} "
                                 "<= INR n -> {} -> 0 <= gamma -> "
                                 "INR K = Rpower (INR n) theta ->\n  {} -> {} -> {} ->\n  {} ->\n  {} ->\n"
                                 "  three_bands d n K q r rho x -> (i < n)%nat ->\n  Rabs ({} - {}) <=\n    "
                                 "{} * Rpower (INR n) (- {}).",
                                 term(N), within("theta", theta), within("q", q), within("r", r),
                                 within("rho", rho), within(phase.first, gap), within(phase.second, gap),
                                 value, place == 4 ? "(" + expression(limit) + ")" : limit, term(C), rate),
                     fmt::format("  intros d n K i theta gamma q r rho x HN Bt Hg HK Bq Br Bo G1 G2 HT Hi.\n"
                                 "  destruct ({} {} theta gamma q r rho d n K i x ltac:(lra) HN ltac:(lra) "
                                 "Hg HK ltac:(lra){} HT Hi {}\n"
                                 "    ltac:(lra) ltac:(lra)) as [P1 P2].\n"
                                 "  apply {}. exact ({} theta Bt).\n",
                                 phase.theorem, term(N), phase.ordered, term(C), place <= 2 ? "P1" : "P2",
                                 name + "_constant"),
                     false};
  return file_text(source, options, "Sums Layer BandCertificates ClassCertificates", {bound, main});
}

}  // namespace critscale::coq
