// What the fuzz targets share: a scratch file in memory, and which exceptions are answers.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "critscale/number/errors.hpp"

namespace fuzz {

/// Stops with a message where a property does not hold.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "PROPERTY FAILED: %s\n", what);
  std::abort();
}

/// A path that ends in `extension` and holds `text`.
inline std::string scratch(std::string_view text, const std::string& extension) {
  static const std::string stem = "/dev/shm/critscale-fuzz-" + std::to_string(getpid());
  std::string path = stem + extension;
  const int fd = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  require(fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "scratch file");
  close(fd);
  struct Remover {
    std::string path;
    ~Remover() { unlink(path.c_str()); }
  };
  // One a process is enough for each extension: removed when the process ends.
  if (extension == ".toml") static const Remover r{path};
  if (extension == ".csv") static const Remover r{path};
  if (extension == ".json") static const Remover r{path};
  if (extension == ".npy") static const Remover r{path};
  if (extension == ".npz") static const Remover r{path};
  if (extension == ".txt") static const Remover r{path};
  if (extension == ".vec") static const Remover r{path};
  return path;
}

/// A message is one short line of text.
inline void check_message(std::string_view message) {
  constexpr std::size_t longest = 4000;
  require(!message.empty() && message.find('\0') == message.npos && message.size() <= longest, "a message");
}

/// Runs f; the library's own errors are answers, every other exception is a crash.
template <class F>
void guarded(F&& f) {
  try {
    f();
  } catch (const critscale::Error& e) {
    check_message(e.what());
  }
}

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
