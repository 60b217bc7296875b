// Uses limits.hpp.
#include "process/limits.hpp"

#include <fmt/format.h>
#include <gmp.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>

#include "critscale/io/detail/input_file.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/flint.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/tokens/layer.hpp"
#include "process/files.hpp"
#include "process/interrupt.hpp"

namespace critscale::cli {

namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point program_start = Clock::now();

constexpr int undecided_exit = 3;

// A sanitizer takes far more addresses than memory: no limit on them holds there. GCC defines a name, Clang a
// feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

std::atomic<std::uint64_t> limit_in_force{0};

[[noreturn]] void end_program(int code) {
  clean_up();
  _exit(code);
}

/// GMP's and FLINT's own way out is abort().
[[noreturn]] void out_of_memory() {
  say(fmt::format("critscale: out of memory: more than the {} of --max-memory\n",
                  bytes_text(memory_limit())));
  end_program(undecided_exit);
}

void* allocate(std::size_t bytes) {
  if (void* p = std::malloc(bytes)) return p;
  out_of_memory();
}
void* reallocate(void* old, std::size_t, std::size_t bytes) {
  if (void* p = std::realloc(old, bytes)) return p;
  out_of_memory();
}
void release(void* p, std::size_t) { std::free(p); }

FLINT_NORETURN void flint_failed() {
  say("critscale: stopped by FLINT for the reason above\n");
  end_program(undecided_exit);
}

}  // namespace

struct TimeGuard::State {
  std::mutex mutex;
  std::condition_variable woken;
  bool over = false;
  std::thread thread;
};

double seconds_running() { return std::chrono::duration<double>(Clock::now() - program_start).count(); }

TimeGuard::TimeGuard(std::optional<double> seconds, std::function<int()> last_words) {
  // Longer than any machine runs.
  constexpr double no_limit = 1e9;
  if (!seconds || *seconds > no_limit) return;
  state_ = new State;
  // A little before a second and a quarter: what is said last takes time.
  const double at = *seconds + 0.2 * *seconds + 0.8;
  const auto end = program_start + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * at));
  state_->thread = std::thread([state = state_, end, limit = *seconds, last_words = std::move(last_words)] {
    std::unique_lock lock(state->mutex);
    if (state->woken.wait_until(lock, end, [&] { return state->over; })) return;
    const int code = last_words ? last_words() : undecided_exit;
    say(fmt::format("critscale: time limit of {} s reached\n", limit));
    end_program(code);
  });
}

TimeGuard::~TimeGuard() {
  if (!state_) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->over = true;
  }
  state_->woken.notify_all();
  state_->thread.join();
  delete state_;
}

std::uint64_t default_memory_limit() {
  std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  std::ifstream group("/sys/fs/cgroup/memory.max");
  if (std::uint64_t v = 0; group >> v && v > 0) bytes = std::min(bytes, v);
  return bytes / 2;
}

std::uint64_t memory_limit() {
  const std::uint64_t set = limit_in_force;
  return set > 0 ? set : default_memory_limit();
}

void limit_memory(std::uint64_t bytes) {
  limit_in_force = bytes;
  if (sanitized) return;
  static std::once_flag once;
  std::call_once(once, [] {
    mp_set_memory_functions(allocate, reallocate, release);
    flint_set_abort(flint_failed);
#ifdef __GLIBC__
    // Large blocks come and go all the time: handed back to the system, each costs its page faults again.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  });
  // Private memory that can be written: what programs call theirs.
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? bytes : std::min<rlim_t>(bytes, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
}

std::uint64_t parse_memory(std::string_view text) {
  const auto malformed = [&] {
    return InputError(fmt::format(
        "--max-memory: expected bytes, or a number with K, M, G or T such as 8G, found {}", in_quotes(text)));
  };
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view unit = text.substr(digits);
  if (unit.ends_with("iB")) unit.remove_suffix(2);
  if (digits == 0 || unit.size() > 1) throw malformed();
  constexpr std::string_view units = "KMGT";
  const std::size_t power = unit.empty() ? 0 : units.find(unit[0]) + 1;
  if (!unit.empty() && power == 0) throw malformed();
  if (!unit.empty() && units.find(unit[0]) == units.npos) throw malformed();
  const Rational bytes = parse_rational(text.substr(0, digits)) * Rational(Integer(1) << (10 * power));
  constexpr std::uint64_t least = std::uint64_t{64} << 20, most = std::uint64_t{1} << 60;
  if (bytes < least || bytes > most)
    throw InputError(fmt::format("--max-memory: expected from 64M to 1048576T, found {}", in_quotes(text)));
  return static_cast<std::uint64_t>(Integer(numerator(bytes) / denominator(bytes)));
}

void require_memory(const std::string& what, double bytes) {
  const auto limit = static_cast<double>(memory_limit());
  if (bytes <= limit) return;
  constexpr double gib = 1 << 30;
  throw LimitError(fmt::format("{} needs about {:.3g} GiB, more than the {:.3g} GiB of --max-memory", what,
                               bytes / gib, limit / gib));
}

void require_token_memory(std::size_t n, long digits) {
  // Measured at 30 digits: 210 bytes a pair.
  constexpr double fixed = 140, per_digit = 3.4, binary64_pair = 24;
  constexpr long binary64_digits = 10;
  // Beyond, products are made by blocks.
  if (n > max_tokens && digits <= binary64_digits) return;
  const double pair =
      digits <= binary64_digits ? binary64_pair : fixed + per_digit * static_cast<double>(digits);
  require_memory(fmt::format("the products of {} tokens at {} digits", n, digits),
                 pair * static_cast<double>(n) * static_cast<double>(n));
}

}  // namespace critscale::cli
