// Catch2 3 under the names that Catch2 2 has, for machines that have version 3.
#pragma once

#include <catch2/catch_all.hpp>

using Catch::Approx;

namespace Catch {
using Matchers::EndsWith;
using Matchers::StartsWith;
inline auto Contains(const std::string& part) { return Matchers::ContainsSubstring(part); }
}  // namespace Catch
