// Reading configuration files of models.
#include "critscale/schedules/model_config.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "critscale/io/detail/json.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

using nlohmann::json;

class ConfigReader {
 public:
  explicit ConfigReader(const json& root) : root_(root) {
    text_ = root.contains("text_config") && root["text_config"].is_object() ? &root["text_config"] : &root;
    for (const char* key : {"rope_scaling", "rope_parameters"})
      if (const json* v = find(*text_, key); v && v->is_object()) {
        rope_ = v;
        rope_name_ = key;
      }
  }

  ConfigReading run() {
    s_ = default_schedule("constant");
    read_lengths();
    read_head();
    read_rope();
    read_position_scales();
    validate(s_);
    r_.schedule = s_;
    r_.notes.insert(r_.notes.begin(), fmt::format("formula: {} (schedule {})", formula(s_), name(s_)));
    return std::move(r_);
  }

 private:
  static const json* find(const json& object, const char* key) {
    const auto it = object.find(key);
    return it == object.end() || it->is_null() ? nullptr : &*it;
  }
  /// A number as it was written: the shortest decimal of the double that the parser made of it.
  static std::optional<Rational> number(const json* v) {
    if (!v || !v->is_number()) return std::nullopt;
    return parse_rational(v->dump());
  }
  std::optional<Rational> of_text(const char* key) const { return number(find(*text_, key)); }
  std::optional<Rational> of_rope(const char* key) const {
    return rope_ ? number(find(*rope_, key)) : std::nullopt;
  }
  bool is_set(const char* key) const {
    const json* v = find(*text_, key);
    return v && ((v->is_boolean() && v->get<bool>()) || (v->is_number() && v->get<double>() != 0));
  }
  void note(std::string line) { r_.notes.push_back(std::move(line)); }
  void from(const char* what, const Rational& v, const std::string& where) {
    note(fmt::format("{} = {} from {}", what, to_string(v), where));
  }
  std::string rope_key(const char* key) const { return fmt::format("{}.{}", rope_name_, key); }
  std::string model_type() const {
    const json* v = find(*text_, "model_type");
    if (!v) v = find(root_, "model_type");
    return v && v->is_string() ? v->get<std::string>() : "";
  }

  // --- lengths and the scores' division ---------------------------------------------------------

  void set_length(const Rational& v, const std::string& where) {
    if (!is_integer(v) || v < 2)
      throw InputError(fmt::format("{}: expected a length of at least 2, found {}", where, to_string(v)));
    s_.train_length = PowerProduct(v);
    from("training length", v, where);
  }
  void read_lengths() {
    longest_ = of_text("max_position_embeddings");
    // What a step or a logarithm counts from takes the place of a training length.
    if (is_set("attn_temperature_tuning")) return;
    if (const auto u = of_text("seq_length"); u && is_set("use_logn_attn"))
      set_length(*u, "seq_length");
    else if (const auto v = of_rope("original_max_position_embeddings"))
      set_length(*v, rope_key("original_max_position_embeddings"));
    else if (const auto w = of_text("original_max_position_embeddings"))
      set_length(*w, "original_max_position_embeddings");
    else if (longest_)
      set_length(*longest_, "max_position_embeddings");
  }

  void read_head() {
    if (const auto v = of_text("query_pre_attn_scalar")) {
      s_.head_dim = *v;
      from("query_pre_attn_scalar", *v, "the file, in place of the head dimension");
    } else if (const auto nope = of_text("qk_nope_head_dim"), rope = of_text("qk_rope_head_dim");
               nope && rope) {
      s_.head_dim = *nope + *rope;
      from("head dimension", s_.head_dim, "qk_nope_head_dim + qk_rope_head_dim");
    } else if (const auto d = of_text("head_dim")) {
      s_.head_dim = *d;
      from("head dimension", *d, "head_dim");
    } else if (const auto h = of_text("hidden_size"), n = of_text("num_attention_heads"); h && n && *n > 0) {
      s_.head_dim = *h / *n;
      from("head dimension", s_.head_dim, "hidden_size / num_attention_heads");
    } else {
      note("assumed: scores are divided by 1, as no head dimension is stated");
    }
    s_.dimension = s_.head_dim;
    if (s_.head_dim != 1)
      note(fmt::format("scores q.k are divided by sqrt({}); --logit-scale is their size before that",
                       to_string(s_.head_dim)));
    read_bounds();
  }

