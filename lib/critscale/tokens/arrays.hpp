// Arrays of numbers in .npy and .npz files, of any shape and floating-point type. Uses io/ and
// number/errors.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace critscale {

/// Numbers in C order; every type read here is part of the doubles, so that each is the exact number stored.
struct StoredArray {
  std::vector<std::uint64_t> shape;
  std::vector<double> entries;
  bool boolean = false;  ///< of NumPy's type bool, as 0 and 1
};

/// "(2, 8, 64)".
std::string shape_text(const std::vector<std::uint64_t>& shape);

/// Reads FILE.npy, or FILE.npz with one array, or FILE.npz:NAME. Types: float64, float32, float16, bool;
/// uint16 where `bfloat16` says that its patterns are bfloat16 numbers. Throws InputError "PATH: ..." for
/// everything else, before taking memory for numbers that are not there.
StoredArray read_array(const std::string& path, bool bfloat16);

}  // namespace critscale
