// One configuration of each family of public models, with the constants those files have: the multiplier that
// it means at one length, as other programs compute it, the head dimension, and what the reader says of it.
#include <catch2/catch.hpp>
#include <string>

#include "critscale/schedules/model_config.hpp"
#include "critscale/tables/outcome.hpp"
#include "critscale/text/parse.hpp"

using namespace critscale;

namespace {

struct Model {
  const char* name;
  const char* config;
  long keys;               ///< the row sees so many
  const char* multiplier;  ///< within one unit of the last digit
  const char* head;        ///< scores are divided by its root
  std::string_view kind;
  const char* says;
};

const Model models[] = {
    {"Qwen 2.5 with YaRN",
     R"({"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "max_position_embeddings": 131072,
         "rope_theta": 1000000.0, "rope_scaling": {"type": "yarn", "factor": 4.0,
         "original_max_position_embeddings": 32768}})",
     131072, "1.2964769927807", "128", "yarn", "factor = 4 from rope_scaling.factor"},
    {"gpt-oss, YaRN with truncated ramp",
     R"({"model_type": "gpt_oss", "head_dim": 64, "max_position_embeddings": 131072, "rope_scaling": {
         "rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false,
         "original_max_position_embeddings": 4096}})",
     5000, "1.8132604340395", "64", "yarn", "training length = 4096"},
    {"Phi-3 mini 128k, LongRoPE",
     R"({"model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "max_position_embeddings": 131072,
         "original_max_position_embeddings": 4096, "rope_scaling": {"type": "longrope",
         "long_factor": [1.08, 64.0], "short_factor": [1.0, 1.1]}})",
     131072, "1.4166666666667", "96", "longrope", "factor = 32 from max_position_embeddings"},
    {"Phi-3.5 MoE, long_mscale",
     R"({"model_type": "phimoe", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072,
         "original_max_position_embeddings": 4096, "rope_scaling": {"type": "longrope",
         "long_mscale": 1.243163121016122, "short_mscale": 1.243163121016122}})",
     131072, "1.5454545454545", "128", "yarn", "long_mscale"},
    {"Llama 2 with dynamic angles",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 4096,
         "rope_scaling": {"type": "dynamic", "factor": 2.0}})",
     8192, "1.0000000000000", "128", "constant", "dynamic changes the angles of positions alone"},
    {"Llama 3.1",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072,
         "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
         "original_max_position_embeddings": 8192}})",
     131072, "1.0000000000000", "128", "constant", "llama3 changes the angles of positions alone"},
    {"Llama 4",
     R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "head_dim": 128, "hidden_size": 5120,
         "num_attention_heads": 40, "attn_temperature_tuning": true, "floor_scale": 8192, "attn_scale": 0.1,
         "max_position_embeddings": 10485760, "rope_scaling": {"rope_type": "llama3", "factor": 16.0}}})",
     131072, "1.2833213344056", "128", "llama4", "offset by 1"},
    {"Ministral 3",
     R"({"model_type": "ministral3", "head_dim": 128, "max_position_embeddings": 262144, "rope_parameters": {
         "rope_type": "yarn", "factor": 16.0, "mscale": 1.0, "mscale_all_dim": 1.0, "beta_fast": 32.0,
         "original_max_position_embeddings": 16384, "llama_4_scaling_beta": 0.1}})",
     131073, "1.2197224577336", "128", "mistral", "are not offset"},
    {"DeepSeek V2",
     R"({"model_type": "deepseek_v2", "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
         "max_position_embeddings": 163840, "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 0.707,
         "mscale_all_dim": 0.707, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1}})",
     163840, "1.5896261651209", "192", "yarn", "m(mscale_all_dim)^2"},
    {"DeepSeek V3",
     R"({"model_type": "deepseek_v3", "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
         "max_position_embeddings": 163840, "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0,
         "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1}})",
     163840, "1.8738542070926", "192", "yarn", "public implementations disagree"},
    {"Qwen with log-n",
     R"({"model_type": "qwen", "hidden_size": 4096, "num_attention_heads": 32, "seq_length": 8192,
         "max_position_embeddings": 32768, "use_logn_attn": true, "use_dynamic_ntk": true})",
     32768, "1.1538461538462", "128", "qwen-log-n", "from the number of keys it sees"},
    {"Gemma 2",
     R"({"model_type": "gemma2", "head_dim": 128, "hidden_size": 4608, "num_attention_heads": 32,
         "query_pre_attn_scalar": 144, "attn_logit_softcapping": 50.0, "max_position_embeddings": 8192})",
     8192, "1.0000000000000", "144", "constant", "50 tanh(s/50)"},
    {"Gemma 3",
     R"({"model_type": "gemma3", "text_config": {"head_dim": 128, "query_pre_attn_scalar": 168,
         "attn_logit_softcapping": null, "max_position_embeddings": 131072,
         "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}})",
     131072, "1.0000000000000", "168", "constant", "linear changes the angles"},
};

}  // namespace

TEST_CASE("configurations of public models mean the multipliers that other programs compute") {
  for (const Model& m : models) {
    CAPTURE(m.name);
    const ConfigReading r = read_model_config(m.config);
    CHECK(name(r.schedule) == m.kind);
    CHECK(r.schedule.head_dim == parse_rational(m.head));
    const Ball value = multiplier(r.schedule, PowerProduct(m.keys), Lift<Ball>(192));
    CHECK(value.accurate_bits() > 100);
    CHECK(overlaps(value, enclose_value(m.multiplier)));
    // One more unit of the last digit is another number.
    CHECK_FALSE(overlaps(value * Ball(Rational(1000001, 1000000), 192), enclose_value(m.multiplier)));
    bool said = false;
    for (const std::string& line : r.notes) said = said || line.find(m.says) != std::string::npos;
    for (const std::string& line : r.notes) UNSCOPED_INFO(line);
    CHECK(said);
  }
}
