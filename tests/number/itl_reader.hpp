// A reader for ITL, the language of the ITF1788 suite, as far as its file of elementary functions
// needs it: no outputs other than one interval, no overlap or exception statements.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "critscale/number/dyadic.hpp"

namespace itl {

using critscale::Dyadic;
using critscale::Integer;

/// A set of the suite; the ends of the empty set are those of an empty Interval.
struct Set {
  Dyadic lo, hi;
  bool is_empty() const { return lo > hi; }
  bool is_bounded() const { return lo.is_finite() && hi.is_finite(); }
  std::string text() const { return fmt::format("[{}, {}]", lo.to_hex(), hi.to_hex()); }
};

struct Statement {
  int line = 0;
  std::string operation;
  std::vector<Set> inputs;
  Integer exponent;
  bool has_exponent = false;
  bool decorated = false;
  Set expected;
};

/// Reads `testcase NAME { op [lo,hi] ... = [lo,hi]; }`. Throws at whatever it does not know.
class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}

  std::vector<Statement> statements() {
    std::vector<Statement> all;
    while (!at_end()) {
      expect_word("testcase");
      word();
      expect('{');
      while (!accept('}')) all.push_back(statement());
    }
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(fmt::format("line {}: {}", line_, what));
  }
  bool starts_with(const char* s) const { return text_.compare(at_, std::string(s).size(), s) == 0; }
  void advance() {
    if (text_[at_++] == '\n') ++line_;
  }
  void skip_until(const char* end) {
    while (at_ < text_.size() && !starts_with(end)) advance();
  }
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        advance();
      } else if (starts_with("//")) {
        skip_until("\n");
      } else if (starts_with("/*")) {
        skip_until("*/");
        at_ += 2;
      } else {
        return;
      }
    }
  }
  bool at_end() {
    skip_blanks();
    return at_ >= text_.size();
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' expected", c));
  }
  std::string word() {
    skip_blanks();
    std::string w;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  std::string("+-._").find(text_[at_]) != std::string::npos))
      w += text_[at_++];
    if (w.empty()) fail("a word or number expected");
    return w;
  }
  void expect_word(const char* expected) {
    if (word() != expected) fail(fmt::format("'{}' expected", expected));
  }

  /// A literal is the binary64 number nearest to its text.
  Dyadic number(const std::string& text) const {
    const char* begin = text.c_str();
    char* end = nullptr;
    const double v = std::strtod(begin, &end);
    if (*end != '\0' || v != v) fail(fmt::format("'{}' is not a number", text));
    return Dyadic::exactly(v);
  }
  Set set(Statement& s) {
    Set r{-Dyadic::infinity(), Dyadic::infinity()};
    expect('[');
    const std::string first = word();
    if (first == "empty" || first == "nai") {
      r = {r.hi, r.lo};
      s.decorated = s.decorated || first == "nai";
    } else if (first != "entire") {
      r.lo = number(first);
      expect(',');
      r.hi = number(word());
      if (r.is_empty()) fail("ends out of order");
    }
    expect(']');
    if (at_ < text_.size() && text_[at_] == '_') {
      word();
      s.decorated = true;
    }
    return r;
  }
  Statement statement() {
    Statement s;
    s.operation = word();
    s.line = line_;
    while (!accept('=')) {
      skip_blanks();
      if (text_[at_] == '[') {
        s.inputs.push_back(set(s));
      } else {
        s.exponent = Integer(word());
        s.has_exponent = true;
      }
    }
    s.expected = set(s);
    expect(';');
    return s;
  }

  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace itl
