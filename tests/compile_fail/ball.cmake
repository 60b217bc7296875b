prologue([[
#include "critscale/number/ball.hpp"
using Certified = critscale::Ball;
]])
include("${CMAKE_CURRENT_LIST_DIR}/certified_type.cmake")
