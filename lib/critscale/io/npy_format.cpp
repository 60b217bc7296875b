// Headers of NumPy's array files: a dictionary written as Python writes it.
#include "critscale/io/detail/npy_format.hpp"

#include <fmt/format.h>

#include <charconv>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// Reads the few kinds of Python literals a header consists of.
class Literals {
 public:
  explicit Literals(std::string_view text) : text_(text) {}

  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw InputError(fmt::format("malformed header: expected '{}' at byte {}", c, at_));
  }
  std::string quoted() {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"')
      throw InputError(fmt::format("malformed header: expected a quoted text at byte {}", at_));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) throw InputError("malformed header: a quoted text does not end");
    const std::string_view r = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(r);
  }
  /// A quoted text, or a list as it is written.
  std::string type() {
    skip();
    if (at_ >= text_.size() || text_[at_] != '[') return quoted();
    const std::size_t start = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      depth += text_[at_] == '[' || text_[at_] == '(' ? 1 : text_[at_] == ']' || text_[at_] == ')' ? -1 : 0;
      if (depth == 0) return std::string(text_.substr(start, ++at_ - start));
    }
    throw InputError("malformed header: a list does not end");
  }
  bool boolean() {
    skip();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    throw InputError(fmt::format("malformed header: expected True or False at byte {}", at_));
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> r;
    expect('(');
    while (!accept(')')) {
      skip();
      std::uint64_t v = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), v);
      if (error != std::errc{})
        throw InputError(fmt::format("malformed header: expected a size below 2^64 at byte {}", at_));
      at_ += static_cast<std::size_t>(end - begin);
      accept('L');
      r.push_back(v);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return r;
  }
  void expect_end() {
    skip();
    if (at_ != text_.size()) throw InputError(fmt::format("malformed header: more text at byte {}", at_));
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t r = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) r = 256 * r + static_cast<unsigned char>(bytes[i]);
  return r;
}

}  // namespace

bool NpyHeader::count(std::uint64_t& items) const {
  items = 1;
  for (const std::uint64_t size : shape)
    if (__builtin_mul_overflow(items, size, &items)) return false;
  return true;
}

NpyHeader parse_npy_header(std::string_view bytes) {
  if (bytes.size() < 6 || bytes.substr(0, 6) != magic) throw InputError("not a .npy file");
  if (bytes.size() < 12) throw InputError("the file ends within its header");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    throw InputError(fmt::format("version {} of the .npy format is unknown (1, 2 and 3 are read)", version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  const std::size_t length = little_endian(bytes.substr(8, prefix - 8));
  if (length > npy_header_limit)
    throw InputError(fmt::format("a header of {} bytes; at most {} are read", length, npy_header_limit));
  if (bytes.size() - prefix < length) throw InputError("the file ends within its header");
  Literals text(bytes.substr(prefix, length));
  NpyHeader r;
  r.data_start = prefix + length;
  bool has_type = false, has_order = false, has_shape = false;
  text.expect('{');
  while (!text.accept('}')) {
    const std::string key = text.quoted();
    text.expect(':');
    if (key == "descr" && !has_type) {
      r.descr = text.type();
      has_type = true;
    } else if (key == "fortran_order" && !has_order) {
      r.fortran_order = text.boolean();
      has_order = true;
    } else if (key == "shape" && !has_shape) {
      r.shape = text.tuple();
      has_shape = true;
    } else {
      throw InputError(fmt::format("malformed header: unexpected key {}", in_quotes(key)));
    }
    if (!text.accept(',')) {
      text.expect('}');
      break;
    }
  }
  text.expect_end();
  if (!has_type || !has_order || !has_shape)
    throw InputError("malformed header: descr, fortran_order and shape are needed");
  return r;
}

std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape) {
  std::string sizes;
  for (const std::uint64_t size : shape) sizes += fmt::format("{}{},", sizes.empty() ? "" : " ", size);
  if (shape.size() > 1) sizes.pop_back();
  std::string dict = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", descr, sizes);
  constexpr std::size_t longest_of_version_1 = 65000;
  const bool version_1 = dict.size() < longest_of_version_1;
  const std::size_t prefix = version_1 ? 10 : 12;
  // The header's length counts the newline.
  dict.append((64 - (prefix + dict.size() + 1) % 64) % 64, ' ');
  dict += '\n';
  std::string r(magic);
  r += version_1 ? '\x01' : '\x02';
  r += '\0';
  for (std::size_t byte = 0; byte < prefix - 8; ++byte)
    r += static_cast<char>(dict.size() >> (8 * byte) & 255);
  return r + dict;
}

std::string npy_type_name(std::string_view descr) {
  if (descr.starts_with('[')) return fmt::format("structured {}", in_quotes(descr));
  std::string_view type = descr;
  if (!type.empty() && std::string_view("<>=|").find(type[0]) != std::string_view::npos)
    type.remove_prefix(1);
  const char kind = type.empty() ? '\0' : type[0];
  int bytes = 0;
  const bool sized =
      type.size() > 1 &&
      std::from_chars(type.data() + 1, type.data() + type.size(), bytes).ptr == type.data() + type.size();
  if (kind == 'O') return "object";
  const std::string_view name = kind == 'f'   ? "float"
                                : kind == 'i' ? "int"
                                : kind == 'u' ? "uint"
                                : kind == 'c' ? "complex"
                                              : "";
  if (kind == 'b' && bytes == 1) return "bool";
  if (name.empty() || !sized || bytes < 1 || bytes > 32) return in_quotes(descr);
  return fmt::format("{}{}", name, 8 * bytes);
}

}  // namespace critscale
