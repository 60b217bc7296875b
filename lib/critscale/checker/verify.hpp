// The independent verifier of certificates. Of the project it uses number/ (Interval, Rational,
// parsing) and nothing else.
//
// What it does with a certificate, in this order:
//  1. reads the JSON; every key must be known, every number an exact fraction in text;
//  2. compares the digest, so that an altered file is told from one that does not prove its claim;
//  3. writes the statement from the claim anew and compares it;
//  4. checks that theorem, kind, quantity and limit belong together, against its own tables;
//  5. walks the bisection tree, which cuts the box at exact midpoints, so that the leaves cover it by
//     construction; on every leaf it evaluates its own formula in interval arithmetic.
// What is trusted: GMP, MPFR and MPFI, the compiler and machine, and the mathematics of
// provers/THEORY-proofs.md that turns the claim into the inequality that is evaluated.
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

/// The sentence that a certificate's claim stands for. Throws InputError for a malformed claim.
std::string statement(const std::string& kind, const std::string& theorem, const nlohmann::json& claim);

/// A checksum (64-bit FNV-1a) of everything in a certificate but the digest itself. It detects
/// damage and edits; it is no part of the proof.
std::string digest(const nlohmann::json& certificate);

}  // namespace critscale::checker
