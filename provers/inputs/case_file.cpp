// Reading case files with toml++.
#include "inputs/case_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <sstream>

#include "critscale/io/detail/input_file.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/detail/nearest.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::cli {

namespace {

/// Keys of a [[case]] table and of the defaults; `band`, `id` and `why` are read on their own.
constexpr std::array case_keys{
    "geometry", "rho", "n", "gamma", "gamma_ratio", "beta", "alpha", "q", "d", "digits", "quantities",
    "columns", "max_bits", "analytic", "threads", "seed", "time_limit",
    // Schedules and many layers.
    "schedule", "threshold", "position", "train_length", "factor", "coefficient", "offset", "power", "rate",
    "mscale", "mscale_all_dim", "attention_factor", "config", "entropy_dim", "logit_scale", "head_dim",
    "layers", "jacobian",
    // Tables of single operations.
    "op", "logits", "scores", "values", "tokens", "train", "keys", "softcap", "sink", "visible", "inputs",
    "rounded_to", "quantity", "k", "v", "d_out", "mask", "scale", "causal", "window", "softcap_after_mask",
    // Random keys.
    "dim", "kappa", "sigma", "aligned_key", "transitions", "draws", "sets"};
/// What a [[claim]] table may have besides.
constexpr std::array claim_keys{"theorem",
                                "quantity",
                                "N",
                                "C",
                                "k",
                                "p",
                                "mu",
                                "bound",
                                "kind",
                                "limit",
                                "gap",
                                "theta",
                                "phase",
                                "r",
                                "class",
                                "rho1",
                                "spread",
                                "relation",
                                "gamma_ratio1",
                                "gamma_ratio2",
                                "lo",
                                "hi",
                                "tokens_per_dimension"};

constexpr std::uint64_t largest_file = 64u << 20;
/// Parts of a dotted key: the parser follows them by recursion.
constexpr int most_key_parts = 100;

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  CaseFile read() {
    const toml::table root = parse();
    Specification defaults;
    CaseFile file;
    for (const auto& [key, node] : in_order(root)) {
      if (key == "case" || key == "claim") continue;
      read_key(defaults, key, *node, false);
    }
    for (const char* kind : {"case", "claim"}) {
      const toml::node* tables = root.get(kind);
      if (!tables) continue;
      if (!tables->is_array_of_tables())
        throw InputError(fmt::format("{}: '{}' must be written as [[{}]] tables", at(*tables), kind, kind));
      const bool claim = std::string_view(kind) == "claim";
      for (const toml::node& node : *tables->as_array()) {
        Specification s;
        s.where = at(node);
        for (const auto& [key, value] : in_order(*node.as_table())) read_key(s, key, *value, claim);
        s.inherit(defaults);
        (claim ? file.claims : file.cases).push_back(std::move(s));
      }
    }
    if (file.cases.empty() && file.claims.empty())
      throw InputError(fmt::format("{}: no [[case]] or [[claim]] table", path_));
    return file;
  }

 private:
  toml::table parse() const {
    const std::string text = read_whole(path_, largest_file);
    if (text.empty()) throw InputError(fmt::format("{}: the file is empty", path_));
    require_utf8(text, path_);
    require_shallow_keys(text);
    try {
      return toml::parse(text, path_);
    } catch (const toml::parse_error& e) {
      throw InputError(
          fmt::format("{}:{}: not valid TOML: {}", path_, e.source().begin.line, one_line(e.description())));
    }
  }

