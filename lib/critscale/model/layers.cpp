// Iteration of the layer map with enclosures. Uses layer_map.hpp, composed_jacobian.hpp and dual.hpp.
#include "critscale/model/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "critscale/model/detail/composed_jacobian.hpp"
#include "critscale/model/detail/layer_map.hpp"
#include "critscale/text/certify.hpp"

namespace critscale {

namespace {

using State = std::vector<Ball>;
using Matrix = std::vector<std::vector<Ball>>;

/// Derivatives need few bits: they only multiply radii.
constexpr Bits derivative_bits = 64;
/// The derivative is taken over a box wider than the state by 2^-12 of it, and serves until the state leaves
/// it. Where that box reaches inner products at which the map has no derivative, over smaller ones.
constexpr std::array<long, 2> box_exponents{-12, -40};

LayerConstants<Ball> constants(const LayerStack& s, Bits bits) {
  const Lift<Ball> lift(bits);
  LayerConstants<Ball> k{lift(s.n), lift(s.d), s.beta(bits), lift(s.alpha), {}};
  if (const auto* bands = std::get_if<Bands>(&s.geometry))
    for (const Band& b : bands->bands) k.size.push_back(lift(b.size));
  else
    k.size.push_back(k.n);
  return k;
}

State start(const LayerStack& s, Bits bits) {
  State z{Ball(s.q, bits)};
  if (const auto* bands = std::get_if<Bands>(&s.geometry))
    for (const Band& b : bands->bands) z.emplace_back(Rational(1 - b.r.lo), bits);
  else
    z.emplace_back(Rational(1 - std::get<Simplex>(s.geometry).rho.lo), bits);
  return z;
}

class Iteration {
 public:
  Iteration(const LayerStack& stack, const StackOptions& options, Bits bits)
      : stack_(stack),
        options_(options),
        bits_(bits),
        constants_(constants(stack, bits)),
        coarse_(constants(stack, derivative_bits)),
        z_(start(stack, bits)) {
    dual_constants_ = dual(coarse_);
    if (options.jacobian) {
      const PowerProduct difference = stack.d / stack.n;
      const Lift<Ball> lift(bits);
      jacobian_.emplace(constants_.n, constants_.d,
                        difference.is_one() ? Ball(0, bits) : Ball(constants_.d - constants_.n));
    }
  }

  StackResult run(std::span<const long> layers) {
    StackResult r{{}, std::nullopt, bits_};
    long done = 0;
    for (const long target : layers) {
      while (done < target && !r.fixed_point) {
        // A composed Jacobian needs every layer.
        if (!jacobian_ && (r.fixed_point = fixed_point(done))) break;
        step();
        ++done;
        if (options_.progress && done % 1024 == 0) options_.progress(done);
      }
      r.states.push_back(r.fixed_point ? inside(*r.fixed_point, target) : snapshot(done));
    }
    return r;
  }

 private:
  /// z -> F(center) + F'(box)(z - center).
  void step() {
    if (jacobian_) jacobian_->apply(simplex_layer(constants_, z_[0], z_[1]));
    State center;
    for (const Ball& x : z_) center.push_back(x.center());
    State next = next_state(constants_, center);
    if (!derivative_holds()) take_derivative();
    for (std::size_t j = 0; j < z_.size(); ++j) {
      if (z_[j].is_exact()) continue;
      const Ball offset = Ball(z_[j] - center[j]).at(derivative_bits);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += derivative_[i][j] * offset;
    }
    for (std::size_t i = 0; i < next.size(); ++i) z_[i] = next[i].at(bits_);
    merge_small();
  }

  bool derivative_holds() const {
    if (box_.empty()) return false;
    for (std::size_t i = 0; i < z_.size(); ++i)
      if (!box_[i].contains(z_[i])) return false;
    return true;
  }

  void take_derivative() {
    for (const long exponent : box_exponents) {
      box_.clear();
      for (const Ball& x : z_) {
        const Ball wide = x + scaled(x, Integer(exponent)) * hull(Ball(-1), Ball(1));
        box_.push_back(hull(wide, x).at(derivative_bits));
      }
      derivative_ = derivative_over(box_, dual_constants_);
      if (is_finite(derivative_)) return;
    }
    // Inner products near 0 or 1 at large n: the state itself, at full precision.
    box_ = z_;
    derivative_ = derivative_over(box_, dual(constants_));
  }

  static LayerConstants<Dual<Ball>> dual(const LayerConstants<Ball>& k) {
    const auto d = [](const Ball& x) { return Dual<Ball>(x); };
    LayerConstants<Dual<Ball>> r{d(k.n), d(k.d), d(k.beta), d(k.alpha), {}};
    for (const Ball& x : k.size) r.size.push_back(d(x));
    return r;
  }

