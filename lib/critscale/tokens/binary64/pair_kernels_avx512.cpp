// The kernels in double-double arithmetic for processors with AVX512.
#define CRITSCALE_KERNELS avx512
#define CRITSCALE_KERNELS_NAME "avx512"
#include "critscale/tokens/binary64/detail/pair_kernels_code.hpp"
