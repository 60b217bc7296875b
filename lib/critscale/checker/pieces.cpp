// Uses pieces.hpp.
#include "critscale/checker/pieces.hpp"

#include <array>

namespace critscale::checker {
namespace {

std::array<Box, 2> halves(const Box& box, std::size_t coordinate) {
  const Rational middle = (box[coordinate].lo + box[coordinate].hi) / 2;
  std::array<Box, 2> both{box, box};
  both[0][coordinate].hi = both[1][coordinate].lo = middle;
  return both;
}

struct TreeWalk {
  const std::string& tree;
  const Box& whole;
  const Bound& f;
  Interval limit;
  long budget;  ///< of evaluations
  std::size_t at = 0;
  long leaves = 0;

  void walk(const Box& box, int depth) {
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
    for (const Box& half : halves(box, coordinate)) walk(half, depth + 1);
  }
  void leaf(const Box& box, bool empty, int depth) {
    require(--budget >= 0, "the leaves do not prove the claim within the budget");
    const std::optional<Interval> value = f(box);
    if (!value) return;
    require(!empty, "a leaf that is called empty may hold points of the claim");
    if (!value->is_empty() && certainly(less_equal(*value, limit))) return;
    if (depth == 40)
      throw Rejected(fmt::format("the bound does not hold on leaf {}: it reaches {}", leaves,
                                 value->upper(53).to_hex()));
    // Along the coordinate that is widest relative to the whole box.
    std::size_t widest = 0;
    Rational most = -1;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (whole[i].is_point()) continue;
      const Rational share = (box[i].hi - box[i].lo) / (whole[i].hi - whole[i].lo);
      if (share > most) widest = i, most = share;
    }
    for (const Box& half : halves(box, widest)) leaf(half, false, depth + 1);
  }
};

}  // namespace

std::pair<std::string, std::size_t> split_index(const std::string& quantity) {
  const std::size_t at = quantity.find('[');
  if (at == std::string::npos) return {quantity, 0};
  for (std::size_t b = 0; b < 100; ++b)
    if (quantity.substr(at) == fmt::format("[{}]", b)) return {quantity.substr(0, at), b + 1};
  throw Rejected(fmt::format("{} has no band's number in brackets", in_quotes(quantity)));
}

void check_tree(const json& evidence, const std::vector<std::string>& coordinates, const Box& box,
                const Bound& f, const Rational& limit) {
  require_keys(evidence, {"method", "coordinates", "tree", "leaves"}, "the evidence");
  require(text(evidence, "method") == "bisection", "the method of the evidence is not bisection");
  require(evidence.at("coordinates") == json(coordinates),
          "the evidence names other coordinates than the claim has");
  const std::string tree = text(evidence, "tree");
  TreeWalk w{tree, box, f, Interval(limit, bits), static_cast<long>(8 * tree.size()) + 4000};
  w.walk(box, 0);
  require(w.at == tree.size(), "the tree goes on after its last leaf");
  require(evidence.at("leaves").dump() == std::to_string(w.leaves),
          fmt::format("the tree has {} leaves, not as many as the evidence says", w.leaves));
}

}  // namespace critscale::checker
