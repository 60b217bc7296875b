// Flags of `critscale tokens`: texts become exact values here.
#include "inputs/token_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::cli {

namespace {

std::uint64_t read_unsigned(const std::string& text, const std::string& what, std::uint64_t lowest,
                            std::uint64_t highest) {
  std::uint64_t v = 0;
  const char* end = text.data() + text.size();
  const auto [p, error] = std::from_chars(text.data(), end, v);
  if (error != std::errc{} || p != end || v < lowest || v > highest)
    throw InputError(fmt::format("{}: expected an integer from {} to {}, found {}", what, lowest, highest,
                                 in_quotes(text)));
  return v;
}

std::pair<std::size_t, std::size_t> read_pair(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw InputError(
        fmt::format("--pair: expected i,j, the numbers of two tokens, found {}", in_quotes(text)));
  constexpr std::uint64_t most = 0xFFFFFFFF;
  return {read_unsigned(text.substr(0, comma), "--pair", 0, most),
          read_unsigned(text.substr(comma + 1), "--pair", 0, most)};
}

/// One value of gamma or beta.
TokenLayerFlags scale_of(const std::string& key, const Text& text) {
  return located(text.where, [&] {
    TokenLayerFlags r;
    if (key == "gamma") {
      const GammaSpec gamma = parse_gamma(text.text);
      if (gamma.critical)
        throw InputError(
            "'critical' has no exact value for explicit tokens; their thresholds are in the output, as "
            "enclosures");
      r.scale = critical_scale({gamma.factor, gamma.factor});
      r.inputs.emplace_back("gamma", to_string(gamma.factor));
    } else {
      const BetaSpec beta = parse_beta(text.text);
      r.scale = logit_scale(beta);
      r.inputs.emplace_back("beta", to_string(beta));
    }
    return r;
  });
}

}  // namespace

TokenFlags::TokenFlags(CLI::App& command) {
  command.add_option("files", files_, "Token files: FILE.npy, FILE.npz[:NAME], or text such as FILE.csv");
  command.add_option("--gaussian", gaussian_,
                     "Draw tokens: n=512,d=32,rho=1/2,seed=1; -o FILE.npy keeps them");
  add_text_list(command, "--gamma", gamma_, "beta = gamma log n: exact number or range from:to:steps");
  add_text_list(command, "--beta", beta_, "Logit scale: exact number, range, or [c*](log n)^k [+ b]");
  add_text_list(command, "--alpha", alpha_, "Residual strength (default 0)");
  add_name_list(command, "--quantities", quantities_, "Only these quantities, with commas or repeated");
  add_text_list(command, "--pair", pairs_, "Also the inner products of tokens i,j (from 0); repeat for more");
  add_text_list(command, "--row", rows_,
                "Also token i's softmax weights and output (from 0); repeat for more");
  run_.add(command, "Certified decimal digits, 1 to 100000 (default 30; 10 or fewer are fast)",
           "Begin nothing more after so many seconds (exit code 3)");
  command.add_option("--format", format_, "text, json or csv")->check(CLI::IsMember({"text", "json", "csv"}));
  command.add_option("-o,--output", output_,
                     "Write the result to this file; with --gaussian, the tokens (.npy)");
  command.add_flag("--force", force_, "Replace an existing output file");
}

std::optional<GaussianFlag> TokenFlags::gaussian() const {
  if (gaussian_.empty()) return std::nullopt;
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  std::optional<std::uint64_t> n, d, seed;
  std::optional<Rational> rho;
  for (std::size_t start = 0; start <= gaussian_.size();) {
    const std::size_t end = std::min(gaussian_.find(',', start), gaussian_.size());
    const std::string part = gaussian_.substr(start, end - start);
    if (part.starts_with("n=") && !n)
      n = read_unsigned(part.substr(2), "--gaussian n", 2, most);
    else if (part.starts_with("d=") && !d)
      d = read_unsigned(part.substr(2), "--gaussian d", 1, most);
    else if (part.starts_with("seed=") && !seed)
      seed = read_unsigned(part.substr(5), "--gaussian seed", 0, ~std::uint64_t{0});
    else if (part.starts_with("rho=") && !rho)
      rho = located("--gaussian rho", [&] { return parse_rational(part.substr(4)); });
    else
      throw InputError(
          fmt::format("--gaussian: expected n=,d=,rho=,seed= once each, found {}", in_quotes(gaussian_)));
    start = end + 1;
  }
  if (!n || !d || !rho || !seed)
    throw InputError(
        fmt::format("--gaussian: expected n=,d=,rho=,seed= once each, found {}", in_quotes(gaussian_)));
  return GaussianFlag{*n, *d, *rho, *seed,
                      fmt::format("n={},d={},rho={},seed={}", *n, *d, to_string(*rho), *seed)};
}

std::vector<TokenLayerFlags> TokenFlags::layers() const {
  if (!gamma_.empty() && !beta_.empty()) throw InputError("give either gamma or beta, not both");
  if (gamma_.empty() && beta_.empty()) {
    if (!alpha_.empty() || !quantities_.empty() || !pairs_.empty() || !rows_.empty())
      throw InputError("gamma or beta is needed for the layer's values");
    return {};
  }
  const std::string key = gamma_.empty() ? "beta" : "gamma";
  std::vector<Rational> alphas;
  for (const std::string& text : alpha_)
    for (const Text& t : expand({text, "--alpha"}))
      alphas.push_back(located(t.where, [&] {
        const Rational alpha = parse_rational(t.text);
        if (alpha < 0)
          throw InputError(fmt::format("alpha must not be negative, found {}", to_string(alpha)));
        return alpha;
      }));
  if (alphas.empty()) alphas.emplace_back(0);
  std::vector<TokenLayerFlags> r;
  for (const std::string& text : gamma_.empty() ? beta_ : gamma_)
    for (const Text& t : expand({text, "--" + key}))
      for (const Rational& alpha : alphas) {
        r.push_back(scale_of(key, t));
        r.back().alpha = alpha;
        r.back().inputs.emplace_back("alpha", to_string(alpha));
      }
  return r;
}

TokenOptions TokenFlags::options() const {
  TokenOptions o;
  for (const std::string& text : quantities_) {
    const Quantity q = located("--quantities", [&] { return quantity_by_name(text); });
    if (std::find(o.quantities.begin(), o.quantities.end(), q) == o.quantities.end())
      o.quantities.push_back(q);
  }
  if (o.quantities.empty()) o.quantities.assign(token_quantities().begin(), token_quantities().end());
  for (const std::string& text : pairs_) o.pairs.push_back(read_pair(text));
  return o;
}

std::vector<std::size_t> TokenFlags::rows() const {
  std::vector<std::size_t> r;
  for (const std::string& text : rows_) r.push_back(read_unsigned(text, "--row", 0, 0xFFFFFFFF));
  return r;
}

RunOptions TokenFlags::run_options() const { return run_.read(); }

Format TokenFlags::format() const { return format_by_name(format_); }

}  // namespace critscale::cli
