// Expectations by name: which integrals they need, at which precision, and boxes of beta.
#include "critscale/random/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "critscale/number/quote.hpp"
#include "critscale/random/detail/functions.hpp"
#include "critscale/random/detail/integral.hpp"
#include "critscale/text/certify.hpp"

namespace critscale::random {

namespace {

constexpr std::array<std::pair<Expectation, std::string_view>, 5> names{
    {{Expectation::self_weight, "self_weight"},
     {Expectation::self_weight2, "self_weight2"},
     {Expectation::log_partition, "log_partition"},
     {Expectation::collision, "collision"},
     {Expectation::annealed_log_others, "annealed_log_others"}}};

/// The integrals of one row at one b.
class RowIntegrals {
 public:
  using Options = IntegrationOptions;
  RowIntegrals(const Keys& keys, const PowerProduct& n, const std::function<Ball(Bits)>& b, Bits bits,
               const Options& options)
      : bits_(bits), options_(options) {
    law_ = [&keys, &n, b](Bits at) { return WeightLaw{keys.law, dimension_of(keys, n, at), b(at)}; };
    // keys ln phi is about -bits at most, and must be known to 2^-bits.
    accuracy_ = bits + 24 + static_cast<Bits>(std::log2(static_cast<double>(bits)));
    request_.aligned = keys.aligned;
    request_.shift = options.shift;
    request_.density = options.density;
    request_.keys = independent_keys(keys, n, accuracy_ + 64);
    request_.log_keys = log(request_.keys);
    // Few keys: phi itself becomes small before its power does.
    if (!keys.aligned) {
      const double reach = largest_t(bits) + std::max(0.0, rough_log(law_(64).moment(Ball(-1, 64))));
      const double count = std::exp(std::min(rough_log(request_.keys), 60.0));
      accuracy_ += static_cast<Bits>(2.9 * reach / count);
    }
    weight_ = law_(accuracy_ + 64);
  }

  Ball annealed() const { return request_.log_keys + log(weight_.moment(Ball(1, 64))); }

  Integrals run(bool with_squares, bool with_log) {
    request_.with_squares = with_squares;
    request_.with_log = with_log;
    return integrate(request_, weight_, *transform(), bits_);
  }

 private:
  std::unique_ptr<Laplace> transform() const {
    using Transform = Options::Transform;
    const bool series = options_.transform == Transform::moments ||
                        (options_.transform == Transform::automatic && weight_.law == KeyLaw::sphere);
    if (series && request_.aligned) return laplace_by_moments(law_, accuracy_, largest_t(bits_));
    if (series) {
      // Without an aligned key t is bounded by the other keys alone; moments serve where they are many, with
      // few of them where the row needs small t only. The integral reaches at least to 1/E W.
      const double most = 2 * largest_t(bits_);
      const double log_least = -rough_log(request_.keys * weight_.moment(Ball(1, 64)));
      if (log_least > std::log(most)) return nodes();
      for (double t = std::clamp(most * std::exp(log_least), 0.5, most);; t = std::min(4 * t, most)) {
        auto moments = laplace_by_moments(law_, accuracy_, 2 * t);
        if (decays_before(request_, weight_, *moments, t, bits_)) return moments;
        if (t >= most) break;
      }
      if (options_.transform == Transform::moments)
        throw LimitError("moments do not reach far enough in t for this row");
    }
    return nodes();
  }
  std::unique_ptr<Laplace> nodes() const {
    NodeOptions options = options_.nodes;
    options.log_keys = rough_log(request_.keys);
    return laplace_by_nodes(law_, accuracy_, options);
  }

  Bits bits_, accuracy_;
  Options options_;
  LawAt law_;
  IntegralRequest request_;
  WeightLaw weight_;
};

bool wants(const std::vector<Expectation>& wanted, std::initializer_list<Expectation> any) {
  return std::any_of(any.begin(), any.end(), [&](Expectation e) {
    return std::find(wanted.begin(), wanted.end(), e) != wanted.end();
  });
}

void require_defined(const std::vector<Expectation>& wanted, const Keys& keys) {
  for (const Expectation e : wanted)
    if (!is_defined(e, keys))
      throw InputError(fmt::format("{} needs an aligned key, and there is none", name(e)));
}

/// Values at the two ends of a box, for all b between. [monotone]
std::vector<Ball> over_box(const Row& row, const std::vector<Expectation>& wanted,
                           const std::vector<Ball>& low, const std::vector<Ball>& high, Bits bits) {
  std::vector<Ball> r;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Ball x = hull(low[i], high[i]);
    if (row.keys.law == KeyLaw::gaussian && wanted[i] == Expectation::annealed_log_others) {
      // ln n - b + b^2/(2 m) is least at b = m.
      const Ball m = dimension_of(row.keys, row.n, bits),
                 b0 = beta_at(row, false, bits) * Ball(Rational(1 - row.keys.rho), bits),
                 b1 = beta_at(row, true, bits) * Ball(Rational(1 - row.keys.rho), bits);
      if (possibly(less(b0, m)) && possibly(less(m, b1)))
        x = hull(x, log(independent_keys(row.keys, row.n, bits)) - m / 2);
    }
    r.push_back(std::move(x));
  }
  return r;
}

}  // namespace

