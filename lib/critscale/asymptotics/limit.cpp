// Reading limits off expansions. Uses limit.hpp and model/.
#include "critscale/asymptotics/limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "critscale/model/layer_values.hpp"

namespace critscale {

namespace {

/// Numbers of exponents tried: from the number asked for, up to this.
constexpr std::size_t largest_expansion = 96;

/// The limit and up to `wanted` further terms, at least `needed` unless there are no more. Throws
/// TooFewTerms when the expansion ends before.
Limit read(const Expansion& x, std::size_t wanted, std::size_t needed) {
  Limit r;
  r.complete = x.is_exact();
  bool diverges = false;
  for (const Expansion::Term& term : x.terms()) {
    auto parts = term.coefficient.by_power_of_log_n();
    std::reverse(parts.begin(), parts.end());
    for (auto& [k, c] : parts) {
      if (!c.is_certainly_nonzero())
        throw LimitError(fmt::format("whether {} is zero is not decided with 4096 bits", c.text()));
      diverges = diverges || term.exponent > 0 || (term.exponent == 0 && k > 0);
      if (term.exponent == 0 && k == 0 && !diverges) {
        r.limit = std::move(c);
        continue;
      }
      if (r.terms.size() == wanted) {
        r.complete = false;
        break;
      }
      r.terms.push_back({std::move(c), term.exponent, k});
    }
  }
  const bool limit_known = diverges || x.is_exact() || *x.cutoff() < 0;
  if (!limit_known || (r.terms.size() < needed && !x.is_exact()))
    throw TooFewTerms("fewer terms than asked for");
  return r;
}

/// Whether every pair has inner product 1: lambda is undefined.
bool all_tied(const LimitConfiguration& c) { return c.profile.back().r == 1; }

/// The expansions of one quantity.
std::vector<Expansion> expand(const LimitConfiguration& c, Quantity q, Parameters as, std::size_t max_terms) {
  if (c.simplex) return values_of(SimplexLayer<Expansion>(simplex_inputs(c, as, max_terms)), q);
  return values_of(BandedLayer<Expansion>(band_inputs(c, as, max_terms)), q);
}

/// Reads every value of a quantity, with longer and longer expansions until they suffice; from the
/// longest one, what there is.
std::vector<Limit> read_all(const LimitConfiguration& c, Quantity q, Parameters as, std::size_t wanted) {
  for (std::size_t size = wanted + 3;; size = std::min(2 * size, largest_expansion)) try {
      const std::size_t needed = size < largest_expansion ? wanted : 1;
      std::vector<Limit> r;
      for (const Expansion& x : expand(c, q, as, size)) {
        r.push_back(read(x, wanted, needed));
        // An exact zero has no term to take the table of symbols from.
        if (!r.back().limit && (r.back().terms.empty() || r.back().terms[0].power < 0))
          r.back().limit = Symbols::create(1)->constant(0);
      }
      return r;
    } catch (const TooFewTerms&) {
      if (size >= largest_expansion)
        throw LimitError(
            fmt::format("the limit of {} is not reached among the first {} exponents of its expansion",
                        name(q), largest_expansion));
    }
}

/// The exact limits, with exponentials of the offset as independent symbols where that decides every
/// question.
std::vector<Limit> exact_limits(const LimitConfiguration& c, Quantity q, std::size_t terms) {
  try {
    return read_all(c, q, Parameters::numbers, terms);
  } catch (const LimitError&) {
    if (c.simplex || c.offset == 0) throw;
  }
  return read_all(c, q, Parameters::related_numbers, terms);
}

/// What the closed form stands for, where a closed form was found.
void add_closed_forms(std::vector<Limit>& limits, const LimitConfiguration& c, Quantity q) try {
  constexpr std::size_t largest_level = 4;
  if (c.profile.size() > largest_level) return;
  std::vector<Limit> named = read_all(c, q, Parameters::names, 1);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const bool diverges = !limits[i].limit;
    if (diverges != !named[i].limit || named[i].terms.empty() != limits[i].terms.empty()) continue;
    if (!named[i].terms.empty() && (named[i].terms[0].power != limits[i].terms[0].power ||
                                    named[i].terms[0].log_power != limits[i].terms[0].log_power))
      continue;
    const Coefficient& number = diverges ? limits[i].terms[0].coefficient : *limits[i].limit;
    const Coefficient& form = diverges ? named[i].terms[0].coefficient : *named[i].limit;
    if (!overlaps(number.value(256), form.value(256)))
      throw Error(fmt::format("the closed form {} is not {}", form.text(), number.text()));
    limits[i].closed_form = form;
  }
} catch (const LimitError&) {
  // Too large, or zero not decided: there is no closed form then, the exact limit stands.
}

}  // namespace

LimitResult limits(const LimitConfiguration& c, std::span<const Quantity> quantities, std::size_t terms) {
  validate(c);
  if (terms < 1 || terms > max_limit_terms)
    throw InputError(
        fmt::format("the number of terms must be between 1 and {}, found {}", max_limit_terms, terms));
  LimitResult r{thresholds(c.profile), forward_thresholds(c.profile, c.alpha != 0), {}, {}};
  r.phase = phase(r.thresholds, c.gamma);
  for (const Quantity q : quantities) {
    if (q == Quantity::angle_ratio && all_tied(c)) {
      r.quantities.push_back({q, {}, "every pair of tokens is tied (inner product 1)"});
      continue;
    }
    std::vector<Limit> values = exact_limits(c, q, terms);
    add_closed_forms(values, c, q);
    r.quantities.push_back({q, std::move(values), {}});
  }
  return r;
}

Ball value(const PowerLogTerm& term, const PowerProduct& n, Bits bits) {
  return term.coefficient.value(bits) * value(pow(n, term.power), bits) *
         pow(log(n, bits), Integer(term.log_power));
}

Ball value(const Limit& limit, std::size_t terms, const PowerProduct& n, Bits bits) {
  Ball sum = limit.limit ? limit.limit->value(bits) : Ball(0, bits);
  for (std::size_t i = 0; i < std::min(terms, limit.terms.size()); ++i) sum += value(limit.terms[i], n, bits);
  return sum;
}

}  // namespace critscale
