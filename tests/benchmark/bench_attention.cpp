// Times attention with certified digits: bench_attention FOLDER DIGITS, FOLDER with q.npy k.npy v.npy g.npy.
// Prints processor and wall seconds of the best of three runs, forward (outputs and lse), then forward and
// backward, and how many values have their digits in binary64 alone. See attention.sh.
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>

#include "critscale/text/print.hpp"
#include "critscale/tokens/arrays.hpp"
#include "critscale/tokens/binary64/detail/attention.hpp"

using namespace critscale;

namespace {

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class F>
void time_it(const char* what, const F& f) {
  double best = 1e9, processor = 0;
  for (int run = 0; run < 3; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const double begun = processor_seconds();
    f();
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (wall < best) best = wall, processor = processor_seconds() - begun;
  }
  fmt::print("{} {:.4f} {:.4f}\n", what, best, processor);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
  const std::string folder = argv[1];
  const StoredArray q = read_array(folder + "/q.npy", false), k = read_array(folder + "/k.npy", false),
                    v = read_array(folder + "/v.npy", false), g = read_array(folder + "/g.npy", false);
  const AttentionHead head{q.shape[0], k.shape[0], k.shape[1], v.shape[1], q.entries,
                           k.entries,  v.entries,  {},         {}};
  AttentionOptions options;
  options.digits = std::atol(argv[2]);
  options.quantities = {RowQuantity::output, RowQuantity::lse};
  const std::span<const double> d_out = g.entries;
  const Checkpoint none;
  std::vector<AttentionRow> rows;
  std::optional<AttentionGradients> gradients;
  time_it("forward", [&] { rows = attend(head, options); });
  time_it("both", [&] {
    rows = attend(head, options);
    gradients = gradients_binary64({&head, 1}, {&d_out, 1}, options, none);
  });
  if (!gradients) return 1;
  const DoubleAttention doubles(head, options);
  std::size_t settled = 0, all = 0, settled_gradients = 0, all_gradients = 0;
  for (std::size_t i = 0; i < head.m; i += doubles.rows_at_once()) {
    std::vector<std::size_t> some(std::min(doubles.rows_at_once(), head.m - i));
    std::iota(some.begin(), some.end(), i);
    for (const auto& row : doubles.rows(some)) {
      ++all;
      const auto good = [&](const Ball& x) { return has_digits(x, options.digits); };
      settled += row && good(*row->lse) && std::all_of(row->output.begin(), row->output.end(), good) ? 1 : 0;
    }
  }
  for (const std::vector<Ball>* values : {&gradients->dq[0], &gradients->dk, &gradients->dv})
    for (const Ball& x : *values) {
      ++all_gradients;
      settled_gradients += has_digits(x, options.digits) ? 1 : 0;
    }
  fmt::print("rows settled {} of {}, gradients {} of {}\n", settled, all, settled_gradients, all_gradients);
  fmt::print("output[0][0] {}\ndq[0][0] {}\ndk[0][0] {}\ndv[0][0] {}\n",
             print_value(rows[0].output[0], 6).value_or("?"),
             print_value(gradients->dq[0][0], 6).value_or("?"),
             print_value(gradients->dk[0], 6).value_or("?"), print_value(gradients->dv[0], 6).value_or("?"));
}
