// Mutations of formulas.
#include "critscale/tables/mutations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace critscale {

namespace {

using Op = FormulaOp;

/// The indices over which a node has entries, in order.
std::string axes_of(const Formula& f, std::size_t node) {
  const FormulaNode& n = f.nodes[node];
  std::string r = n.axes;
  for (const std::size_t a : n.args) r += axes_of(f, a);
  std::sort(r.begin(), r.end());
  r.erase(std::unique(r.begin(), r.end()), r.end());
  if (n.op == Op::sum) std::erase(r, n.name[0]);
  return r;
}

class Mutator {
 public:
  Mutator(const Formula& f, const std::vector<std::string>& scalars) : f_(f), scalars_(scalars) {}

  std::vector<Mutation> run() {
    used_.assign(f_.nodes.size(), false);
    mark_used(f_.result());
    for (at_ = 0; at_ < f_.nodes.size(); ++at_)
      if (used_[at_]) visit(f_.nodes[at_]);
    inputs();
    whole();
    return std::move(r_);
  }

 private:
  /// What the answer is computed from: not what an explicit value replaces.
  void mark_used(std::size_t node) {
    if (used_[node]) return;
    used_[node] = true;
    const FormulaNode& n = f_.nodes[node];
    for (std::size_t k = 0; k < n.args.size(); ++k)
      if ((n.op != Op::prefer && n.op != Op::instead) || k == 0) mark_used(n.args[k]);
  }
  std::string text(std::size_t node) const {
    Formula part = f_;
    part.lines = {{"", node}};
    return to_string(part);
  }

  void add(std::string id, std::string what, Formula f) {
    id += " " + text(at_);
    r_.push_back({std::move(id), std::move(what), std::move(f)});
  }
  /// A copy in which this node is changed.
  template <class Change>
  void change(std::string id, std::string what, const Change& change) {
    Formula m = f_;
    change(m.nodes[at_]);
    add(std::move(id), std::move(what), std::move(m));
  }
  /// This node replaced by one of its operands.
  void keep(std::size_t operand, std::string id, std::string what) {
    change(std::move(id), std::move(what), [&](FormulaNode& n) {
      const std::size_t kept = n.args[operand];
      n = {.op = Op::same, .args = {kept}};
    });
  }
  /// An operand of this node replaced by a new node over it.
  void wrap(std::size_t operand, FormulaNode node, std::string id, std::string what) {
    Formula m = f_;
    node.args.insert(node.args.begin(), m.nodes[at_].args[operand]);
    m.nodes.push_back(std::move(node));
    m.nodes[at_].args[operand] = m.nodes.size() - 1;
    add(std::move(id), std::move(what), std::move(m));
  }
  void replace_op(Op op, std::string id, std::string what) {
    change(std::move(id), std::move(what), [&](FormulaNode& n) { n.op = op; });
  }

  static bool is_one_of(Op op, std::initializer_list<Op> ops) {
    return std::find(ops.begin(), ops.end(), op) != ops.end();
  }

  void visit(const FormulaNode& n) {
    switch (n.op) {
      case Op::add:
      case Op::subtract:
        return terms(n);
      case Op::multiply:
      case Op::divide:
      case Op::over:
        return factors(n);
      case Op::negate:
        return keep(0, "sign-lost", "the sign is left out");
      case Op::power:
        return power(n);
      case Op::exp:
      case Op::log:
      case Op::xlogx:
        return transcendental(n);
      case Op::tanh:
        return keep(0, "tanh-lost", "tanh is left out");
      case Op::floor:
        keep(0, "floor-lost", "the floor is left out");
        return replace_op(Op::ceil, "ceil", "rounded up instead of down");
      case Op::max:
      case Op::min:
        keep(0, "clamp-lost", "the bound is left out");
        keep(1, "clamp-only", "the bound alone");
        return replace_op(n.op == Op::max ? Op::min : Op::max, "clamp-inverted", "the other side is bounded");
      case Op::first:
      case Op::first_complement:
        keep(1, "mask-lost", "the mask is left out");
        return replace_op(n.op == Op::first ? Op::first_complement : Op::first, "mask-inverted",
                          "the mask is inverted");
      case Op::prefer:
        return keep(1, "override-ignored", "the explicit value is ignored");
      case Op::instead:
        return keep(1, "instead", fmt::format("{} in place of {}", text(n.args[1]), text(n.args[0])));
      case Op::sum:
        return sum(n);
      case Op::number:
        return number(n);
      default:
        return;
    }
  }

