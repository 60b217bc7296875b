// Allowances for grid points.
#include "critscale/tables/detail/grid_allowance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "critscale/number/errors.hpp"
#include "critscale/number/power_product.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

double magnitude_of(const Ball& x) { return std::abs(arf_get_d(arb_midref(x.raw()), ARF_RND_UP)); }

/// ln n and the logit scale beta where the question states them as numbers; 0 and 100 otherwise.
struct Scale {
  double log_n = 0, beta = 100;
};

Scale scale_of(const Question& q) {
  Scale r;
  try {
    r.log_n = magnitude_of(log(parse_context_length(q.at("n")), 64));
    if (q.find("gamma"))
      r.beta = static_cast<double>(number_of(q, "gamma")) * r.log_n;
    else if (q.find("beta"))
      r.beta = static_cast<double>(number_of(q, "beta"));
  } catch (const InputError&) {
    // "critical" and powers of log n are not read here.
  }
  return r;
}

bool is_sum_of_positive_terms(std::string_view label) {
  constexpr std::array<std::string_view, 6> names{"self_weight",   "band_weights", "band_masses",
                                                  "participation", "output_norm2", "jacobian_norm"};
  return std::find(names.begin(), names.end(), label.substr(0, label.find('['))) != names.end();
}

}  // namespace

std::optional<std::vector<Allowance>> grid_allowances(const ReferenceRow& row, const Arithmetic& a) {
  if (row.question.op != "layer" || !row.question.find("geometry")) return std::nullopt;
  const Scale scale = scale_of(row.question);
  const double u = unit_roundoff(*a.elementwise), ua = unit_roundoff(*a.accumulate);
  const double n = std::exp(std::min(scale.log_n, 40.0));
  const double keys = a.order.roundings(static_cast<std::size_t>(n));
  const auto relative = [&](double k) {
    return std::min(0.5, std::expm1((16 + 4 * scale.beta) * u + k * ua + unit_roundoff(*a.format)));
  };
  std::vector<Allowance> r;
  for (const ReferenceValue& v : row.values) {
    const double size = v.value ? magnitude_of(*v.value) : 0;
    const double whole = is_sum_of_positive_terms(v.label) ? size : size + 1;
    const double least = underflow_error(*a.format);
    const double worst = relative(keys) * whole + least,
                 likely = relative(std::min(keys, 6 * std::sqrt(keys))) * whole + least;
    r.push_back({{worst, worst}, {likely, likely}});
  }
  return r;
}

}  // namespace critscale
