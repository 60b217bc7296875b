// What `random` is asked for: flags and case tables as exact rows of random keys. Uses flags.hpp and
// lib/critscale/random.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "critscale/random/expectations.hpp"
#include "inputs/flags.hpp"

namespace critscale::cli {

/// One question about random keys. Without n it is about the limit n -> infinity at fixed kappa.
struct RandomJob {
  std::vector<std::pair<std::string, std::string>> inputs;
  random::Keys keys;
  std::optional<PowerProduct> n;
  std::optional<LogitScale> scale;  ///< gamma or beta, where given
  std::vector<random::Expectation> quantities;
  bool all_quantities = true;  ///< without a selection
  bool transitions = false;
  long draws = 0;  ///< rows to draw beside the certified values
  long seed = 0;
  std::optional<Rational> inverse;  ///< g of the inverse question
  RunOptions options;
  std::string id, why, where;
};

/// The flags of `random` beside the shared ones.
class RandomFlags {
 public:
  explicit RandomFlags(CLI::App& command);
  /// The jobs asked for, all validated: lists of dim, kappa, sigma, rho, n, gamma and beta give their
  /// product.
  std::vector<RandomJob> jobs(const SharedFlags& shared) const;

 private:
  std::string keys_, draws_, inverse_;
  std::vector<std::string> dim_, kappa_, sigma_;
  bool no_aligned_key_ = false, transitions_ = false;
};

/// sphere or gaussian. Throws InputError.
random::KeyLaw key_law(const std::string& text);

}  // namespace critscale::cli
