// The flags of `critscale tokens`. Uses CLI11 (in the .cpp only), flags.hpp and specification.hpp.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/model/configuration.hpp"
#include "critscale/tokens/layer.hpp"
#include "inputs/flags.hpp"

namespace critscale::cli {

/// n=,d=,rho=,seed= of --gaussian.
struct GaussianFlag {
  std::size_t n, d;
  Rational rho;
  std::uint64_t seed;
  /// The same, canonical.
  std::string text;
};

/// One layer: a logit scale and a residual strength, with their exact texts ("gamma" or "beta", "alpha").
struct TokenLayerFlags {
  LogitScale scale;
  Rational alpha;
  std::vector<std::pair<std::string, std::string>> inputs;
};

/// Lives as long as the command's callback.
class TokenFlags {
 public:
  explicit TokenFlags(CLI::App& command);

  const std::vector<std::string>& files() const { return files_; }
  std::optional<GaussianFlag> gaussian() const;
  /// Every combination of the values of gamma or beta with those of alpha, alpha varying fastest; empty
  /// where neither gamma nor beta is given. Throws InputError that names the flag.
  std::vector<TokenLayerFlags> layers() const;
  /// Quantities and pairs; digits and limits are in run_options().
  TokenOptions options() const;
  /// The rows asked for by --row.
  std::vector<std::size_t> rows() const;
  RunOptions run_options() const;
  Format format() const;
  const std::string& output() const { return output_; }
  bool force() const { return force_; }

 private:
  std::vector<std::string> files_, gamma_, beta_, alpha_, quantities_, pairs_, rows_;
  std::string gaussian_, format_ = "text", output_;
  RunFlags run_;
  bool force_ = false;
};

}  // namespace critscale::cli
