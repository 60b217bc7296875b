// PowerProduct: the coprime base, exact predicates, order and enclosures. Its text is in
// power_product_text.cpp. Uses GMP and Ball.
#include "critscale/number/power_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "critscale/number/precision.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

namespace mp = boost::multiprecision;
using Factor = PowerProduct::Factor;

namespace {

Bits bit_length(const Integer& x) { return x == 0 ? 0 : static_cast<Bits>(mp::msb(abs(x))) + 1; }

/// Divides x by p as often as it goes; returns how often.
unsigned long remove_factor(Integer& x, const Integer& p) {
  return mpz_remove(x.backend().data(), x.backend().data(), p.backend().data());
}

/// The gcd of the multiplicities of the primes below 100 in b; 0 when none divides b. Whatever
/// is a k-th power has a multiple of k here.
unsigned long small_prime_multiplicity(Integer b) {
  unsigned long g = 0;
  for (unsigned p = 2; p < 100 && g != 1; ++p) {
    const unsigned long v = remove_factor(b, p);
    if (v != 0) g = std::gcd(g, v);
  }
  return g;
}

bool is_prime(unsigned long p) { return mpz_probab_prime_p(Integer(p).backend().data(), 25) != 0; }

/// base^exponent mod l.
unsigned long power_modulo(unsigned long base, unsigned long exponent, unsigned long l) {
  Integer r;
  mpz_powm_ui(r.backend().data(), Integer(base).backend().data(), exponent, Integer(l).backend().data());
  return r.convert_to<unsigned long>();
}

/// Whether the residue of b modulo one prime l = 1 mod p allows b to be a p-th power, p prime:
/// all but 1/p of the others are told apart, at the cost of one division.
bool may_be_power(const Integer& b, unsigned long p) {
  for (unsigned long l = p + 1;; l += p) {
    if (!is_prime(l)) continue;
    const unsigned long residue = mpz_fdiv_ui(b.backend().data(), l);
    if (residue != 0) return power_modulo(residue, (l - 1) / p, l) == 1;
  }
}

/// Writes b = r^k with the largest k: b becomes r, k is returned.
unsigned long extract_root(Integer& b) {
  const unsigned long multiplicity = small_prime_multiplicity(b);
  if (multiplicity == 1 || mpz_perfect_power_p(b.backend().data()) == 0) return 1;
  // A p-th power has at least p log2(r) bits, where r > 100 unless a small prime divides it.
  const long least_root_bits = multiplicity == 0 ? 6 : 1;
  unsigned long k = 1;
  Integer root;
  for (unsigned long p = 2; static_cast<Bits>(p) * least_root_bits <= bit_length(b); ++p) {
    if (!is_prime(p)) continue;
    if (multiplicity % p != 0 || !may_be_power(b, p)) continue;
    while (mpz_root(root.backend().data(), b.backend().data(), p) != 0) {
      b.swap(root);
      k *= p;
    }
  }
  return k;
}

/// Rewrites a product so that its bases are pairwise coprime. Each step replaces a^e r^f, with
/// g = gcd(a, r) > 1, a = g^v a' and r = g^w r', by a'^e r'^f g^(v e + w f): the product of all
/// bases falls, so the steps end.
std::vector<Factor> coprime_base(std::vector<Factor> pending) {
  std::vector<Factor> done;
  while (!pending.empty()) {
    Factor next = std::move(pending.back());
    pending.pop_back();
    if (next.base == 1 || next.exponent == 0) continue;
    Integer g;
    const auto shared = std::find_if(done.begin(), done.end(), [&](const Factor& f) {
      g = gcd(next.base, f.base);
      return g != 1;
    });
    if (shared == done.end()) {
      done.push_back(std::move(next));
      continue;
    }
    Factor other = std::move(*shared);
    done.erase(shared);
    const unsigned long v = remove_factor(next.base, g), w = remove_factor(other.base, g);
    Rational exponent = v * next.exponent + w * other.exponent;
    pending.push_back({std::move(g), std::move(exponent)});
    pending.push_back(std::move(next));
    pending.push_back(std::move(other));
  }
  return done;
}

/// Multiplies the bases that have equal exponents. A product of coprime numbers that are not
/// perfect powers is not one either: the multiplicities of its primes still have gcd 1.
std::vector<Factor> merge_equal_exponents(std::vector<Factor> factors) {
  std::sort(factors.begin(), factors.end(),
            [](const Factor& a, const Factor& b) { return a.exponent < b.exponent; });
  std::vector<Factor> merged;
  for (Factor& f : factors) {
    if (!merged.empty() && merged.back().exponent == f.exponent)
      merged.back().base *= f.base;
    else
      merged.push_back(std::move(f));
  }
  return merged;
}

void check_exponent(const Rational& e) {
  static const Integer limit = mp::pow(Integer(10), static_cast<unsigned>(PowerProduct::max_exponent_digits));
  if (abs(numerator(e)) >= limit || denominator(e) >= limit)
    throw InputError(fmt::format("an exponent has more than {} digits, which is the limit",
                                 PowerProduct::max_exponent_digits));
}

bool all_exponents_are_integers(const std::vector<Factor>& factors) {
  return std::all_of(factors.begin(), factors.end(), [](const Factor& f) { return is_integer(f.exponent); });
}

/// An upper bound of log2 of sum |e_i| (1 + ln b_i).
Bits log_magnitude(const PowerProduct& x) {
  Rational sum = 1;
  for (const Factor& f : x.factors()) sum += abs(f.exponent) * (bit_length(f.base) + 1);
  return bit_length(Integer(numerator(sum) / denominator(sum))) + 1;
}

/// sum e_i ln b_i at a working precision, with the cancellation that it has.
Ball log_sum(const PowerProduct& x, Bits working) {
  Ball sum(0, working);
  for (const Factor& f : x.factors()) sum += Ball(f.exponent, working) * log(Ball(f.base, working));
  return sum;
}

[[noreturn]] void throw_too_large(const PowerProduct& x, Bits max_bits) {
  throw InputError(
      fmt::format("{} is too large to write out: the limit is {} bits", in_quotes(x.to_string()), max_bits));
}

}  // namespace

