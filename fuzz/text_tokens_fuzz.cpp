// Tokens in text: CSV, blanks, word vectors. The first byte chooses the extension.
#include "critscale/tokens/files.hpp"
#include "support.hpp"

using namespace critscale;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  constexpr const char* extensions[] = {".csv", ".txt", ".vec"};
  fuzz::guarded([&] { read_tokens(fuzz::scratch(fuzz::text(data + 1, size - 1), extensions[data[0] % 3])); });
  return 0;
}
