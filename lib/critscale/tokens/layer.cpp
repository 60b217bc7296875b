// Explicit tokens: names, precision, and the choice of arithmetic.
#include "critscale/tokens/layer.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "critscale/model/lift.hpp"
#include "critscale/schedules/schedule.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/tokens/ball/detail/facts.hpp"
#include "critscale/tokens/binary64/detail/layer.hpp"
#include "critscale/tokens/detail/settled.hpp"
#include "critscale/tokens/detail/zero.hpp"

namespace critscale {

namespace {

constexpr std::array quantities_of_tokens{
    Quantity::log_partition, Quantity::self_weight,   Quantity::inner_products, Quantity::output_norm2,
    Quantity::angle_ratio,   Quantity::jacobian_norm, Quantity::participation,  Quantity::entropy};

Unsettled unsettled(const TokenValues& v, long digits) {
  Unsettled r(digits);
  r.look("beta", v.beta);
  r.look("log_partition", v.log_partition);
  r.look("self_weight", v.self_weight);
  r.look("output_norm2", v.output_norm2);
  r.look("participation", v.participation);
  r.look("entropy", v.entropy);
  r.look("angle_ratio", v.angle_ratio);
  r.look("jacobian_norm", v.jacobian_norm);
  if (v.inner_products) {
    r.look("inner_products", v.inner_products->min);
    r.look("inner_products", v.inner_products->max);
    r.look("inner_products", v.inner_products->mean);
  }
  for (const TokenPair& p : v.pairs) {
    r.look("pairs", p.input);
    r.look("pairs", p.output);
  }
  return r;
}

/// The quantities that the binary64 path has left unsettled.
std::vector<Quantity> still_wanted(const TokenValues& v, const TokenOptions& options) {
  const auto rough = [&](const auto&... values) {
    // Numbers below the range of doubles are for Balls to tell from 0.
    Unsettled r(options.digits, false);
    (r.look("", values), ...);
    return r.found();
  };
  std::vector<Quantity> q;
  if (rough(v.log_partition)) q.push_back(Quantity::log_partition);
  if (rough(v.self_weight)) q.push_back(Quantity::self_weight);
  if (rough(v.output_norm2)) q.push_back(Quantity::output_norm2);
  if (rough(v.angle_ratio)) q.push_back(Quantity::angle_ratio);
  if (rough(v.jacobian_norm)) q.push_back(Quantity::jacobian_norm);
  if (rough(v.participation)) q.push_back(Quantity::participation);
  if (rough(v.entropy)) q.push_back(Quantity::entropy);
  if (v.inner_products && rough(v.inner_products->min, v.inner_products->max, v.inner_products->mean))
    q.push_back(Quantity::inner_products);
  return q;
}

/// Quantities that are never negative have no negative lower end.
void clip(TokenValues& v) {
  const auto clip_one = [](Ball& x) {
    if (x.is_finite() && !x.is_exact() && x.contains_zero()) x = up_from_zero(x);
  };
  for (std::vector<Ball>* values : {&v.self_weight, &v.output_norm2, &v.entropy})
    for (Ball& x : *values) clip_one(x);
  if (v.angle_ratio) clip_one(*v.angle_ratio);
  if (v.jacobian_norm) clip_one(*v.jacobian_norm);
}

/// Takes over what `better` has.
void replace(TokenValues& v, TokenValues better) {
  const auto take = [](auto& to, auto& from) {
    if (!from.empty()) to = std::move(from);
  };
  const auto take_optional = [](auto& to, auto& from) {
    if (from) to = std::move(from);
  };
  take(v.log_partition, better.log_partition);
  take(v.self_weight, better.self_weight);
  take(v.output_norm2, better.output_norm2);
  take(v.participation, better.participation);
  take(v.entropy, better.entropy);
  take(v.pairs, better.pairs);
  take_optional(v.inner_products, better.inner_products);
  take_optional(v.angle_ratio, better.angle_ratio);
  take_optional(v.jacobian_norm, better.jacobian_norm);
}

Unsettled unsettled(const TokenGeometry& g, long digits) {
  Unsettled r(digits);
  r.look("rho_min", g.rho_min);
  r.look("rho_max", g.rho_max);
  r.look("rho_mean", g.rho_mean);
  r.look("thresholds", g.first_threshold);
  r.look("thresholds", g.last_threshold);
  return r;
}

void require_valid(const LogitScale& scale, const Rational& alpha, const TokenOptions& options,
                   std::size_t n) {
  if (!scale.coefficient.is_point() || !scale.offset.is_point())
    throw InputError("explicit tokens need an exact logit scale, found a box");
  if (alpha < 0) throw InputError(fmt::format("alpha must not be negative, found {}", to_string(alpha)));
  for (const Quantity q : options.quantities)
    if (std::find(quantities_of_tokens.begin(), quantities_of_tokens.end(), q) == quantities_of_tokens.end())
      throw InputError(fmt::format("{} has no meaning for explicit tokens, which have no bands", name(q)));
  for (const auto& [i, j] : options.pairs)
    if (i >= n || j >= n || i == j)
      throw InputError(
          fmt::format("a pair needs two different tokens from 0 to {}, found {},{}", n - 1, i, j));
  if (certainly(token_beta(scale, n, 128).is_negative()))
    throw InputError(fmt::format("beta must not be negative at n = {}", n));
}

/// The precision of the first attempt for n tokens. Sums of n numbers cost log2 n bits. Numbers of up to 128
/// bits need no memory of their own; beyond that, requests that need almost the same precision get the same,
/// so that they share what depends on the tokens alone.
Bits first_bits(long digits, Bits extra, std::size_t n) {
  constexpr Bits inline_bits = 128, step = 16, guard = 32, least_guard = 8;
  const Bits needed = bits_for_digits(digits) + extra;
  const Bits bits = (needed + guard + step - 1) / step * step;
  const bool enough_inline = needed + static_cast<Bits>(std::bit_width(n)) + least_guard <= inline_bits;
  return enough_inline ? std::min(bits, inline_bits) : bits;
}

/// Bits that beta's size costs: a relative error in beta is an absolute one in the exponent.
Bits bits_of_size(const Ball& x) {
  detail::Fmpz e;
  arf_abs_bound_lt_2exp_fmpz(e.x, x.upper().raw());
  return fmpz_sgn(e.x) <= 0 ? 0 : fmpz_fits_si(e.x) ? std::min<Bits>(fmpz_get_si(e.x), 1 << 20) : 1 << 20;
}

}  // namespace

std::span<const Quantity> token_quantities() { return quantities_of_tokens; }

bool is_per_token(Quantity q) {
  return q != Quantity::inner_products && q != Quantity::angle_ratio && q != Quantity::jacobian_norm;
}

Ball token_beta(const LogitScale& scale, std::size_t n, Bits bits) {
  return beta(schedule_of(scale), PowerProduct(n), Lift<Ball>(bits));
}

struct TokenModel::State {
  explicit State(TokenSet set) : tokens(std::move(set)), facts(tokens) {}

