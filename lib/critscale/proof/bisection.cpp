// Uses bisection.hpp and oneTBB.
#include "critscale/proof/bisection.hpp"

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace critscale {

namespace {

constexpr int max_depth = 200, parallel_depth = 12;

/// A bound evaluated: whether it holds, and its size, which only guides the search.
struct Evaluated {
  bool empty = false, holds = false;
  double size = 0;
};

class Search {
 public:
  Search(const Box& whole, const BoxBound& f, const Rational& target, const BisectionLimits& limits,
         std::atomic<long>* progress)
      : whole_(whole),
        f_(f),
        target_(target, 64),
        target_size_(target.convert_to<double>()),
        limits_(limits),
        progress_(progress) {}

  std::string run() { return subtree(whole_, evaluate(whole_), 0); }
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
    const std::size_t coordinate = best_split(box, at.size, left, right);
    if (stopped_) return {};
    const auto [first, second] = halves(box, coordinate);
    std::string a, b;
    if (depth < parallel_depth) {
      tbb::parallel_invoke([&, &box_a = first] { a = subtree(box_a, left, depth + 1); },
                           [&, &box_b = second] { b = subtree(box_b, right, depth + 1); });
    } else {
      a = subtree(first, left, depth + 1);
      b = subtree(second, right, depth + 1);
    }
    return static_cast<char>('0' + coordinate) + std::move(a) + std::move(b);
  }
  /// The coordinate whose halves have the smallest larger bound, if that brings the bound a good step nearer
  /// to the target; else the one along which the box is widest relative to the whole. Greed alone would go on
  /// with what helps a little and never come to what helps only after several halvings.
  std::size_t best_split(const Box& box, double size, Evaluated& left, Evaluated& right) {
    constexpr double good_step = 0.4;
    std::vector<double> widths(box.size(), -1);
    for (std::size_t i = 0; i < box.size(); ++i)
      if (!box[i].is_point()) widths[i] = width(box[i], whole_[i]);
    const double most = *std::max_element(widths.begin(), widths.end());
    Choice greedy, widest;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (box[i].is_point()) continue;
      const auto [first, second] = halves(box, i);
      Choice c{i, evaluate(first), {}, widths[i]};
      // What neither can be best needs no second bound.
      if (widths[i] < most && greedy.exists() && c.left.size > greedy.larger()) continue;
      c.right = evaluate(second);
      if (!greedy.exists() || c.larger() < greedy.larger() ||
          (c.larger() == greedy.larger() && c.smaller() < greedy.smaller()))
        greedy = c;
      if (!widest.exists() || c.width > widest.width ||
          (c.width == widest.width && c.larger() < widest.larger()))
        widest = c;
    }
    const double excess = size - target_size_;
    const bool good =
        greedy.larger() - target_size_ <= (1 - good_step) * excess && std::isfinite(greedy.larger());
    const Choice& best = good ? greedy : widest;
    // A single point on which the bound does not hold.
    if (!best.exists()) stopped_ = true;
    left = best.left;
    right = best.right;
    return best.coordinate;
  }
  /// Relative to the whole; of logarithms, where the range is of positive numbers.
  static double width(const RationalBox& range, const RationalBox& whole) {
    const auto plain = [](const RationalBox& r) { return Rational(r.hi - r.lo).convert_to<double>(); };
    const auto logarithmic = [](const RationalBox& r) {
      return std::log(Rational(r.hi / r.lo).convert_to<double>());
    };
    return whole.lo > 0 ? logarithmic(range) / logarithmic(whole) : plain(range) / plain(whole);
  }
  struct Choice {
    std::size_t coordinate = none;
    Evaluated left, right;
    double width = 0;
    static constexpr std::size_t none = 1000;
    bool exists() const { return coordinate != none; }
    double larger() const { return std::max(left.size, right.size); }
    double smaller() const { return std::min(left.size, right.size); }
  };

  const Box& whole_;
  const BoxBound& f_;
  Ball target_;
  double target_size_;
  BisectionLimits limits_;
  std::atomic<long>* progress_;
  std::atomic<long> leaves_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace

Bisection bisect(const Box& box, const BoxBound& f, const Rational& target, const BisectionLimits& limits,
                 std::atomic<long>* progress) {
  Search search(box, f, target, limits, progress);
  Bisection result;
  result.tree = search.run();
  result.complete = search.complete();
  result.leaves = search.leaves();
  return result;
}

}  // namespace critscale
