// The kernels for processors with AVX2.
#define CRITSCALE_KERNELS avx2
#define CRITSCALE_KERNELS_NAME "avx2"
#define Eigen EigenForAvx2
#include "critscale/tokens/binary64/detail/kernels_code.hpp"
