// `critscale attention`: queries, keys and values from files, forward and backward.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "commands/commands.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/tokens/arrays.hpp"
#include "inputs/schedule_flags.hpp"
#include "output/attention_result.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

/// The texts of the flags.
struct AttentionFlags {
  explicit AttentionFlags(CLI::App& command) : schedules(command) {
    command.add_option("--q", q,
                       "Queries: .npy or .npz[:NAME] of shape (m, d), (heads, m, d) or (batch, heads, m, d)");
    command.add_option("--k", k, "Keys: (n, d) and so on; fewer heads than queries: grouped heads");
    command.add_option("--v", v, "Values: (n, e) and so on");
    command.add_option("--d-out", d_out, "Gradient of the output, shaped like it: adds dq, dk, dv, dsink");
    command.add_flag("--bfloat16", bfloat16, "uint16 arrays hold bfloat16 patterns");
    command.add_option("--scale", scale, "Scores are scale * <q, k> (default 1/sqrt d): exact number");
    command.add_option("--gamma", gamma,
                       "Unit queries and keys with scores gamma log(n) <q, k>: exact number");
    command.add_option("--beta", beta,
                       "Unit queries and keys with scores beta <q, k>: exact number or [c*](log n)^k [+ b]");
    command.add_option("--causal", causal, "top-left: row i sees keys <= i; bottom-right: <= i + n - m")
        ->check(CLI::IsMember({"top-left", "bottom-right"}));
    command.add_option("--window", window, "Only keys with position - j < window");
    command.add_option("--mask", mask, "Array (m, n): bool (true is visible) or numbers added to the scores");
    command.add_option("--softcap", softcap, "Scores become c tanh(score/c), before the mask: exact number");
    command.add_flag("--softcap-after-mask", softcap_after_mask, "Cap the sum of score and mask");
    command.add_option("--sink", sink, "A logit that takes its share of the weight: exact number");
    command.add_option("--rows", rows,
                       "Query rows: 0,5,7 or from:to (to not in) or sample=K,seed=S (default: all)");
    add_text_list(command, "--quantities", quantities,
                  "output, lse, max_weight, entropy, participation, self_weight, weights (repeat; default: "
                  "all but weights)");
    command.add_option("--digits", digits, "Certified decimal digits, 1 to 100000 (default 30)");
    command.add_option("--max-bits", max_bits, "Largest working precision in bits (default: by the digits)");
    command.add_option("--threads", threads, "Threads (default: all cores)");
    command.add_option("--time-limit", time_limit, "Give up after so many seconds (exit code 3)");
    command.add_option("--format", format, "text, json or csv")
        ->check(CLI::IsMember({"text", "json", "csv"}));
    command.add_option("-o,--output", output, "Write the result to this file");
    command.add_flag("--force", force, "Replace an existing output file");
  }

  std::string q, k, v, d_out, scale, gamma, beta, causal, window, mask, softcap, sink, rows, digits, max_bits,
      threads, time_limit, format = "text", output;
  std::vector<std::string> quantities;
  bool bfloat16 = false, softcap_after_mask = false, force = false;
  ScheduleFlags schedules;
};

/// An array as (batch, heads, rows, width).
struct Heads {
  StoredArray array;
  std::size_t batch = 1, heads = 1, rows = 0, width = 0;

  std::span<const double> head(std::size_t b, std::size_t h) const {
    return std::span(array.entries).subspan((b * heads + h) * rows * width, rows * width);
  }
};

Heads read_heads(const std::string& flag, const std::string& path, bool bfloat16) {
  if (path.empty()) throw InputError(fmt::format("{} is needed (see --help)", flag));
  Heads r{read_array(path, bfloat16)};
  const auto& shape = r.array.shape;
  if (shape.size() < 2 || shape.size() > 4)
    throw InputError(fmt::format(
        "{}: {}: expected (rows, width), (heads, rows, width) or (batch, heads, rows, width), found {}", flag,
        path, shape_text(shape)));
  r.width = shape[shape.size() - 1];
  r.rows = shape[shape.size() - 2];
  if (shape.size() > 2) r.heads = shape[shape.size() - 3];
  if (shape.size() > 3) r.batch = shape[0];
  return r;
}

struct Arrays {
  Heads q, k, v, d_out;
  StoredArray mask;
  std::vector<unsigned char> visible;
};

void require_fit(bool fits, const std::string& what) {
  if (!fits) throw InputError(what);
}

