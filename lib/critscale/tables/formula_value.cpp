// The value of a formula, slips included.
#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/errors.hpp"
#include "critscale/tables/formula.hpp"

namespace critscale {

namespace {

using Kind = Outcome::Kind;

Extended special(Kind kind) { return {kind, Ball()}; }
Extended infinity(bool negative) { return special(negative ? Kind::minus_infinity : Kind::plus_infinity); }
Extended number(Ball x) { return {Kind::number, std::move(x)}; }

bool is_number(const Extended& x) { return x.kind == Kind::number; }
bool is_nan(const Extended& x) { return x.kind == Kind::nan; }
bool is_zero(const Extended& x) { return is_number(x) && arb_is_zero(x.number.raw()) != 0; }
/// -1, 0 or 1; undecided numbers by their midpoint.
int sign(const Extended& x) {
  if (x.kind == Kind::plus_infinity) return 1;
  if (x.kind == Kind::minus_infinity) return -1;
  return arf_sgn(arb_midref(x.number.raw()));
}
Extended checked(Ball x) { return x.is_finite() ? number(std::move(x)) : special(Kind::nan); }

Extended negative(const Extended& x) {
  if (is_number(x)) return number(-x.number);
  return is_nan(x) ? x : infinity(sign(x) > 0);
}

Extended plus(const Extended& a, const Extended& b) {
  if (is_number(a) && is_number(b)) return number(a.number + b.number);
  if (is_nan(a) || is_nan(b)) return special(Kind::nan);
  if (is_number(a)) return b;
  if (is_number(b)) return a;
  return a.kind == b.kind ? a : special(Kind::nan);
}

Extended times(const Extended& a, const Extended& b) {
  if (is_number(a) && is_number(b)) return number(a.number * b.number);
  if (is_nan(a) || is_nan(b) || sign(a) * sign(b) == 0) return special(Kind::nan);
  return infinity(sign(a) * sign(b) < 0);
}

Extended quotient(const Extended& a, const Extended& b) {
  if (is_nan(a) || is_nan(b)) return special(Kind::nan);
  if (!is_number(b)) return is_number(a) ? number(Ball(0, 64)) : special(Kind::nan);
  if (is_zero(b)) return is_zero(a) ? special(Kind::nan) : infinity(sign(a) < 0);
  if (!is_number(a)) return infinity(sign(a) * sign(b) < 0);
  return checked(a.number / b.number);
}

/// exp(x), exp(x ln b) or exp(x/ln b). Slips ask for exponentials of exponentials: far beyond every format
/// they are 0 or infinite, as there.
Extended exponential(const Extended& x, int base, Bits bits) {
  if (is_nan(x)) return x;
  if (!is_number(x)) return sign(x) < 0 ? number(Ball(0, bits)) : x;
  if (arf_cmpabs_2exp_si(arb_midref(x.number.raw()), 2048) > 0)
    return sign(x) < 0 ? number(Ball(0, bits)) : infinity(false);
  if (base == 0) return checked(exp(x.number));
  const Ball scale = log(Ball(std::abs(base), bits));
  return checked(exp(base > 0 ? Ball(x.number * scale) : Ball(x.number / scale)));
}

Extended logarithm(const Extended& x, int base, Bits bits) {
  if (is_nan(x) || x.kind == Kind::plus_infinity) return x;
  if (is_zero(x)) return infinity(true);
  if (sign(x) <= 0) return special(Kind::nan);
  Ball r = log(x.number);
  if (base > 0) r /= log(Ball(base, bits));
  if (base < 0) r *= log(Ball(-base, bits));
  return checked(std::move(r));
}

Extended tangent(const Extended& x, Bits bits) {
  if (is_nan(x)) return x;
  if (!is_number(x)) return number(Ball(sign(x), bits));
  Ball r = x.number;
  arb_tanh(r.raw(), r.raw(), bits);
  return checked(std::move(r));
}

Extended raised(const Extended& x, const Rational& k, Bits bits) {
  if (is_nan(x) || k == 0) return is_nan(x) ? x : number(Ball(1, bits));
  if (!is_number(x)) {
    if (sign(x) < 0) return special(Kind::nan);
    return k > 0 ? x : number(Ball(0, bits));
  }
  if (is_zero(x)) return k > 0 ? x : infinity(false);
  if (is_integer(k)) return checked(pow(x.number, numerator(k)));
  if (sign(x) < 0) return special(Kind::nan);
  if (k == Rational(1, 2)) return checked(sqrt(x.number));
  return checked(exp(Ball(k, bits) * log(x.number)));
}

Extended rounded_down(const Extended& x, bool up, Bits bits) {
  if (!is_number(x)) return x;
  Ball r(0, bits);
  if (up)
    arf_ceil(arb_midref(r.raw()), arb_midref(x.number.raw()));
  else
    arf_floor(arb_midref(r.raw()), arb_midref(x.number.raw()));
  return number(std::move(r));
}

bool is_less(const Extended& a, const Extended& b) {
  if (is_number(a) && is_number(b))
    return arf_cmp(arb_midref(a.number.raw()), arb_midref(b.number.raw())) < 0;
  return sign(plus(b, negative(a))) > 0;
}

Extended larger(const Extended& a, const Extended& b) {
  if (is_nan(a) || is_nan(b)) return special(Kind::nan);
  if (a.kind == b.kind && !is_number(a)) return a;
  return is_less(a, b) ? b : a;
}

/// Rounded to a format: overflow and underflow included.
Extended held_in(const Extended& x, const BinaryFormat& format, Bits bits) {
  if (!is_number(x)) return x;
  const Dyadic v = from_bits(format, round_to(format, x.number.midpoint()));
  if (!v.is_finite()) return infinity(sign(x) < 0);
  return number(Ball::exactly(v, bits));
}

constexpr std::string_view axis_order = "ghijdcb";

class Evaluator {
 public:
  Evaluator(const Formula& f, const FormulaInputs& inputs, Bits bits) : f_(f), in_(inputs), bits_(bits) {}

