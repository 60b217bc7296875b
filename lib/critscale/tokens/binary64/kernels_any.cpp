// The kernels for every processor, and the choice between kernels.
#define CRITSCALE_KERNELS any_processor
#define CRITSCALE_KERNELS_NAME "portable"
#define Eigen EigenForAnyProcessor
#include "critscale/tokens/binary64/detail/kernels_code.hpp"

namespace critscale {

#ifdef CRITSCALE_AVX2
inline namespace avx2 {
extern const TokenKernels kernels;
}
inline namespace avx512 {
extern const TokenKernels kernels;
}
#endif

std::span<const TokenKernels* const> token_kernels() {
#ifdef CRITSCALE_AVX2
  static const TokenKernels* const all[] = {&avx512::kernels, &avx2::kernels, &any_processor::kernels};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return std::span(all);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return std::span(all).subspan(1);
  return std::span(all).subspan(2);
#else
  static const TokenKernels* const all[] = {&any_processor::kernels};
  return std::span(all);
#endif
}

}  // namespace critscale