PowerProduct::PowerProduct(std::vector<Factor> factors) {
  factors_ = coprime_base(std::move(factors));
  for (Factor& f : factors_) f.exponent *= extract_root(f.base);
  factors_ = merge_equal_exponents(std::move(factors_));
  std::sort(factors_.begin(), factors_.end(),
            [](const Factor& a, const Factor& b) { return a.base < b.base; });
  for (const Factor& f : factors_) check_exponent(f.exponent);
}

PowerProduct::PowerProduct(const Integer& v) : PowerProduct(power(v, 1)) {}

PowerProduct::PowerProduct(const Rational& v)
    : PowerProduct(power(numerator(v), 1) / power(denominator(v), 1)) {}

PowerProduct PowerProduct::power(const Integer& base, const Rational& exponent) {
  if (base <= 0)
    throw InputError(fmt::format("the base of a power must be positive, found {}", in_quotes(base.str())));
  return PowerProduct({{base, exponent}});
}

// For a prime p that divides b_i, and no other base, the multiplicity of p in x is e_i v with
// v = v_p(b_i); this holds for fractional e_i too (raise x to their common denominator). If x is
// rational, e_i v is an integer for every p | b_i, and since b_i is not a perfect power those v
// have gcd 1, so e_i is an integer. If x is an integer, moreover e_i v >= 0.
bool PowerProduct::is_rational() const { return all_exponents_are_integers(factors_); }

bool PowerProduct::is_integer() const {
  return is_rational() &&
         std::all_of(factors_.begin(), factors_.end(), [](const Factor& f) { return f.exponent > 0; });
}

Integer PowerProduct::to_integer(Bits max_bits) const {
  if (!is_integer()) throw InputError(fmt::format("{} is not an integer", in_quotes(to_string())));
  return numerator(to_rational(max_bits));
}

