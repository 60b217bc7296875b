// A certificate as a whole: its members, digest, sentence, and the check of its kind. Uses claims.hpp and
// io/checksum.hpp.
#include "critscale/checker/verify.hpp"

#include "critscale/checker/detail/claims.hpp"
#include "critscale/checker/detail/layers.hpp"
#include "critscale/io/detail/checksum.hpp"

namespace critscale::checker {
Verdict verify(std::string_view certificate) {
  try {
    const json c = parse_json(certificate);
    require_keys(c, {"schema", "kind", "theorem", "statement", "claim", "evidence", "tool", "digest"},
                 "the certificate");
    for (const char* key : {"name", "version"}) text(c.at("tool"), key);
    require(c.at("schema").dump() == "1", "the schema is not 1");
    require(text(c, "digest") == digest(c), "the digest does not match: the file was altered or damaged");
    const std::string kind = text(c, "kind"), theorem = text(c, "theorem");
    const json &claim = c.at("claim"), &evidence = c.at("evidence");
    const std::string sentence = statement(kind, theorem, claim);
    require(text(c, "statement") == sentence, "the statement is not the one of the claim");
    if (kind == "value") check_value(theorem, claim, evidence);
    if (kind == "tail") check_tail(theorem, claim, evidence);
    if (kind == "class") check_class(theorem, claim, evidence);
    if (kind == "boundary") check_boundary(theorem, claim, evidence);
    if (kind == "layers") check_layers(theorem, claim, evidence);
    return {true, {}, sentence};
  } catch (const std::exception& e) {
    return {false, e.what(), {}};
  }
}

std::string digest(const json& certificate) {
  json rest = certificate;
  rest.erase("digest");
  return Checksum().add(rest.dump()).text();
}

}  // namespace critscale::checker
