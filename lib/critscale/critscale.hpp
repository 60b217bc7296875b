// Everything that users of the library call. A program that needs one part of it compiles faster with that
// part's own header.
#pragma once

// Numbers: exact, enclosed, compared with three answers; text in and out.
#include "critscale/number/ball.hpp"
#include "critscale/number/dyadic.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/exact.hpp"
#include "critscale/number/interval.hpp"
#include "critscale/number/power_product.hpp"
#include "critscale/number/precision.hpp"
#include "critscale/number/rational_box.hpp"
#include "critscale/number/rounding.hpp"
#include "critscale/number/truth.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/text/print.hpp"

// Symmetric configurations at any n, one layer and many.
#include "critscale/model/configuration.hpp"
#include "critscale/model/evaluate.hpp"
#include "critscale/model/evaluate_box.hpp"
#include "critscale/model/layers.hpp"

// As n grows: phases, exact limits, boundaries, schedules.
#include "critscale/asymptotics/boundary.hpp"
#include "critscale/asymptotics/diagram.hpp"
#include "critscale/asymptotics/limit.hpp"
#include "critscale/asymptotics/limit_text.hpp"
#include "critscale/asymptotics/long_run.hpp"
#include "critscale/asymptotics/roots.hpp"
#include "critscale/asymptotics/schedule_verdict.hpp"
#include "critscale/schedules/model_config.hpp"
#include "critscale/schedules/schedule.hpp"

// Explicit tokens, queries, keys and values; random keys.
#include "critscale/random/draws.hpp"
#include "critscale/random/expectations.hpp"
#include "critscale/random/key_sets.hpp"
#include "critscale/random/phases.hpp"
#include "critscale/random/transitions.hpp"
#include "critscale/tokens/arrays.hpp"
#include "critscale/tokens/attention.hpp"
#include "critscale/tokens/files.hpp"
#include "critscale/tokens/gap_counting.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "critscale/tokens/layer.hpp"
#include "critscale/tokens/row.hpp"
#include "critscale/tokens/row_sharing.hpp"

// Proofs and their independent check.
#include "critscale/checker/verify.hpp"
#include "critscale/proof/class_claim.hpp"
#include "critscale/proof/prove.hpp"

// Reference tables and conformance.
#include "critscale/tables/answer.hpp"
#include "critscale/tables/compare.hpp"
#include "critscale/tables/question.hpp"
#include "critscale/tables/reference.hpp"
#include "critscale/tables/tolerance.hpp"
