// Zip archives through libzip, which checks their structure and checksums; sizes are checked here, before
// memory is taken.
#include "critscale/io/detail/zip.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

namespace {

[[noreturn]] void damaged(const std::string& what) {
  throw InputError(fmt::format("not a whole zip archive: {}", what));
}

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using OpenMember = std::unique_ptr<zip_file_t, CloseMember>;

Archive open_archive(const std::string& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  damaged(text);
}

zip_stat_t directory_entry(zip_t* archive, std::uint64_t index) {
  zip_stat_t entry;
  zip_stat_init(&entry);
  constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  if (zip_stat_index(archive, index, 0, &entry) != 0 || (entry.valid & needed) != needed)
    damaged("its directory is malformed");
  return entry;
}

/// Throws InputError for what no reader could make of the member.
void require_readable(const ZipMember& m, const zip_stat_t& entry) {
  if ((entry.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && entry.encryption_method != ZIP_EM_NONE)
    throw InputError(fmt::format("{} is encrypted", in_quotes(m.name)));
  if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE)
    throw InputError(fmt::format("{} is compressed by method {}; stored and deflated members are read",
                                 in_quotes(m.name), entry.comp_method));
  // Deflate's codes stand for at most 258 bytes in 2 bits.
  constexpr std::uint64_t most_by_deflate = 1032;
  const bool stored = entry.comp_method == ZIP_CM_STORE;
  if (stored ? m.size != m.compressed_size : m.size / most_by_deflate > m.compressed_size)
    damaged(fmt::format("{} is said to have {} bytes in {}", in_quotes(m.name), m.size, m.compressed_size));
}

/// The first `count` bytes; with `whole`, there must be no more, and the checksum must be right.
std::string read_bytes(const std::string& path, const ZipMember& m, std::uint64_t count, bool whole) {
  const Archive archive = open_archive(path);
  require_readable(m, directory_entry(archive.get(), m.index));
  const OpenMember file(zip_fopen_index(archive.get(), m.index, 0));
  const auto failed = [&] {
    damaged(fmt::format("{}: {}", in_quotes(m.name),
                        file ? zip_file_strerror(file.get()) : zip_strerror(archive.get())));
  };
  if (!file) failed();
  std::string r(count, '\0');
  for (std::uint64_t got = 0; got < count;) {
    const zip_int64_t n = zip_fread(file.get(), r.data() + got, count - got);
    if (n < 0) failed();
    if (n == 0) damaged(fmt::format("{} ends early", in_quotes(m.name)));
    got += static_cast<std::uint64_t>(n);
  }
  if (!whole) return r;
  // Reading on to the end is what checks the checksum.
  char spare = 0;
  const zip_int64_t n = zip_fread(file.get(), &spare, 1);
  if (n < 0) failed();
  if (n > 0) damaged(fmt::format("{} has more bytes than its directory says", in_quotes(m.name)));
  return r;
}

}  // namespace

std::vector<ZipMember> zip_members(const std::string& path) {
  const Archive archive = open_archive(path);
  std::vector<ZipMember> members;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const zip_stat_t entry = directory_entry(archive.get(), index);
    members.push_back({entry.name, entry.size, entry.comp_size, index});
  }
  return members;
}

std::string read_zip_start(const std::string& path, const ZipMember& m, std::uint64_t count) {
  return read_bytes(path, m, std::min(m.size, count), false);
}

std::string read_zip_member(const std::string& path, const ZipMember& m, std::uint64_t limit) {
  if (m.size > limit)
    throw InputError(fmt::format("{} has {} bytes; at most {} are read", in_quotes(m.name), m.size, limit));
  return read_bytes(path, m, m.size, true);
}

}  // namespace critscale
