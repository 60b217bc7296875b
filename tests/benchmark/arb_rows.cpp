// Rows written by hand against Arb: the formulas of [simplex] as SimplexLayer has them, on variables
// that are set up once. What a class costs beyond this is the price of its operators.
#include <memory>

#include "benchmark/layer_row.hpp"
#include "critscale/text/print.hpp"

namespace benchmark {

using namespace critscale;

namespace {

class ArbLoop {
 public:
  ArbLoop(const SimplexInputs<Ball>& in, Bits bits) : in_(in), p_(bits) {
    for (arb_ptr x : all()) arb_init(x);
  }
  ArbLoop(const ArbLoop&) = delete;
  ArbLoop& operator=(const ArbLoop&) = delete;
  ~ArbLoop() {
    for (arb_ptr x : all()) arb_clear(x);
  }

  long full_set() {
    weights();
    outputs();
    participation_and_entropy();
    diagonal_block();
    other_blocks();
    arb_add(eta_, D_, O_, p_);
    arb_div(eta_, eta_, in_.d.raw(), p_);
    long sum = 0;
    for (arb_ptr x : {log_Z_, a_, b_, M_, inner_, norm2_, lambda_, eta_, participation_, entropy_})
      sum += arb_rel_accuracy_bits(x);
    return sum;
  }