  TokenValues evaluate(const LogitScale& scale, const Rational& alpha, bool beta_is_zero,
                       const TokenOptions& options);

  /// Whether x'_i = 0, where that can be decided exactly.
  bool output_is_zero(const LogitScale& scale, const Rational& alpha, bool beta_is_zero,
                      std::size_t i) const {
    if (beta_is_zero) return output_of_means_is_zero(tokens, alpha, i);
    const bool gamma_only = scale.power == 1 && scale.offset.lo == 0;
    return facts.collinear && gamma_only &&
           output_on_line_is_zero(tokens, scale.coefficient.lo, alpha, i,
                                  facts.members[facts.direction[i]].size());
  }

  /// Kept at the precision used last: several layers on the same tokens share it.
  std::shared_ptr<const TokenBalls> balls(Bits bits, const Checkpoint& checkpoint) {
    if (tokens.n() > max_tokens)
      throw LimitError(fmt::format(
          "{} tokens need Ball arithmetic for these digits, which keeps the products of all pairs: of "
          "at most {} tokens",
          tokens.n(), max_tokens));
    const std::lock_guard lock(mutex);
    if (!kept || kept->bits != bits) {
      kept.reset();
      // While this thread holds the lock it must not take up another task that might want it.
      tbb::this_task_arena::isolate(
          [&] { kept = std::make_shared<const TokenBalls>(tokens, facts, bits, checkpoint); });
    }
    return kept;
  }

  /// Empty where the binary64 path does not apply.
  std::shared_ptr<const TokenDoubles> doubles() {
    const std::lock_guard lock(mutex);
    if (!doubles_tried)
      tbb::this_task_arena::isolate(
          [&] { kept_doubles = TokenDoubles::make(tokens, facts, *token_kernels().front()); });
    doubles_tried = true;
    return kept_doubles;
  }

  /// Whether another process has the results.
  bool follows() const { return sharing && !sharing->leads(); }

