// Many layers on a simplex ([drift], [collapse]): a constant for the drift above the threshold and for the
// collapse below it.
#include <fmt/format.h>

#include "critscale/text/print.hpp"
#include "theorems/claim_reader.hpp"

namespace critscale::cli {
namespace {

constexpr Bits layer_bits = 128;

struct LayersClaim {
  bool drift;
  RationalBox rho;
  Rational ratio, N;
  std::optional<Rational> C;
};

/// What the constant must be at least. Throws InputError where the drift is not bounded.
Ball least_constant(const LayersClaim& c) {
  const auto exact = [](const Rational& v) { return Ball(v, layer_bits); };
  const Rational more = c.N / (c.N - 1), depth = 1 - c.rho.lo;
  if (!c.drift) return exact(depth / c.rho.lo * more * more);
  const Ball t = log(exact(c.N)), e = exp(exact(1)), mu = e * exp(exact(1 - c.ratio) * t) * exact(more);
  if (!certainly(less(mu, exact(1))))
    throw InputError(fmt::format("N = {} is too small for a bound: e N^(1-gamma_ratio) N/(N-1) reaches 1",
                                 to_string(c.N)));
  return 2 * e * exact(depth) * (exact(c.rho.hi + 1 / (c.N - 1)) + exact(depth / c.ratio) / t) / sqr(1 - mu);
}

Verdict run_many_layers(const LayersClaim& c) {
  const Ball least = least_constant(c);
  // Rounded up to a thousandth.
  const Integer thousandths = (least.upper().to_rational() * 1000).convert_to<Integer>() + 1;
  const Rational C = c.C ? *c.C : Rational(thousandths, Integer(1000));
  Verdict v;
  v.kind = v.theorem = "layers";
  v.quantity = c.drift ? "drift" : "collapse";
  v.claim = {{"bound", v.quantity},
             {"rho", {to_string(c.rho.lo), to_string(c.rho.hi)}},
             {"N", to_string(c.N)},
             {"C", to_string(C)}};
  if (c.drift) v.claim["gamma_ratio"] = to_string(c.ratio);
  v.evidence = {{"method", "evaluation"}};
  v.constants = fmt::format("C = {}, N = {}", to_string(C), to_string(c.N));
  v.paper = c.drift
                ? "agrees: the paper says that errors stay negligible over poly(n) layers; here for l up to "
                  "n^k/(gamma C ln n)"
                : "not stated by the paper";
  v.outcome = ProofOutcome::proved;
  if (certainly(greater(least, Ball(C, layer_bits)))) {
    v.outcome = ProofOutcome::undecided;
    v.detail = fmt::format("undecided: the inequalities give C = {}, and are not sharp",
                           decimal_above(least.upper(), 6));
  }
  return v;
}

}  // namespace

std::vector<Job> many_layers_jobs(const Specification& claim) {
  LayersClaim c;
  const Text* bound = claim.find_single("bound");
  if (!bound || (bound->text != "drift" && bound->text != "collapse"))
    throw InputError("the key bound must be drift or collapse");
  c.drift = bound->text == "drift";
  c.rho = box_of(claim, "rho");
  if (c.rho.lo <= 0 || c.rho.hi >= 1)
    throw InputError(fmt::format("rho = {} is not inside (0, 1)", to_string(c.rho)));
  c.ratio = c.drift ? number_of(claim, "gamma_ratio") : Rational(0);
  if (c.drift && c.ratio <= 1) throw InputError("gamma_ratio, the least gamma (1-rho), must be above 1");
  if (claim.find("C")) c.C = number_of(claim, "C");
  std::vector<Job> jobs;
  for (const std::string& N : list_of(claim, "N", {})) {
    c.N = parse_rational(N);
    if (c.N < 2) throw InputError(fmt::format("N = {} is below 2", N));
    least_constant(c);
    jobs.push_back({job_id(claim, "N-" + N), [c](const JobContext&) { return run_many_layers(c); }});
  }
  if (jobs.empty()) throw InputError("the key N is missing");
  return jobs;
}

}  // namespace critscale::cli
