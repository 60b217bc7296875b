// Uses output_file.hpp.
#include "critscale/io/detail/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "critscale/number/errors.hpp"

namespace critscale {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(fmt::format("{}: {}", path, std::strerror(error)));
}

/// An open file, closed at the end.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

void write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw InputError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// Whether it is there and is neither a regular file nor a directory.
bool is_device(const std::string& path) {
  std::error_code error;
  const fs::file_status s = fs::status(path, error);
  return fs::exists(s) && !fs::is_regular_file(s) && !fs::is_directory(s);
}

int open_device(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) fail(path, errno);
  return fd;
}

/// The end of the links that begin at path; also one that is not there yet.
std::string follow_links(std::string path) {
  constexpr int longest_chain = 40;
  for (int i = 0; i < longest_chain; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path next = fs::read_symlink(path, error);
    if (error) throw InputError(fmt::format("{}: {}", path, error.message()));
    path = (fs::path(path).parent_path() / next).string();
  }
  throw InputError(fmt::format("{}: too many links", path));
}

/// Opens PATH and locks it; what it holds stays.
int open_locked(const std::string& path, const std::string& place) {
  for (;;) {
    const int fd =
        open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0) fail(path, errno);
    struct stat opened {
    }, named{};
    if (fstat(fd, &opened) != 0 || !S_ISREG(opened.st_mode)) {
      close(fd);
      throw InputError(fmt::format("{}: is in the way and is not a regular file", path));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(fd);
      throw InputError(fmt::format("{}: another program is writing it", place));
    }
    // Between opening and locking its last writer may have renamed it.
    if (stat(path.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
      return fd;
    close(fd);
  }
}

void write_through(const std::string& from, const std::string& device) {
  const Descriptor in{open(from.c_str(), O_RDONLY | O_CLOEXEC)};
  if (in.fd < 0) fail(from, errno);
  const Descriptor out{open_device(device)};
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const ssize_t n = read(in.fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(from, errno);
    if (n == 0) break;
    write_all(out.fd, {buffer.data(), static_cast<std::size_t>(n)}, device);
  }
  unlink(from.c_str());
}

}  // namespace

void require_no_directory(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw InputError(fmt::format("{}: is a directory", path));
}

OutputFile::OutputFile(const std::string& path, bool force, Kind kind)
    : place_(path), force_(force), through_(is_device(path)) {
  require_no_directory(path);
  if (!through_) place_ = follow_links(path);
  std::error_code error;
  if (!through_ && !force && fs::exists(place_, error))
    throw InputError(fmt::format("{}: exists already (--force replaces it)", path));
  const fs::path parent = fs::path(place_).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error))
    throw InputError(fmt::format("{}: no such directory", parent.string()));
  if (through_ && kind == Kind::whole) return;
  require_no_directory(place_ + ".partial");
  fd_ = open_locked(place_ + ".partial", place_);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : place_(std::move(other.place_)),
      force_(other.force_),
      through_(other.through_),
      fd_(std::exchange(other.fd_, -1)) {}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  struct stat opened {
  }, named{};
  const std::string name = partial();
  if (fstat(fd_, &opened) == 0 && opened.st_size == 0 && stat(name.c_str(), &named) == 0 &&
      named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
    unlink(name.c_str());
  close(fd_);
}

std::string OutputFile::partial() const { return fd_ < 0 ? "" : place_ + ".partial"; }

void OutputFile::write(std::string_view text) {
  if (through_) {
    const Descriptor out{open_device(place_)};
    write_all(out.fd, text, place_);
    return;
  }
  if (ftruncate(fd_, 0) != 0 || lseek(fd_, 0, SEEK_SET) != 0) fail(partial(), errno);
  try {
    write_all(fd_, text, partial());
    publish(partial(), place_, force_);
  } catch (const InputError&) {
    unlink(partial().c_str());
    throw;
  }
}

void replace_whole(const std::string& path, std::string_view text) {
  const std::string place = is_device(path) ? path : follow_links(path), fresh = path + ".new";
  require_no_directory(place);
  require_no_directory(fresh);
  {
    const Descriptor out{open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)};
    if (out.fd < 0) fail(fresh, errno);
    write_all(out.fd, text, fresh);
  }
  publish(fresh, place, true);
}

void publish(const std::string& from, const std::string& place, bool force) {
  if (is_device(place)) return write_through(from, place);
  struct stat old {};
  if (!force) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) throw InputError(fmt::format("{}: has come into being meanwhile", place));
    if (errno != EINVAL && errno != ENOSYS) fail(place, errno);
    // A file system that cannot do this in one step.
    if (stat(place.c_str(), &old) == 0)
      throw InputError(fmt::format("{}: has come into being meanwhile", place));
  } else if (stat(place.c_str(), &old) == 0 && chmod(from.c_str(), old.st_mode & 07777) != 0) {
    fail(from, errno);
  }
  if (rename(from.c_str(), place.c_str()) != 0) fail(place, errno);
}

}  // namespace critscale
