// Uses ranks.hpp. A message is a kind, the number of the division of work it belongs to, a number, and bytes.
#include "jobs/ranks.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "critscale/number/errors.hpp"
#include "jobs/pipeline.hpp"
#include "jobs/transport.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

enum class Kind : std::uint64_t {
  ready,     ///< a process is there for the division, with this many threads
  block,     ///< make this block
  made,      ///< a block and its text
  failed,    ///< a line, and the exit code it deserves
  over,      ///< the division is over
  text,      ///< text_of_first
  released,  ///< the first process has ended its work
  left,      ///< the answer to that: the last message of a process
};

constexpr std::uint64_t bad_input_code = 2;

/// How long to wait between two looks for messages: a look costs some 40 microseconds, so the longer nothing
/// has come the rarer it is. The longest wait is less than most blocks take, and a process has one block more
/// than threads.
class Patience {
 public:
  std::chrono::microseconds now() const { return wait_; }
  void after(bool something_came) { wait_ = something_came ? shortest : std::min(2 * wait_, longest); }

 private:
  static constexpr std::chrono::microseconds shortest{200}, longest{5000};
  std::chrono::microseconds wait_ = shortest;
};

struct Message {
  Kind kind;
  std::uint64_t division, number;
  std::string text;

  std::string bytes() const {
    const std::uint64_t head[] = {static_cast<std::uint64_t>(kind), division, number};
    std::string r(sizeof head, '\0');
    std::memcpy(r.data(), head, sizeof head);
    return r + text;
  }
  static Message of(const std::string& bytes) {
    std::uint64_t head[3] = {};
    if (bytes.size() < sizeof head) throw std::logic_error("a message of another program");
    std::memcpy(head, bytes.data(), sizeof head);
    return {static_cast<Kind>(head[0]), head[1], head[2], bytes.substr(sizeof head)};
  }
};

struct State {
  std::unique_ptr<Transport> transport;
  std::optional<tbb::global_control> threads;
  std::uint64_t division = 0;
  /// In the others: whether the end of the work is known already.
  bool released = false;
};

State& state() {
  static State s;
  return s;
}

void limit_threads(std::size_t count) {
  state().threads.emplace(tbb::global_control::max_allowed_parallelism, count);
}

void send(std::size_t to, const Message& m) { state().transport->send(to, m.bytes()); }

std::optional<std::pair<std::size_t, Message>> receive() {
  auto bytes = state().transport->poll();
  if (!bytes) return std::nullopt;
  return std::pair{bytes->first, Message::of(bytes->second)};
}

/// For the others: the next message of the first.
Message wait_for_first() {
  for (Patience patience;; patience.after(false)) {
    if (auto m = receive()) {
      if (m->second.kind != Kind::released) return std::move(m->second);
      state().released = true;
      throw Released();
    }
    std::this_thread::sleep_for(patience.now());
  }
}

[[noreturn]] void throw_failure(std::uint64_t code, const std::string& text) {
  if (code == bad_input_code) throw InputError(text);
  throw LimitError(text);
}

using Make = std::function<std::string(std::size_t)>;

/// The threads of this process that make blocks.
class Makers {
 public:
  struct Made {
    std::size_t block;
    std::string text;
    std::exception_ptr error;
  };

