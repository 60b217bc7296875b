// Table cases on explicit tokens: the paper's Gaussian ones ([gaussian-tokens]; geometry "gaussian" with n,
// d, rho and seed), or those of files (the key `tokens`). Uses tokens/.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>

#include "critscale/io/detail/checksum.hpp"
#include "critscale/io/detail/input_file.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/tokens/files.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "critscale/tokens/layer.hpp"
#include "jobs/shared_values.hpp"
#include "output/inputs.hpp"
#include "output/table_rows.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

/// The Gaussian vectors of one n, d and seed, and the tokens made of them.
struct DrawKey {
  std::size_t n, d;
  std::uint64_t seed;
  friend bool operator==(const DrawKey&, const DrawKey&) = default;
};
/// Which tokens: those of a file, or drawn ones.
struct ModelKey {
  std::string file;
  DrawKey draw;
  Rational rho;
  friend bool operator==(const ModelKey&, const ModelKey&) = default;
};
/// A token file as it was when the table was begun.
struct FileFacts {
  std::size_t n;
  std::string checksum;
};

struct TokenPoint {
  ModelKey tokens;
  LogitScale scale;
  Rational alpha;
  Inputs inputs;
};

constexpr std::array<std::string_view, 8> drawn_parameters{"n",     "d",           "seed", "rho",
                                                           "gamma", "gamma_ratio", "beta", "alpha"};
constexpr std::array<std::string_view, 4> file_parameters{"tokens", "gamma", "beta", "alpha"};
constexpr std::array<std::string_view, 8> settings{"geometry", "quantities", "columns",    "digits",
                                                   "max_bits", "threads",    "time_limit", "analytic"};

/// More tokens than a dense n x n matrix of them has room for.
constexpr long most_tokens = 1 << 16;

std::uint64_t read_seed(const Text& t) {
  std::uint64_t v = 0;
  const char* end = t.text.data() + t.text.size();
  const auto [p, error] = std::from_chars(t.text.data(), end, v);
  if (error != std::errc{} || p != end)
    throw InputError(
        fmt::format("{}: expected an integer from 0 to 2^64 - 1, found {}", t.where, in_quotes(t.text)));
  return v;
}

LogitScale token_scale(const Choice& choice, const Rational& rho) {
  const Text *gamma = choice.find("gamma"), *ratio = choice.find("gamma_ratio"), *beta = choice.find("beta");
  if ((gamma != nullptr) + (ratio != nullptr) + (beta != nullptr) != 1)
    throw InputError("exactly one of gamma, gamma_ratio and beta is needed");
  if (beta) return located(beta->where, [&] { return logit_scale(parse_beta(beta->text)); });
  if (ratio) {
    if (rho == 1) throw InputError(ratio->where + ": gamma_ratio = gamma (1 - rho) needs rho < 1");
    const Rational v = choice.number("gamma_ratio", 0) / (1 - rho);
    return critical_scale({v, v});
  }
  return located(gamma->where, [&] {
    const GammaSpec spec = parse_gamma(gamma->text);
    if (spec.critical)
      throw InputError(
          "tokens have no exact threshold; 'critical' is for the simplex and bands (gamma_ratio = 1 "
          "is gamma = 1/(1-rho))");
    return critical_scale({spec.factor, spec.factor});
  });
}

class TokenCase : public TableCase {
 public:
  TokenCase(const Specification& s, const RunOptions& options)
      : where_(s.where), options_(options), of_files_(s.find("tokens") != nullptr), draws_(2), models_(4) {
    columns = columns_of(s);
    located(where_, [&] {
      if (!s.bands.empty()) throw InputError("bands were given, but the tokens are explicit");
      if (of_files_ && s.find("geometry") && s.find_single("geometry")->text != "tokens")
        throw InputError("give either token files or a geometry, not both");
      for (const char* key : {"n", "rho"})
        if (!of_files_ && !s.find(key)) throw InputError(fmt::format("Gaussian tokens need {}", key));
    });
    const auto among = [](const auto& keys, const std::string& key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    for (const Entry& e : s.entries) {
      if (among(settings, e.key)) continue;
      if (!(of_files_ ? among(file_parameters, e.key) : among(drawn_parameters, e.key)))
        throw InputError(of_files_
                             ? fmt::format("{}: {} is no input of token files; allowed: {}",
                                           e.values[0].where, e.key, fmt::join(file_parameters, ", "))
                             : fmt::format("{}: {} is no input of Gaussian tokens; allowed: {}",
                                           e.values[0].where, e.key, fmt::join(drawn_parameters, ", ")));
      Axis& axis = axes_.emplace_back(Axis{e.key, {}});
      for (const Text& t : e.values)
        if (e.key == "tokens")
          axis.values.push_back(t);
        else
          for (Text& v : expand(t)) axis.values.push_back(std::move(v));
      size_ *= axis.values.size();
    }
    quantities_ = {Quantity::inner_products, Quantity::angle_ratio, Quantity::jacobian_norm};
    if (s.find("quantities")) quantities_ = quantities_of(s);
    for (const Quantity q : quantities_)
      if (std::find(token_quantities().begin(), token_quantities().end(), q) == token_quantities().end())
        throw InputError(fmt::format("{}: {} has no meaning for tokens, which have no bands",
                                     s.find("quantities")->values[0].where, name(q)));
    const std::string_view sizes = of_files_ ? "tokens" : "n";
    const Axis& n = *std::find_if(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.key == sizes; });
    for (const Text& t : n.values) most_n_ = std::max(most_n_, of_files_ ? read_facts(t) : read_n(t));
    located(where_, [&] { require_token_memory(most_n_, options_.digits); });
  }