  /// What the multiplier does not contain.
  void read_bounds() {
    if (const auto cap = of_text("attn_logit_softcapping"))
      note(fmt::format(
          "attn_logit_softcapping = {0}: scores are {0} tanh(s/{0}) before the mask, so that beta is "
          "at most {0}; the multiplier does not contain it",
          to_string(*cap)));
    const json* used = find(*text_, "use_sliding_window");
    if (const auto w = of_text("sliding_window"); w && !(used && used->is_boolean() && !used->get<bool>()))
      note(fmt::format(
          "sliding_window = {0}: rows of the layers that have it see at most {0} keys, whatever n",
          to_string(*w)));
    if (model_type() == "gpt_oss")
      note(
          "gpt-oss: a sink, one more logit a head, takes its share of the weights; the multiplier does not "
          "contain it");
  }

  // --- rope_scaling ---------------------------------------------------------------------------

  std::string rope_type() const {
    if (!rope_) return "";
    for (const char* key : {"rope_type", "type"})
      if (const json* v = find(*rope_, key); v && v->is_string()) return v->get<std::string>();
    return "";
  }

  void read_rope() {
    const std::string type = rope_type();
    if (type.empty() || type == "default") return;
    if (type == "linear" || type == "dynamic" || type == "llama3" || type == "mrope")
      return note(fmt::format("{} = {} changes the angles of positions alone: no effect on the scores' scale",
                              rope_key("rope_type"), type));
    if (type == "yarn" || type == "deepseek_yarn") return yarn();
    if (type == "longrope" || type == "su") return longrope();
    throw InputError(
        fmt::format("{}: {} is not known; known: default, linear, dynamic, llama3, mrope, yarn, longrope, su",
                    rope_key("rope_type"), in_quotes(type)));
  }

  void read_factor() {
    if (const auto v = of_rope("factor")) {
      s_.factor = *v;
      from("factor", *v, rope_key("factor"));
    } else if (longest_ && s_.train_length.is_integer()) {
      s_.factor = *longest_ / s_.train_length.to_rational();
      from("factor", *s_.factor, "max_position_embeddings / training length");
    } else {
      throw InputError(fmt::format("{} is needed", rope_key("factor")));
    }
  }
  /// True where the file states the factor on queries and keys itself.
  bool read_attention_factor() {
    const auto v = of_rope("attention_factor");
    if (!v) return false;
    s_.law = &schedule_by_name("yarn");
    s_.attention_factor = *v;
    from("attention_factor", *v, rope_key("attention_factor") + ", in place of a computed one");
    return true;
  }