  FormulaTensor run() {
    values_.resize(f_.nodes.size());
    known_.assign(f_.nodes.size(), false);
    FormulaTensor r = value(f_.result());
    if (f_.is_interleaved) deal_heads(r, true);
    if (f_.spread != Formula::Spread::none) spread(r);
    return r;
  }

 private:
  std::size_t size(char axis) const { return in_.sizes.at(axis); }
  std::size_t count(const std::string& axes) const {
    std::size_t r = 1;
    for (const char a : axes) r *= size(a);
    return r;
  }

  const FormulaTensor& value(std::size_t node) {
    if (known_[node]) return values_[node];
    known_[node] = true;
    const FormulaNode& n = f_.nodes[node];
    FormulaTensor r = n.op == FormulaOp::sum ? sum(n) : compute(n);
    if (n.held && n.op != FormulaOp::sum)
      for (Extended& x : r.entries) x = held_in(x, *n.held, bits_);
    return values_[node] = std::move(r);
  }

  FormulaTensor compute(const FormulaNode& n) {
    switch (n.op) {
      case FormulaOp::input:
        return input(n);
      case FormulaOp::number:
        return {"", {number(Ball(n.value, bits_))}};
      case FormulaOp::line:
        return value(n.args[0]);
      case FormulaOp::same:
      case FormulaOp::prefer:
      case FormulaOp::instead:
        return value(n.args[0]);
      case FormulaOp::first:
      case FormulaOp::first_complement:
        return first(n);
      default:
        return n.args.size() == 2 ? binary(n) : unary(n);
    }
  }

  FormulaTensor input(const FormulaNode& n) const {
    const auto found = in_.values.find(n.axes.empty() ? n.name : fmt::format("{}[{}]", n.name, n.axes));
    if (found == in_.values.end()) throw InputError(fmt::format("the formula needs {}", n.name));
    if (!f_.is_interleaved || n.axes.find('h') == std::string::npos) return found->second;
    FormulaTensor r = found->second;
    deal_heads(r, false);
    return r;
  }

