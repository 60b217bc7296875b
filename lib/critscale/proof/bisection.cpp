// Uses bisection.hpp and oneTBB.
#include "critscale/proof/bisection.hpp"

#include <tbb/parallel_invoke.h>

#include <limits>

namespace critscale {

std::pair<Box, Box> halves(const Box& box, std::size_t coordinate) {
  std::pair<Box, Box> result{box, box};
  const Rational middle = (box[coordinate].lo + box[coordinate].hi) / 2;
  result.first[coordinate].hi = middle;
  result.second[coordinate].lo = middle;
  return result;
}

namespace {

constexpr int max_depth = 200, parallel_depth = 12;

/// A bound evaluated: whether it holds, and its size, which only guides the search.
struct Evaluated {
  bool empty = false, holds = false;
  double size = 0;
};

class Search {
 public:
  Search(const BoxBound& f, const Rational& target, const BisectionLimits& limits,
         std::atomic<long>* progress)
      : f_(f), target_(target, 64), limits_(limits), progress_(progress) {}

  std::string run(const Box& box) { return subtree(box, evaluate(box), 0); }
  bool complete() const { return !stopped_; }
  long leaves() const { return leaves_; }

 private:
  Evaluated evaluate(const Box& box) const {
    const std::optional<Ball> bound = f_(box);
    if (!bound) return {true, true, 0};
    if (!bound->is_finite()) return {false, false, std::numeric_limits<double>::infinity()};
    return {false, certainly(less_equal(*bound, target_)), arf_get_d(bound->upper().raw(), ARF_RND_UP)};
  }
  void check_limits() {
    if (leaves_ > limits_.leaves) stopped_ = true;
    if (limits_.deadline && std::chrono::steady_clock::now() > *limits_.deadline) stopped_ = true;
  }
  std::string subtree(const Box& box, const Evaluated& at, int depth) {
    if (stopped_) return {};
    if (at.holds) {
      ++leaves_;
      if (progress_) ++*progress_;
      return at.empty ? "x" : ".";
    }
    check_limits();
    if (depth > max_depth) stopped_ = true;
    Evaluated left, right;
    const std::size_t coordinate = best_split(box, left, right);
    if (stopped_) return {};
    const auto [first, second] = halves(box, coordinate);
    std::string a, b;
    if (depth < parallel_depth) {
      tbb::parallel_invoke([&] { a = subtree(first, left, depth + 1); },
                           [&] { b = subtree(second, right, depth + 1); });
    } else {
      a = subtree(first, left, depth + 1);
      b = subtree(second, right, depth + 1);
    }
    return static_cast<char>('0' + coordinate) + std::move(a) + std::move(b);
  }
  /// The coordinate whose halves have the smallest larger bound; among equals (infinite bounds at
  /// first) the one with the smaller other half, then the widest relative to the whole box.
  std::size_t best_split(const Box& box, Evaluated& left, Evaluated& right) {
    std::size_t best = box.size();
    double best_larger = 0, best_smaller = 0, best_width = 0;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (box[i].is_point()) continue;
      const auto [first, second] = halves(box, i);
      const Evaluated a = evaluate(first), b = evaluate(second);
      const double larger = std::max(a.size, b.size), smaller = std::min(a.size, b.size);
      const double width = static_cast<Rational>(box[i].hi - box[i].lo).convert_to<double>();
      const bool better = best == box.size() || larger < best_larger ||
                          (larger == best_larger &&
                           (smaller < best_smaller || (smaller == best_smaller && width > best_width)));
      if (!better) continue;
      best = i;
      best_larger = larger;
      best_smaller = smaller;
      best_width = width;
      left = a;
      right = b;
    }
    // A single point on which the bound does not hold.
    if (best == box.size()) stopped_ = true;
    return best;
  }

  const BoxBound& f_;
  Ball target_;
  BisectionLimits limits_;
  std::atomic<long>* progress_;
  std::atomic<long> leaves_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace

Bisection bisect(const Box& box, const BoxBound& f, const Rational& target, const BisectionLimits& limits,
                 std::atomic<long>* progress) {
  Search search(f, target, limits, progress);
  Bisection result;
  result.tree = search.run(box);
  result.complete = search.complete();
  result.leaves = search.leaves();
  return result;
}

}  // namespace critscale
