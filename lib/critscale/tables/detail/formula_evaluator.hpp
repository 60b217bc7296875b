// The value of a formula over any kind of numbers: what is done entry by entry, over which indices, and in
// what order. The numbers bring their own arithmetic (formula_value.cpp, formula_approximate.cpp). Private to
// tables/; uses formula.hpp.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/number/errors.hpp"
#include "critscale/tables/formula.hpp"

namespace critscale {

inline constexpr std::string_view formula_axis_order = "ghijdcb";

/// Goes through the entries over some indices, the last fastest, and knows where each stands in two tensors
/// over other indices.
class FormulaWalk {
 public:
  FormulaWalk(const std::map<char, std::size_t>& sizes, const std::string& axes, const std::string& a,
              const std::string& b)
      : rank_(axes.size()) {
    for (std::size_t k = 0; k < rank_; ++k) {
      size_[k] = sizes.at(axes[k]);
      count_ *= size_[k];
      step_a_[k] = step(sizes, a, axes[k]);
      step_b_[k] = step(sizes, b, axes[k]);
    }
  }
  std::size_t count() const { return count_; }
  std::size_t a() const { return a_; }
  std::size_t b() const { return b_; }
  void next() {
    for (std::size_t k = rank_; k-- > 0;) {
      a_ += step_a_[k];
      b_ += step_b_[k];
      if (++at_[k] < size_[k]) return;
      a_ -= step_a_[k] * size_[k];
      b_ -= step_b_[k] * size_[k];
      at_[k] = 0;
    }
  }

  /// How far apart neighbours along an axis stand in a tensor over `axes`; 0 where it has no such axis.
  static std::size_t step(const std::map<char, std::size_t>& sizes, const std::string& axes, char axis) {
    const std::size_t found = axes.find(axis);
    if (found == std::string::npos) return 0;
    std::size_t r = 1;
    for (std::size_t k = found + 1; k < axes.size(); ++k) r *= sizes.at(axes[k]);
    return r;
  }

 private:
  std::size_t rank_, count_ = 1, a_ = 0, b_ = 0;
  std::array<std::size_t, formula_axis_order.size()> size_{}, at_{}, step_a_{}, step_b_{};
};

/// `Numbers` gives Number, of(Rational), whole(long), apply(node, x), combine(node, x, y), plus, times,
/// quotient, held(x, format), larger, positive_or_one, and inside(j, limit, x, first): x where key j is (for
/// `first`) or is not one of the first `limit`, else 0.
template <class Numbers>
class FormulaEvaluator {
 public:
  using Number = typename Numbers::Number;
  using Tensor = FormulaTensorOf<Number>;

  /// Values of nodes that `right` has too, over the same inputs, are taken from there.
  FormulaEvaluator(const Formula& f, const FormulaInputsOf<Number>& inputs, const Numbers& numbers,
                   const FormulaEvaluator* right = nullptr)
      : f_(f),
        in_(inputs),
        numbers_(numbers),
        right_(right && right->f_.is_interleaved == f.is_interleaved ? right : nullptr) {
    values_.resize(f_.nodes.size());
    known_.assign(f_.nodes.size(), false);
    shared_.assign(f_.nodes.size(), Shared::unknown);
  }

  Tensor run() {
    Tensor r = value(f_.result());
    if (f_.is_interleaved) deal_heads(r, true);
    if (f_.spread != Formula::Spread::none) spread(r);
    return r;
  }

 private:
  enum class Shared : char { unknown, yes, no };

  std::size_t size(char axis) const { return in_.sizes.at(axis); }
  std::size_t count(const std::string& axes) const {
    std::size_t r = 1;
    for (const char a : axes) r *= size(a);
    return r;
  }

  /// Whether the right formula has this node, computed from the same.
  bool is_shared(std::size_t node) {
    if (!right_) return false;
    if (shared_[node] != Shared::unknown) return shared_[node] == Shared::yes;
    bool r = node < right_->f_.nodes.size() && f_.nodes[node] == right_->f_.nodes[node];
    if (r)
      for (const std::size_t a : f_.nodes[node].args) r = r && is_shared(a);
    shared_[node] = r ? Shared::yes : Shared::no;
    return r;
  }

  const Tensor& value(std::size_t node) {
    const FormulaNode& n = f_.nodes[node];
    const bool passes = n.op == FormulaOp::line || n.op == FormulaOp::same || n.op == FormulaOp::prefer ||
                        n.op == FormulaOp::instead;
    if (passes && !n.held) return value(n.args[0]);
    if (is_shared(node) && right_->known_[node]) return right_->values_[node];
    if (known_[node]) return values_[node];
    Tensor r = passes ? value(n.args[0]) : n.op == FormulaOp::sum ? sum(n) : compute(n);
    if (n.held && n.op != FormulaOp::sum)
      for (Number& x : r.entries) x = numbers_.held(x, *n.held);
    values_[node] = std::move(r);
    known_[node] = true;
    return values_[node];
  }

  Tensor compute(const FormulaNode& n) {
    switch (n.op) {
      case FormulaOp::input:
        return input(n);
      case FormulaOp::number:
        return {"", {numbers_.of(n.value)}};
      case FormulaOp::first:
      case FormulaOp::first_complement:
        return first(n);
      default:
        return n.args.size() == 2 ? binary(n) : unary(n);
    }
  }

  Tensor input(const FormulaNode& n) const {
    const auto found = in_.values.find(n.axes.empty() ? n.name : fmt::format("{}[{}]", n.name, n.axes));
    if (found == in_.values.end()) throw InputError(fmt::format("the formula needs {}", n.name));
    Tensor r = found->second;
    if (f_.is_interleaved) deal_heads(r, false);
    return r;
  }

