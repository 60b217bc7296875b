// Value claims: a quantity at exact parameters lies in [lo, hi]. Uses claim_reader.hpp, and the checker for
// what it can decide.
#include <fmt/format.h>

#include <array>

#include "critscale/checker/verify.hpp"
#include "critscale/text/certify.hpp"
#include "grids/grid.hpp"
#include "theorems/certificate.hpp"
#include "theorems/claim_reader.hpp"
#include "theorems/trivial.hpp"

namespace critscale::cli {
namespace {

using nlohmann::json;

struct ValueClaim {
  Point point;
  Quantity quantity;
  std::size_t band;
  std::string label;
  long digits;
  std::optional<Rational> lo, hi;
};

std::string theorem_of(const ValueClaim& c) {
  if (!std::holds_alternative<Simplex>(c.point.configuration.geometry)) return "C.2";
  if (c.quantity == Quantity::jacobian_norm) return "2.4";
  const std::array forward{Quantity::inner_products, Quantity::angle_ratio, Quantity::output_norm2};
  return std::find(forward.begin(), forward.end(), c.quantity) != forward.end() ? "2.1" : "partition";
}

/// Refuses n, d and weights that the checker's arithmetic cannot hold: its exponents end at 2^62.
void require_exponents(const Configuration& c) {
  const Bits bits = 64;
  const Ball last = log(Ball(2, bits)) * Ball(Integer(Integer(1) << 61), bits);
  const Ball t = log(c.n, bits);
  Ball beta = Ball(c.scale.coefficient.lo, bits) * exp(Ball(c.scale.power, bits) * log(t));
  beta += Ball(c.scale.offset.lo, bits);
  const std::pair<const char*, Ball> sizes[] = {{"n", t}, {"d", log(c.d, bits)}, {"exp(beta)", beta}};
  for (const auto& [name, x] : sizes)
    if (!certainly(less(x, last)))
      throw InputError(
          fmt::format("a value certificate needs {} below 2^(2^61): the checker's arithmetic has "
                      "exponents up to 2^62 (MPFR)",
                      name));
}

json claim_json(const ValueClaim& c, const std::string& lo, const std::string& hi) {
  json inputs = json::object();
  for (const auto& [key, text] : c.point.inputs) inputs[key] = text;
  return {{"inputs", inputs}, {"quantity", c.label}, {"lo", lo}, {"hi", hi}};
}

const json evidence{{"method", "evaluation"}};

bool is_checked(const std::string& theorem, const json& claim) {
  return checker::verify(certificate("value", theorem, claim, evidence).dump()).accepted;
}

/// The enclosure within the given ends, or outside of one of them.
Truth inside(const ValueClaim& c, const Ball& x) {
  Truth r = Truth::yes;
  if (c.lo) r = r & greater_equal(x, Ball(*c.lo, x.precision()));
  if (c.hi) r = r & less_equal(x, Ball(*c.hi, x.precision()));
  return r;
}

/// An enclosure at rising precision until it lies inside or outside of the ends that are given, or has the
/// digits asked for.
Ball enclosure(const ValueClaim& c) {
  const std::array quantity{c.quantity};
  const auto at = [&](Bits bits) {
    return evaluate(c.point.configuration, quantity, bits).quantities[0].values.at(c.band);
  };
  if (!c.lo && !c.hi) return certify_digits(c.digits, at);
  return raise_precision(
      bits_for_digits(c.digits) + 32, default_max_bits(c.digits), at,
      [&](const Ball& x) { return inside(c, x) != Truth::unknown; }, [](const Ball&) {});
}

Verdict run_value(const ValueClaim& c) {
  Verdict v;
  v.kind = "value";
  v.theorem = theorem_of(c);
  v.quantity = c.label;
  v.evidence = evidence;
  v.paper = "not stated by the paper";
  const auto text = [](const std::optional<Rational>& given, const std::string& found) {
    return given ? to_string(*given) : found;
  };
  Ball x;
  try {
    x = enclosure(c);
  } catch (const LimitError& e) {
    v.claim = claim_json(c, text(c.lo, "-inf"), text(c.hi, "inf"));
    v.detail = e.what();
    return v;
  }
  const PrintedValue shown = print(x, c.digits);
  v.claim = claim_json(c, text(c.lo, shown.lo), text(c.hi, shown.hi));
  const Truth holds = inside(c, x);
  if (holds == Truth::no) {
    std::string at;
    for (const auto& [key, value] : c.point.inputs)
      at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", key, value);
    v.outcome = ProofOutcome::refuted;
    v.detail = fmt::format("at {}: {} lies in [{}, {}], not in [{}, {}]", at, c.label, shown.lo, shown.hi,
                           text(c.lo, "-inf"), text(c.hi, "inf"));
    return v;
  }
  if (holds == Truth::unknown) {
    v.detail =
        fmt::format("undecided at the precision limit: {} lies in [{}, {}]", c.label, shown.lo, shown.hi);
    return v;
  }
  if (!c.lo && !c.hi && shown.lo == shown.hi && !is_checked(v.theorem, v.claim)) {
    // Exact here, but not for interval arithmetic: one unit of the last digit about it.
    const Ball unit = abs(x) * Ball(pow(PowerProduct(10), Rational(-c.digits)).to_rational(), x.precision());
    v.claim = claim_json(c, decimal_below((x - unit).lower(), c.digits + 1),
                         decimal_above((x + unit).upper(), c.digits + 1));
  }
  if (!is_checked(v.theorem, v.claim)) {
    v.detail = fmt::format("{} lies in [{}, {}], but the checker's arithmetic does not decide it", c.label,
                           shown.lo, shown.hi);
    return v;
  }
  const std::string reason = trivial_reason(c.label, c.lo, c.hi);
  v.outcome = reason.empty() ? ProofOutcome::proved : ProofOutcome::trivial;
  v.detail = reason;
  v.constants = fmt::format("[{}, {}]", v.claim["lo"].get<std::string>(), v.claim["hi"].get<std::string>());
  return v;
}

}  // namespace

std::vector<Job> value_jobs(const Specification& claim) {
  const Grid grid(claim);
  const long digits = static_cast<long>(numerator(number_of(claim, "digits", Rational(30))));
  require_digits(digits);
  std::optional<Rational> lo, hi;
  if (claim.find("lo")) lo = number_of(claim, "lo");
  if (claim.find("hi")) hi = number_of(claim, "hi");
  if (lo && hi && *lo > *hi) throw InputError("lo is above hi");
  if (lo.has_value() != hi.has_value()) throw InputError("lo and hi belong together");
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const Point point = grid[i];
    if (!point.configuration.is_point()) throw InputError("a value claim needs exact parameters, no boxes");
    require_exponents(point.configuration);
    for (const Quantity q : quantities_of(claim)) {
      if (q == Quantity::angle_ratio && all_tied(point.configuration)) continue;
      for (std::size_t b = 0; b < (is_per_band(q) ? point.configuration.bands() : 1); ++b) {
        ValueClaim c{point, q, b, std::string(name(q)), digits, lo, hi};
        if (is_per_band(q)) c.label += fmt::format("[{}]", b);
        const std::string place = grid.size() > 1 ? fmt::format("-{}", i + 1) : std::string();
        jobs.push_back({job_id(claim, c.label + place), [c](const JobContext&) { return run_value(c); }});
      }
    }
  }
  return jobs;
}

}  // namespace critscale::cli