Arrays read_arrays(const AttentionFlags& f) {
  Arrays a{read_heads("--q", f.q, f.bfloat16),
           read_heads("--k", f.k, f.bfloat16),
           read_heads("--v", f.v, f.bfloat16),
           {},
           {},
           {}};
  const auto text = [](const Heads& h) { return shape_text(h.array.shape); };
  require_fit(a.q.width == a.k.width,
              fmt::format("queries {} and keys {} differ in width", text(a.q), text(a.k)));
  require_fit(a.k.rows == a.v.rows,
              fmt::format("keys {} and values {} differ in number", text(a.k), text(a.v)));
  require_fit(a.k.heads == a.v.heads && a.k.batch == a.v.batch,
              fmt::format("keys {} and values {} differ in heads", text(a.k), text(a.v)));
  require_fit(a.q.batch == a.k.batch,
              fmt::format("queries {} and keys {} differ in batch", text(a.q), text(a.k)));
  require_fit(a.k.heads > 0 && a.q.heads % a.k.heads == 0,
              fmt::format("{} query heads are no multiple of {} key heads", a.q.heads, a.k.heads));
  if (!f.d_out.empty()) {
    a.d_out = read_heads("--d-out", f.d_out, f.bfloat16);
    require_fit(a.d_out.batch == a.q.batch && a.d_out.heads == a.q.heads && a.d_out.rows == a.q.rows &&
                    a.d_out.width == a.v.width,
                fmt::format("--d-out {} is not shaped like the output ({} rows of {} in {} heads)",
                            text(a.d_out), a.q.rows, a.v.width, a.q.heads * a.q.batch));
  }
  if (!f.mask.empty()) {
    a.mask = read_array(f.mask, f.bfloat16);
    require_fit(a.mask.shape.size() == 2 && a.mask.shape[0] == a.q.rows && a.mask.shape[1] == a.k.rows,
                fmt::format("--mask: {}: expected ({}, {}), found {}", f.mask, a.q.rows, a.k.rows,
                            shape_text(a.mask.shape)));
    if (a.mask.boolean) {
      a.visible.assign(a.mask.entries.begin(), a.mask.entries.end());
      a.mask.entries.clear();
    }
  }
  return a;
}

std::size_t read_row(const std::string& text, std::size_t most) {
  return static_cast<std::size_t>(read_count({text, "--rows"}, 0, static_cast<long>(most)));
}

/// 0,5,7 | from:to | sample=K,seed=S: distinct rows, ascending.
std::vector<std::size_t> read_rows(const std::string& text, std::size_t m) {
  std::vector<std::size_t> r;
  if (text.empty()) return r;
  if (text.starts_with("sample=")) {
    const std::size_t comma = text.find(",seed=");
    if (comma == std::string::npos) throw InputError("--rows: expected sample=K,seed=S");
    const std::size_t count = read_row(text.substr(7, comma - 7), m);
    std::mt19937_64 engine(read_row(text.substr(comma + 6), std::size_t{1} << 62));
    std::vector<std::size_t> all(m);
    for (std::size_t i = 0; i < m; ++i) all[i] = i;
    for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + engine() % (m - i)]);
    r.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(r.begin(), r.end());
  } else if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    const std::size_t first = read_row(text.substr(0, colon), m), last = read_row(text.substr(colon + 1), m);
    for (std::size_t i = first; i < last; ++i) r.push_back(i);
  } else {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      r.push_back(read_row(text.substr(at, end - at), m - 1));
      at = end + 1;
    }
  }
  if (r.empty()) throw InputError(fmt::format("--rows: {} is no row", in_quotes(text)));
  return r;
}

Rational read_number(const char* flag, const std::string& text) {
  return located(flag, [&] { return parse_rational(text); });
}

AttentionOptions read_options(const AttentionFlags& f, std::size_t m) {
  AttentionOptions o;
  if (!f.scale.empty()) o.scale = read_number("--scale", f.scale);
  if (!f.gamma.empty() && !f.beta.empty()) throw InputError("give either --gamma or --beta");
  if (!f.gamma.empty() || !f.beta.empty()) {
    const auto of_gamma = [&] {
      const Rational gamma = read_number("--gamma", f.gamma);
      return critical_scale({gamma, gamma});
    };
    const auto of_beta = [&] { return located("--beta", [&] { return logit_scale(parse_beta(f.beta)); }); };
    o.unit_beta = schedule_of(f.gamma.empty() ? of_beta() : of_gamma());
  }
  const std::vector<NamedSchedule> schedules = f.schedules.schedules({});
  if (schedules.size() > 1) throw InputError("--schedule: one schedule at a time");
  if (!schedules.empty()) o.schedule = schedules[0].schedule;
  if (f.causal == "top-left") o.causal = Causal::top_left;
  if (f.causal == "bottom-right") o.causal = Causal::bottom_right;
  if (!f.window.empty()) o.window = static_cast<std::size_t>(read_count({f.window, "--window"}, 1, 1L << 40));
  if (!f.softcap.empty()) o.softcap = read_number("--softcap", f.softcap);
  if (f.softcap_after_mask && !o.softcap) throw InputError("--softcap-after-mask needs --softcap");
  o.softcap_after_bias = f.softcap_after_mask;
  if (!f.sink.empty()) o.sink = read_number("--sink", f.sink);
  o.rows = read_rows(f.rows, m);
  for (const std::string& text : f.quantities)
    o.quantities.push_back(located("--quantities", [&] { return row_quantity_by_name(text); }));
  if (o.quantities.empty())
    for (const RowQuantity q : row_quantities())
      if (q != RowQuantity::weights) o.quantities.push_back(q);
  return o;
}

