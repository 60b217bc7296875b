// Evaluation of configurations: names, precision, points; boxes are in evaluate_box.cpp.
#include "critscale/model/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/model/evaluate_as.hpp"
#include "critscale/model/evaluate_box.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/text/detail/nearest.hpp"

namespace critscale {

namespace {

struct QuantityInfo {
  Quantity quantity;
  std::string_view name;
  bool per_band;
};

constexpr std::array<QuantityInfo, 10> table{{{Quantity::log_partition, "log_partition", false},
                                              {Quantity::self_weight, "self_weight", false},
                                              {Quantity::band_weights, "band_weights", true},
                                              {Quantity::band_masses, "band_masses", true},
                                              {Quantity::inner_products, "inner_products", true},
                                              {Quantity::output_norm2, "output_norm2", false},
                                              {Quantity::angle_ratio, "angle_ratio", false},
                                              {Quantity::jacobian_norm, "jacobian_norm", false},
                                              {Quantity::participation, "participation", false},
                                              {Quantity::entropy, "entropy", false}}};

Evaluation with_names(Values<Ball> v, std::span<const Quantity> quantities, bool over_box) {
  Evaluation r{std::move(v.beta), {}};
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    std::optional<std::string> undefined;
    if (v.quantities[i].empty())
      undefined = over_box ? "every pair of tokens is tied (inner product 1) somewhere in the box"
                           : "every pair of tokens is tied (inner product 1)";
    r.quantities.push_back({quantities[i], std::move(v.quantities[i]), std::move(undefined)});
  }
  return r;
}

bool all_digits(const Evaluation& e, long digits) {
  if (!has_digits(e.beta, digits)) return false;
  for (const QuantityValues& q : e.quantities)
    for (const Ball& x : q.values)
      if (!has_digits(x, digits)) return false;
  return true;
}

/// Every value that had its digits before stays the one it was: what is printed of a quantity does not
/// depend on the precision that others asked for need.
void keep_settled(const Evaluation& before, Evaluation& now, long digits) {
  if (has_digits(before.beta, digits)) now.beta = before.beta;
  for (std::size_t i = 0; i < now.quantities.size(); ++i)
    for (std::size_t k = 0; k < now.quantities[i].values.size(); ++k)
      if (const Ball& x = before.quantities[i].values[k]; has_digits(x, digits))
        now.quantities[i].values[k] = x;
}

[[noreturn]] void throw_least_accurate(const Evaluation& e, long digits, Bits max_bits) {
  const Ball* worst = &e.beta;
  std::string_view where = "beta";
  for (const QuantityValues& q : e.quantities)
    for (const Ball& x : q.values)
      if (x.accurate_bits() < worst->accurate_bits()) {
        worst = &x;
        where = name(q.quantity);
      }
  try {
    throw_precision_limit(*worst, digits, max_bits);
  } catch (const LimitError& error) {
    throw LimitError(fmt::format("{}: {}", where, error.what()));
  }
}

/// Bits that beta's size costs: a relative error in beta is an absolute one in the exponent.
Bits bits_of_beta(const Configuration& c, NumberCache* cache) {
  const Lift<Ball> lift(64, cache);
  const Ball beta = InputLift<Ball>::beta_of(c, lift, lift.log(c.n));
  detail::Fmpz e;
  arf_abs_bound_lt_2exp_fmpz(e.x, beta.upper().raw());
  return fmpz_sgn(e.x) <= 0 ? 0 : fmpz_fits_si(e.x) ? std::min<Bits>(fmpz_get_si(e.x), 1 << 20) : 1 << 20;
}

}  // namespace

std::span<const Quantity> all_quantities() {
  static const auto all = [] {
    std::array<Quantity, table.size()> r{};
    for (std::size_t i = 0; i < table.size(); ++i) r[i] = table[i].quantity;
    return r;
  }();
  return all;
}

std::string_view name(Quantity q) { return table[static_cast<std::size_t>(q)].name; }

bool is_per_band(Quantity q) { return table[static_cast<std::size_t>(q)].per_band; }

Quantity quantity_by_name(std::string_view name) {
  std::vector<std::string> names;
  for (const QuantityInfo& info : table) {
    if (info.name == name) return info.quantity;
    names.emplace_back(info.name);
  }
  throw InputError(not_among(name, "quantity", names));
}

Evaluation evaluate(const Configuration& c, std::span<const Quantity> quantities, Bits bits) {
  validate(c);
  return with_names(c.is_point() ? evaluate_as<Ball>(c, quantities, Lift<Ball>(bits), !all_tied(c))
                                 : evaluate_box(c, quantities, bits),
                    quantities, !c.is_point());
}

Evaluation certified(const Configuration& c, std::span<const Quantity> quantities, long digits, Bits max_bits,
                     NumberCache* cache) {
  require_digits(digits);
  validate(c);
  const Bits beta_bits = bits_of_beta(c, cache);
  // Every value needs as many bits as beta has before its point.
  constexpr Bits most_beta_bits = 1L << 15;
  if (beta_bits > most_beta_bits && max_bits == 0)
    throw LimitError(fmt::format(
        "beta is beyond 2^{}: its values need more bits than are used without --max-bits", most_beta_bits));
  // Whole limbs where they leave enough guard bits: numbers of up to 128 bits need no memory of their own.
  constexpr Bits limb = 64, guard = 24, least_guard = 16;
  const Bits needed = bits_for_digits(digits) + beta_bits;
  const Bits whole = (needed + guard) / limb * limb;
  const Bits start = whole >= needed + least_guard ? whole : needed + guard;
  if (!c.is_point()) return with_names(evaluate_box(c, quantities, start), quantities, true);
  if (max_bits == 0) max_bits = default_max_bits(digits) + beta_bits;
  std::optional<Evaluation> before;
  bool settled = false;
  return raise_precision(
      start, max_bits,
      [&](Bits bits) {
        Evaluation now = with_names(evaluate_as<Ball>(c, quantities, Lift<Ball>(bits, cache), !all_tied(c)),
                                    quantities, false);
        if (before) keep_settled(*before, now, digits);
        settled = all_digits(now, digits);
        if (!settled) before = now;  // for the next attempt
        return now;
      },
      [&](const Evaluation&) { return settled; },
      [&](const Evaluation& e) { throw_least_accurate(e, digits, max_bits); });
}

}  // namespace critscale
