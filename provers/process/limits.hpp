// The program's promises about time and memory. Uses POSIX, GMP and FLINT (in the .cpp only).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace critscale::cli {

/// Ends the program with exit code 3 where it has not stopped by itself soon after its time limit: at the
/// latest a second and a quarter of the limit later. Whatever stops by itself does so before, and says more.
/// Counted from the program's start.
class TimeGuard {
 public:
  /// `last_words` is called, by another thread, before that end: it may write what is complete, and returns
  /// the exit code. Nothing happens without a limit.
  explicit TimeGuard(std::optional<double> seconds, std::function<int()> last_words = {});
  ~TimeGuard();
  TimeGuard(const TimeGuard&) = delete;
  TimeGuard& operator=(const TimeGuard&) = delete;

 private:
  struct State;
  State* state_ = nullptr;
};

/// Seconds since the program began.
double seconds_running();

/// Bytes the program may take: half of the machine's (or of its control group's) unless --max-memory says
/// otherwise.
std::uint64_t memory_limit();
/// Sets and enforces it. Sanitizers, which reserve more than there is, are left alone.
void limit_memory(std::uint64_t bytes);
/// half_of_machine: what is the limit without --max-memory.
std::uint64_t default_memory_limit();
/// "500M", "8G", "2GiB", "1000000": K, M, G, T are powers of 1024. Throws InputError.
std::uint64_t parse_memory(std::string_view text);

/// Throws LimitError that names `what`, the bytes it needs and the limit, where it needs more than is
/// allowed.
void require_memory(const std::string& what, double bytes);

/// The same for a layer on n explicit tokens, whose n x n products are kept with as many bits as the digits
/// need. Up to 10 digits binary64 suffices for all but a few rows.
void require_token_memory(std::size_t n, long digits);

}  // namespace critscale::cli