 private:
  std::vector<arb_ptr> all() {
    return {a_,     b_,     M_,     c_,          m_,   common_,        c2_, norm2_,
            log1p_, log_Z_, inner_, lambda_,     eta_, entropy_,       T_,  V_,
            D_,     O_,     t_,     u_,          x_,   participation_, a2_, beta_delta_,
            other_, nm1_,   dm1_,   one_minus_b_};
  }
  void weights() {
    // a = 1/(1 + w), M = w a, b = M/(n - 1), c = a (1 - exp(-beta delta)) + alpha sqrt q
    arb_add_ui(t_, in_.odds.raw(), 1, p_);
    arb_ui_div(a_, 1, t_, p_);
    arb_mul(M_, in_.odds.raw(), a_, p_);
    arb_sub_ui(nm1_, in_.n.raw(), 1, p_);
    arb_div(b_, M_, nm1_, p_);
    arb_mul(c_, a_, in_.fall.raw(), p_);
    arb_mul(t_, in_.alpha.raw(), in_.root_q.raw(), p_);
    arb_add(c_, c_, t_, p_);
    arb_sqr(a2_, a_, p_);
    arb_log1p(log1p_, in_.odds.raw(), p_);
    arb_add(log_Z_, in_.beta.raw(), log1p_, p_);
    arb_mul(beta_delta_, in_.beta.raw(), in_.delta.raw(), p_);
  }
  void outputs() {
    // |x'|^2 = c^2 + b m (2 c + b n), m = 1 + (n - 1) rho
    arb_mul(m_, nm1_, in_.rho.raw(), p_);
    arb_add_ui(m_, m_, 1, p_);
    arb_mul_2exp_si(t_, c_, 1);
    arb_mul(u_, b_, in_.n.raw(), p_);
    arb_add(t_, t_, u_, p_);
    arb_mul(common_, b_, m_, p_);
    arb_mul(common_, common_, t_, p_);
    arb_sqr(c2_, c_, p_);
    arb_add(norm2_, c2_, common_, p_);
    arb_div(lambda_, c2_, norm2_, p_);
    // Both forms of the inner product, and what they have in common.
    arb_mul(inner_, c2_, in_.rho.raw(), p_);
    arb_add(inner_, inner_, common_, p_);
    arb_div(inner_, inner_, norm2_, p_);
    arb_mul(other_, in_.delta.raw(), lambda_, p_);
    arb_sub_ui(other_, other_, 1, p_);
    arb_neg(other_, other_);
    if (arb_contains(inner_, other_))
      arb_swap(inner_, other_);
    else if (!arb_contains(other_, inner_))
      arb_intersection(inner_, inner_, other_, p_);
  }
  void participation_and_entropy() {
    arb_mul(t_, M_, b_, p_);
    arb_add(t_, a2_, t_, p_);
    arb_ui_div(participation_, 1, t_, p_);
    arb_mul(entropy_, beta_delta_, M_, p_);
    arb_add(entropy_, log1p_, entropy_, p_);
  }
  void diagonal_block() {
    arb_sub_ui(one_minus_b_, b_, 1, p_);
    arb_neg(one_minus_b_, one_minus_b_);
    arb_sub_ui(dm1_, in_.d.raw(), 1, p_);
    // T = delta M (1 + a rho - b)
    arb_mul(T_, a_, in_.rho.raw(), p_);
    arb_add(T_, T_, one_minus_b_, p_);
    arb_mul(T_, T_, M_, p_);
    arb_mul(T_, T_, in_.delta.raw(), p_);
    // V = delta^2 M (a^2 (rho M + (1 + rho) b) + b ((1 - b)^2 + (n - 2) b^2))
    arb_add_ui(x_, in_.rho.raw(), 1, p_);
    arb_mul(V_, in_.rho.raw(), M_, p_);
    arb_mul(t_, x_, b_, p_);
    arb_add(V_, V_, t_, p_);
    arb_mul(V_, V_, a2_, p_);
    arb_sqr(t_, one_minus_b_, p_);
    arb_sub_ui(u_, nm1_, 1, p_);
    arb_mul(u_, u_, b_, p_);
    arb_mul(u_, u_, b_, p_);
    arb_add(t_, t_, u_, p_);
    arb_mul(t_, t_, b_, p_);
    arb_add(V_, V_, t_, p_);
    arb_mul(V_, V_, M_, p_);
    arb_sqr(t_, in_.delta.raw(), p_);
    arb_mul(V_, V_, t_, p_);
    // D = (a^2 (d-1) + 2 a beta T + beta^2 V)/q + 2 alpha/sqrt q (a (d-1) + beta T) + alpha^2 d
    arb_mul(T_, T_, in_.beta.raw(), p_);
    arb_mul(t_, a_, dm1_, p_);
    arb_add(u_, t_, T_, p_);
    arb_add(t_, u_, T_, p_);
    arb_mul(t_, t_, a_, p_);
    arb_sqr(D_, in_.beta.raw(), p_);
    arb_mul(D_, D_, V_, p_);
    arb_add(D_, D_, t_, p_);
    arb_div(D_, D_, in_.q.raw(), p_);
    arb_mul(u_, u_, in_.alpha.raw(), p_);
    arb_mul_2exp_si(u_, u_, 1);
    arb_div(u_, u_, in_.root_q.raw(), p_);
    arb_add(D_, D_, u_, p_);
    arb_sqr(t_, in_.alpha.raw(), p_);
    arb_mul(t_, t_, in_.d.raw(), p_);
    arb_add(D_, D_, t_, p_);
  }
  void other_blocks() {
    // (M b/q) [(d-1) - 2 beta delta (a + rho (1-b)) + (beta delta)^2 (1 + a^2 - b (1 + a)) (1 + rho)]
    arb_mul(t_, in_.rho.raw(), one_minus_b_, p_);
    arb_add(t_, t_, a_, p_);
    arb_mul(t_, t_, beta_delta_, p_);
    arb_mul_2exp_si(t_, t_, 1);
    arb_sub(O_, dm1_, t_, p_);
    arb_add_ui(t_, a_, 1, p_);
    arb_mul(t_, t_, b_, p_);
    arb_sub(t_, a2_, t_, p_);
    arb_add_ui(t_, t_, 1, p_);
    arb_mul(t_, t_, x_, p_);
    arb_sqr(u_, beta_delta_, p_);
    arb_mul(t_, t_, u_, p_);
    arb_add(O_, O_, t_, p_);
    arb_mul(t_, M_, b_, p_);
    arb_div(t_, t_, in_.q.raw(), p_);
    arb_mul(O_, O_, t_, p_);
  }

  SimplexInputs<Ball> in_;
  Bits p_;
  arb_t a_, b_, M_, c_, m_, common_, c2_, norm2_, log1p_, log_Z_, inner_, lambda_, eta_, entropy_, T_, V_, D_,
      O_, t_, u_, x_, participation_, a2_, beta_delta_, other_, nm1_, dm1_, one_minus_b_;
};

}  // namespace

std::vector<Row> arb_rows() {
  std::vector<Row> rows;
  for (const long digits : digit_counts) {
    const Bits bits = bits_for_digits(digits);
    const auto loop = std::make_shared<ArbLoop>(simplex_inputs<Ball>(setting(), Lift<Ball>(bits)), bits);
    rows.push_back({"Arb by hand", digits, [loop] { return loop->full_set(); }});
  }
  return rows;
}

}  // namespace benchmark
