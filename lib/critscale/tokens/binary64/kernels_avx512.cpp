// The kernels for processors with AVX512.
#define CRITSCALE_KERNELS avx512
#define CRITSCALE_KERNELS_NAME "avx512"
#define Eigen EigenForAvx512
#include "critscale/tokens/binary64/detail/kernels_code.hpp"
