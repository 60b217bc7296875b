// qwen-log-n: log_L n beyond the training length L (Qwen technical report, 2023).
#include "critscale/schedules/detail/beyond_training.hpp"

namespace critscale {

constinit const ScheduleLaw qwen_log_n_law{
    .name = "qwen-log-n",
    .alias = "qwen-logn",
    .uses_train_length = true,
    .ball = log_beyond_training<Ball>,
    .interval = log_beyond_training<Interval>,
    .formula = log_beyond_training_text,
    .symbols = log_beyond_training_symbols,
    .constant_gamma = log_beyond_training_gamma,
    .pieces = level_beyond_training,
    .curve = log_beyond_training_curve,
};

}  // namespace critscale
