// Uses pieces.hpp.
#include "critscale/checker/pieces.hpp"

#include <fmt/format.h>

namespace critscale::checker {

const json& member(const json& object, const std::string& key) {
  if (!object.is_object() || !object.contains(key)) throw Rejected(fmt::format("{} is missing", key));
  return object.at(key);
}
std::string text(const json& object, const std::string& key) {
  if (!member(object, key).is_string()) throw Rejected(fmt::format("{} is not text", key));
  return object.at(key).get<std::string>();
}
Rational number(const json& object, const std::string& key) { return parse_rational(text(object, key)); }
long integer(const json& object, const std::string& key) {
  const std::string digits = member(object, key).dump();  // compared as text: nlohmann's integers wrap
  for (long i = -8; i <= 8; ++i)
    if (digits == std::to_string(i)) return i;
  throw Rejected(fmt::format("{} is not an integer in [-8, 8]", key));
}
RationalBox range(const json& box, const std::string& key) {
  const json& v = member(box, key);
  if (!v.is_array() || v.size() != 2 || !v[0].is_string() || !v[1].is_string())
    throw Rejected(fmt::format("{} is not a range of two fractions", key));
  const RationalBox r{parse_rational(v[0].get<std::string>()), parse_rational(v[1].get<std::string>())};
  if (is_empty(r)) throw Rejected(fmt::format("the range of {} is empty", key));
  return r;
}
void require_keys(const json& object, const std::vector<std::string>& keys, const std::string& what) {
  if (!object.is_object()) throw Rejected(what + " is not an object");
  for (const std::string& key : keys) member(object, key);
  for (const auto& item : object.items())
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      throw Rejected(fmt::format("{} has an unknown member {}", what, in_quotes(item.key())));
}
std::pair<std::string, std::size_t> split_index(const std::string& quantity) {
  const std::size_t at = quantity.find('[');
  if (at == std::string::npos) return {quantity, 0};
  for (std::size_t b = 0; b < 100; ++b)
    if (quantity.substr(at) == fmt::format("[{}]", b)) return {quantity.substr(0, at), b + 1};
  throw Rejected(fmt::format("{} has no band's number in brackets", in_quotes(quantity)));
}

Interval log_of(const PowerProduct& n, Bits precision) {
  Interval sum(0, precision);
  for (const auto& [base, exponent] : n.factors())
    sum += Interval(exponent, precision) * log(Interval(base, precision));
  return sum;
}
Interval exp_in_range(const Interval& x) {
  // Compared with 2^62 (2/3), a little less than 2^62 ln 2.
  if (!certainly(less(abs(x), Interval(Integer(Integer(1) << 62), 64) * 2 / 3)))
    throw Rejected("a number is beyond the exponents of MPFR, which end at 2^62");
  return exp(x);
}

namespace {

class TreeWalk {
 public:
  TreeWalk(const std::string& tree, const Box& whole, const Bound& f, const Rational& limit)
      : tree_(tree),
        whole_(whole),
        f_(f),
        limit_(limit, bits),
        budget_(static_cast<long>(8 * tree.size()) + 4000) {}

  long run() {
    walk(whole_, 0);
    if (at_ != tree_.size()) throw Rejected("the tree goes on after its last leaf");
    return leaves_;
  }

 private:
  void walk(const Box& box, int depth) {
    if (depth > 250) throw Rejected("the tree is too deep");
    if (at_ == tree_.size()) throw Rejected("the tree ends early: its leaves do not cover the box");
    const char node = tree_[at_++];
    if (node == '.' || node == 'x') {
      ++leaves_;
      return leaf(box, node == 'x', 0);
    }
    const std::size_t coordinate = static_cast<std::size_t>(node - '0');
    if (node < '0' || node > '9' || coordinate >= box.size())
      throw Rejected(fmt::format("the tree has no meaning at position {}", at_ - 1));
    split(box, coordinate, [&](const Box& half) { walk(half, depth + 1); });
  }
  void leaf(const Box& box, bool empty, int depth) {
    if (--budget_ < 0) throw Rejected("the leaves do not prove the claim within the budget");
    const std::optional<Interval> value = f_(box);
    if (!value) return;
    if (empty) throw Rejected("a leaf that is called empty may hold points of the claim");
    if (!value->is_empty() && certainly(less_equal(*value, limit_))) return;
    if (depth == 40)
      throw Rejected(fmt::format("the bound does not hold on leaf {}: it reaches {}", leaves_,
                                 value->upper(53).to_hex()));
    // Along the coordinate that is widest relative to the whole box.
    std::size_t widest = 0;
    Rational most = -1;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (whole_[i].is_point()) continue;
      const Rational share = (box[i].hi - box[i].lo) / (whole_[i].hi - whole_[i].lo);
      if (share > most) widest = i, most = share;
    }
    split(box, widest, [&](const Box& half) { leaf(half, false, depth + 1); });
  }
  template <class F>
  static void split(const Box& box, std::size_t coordinate, const F& visit) {
    const Rational middle = (box[coordinate].lo + box[coordinate].hi) / 2;
    Box half = box;
    half[coordinate].hi = middle;
    visit(half);
    half[coordinate] = {middle, box[coordinate].hi};
    visit(half);
  }

  const std::string& tree_;
  const Box& whole_;
  const Bound& f_;
  Interval limit_;
  long budget_, leaves_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

void check_tree(const json& evidence, const std::vector<std::string>& coordinates, const Box& box,
                const Bound& f, const Rational& limit) {
  require_keys(evidence, {"method", "coordinates", "tree", "leaves"}, "the evidence");
  if (text(evidence, "method") != "bisection") throw Rejected("the method of the evidence is not bisection");
  if (member(evidence, "coordinates") != json(coordinates))
    throw Rejected("the evidence names other coordinates than the claim has");
  const std::string tree = text(evidence, "tree");
  const long leaves = TreeWalk(tree, box, f, limit).run();
  if (member(evidence, "leaves").dump() != std::to_string(leaves))
    throw Rejected(fmt::format("the tree has {} leaves, not as many as the evidence says", leaves));
}

}  // namespace critscale::checker