  /// Throws InputError for a run of more dots than keys have: dots count on from one to the next until a
  /// character comes that does not belong to a key. Quoted texts are skipped, so that dots in them do not
  /// count.
  void require_shallow_keys(std::string_view text) const {
    int dots = 0;
    std::size_t line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\n') ++line;
      if (c == '#') {
        i = std::min(text.find('\n', i), text.size()) - 1;
      } else if (c == '"' || c == '\'') {
        const bool block = text.substr(i, 3) == std::string(3, c);
        const std::string end(block ? 3 : 1, c);
        std::size_t at = i + end.size();
        for (; at < text.size() && text.substr(at, end.size()) != end && (block || text[at] != '\n'); ++at) {
          if (text[at] == '\n') ++line;
          if (text[at] == '\\' && c == '"') ++at;
        }
        i = at < text.size() && text[at] == '\n' ? at - 1 : at + end.size() - 1;
      } else if (c == '.') {
        if (++dots > most_key_parts)
          throw InputError(fmt::format("{}:{}: a key of more than {} parts", path_, line, most_key_parts));
      } else if (c == '=' || c == ',' || c == '[' || c == '{' || c == '\n') {
        dots = 0;
      }
    }
  }

  static std::string one_line(std::string_view text) {
    std::string r(text);
    std::replace_if(
        r.begin(), r.end(), [](unsigned char c) { return c < 32 || c > 126; }, '?');
    return r;
  }

  std::string at(const toml::node& node) const {
    return fmt::format("{}:{}", path_, node.source().begin.line);
  }

  /// The keys of a table as they were written; toml++ sorts them.
  static std::vector<std::pair<std::string, const toml::node*>> in_order(const toml::table& table) {
    std::vector<std::pair<std::string, const toml::node*>> r;
    for (const auto& [key, node] : table) r.emplace_back(std::string(key.str()), &node);
    std::stable_sort(r.begin(), r.end(), [](const auto& a, const auto& b) {
      const auto &x = a.second->source().begin, &y = b.second->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    return r;
  }

  [[noreturn]] void wrong_type(const std::string& key, const toml::node& node,
                               std::string_view expected) const {
    std::ostringstream found;
    found << node.type();
    std::string hint;
    if (node.is_floating_point()) hint = " (write exact numbers as strings, such as \"0.1\" or \"1/10\")";
    throw InputError(fmt::format("{}: {}: expected {}, found a value of type {}{}", at(node), key, expected,
                                 found.str(), hint));
  }

  std::string text_of(const std::string& key, const toml::node& node) const {
    if (const auto* s = node.as_string()) return s->get();
    if (const auto* i = node.as_integer()) return fmt::format("{}", i->get());
    if (const auto* b = node.as_boolean()) return b->get() ? "true" : "false";
    wrong_type(key, node, "a string or an integer");
  }

  /// A scalar, { from, to, steps } or { box = [lo, hi] } as the text the flags use.
  Text text_or_range(const std::string& key, const toml::node& node) const {
    const std::string where = fmt::format("{}: {}", at(node), key);
    const toml::table* t = node.as_table();
    if (!t) return {text_of(key, node), where};
    const auto only = [&](std::initializer_list<std::string_view> keys) {
      return t->size() == keys.size() &&
             std::all_of(keys.begin(), keys.end(), [&](std::string_view k) { return t->contains(k); });
    };
    if (only({"from", "to", "steps"}))
      return {fmt::format("{}:{}:{}", text_of(key, *t->get("from")), text_of(key, *t->get("to")),
                          text_of(key, *t->get("steps"))),
              where};
    if (only({"box"})) {
      const toml::array* ends = t->get("box")->as_array();
      if (!ends || ends->size() != 2) throw InputError(where + ": box must be a list of two ends, [lo, hi]");
      return {fmt::format("[{},{}]", text_of(key, *ends->get(0)), text_of(key, *ends->get(1))), where};
    }
    throw InputError(where + ": expected { from, to, steps } or { box = [lo, hi] }");
  }

  static std::string key_meant(const std::string& key, bool claim) {
    std::vector<std::string> names{"band", "id", "why"};
    names.insert(names.end(), case_keys.begin(), case_keys.end());
    if (claim) names.insert(names.end(), claim_keys.begin(), claim_keys.end());
    return did_you_mean(key, names);
  }

  void read_bands(Specification& s, const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (!list || list->empty()) wrong_type("band", node, "a list of { r, size } tables");
    for (const toml::node& item : *list) {
      const toml::table* t = item.as_table();
      if (!t) wrong_type("band", item, "a table { r, size }");
      for (const auto& [key, value] : *t)
        if (key != "r" && key != "size" && key != "theta")
          throw InputError(fmt::format("{}: band: unknown key {}; allowed: r, size, theta (size = n^theta)",
                                       at(value), in_quotes(key.str())));
      if (!t->contains("r") || t->contains("size") == t->contains("theta"))
        throw InputError(
            fmt::format("{}: band: r and size are both needed (or theta, for size = n^theta)", at(item)));
      const Text size = t->contains("size") ? text_or_range("band size", *t->get("size"))
                                            : size_of_theta(text_or_range("band theta", *t->get("theta")));
      s.bands.push_back({text_or_range("band r", *t->get("r")), size});
    }
  }

  /// n^theta; theta = 1 is n.
  static Text size_of_theta(const Text& theta) { return {fmt::format("n^({})", theta.text), theta.where}; }

  void read_key(Specification& s, const std::string& key, const toml::node& node, bool claim) const {
    if (key == "id" || key == "why") {
      const auto* text = node.as_string();
      if (!text) wrong_type(key, node, "a string");
      (key == "id" ? s.id : s.why) = text->get();
      return;
    }
    if (key == "band") return read_bands(s, node);
    const auto known = [&](const auto& keys) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    if (!known(case_keys) && !(claim && known(claim_keys)))
      throw InputError(fmt::format("{}: unknown key {}{}; allowed: band, id, why, {}{}{}", at(node),
                                   in_quotes(key), key_meant(key, claim), fmt::join(case_keys, ", "),
                                   claim ? ", " : "",
                                   claim ? fmt::format("{}", fmt::join(claim_keys, ", ")) : ""));
    Entry entry{key, {}};
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& item : *list) entry.values.push_back(text_or_range(key, item));
      if (list->empty()) throw InputError(fmt::format("{}: {}: the list is empty", at(node), key));
    } else {
      entry.values.push_back(text_or_range(key, node));
    }
    s.entries.push_back(std::move(entry));
  }

  std::string path_;
};

}  // namespace

CaseFile read_case_file(const std::string& path) { return Reader(path).read(); }

}  // namespace critscale::cli