  Makers(std::size_t threads, const Make& make) : make_(make), thread_([this, threads] { work(threads); }) {}
  ~Makers() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      wanted_.clear();
    }
    changed_.notify_all();
    thread_.join();
  }
  Makers(const Makers&) = delete;
  Makers& operator=(const Makers&) = delete;

  void want(std::size_t block) {
    {
      const std::lock_guard lock(mutex_);
      wanted_.push_back(block);
    }
    changed_.notify_one();
  }
  /// A block that has been made; waits for one as long as it is told.
  std::optional<Made> made(std::chrono::microseconds patience) {
    std::unique_lock lock(mutex_);
    finished_.wait_for(lock, patience, [&] { return !made_.empty(); });
    if (made_.empty()) return std::nullopt;
    Made r = std::move(made_.front());
    made_.pop_front();
    return r;
  }

 private:
  void work(std::size_t threads) {
    tbb::task_arena arena(static_cast<int>(threads));
    arena.execute([&] {
      tbb::parallel_for(
          std::size_t{0}, threads, [&](std::size_t) { loop(); }, tbb::simple_partitioner());
    });
  }
  void loop() {
    for (;;) {
      Made m{};
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || !wanted_.empty(); });
        if (wanted_.empty()) return;
        m.block = wanted_.front();
        wanted_.pop_front();
      }
      try {
        // While it waits for parts of its own block, a thread must not begin to wait for another block here.
        tbb::this_task_arena::isolate([&] { m.text = make_(m.block); });
      } catch (...) {
        m.error = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        made_.push_back(std::move(m));
      }
      finished_.notify_one();
    }
  }

  const Make& make_;
  std::mutex mutex_;
  std::condition_variable changed_, finished_;
  std::deque<std::size_t> wanted_;
  std::deque<Made> made_;
  bool closed_ = false;
  std::thread thread_;
};

/// The first process's side of one division.
class Division {
 public:
  using Take = std::function<bool(std::string_view)>;
  Division(std::size_t blocks, std::size_t threads, const Make& make, const Take& take)
      : number_(state().division), blocks_(blocks), take_(take), makers_(threads, make) {
    workers_[0] = {threads, 0};
  }

  void run() {
    for (Patience patience; taken_ < blocks_ && !stopped_;) {
      hand_out();
      bool news = false;
      for (; auto m = receive(); news = true) hear(m->first, std::move(m->second));
      patience.after(news);
      if (news) hand_out();
      if (auto m = makers_.made(patience.now())) {
        if (m->error) std::rethrow_exception(m->error);
        --workers_[0].busy;
        keep(m->block, std::move(m->text));
      }
    }
    for (std::size_t w = 1; w < state().transport->size(); ++w) send(w, {Kind::over, number_, 0, ""});
  }

 private:
  struct Worker {
    std::size_t threads = 0, busy = 0;
  };

  /// Every thread has one block; a process one more while many are left, so that it need not wait.
  void hand_out() {
    std::size_t threads = 0;
    for (const auto& [w, worker] : workers_) threads += worker.threads;
    const std::size_t window = taken_ + 8 * threads + 8;
    for (std::size_t spare = 0; spare < 2; ++spare)
      for (auto& [w, worker] : workers_)
        while (worker.busy < worker.threads + spare && next_ < std::min(blocks_, window) &&
               (spare == 0 || blocks_ - next_ > 2 * threads)) {
          if (w == 0)
            makers_.want(next_);
          else
            send(w, {Kind::block, number_, next_, ""});
          ++worker.busy;
          ++next_;
        }
  }

  void hear(std::size_t from, Message m) {
    if (m.kind == Kind::failed) throw_failure(m.number, m.text);
    if (m.division != number_) return;  // a block of a division that was stopped
    if (m.kind == Kind::ready) workers_[from] = {m.number, 0};
    if (m.kind != Kind::made) return;
    --workers_[from].busy;
    keep(m.number, std::move(m.text));
  }

  void keep(std::size_t block, std::string text) {
    waiting_.emplace(block, std::move(text));
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == taken_ && !stopped_;
         it = waiting_.erase(it)) {
      ++taken_;
      if (!take_(it->second)) stopped_ = true;
    }
  }

  std::uint64_t number_;
  std::size_t blocks_, next_ = 0, taken_ = 0;
  bool stopped_ = false;
  const Take& take_;
  std::map<std::size_t, Worker> workers_;
  std::map<std::size_t, std::string> waiting_;
  Makers makers_;
};

