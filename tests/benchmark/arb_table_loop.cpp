// What `critscale table` is compared with: a hand-written single-threaded Arb loop over the same
// grid, with decimal output. The formulas of [simplex], alpha = 0, q = 1, d = n; nothing of ours.
// Prints one CSV line a point: rho, gamma, then five values of 30 digits.
#include <critscale/number/flint.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr slong steps = 300, digits = 30, bits = 160;

/// from + (to - from) i/(steps - 1), a fraction.
void grid_value(fmpq_t v, slong i, slong from_num, slong to_num, slong denominator) {
  fmpq_set_si(v, from_num * (steps - 1) + (to_num - from_num) * i,
              static_cast<ulong>(denominator * (steps - 1)));
}

void print(const arb_t x) {
  char* text = arb_get_str(x, digits, ARB_STR_NO_RADIUS);
  std::fputc(',', stdout);
  std::fputs(text, stdout);
  flint_free(text);
}

}  // namespace

int main() {
  enum { n, log_n, beta, rho, delta, decay, fall, w, a, M, b, c, m, common, norm2, t, u, T, V, D, O, count };
  arb_t x[count];
  for (auto& v : x) arb_init(v);
  fmpq_t rho_q, gamma_q;
  fmpq_init(rho_q);
  fmpq_init(gamma_q);
  arb_set_ui(x[n], 1000000);
  arb_log(x[log_n], x[n], bits);
  for (slong i = 0; i < steps; ++i)
    for (slong k = 0; k < steps; ++k) {
      grid_value(rho_q, i, 1, 9, 10);
      grid_value(gamma_q, k, 1, 5, 2);
      arb_set_fmpq(x[rho], rho_q, bits);
      arb_set_fmpq(x[beta], gamma_q, bits);
      arb_mul(x[beta], x[beta], x[log_n], bits);
      arb_sub_ui(x[delta], x[rho], 1, bits);
      arb_neg(x[delta], x[delta]);
      arb_mul(x[t], x[beta], x[delta], bits);
      arb_neg(x[t], x[t]);
      arb_expm1(x[fall], x[t], bits);
      arb_add_ui(x[decay], x[fall], 1, bits);
      arb_neg(x[fall], x[fall]);
      arb_sub_ui(x[u], x[n], 1, bits);
      arb_mul(x[w], x[u], x[decay], bits);
      arb_add_ui(x[a], x[w], 1, bits);
      arb_ui_div(x[a], 1, x[a], bits);
      arb_mul(x[M], x[w], x[a], bits);
      arb_div(x[b], x[M], x[u], bits);
      arb_mul(x[c], x[a], x[fall], bits);
      arb_mul(x[m], x[u], x[rho], bits);
      arb_add_ui(x[m], x[m], 1, bits);
      // 2 c b m + b^2 n m
      arb_mul(x[common], x[b], x[n], bits);
      arb_addmul_ui(x[common], x[c], 2, bits);
      arb_mul(x[common], x[common], x[b], bits);
      arb_mul(x[common], x[common], x[m], bits);
      arb_sqr(x[c], x[c], bits);
      arb_add(x[norm2], x[c], x[common], bits);
      std::printf("%ld,%ld", static_cast<long>(i), static_cast<long>(k));
      // log_partition
      arb_log1p(x[t], x[w], bits);
      arb_add(x[t], x[t], x[beta], bits);
      print(x[t]);
      print(x[a]);
      // inner product
      arb_mul(x[t], x[c], x[rho], bits);
      arb_add(x[t], x[t], x[common], bits);
      arb_div(x[t], x[t], x[norm2], bits);
      print(x[t]);
      print(x[norm2]);
      // jacobian_norm: O
      arb_sub_ui(x[t], x[b], 1, bits);
      arb_neg(x[t], x[t]);  // 1 - b
      arb_mul(x[u], x[rho], x[t], bits);
      arb_add(x[u], x[u], x[a], bits);
      arb_mul(x[O], x[beta], x[delta], bits);
      arb_mul(x[u], x[u], x[O], bits);
      arb_mul_2exp_si(x[u], x[u], 1);
      arb_sqr(x[O], x[O], bits);
      arb_sqr(x[T], x[a], bits);
      arb_add_ui(x[T], x[T], 1, bits);
      arb_add_ui(x[V], x[a], 1, bits);
      arb_submul(x[T], x[V], x[b], bits);
      arb_mul(x[O], x[O], x[T], bits);
      arb_add_ui(x[V], x[rho], 1, bits);
      arb_mul(x[O], x[O], x[V], bits);
      arb_sub(x[O], x[O], x[u], bits);
      arb_add(x[O], x[O], x[n], bits);
      arb_sub_ui(x[O], x[O], 1, bits);
      arb_mul(x[O], x[O], x[M], bits);
      arb_mul(x[O], x[O], x[b], bits);
      // T = delta M (1 + a rho - b)
      arb_addmul(x[t], x[a], x[rho], bits);
      arb_mul(x[T], x[delta], x[M], bits);
      arb_mul(x[T], x[T], x[t], bits);
      // V = delta^2 M [a^2 (rho M + (1 + rho) b) + b ((1 - b)^2 + (n - 2) b^2)]
      arb_mul(x[V], x[V], x[b], bits);
      arb_addmul(x[V], x[rho], x[M], bits);
      arb_sqr(x[u], x[a], bits);
      arb_mul(x[V], x[V], x[u], bits);
      arb_sub_ui(x[t], x[b], 1, bits);
      arb_sqr(x[t], x[t], bits);
      arb_sqr(x[decay], x[b], bits);
      arb_sub_ui(x[D], x[n], 2, bits);
      arb_addmul(x[t], x[D], x[decay], bits);
      arb_addmul(x[V], x[t], x[b], bits);
      arb_mul(x[V], x[V], x[M], bits);
      arb_sqr(x[t], x[delta], bits);
      arb_mul(x[V], x[V], x[t], bits);
      // D = a^2 (d - 1) + 2 a beta T + beta^2 V
      arb_sub_ui(x[D], x[n], 1, bits);
      arb_mul(x[D], x[D], x[u], bits);
      arb_mul(x[t], x[a], x[beta], bits);
      arb_mul_2exp_si(x[t], x[t], 1);
      arb_addmul(x[D], x[t], x[T], bits);
      arb_sqr(x[t], x[beta], bits);
      arb_addmul(x[D], x[t], x[V], bits);
      arb_add(x[D], x[D], x[O], bits);
      arb_div(x[D], x[D], x[n], bits);
      print(x[D]);
      std::fputc('\n', stdout);
    }
  for (auto& v : x) arb_clear(v);
  fmpq_clear(rho_q);
  fmpq_clear(gamma_q);
  return 0;
}
