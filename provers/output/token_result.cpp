// Results of `critscale tokens`.
#include "output/token_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "output/csv_table.hpp"
#include "output/value.hpp"

namespace critscale::cli {

using nlohmann::ordered_json;

namespace {

const char* const infinite = "infinite: another token has the same direction";

using Optionals = std::vector<std::optional<Ball>>;

Optionals lambdas(const TokenSetResult& s) {
  Optionals r;
  for (const RowGaps& row : s.gaps) r.push_back(row.lambda);
  return r;
}

Optionals contacts(const TokenSetResult& s) {
  Optionals r;
  for (const RowGaps& row : s.gaps) r.push_back(row.contact);
  return r;
}

/// Lambda/ln n: the gamma at which beta = Lambda.
Optionals gammas(const TokenSetResult& s) {
  Optionals r;
  for (const RowGaps& row : s.gaps)
    r.push_back(row.lambda
                    ? std::optional<Ball>(*row.lambda / log(Ball(s.geometry.n, row.lambda->precision())))
                    : std::nullopt);
  return r;
}

Summary summary(const Optionals& values) {
  Bits bits = 64;
  for (const auto& x : values)
    if (x) bits = std::max(bits, x->precision());
  return summarise(values, bits);
}

/// Every single value of a layer under its name.
void each_value(const TokenValues& v, const std::function<void(const std::string&, const Ball&)>& f) {
  const auto array = [&](const char* name, const std::vector<Ball>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) f(fmt::format("{}[{}]", name, i), values[i]);
  };
  array("log_partition", v.log_partition);
  array("self_weight", v.self_weight);
  if (v.inner_products) {
    f("inner_products.min", v.inner_products->min);
    f("inner_products.max", v.inner_products->max);
    f("inner_products.mean", v.inner_products->mean);
  }
  array("output_norm2", v.output_norm2);
  if (v.angle_ratio) f("angle_ratio", *v.angle_ratio);
  if (v.jacobian_norm) f("jacobian_norm", *v.jacobian_norm);
  array("participation", v.participation);
  array("entropy", v.entropy);
  for (const TokenPair& p : v.pairs) {
    f(fmt::format("pairs[{},{}].input", p.i, p.j), p.input);
    f(fmt::format("pairs[{},{}].output", p.i, p.j), p.output);
  }
}

/// Every number of the rows asked for under its name.
void each_row_value(const std::vector<AttendedRow>& rows,
                    const std::function<void(const std::string&, const Ball&)>& f) {
  for (const AttendedRow& r : rows) {
    for (std::size_t j = 0; j < r.weights.size(); ++j) f(fmt::format("weights[{},{}]", r.i, j), r.weights[j]);
    for (std::size_t k = 0; k < r.output.size(); ++k) f(fmt::format("output[{},{}]", r.i, k), r.output[k]);
  }
}

class TokenJson {
 public:
  explicit TokenJson(long digits) : digits_(digits) {}

  ordered_json result(const TokenSetResult& s, const TokenLayerResult* layer) const {
    ordered_json r = {{"schema", 1}, {"inputs", {{s.source.first, s.source.second}}}};
    if (layer)
      for (const auto& [key, text] : layer->inputs) r["inputs"][key] = text;
    r["geometry"] = geometry(s.geometry);
    if (s.resembles) r["random_keys"] = random_keys(*s.resembles);
    r["gap_counting"] = gap_counting(s, layer);
    if (!layer) return r;
    r["beta"] = value(layer->values.beta);
    r["quantities"] = quantities(layer->values);
    if (!layer->values.pairs.empty()) r["pairs"] = pairs(layer->values.pairs);
    for (const AttendedRow& row : layer->rows)
      r["rows"].push_back({{"i", row.i}, {"weights", array(row.weights)}, {"output", array(row.output)}});
    return r;
  }

 private:
  ordered_json value(const Ball& x) const { return value_json(x, digits_); }
  ordered_json value(const std::optional<Ball>& x, const std::string& why) const {
    return x ? value_json(*x, digits_) : undefined_json(why);
  }

  ordered_json geometry(const TokenGeometry& g) const {
    const char* const none = "infinite: the inner product is 1";
    return {{"n", g.n},
            {"d", g.d},
            {"rho_min", value(g.rho_min)},
            {"rho_max", value(g.rho_max)},
            {"rho_mean", value(g.rho_mean)},
            {"thresholds", {value(g.first_threshold, none), value(g.last_threshold, none)}}};
  }