  std::size_t size() const override { return size_; }
  std::vector<std::string> input_keys() const override {
    std::vector<std::string> r;
    for (const auto& [key, text] : point(0).inputs) r.push_back(key);
    return r;
  }
  std::vector<std::string> labels() const override {
    std::vector<std::string> r;
    for (const Quantity q : quantities_)
      if (q == Quantity::inner_products)
        for (const char* part : {"min", "max", "mean"}) r.push_back(fmt::format("{}.{}", name(q), part));
      else if (is_per_token(q))
        for (std::size_t i = 0; i < most_n_; ++i) r.push_back(fmt::format("{}[{}]", name(q), i));
      else
        r.emplace_back(name(q));
    return r;
  }
  void check(std::size_t i) const override { point(i); }
  std::vector<std::string> inputs(std::size_t i) const override { return texts_of(point(i).inputs); }
  std::size_t rows_at_once() const override { return 1; }

  void evaluate(std::size_t first, std::size_t end,
                const std::function<void(const Row&)>& take) const override {
    for (std::size_t i = first; i < end; ++i) {
      TokenPoint p = point(i);
      const auto values = located(where_, [&] { return decided(*model(p.tokens), p); });
      Row row;
      row.inputs = texts_of(std::move(p.inputs));
      const std::vector<std::string> names = labels();
      for (std::size_t k = 0; k < values.size(); ++k) {
        // A set of fewer tokens has no values beyond them; only angle_ratio can be undefined.
        if (values[k])
          row.cells.push_back(cells(*values[k], options_.digits, columns));
        else
          row.cells.push_back(names[k] == "angle_ratio" ? special_cells(columns)
                                                        : std::vector<std::string>());
      }
      take(row);
    }
  }

 private:
  struct Axis {
    std::string key;
    std::vector<Text> values;
  };

  static std::size_t read_n(const Text& t) { return static_cast<std::size_t>(read_count(t, 2, most_tokens)); }

  /// The number of tokens; n and the checksum of the file are kept.
  std::size_t read_facts(const Text& t) {
    return located(t.where, [&] {
      const std::size_t n = read_tokens(t.text).n();
      if (n > static_cast<std::size_t>(most_tokens))
        throw InputError(
            fmt::format("{}: at most {} tokens are evaluated, found {}", t.text, most_tokens, n));
      Checksum checksum;
      checksum.add(read_whole(t.text, std::uint64_t{1} << 31));
      files_[t.text] = {n, checksum.text()};
      return n;
    });
  }

  /// The tokens of a point and what its inputs say of them.
  void choose_tokens(const Choice& choice, TokenPoint& p) const {
    if (const Text* file = choice.find("tokens")) {
      const FileFacts& facts = files_.at(file->text);
      p.tokens.file = file->text;
      p.tokens.draw.n = facts.n;
      p.inputs = {{"geometry", "tokens"}, {"tokens", file->text}, {"crc64", facts.checksum}};
      return;
    }
    DrawKey& draw = p.tokens.draw;
    const Text *d = choice.find("d"), *seed = choice.find("seed");
    draw.n = read_n(*choice.find("n"));
    draw.d = d ? static_cast<std::size_t>(read_count(*d, 1, 1L << 30)) : draw.n;
    draw.seed = seed ? read_seed(*seed) : 0;
    p.tokens.rho = choice.number("rho", 0);
    if (p.tokens.rho < 0 || p.tokens.rho > 1)
      throw InputError(fmt::format("rho must lie in [0, 1], found {}", to_string(p.tokens.rho)));
    p.inputs = {{"geometry", "gaussian"},
                {"n", fmt::to_string(draw.n)},
                {"d", fmt::to_string(draw.d)},
                {"seed", fmt::to_string(draw.seed)},
                {"rho", to_string(p.tokens.rho)}};
  }