std::function<void()> time_guard(std::optional<double> seconds) {
  if (!seconds) return {};
  return [limit = *seconds, start = std::chrono::steady_clock::now()] {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > limit)
      throw LimitError(fmt::format("time limit of {} s reached", limit));
  };
}

std::vector<std::pair<std::string, std::string>> inputs_of(const AttentionFlags& f) {
  std::vector<std::pair<std::string, std::string>> r;
  for (const auto& [key, text] : {std::pair<const char*, const std::string&>{"q", f.q},
                                  {"k", f.k},
                                  {"v", f.v},
                                  {"d_out", f.d_out},
                                  {"scale", f.scale},
                                  {"gamma", f.gamma},
                                  {"beta", f.beta},
                                  {"causal", f.causal},
                                  {"window", f.window},
                                  {"mask", f.mask},
                                  {"softcap", f.softcap},
                                  {"sink", f.sink},
                                  {"rows", f.rows}})
    if (!text.empty()) r.emplace_back(key, text);
  if (f.bfloat16) r.emplace_back("bfloat16", "true");
  if (f.softcap_after_mask) r.emplace_back("softcap_after_mask", "true");
  for (const NamedSchedule& s : f.schedules.schedules({}))
    r.insert(r.end(), s.inputs.begin(), s.inputs.end());
  return r;
}

int attention_command(const AttentionFlags& f) {
  const auto given = [](const std::string& text, const char* flag) {
    return text.empty() ? std::nullopt : std::optional<Text>({text, flag});
  };
  const RunOptions run = read_run_options(given(f.digits, "--digits"), given(f.max_bits, "--max-bits"),
                                          given(f.threads, "--threads"), given(f.time_limit, "--time-limit"));
  const std::function<void()> guard = time_guard(run.time_limit);
  Output output(f.output, f.force);
  const Arrays a = read_arrays(f);
  AttentionOptions options = read_options(f, a.q.rows);
  options.digits = run.digits;
  options.max_bits = run.max_bits;
  options.checkpoint = guard;
  std::optional<tbb::global_control> threads;
  if (run.threads > 0) threads.emplace(tbb::global_control::max_allowed_parallelism, run.threads);

  AttentionResult result{inputs_of(f), options.quantities, {}, a.v.width, a.q.width, {}};
  const std::size_t group = a.q.heads / a.k.heads;
  for (std::size_t b = 0; b < a.q.batch; ++b)
    for (std::size_t key_head = 0; key_head < a.k.heads; ++key_head) {
      std::vector<AttentionHead> heads;
      std::vector<std::span<const double>> d_out;
      for (std::size_t h = key_head * group; h < (key_head + 1) * group; ++h) {
        heads.push_back({a.q.rows, a.k.rows, a.q.width, a.v.width, a.q.head(b, h), a.k.head(b, key_head),
                         a.v.head(b, key_head), a.visible, a.mask.entries});
        if (!f.d_out.empty()) d_out.push_back(a.d_out.head(b, h));
        result.heads.push_back(attend(heads.back(), options));
      }
      if (!f.d_out.empty()) result.gradients.push_back(attention_gradients(heads, d_out, options));
    }
  output.write(render_attention(result, run.digits, format_by_name(f.format)));
  return done;
}

}  // namespace

void add_attention(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "attention", "Queries, keys and values: outputs, log-sum-exp, weights, gradients");
  const auto flags = std::make_shared<AttentionFlags>(*command);
  command->footer(
      "Every entry of a file is the exact number stored. Query head a uses key head floor(a/g), g query "
      "heads "
      "to a key head.\n\n"
      "Examples: critscale attention --q q.npy --k k.npy --v v.npy --causal top-left --digits 20\n"
      "          critscale attention --q q.npy --k k.npy --v v.npy --d-out g.npy --format json -o r.json");
  command->callback([flags, &exit_code] { exit_code = attention_command(*flags); });
}

}  // namespace critscale::cli
