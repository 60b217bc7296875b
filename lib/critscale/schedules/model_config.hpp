// What a model's configuration file (config.json as Hugging Face writes it) says about the scale of
// its scores, as a schedule with exact constants. Uses schedule.hpp and nlohmann/json (in the .cpp only).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "critscale/schedules/schedule.hpp"

namespace critscale {

struct ConfigReading {
  Schedule schedule;  ///< its logit_scale is 1: no configuration file states it
  /// The formula that was read, where each constant came from, and what was assumed, a line each.
  std::vector<std::string> notes;
};

/// Reads rope_scaling or rope_parameters (yarn with attention_factor, mscale and mscale_all_dim, longrope;
/// types that change angles only), DeepSeek's mscale_all_dim, Llama 4's attn_temperature_tuning, Mistral 3's
/// llama_4_scaling_beta, Qwen's use_logn_attn, Gemma's query_pre_attn_scalar and softcap, Phi's long_mscale,
/// also under text_config. Throws InputError for what is not JSON, not an object, or names a scaling
/// that is not known.
ConfigReading read_model_config(std::string_view json_text);

}  // namespace critscale
