// The independent verifier of certificates. Of the project it uses number/, text/ and io/ (what of them:
// provers/CERTIFICATES.md) and nothing else.
//
// With a certificate it reads the JSON, in which every key must be known and every number an exact fraction
// in text; compares the digest, so that an altered file is told from one that does not prove its claim;
// writes the statement from the claim anew; checks that theorem, kind, quantity and limit belong together;
// and checks the evidence by its own formulas in interval arithmetic. A bisection tree cuts the box at exact
// midpoints, so that its leaves cover the box by construction. What is trusted: provers/CERTIFICATES.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace critscale::checker {

struct Verdict {
  bool accepted = false;
  std::string reason;     ///< one line; why it was rejected
  std::string statement;  ///< what was proved
};

/// Verifies the text of one certificate. Never throws for a bad certificate: it is rejected.
Verdict verify(std::string_view text);
/// The sentence that a certificate's claim stands for. Throws an Error for a malformed claim.
std::string statement(const std::string& kind, const std::string& theorem, const nlohmann::json& claim);
/// A checksum (CRC-64) of everything in a certificate but the digest itself, against damage and edits;
/// it is no part of the proof.
std::string digest(const nlohmann::json& certificate);

}  // namespace critscale::checker