  /// Query head a = g G + h, G to a key head: where the heads are dealt in turn, key head g has the heads h K
  /// + g of K key heads. Puts each head where its key head has it, or back.
  void deal_heads(FormulaTensor& x, bool back) const {
    if (x.axes.find('h') == std::string::npos || x.axes.find('g') == std::string::npos) return;
    const std::size_t group = size('h'), key_heads = size('g'),
                      width = x.entries.size() / (group * key_heads);
    std::vector<Extended> r(x.entries.size());
    for (std::size_t g = 0; g < key_heads; ++g)
      for (std::size_t h = 0; h < group; ++h)
        for (std::size_t k = 0; k < width; ++k) {
          const std::size_t grouped = (g * group + h) * width + k, dealt = (h * key_heads + g) * width + k;
          r[back ? dealt : grouped] = x.entries[back ? grouped : dealt];
        }
    x.entries = std::move(r);
  }

  FormulaTensor unary(const FormulaNode& n) {
    FormulaTensor r = value(n.args[0]);
    for (Extended& x : r.entries) x = apply(n, x);
    return r;
  }
  Extended apply(const FormulaNode& n, const Extended& x) const {
    switch (n.op) {
      case FormulaOp::negate:
        return negative(x);
      case FormulaOp::power:
        return raised(x, n.value, bits_);
      case FormulaOp::exp:
        return exponential(x, n.base, bits_);
      case FormulaOp::log:
        return logarithm(x, n.base, bits_);
      case FormulaOp::tanh:
        return tangent(x, bits_);
      case FormulaOp::floor:
        return rounded_down(x, false, bits_);
      case FormulaOp::ceil:
        return rounded_down(x, true, bits_);
      case FormulaOp::xlogx:
        return is_zero(x) ? x : times(x, logarithm(x, n.base, bits_));
      default:
        throw Error("a formula's node has no such operation");
    }
  }

  static Extended combine(const FormulaNode& n, const Extended& a, const Extended& b) {
    switch (n.op) {
      case FormulaOp::add:
        return plus(a, b);
      case FormulaOp::subtract:
        return plus(a, negative(b));
      case FormulaOp::multiply:
        return times(a, b);
      case FormulaOp::divide:
        return quotient(a, b);
      case FormulaOp::over:
        return is_zero(a) && is_zero(b) ? a : quotient(a, b);
      case FormulaOp::max:
        return larger(a, b);
      case FormulaOp::unmask:
        return a.kind == Kind::minus_infinity ? b : a;
      case FormulaOp::min:
        return negative(larger(negative(a), negative(b)));
      default:
        throw Error("a formula's node has no such operation");
    }
  }

  /// Where entry `index` over `axes` stands in a tensor over fewer of them.
  std::size_t position(const std::string& axes, std::size_t index, const std::string& own) const {
    std::size_t r = 0, scale = 1;
    for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
      const std::size_t at = index % size(*a);
      index /= size(*a);
      if (own.find(*a) == std::string::npos) continue;
      r += at * scale;
      scale *= size(*a);
    }
    return r;
  }

  FormulaTensor binary(const FormulaNode& n) {
    const FormulaTensor &a = value(n.args[0]), &b = value(n.args[1]);
    FormulaTensor r;
    for (const char axis : axis_order)
      if (a.axes.find(axis) != std::string::npos || b.axes.find(axis) != std::string::npos) r.axes += axis;
    const std::size_t entries = count(r.axes);
    r.entries.reserve(entries);
    for (std::size_t i = 0; i < entries; ++i)
      r.entries.push_back(combine(n, a.entries[a.axes == r.axes ? i : position(r.axes, i, a.axes)],
                                  b.entries[b.axes == r.axes ? i : position(r.axes, i, b.axes)]));
    return r;
  }