  TokenSet tokens;
  TokenFacts facts;
  std::shared_ptr<const RowSharing> sharing;
  std::mutex mutex;
  bool doubles_tried = false;
  std::shared_ptr<const TokenDoubles> kept_doubles;
  std::shared_ptr<const TokenBalls> kept;
};

TokenModel::TokenModel(TokenSet tokens) { state_ = std::make_unique<State>(std::move(tokens)); }
TokenModel::~TokenModel() = default;
TokenModel::TokenModel(TokenModel&&) noexcept = default;
TokenModel& TokenModel::operator=(TokenModel&&) noexcept = default;

void TokenModel::share_rows(std::shared_ptr<const RowSharing> sharing) {
  state_->sharing = std::move(sharing);
}

const TokenSet& TokenModel::tokens() const { return state_->tokens; }
bool TokenModel::tied(std::size_t i, std::size_t j) const { return state_->facts.tied(i, j); }

TokenGeometry TokenModel::geometry(long digits, Bits max_bits,
                                   const std::function<void()>& checkpoint) const {
  const Checkpoint check(checkpoint);
  require_digits(digits);
  if (max_bits == 0) max_bits = default_max_bits(digits);
  if (digits <= binary64_digits)
    if (const auto doubles = state_->doubles()) {
      TokenGeometry g = geometry_binary64(state_->facts, *doubles, state_->sharing.get());
      if (!unsettled(g, digits).found()) return g;
    }
  if (state_->follows()) return {};
  return raise_precision(
      first_bits(digits, 0, state_->tokens.n()), max_bits,
      [&](Bits bits) { return geometry_of(*state_->balls(bits, check), check); },
      [&](const TokenGeometry& g) { return !unsettled(g, digits).found(); },
      [&](const TokenGeometry& g) { unsettled(g, digits).raise(max_bits); });
}

std::vector<RowGaps> TokenModel::gap_counting(long digits, Bits max_bits,
                                              const std::function<void()>& checkpoint) const {
  const Checkpoint check(checkpoint);
  require_digits(digits);
  if (max_bits == 0) max_bits = default_max_bits(digits);
  const TokenFacts& facts = state_->facts;
  const auto unsettled_row = [&](const std::vector<RowGaps>& rows) {
    Unsettled r(digits);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].lambda)
        r.look("gap_counting", *rows[i].lambda);
      else if (facts.members[facts.direction[i]].size() == 1)
        r.look("gap_counting", Ball::whole_line(2));
    return r;
  };
  if (digits <= binary64_digits)
    if (const auto doubles = state_->doubles()) {
      std::vector<RowGaps> rows = gaps_binary64(facts, *doubles, state_->sharing.get());
      if (!unsettled_row(rows).found()) return rows;
    }
  if (state_->follows()) return {};
  return raise_precision(
      first_bits(digits, 0, state_->tokens.n()), max_bits,
      [&](Bits bits) { return gaps_of(*state_->balls(bits, check), check); },
      [&](const std::vector<RowGaps>& rows) { return !unsettled_row(rows).found(); },
      [&](const std::vector<RowGaps>& rows) { unsettled_row(rows).raise(max_bits); });
}

TokenValues TokenModel::evaluate(const LogitScale& scale, const Rational& alpha,
                                 const TokenOptions& options) const {
  State& s = *state_;
  require_digits(options.digits);
  require_valid(scale, alpha, options, s.tokens.n());
  const Ball beta = token_beta(scale, s.tokens.n(), 128);
  const bool beta_is_zero = beta.is_zero() == Truth::yes;
  if (options.allow_binary64 && options.digits <= binary64_digits)
    if (const auto doubles = s.doubles()) {
      std::optional<TokenValues> v = evaluate_binary64(
          s.tokens, s.facts, *doubles, {beta, alpha, beta_is_zero, options}, nullptr, s.sharing.get());
      if (v && !s.follows()) {
        TokenOptions rest = options;
        rest.quantities = still_wanted(*v, options);
        Unsettled pairs(options.digits);
        for (const TokenPair& p : v->pairs) {
          pairs.look("", p.input);
          pairs.look("", p.output);
        }
        if (!pairs.found()) rest.pairs.clear();
        if (!rest.quantities.empty() || !rest.pairs.empty())
          replace(*v, s.evaluate(scale, alpha, beta_is_zero, rest));
        clip(*v);
        return std::move(*v);
      }
    }
  if (s.follows()) return {};
  TokenValues v = s.evaluate(scale, alpha, beta_is_zero, options);
  clip(v);
  return v;
}

TokenValues TokenModel::State::evaluate(const LogitScale& scale, const Rational& alpha, bool beta_is_zero,
                                        const TokenOptions& options) {
  const std::size_t n = tokens.n();
  const Bits extra = bits_of_size(token_beta(scale, n, 64));
  const Bits max_bits = options.max_bits > 0 ? options.max_bits : default_max_bits(options.digits) + extra;
  const Bits bits_to_tell_zero = bits_for_digits(options.digits) + extra + bits_of_zero;
  const Checkpoint check(options.checkpoint);
  struct Attempt {
    std::optional<TokenValues> values;
    std::size_t vanishing = 0;
  };
  Attempt last = raise_precision(
      first_bits(options.digits, extra, n), max_bits,
      [&](Bits bits) {
        const LayerRequest request{token_beta(scale, n, bits), alpha, beta_is_zero, options};
        Attempt a;
        a.values = evaluate_balls(*balls(bits, check), request, a.vanishing);
        if (!a.values && output_is_zero(scale, alpha, beta_is_zero, a.vanishing))
          throw_zero_output(a.vanishing);
        if (!a.values && bits >= bits_to_tell_zero) throw_vanishing_output(a.vanishing, bits);
        return a;
      },
      [&](const Attempt& a) { return a.values && !unsettled(*a.values, options.digits).found(); },
      [&](const Attempt& a) {
        if (!a.values) throw_vanishing_output(a.vanishing, max_bits);
        unsettled(*a.values, options.digits).raise(max_bits);
      });
  return std::move(*last.values);
}

}  // namespace critscale
