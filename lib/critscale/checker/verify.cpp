// Uses verify.hpp and pieces.hpp.
#include "critscale/checker/verify.hpp"

#include <cstdint>

#include "critscale/checker/pieces.hpp"

namespace critscale::checker {
namespace {

std::string check(const json& certificate) {
  require_keys(certificate, {"schema", "kind", "theorem", "statement", "claim", "evidence", "tool", "digest"},
               "the certificate");
  require(certificate.at("schema").dump() == "1", "the schema is not 1");
  require(text(certificate, "digest") == digest(certificate),
          "the digest does not match: the certificate was altered or damaged");
  const std::string kind = text(certificate, "kind"), theorem = text(certificate, "theorem");
  const json &claim = certificate.at("claim"), &evidence = certificate.at("evidence");
  const std::string sentence = statement(kind, theorem, claim);
  require(text(certificate, "statement") == sentence, "the statement is not the one of the claim");
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
