// Correct code for schedules is never accused: the published questions on schedules, worked out step by step
// in every arithmetic with functions that are two units off, stay within the allowances, and come near enough
// to show that these are not idle.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "critscale/tables/allowance.hpp"
#include "critscale/tables/formulas.hpp"
#include "critscale/tables/reference.hpp"
#include "provers/program.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

constexpr Bits schedule_bits = 256;

/// A schedule's formula in one arithmetic: every operation is rounded; knows nothing of allowances.
class SimulatedSchedule {
 public:
  SimulatedSchedule(const Formula& f, const FormulaInputs& in, const Arithmetic& a, std::mt19937_64& random)
      : f_(f), in_(in), a_(a), random_(random) {}

  double run() { return as_number(stored(of(f_.result(), true), *a_.format)); }

 private:
  static double as_number(const Ball& x) { return arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR); }
  /// Counts beyond the format are kept in a wider one.
  static Ball stored(const Ball& x, const BinaryFormat& format) {
    const Dyadic v = from_bits(format, round_to(format, x.midpoint()));
    return v.is_finite() ? Ball::exactly(v, schedule_bits) : x;
  }
  /// A function's value, wrong by up to three units before it is rounded; narrow formats round a binary32
  /// result once more.
  Ball function(const Ball& x) {
    const bool is_narrow = a_.elementwise->width < 32;
    const double u = unit_roundoff(is_narrow ? binary32 : *a_.elementwise);
    const double share = std::uniform_real_distribution<double>(-2.9, 2.9)(random_);
    return x * (1 + Ball::exactly(share * u, schedule_bits));
  }
  /// Positions and counts below a floor are whole numbers, and stay exact.
  Ball of(std::size_t node, bool rounds) {
    const FormulaNode& n = f_.nodes[node];
    const auto arg = [&](std::size_t k) { return of(n.args[k], rounds && n.op != FormulaOp::floor); };
    const auto held = [&](const Ball& x) { return rounds ? stored(x, *a_.elementwise) : x; };
    switch (n.op) {
      case FormulaOp::input:
        return held(in_.values.at(n.name).entries[0].number);
      case FormulaOp::number:
        return Ball(n.value, schedule_bits);
      case FormulaOp::line:
      case FormulaOp::prefer:
        return arg(0);
      case FormulaOp::add:
        return held(arg(0) + arg(1));
      case FormulaOp::subtract:
        return held(arg(0) - arg(1));
      case FormulaOp::multiply:
        return held(arg(0) * arg(1));
      case FormulaOp::divide:
        return held(arg(0) / arg(1));
      case FormulaOp::negate:
        return -arg(0);
      case FormulaOp::max: {
        const Ball a = arg(0), b = arg(1);
        return as_number(a) < as_number(b) ? b : a;
      }
      case FormulaOp::floor: {
        Ball r(0, schedule_bits);
        arf_floor(arb_midref(r.raw()), arb_midref(arg(0).raw()));
        return r;
      }
      case FormulaOp::log:
        return held(function(log(arg(0))));
      case FormulaOp::exp:
        return held(function(exp(arg(0))));
      case FormulaOp::power:
        if (n.value == Rational(1, 2)) return held(sqrt(arg(0)));
        return held(pow(arg(0), numerator(n.value)));
      default:
        throw Error("a schedule's formula has no such operation");
    }
  }

  const Formula& f_;
  const FormulaInputs& in_;
  const Arithmetic& a_;
  std::mt19937_64& random_;
};

}  // namespace

TEST_CASE("correct code for schedules stays within the allowances") {
  const std::string folder = scratch("correct-schedules");
  const Run made = program(fmt::format("table {}/cases/implementers-layers.toml --force -o {}/t.csv",
                                       CRITSCALE_SOURCE_DIR, folder));
  INFO(made.err);
  REQUIRE(made.code == 0);
  const std::vector<ReferenceRow> rows = read_reference(folder + "/t.csv");
  std::mt19937_64 random(40);
  for (const char* text :
       {"fp64", "fp32", "bf16", "fp16", "bf16,elementwise=fp32", "fp16,elementwise=fp32"}) {
    const Arithmetic a = Arithmetic::parse(text);
    double largest = 0, sum = 0;
    long count = 0;
    for (const ReferenceRow& row : rows) {
      if (row.question.op != "schedule" || !row.is_meant_for(*a.format)) continue;
      const Formula f = parse_formula(*formula_text(row.question));
      const FormulaInputs in = formula_inputs(row.question, schedule_bits);
      const Margin allowed = schedule_allowance(row.question, a).worst;
      for (int repeat = 0; repeat < 4; ++repeat) {
        const double found = SimulatedSchedule(f, in, a, random).run();
        const Ball difference = Ball::exactly(found, schedule_bits) - *row.values[0].value;
        const double error = std::abs(arf_get_d(arb_midref(difference.raw()), ARF_RND_NEAR));
        const double ratio = error / (error > 0 ? allowed.up : 1);
        if (!(ratio <= 1)) {
          CAPTURE(text, row.id, found, error, allowed.up);
          CHECK(ratio <= 1);
        }
        largest = std::max(largest, ratio);
        sum += ratio;
        ++count;
      }
    }
    fmt::print("schedules {:<22} largest error {:.3f} of the allowance, mean {:.4f}; {} values\n", text,
               largest, sum / static_cast<double>(count), count);
    CAPTURE(text);
    CHECK(count > 400);
    // Allowances that nothing comes near would test nothing.
    CHECK(largest > 0.2);
  }
}