  static bool is_finite(const Matrix& m) {
    return std::all_of(m.begin(), m.end(), [](const std::vector<Ball>& row) {
      return std::all_of(row.begin(), row.end(), [](const Ball& x) { return x.is_finite(); });
    });
  }

  static Matrix derivative_over(const State& box, const LayerConstants<Dual<Ball>>& k) {
    std::vector<Dual<Ball>> variables;
    for (std::size_t i = 0; i < box.size(); ++i) variables.push_back(Dual<Ball>::variable(box[i], i));
    const auto image = next_state(k, variables);
    Matrix r(box.size());
    for (std::size_t i = 0; i < box.size(); ++i)
      for (std::size_t j = 0; j < box.size(); ++j) r[i].push_back(image[i].derivative(j));
    return r;
  }

  /// A delta far below every digit asked becomes [0, upper]: its exponent would otherwise triple in every
  /// layer.
  void merge_small() {
    for (std::size_t i = 1; i < z_.size(); ++i)
      if (arf_cmpabs_2exp_si(arb_midref(z_[i].raw()), -8 * bits_) < 0 && !certainly(z_[i].is_zero()))
        z_[i] = up_from_zero(z_[i]);
  }

  StackState snapshot(long layers) const {
    StackState s{layers, z_[0], {z_.begin() + 1, z_.end()}, std::nullopt};
    if (jacobian_) s.jacobian_norm = jacobian_->jacobian_norm();
    return s;
  }

  /// Whether the state lies in a box around (1/(1-alpha)^2, 0, ..., 0) that is proved to be mapped into
  /// itself.
  std::optional<FixedPoint> fixed_point(long layer) const {
    if (stack_.alpha >= 1) return std::nullopt;
    const Rational root = 1 / (1 - stack_.alpha);
    const Ball q(Rational(root * root), bits_);
    const long tolerance = bits_for_digits(options_.digits) + 8;
    const Ball radius = scaled(abs(q), Integer(-tolerance)).at(derivative_bits);
    if (!certainly(less(abs(z_[0] - q), radius))) return std::nullopt;
    Ball largest(0, derivative_bits);
    for (std::size_t i = 1; i < z_.size(); ++i) largest = max(largest, z_[i].at(derivative_bits));
    if (!largest.is_finite() || !certainly(less(largest, scaled(radius, Integer(-8))))) return std::nullopt;
    const Ball bound = Ball::exactly(largest.upper(), derivative_bits);
    return prove(layer, q, Ball::exactly(radius.lower(), derivative_bits), bound);
  }

  /// The state is in {|q - q*| < radius, 0 <= delta_l <= bound}; the box is symmetric in delta for the proof
  /// of uniqueness, and the map keeps delta >= 0.
  std::optional<FixedPoint> prove(long layer, const Ball& q, const Ball& radius, const Ball& bound) const {
    const Ball unit = hull(Ball(-1, derivative_bits), Ball(1, derivative_bits));
    State box{(q + radius * unit).at(derivative_bits)};
    while (box.size() < z_.size()) box.push_back(2 * bound * unit);
    const Matrix J = derivative_over(box, dual_constants_);
    if (!is_finite(J)) return std::nullopt;
    // F(q*, 0) = ((1 + alpha sqrt q*)^2, 0) = (q*, 0) exactly.
    Ball q_reach = abs(J[0][0]) * radius, contraction(0, derivative_bits);
    for (std::size_t j = 1; j < box.size(); ++j) q_reach += abs(J[0][j]) * (2 * bound);
    for (std::size_t i = 1; i < box.size(); ++i) {
      // delta' vanishes with delta for every q, so only derivatives by delta count.
      Ball row(0, derivative_bits);
      for (std::size_t j = 1; j < box.size(); ++j) row += abs(J[i][j]);
      contraction = max(contraction, row);
    }
    if (!certainly(less(q_reach, radius)) || !certainly(less(contraction, Ball(1)))) return std::nullopt;
    // The q-row of K inside (-radius, radius), the delta-rows inside (-2 bound, 2 bound): the derivative of
    // delta' by q is at most its change by delta, and vanishes at delta = 0.
    for (std::size_t i = 1; i < box.size(); ++i) {
      Ball reach = abs(J[i][0]) * radius;
      for (std::size_t j = 1; j < box.size(); ++j) reach += abs(J[i][j]) * (2 * bound);
      if (!certainly(less(reach, 2 * bound))) return std::nullopt;
    }
    return FixedPoint{layer, q, radius, bound, contraction};
  }

  /// The state at a later layer.
  StackState inside(const FixedPoint& f, long layers) const {
    const Ball unit = hull(Ball(-1, derivative_bits), Ball(1, derivative_bits));
    const Ball delta = up_from_zero(f.delta_bound * pow(f.contraction, Integer(layers - f.layer))).at(bits_);
    return {layers, f.q + f.q_radius * unit, State(z_.size() - 1, delta), std::nullopt};
  }

