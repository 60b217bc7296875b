// The flags of `critscale attention`. Uses CLI11 (in the .cpp only), schedule_flags.hpp and
// tokens/attention.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/tokens/attention.hpp"
#include "inputs/flags.hpp"
#include "inputs/schedule_flags.hpp"

namespace critscale::cli {

/// What --gaussian draws: n keys and m queries of d numbers, values of e numbers, heads of each.
struct GaussianArrays {
  std::size_t n, m, d, e, heads, key_heads;
};

/// The gradients that --quantities may name.
enum class Gradient { dq, dk, dv, dsink };

/// The texts of the flags. Lives as long as the command's callback.
class AttentionFlags {
 public:
  explicit AttentionFlags(CLI::App& command);

  std::string q, k, v, d_out, mask, output;
  bool bfloat16 = false, force = false;

  /// Throws InputError that names the flag, also where files are named besides.
  std::optional<GaussianArrays> gaussian() const;
  std::uint64_t seed() const;
  /// For m query rows; rows, quantities and everything that changes a score. Throws InputError.
  AttentionOptions options(std::size_t m) const;
  /// The gradients asked for: all with --d-out unless --quantities names some. Throws InputError where
  /// gradients are named without --d-out, or --d-out is given and none is named.
  std::vector<Gradient> gradients() const;
  RunOptions run_options() const;
  Format format() const { return format_by_name(format_); }
  /// Everything that decides the result, as it was given.
  std::vector<std::pair<std::string, std::string>> inputs() const;

 private:
  std::string gaussian_, seed_, scale_, gamma_, beta_, causal_, window_, softcap_, sink_, rows_,
      format_ = "text";
  RunFlags run_;
  std::vector<std::string> quantities_;
  bool softcap_after_mask_ = false;
  ScheduleFlags schedules_;
};

}  // namespace critscale::cli
