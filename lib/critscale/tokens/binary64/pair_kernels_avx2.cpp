// The kernels in double-double arithmetic for processors with AVX2.
#define CRITSCALE_KERNELS avx2
#define CRITSCALE_KERNELS_NAME "avx2"
#include "critscale/tokens/binary64/detail/pair_kernels_code.hpp"
