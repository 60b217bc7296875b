// Token sets in files: NumPy's .npy and .npz, and CSV. Uses set.hpp and number/.
#pragma once

#include <cstdint>
#include <string>

#include "critscale/tokens/set.hpp"

namespace critscale {

/// The most numbers a token file may have.
inline constexpr std::uint64_t max_token_entries = std::uint64_t{1} << 27;

/// Reads a token set, one row a token. Every entry is the exact number stored. Throws InputError "PATH: ..."
/// for whatever is not a two-dimensional array of such numbers, before taking memory for numbers that are not
/// there.
///
///   FILE.npy        float16, float32, float64, or integers of 8 to 64 bits, signed or not; either byte
///   order,
///                   C or Fortran order
///   FILE.npz        the same, the archive's only array; FILE.npz:NAME for one of several
///   FILE.vec        word vectors: a line "n d" or none, then one token a line, a word before its numbers,
///   with
///                   blanks between; also FILE.txt where its first token begins with what is no number
///   anything else   text: one token a line, numbers such as 0.1, -2.5e-3 or 1/3 separated by commas, or
///                   by blanks where a line has no comma; empty lines and lines that start with # are skipped
TokenSet read_tokens(const std::string& path);

/// The bytes of a .npy file (version 1.0, float64, C order) with a binary token set.
std::string npy_bytes(const TokenSet& tokens);

}  // namespace critscale