  void yarn() {
    s_.law = &schedule_by_name("yarn");
    read_factor();
    if (read_attention_factor()) return;
    const auto mscale = of_rope("mscale"), all = of_rope("mscale_all_dim");
    if (mscale) from("mscale", *mscale, rope_key("mscale"));
    if (all) from("mscale_all_dim", *all, rope_key("mscale_all_dim"));
    if (!mscale || !all || *mscale == 0 || *all == 0) {
      if (mscale && !all) note("mscale without mscale_all_dim is not used by this code: mscale 1");
      return note("queries and keys are both multiplied by 0.1 ln(factor) + 1");
    }
    s_.mscale = *mscale;
    if (model_type().starts_with("deepseek")) {
      // cos and sin carry m(mscale)/m(mscale_all_dim) twice, the softmax scale m(mscale_all_dim)^2.
      note(
          "DeepSeek: scores are multiplied by m(mscale_all_dim)^2, their rotary part also by "
          "(m(mscale)/m(mscale_all_dim))^2, m(s) = 0.1 s ln(factor) + 1: m(mscale)^2 in all");
      if (*mscale != *all) note("the part without rotation has m(mscale_all_dim)^2 only");
      return note(
          "public implementations disagree: without DeepSeek's own change of the softmax scale the "
          "multiplier "
          "is (m(mscale)/m(mscale_all_dim))^2 (schedule yarn with mscale_all_dim)");
    }
    if (*mscale == *all) {
      s_.law = &schedule_by_name("constant");
      return note("m(mscale)/m(mscale_all_dim) = 1 exactly");
    }
    s_.mscale_all_dim = *all;
    note("queries and keys are both multiplied by m(mscale)/m(mscale_all_dim), m(s) = 0.1 s ln(factor) + 1");
  }

  void longrope() {
    s_.law = &schedule_by_name("longrope");
    if (const auto v = of_rope("long_mscale")) {
      s_.law = &schedule_by_name("yarn");
      s_.attention_factor = *v;
      from("attention_factor", *v, rope_key("long_mscale") + ", for rows beyond the training length");
      if (const auto w = of_rope("short_mscale"))
        note(fmt::format("{} = {} holds up to it", rope_key("short_mscale"), to_string(*w)));
      return;
    }
    if (read_attention_factor()) return;
    read_factor();
    note("queries and keys are both multiplied by sqrt(1 + ln(factor)/ln(training length))");
  }

  // --- scales that depend on the position -----------------------------------------------------

  /// A step or logarithm on top of what rope_scaling gives: only where that is 1.
  void require_alone(const char* key) const {
    if (s_.law == &constant_law) return;
    throw InputError(fmt::format("{} and {} both scale the scores: their product is not among the schedules",
                                 key, rope_name_));
  }
  void read_position_scales() {
    if (const auto beta = of_rope("llama_4_scaling_beta")) {
      require_alone("llama_4_scaling_beta");
      s_.law = &schedule_by_name("mistral");
      s_.rate = *beta;
      from("rate", *beta, rope_key("llama_4_scaling_beta"));
      note("positions count from 0 and are not offset (Mistral 3); Llama 4 adds 1 to them (schedule llama4)");
    }
    if (is_set("attn_temperature_tuning")) {
      require_alone("attn_temperature_tuning");
      s_.law = &schedule_by_name("llama4");
      s_.train_length = PowerProduct(of_text("floor_scale").value_or(Rational(8192)));
      s_.rate = of_text("attn_scale").value_or(Rational(1, 10));
      from("step", s_.train_length.to_rational(),
           find(*text_, "floor_scale") ? "floor_scale" : "Llama 4's default");
      from("rate", s_.rate, find(*text_, "attn_scale") ? "attn_scale" : "Llama 4's default");
      note(
          "in layers without rotary positions alone; positions count from 0 and are offset by 1; Mistral 3 "
          "does "
          "not add it (schedule mistral)");
    }
    if (is_set("use_logn_attn")) {
      require_alone("use_logn_attn");
      s_.law = &schedule_by_name("qwen-log-n");
      note("use_logn_attn: each row has its own factor, from the number of keys it sees");
    }
    if (s_.law == &constant_law) note("nothing in the file scales the scores with the length: multiplier 1");
  }

  const json& root_;
  const json* text_ = nullptr;
  const json* rope_ = nullptr;
  std::string rope_name_ = "rope_scaling";
  std::optional<Rational> longest_;
  Schedule s_;
  ConfigReading r_;
};

}  // namespace

ConfigReading read_model_config(std::string_view json_text) {
  const json root = parse_json(json_text);
  if (!root.is_object()) throw InputError("a configuration is a JSON object");
  return ConfigReader(root).run();
}

}  // namespace critscale
