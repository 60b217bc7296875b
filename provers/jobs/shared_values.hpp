// Values that several rows of a table need, made once by whichever thread comes first. Uses oneTBB.
#pragma once

#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace critscale::cli {

/// A value made once, by the first thread that asks for its key; the keys asked for last are kept.
template <class Key, class Value>
class SharedValues {
 public:
  explicit SharedValues(std::size_t kept) : kept_(kept) {}

  std::shared_ptr<const Value> get(const Key& key, const std::function<Value()>& make) {
    std::promise<std::shared_ptr<const Value>> promise;
    Future future;
    bool mine = false;
    {
      const std::lock_guard lock(mutex_);
      auto it = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.first == key; });
      mine = it == entries_.end();
      future = mine ? promise.get_future().share() : it->second;
      if (!mine) entries_.erase(it);
      entries_.emplace_back(key, future);
      if (entries_.size() > kept_) entries_.erase(entries_.begin());
    }
    if (mine) try {
        // A thread that makes a value must not take up another row meanwhile: that row might wait for this
        // one.
        tbb::this_task_arena::isolate([&] { promise.set_value(std::make_shared<const Value>(make())); });
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    return future.get();
  }

 private:
  using Future = std::shared_future<std::shared_ptr<const Value>>;
  std::mutex mutex_;
  std::size_t kept_;
  std::vector<std::pair<Key, Future>> entries_;
};

}  // namespace critscale::cli