  /// The first keys, as many as the first argument says.
  FormulaTensor first(const FormulaNode& n) {
    const FormulaTensor &limit = value(n.args[0]), &x = value(n.args[1]);
    FormulaTensor r;
    for (const char axis : axis_order)
      if (axis == 'j' || (limit.axes + x.axes).find(axis) != std::string::npos) r.axes += axis;
    const std::size_t entries = count(r.axes);
    for (std::size_t i = 0; i < entries; ++i) {
      const Extended at = number(Ball(static_cast<long>(position(r.axes, i, "j")), bits_));
      const bool inside = is_less(at, limit.entries[position(r.axes, i, limit.axes)]);
      if (inside == (n.op == FormulaOp::first))
        r.entries.push_back(x.entries[position(r.axes, i, x.axes)]);
      else
        r.entries.push_back(number(Ball(0, bits_)));
    }
    return r;
  }

  static std::size_t times_counted(SumSlip slip, std::size_t at, std::size_t n, bool own) {
    switch (slip) {
      case SumSlip::without_first:
        return at == 0 ? 0 : 1;
      case SumSlip::without_last:
        return at + 1 == n ? 0 : 1;
      case SumSlip::first_twice:
        return at == 0 ? 2 : 1;
      case SumSlip::last_twice:
        return at + 1 == n ? 2 : 1;
      case SumSlip::without_own:
        return own ? 0 : 1;
      case SumSlip::only_first:
        return at == 0 ? 1 : 0;
      case SumSlip::only_last:
        return at + 1 == n ? 1 : 0;
      default:
        return 1;
    }
  }

  FormulaTensor sum(const FormulaNode& n) {
    const FormulaTensor& terms = value(n.args[0]);
    const char axis = n.name[0];
    if (terms.axes.find(axis) == std::string::npos) return terms;
    FormulaTensor r;
    for (const char a : terms.axes)
      if (a != axis) r.axes += a;
    std::vector<std::vector<Extended>> groups(count(r.axes));
    const bool has_rows = terms.axes.find('i') != std::string::npos && axis == 'j';
    for (std::size_t i = 0; i < terms.entries.size(); ++i) {
      const std::size_t at = position(terms.axes, i, n.name);
      const bool own = has_rows && at == position(terms.axes, i, "i");
      for (std::size_t k = times_counted(n.slip, at, size(axis), own); k > 0; --k)
        groups[position(terms.axes, i, r.axes)].push_back(terms.entries[i]);
    }
    for (const auto& group : groups) r.entries.push_back(total(n, group));
    return r;
  }

  Extended total(const FormulaNode& n, const std::vector<Extended>& terms) const {
    Extended scale = number(Ball(1, bits_));
    if (n.held && n.is_shifted && !terms.empty()) {
      scale = terms[0];
      for (const Extended& t : terms)
        if (is_less(scale, t)) scale = t;
      if (!is_number(scale) || sign(scale) <= 0) scale = number(Ball(1, bits_));
    }
    Extended r = number(Ball(0, bits_));
    for (const Extended& t : terms) {
      if (!n.held)
        r = plus(r, t);
      else
        r = held_in(plus(r, held_in(quotient(t, scale), *n.held, bits_)), *n.held, bits_);
    }
    return n.held ? times(r, scale) : r;
  }

  /// Along the answer's rows.
  void spread(FormulaTensor& r) const {
    if (r.axes.empty()) return;
    const std::size_t found = r.axes.find('i'), axis = found == std::string::npos ? 0 : found;
    const std::size_t rows = size(r.axes[axis]), width = count(r.axes.substr(axis + 1));
    const std::size_t from = f_.spread == Formula::Spread::first ? 0 : rows - 1;
    const std::vector<Extended> entries = r.entries;
    for (std::size_t i = 0; i < r.entries.size(); ++i) {
      const std::size_t row = i / width % rows;
      r.entries[i] = entries[i - row * width + from * width];
    }
  }

  const Formula& f_;
  const FormulaInputs& in_;
  Bits bits_;
  std::vector<FormulaTensor> values_;
  std::vector<bool> known_;
};

}  // namespace

FormulaTensor evaluate(const Formula& f, const FormulaInputs& inputs, Bits bits) {
  return Evaluator(f, inputs, bits).run();
}

}  // namespace critscale
