// Flags of `critscale attention`: texts become exact values here.
#include "inputs/attention_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <random>

#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::cli {

namespace {

constexpr std::array<std::pair<std::string_view, Gradient>, 4> gradient_names{
    {{"dq", Gradient::dq}, {"dk", Gradient::dk}, {"dv", Gradient::dv}, {"dsink", Gradient::dsink}}};

std::optional<Gradient> gradient_by_name(std::string_view text) {
  for (const auto& [name, gradient] : gradient_names)
    if (name == text) return gradient;
  return std::nullopt;
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

}  // namespace

AttentionFlags::AttentionFlags(CLI::App& command) : schedules_(command) {
  command.add_option("--q", q,
                     "Queries: .npy or .npz[:NAME] of shape (m, d), (heads, m, d) or (batch, heads, m, d)");
  command.add_option("--k", k, "Keys: (n, d) and so on; fewer heads than queries: grouped heads");
  command.add_option("--v", v, "Values: (n, e) and so on");
  command.add_option(
      "--gaussian", gaussian_,
      "Draw them: n=4096,d=128 and, as wanted, m=, e=, heads=, key_heads= (default n, d, 1, heads)");
  command.add_option("--seed", seed_, "Of --gaussian (default 0)");
  command.add_option(
      "--d-out", d_out,
      "Gradient of the output, shaped like it, or `gaussian` with --gaussian: adds dq, dk, dv, dsink");
  command.add_flag("--bfloat16", bfloat16, "uint16 arrays hold bfloat16 patterns");
  command.add_option("--scale", scale_, "Scores are scale * <q, k> (default 1/sqrt d): exact number");
  command.add_option("--gamma", gamma_,
                     "Unit queries and keys with scores gamma log(n) <q, k>: exact number");
  command.add_option("--beta", beta_,
                     "Unit queries and keys with scores beta <q, k>: exact number or [c*](log n)^k [+ b]");
  command.add_option("--causal", causal_, "top-left: row i sees keys <= i; bottom-right: <= i + n - m")
      ->check(CLI::IsMember({"top-left", "bottom-right"}));
  command.add_option("--window", window_, "Only keys with position - j < window");
  command.add_option("--mask", mask, "Array (m, n): bool (true is visible) or numbers added to the scores");
  command.add_option("--softcap", softcap_, "Scores become c tanh(score/c), before the mask: exact number");
  command.add_flag("--softcap-after-mask", softcap_after_mask_, "Cap the sum of score and mask");
  command.add_option("--sink", sink_, "A logit that takes its share of the weight: exact number");
  command.add_option("--rows", rows_,
                     "Query rows: 0,5,7 or from:to (to not in) or sample=K,seed=S (default: all)");
  add_name_list(
      command, "--quantities", quantities_,
      "output, lse, max_weight, entropy, participation, self_weight, weights; with --d-out dq, dk, dv, "
      "dsink (with commas or repeated; default: all but weights)");
  run_.add(command, "Certified decimal digits, 1 to 100000 (default 30; 10 or fewer are fast)",
           "Give up after so many seconds (exit code 3)");
  command.add_option("--format", format_, "text, json or csv")->check(CLI::IsMember({"text", "json", "csv"}));
  command.add_option("-o,--output", output, "Write the result to this file");
  command.add_flag("--force", force, "Replace an existing output file");
}

std::optional<GaussianArrays> AttentionFlags::gaussian() const {
  if (gaussian_.empty()) {
    if (!seed_.empty()) throw InputError("--seed is that of --gaussian, which is not given");
    return std::nullopt;
  }
  if (!q.empty() || !k.empty() || !v.empty())
    throw InputError("give either --q, --k and --v or --gaussian, not both");
  constexpr std::array<const char*, 6> names{"n", "m", "d", "e", "heads", "key_heads"};
  std::array<std::optional<std::size_t>, 6> sizes;
  for (std::size_t at = 0; at <= gaussian_.size();) {
    const std::size_t end = std::min(gaussian_.find(',', at), gaussian_.size());
    const std::string part = gaussian_.substr(at, end - at), name = part.substr(0, part.find('='));
    const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (place == names.size() || part.size() == name.size() || sizes[place])
      throw InputError(
          fmt::format("--gaussian: expected {}= once each, of which n= and d= are needed, found {}",
                      fmt::join(names, "=, "), in_quotes(gaussian_)));
    sizes[place] = static_cast<std::size_t>(
        read_count({part.substr(name.size() + 1), "--gaussian " + name}, 1, 1L << 31));
    at = end + 1;
  }
  const auto& [n, m, d, e, heads, key_heads] = sizes;
  if (!n || !d)
    throw InputError(fmt::format("--gaussian: n= and d= are needed, found {}", in_quotes(gaussian_)));
  const std::size_t all_heads = heads.value_or(1);
  return GaussianArrays{*n, m.value_or(*n), *d, e.value_or(*d), all_heads, key_heads.value_or(all_heads)};
}

std::uint64_t AttentionFlags::seed() const {
  return seed_.empty() ? 0 : static_cast<std::uint64_t>(read_count({seed_, "--seed"}, 0, 1L << 62));
}

AttentionOptions AttentionFlags::options(std::size_t m) const {
  AttentionOptions o;
  if (!scale_.empty()) o.scale = read_number("--scale", scale_);
  if (!gamma_.empty() && !beta_.empty()) throw InputError("give either --gamma or --beta");
  if (!gamma_.empty() || !beta_.empty()) {
    const auto of_gamma = [&] {
      const Rational gamma = read_number("--gamma", gamma_);
      return critical_scale({gamma, gamma});
    };
    const auto of_beta = [&] { return located("--beta", [&] { return logit_scale(parse_beta(beta_)); }); };
    o.unit_beta = schedule_of(gamma_.empty() ? of_beta() : of_gamma());
  }
  const std::vector<NamedSchedule> schedules = schedules_.schedules({});
  if (schedules.size() > 1) throw InputError("--schedule: one schedule at a time");
  if (!schedules.empty()) o.schedule = schedules[0].schedule;
  if (causal_ == "top-left") o.causal = Causal::top_left;
  if (causal_ == "bottom-right") o.causal = Causal::bottom_right;
  if (!window_.empty()) o.window = static_cast<std::size_t>(read_count({window_, "--window"}, 1, 1L << 40));
  if (!softcap_.empty()) o.softcap = read_number("--softcap", softcap_);
  if (softcap_after_mask_ && !o.softcap) throw InputError("--softcap-after-mask needs --softcap");
  o.softcap_after_bias = softcap_after_mask_;
  if (!sink_.empty()) o.sink = read_number("--sink", sink_);
  o.rows = read_rows(rows_, m);
  for (const std::string& text : quantities_)
    if (!gradient_by_name(text))
      o.quantities.push_back(located("--quantities", [&] { return row_quantity_by_name(text); }));
  if (quantities_.empty())
    for (const RowQuantity q : row_quantities())
      if (q != RowQuantity::weights) o.quantities.push_back(q);
  return o;
}

std::vector<Gradient> AttentionFlags::gradients() const {
  std::vector<Gradient> r;
  for (const std::string& text : quantities_)
    if (const auto g = gradient_by_name(text)) {
      if (d_out.empty()) throw InputError(fmt::format("--quantities {}: gradients need --d-out", text));
      if (*g == Gradient::dsink && sink_.empty()) throw InputError("--quantities dsink: there is no --sink");
      r.push_back(*g);
    }
  if (d_out.empty()) return r;
  if (quantities_.empty())
    for (const auto& [name, g] : gradient_names)
      if (g != Gradient::dsink || !sink_.empty()) r.push_back(g);
  if (r.empty())
    throw InputError("--d-out is for gradients, and --quantities names none of dq, dk, dv, dsink");
  return r;
}

RunOptions AttentionFlags::run_options() const { return run_.read(); }

std::vector<std::pair<std::string, std::string>> AttentionFlags::inputs() const {
  std::vector<std::pair<std::string, std::string>> r;
  for (const auto& [key, text] : {std::pair<const char*, const std::string&>{"q", q},
                                  {"k", k},
                                  {"v", v},
                                  {"gaussian", gaussian_},
                                  {"seed", seed_},
                                  {"d_out", d_out},
                                  {"scale", scale_},
                                  {"gamma", gamma_},
                                  {"beta", beta_},
                                  {"causal", causal_},
                                  {"window", window_},
                                  {"mask", mask},
                                  {"softcap", softcap_},
                                  {"sink", sink_},
                                  {"rows", rows_}})
    if (!text.empty()) r.emplace_back(key, text);
  if (bfloat16) r.emplace_back("bfloat16", "true");
  if (softcap_after_mask_) r.emplace_back("softcap_after_mask", "true");
  for (const NamedSchedule& s : schedules_.schedules({})) r.insert(r.end(), s.inputs.begin(), s.inputs.end());
  return r;
}

}  // namespace critscale::cli
