// The kernels in double-double arithmetic for every processor, and the choice between kernels.
#define CRITSCALE_KERNELS any_processor
#define CRITSCALE_KERNELS_NAME "portable"
#include "critscale/tokens/binary64/detail/pair_kernels_code.hpp"

namespace critscale {

#ifdef CRITSCALE_AVX2
inline namespace avx2 {
extern const PairKernels pairs;
}
inline namespace avx512 {
extern const PairKernels pairs;
}
#endif

std::span<const PairKernels* const> all_pair_kernels() {
#ifdef CRITSCALE_AVX2
  static const PairKernels* const all[] = {&avx512::pairs, &avx2::pairs, &any_processor::pairs};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return std::span(all);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return std::span(all).subspan(1);
  return std::span(all).subspan(2);
#else
  static const PairKernels* const all[] = {&any_processor::pairs};
  return std::span(all);
#endif
}

const PairKernels& pair_kernels() { return *all_pair_kernels().front(); }

}  // namespace critscale