  const LayerStack& stack_;
  const StackOptions& options_;
  Bits bits_;
  LayerConstants<Ball> constants_, coarse_;
  LayerConstants<Dual<Ball>> dual_constants_;
  State z_, box_;
  Matrix derivative_;
  std::optional<ComposedJacobian<Ball>> jacobian_;
};

/// delta is good when it has its digits, or when it reaches 0 and its upper end is far below them.
bool good(const Ball& delta, long digits) {
  if (has_digits(delta, digits)) return true;
  if (!delta.is_finite()) return false;
  const Ball upper = Ball::exactly(delta.upper(), 64);
  return delta.contains_zero() &&
         certainly(less(upper, scaled(Ball(1, 64), Integer(-bits_for_digits(digits)))));
}

/// Whether inner products far below 1 have their digits too.
bool resolves_small_products(const StackResult& r, long digits) {
  return std::all_of(r.states.begin(), r.states.end(), [&](const StackState& s) {
    for (std::size_t b = 0; b < s.delta.size(); ++b)
      if (!has_digits(s.inner_product(b), digits)) return false;
    return true;
  });
}

bool good(const StackResult& r, long digits) {
  return std::all_of(r.states.begin(), r.states.end(), [&](const StackState& s) {
    return has_digits(s.q, digits) && (!s.jacobian_norm || has_digits(*s.jacobian_norm, digits)) &&
           std::all_of(s.delta.begin(), s.delta.end(), [&](const Ball& x) { return good(x, digits); });
  });
}

void require_valid(const LayerStack& s, std::span<const long> layers, bool jacobian) {
  Configuration c{s.geometry, s.n, critical_scale({0, 0}), {s.alpha, s.alpha}, {s.q, s.q}, s.d};
  validate(c);
  if (!c.is_point()) throw InputError("many layers need exact inner products, found a box");
  if (layers.empty() || layers.front() < 0 || !std::is_sorted(layers.begin(), layers.end()))
    throw InputError("numbers of layers must ascend from 0 or more");
  if (!jacobian) return;
  if (!std::holds_alternative<Simplex>(s.geometry))
    throw InputError("the composed Jacobian is available on the simplex only");
  if (compare(s.n, PowerProduct(3)) < 0 || compare(s.d, s.n) < 0)
    throw InputError("the composed Jacobian needs d >= n >= 3");
}

}  // namespace

Ball StackState::inner_product(std::size_t b) const {
  const Ball r = 1 - delta[b];
  // Outputs are combinations of directions at angles of at most 90 degrees, with positive coefficients.
  return r.is_finite() && r.contains_zero() ? up_from_zero(r) : r;
}

StackResult iterate(const LayerStack& stack, std::span<const long> layers, const StackOptions& options) {
  require_digits(options.digits);
  require_valid(stack, layers, options.jacobian);
  if (!certainly(stack.beta(256).is_nonnegative())) throw InputError("beta must not be negative");
  const Bits start_bits = bits_for_digits(options.digits) + 128;
  const Bits limit = options.max_bits != 0 ? options.max_bits : default_max_bits(options.digits);
  return raise_precision(
      start_bits, limit, [&](Bits bits) { return Iteration(stack, options, bits).run(layers); },
      // Inner products of 10^-100 and less would cost any precision: an enclosure that reaches 0 will do.
      [&](const StackResult& r) {
        return good(r, options.digits) &&
               (r.bits >= std::min(limit, 8 * start_bits) || resolves_small_products(r, options.digits));
      },
      [&](const StackResult& r) {
        throw_precision_limit(r.states.back().delta.back(), options.digits, limit);
      });
}

Attended attended(const LayerStack& stack, long digits, Bits max_bits) {
  require_digits(digits);
  const std::array<long, 1> none{0};
  require_valid(stack, none, false);
  const Bits limit = max_bits != 0 ? max_bits : default_max_bits(digits);
  return raise_precision(
      bits_for_digits(digits) + 64, limit,
      [&](Bits bits) {
        const LayerConstants<Ball> k = constants(stack, bits);
        const State z = start(stack, bits);
        if (z.size() == 2) {
          const auto layer = simplex_layer(k, z[0], z[1]);
          return Attended{layer.self_weight(), layer.participation()};
        }
        const auto layer = banded_layer(k, z);
        return Attended{layer.self_weight(), layer.participation()};
      },
      [&](const Attended& a) {
        return has_digits(a.self_weight, digits) && has_digits(a.participation, digits);
      },
      [&](const Attended& a) { throw_precision_limit(a.participation, digits, limit); });
}

}  // namespace critscale
