// Transitions at finite n. Uses boundary.hpp.
#include "critscale/asymptotics/boundary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/errors.hpp"

namespace critscale {

namespace {

/// The tokens with inner product r.
TokenGroup group_at(const Profile& profile, const Rational& r) {
  TokenGroup g{r, {PowerProduct(1), Rational(0)}, {}, {}};
  for (std::size_t l = 1; l <= profile.size(); ++l) {
    if (profile[l - 1].r != r) continue;
    if (g.bands.empty() && r != 1)
      g.inner = l == 1 ? Size{PowerProduct(1), Rational(0)} : profile[l - 2].size;
    g.bands.push_back(l);
    g.outer = profile[l - 1].size;
  }
  return g;
}

/// A number of at most this many bits is formed; larger ones go through log1p.
constexpr long formed_bits = 4096;

/// ln of the number of tokens in a group, less ln of its outer size.
class Count {
 public:
  Count(const TokenGroup& g, const PowerProduct& n) : outer_(resolve(g.outer, n)) {
    if (!g.inner) return;
    inner_ = resolve(*g.inner, n);
    if (compare(*inner_, outer_) >= 0)
      throw InputError(fmt::format("at n = {} {} has no tokens: its size {} does not exceed {}",
                                   n.to_string(), name(g), outer_.to_string(), inner_->to_string()));
  }
  const PowerProduct& outer() const { return outer_; }
  /// The number itself, where it is short.
  std::optional<PowerProduct> number() const {
    if (!inner_) return outer_;
    if (!is_short_rational(outer_, formed_bits) || !is_short_rational(*inner_, formed_bits)) return {};
    return PowerProduct(Rational(outer_.to_rational() - inner_->to_rational()));
  }
  /// Whether the same fraction of the outer size is missing in both.
  bool same_correction(const Count& o) const {
    if (!inner_ || !o.inner_) return !inner_ && !o.inner_;
    return *inner_ / outer_ == *o.inner_ / o.outer_;
  }
  /// ln(1 - inner/outer).
  Ball correction(Bits bits) const {
    if (!inner_) return Ball(0, bits);
    return log1p(-value(*inner_ / outer_, bits));
  }

 private:
  PowerProduct outer_;
  std::optional<PowerProduct> inner_;
};

/// ln((flat tokens / steep tokens) / scale).
Ball log_ratio(const Boundary& b, const PowerProduct& n, const PowerProduct& scale, Bits bits) {
  const Count flat(b.flat, n), steep(b.steep, n);
  const auto f = flat.number(), s = steep.number();
  if (f && s) return log(*f / *s / scale, bits);
  const Ball outer = log(flat.outer() / steep.outer() / scale, bits);
  if (flat.same_correction(steep)) return outer;
  return outer + (flat.correction(bits) - steep.correction(bits));
}

}  // namespace

std::vector<Boundary> boundaries(const Profile& profile) {
  const Envelope envelope(lines(profile));
  std::vector<Boundary> r;
  for (std::size_t k = 0; k < envelope.breaks().size(); ++k)
    r.push_back({envelope.breaks()[k], group_at(profile, envelope.pieces()[k].line.r),
                 group_at(profile, envelope.pieces()[k + 1].line.r)});
  return r;
}

Ball transition(const Boundary& b, const PowerProduct& n, Bits bits) {
  return log_ratio(b, n, PowerProduct(1), bits) / (Ball(Rational(b.steep.r - b.flat.r), bits) * log(n, bits));
}

Ball distance(const Boundary& b, const PowerProduct& n, Bits bits) {
  const Rational slope = b.steep.r - b.flat.r;
  return -log_ratio(b, n, pow(n, b.threshold * slope), bits) / (Ball(slope, bits) * log(n, bits));
}

std::optional<PowerLogTerm> leading_distance(const Boundary& b) {
  const auto symbols = Symbols::create(64);
  const auto size = [&](const Size& s) { return Expansion(symbols->number(s.coefficient), s.exponent, 8); };
  const auto count = [&](const TokenGroup& g) {
    return g.inner ? size(g.outer) - size(*g.inner) : size(g.outer);
  };
  const Rational slope = b.steep.r - b.flat.r;
  const Expansion one(symbols->constant(1), Rational(0), 8);
  const Expansion scale(symbols->constant(1), Rational(-b.threshold * slope), 8);
  const Expansion ratio = count(b.flat) / count(b.steep) * scale;
  const Expansion log_ratio = log1p(ratio - one);
  if (log_ratio.is_exactly_zero()) return {};
  if (log_ratio.terms().empty()) throw TooFewTerms("the distance to a threshold has no known term");
  const auto& lead = log_ratio.terms().front();
  return PowerLogTerm{-lead.coefficient / symbols->constant(slope), lead.exponent, -1};
}

std::string name(const TokenGroup& group) {
  std::string bands;
  for (const std::size_t l : group.bands) bands += fmt::format("{}{}", bands.empty() ? "" : ", ", l);
  const std::string text = fmt::format("{} {}", group.bands.size() > 1 ? "bands" : "band", bands);
  if (group.bands.empty()) return "self";
  return group.inner ? text : "self with " + text;
}

}  // namespace critscale
