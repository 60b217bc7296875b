// Certificates, as they are and with their digest put right, so that what lies behind it is reached. verify()
// must not throw.
#include "critscale/checker/verify.hpp"

#include <nlohmann/json.hpp>

#include "critscale/io/detail/json.hpp"
#include "support.hpp"

using namespace critscale;

namespace {

void judge(const std::string& text) {
  const checker::Verdict v = checker::verify(text);
  fuzz::require(v.accepted ? !v.statement.empty() : !v.reason.empty(), "a verdict says why");
  if (!v.accepted) fuzz::check_message(v.reason);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  judge(text);
  try {
    require_shallow_json(text);
    nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
    if (!j.is_object()) return 0;
    j["digest"] = checker::digest(j);
    judge(j.dump());
  } catch (const Error&) {
  } catch (const nlohmann::json::exception&) {
  }
  return 0;
}
