// Running another program within limits.
#include "process/client.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "critscale/number/errors.hpp"
#include "process/interrupt.hpp"

namespace critscale::cli {

namespace {

/// A shell command in a process group of its own; ended with its children when this ends.
class Child {
 public:
  explicit Child(const std::string& command) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) throw InputError("a pipe cannot be opened");
    if (pipe2(out, O_CLOEXEC) != 0) throw InputError("a pipe cannot be opened");
    pid_ = fork();
    if (pid_ < 0) throw InputError(fmt::format("'{}' cannot be started", command));
    if (pid_ > 0) end_when_interrupted(pid_);
    if (pid_ == 0) {
      setpgid(0, 0);
      for (const int s : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) signal(s, SIG_DFL);
      // Our limit on memory is not the client's.
      if (rlimit memory{}; getrlimit(RLIMIT_DATA, &memory) == 0) {
        memory.rlim_cur = memory.rlim_max;
        setrlimit(RLIMIT_DATA, &memory);
      }
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    setpgid(pid_, pid_);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
    fcntl(to_, F_SETFL, O_NONBLOCK);
    fcntl(from_, F_SETFL, O_NONBLOCK);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close_input();
    close(from_);
    end_when_interrupted(0);
    if (pid_ > 0) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  int to() const { return to_; }
  int from() const { return from_; }
  void close_input() {
    if (to_ >= 0) close(to_);
    to_ = -1;
  }
  /// The exit status once it has ended within the time.
  bool wait(int& status) {
    if (waitpid(pid_, &status, WNOHANG) == 0) return false;
    kill(-pid_, SIGKILL);
    pid_ = -1;
    return true;
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace

ProgramOutput run_program(const std::string& command, const std::string& input, double seconds,
                          std::size_t bytes) {
  using Clock = std::chrono::steady_clock;
  signal(SIGPIPE, SIG_IGN);
  const auto start = Clock::now();
  const auto left = [&] { return seconds - std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto late = [&] {
    return LimitError(
        fmt::format("time limit reached: '{}' has not finished after {} seconds", command, seconds));
  };
  Child child(command);
  std::string answers;
  std::size_t sent = 0;
  char buffer[1 << 16];
  for (bool open = true; open;) {
    if (sent == input.size()) child.close_input();
    pollfd fds[2] = {{child.from(), POLLIN, 0}, {child.to(), POLLOUT, 0}};
    if (left() <= 0) throw late();
    poll(fds, child.to() >= 0 ? 2 : 1, static_cast<int>(std::min(left(), 1.0) * 1000) + 1);
    if (child.to() >= 0 && fds[1].revents != 0) {
      const ssize_t n = write(child.to(), input.data() + sent, input.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
      // A client that stops reading has answered all it will.
      if (n < 0 && errno != EAGAIN && errno != EINTR) sent = input.size();
    }
    if (fds[0].revents == 0) continue;
    const ssize_t n = read(child.from(), buffer, sizeof buffer);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) open = false;
    if (n > 0) answers.append(buffer, static_cast<std::size_t>(n));
    if (answers.size() > bytes)
      throw LimitError(
          fmt::format("output limit reached: '{}' has written more than {} bytes", command, bytes));
  }
  child.close_input();
  int status = 0;
  while (!child.wait(status)) {
    if (left() <= 0) throw late();
    usleep(1000);
  }
  return {std::move(answers), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

std::string converse(const std::string& command, const std::string& input, double seconds,
                     std::size_t bytes) {
  ProgramOutput r = run_program(command, input, seconds, bytes);
  if (r.text.empty() && r.status != 0)
    throw InputError(fmt::format("'{}' failed before it answered", command));
  return std::move(r.text);
}

}  // namespace critscale::cli
