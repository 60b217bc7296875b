// Uses interrupt.hpp. The handler calls nothing that is not safe in one.
#include "process/interrupt.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace critscale::cli {

namespace {

constexpr std::size_t longest = 4096;
constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

std::atomic<pid_t> client_group{0};

/// SignalText that is whole whenever the handler looks.
struct SignalText {
  std::array<char, longest> bytes{};
  std::atomic<std::size_t> size{0};

  void set(const std::string& text) {
    size = 0;
    if (text.size() >= bytes.size()) return;
    std::memcpy(bytes.data(), text.c_str(), text.size() + 1);
    size = text.size();
  }
};

SignalText last_line;
std::array<SignalText, 8> files;
std::atomic<std::size_t> file_count{0};

void remove_files() {
  for (std::size_t i = 0; i < file_count && i < files.size(); ++i) {
    struct stat s {};
    const char* path = files[i].bytes.data();
    if (files[i].size > 0 && stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 0) unlink(path);
  }
}

void interrupted(int signal_number) {
  if (const pid_t group = client_group; group > 0) kill(-group, SIGKILL);
  remove_files();
  if (last_line.size > 0 && write(STDERR_FILENO, last_line.bytes.data(), last_line.size) < 0) {
    // Nothing can be said.
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

}  // namespace

void watch_for_interrupts() {
  for (const int s : signals) {
    struct sigaction old {
    }, ours{};
    if (sigaction(s, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    ours.sa_handler = interrupted;
    sigemptyset(&ours.sa_mask);
    for (const int other : signals) sigaddset(&ours.sa_mask, other);
    sigaction(s, &ours, nullptr);
  }
}

void say_when_interrupted(const std::string& line) { last_line.set("\n" + line + "\n"); }

void clean_up() {
  if (const pid_t group = client_group; group > 0) kill(-group, SIGKILL);
  remove_files();
}

void end_when_interrupted(pid_t group) { client_group = group; }

void remove_empty_when_interrupted(const std::string& path) {
  const std::size_t i = file_count;
  if (i >= files.size()) return;
  files[i].set(path);
  file_count = i + 1;
}

}  // namespace critscale::cli