/// The side of the others.
void serve(std::size_t threads, const Make& make) {
  const std::uint64_t division = state().division;
  Makers makers(threads, make);
  send(0, {Kind::ready, division, threads, ""});
  for (Patience patience;;) {
    bool news = false;
    for (; auto m = receive(); news = true) {
      if (m->second.kind == Kind::released) {
        state().released = true;
        throw Released();
      }
      if (m->second.kind == Kind::over && m->second.division == division) return;
      if (m->second.kind == Kind::block) makers.want(m->second.number);
    }
    patience.after(news);
    if (auto m = makers.made(patience.now())) {
      if (m->error) std::rethrow_exception(m->error);
      send(0, {Kind::made, division, m->block, std::move(m->text)});
    }
  }
}

class SharedRows : public RowSharing {
 public:
  explicit SharedRows(std::size_t threads) : threads_(threads) {}

  void run(std::size_t parts, const Make& make,
           const std::function<void(std::size_t, std::string_view)>& take) const override {
    std::vector<std::string> made;
    Ranks::ordered_run(threads_)(parts, make, [&](std::string_view text) {
      made.emplace_back(text);
      return true;
    });
    made.resize(parts);  // empty but in the first
    for (std::size_t p = 0; p < parts; ++p) take(p, Ranks::text_of_first(made[p]));
  }
  bool leads() const override { return Ranks::is_first(); }

 private:
  std::size_t threads_;
};

}  // namespace

void Ranks::begin(std::unique_ptr<Transport> transport) {
  state().transport = std::move(transport);
  if (!several()) return;
  limit_threads(default_threads());
  if (!is_first()) be_quiet();
}

bool Ranks::several() { return state().transport && state().transport->size() > 1; }

bool Ranks::is_first() { return !state().transport || state().transport->rank() == 0; }

std::size_t Ranks::neighbours() { return state().transport ? state().transport->neighbours() : 1; }

std::size_t Ranks::default_threads() {
  const auto cores = static_cast<std::size_t>(tbb::info::default_concurrency());
  if (!several()) return cores;
  const std::size_t share = std::thread::hardware_concurrency() / neighbours();
  return std::clamp<std::size_t>(share, 1, cores);
}

void Ranks::report(int code, const std::string& message) {
  send(0, {Kind::failed, state().division, static_cast<std::uint64_t>(code), message});
}

void Ranks::end() {
  State& s = state();
  if (several() && is_first()) {
    for (std::size_t w = 1; w < s.transport->size(); ++w) send(w, {Kind::released, 0, 0, ""});
    Patience patience;
    for (std::size_t left = 1; left < s.transport->size();) {
      const auto m = receive();
      patience.after(m.has_value());
      if (m)
        left += m->second.kind == Kind::left ? 1 : 0;
      else
        std::this_thread::sleep_for(patience.now());
    }
  } else if (several()) {
    try {
      while (!s.released) wait_for_first();
    } catch (const Released&) {
    }
    send(0, {Kind::left, 0, 0, ""});
  }
  s.threads.reset();
  s.transport.reset();
}

OrderedRun Ranks::ordered_run(std::size_t threads) {
  if (!several()) return parallel_in_order(threads);
  return [threads](std::size_t blocks, const Make& make, const Division::Take& take) {
    const std::size_t own = threads > 0 ? threads : default_threads();
    limit_threads(own);
    ++state().division;
    if (is_first())
      Division(blocks, own, make, take).run();
    else
      serve(own, make);
  };
}

std::shared_ptr<const RowSharing> Ranks::row_sharing(std::size_t threads) {
  return several() ? std::make_shared<SharedRows>(threads) : nullptr;
}

std::string Ranks::text_of_first(const std::string& text) {
  if (!several()) return text;
  if (is_first()) {
    for (std::size_t w = 1; w < state().transport->size(); ++w)
      send(w, {Kind::text, state().division, 0, text});
    return text;
  }
  for (;;)
    if (Message m = wait_for_first(); m.kind == Kind::text) return std::move(m.text);
}

}  // namespace critscale::cli
