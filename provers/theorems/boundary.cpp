// Phase boundaries: 1/(1-rho) of the simplex, gamma_1 and gamma_2 of three bands; the phases on both sides
// and at them, and where the masses are equal at finite n ([simplex-finite], [phases]; [boundary-claims]).
#include <fmt/format.h>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/text/print.hpp"
#include "theorems/claim_reader.hpp"

namespace critscale::cli {
namespace {

using nlohmann::json;

constexpr Bits working_bits = 192;
constexpr long digits = 30;

/// One boundary: two bands whose sizes differ by the factor n^size, whose inner products differ by drop.
struct Boundary {
  std::string geometry, between;
  std::vector<std::string> phases;
  std::string quantity;
  std::map<std::string, Rational> parameters;  ///< rho, and theta and r of three bands
  Rational size, drop, other_size, k;
  Rational rest;  ///< of three bands: the third band's exponent gap at the boundary
  Rational threshold() const { return size / drop; }
};

Boundary simplex_boundary(const Rational& rho) {
  return {"simplex",
          "",
          {"subcritical", "critical", "supercritical"},
          "self_weight",
          {{"rho", rho}},
          1,
          1 - rho,
          0,
          1,
          0};
}

std::vector<Boundary> band_boundaries(const Rational& theta, const Rational& r, const Rational& rho) {
  const Rational gamma_1 = (1 - theta) / (r - rho), gamma_2 = theta / (1 - r);
  if (!(gamma_1 < gamma_2))
    throw InputError(fmt::format("there is no near phase: gamma_1 = {} is not below gamma_2 = {}",
                                 to_string(gamma_1), to_string(gamma_2)));
  const std::map<std::string, Rational> at{{"theta", theta}, {"r", r}, {"rho", rho}};
  return {{"bands",
           "far-near",
           {"far", "far-near", "near"},
           "band_masses[0]",
           at,
           1 - theta,
           r - rho,
           theta,
           std::min(theta, Rational(1 - theta)),
           theta - gamma_1 * (1 - r)},
          {"bands",
           "near-self",
           {"near", "near-self", "self"},
           "self_weight",
           at,
           theta,
           1 - r,
           0,
           theta,
           gamma_2 * (r - rho) - (1 - theta)}};
}

/// gamma*(n): the logarithm of the ratio of the sizes, each without the cluster inside, over drop ln n.
json transition(const PowerProduct& n, const Boundary& b) {
  const Ball t = log(n, working_bits);
  const auto less_one = [&](const Rational& e) { return log1p(-value(pow(n, -e), working_bits)); };
  Ball counts = Ball(b.size, working_bits) * t + less_one(b.size);
  if (b.other_size > 0) counts -= less_one(b.other_size);
  const Ball split = counts / (Ball(b.drop, working_bits) * t);
  return {{"n", n.to_string()},
          {"lo", decimal_below(split.lower(), digits)},
          {"hi", decimal_above(split.upper(), digits)}};
}

TailResult side(const Boundary& b, std::size_t i, const Rational& mu, const Rational& N,
                const JobContext& context) {
  TailRequest request;
  TailClaim& c = request.claim;
  c.theorem = b.geometry == "simplex" ? "partition" : "C.2";
  c.geometry = b.geometry;
  c.quantity = b.quantity;
  c.phase = b.phases[i];
  c.N = N;
  c.box = {{"alpha", {0, 0}}, {"q", {1, 1}}};
  for (const auto& [name, v] : b.parameters) c.box[name] = {v, v};
  if (b.geometry == "simplex")
    c.box["gamma_ratio"] = i == 0   ? RationalBox{0, 1 - mu}
                           : i == 1 ? RationalBox{1, 1}
                                    : RationalBox{1 + mu, 5};
  else
    c.box["gap"] = i == 1 ? RationalBox{b.rest, b.rest} : RationalBox{mu, 40};
  request.limits = context.limits;
  return decide(request, context.leaves);
}

/// The threshold between the phases, from the upper envelope of [phases].
bool is_threshold(const Boundary& b) {
  Profile profile = simplex_profile(b.parameters.at("rho"));
  if (b.geometry == "bands")
    profile.insert(profile.begin(), {b.parameters.at("r"), Size{PowerProduct(1), b.parameters.at("theta")}});
  const std::vector<Rational> all = thresholds(profile);
  return std::find(all.begin(), all.end(), b.threshold()) != all.end();
}

Verdict run_boundary(const Boundary& b, const Rational& mu, const Rational& N,
                     const std::vector<PowerProduct>& lengths, const JobContext& context) {
  Verdict v;
  v.kind = v.theorem = "boundary";
  v.quantity = b.quantity;
  // -N^k log1p(-N^-k)/drop, rounded up to 1/1000.
  const Ball u = exp(-(Ball(b.k, working_bits) * log(Ball(N, working_bits))));
  const Ball scaled = Ball(Rational(-1000 / b.drop), working_bits) * (log1p(-u) / u);
  const Integer thousandths = scaled.upper().to_rational().convert_to<Integer>() + 1;
  const Rational C(thousandths, Integer(1000));
  json transitions = json::array();
  for (const PowerProduct& n : lengths) transitions.push_back(transition(n, b));
  v.claim = {{"geometry", b.geometry},    {"thresholds", {to_string(b.threshold())}},
             {"mu", to_string(mu)},       {"N", to_string(N)},
             {"C", to_string(C)},         {"k", to_string(b.k)},
             {"transitions", transitions}};
  for (const auto& [name, value] : b.parameters) v.claim[name] = to_string(value);
  if (!b.between.empty()) v.claim["between"] = b.between;
  v.outcome = ProofOutcome::proved;
  const char* const sides[] = {"left", "at", "right"};
  for (std::size_t i = 0; i < 3; ++i) {
    const TailResult result = side(b, i, mu, N, context);
    if (result.outcome != ProofOutcome::proved) {
      v.outcome = result.outcome;
      v.detail = fmt::format("{} of the threshold: {}", sides[i], result.detail);
      return v;
    }
    v.evidence[sides[i]] = {
        {"claim", to_json(result.claim)},
        {"evidence",
         to_json(result.evidence, make_tail_problem(result.claim)->coordinates(), result.witness)}};
  }
  v.constants = fmt::format("gamma_c = {}, |gamma*(n) - gamma_c| <= {} n^-{}/ln n", to_string(b.threshold()),
                            to_string(C), to_string(b.k));
  v.paper = !is_threshold(b)          ? "differs from the break points of the upper envelope"
            : b.geometry == "simplex" ? "agrees: the paper states the boundary 1/(1-rho)"
                                      : "agrees with the break points of the upper envelope; the wording of "
                                        "Theorem C.2 was not available";
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
  const bool bands = claim.find("theta") != nullptr || claim.find("r") != nullptr;
  for (const std::string& text : list_of(claim, "rho", {})) {
    const Rational rho = parse_rational(text);
    if (rho <= 0 || rho >= 1) throw InputError(fmt::format("rho = {} is not inside (0, 1)", text));
    std::vector<Boundary> boundaries;
    if (bands) {
      const Rational theta = number_of(claim, "theta"), r = number_of(claim, "r");
      if (!(theta > 0 && theta < 1 && rho < r && r < 1))
        throw InputError("three bands need 0 < theta < 1 and 0 < rho < r < 1");
      boundaries = band_boundaries(theta, r, rho);
    } else {
      boundaries = {simplex_boundary(rho)};
    }
    for (const Boundary& b : boundaries)
      jobs.push_back({job_id(claim, fmt::format("{}{}rho-{}", b.between, bands ? "-" : "", to_string(rho))),
                      [=](const JobContext& context) { return run_boundary(b, mu, N, lengths, context); }});
  }
  if (jobs.empty()) throw InputError("the key rho is missing");
  return jobs;
}

}  // namespace critscale::cli
