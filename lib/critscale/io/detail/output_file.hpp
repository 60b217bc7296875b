// Files that are written whole: locked against a second writer, written beside the target, then renamed. Uses
// POSIX (in the .cpp only) and number/errors.hpp.
//
// Only regular files are ever replaced. Symbolic links are followed: what they lead to is replaced, the link
// stays. Devices, FIFOs and sockets are written through.
#pragma once

#include <string>
#include <string_view>

namespace critscale {

/// The right to write one file, held until the end of its life. While it is held, PLACE.partial exists and is
/// locked (flock, advisory), PLACE being where the path leads; a device is not locked unless rows are
/// collected for it in a .partial first.
class OutputFile {
 public:
  enum class Kind { whole, collected };

  /// Throws InputError that names what is in the way: a directory, a missing folder, a regular file without
  /// `force`, another program that is writing the same file. `collected`: PLACE.partial is filled by others
  /// and then published; what it holds already is kept.
  OutputFile(const std::string& path, bool force, Kind kind = Kind::whole);
  /// Removes PLACE.partial where it is empty.
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  /// Where the path leads: links followed, or the path itself for a device.
  const std::string& place() const { return place_; }
  /// PLACE.partial, or nothing where there is none.
  std::string partial() const;
  /// Writes all of a `whole` file. Throws InputError, also where the file has come into being meanwhile.
  void write(std::string_view text);

 private:
  std::string place_;
  bool force_, through_;
  int fd_ = -1;
};

/// Makes the finished file `from` the contents of `place`: renamed over a regular file or to a new one (with
/// the permissions of the old one), written through a device. Throws InputError; without `force` also where a
/// regular file is there.
void publish(const std::string& from, const std::string& place, bool force);

/// Replaces a file by this text: PATH.new is written, then published. For files of a folder that is locked
/// otherwise. Throws InputError.
void replace_whole(const std::string& path, std::string_view text);

/// Throws InputError that names the path where a directory is at it.
void require_no_directory(const std::string& path);

}  // namespace critscale
