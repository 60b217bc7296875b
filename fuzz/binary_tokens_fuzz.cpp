// Tokens in arrays: the first byte chooses .npy, .npz (with or without a member's name), or a candidate's
// .npy.
#include "critscale/tables/detail/npy.hpp"
#include "critscale/tokens/files.hpp"
#include "support.hpp"

using namespace critscale;

namespace {

void round_trip(std::string_view text) {
  const TokenSet tokens = read_tokens(fuzz::scratch(text, ".npy"));
  if (!tokens.is_binary()) return;
  const std::string bytes = npy_bytes(tokens);
  fuzz::require(npy_bytes(read_tokens(fuzz::scratch(bytes, ".npy"))) == bytes, "what is written is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text = fuzz::text(data + 1, size - 1);
  fuzz::guarded([&] {
    switch (data[0] % 4) {
      case 0:
        round_trip(text);
        break;
      case 1:
        read_tokens(fuzz::scratch(text, ".npz"));
        break;
      case 2:
        read_tokens(fuzz::scratch(text, ".npz") + ":a");
        break;
      default:
        read_npy(fuzz::scratch(text, ".npy"));
        break;
    }
  });
  return 0;
}