  /// Query head a = g G + h, G to a key head: where the heads are dealt in turn, key head g has the heads h K
  /// + g of K key heads. Puts each head where its key head has it, or back.
  void deal_heads(Tensor& x, bool back) const {
    if (x.axes.find('h') == std::string::npos || x.axes.find('g') == std::string::npos) return;
    const std::size_t group = size('h'), key_heads = size('g'),
                      width = x.entries.size() / (group * key_heads);
    std::vector<Number> r(x.entries.size());
    for (std::size_t g = 0; g < key_heads; ++g)
      for (std::size_t h = 0; h < group; ++h)
        for (std::size_t k = 0; k < width; ++k) {
          const std::size_t grouped = (g * group + h) * width + k, dealt = (h * key_heads + g) * width + k;
          r[back ? dealt : grouped] = x.entries[back ? grouped : dealt];
        }
    x.entries = std::move(r);
  }

  Tensor unary(const FormulaNode& n) {
    const Tensor& x = value(n.args[0]);
    Tensor r{x.axes, {}};
    r.entries.reserve(x.entries.size());
    for (const Number& e : x.entries) r.entries.push_back(numbers_.apply(n, e));
    return r;
  }

  std::string joined(const std::string& a, const std::string& b) const {
    std::string r;
    for (const char axis : formula_axis_order)
      if (a.find(axis) != std::string::npos || b.find(axis) != std::string::npos) r += axis;
    return r;
  }

  Tensor binary(const FormulaNode& n) {
    const Tensor &a = value(n.args[0]), &b = value(n.args[1]);
    Tensor r{joined(a.axes, b.axes), {}};
    FormulaWalk walk(in_.sizes, r.axes, a.axes, b.axes);
    r.entries.reserve(walk.count());
    for (std::size_t i = 0; i < walk.count(); ++i, walk.next())
      r.entries.push_back(numbers_.combine(n, a.entries[walk.a()], b.entries[walk.b()]));
    return r;
  }

  /// The first keys, as many as the first argument says.
  Tensor first(const FormulaNode& n) {
    const Tensor &limit = value(n.args[0]), &x = value(n.args[1]);
    Tensor r{joined("j", joined(limit.axes, x.axes)), {}};
    FormulaWalk walk(in_.sizes, r.axes, limit.axes, x.axes), keys(in_.sizes, r.axes, "j", "");
    r.entries.reserve(walk.count());
    for (std::size_t i = 0; i < walk.count(); ++i, walk.next(), keys.next())
      r.entries.push_back(
          numbers_.inside(keys.a(), limit.entries[walk.a()], x.entries[walk.b()], n.op == FormulaOp::first));
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

  Tensor sum(const FormulaNode& n) {
    const Tensor& terms = value(n.args[0]);
    const char axis = n.name[0];
    if (terms.axes.find(axis) == std::string::npos) return terms;
    Tensor r;
    for (const char a : terms.axes)
      if (a != axis) r.axes += a;
    const bool has_rows = terms.axes.find('i') != std::string::npos && axis == 'j';
    const std::size_t step = FormulaWalk::step(in_.sizes, terms.axes, axis), length = size(axis);
    FormulaWalk walk(in_.sizes, r.axes, terms.axes, has_rows ? "i" : "");
    r.entries.reserve(walk.count());
    std::vector<const Number*> group;
    for (std::size_t i = 0; i < walk.count(); ++i, walk.next()) {
      group.clear();
      for (std::size_t at = 0; at < length; ++at)
        for (std::size_t k = times_counted(n.slip, at, length, has_rows && at == walk.b()); k > 0; --k)
          group.push_back(&terms.entries[walk.a() + at * step]);
      r.entries.push_back(total(n, group));
    }
    return r;
  }

  Number total(const FormulaNode& n, const std::vector<const Number*>& terms) const {
    Number r = numbers_.whole(0);
    if (!n.held) {
      for (const Number* t : terms) r = numbers_.plus(r, *t);
      return r;
    }
    Number scale = numbers_.whole(1);
    if (n.is_shifted && !terms.empty()) {
      scale = *terms[0];
      for (const Number* t : terms) scale = numbers_.larger(scale, *t);
      scale = numbers_.positive_or_one(scale);
    }
    for (const Number* t : terms)
      r = numbers_.held(numbers_.plus(r, numbers_.held(numbers_.quotient(*t, scale), *n.held)), *n.held);
    return numbers_.times(r, scale);
  }

  /// Along the answer's rows.
  void spread(Tensor& r) const {
    if (r.axes.empty()) return;
    const std::size_t found = r.axes.find('i'), axis = found == std::string::npos ? 0 : found;
    const std::size_t rows = size(r.axes[axis]), width = count(r.axes.substr(axis + 1));
    const std::size_t from = f_.spread == Formula::Spread::first ? 0 : rows - 1;
    const std::vector<Number> entries = r.entries;
    for (std::size_t i = 0; i < r.entries.size(); ++i) {
      const std::size_t row = i / width % rows;
      r.entries[i] = entries[i - row * width + from * width];
    }
  }

  const Formula& f_;
  const FormulaInputsOf<Number>& in_;
  Numbers numbers_;
  const FormulaEvaluator* right_;
  std::vector<Tensor> values_;
  std::vector<bool> known_;
  std::vector<Shared> shared_;
};

}  // namespace critscale
