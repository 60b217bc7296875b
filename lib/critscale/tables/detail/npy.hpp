// NumPy's array files of one column of numbers. Uses number/npy_format.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace critscale {

/// Numbers of a float array, in order.
struct NumberArray {
  std::vector<double> values;
  /// "fp64", "fp32" or "fp16".
  std::string preset;
};

/// Reads an array of little-endian float16, float32 or float64 in C order. Throws InputError for anything
/// else and for a file that is not exactly as long as its header says.
NumberArray read_npy(const std::string& path);

/// The header of an array of `count` items of the type `descr` (NumPy's, a quoted text or a list).
std::string npy_header(std::string_view descr, std::size_t count);

}  // namespace critscale
