// Uses tree.hpp.
#include "critscale/checker/detail/tree.hpp"

#include <algorithm>

#include "critscale/number/precision.hpp"
#include "critscale/text/detail/interval_sizes.hpp"

namespace critscale::checker {
namespace {

struct TreeWalk {
  const std::string& tree;
  const Bound& f;
  const Box& whole;
  Interval limit;
  std::size_t budget;  ///< of evaluations
  std::size_t at = 0, leaves = 0;

  static Rational width(const RationalBox& range) { return range.hi - range.lo; }
  /// Reads one node and what is below it, and checks its leaves.
  void walk(const Box& box, std::size_t depth) {
    require(depth <= 250, "the tree is too deep");
    require(at < tree.size(), "the tree ends early: its leaves do not cover the box");
    const char node = tree[at++];
    if (node == '.' || node == 'x') {
      ++leaves;
      return leaf(box, node == 'x', 0);
    }
    const std::size_t coordinate = static_cast<std::size_t>(node - '0');
    require(node >= '0' && node <= '9' && coordinate < box.size(),
            fmt::format("the tree has no meaning at position {}", at - 1));
    const auto [first, second] = halves(box, coordinate);
    walk(first, depth + 1);
    walk(second, depth + 1);
  }
  /// Halved along the coordinate that is widest beside the whole's until f <= limit.
  void leaf(const Box& box, bool empty, std::size_t depth) {
    require(budget-- > 0, "the leaves do not prove the claim within the budget");
    const std::optional<Interval> value = f(box);
    if (!value) return;
    require(!empty, "a leaf that is called empty may hold points of the claim");
    require(!value->is_empty(), fmt::format("the bound is undefined on leaf {}", leaves));
    if (certainly(less_equal(*value, limit))) return;
    if (depth == 40)
      throw InputError(fmt::format("the bound does not hold on leaf {}: it reaches {:.6g}", leaves,
                                   roughly_above(*value)));
    std::size_t widest = 0;
    for (std::size_t i = 1; i < box.size(); ++i)
      if (whole[widest].is_point() ||
          width(box[i]) * width(whole[widest]) > width(box[widest]) * width(whole[i]))
        widest = i;
    const auto [first, second] = halves(box, widest);
    leaf(first, false, depth + 1);
    leaf(second, false, depth + 1);
  }
};

}  // namespace

void check_tree(const json& evidence, const std::vector<std::string>& coordinates, const Box& box,
                const Bound& f, const Rational& limit) {
  require_keys(evidence, {"method", "coordinates", "tree", "leaves", "witness"}, "the evidence");
  require(text(evidence, "method") == "bisection" && evidence.at("coordinates") == json(coordinates),
          "the evidence is not a bisection in the claim's coordinates");
  const std::string tree = text(evidence, "tree");
  require(tree.size() <= most_nodes,
          fmt::format("the tree has {} nodes, the limit is {}", tree.size(), most_nodes));
  TreeWalk w{tree, f, box, Interval(limit, bits), 8 * tree.size() + 4000};
  w.walk(box, 0);
  require(w.at == tree.size(), "the tree goes on after its last leaf");
  require(evidence.at("leaves").dump() == std::to_string(w.leaves),
          fmt::format("the tree has {} leaves, not as many as the evidence says", w.leaves));
}

void check_inside(const std::function<Interval(Bits)>& f, const json& claim, const std::string& what) {
  const std::string lo = text(claim, "lo"), hi = text(claim, "hi");
  const std::size_t enough = std::min<std::size_t>(1 << 17, 2048 + 8 * (lo.size() + hi.size()));
  require(std::max(lo.size(), hi.size()) <= enough,
          fmt::format("an end of {} has more than {} digits", what, enough));
  const auto inside = decide(128, static_cast<Bits>(enough), [&](Bits p) -> std::optional<bool> {
    const Interval v = f(p);
    require(!v.is_empty(), what + " is undefined");
    const Truth t = greater_equal(v, parse_interval(lo, p)) & less_equal(v, parse_interval(hi, p));
    return t == Truth::unknown ? std::nullopt : std::optional(certainly(t));
  });
  require(inside.has_value(),
          fmt::format("whether {} is in [lo, hi] is not decided with {} bits", what, enough));
  require(*inside, what + " is not in [lo, hi]");
}

std::map<std::string, Rational> read_witness(const json& evidence, const std::vector<std::string>& names) {
  const json& witness = member(evidence, "witness");
  require_keys(witness, names, "the witness");
  std::map<std::string, Rational> point;
  for (const std::string& name : names) point[name] = small_number(witness, name);
  return point;
}

void require_inside(const Rational& v, const RationalBox& range, const std::string& name) {
  require(range.lo <= v && v <= range.hi,
          fmt::format("{} = {} of the witness is not in {}: it is no point of the claim", name, to_string(v),
                      "[" + to_string(range.lo) + "," + to_string(range.hi) + "]"));
}

}  // namespace critscale::checker