  /// Estimates, not enclosures: six digits. [effective]
  ordered_json random_keys(const random::EffectiveKeys& k) const {
    const random::EffectiveThresholds gamma = effective_thresholds(k);
    const auto six = [](double x) { return fmt::format("{:.6g}", x); };
    return {{"estimate", true},
            {"rho", six(k.rho)},
            {"m", six(k.m)},
            {"kappa", six(k.kappa)},
            {"thresholds",
             {{"simplex", six(gamma.simplex)},
              {"self", six(gamma.self)},
              {"condensation", six(gamma.condensation)}}}};
  }

  ordered_json array(const Optionals& values) const {
    ordered_json r = ordered_json::array();
    for (const auto& x : values) r.push_back(value(x, infinite));
    return r;
  }
  ordered_json array(const std::vector<Ball>& values) const {
    ordered_json r = ordered_json::array();
    for (const Ball& x : values) r.push_back(value(x));
    return r;
  }
  ordered_json with_summary(const Optionals& values) const {
    const Summary s = summary(values);
    return {{"values", array(values)},
            {"min", value(s.min, infinite)},
            {"median", value(s.median, infinite)},
            {"max", value(s.max, infinite)}};
  }

  ordered_json gap_counting(const TokenSetResult& s, const TokenLayerResult* layer) const {
    ordered_json r = {{"lambda", with_summary(lambdas(s))},
                      {"contact_gap", with_summary(contacts(s))},
                      {"gamma", with_summary(gammas(s))}};
    if (!layer) return r;
    // Bounds of [gap-counting] at this layer's beta; those of the other side are null.
    ordered_json& bounds = r["bounds"] = ordered_json::array();
    const auto or_null = [&](const std::optional<Ball>& x) { return x ? value(*x) : ordered_json(); };
    for (const RowGaps& row : s.gaps) {
      const GapBounds b = gap_bounds(row, layer->values.beta);
      bounds.push_back({{"ratio", value(b.ratio)},
                        {"partition_max", or_null(b.partition_max)},
                        {"largest_weight_min", or_null(b.largest_weight_min)},
                        {"entropy_max", or_null(b.entropy_max)},
                        {"weight_gap_max", or_null(b.weight_gap_max)}});
    }
    return r;
  }

  ordered_json quantities(const TokenValues& v) const {
    ordered_json r = ordered_json::object();
    const auto put = [&](const char* name, const std::vector<Ball>& values) {
      if (!values.empty()) r[name] = array(values);
    };
    put("log_partition", v.log_partition);
    put("self_weight", v.self_weight);
    if (v.inner_products)
      r["inner_products"] = {{"min", value(v.inner_products->min)},
                             {"max", value(v.inner_products->max)},
                             {"mean", value(v.inner_products->mean)}};
    put("output_norm2", v.output_norm2);
    if (v.angle_ratio) r["angle_ratio"] = value(*v.angle_ratio);
    if (v.angle_ratio_undefined) r["angle_ratio"] = undefined_json(*v.angle_ratio_undefined);
    if (v.jacobian_norm) r["jacobian_norm"] = value(*v.jacobian_norm);
    put("participation", v.participation);
    put("entropy", v.entropy);
    return r;
  }

  ordered_json pairs(const std::vector<TokenPair>& list) const {
    ordered_json r = ordered_json::array();
    for (const TokenPair& p : list)
      r.push_back({{"i", p.i}, {"j", p.j}, {"input", value(p.input)}, {"output", value(p.output)}});
    return r;
  }

  long digits_;
};

class TextForm {
 public:
  explicit TextForm(long digits) : digits_(digits) {}

  std::string set(const TokenSetResult& s) const {
    const TokenGeometry& g = s.geometry;
    std::string r = fmt::format("{} = {}, n = {}, d = {}\n", s.source.first, s.source.second, g.n, g.d);
    r += line("rho_min", g.rho_min) + line("rho_max", g.rho_max) + line("rho_mean", g.rho_mean);
    r += line("1/(1-rho_min)", g.first_threshold, "infinite") +
         line("1/(1-rho_max)", g.last_threshold, "infinite");
    r += summary_lines("Lambda", lambdas(s));
    r += summary_lines("contact gap", contacts(s));
    r += summary_lines("gamma_i", gammas(s));
    r += "  gamma_i = Lambda_i/ln n, where beta = Lambda_i (gap counting): at gamma above gamma_i one key "
         "has at\n"
         "  least 1 - gamma_i/gamma of row i's attention; below it only the two largest weights are close.\n";
    if (s.resembles) r += resembled(*s.resembles);
    return r + phase_changes(s);
  }