  TokenPoint point(std::size_t i) const {
    Choice choice;
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      choice.set(axis->key, axis->values[i % axis->values.size()]);
      i /= axis->values.size();
    }
    return located(where_, [&] {
      TokenPoint p;
      choose_tokens(choice, p);
      p.scale = token_scale(choice, p.tokens.rho);
      p.alpha = choice.number("alpha", 0);
      if (p.alpha < 0)
        throw InputError(fmt::format("alpha must not be negative, found {}", to_string(p.alpha)));
      if (certainly(token_beta(p.scale, p.tokens.draw.n, 128).is_negative()))
        throw InputError(fmt::format("beta must not be negative at n = {}", p.tokens.draw.n));
      if (const Text* beta = choice.find("beta"))
        p.inputs.emplace_back("beta", beta->text);
      else
        p.inputs.emplace_back("gamma", to_string(p.scale.coefficient));
      p.inputs.emplace_back("alpha", to_string(p.alpha));
      return p;
    });
  }

  std::shared_ptr<const TokenModel> model(const ModelKey& key) const {
    return models_.get(key, [&] {
      if (!key.file.empty()) return TokenModel(read_tokens(key.file));
      const DrawKey& k = key.draw;
      const auto draw = draws_.get(k, [&] { return GaussianDraw(k.n, k.d, k.seed); });
      return TokenModel(draw->tokens(key.rho));
    });
  }

  /// The values in the order of `labels`, to the digits asked for and as many more as the binary formats
  /// need; nothing where undefined.
  std::vector<std::optional<Ball>> decided(const TokenModel& model, const TokenPoint& p) const {
    TokenOptions options;
    options.quantities = quantities_;
    options.digits = options_.digits;
    options.max_bits = options_.max_bits;
    auto r = values(model.evaluate(p.scale, p.alpha, options));
    const auto all_decided = [&] {
      return std::all_of(r.begin(), r.end(), [&](const auto& x) { return !x || is_decided(*x, columns); });
    };
    const Bits limit = options_.max_bits > 0 ? options_.max_bits : default_max_bits(options_.digits);
    for (long digits = std::max(20L, 2 * options.digits); bits_for_digits(digits) < limit && !all_decided();
         digits *= 2) {
      options.digits = digits;
      r = values(model.evaluate(p.scale, p.alpha, options));
    }
    return r;
  }

  std::vector<std::optional<Ball>> values(const TokenValues& v) const {
    std::vector<std::optional<Ball>> r;
    const auto per_token = [&](const std::vector<Ball>& values) {
      r.insert(r.end(), values.begin(), values.end());
      r.resize(r.size() + most_n_ - values.size());
    };
    for (const Quantity q : quantities_) switch (q) {
        case Quantity::log_partition:
          per_token(v.log_partition);
          break;
        case Quantity::self_weight:
          per_token(v.self_weight);
          break;
        case Quantity::output_norm2:
          per_token(v.output_norm2);
          break;
        case Quantity::participation:
          per_token(v.participation);
          break;
        case Quantity::entropy:
          per_token(v.entropy);
          break;
        case Quantity::inner_products:
          r.insert(r.end(), {v.inner_products->min, v.inner_products->max, v.inner_products->mean});
          break;
        case Quantity::angle_ratio:
          r.push_back(v.angle_ratio);
          break;
        default:
          r.push_back(v.jacobian_norm);
          break;
      }
    return r;
  }

  std::string where_;
  RunOptions options_;
  bool of_files_;
  std::map<std::string, FileFacts> files_;
  std::vector<Axis> axes_;
  std::size_t size_ = 1, most_n_ = 0;
  std::vector<Quantity> quantities_;
  mutable SharedValues<DrawKey, GaussianDraw> draws_;
  mutable SharedValues<ModelKey, TokenModel> models_;
};

}  // namespace

std::unique_ptr<TableCase> token_case(const Specification& s, const RunOptions& options) {
  return std::make_unique<TokenCase>(s, options);
}

}  // namespace critscale::cli
