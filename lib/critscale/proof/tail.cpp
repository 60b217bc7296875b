// What tail problems share. Uses tail.hpp.
#include "critscale/proof/tail.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/detail/roots.hpp"

namespace critscale {
namespace {

constexpr Bits working_bits = 64;

}  // namespace

TailProblem::TailProblem(const TailClaim& claim) : claim_(claim) {
  if (claim_.N < 2) throw InputError(fmt::format("N = {} is below 2", to_string(claim_.N)));
  if (claim_.p < -8 || claim_.p > 8) throw InputError(fmt::format("p = {} is outside [-8, 8]", claim_.p));
  log_N_ = log(Ball(claim_.N, working_bits));
  add_coordinate("x", {0, 1});
}

const RationalBox& TailProblem::range(const std::string& name, const Rational& lo, const Rational& hi) const {
  const auto found = claim_.box.find(name);
  if (found == claim_.box.end()) throw InputError(fmt::format("the claim's box has no range for {}", name));
  const RationalBox& r = found->second;
  if (r.lo > r.hi || r.lo < lo || r.hi > hi)
    throw InputError(
        fmt::format("{} = {} is not inside [{}, {}]", name, to_string(r), to_string(lo), to_string(hi)));
  return r;
}

void TailProblem::add_coordinate(const std::string& name, const RationalBox& r, bool open) {
  coordinates_.push_back(name);
  box_.push_back(r);
  open_.push_back(open);
}

void TailProblem::require_factor(std::initializer_list<const char*> allowed) const {
  if (!claim_.factor.empty() && std::find(allowed.begin(), allowed.end(), claim_.factor) == allowed.end())
    throw InputError(fmt::format("no proof of a claim about {} has the factor {}", claim_.quantity,
                                 in_quotes(claim_.factor)));
}

void TailProblem::add_layer_coordinates() {
  const RationalBox &alpha = range("alpha", 0, 1000), &q = range("q", 0, 1000000);
  if (q.hi == 0) throw InputError("q must be positive");
  if (is_jacobian()) {
    // eta grows with alpha and 1/q: no constant serves all of them.
    if (q.lo == 0 || is_open("q"))
      throw InputError("q must have positive ends where jacobian_norm is bounded");
    if (is_open("alpha")) throw InputError("alpha must have an upper end where jacobian_norm is bounded");
    add_coordinate("alpha", alpha);
    add_coordinate("q", q);
    add_coordinate("n/d", {0, 1});
    return;
  }
  const Rational least = alpha.lo * sqrt_below(q.lo);
  const bool none = alpha == RationalBox{0, 0}, open = !none && (is_open("alpha") || is_open("q"));
  add_coordinate("s", open ? open_range(least) : RationalBox{least, alpha.hi * sqrt_above(q.hi)}, open);
}

SamplePoint TailProblem::layer_point(const std::vector<Rational>& unit, std::size_t first) const {
  const RationalBox& sizes = range("q", 0, 1000000);
  const Rational alpha = at(range("alpha", 0, 1000), unit[first]),
                 q = at(sizes, sizes.lo == 0 && unit[first + 1] == 0 ? Rational(1, 64) : unit[first + 1]);
  SamplePoint point{{}, {{"alpha", alpha}, {"q", q}}};
  if (!is_jacobian()) {
    point.box.push_back({alpha * sqrt_below(q), alpha * sqrt_above(q)});
    return point;
  }
  const Rational& ratio = unit[first + 2];
  point.box = {{alpha, alpha}, {q, q}, {ratio, ratio}};
  point.parameters.emplace_back("n/d", ratio);
  return point;
}

std::string SamplePoint::text() const {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, to_string(value));
  return text;
}

LogRange TailProblem::log_range(const Box& leaf) const {
  const RationalBox& x = leaf[0];
  LogRange tau{log_N_ / Ball(x.hi, working_bits), std::nullopt};
  if (x.lo > 0) tau.hi = log_N_ / Ball(x.lo, working_bits);
  return tau;
}

Rational TailProblem::least_rate() const {
  Rational least = rate_.front().over(box_).lo;
  for (const LinearForm& form : rate_) least = std::min(least, form.over(box_).lo);
  return least;
}

std::optional<Rational> TailProblem::greatest_rate() const {
  std::optional<Rational> greatest;
  for (const LinearForm& form : rate_) {
    bool bounded = true;
    for (std::size_t i = 0; i < std::min(form.weights.size(), open_.size()); ++i)
      bounded = bounded && !(open_[i] && form.weights[i] > 0);
    const Rational most = form.over(box_).hi;
    if (bounded && (!greatest || most < *greatest)) greatest = most;
  }
  return greatest;
}

Ball TailProblem::scale(const Box& leaf, const LogRange& tau) const {
  return Vanishing(rate_, claim_.p, leaf, tau, nonnegative_)(LinearForm{}).scaled;
}

std::optional<Ball> TailProblem::bound(const Box& leaf) const {
  const auto d = difference(leaf, log_range(leaf));
  if (!d) return std::nullopt;
  return abs(d->scaled);
}

std::unique_ptr<TailProblem> make_tail_problem(const TailClaim& claim) {
  if (claim.geometry == "simplex") return make_simplex_problem(claim);
  if (claim.geometry == "bands") return make_band_problem(claim);
  throw InputError(fmt::format("geometry {} is neither simplex nor bands", in_quotes(claim.geometry)));
}

}  // namespace critscale