  std::string layer(const TokenLayerResult& l) const {
    std::string r;
    for (const auto& [key, text] : l.inputs) r += fmt::format("{}{} = {}", r.empty() ? "" : ", ", key, text);
    r += "\n" + line("beta", l.values.beta);
    std::size_t above = 0, below = 0;
    for (const RowGaps& row : l.set->gaps) {
      const GapBounds b = gap_bounds(row, l.values.beta);
      above += b.largest_weight_min ? 1 : 0;
      below += b.weight_gap_max ? 1 : 0;
    }
    r += fmt::format("  {:<22} {} of {} (below: {})\n", "rows above Lambda", above, l.set->geometry.n, below);
    const std::size_t n = l.set->geometry.n;
    if (n <= most_rows) {
      each_value(l.values, [&](const std::string& name, const Ball& x) { r += line(name, x); });
    } else {
      r += summary_lines("log_partition", l.values.log_partition);
      r += summary_lines("self_weight", l.values.self_weight);
      r += summary_lines("output_norm2", l.values.output_norm2);
      r += summary_lines("participation", l.values.participation);
      r += summary_lines("entropy", l.values.entropy);
      TokenValues single;
      single.inner_products = l.values.inner_products;
      single.angle_ratio = l.values.angle_ratio;
      single.jacobian_norm = l.values.jacobian_norm;
      single.pairs = l.values.pairs;
      each_value(single, [&](const std::string& name, const Ball& x) { r += line(name, x); });
    }
    if (l.values.angle_ratio_undefined)
      r += fmt::format("  {:<22} undefined: {}\n", "angle_ratio", *l.values.angle_ratio_undefined);
    each_row_value(l.rows, [&](const std::string& name, const Ball& x) { r += line(name, x); });
    return r;
  }

 private:
  /// Estimates of the random keys that the set resembles. [effective]
  static std::string resembled(const random::EffectiveKeys& k) {
    const random::EffectiveThresholds gamma = effective_thresholds(k);
    return fmt::format(
        "  like random keys       rho = {:.4g}, m = {:.4g}, kappa = {:.4g} (from mean and variance of the "
        "inner "
        "products)\n"
        "    gamma: simplex       {:.6g}\n    gamma: aligned key   {:.6g}\n    gamma: condensation  {:.6g}\n",
        k.rho, k.m, k.kappa, gamma.simplex, gamma.self, gamma.condensation);
  }

  /// Sets of more tokens are summarised.
  static constexpr std::size_t most_rows = 16;

  std::string line(const std::string& name, const Ball& x) const {
    return fmt::format("  {:<22} {}\n", name, value_text(x, digits_));
  }
  std::string line(const std::string& name, const std::optional<Ball>& x, const char* otherwise) const {
    return x ? line(name, *x) : fmt::format("  {:<22} {}\n", name, otherwise);
  }
  std::string summary_lines(const std::string& name, const Optionals& values) const {
    if (values.empty()) return {};
    const Summary s = summary(values);
    return line(name + " min", s.min, "infinite") + line(name + " median", s.median, "infinite") +
           line(name + " max", s.max, "infinite");
  }
  std::string summary_lines(const std::string& name, const std::vector<Ball>& values) const {
    return summary_lines(name, Optionals(values.begin(), values.end()));
  }

  /// The tokens in the order in which they change phase.
  std::string phase_changes(const TokenSetResult& s) const {
    if (s.geometry.n > most_rows) return {};
    const Optionals values = gammas(s);
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (!values[a] || !values[b]) return values[a].has_value() && !values[b];
      return values[a]->midpoint() < values[b]->midpoint();
    });
    std::string r;
    for (const std::size_t i : order) r += line(fmt::format("gamma_{}", i), values[i], "infinite");
    return r;
  }

  long digits_;
};

