// Configuration files of models: which schedule they mean, with exact constants.
#include <catch2/catch.hpp>
#include <string>

#include "critscale/schedules/model_config.hpp"
#include "critscale/text/parse.hpp"

using namespace critscale;

namespace {

/// The multiplier at n that a file means, as an enclosure.
Ball multiplier_at(const char* json, long n) {
  return multiplier(read_model_config(json).schedule, PowerProduct(n), Lift<Ball>(160));
}

Ball ln(long v) { return log(Ball(v, 160)); }

bool says(const char* json, const std::string& what) {
  for (const std::string& line : read_model_config(json).notes)
    if (line.find(what) != std::string::npos) return true;
  return false;
}

constexpr const char* deepseek =
    R"({"model_type": "deepseek_v3", "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
  "max_position_embeddings": 163840, "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0,
  "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096, "beta_fast": 32}})";
constexpr const char* yarn =
    R"({"hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 32768,
  "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}})";

}  // namespace

TEST_CASE("YaRN: computed, explicit and divided factors") {
  CHECK(overlaps(multiplier_at(yarn, 100), sqr(Ball(1 + ln(4) / 10))));
  CHECK(read_model_config(yarn).schedule.head_dim == 128);
  CHECK(says(yarn, "factor = 4 from rope_scaling.factor"));
  // Given as 1 it is 1.
  CHECK(multiplier_at(R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "attention_factor": 1.0}})", 9)
            .contains(Rational(1)));
  const Ball ratio = (1 + ln(8) * Ball(Rational(707, 10000), 160)) / (1 + ln(8) / 10);
  CHECK(overlaps(multiplier_at(R"({"rope_parameters": {"rope_type": "yarn", "factor": 8, "mscale": 0.707,
                                   "mscale_all_dim": 1}})",
                               9),
                 sqr(ratio)));
  const Schedule equal =
      read_model_config(
          R"({"rope_scaling": {"rope_type": "yarn", "factor": 8, "mscale": 0.707, "mscale_all_dim": 0.707}})")
          .schedule;
  CHECK(name(equal) == "constant");
}

TEST_CASE("DeepSeek's softmax scale has mscale_all_dim") {
  CHECK(overlaps(multiplier_at(deepseek, 9), sqr(Ball(1 + ln(40) / 10))));
  CHECK(read_model_config(deepseek).schedule.head_dim == 192);
  CHECK(says(deepseek, "public implementations disagree"));
  // V2's 0.707, exactly: 1.5896261651208736 by another program.
  const std::string v2 =
      std::string(deepseek).replace(std::string(deepseek).find("\"mscale\": 1.0"), 13, "\"mscale\": 0.707");
  CHECK(overlaps(multiplier_at(v2.c_str(), 9), sqr(Ball(1 + ln(40) * Ball(Rational(707, 10000), 160)))));
}

TEST_CASE("LongRoPE and Phi") {
  const char* longrope = R"({"max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
    "rope_scaling": {"type": "longrope", "long_factor": [1.0], "short_factor": [1.0]}})";
  CHECK(overlaps(multiplier_at(longrope, 9), 1 + ln(32) / ln(4096)));
  const char* phi_moe = R"({"original_max_position_embeddings": 4096, "rope_scaling": {"type": "longrope",
    "long_mscale": 1.25, "short_mscale": 1.0}})";
  CHECK(multiplier_at(phi_moe, 9).contains(Rational(25, 16)));
}

TEST_CASE("Llama 3, Llama 4, Mistral 3, Qwen and Gemma") {
  const char* llama3 = R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0}})";
  CHECK(multiplier_at(llama3, 1000000).contains(Rational(1)));
  CHECK(says(llama3, "no effect on the scores' scale"));
  const char* llama4 =
      R"({"text_config": {"attn_temperature_tuning": 4, "floor_scale": 8192, "attn_scale": 0.1,
    "head_dim": 128, "max_position_embeddings": 10485760}})";
  // The row at position 8191 sees 8192 keys.
  CHECK(multiplier_at(llama4, 8191).contains(Rational(1)));
  CHECK(overlaps(multiplier_at(llama4, 8192), 1 + ln(2) / 10));
  const char* mistral =
      R"({"head_dim": 128, "rope_parameters": {"rope_type": "yarn", "factor": 16.0, "mscale": 1.0,
    "mscale_all_dim": 1.0, "original_max_position_embeddings": 16384, "llama_4_scaling_beta": 0.1}})";
  CHECK(multiplier_at(mistral, 16384).contains(Rational(1)));
  CHECK(overlaps(multiplier_at(mistral, 16385), 1 + ln(2) / 10));
  CHECK(overlaps(multiplier_at(R"({"use_logn_attn": true, "seq_length": 2048})", 3000), ln(3000) / ln(2048)));
  const char* gemma = R"({"head_dim": 256, "query_pre_attn_scalar": 144, "attn_logit_softcapping": 50.0})";
  CHECK(read_model_config(gemma).schedule.head_dim == 144);
  CHECK(says(gemma, "50 tanh(s/50)"));
  CHECK(says(gemma, "scores q.k are divided by sqrt(144)"));
  CHECK(says(llama4, "Mistral 3 does not add it"));
  CHECK_FALSE(says(llama4, "training length"));
  // One training length is named: the one that is used.
  const char* qwen = R"({"use_logn_attn": true, "seq_length": 8192, "max_position_embeddings": 32768})";
  CHECK(says(qwen, "training length = 8192 from seq_length"));
  CHECK_FALSE(says(qwen, "32768"));
}

TEST_CASE("what bounds a row beside its multiplier is told") {
  CHECK(says(R"({"sliding_window": 4096})", "see at most 4096 keys"));
  CHECK_FALSE(says(R"({"sliding_window": 4096, "use_sliding_window": false})", "4096"));
  CHECK_FALSE(says(R"({"sliding_window": null})", "at most"));
  CHECK(says(R"({"model_type": "gpt_oss", "head_dim": 64})", "sink"));
}

TEST_CASE("what is not understood is refused in one line") {
  for (const char* bad :
       {"", "[]", "3", R"({"rope_scaling": {"type": "spiral"}})", R"({"rope_scaling": {"type": "yarn"}})",
        R"({"use_logn_attn": true, "rope_scaling": {"type": "yarn", "factor": 2}})"})
    CHECK_THROWS_AS(read_model_config(bad), InputError);
}