Rational PowerProduct::to_rational(Bits max_bits) const {
  if (!is_rational()) throw InputError(fmt::format("{} is not a fraction", in_quotes(to_string())));
  // b >= 2^(length - 1) bounds the size from below before anything is computed; the powers that
  // pass have at most twice as many bits as allowed.
  Integer up = 1, down = 1, up_bits = 0, down_bits = 0;
  for (const Factor& f : factors_)
    (f.exponent > 0 ? up_bits : down_bits) += abs(numerator(f.exponent)) * (bit_length(f.base) - 1);
  if (up_bits >= max_bits || down_bits >= max_bits) throw_too_large(*this, max_bits);
  for (const Factor& f : factors_) {
    const auto e = static_cast<unsigned>(abs(numerator(f.exponent)));
    (f.exponent > 0 ? up : down) *= mp::pow(f.base, e);
  }
  if (bit_length(up) > max_bits || bit_length(down) > max_bits) throw_too_large(*this, max_bits);
  return Rational(up, down);
}

PowerProduct& PowerProduct::operator*=(const PowerProduct& o) {
  std::vector<Factor> all = factors_;
  all.insert(all.end(), o.factors_.begin(), o.factors_.end());
  return *this = PowerProduct(std::move(all));
}

PowerProduct& PowerProduct::operator/=(const PowerProduct& o) {
  std::vector<Factor> all = factors_;
  for (const Factor& f : o.factors_) all.push_back({f.base, -f.exponent});
  return *this = PowerProduct(std::move(all));
}

PowerProduct pow(const PowerProduct& x, const Rational& exponent) {
  if (exponent == 0) return PowerProduct();
  PowerProduct r(x);
  for (Factor& f : r.factors_) {
    f.exponent *= exponent;
    check_exponent(f.exponent);
  }
  return r;
}

bool is_short_rational(const PowerProduct& x, Bits bits) {
  if (!x.is_rational()) return false;
  Rational needed = 0;
  for (const auto& [base, exponent] : x.factors()) needed += abs(exponent) * (msb(base) + 1);
  return needed <= bits;
}

bool divides(const PowerProduct& a, const PowerProduct& b) { return (b / a).is_integer(); }

std::strong_ordering compare(const PowerProduct& a, const PowerProduct& b) {
  if (a.factors() == b.factors()) return std::strong_ordering::equal;
  const PowerProduct ratio = a / b;
  if (ratio.is_one()) return std::strong_ordering::equal;
  return log(ratio, 8).is_positive() == Truth::yes ? std::strong_ordering::greater
                                                   : std::strong_ordering::less;
}

Ball log(const PowerProduct& x, Bits bits) {
  if (x.is_one()) return Ball(0, bits);
  constexpr Bits most_extra = 1L << 24;
  const auto sum = decide(16, most_extra, [&](Bits extra) -> std::optional<Ball> {
    Ball s = log_sum(x, bits + extra);
    if (s.accurate_bits() < bits + 4) return std::nullopt;
    return s.at(bits);
  });
  if (sum) return *sum;
  throw LimitError(
      fmt::format("the logarithm of {} is not known to {} bits at a working precision of {} bits",
                  in_quotes(x.to_string()), bits, bits + most_extra));
}

Ball value(const PowerProduct& x, Bits bits) {
  // An integer below 2^bits has no exponent above `bits`, so it is computed by powers, exactly.
  const Bits moderate = std::max(bits, 1000L);
  const Bits working = bits + log_magnitude(x) + 16;
  const bool by_powers = std::all_of(x.factors().begin(), x.factors().end(), [&](const Factor& f) {
    return is_integer(f.exponent) && abs(f.exponent) <= moderate;
  });
  if (!by_powers) return exp(log_sum(x, working)).at(bits);
  Ball product(1, working);
  for (const Factor& f : x.factors()) product *= pow(Ball(f.base, working), numerator(f.exponent));
  return product.at(bits);
}

}  // namespace critscale