std::span<const Expectation> all_expectations() {
  static const auto all = [] {
    std::array<Expectation, names.size()> r{};
    std::transform(names.begin(), names.end(), r.begin(), [](const auto& x) { return x.first; });
    return r;
  }();
  return all;
}

std::string_view name(Expectation e) {
  return std::find_if(names.begin(), names.end(), [e](const auto& x) { return x.first == e; })->second;
}

Expectation expectation_by_name(std::string_view text) {
  std::string allowed;
  for (const auto& [e, known] : names) {
    if (known == text) return e;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", known);
  }
  throw InputError(fmt::format("expected a quantity of random keys ({}), found {}", allowed,
                               in_quotes(std::string(text))));
}

bool is_defined(Expectation e, const Keys& keys) {
  return keys.aligned || (e != Expectation::self_weight && e != Expectation::self_weight2);
}

std::vector<Ball> expectations_at(const Keys& keys, const PowerProduct& n, const std::function<Ball(Bits)>& b,
                                  const std::vector<Expectation>& wanted, Bits bits,
                                  const IntegrationOptions& options) {
  using enum Expectation;
  require_defined(wanted, keys);
  RowIntegrals row(keys, n, b, bits, options);
  const bool squares = wants(wanted, {collision}), log_sum = wants(wanted, {log_partition});
  const bool integrals = squares || log_sum || wants(wanted, {self_weight, self_weight2});
  const Integrals x = integrals ? row.run(squares, log_sum) : Integrals{};
  std::vector<Ball> r;
  for (const Expectation e : wanted) {
    switch (e) {
      case self_weight:
        r.push_back(x.self);
        break;
      case self_weight2:
        r.push_back(x.self2);
        break;
      case log_partition:
        r.push_back(x.log_sum);
        break;
      case collision:
        r.push_back(keys.aligned ? Ball(x.self2 + x.others) : x.others);
        break;
      case annealed_log_others:
        r.push_back(row.annealed());
        break;
    }
  }
  return r;
}

std::vector<Ball> expectations(const Row& row, const std::vector<Expectation>& wanted, Bits bits,
                               const IntegrationOptions& options) {
  const auto at_end = [&](bool upper) {
    const auto b = [&row, upper](Bits at) {
      return beta_at(row, upper, at) * Ball(Rational(1 - row.keys.rho), at);
    };
    std::vector<Ball> r = expectations_at(row.keys, row.n, b, wanted, bits, options);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] == Expectation::log_partition) r[i] += beta_at(row, upper, bits + 16);
    return r;
  };
  std::vector<Ball> low = at_end(false);
  if (row.scale.coefficient.is_point() && row.scale.offset.is_point()) return low;
  if (row.keys.law == KeyLaw::gaussian &&
      wants(wanted, {Expectation::self_weight, Expectation::self_weight2}))
    throw InputError(
        "self weights of Gaussian keys are not monotone in beta, so that a box of beta is refused");
  return over_box(row, wanted, low, at_end(true), bits);
}

std::vector<Ball> certified_expectations(const Row& row, const std::vector<Expectation>& wanted, long digits,
                                         Bits max_bits) {
  require_digits(digits);
  validate(row);
  const bool box = !row.scale.coefficient.is_point() || !row.scale.offset.is_point();
  if (max_bits == 0) max_bits = default_max_bits(digits);
  const auto enough = [&](const std::vector<Ball>& values) {
    return box ||
           std::all_of(values.begin(), values.end(), [&](const Ball& x) { return has_digits(x, digits); });
  };
  return raise_precision(
      bits_for_digits(digits) + 8, max_bits, [&](Bits bits) { return expectations(row, wanted, bits); },
      enough,
      [&](const std::vector<Ball>& values) {
        for (const Ball& x : values)
          if (!has_digits(x, digits)) throw_precision_limit(x, digits, max_bits);
      });
}

}  // namespace critscale::random
