// Rows divided among processes: every one of them ends with the values that one alone has, to the last bit.
// Threads play the processes here; tests/mpirun.sh has real ones.
#include <catch2/catch.hpp>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "critscale/tokens/detail/exact_text.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "tokens/token_sets.hpp"

using namespace critscale;
using token_test::gamma_scale;

namespace {

/// What the processes have in common: parts that were made, and where they wait for each other.
class Exchange {
 public:
  explicit Exchange(std::size_t size) : size_(size) {}
  std::size_t size() const { return size_; }

  /// Adds the parts that one process has made; returns all, once every process has come.
  std::map<std::size_t, std::string> all(std::map<std::size_t, std::string> made) {
    std::unique_lock lock(mutex_);
    const std::size_t round = round_;
    parts_.merge(made);
    if (++arrived_ == size_) {
      complete_ = std::move(parts_);
      parts_.clear();
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return round_ != round; });
    }
    return complete_;
  }

 private:
  std::size_t size_, arrived_ = 0, round_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, std::string> parts_, complete_;
};

/// One process: every size-th part is its own.
class Share : public RowSharing {
 public:
  Share(Exchange& exchange, std::size_t rank) : exchange_(exchange), rank_(rank) {}
  void run(std::size_t parts, const std::function<std::string(std::size_t)>& make,
           const std::function<void(std::size_t, std::string_view)>& take) const override {
    std::map<std::size_t, std::string> made;
    for (std::size_t p = rank_; p < parts; p += exchange_.size()) made[p] = make(p);
    const auto all = exchange_.all(std::move(made));
    for (const auto& [p, bytes] : all) take(p, bytes);
  }
  bool leads() const override { return true; }

 private:
  Exchange& exchange_;
  std::size_t rank_;
};

/// Everything that a model says, as exact text.
std::string everything(const TokenModel& model) {
  TokenOptions options;
  options.quantities.assign(token_quantities().begin(), token_quantities().end());
  options.pairs = {{0, 1}, {5, 300}};
  options.digits = 5;
  BallWriter w;
  w.put(model.geometry(options.digits));
  w.put(model.gap_counting(options.digits));
  for (const long alpha : {0, 1}) w.put(model.evaluate(gamma_scale(Rational(3, 2)), alpha, options));
  return w.text();
}

}  // namespace

TEST_CASE("rows divided among processes give the values of one", "[tokens]") {
  const auto tokens = [] { return gaussian_tokens(301, 7, Rational(1, 3), 11); };
  const std::string alone = everything(TokenModel(tokens()));
  CHECK(alone.size() > 10000);
  for (const std::size_t size : {1, 2, 3}) {
    Exchange exchange(size);
    std::vector<std::string> results(size);
    std::vector<std::thread> processes;
    for (std::size_t rank = 0; rank < size; ++rank)
      processes.emplace_back([&, rank] {
        TokenModel model(tokens());
        model.share_rows(std::make_shared<Share>(exchange, rank));
        results[rank] = everything(model);
      });
    for (std::thread& t : processes) t.join();
    for (const std::string& r : results) CHECK(r == alone);
  }
}

namespace {

/// A process whose results nobody uses, and which hears nothing of the others.
class Follower : public RowSharing {
 public:
  void run(std::size_t, const std::function<std::string(std::size_t)>&,
           const std::function<void(std::size_t, std::string_view)>&) const override {
    ++calls;
  }
  bool leads() const override { return false; }
  mutable int calls = 0;
};

}  // namespace

TEST_CASE("processes that follow do nothing that is not divided", "[tokens]") {
  // Ball arithmetic alone applies to tokens on a line.
  TokenModel model(TokenSet(3, 1, std::vector<double>{1, -2, 3}));
  const auto follower = std::make_shared<Follower>();
  model.share_rows(follower);
  CHECK(model.gap_counting(5).empty());
  TokenOptions options;
  options.quantities = {Quantity::entropy};
  options.digits = 5;
  CHECK(model.evaluate(gamma_scale(1), 0, options).entropy.empty());
  CHECK(follower->calls == 0);
}
