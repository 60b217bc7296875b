// The phase boundary 1/(1-rho) of the simplex: the phases on both sides and at it, and where the
// masses split equally at finite n (theory §2.2).
#include <fmt/format.h>

#include "critscale/number/print.hpp"
#include "theorems/claim_reader.hpp"

namespace critscale::cli {
namespace {

using nlohmann::json;

constexpr Bits working_bits = 192;
constexpr long digits = 30;

/// gamma*(n) = ln(n - 1)/(delta ln n).
json transition(const PowerProduct& n, const Rational& delta) {
  const Ball t = log(n, working_bits);
  const Ball split = (t + log1p(-exp(-t))) / (Ball(delta, working_bits) * t);
  return {{"n", n.to_string()},
          {"lo", decimal_below(split.lower(), digits)},
          {"hi", decimal_above(split.upper(), digits)}};
}

TailResult side(const Rational& rho, const Rational& N, const std::string& phase, const RationalBox& g,
                const JobContext& context) {
  TailRequest request;
  request.claim = {"partition",
                   "simplex",
                   "self_weight",
                   phase,
                   {{"rho", {rho, rho}}, {"gamma_ratio", g}, {"alpha", {0, 0}}, {"q", {1, 1}}},
                   N,
                   {},
                   0,
                   {},
                   0};
  request.limits = context.limits;
  return decide(request, context.leaves);
}

Verdict run_boundary(const Rational& rho, const Rational& mu, const Rational& N,
                     const std::vector<PowerProduct>& lengths, const JobContext& context) {
  Verdict v;
  v.kind = v.theorem = "boundary";
  v.quantity = "self_weight";
  const Rational delta = 1 - rho;
  // -n log1p(-1/n)/delta at n = N, rounded up to 1/1000.
  const Ball scaled =
      Ball(Rational(-1000 * N / delta), working_bits) * log1p(-(Ball(Rational(1 / N), working_bits)));
  const Integer thousandths = scaled.upper().to_rational().convert_to<Integer>() + 1;
  const Rational C(thousandths, Integer(1000));
  json transitions = json::array();
  for (const PowerProduct& n : lengths) transitions.push_back(transition(n, delta));
  v.claim = {{"rho", to_string(rho)},     {"thresholds", {to_string(Rational(1 / delta))}},
             {"mu", to_string(mu)},       {"N", to_string(N)},
             {"C", to_string(C)},         {"k", "1"},
             {"transitions", transitions}};
  v.outcome = Outcome::proved;
  const std::tuple<const char*, const char*, RationalBox> sides[] = {{"left", "subcritical", {0, 1 - mu}},
                                                                     {"at", "critical", {1, 1}},
                                                                     {"right", "supercritical", {1 + mu, 5}}};
  for (const auto& [name, phase, g] : sides) {
    const TailResult result = side(rho, N, phase, g, context);
    if (result.outcome != Outcome::proved) {
      v.outcome = result.outcome;
      v.detail = fmt::format("{} of the threshold: {}", name, result.detail);
      return v;
    }
    v.evidence[name] = {
        {"claim", to_json(result.claim)},
        {"evidence", to_json(result.evidence, make_tail_problem(result.claim)->coordinates())}};
  }
  v.constants = fmt::format("gamma_c = {}, |gamma*(n) - gamma_c| <= {} n^-1/ln n",
                            to_string(Rational(1 / delta)), to_string(C));
  v.paper = "agrees: the paper states the boundary 1/(1-rho)";
  return v;
}

}  // namespace

std::vector<Job> boundary_jobs(const Specification& claim) {
  const Rational mu = number_of(claim, "mu"), N = number_of(claim, "N");
  if (mu <= 0 || mu >= 1 || N < 2) throw InputError("a boundary claim needs 0 < mu < 1 and N >= 2");
  std::vector<PowerProduct> lengths;
  for (const std::string& text : list_of(claim, "n", {})) {
    const PowerProduct n = parse_context_length(text);
    if (compare(n, PowerProduct(N)) >= 0) lengths.push_back(n);
  }
  std::vector<Job> jobs;
  for (const std::string& text : list_of(claim, "rho", {})) {
    const Rational rho = parse_rational(text);
    if (rho <= 0 || rho >= 1) throw InputError(fmt::format("rho = {} is not inside (0, 1)", text));
    jobs.push_back({job_id(claim, "rho-" + to_string(rho)),
                    [=](const JobContext& context) { return run_boundary(rho, mu, N, lengths, context); }});
  }
  if (jobs.empty()) throw InputError("the key rho is missing");
  return jobs;
}

}  // namespace critscale::cli