  void terms(const FormulaNode& n) {
    keep(0, "term-lost", fmt::format("the term {} is left out", text(n.args[1])));
    keep(1, "term-lost", fmt::format("the term {} is left out", text(n.args[0])));
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      Formula m = f_;
      const std::size_t operand = n.args[k];
      m.nodes.push_back({.op = Op::add, .args = {operand, operand}});
      m.nodes[at_].args[k] = m.nodes.size() - 1;
      add("term-twice", fmt::format("the term {} is counted twice", text(operand)), std::move(m));
    }
    if (n.op == Op::add)
      replace_op(Op::subtract, "sign", "subtracted instead of added");
    else
      replace_op(Op::add, "sign", "added instead of subtracted");
  }

  void factors(const FormulaNode& n) {
    const bool divides = n.op != Op::multiply;
    keep(0, divides ? "divisor-lost" : "factor-lost",
         fmt::format("{} {} is left out", divides ? "the division by" : "the factor", text(n.args[1])));
    if (!divides) keep(1, "factor-lost", fmt::format("the factor {} is left out", text(n.args[0])));
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      const std::string factor = text(n.args[k]);
      wrap(k, {.op = Op::power, .value = 2}, "factor-squared", fmt::format("{} is squared", factor));
      wrap(k, {.op = Op::power, .value = Rational(1, 2)}, "factor-rooted",
           fmt::format("the root of {} is taken", factor));
    }
    if (!divides) {
      replace_op(Op::divide, "factor-inverted", fmt::format("divided by {}", text(n.args[1])));
    } else {
      replace_op(Op::multiply, "factor-inverted", fmt::format("multiplied by {}", text(n.args[1])));
      change("quotient-inverted", "the quotient is inverted",
             [](FormulaNode& m) { std::swap(m.args[0], m.args[1]); });
    }
    if (n.op == Op::over) replace_op(Op::divide, "empty-row", "a row that sees no key is divided by 0");
    held(n, "product");
  }

  void power(const FormulaNode& n) {
    keep(0, "power-lost", n.value == 2 ? "not squared" : n.value == Rational(1, 2) ? "no root" : "no power");
    const auto to = [&](const Rational& k, const char* what) {
      if (k != n.value && k != 1)
        change(fmt::format("power-{}", to_string(k)), what, [&](FormulaNode& m) { m.value = k; });
    };
    to(Rational(n.value * 2), "squared once more");
    to(Rational(n.value / 2), "a root too many");
    to(Rational(-n.value), "inverted");
  }

  void transcendental(const FormulaNode& n) {
    for (const int base : {2, 10, -2, -10}) {
      if (n.op == Op::xlogx && base < 0) continue;
      change(fmt::format("base{}", base),
             base > 0 ? fmt::format("base {} for e", base)
                      : fmt::format("converted to base {} although it is natural", -base),
             [&](FormulaNode& m) { m.base = base; });
    }
    if (n.op == Op::xlogx) {
      Formula m = f_;
      m.nodes.push_back({.op = Op::log, .args = {n.args[0]}});
      m.nodes[at_] = {.op = Op::multiply, .args = {n.args[0], m.nodes.size() - 1}};
      add("zero-log-zero", "0 log 0 is not taken as 0", std::move(m));
      keep(0, "log-lost", "the logarithm is left out");
      return;
    }
    keep(0, n.op == Op::exp ? "exp-lost" : "log-lost", "the function is left out");
    if (n.op == Op::log) {
      // ln x = 2 ln sqrt x: applied twice, log(log x) is a slip of schedules.
      wrap(0, {.op = Op::log}, "log-twice", "the logarithm is applied twice");
    }
    order(n);
    if (n.op == Op::exp && is_over_keys()) unshifted();
  }

  bool is_over_keys() const {
    return std::any_of(f_.nodes.begin(), f_.nodes.end(),
                       [](const FormulaNode& n) { return n.op == Op::sum && n.name == "j"; });
  }

  /// exp without the maximum subtracted first: this and all that follows overflows in some format.
  void unshifted() {
    for (const BinaryFormat* format : {&binary16, &binary32, &binary64}) {
      Formula m = f_;
      for (std::size_t i = at_; i < m.nodes.size(); ++i)
        if (!is_one_of(m.nodes[i].op, {Op::input, Op::number, Op::line, Op::log, Op::negate, Op::xlogx}))
          m.nodes[i].held = format;
      const std::string id = fmt::format("no-shift-{}", format->name),
                        what = fmt::format("no maximum subtracted before exp, {}", format->name);
      add(id, what, m);
      if (axes_of(f_, f_.result()).find('j') == std::string::npos) continue;
      // Weights that are normalised once more: one nan makes all of them nan.
      const std::size_t weights = m.result();
      m.nodes.push_back({.op = Op::sum, .args = {weights}, .name = "j"});
      m.nodes.push_back({.op = Op::divide, .args = {weights, m.nodes.size() - 1}});
      m.lines.back() = {"w", weights};
      m.lines.emplace_back("", m.nodes.size() - 1);
      add(id + "-all", what + ", nan in all entries", std::move(m));
    }
  }
  /// f(g(x)) for g(f(x)).
  void order(const FormulaNode& n) {
    const FormulaNode& inner = f_.nodes[n.args[0]];
    if (inner.op == n.op || !is_one_of(inner.op, {Op::exp, Op::log, Op::tanh, Op::floor, Op::power, Op::sum}))
      return;
    Formula m = f_;
    FormulaNode outer = inner, new_inner = n;
    new_inner.args[0] = inner.args[0];
    m.nodes.push_back(new_inner);
    outer.args[0] = m.nodes.size() - 1;
    m.nodes[at_] = outer;
    add("order", "in the wrong order", std::move(m));
  }

  void sum(const FormulaNode& n) {
    using enum SumSlip;
    for (const auto& [slip, what] : {std::pair{without_first, "the first term is left out"},
                                     {without_last, "the last term is left out"},
                                     {first_twice, "the first term is counted twice"},
                                     {last_twice, "the last term is counted twice"},
                                     {without_own, "the row's own term is left out"}}) {
      const bool has_rows = std::any_of(f_.nodes.begin(), f_.nodes.end(), [](const FormulaNode& m) {
        return m.op == Op::input && m.axes.find('i') != std::string::npos;
      });
      if (slip == without_own && (!has_rows || n.name != "j")) continue;
      change("sum", what, [&, s = slip](FormulaNode& m) { m.slip = s; });
    }
    if (n.name == "h")
      for (const auto& [slip, what] : {std::pair{only_first, "the first query head of the group alone"},
                                       {only_last, "the last query head of the group alone"}})
        change("sum", what, [&, s = slip](FormulaNode& m) { m.slip = s; });
    keep(0, "sum-lost", "the sum is left out");
    held(n, "sum");
    order(n);
  }

  /// Kept in a narrow format.
  void held(const FormulaNode& n, const char* what) {
    for (const BinaryFormat* format : {&bfloat16, &binary16, &binary32})
      change(fmt::format("{}-{}", what, format->name),
             fmt::format("the {} is kept in {}", what, format->name), [&](FormulaNode& m) {
               m.held = format;
               m.is_shifted = n.op == Op::sum;
             });
  }

  void number(const FormulaNode& n) {
    for (const long step : {1, -1, 2, -2})
      if (is_integer(n.value))
        change("number",
               fmt::format("{} in place of {}", to_string(Rational(n.value + step)), to_string(n.value)),
               [&](FormulaNode& m) { m.value += step; });
    change("number", fmt::format("{} in place of {}", to_string(Rational(-n.value)), to_string(n.value)),
           [](FormulaNode& m) { m.value = -m.value; });
  }

  // --- what concerns every occurrence of an input ---------------------------------------------------

  std::vector<std::size_t> occurrences(const std::string& name) const {
    std::vector<std::size_t> r;
    for (std::size_t i = 0; i < f_.nodes.size(); ++i)
      if (used_[i] && f_.nodes[i].op == Op::input && f_.nodes[i].name == name) r.push_back(i);
    return r;
  }

  void inputs() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < f_.nodes.size(); ++i)
      if (const FormulaNode& n = f_.nodes[i]; used_[i] && n.op == Op::input && n.axes.empty() &&
                                              std::find(names.begin(), names.end(), n.name) == names.end())
        names.push_back(n.name);
    for (const std::string& name : names) {
      const std::vector<std::size_t> all = occurrences(name);
      at_ = all[0];
      scalar(name, all);
      for (const std::size_t one : all) {
        if (all.size() == 1) break;
        at_ = one;
        scalar(name, {one});
      }
    }
  }

  template <class Change>
  void change_all(const std::vector<std::size_t>& nodes, std::string id, std::string what, const Change& c) {
    Formula m = f_;
    for (const std::size_t i : nodes) c(m, m.nodes[i]);
    if (nodes.size() == 1 && occurrences(f_.nodes[nodes[0]].name).size() > 1) what += " in one place";
    add(std::move(id), std::move(what), std::move(m));
  }

  /// Whether a node is, or is computed from, one of these.
  bool needs(std::size_t node, const std::vector<std::size_t>& of) const {
    if (std::find(of.begin(), of.end(), node) != of.end()) return true;
    const std::vector<std::size_t>& args = f_.nodes[node].args;
    return std::any_of(args.begin(), args.end(), [&](std::size_t a) { return needs(a, of); });
  }

  void scalar(const std::string& name, const std::vector<std::size_t>& nodes) {
    for (const std::string& other : scalars_)
      if (other != name)
        change_all(nodes, "instead-" + other, fmt::format("{} in place of {}", other, name),
                   [&](Formula&, FormulaNode& n) { n.name = other; });
    // The value of another line that does not itself need this input, where the answer keeps its shape.
    for (const auto& [line, node] : f_.lines) {
      if (line.empty() || needs(node, nodes)) continue;
      const auto change = [&, l = line, v = node](Formula&, FormulaNode& n) {
        n = {.op = Op::line, .args = {v}, .name = l};
      };
      Formula m = f_;
      for (const std::size_t k : nodes) change(m, m.nodes[k]);
      if (axes_of(m, m.result()) == axes_of(f_, f_.result()))
        change_all(nodes, "instead-" + line, fmt::format("{} in place of {}", line, name), change);
    }
    for (const long step : {1, -1, 2, -2})
      change_all(nodes, fmt::format("off-by{:+}", step),
                 fmt::format("{} {:+} in place of {}", name, step, name), [&](Formula& m, FormulaNode& n) {
                   FormulaNode input = n;
                   const std::size_t at = static_cast<std::size_t>(&n - m.nodes.data());
                   m.nodes.push_back(std::move(input));
                   m.nodes.push_back({.op = Op::number, .value = Rational(step)});
                   m.nodes[at] = {.op = Op::add, .args = {m.nodes.size() - 2, m.nodes.size() - 1}};
                 });
    // A default of 1 where the value was not passed on.
    change_all(nodes, "default-1", fmt::format("1 in place of {}", name),
               [&](Formula&, FormulaNode& n) { n = {.op = Op::number, .value = 1}; });
    change_all(nodes, "default-0", fmt::format("0 in place of {}", name),
               [&](Formula&, FormulaNode& n) { n = {.op = Op::number, .value = 0}; });
  }

  void whole() {
    at_ = f_.result();
    const auto add_spread = [&](Formula::Spread s, const char* what) {
      Formula m = f_;
      m.spread = s;
      add("one-row", what, std::move(m));
    };
    if (!axes_of(f_, f_.result()).empty()) {
      add_spread(Formula::Spread::first, "the first row's value for all");
      add_spread(Formula::Spread::last, "the last row's value for all");
    }
    twice();
    finite_masks();
    interleaved();
  }

  void interleaved() {
    const bool has_heads = std::any_of(f_.nodes.begin(), f_.nodes.end(), [](const FormulaNode& n) {
      return n.op == Op::input && n.axes.find('h') != std::string::npos;
    });
    if (!has_heads) return;
    Formula m = f_;
    m.is_interleaved = true;
    at_ = f_.result();
    add("heads", "query heads are dealt to key heads in turn, not in groups", std::move(m));
  }

  /// The answer's factor formed a second time, of the answer itself: r * f(r), and f(r).
  void twice() {
    for (const char* name : {"factor", "n", "position"}) {
      const std::vector<std::size_t> all = occurrences(name);
      if (all.empty()) continue;
      Formula m = f_;
      const std::size_t first = f_.result(), offset = m.nodes.size();
      for (FormulaNode n : f_.nodes) {
        for (std::size_t& a : n.args) a += offset;
        if (n.op == Op::input && n.name == name) n = {.op = Op::line, .args = {first}, .name = "r"};
        m.nodes.push_back(std::move(n));
      }
      m.lines.back().first = "r";
      m.lines.emplace_back("", first + offset);
      add("twice", "the formula is applied again to its own result", m);
      m.nodes.push_back({.op = Op::line, .args = {first}, .name = "r"});
      m.nodes.push_back({.op = Op::multiply, .args = {m.nodes.size() - 1, first + offset}});
      m.lines.back().second = m.nodes.size() - 1;
      add("twice", "the logarithm is applied twice: the result is corrected again", std::move(m));
    }
  }

  /// A masked score that is a finite number.
  void finite_masks() {
    for (std::size_t i = 0; i < f_.nodes.size(); ++i) {
      const FormulaNode& n = f_.nodes[i];
      if (n.op != Op::input || (n.axes != "j" && n.name != "mask" && n.name != "hidden")) continue;
      if (!used_[i]) continue;
      at_ = i;
      for (const long v : {0L, -10000L, -1000000000L}) {
        Formula m = f_;
        m.nodes.push_back(n);
        m.nodes.push_back({.op = Op::number, .value = Rational(v)});
        m.nodes[i] = {.op = Op::unmask, .args = {m.nodes.size() - 2, m.nodes.size() - 1}};
        add(fmt::format("mask-{}", v), fmt::format("{} in place of a masked score", v), std::move(m));
      }
    }
  }

  const Formula& f_;
  const std::vector<std::string>& scalars_;
  std::size_t at_ = 0;
  std::vector<bool> used_;
  std::vector<Mutation> r_;
};

}  // namespace

std::vector<Mutation> mutations(const Formula& f, const std::vector<std::string>& scalars) {
  return Mutator(f, scalars).run();
}

Formula with_number(const Formula& f, std::string_view input, const Rational& value) {
  Formula r = f;
  for (FormulaNode& n : r.nodes)
    if (n.op == FormulaOp::input && n.axes.empty() && n.name == input)
      n = {.op = FormulaOp::number, .value = value};
  return r;
}

}  // namespace critscale
