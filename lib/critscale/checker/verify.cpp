// Uses verify.hpp and pieces.hpp.
#include "critscale/checker/verify.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "critscale/checker/pieces.hpp"
#include "critscale/number/json.hpp"

namespace critscale::checker {
namespace {

std::string check(const json& certificate) {
  require_keys(certificate, {"schema", "kind", "theorem", "statement", "claim", "evidence", "tool", "digest"},
               "the certificate");
  if (certificate.at("schema") != json(1)) throw Rejected("the schema is not 1");
  if (text(certificate, "digest") != digest(certificate))
    throw Rejected("the digest does not match: the certificate was altered or damaged");
  const std::string kind = text(certificate, "kind"), theorem = text(certificate, "theorem");
  const json& claim = member(certificate, "claim");
  const json& evidence = member(certificate, "evidence");
  const std::string sentence = statement(kind, theorem, claim);
  if (text(certificate, "statement") != sentence) throw Rejected("the statement is not the one of the claim");
  if (kind == "value") check_value(theorem, claim, evidence);
  if (kind == "tail") check_tail(theorem, claim, evidence);
  if (kind == "class") check_class(theorem, claim, evidence);
  if (kind == "boundary") check_boundary(theorem, claim, evidence);
  return sentence;
}

}  // namespace

Verdict verify(std::string_view text) {
  try {
    return {true, {}, check(parse_json(text))};
  } catch (const std::exception& e) {
    return {false, e.what(), {}};
  }
}

std::string digest(const json& certificate) {
  json rest = certificate;
  rest.erase("digest");
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : rest.dump()) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return fmt::format("{:016x}", hash);
}

}  // namespace critscale::checker
