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

/// What is asked: expectations at n or the diagram at kappa (`random`), limits of a row's weights (`limit`),
/// or the lines and transitions (`boundary`).
enum class RandomQuestion { row, limit, boundary };

/// One question about random keys. Without n it is about the limit n -> infinity at fixed kappa.
struct RandomJob {
  RandomQuestion question = RandomQuestion::row;
  std::vector<std::pair<std::string, std::string>> inputs;
  random::Keys keys;
  std::optional<PowerProduct> n;
  std::optional<LogitScale> scale;  ///< gamma or beta, where given
  std::vector<random::Expectation> quantities;
  bool all_quantities = true;  ///< without a selection
  bool transitions = false;
  long draws = 0;  ///< rows to draw beside the certified values
  long sets = 0;   ///< whole sets to draw instead, every key of which is a row's query
  long seed = 0;
  std::optional<Rational> inverse;  ///< g of the inverse question
  long terms = 0;                   ///< of the lines' series, where asked for
  RunOptions options;
  std::string id, why, where;
};

/// The flags of `random` beside the shared ones; other commands have those that describe keys only.
class RandomFlags {
 public:
  RandomFlags(CLI::App& command, RandomQuestion question);
  /// The jobs asked for, all validated: lists of dim, kappa, sigma, rho, n, gamma and beta give their
  /// product.
  std::vector<RandomJob> jobs(const SharedFlags& shared) const;
  /// Of specifications whose geometry is random keys.
  std::vector<RandomJob> jobs(const SharedFlags& shared, std::vector<Specification> specifications) const;
  /// Whether a flag that describes random keys was given.
  bool given() const;
  /// The flags as keys of a specification.
  void add_to(Specification& s) const;

 private:
  RandomQuestion question_;
  std::string keys_, draws_, sets_, inverse_;
  std::vector<std::string> dim_, kappa_, sigma_;
  bool no_aligned_key_ = false, transitions_ = false;
};

/// sphere, gaussian or gaussian-scores. Throws InputError.
random::KeyLaw key_law(const std::string& text);
/// Whether the geometry is random keys, sphere or gaussian-scores.
bool is_random_geometry(const Specification& s);
/// Whether all of them have such a geometry; without one, `flags` must describe no random keys. Throws
/// InputError where some have it and some not.
bool asks_random_keys(const std::vector<Specification>& specifications, const RandomFlags& flags);
/// The keys that one specification describes, without lists. Throws InputError.
random::Keys read_keys(const Specification& s);
/// Answers the jobs and writes the result; gives the exit code.
int write_random_answers(const SharedFlags& shared, const std::vector<RandomJob>& jobs);

}  // namespace critscale::cli
