// Evaluation of configurations at points and over boxes.
#include "critscale/model/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/model/inputs.hpp"
#include "critscale/model/layer_values.hpp"
#include "critscale/number/certify.hpp"

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

/// Whether every pair has inner product exactly 1 somewhere in the box: lambda is undefined there.
bool all_tied(const Configuration& c) {
  if (const auto* simplex = std::get_if<Simplex>(&c.geometry)) return simplex->rho.hi == 1;
  return std::get<Bands>(c.geometry).bands.back().r.hi == 1;
}

template <class Real>
struct Values {
  Real beta;
  std::vector<std::vector<Real>> quantities;
};

template <class Real>
Values<Real> evaluate_as(const Configuration& c, std::span<const Quantity> quantities,
                         const Lift<Real>& lift) {
  Values<Real> r;
  const auto collect = [&](const auto& layer) {
    r.beta = layer.inputs().beta;
    for (Quantity q : quantities)
      r.quantities.push_back(q == Quantity::angle_ratio && all_tied(c) ? std::vector<Real>{}
                                                                       : values_of(layer, q));
  };
  if (std::holds_alternative<Simplex>(c.geometry))
    collect(SimplexLayer<Real>(simplex_inputs<Real>(c, lift)));
  else
    collect(BandedLayer<Real>(band_inputs<Real>(c, lift)));
  return r;
}

template <class Real>
Values<Real> evaluate_as(const Configuration& c, std::span<const Quantity> quantities, Bits bits) {
  return evaluate_as<Real>(c, quantities, Lift<Real>(bits));
}

Evaluation with_names(Values<Ball> v, std::span<const Quantity> quantities) {
  Evaluation r{std::move(v.beta), {}};
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    std::optional<std::string> undefined;
    if (v.quantities[i].empty()) undefined = "every pair of tokens is tied (inner product 1)";
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

/// f(center) + gradient(cell) . (cell - center), for every value at once.
Ball mean_value(const Ball& at_center, const Dual<Ball>& over_cell, const std::vector<Ball>& offset) {
  Ball r = at_center;
  for (std::size_t i = 0; i < over_cell.gradient().size(); ++i) r += over_cell.gradient()[i] * offset[i];
  return r;
}

/// Enclosures over one cell (the natural extension met with the mean-value form), and the parameter
/// that contributes most to their width.
struct Cell {
  Values<Ball> values;
  std::size_t widest = 0;
};

/// An upper bound of |x| as a double; only ever used to choose where to split.
double magnitude(const Ball& x) {
  return x.is_finite() ? arf_get_d(abs(x).upper().raw(), ARF_RND_UP) : 1e300;
}

Cell evaluate_cell(const Configuration& cell, std::span<const Quantity> quantities, Bits bits) {
  Configuration center = cell;
  std::vector<Ball> offset;
  for (RationalBox* p : box_parameters(center)) {
    const Rational middle = (p->lo + p->hi) / 2;
    offset.push_back(Ball::hull(p->lo - middle, p->hi - middle, bits));
    *p = {middle, middle};
  }
  Cell r{evaluate_as<Ball>(cell, quantities, bits)};
  const Values<Ball> point = evaluate_as<Ball>(center, quantities, bits);
  const Values<Dual<Ball>> dual = evaluate_as<Dual<Ball>>(cell, quantities, bits);
  std::vector<double> contribution(offset.size());
  const auto tighten = [&](Ball& value, const Ball& at_center, const Dual<Ball>& over_cell) {
    value = intersection(value, mean_value(at_center, over_cell, offset));
    for (std::size_t i = 0; i < over_cell.gradient().size(); ++i)
      contribution[i] +=
          magnitude(over_cell.gradient()[i]) * magnitude(offset[i]) / (magnitude(at_center) + 1e-300);
  };
  tighten(r.values.beta, point.beta, dual.beta);
  for (std::size_t i = 0; i < quantities.size(); ++i)
    for (std::size_t b = 0; b < r.values.quantities[i].size(); ++b)
      tighten(r.values.quantities[i][b], point.quantities[i][b], dual.quantities[i][b]);
  // A parameter that is a point has offset 0 and must not be chosen.
  for (std::size_t i = 0; i < offset.size(); ++i) contribution[i] += magnitude(offset[i]) * 1e-12;
  r.widest = static_cast<std::size_t>(std::max_element(contribution.begin(), contribution.end()) -
                                      contribution.begin());
  return r;
}

void unite(Values<Ball>& a, const Values<Ball>& b) {
  a.beta = hull(a.beta, b.beta);
  for (std::size_t i = 0; i < a.quantities.size(); ++i)
    for (std::size_t k = 0; k < a.quantities[i].size(); ++k)
      a.quantities[i][k] = hull(a.quantities[i][k], b.quantities[i][k]);
}

/// The hull over the 2^depth cells found by halving the parameter that contributes most to the width;
/// no wider than the enclosure over the undivided cell.
Values<Ball> evaluate_box(const Configuration& c, std::span<const Quantity> quantities, Bits bits,
                          int depth) {
  Cell whole = evaluate_cell(c, quantities, bits);
  if (depth == 0) return std::move(whole.values);
  Configuration half = c;
  RationalBox& split = *box_parameters(half)[whole.widest];
  const RationalBox all = split;
  const Rational middle = (all.lo + all.hi) / 2;
  split = {all.lo, middle};
  Values<Ball> r = evaluate_box(half, quantities, bits, depth - 1);
  split = {middle, all.hi};
  unite(r, evaluate_box(half, quantities, bits, depth - 1));
  r.beta = intersection(r.beta, whole.values.beta);
  for (std::size_t i = 0; i < r.quantities.size(); ++i)
    for (std::size_t k = 0; k < r.quantities[i].size(); ++k)
      r.quantities[i][k] = intersection(r.quantities[i][k], whole.values.quantities[i][k]);
  return r;
}

/// Halvings of a box: 2^10 cells.
constexpr int box_depth = 10;

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
  std::string allowed;
  for (const QuantityInfo& info : table) {
    if (info.name == name) return info.quantity;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", info.name);
  }
  throw InputError(fmt::format("'{}' is not a quantity; allowed: {}", name, allowed));
}

Evaluation evaluate(const Configuration& c, std::span<const Quantity> quantities, Bits bits) {
  validate(c);
  return with_names(
      c.is_point() ? evaluate_as<Ball>(c, quantities, bits) : evaluate_box(c, quantities, bits, box_depth),
      quantities);
}

Evaluation certified(const Configuration& c, std::span<const Quantity> quantities, long digits, Bits max_bits,
                     NumberCache* cache) {
  require_digits(digits);
  validate(c);
  const Bits beta_bits = bits_of_beta(c, cache);
  // Whole limbs where they leave enough guard bits: numbers of up to 128 bits need no memory of their own.
  constexpr Bits limb = 64, guard = 24, least_guard = 16;
  const Bits needed = bits_for_digits(digits) + beta_bits;
  const Bits whole = (needed + guard) / limb * limb;
  const Bits start = whole >= needed + least_guard ? whole : needed + guard;
  if (!c.is_point()) return with_names(evaluate_box(c, quantities, start, box_depth), quantities);
  if (max_bits == 0) max_bits = default_max_bits(digits) + beta_bits;
  return raise_precision(
      start, max_bits,
      [&](Bits bits) {
        return with_names(evaluate_as<Ball>(c, quantities, Lift<Ball>(bits, cache)), quantities);
      },
      [&](const Evaluation& e) { return all_digits(e, digits); },
      [&](const Evaluation& e) { throw_least_accurate(e, digits, max_bits); });
}

}  // namespace critscale
