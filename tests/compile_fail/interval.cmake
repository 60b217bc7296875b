prologue([[
#include "critscale/number/interval.hpp"
using Certified = critscale::Interval;
]])
include("${CMAKE_CURRENT_LIST_DIR}/certified_type.cmake")