std::string to_csv(const std::vector<TokenSetResult>& sets, const std::vector<TokenLayerResult>& layers,
                   long digits) {
  CsvTable table({"tokens", "inputs", "quantity", "value", "lo", "hi"});
  const auto row = [&](const TokenSetResult& s, const std::string& inputs, const std::string& name,
                       const Ball& x) {
    table.add_row();
    table.set({{"tokens", s.source.second}, {"inputs", inputs}, {"quantity", name}});
    table.set("", &x, digits);
  };
  for (const TokenSetResult& s : sets) {
    row(s, "", "rho_min", s.geometry.rho_min);
    row(s, "", "rho_max", s.geometry.rho_max);
    row(s, "", "rho_mean", s.geometry.rho_mean);
    if (s.geometry.first_threshold) row(s, "", "thresholds[0]", *s.geometry.first_threshold);
    if (s.geometry.last_threshold) row(s, "", "thresholds[1]", *s.geometry.last_threshold);
    if (s.resembles) {
      const random::EffectiveThresholds t = effective_thresholds(*s.resembles);
      for (const auto& [name, x] :
           std::vector<std::pair<const char*, double>>{{"random_keys.rho", s.resembles->rho},
                                                       {"random_keys.m", s.resembles->m},
                                                       {"random_keys.kappa", s.resembles->kappa},
                                                       {"random_keys.simplex", t.simplex},
                                                       {"random_keys.self", t.self},
                                                       {"random_keys.condensation", t.condensation}}) {
        // An estimate, without an enclosure.
        table.add_row();
        table.set({{"tokens", s.source.second}, {"quantity", name}, {"value", fmt::format("{:.6g}", x)}});
      }
    }
    const Optionals gamma = gammas(s);
    for (std::size_t i = 0; i < s.gaps.size(); ++i)
      if (s.gaps[i].lambda) {
        row(s, "", fmt::format("lambda[{}]", i), *s.gaps[i].lambda);
        row(s, "", fmt::format("contact_gap[{}]", i), *s.gaps[i].contact);
        row(s, "", fmt::format("gamma[{}]", i), *gamma[i]);
      }
    for (const TokenLayerResult& l : layers) {
      if (l.set != &s) continue;
      const std::string inputs = inputs_cell(l.inputs);
      row(s, inputs, "beta", l.values.beta);
      each_value(l.values, [&](const std::string& name, const Ball& x) { row(s, inputs, name, x); });
      each_row_value(l.rows, [&](const std::string& name, const Ball& x) { row(s, inputs, name, x); });
    }
  }
  return table.text();
}

}  // namespace

std::vector<double> rounded_entries(const TokenSet& tokens) {
  std::vector<double> r(tokens.doubles().begin(), tokens.doubles().end());
  if (!tokens.is_binary())
    for (const Rational& x : tokens.fractions()) r.push_back(static_cast<double>(x));
  return r;
}

std::optional<random::EffectiveKeys> resembled_keys(const TokenSet& tokens) {
  constexpr double most_products = 2e9;
  if (tokens.n() < 3 || random::effective_keys_cost(tokens.n(), tokens.d()) > most_products)
    return std::nullopt;
  try {
    return random::effective_keys(tokens.n(), tokens.d(), rounded_entries(tokens));
  } catch (const InputError&) {
    // All inner products are equal: the simplex, which no finite dimension is like.
    return std::nullopt;
  }
}

std::string render_tokens(const std::vector<TokenSetResult>& sets,
                          const std::vector<TokenLayerResult>& layers, long digits, Format format) {
  if (format == Format::csv) return to_csv(sets, layers, digits);
  if (format == Format::json) {
    const TokenJson json(digits);
    std::vector<ordered_json> results;
    for (const TokenLayerResult& l : layers) results.push_back(json.result(*l.set, &l));
    if (layers.empty())
      for (const TokenSetResult& s : sets) results.push_back(json.result(s, nullptr));
    const ordered_json r =
        results.size() == 1 ? results[0] : ordered_json{{"schema", 1}, {"results", results}};
    return r.dump(2) + "\n";
  }
  const TextForm text(digits);
  std::string r;
  for (const TokenSetResult& s : sets) {
    r += (r.empty() ? "" : "\n") + text.set(s);
    for (const TokenLayerResult& l : layers)
      if (l.set == &s) r += text.layer(l);
  }
  return r;
}

}  // namespace critscale::cli
