// Grid points with n left free: exact parameters of limits and boundaries.
#include <fmt/format.h>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/number/errors.hpp"
#include "grids/grid.hpp"

namespace critscale::cli {

namespace {

Profile read_profile(const Choice& choice, const Specification& s,
                     std::vector<std::pair<std::string, std::string>>& inputs) {
  if (s.bands.empty()) {
    const Rational rho = choice.number("rho", 0);
    inputs.emplace_back("geometry", "simplex");
    inputs.emplace_back("rho", to_string(rho));
    return simplex_profile(rho);
  }
  Profile profile;
  inputs.emplace_back("geometry", "bands");
  for (std::size_t l = 0; l < s.bands.size(); ++l) {
    const BandText& b = s.bands[l];
    profile.push_back({located(b.r.where, [&] { return parse_rational(b.r.text); }),
                       located(b.size.where, [&] { return parse_size(b.size.text); })});
    inputs.emplace_back(fmt::format("band[{}].r", l), to_string(profile[l].r));
    inputs.emplace_back(fmt::format("band[{}].size", l), to_string(profile[l].size));
  }
  return profile;
}

Rational read_gamma(const Text& t, const Profile& profile) {
  return located(t.where, [&] {
    const GammaText gamma = parse_gamma_text(t.text);
    return gamma.threshold == 0 ? gamma.factor : gamma.resolve(thresholds(profile));
  });
}

/// gamma and offset of beta = gamma ln n + offset.
void read_scale(const Choice& choice, LimitConfiguration& c) {
  const Text *gamma = choice.find("gamma"), *ratio = choice.find("gamma_ratio"), *beta = choice.find("beta");
  if ((gamma != nullptr) + (ratio != nullptr) + (beta != nullptr) != 1)
    throw InputError("exactly one of gamma, gamma_ratio and beta is needed");
  if (gamma) {
    c.gamma = read_gamma(*gamma, c.profile);
  } else if (ratio) {
    if (!c.simplex || c.profile[0].r == 1)
      throw InputError(ratio->where + ": gamma_ratio = gamma (1 - rho) needs a simplex with rho < 1");
    c.gamma = choice.number("gamma_ratio", 0) / (1 - c.profile[0].r);
  } else {
    const BetaSpec spec = located(beta->where, [&] { return parse_beta(beta->text); });
    if (spec.power != 1 && spec.power != 0)
      throw InputError(
          fmt::format("{}: a limit needs beta = c*log n + b, found '{}'", beta->where, beta->text));
    c.gamma = spec.coefficient;
    c.offset = spec.offset;
  }
}

}  // namespace

GrowthPoint Grid::growth(std::size_t i) const {
  const Specification& s = specification_;
  const Choice choice = choose(i);
  return located(s.where, [&] {
    GrowthPoint p;
    LimitConfiguration& c = p.configuration;
    c.simplex = s.bands.empty();
    c.analytic = analytic_;
    c.profile = read_profile(choice, s, p.inputs);
    validate(c.profile, c.analytic);
    if (options_.with_scale) {
      read_scale(choice, c);
      if (const Text* beta = choice.find("beta"))
        p.inputs.emplace_back("beta", beta->text);
      else
        p.inputs.emplace_back("gamma", to_string(c.gamma));
    }
    c.alpha = choice.number("alpha", 0);
    c.q = choice.number("q", 1);
    if (const Text* d = choice.find("d")) c.d = located(d->where, [&] { return parse_size(d->text); });
    p.inputs.emplace_back("alpha", to_string(c.alpha));
    p.inputs.emplace_back("q", to_string(c.q));
    p.inputs.emplace_back("d", to_string(c.d));
    if (c.analytic) p.inputs.emplace_back("analytic", "true");
    if (options_.with_scale) validate(c);
    return p;
  });
}

}  // namespace critscale::cli
