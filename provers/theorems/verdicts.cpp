// Uses verdicts.hpp.
#include "theorems/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "critscale/checker/verify.hpp"
#include "critscale/io/detail/input_file.hpp"
#include "critscale/io/detail/json.hpp"
#include "process/files.hpp"

namespace critscale::cli {

using nlohmann::ordered_json;

namespace {

std::string certificate_path(const std::string& id) { return "certificates/" + id + ".json"; }

}  // namespace

std::string_view outcome_name(ProofOutcome o) {
  return o == ProofOutcome::proved    ? "proved"
         : o == ProofOutcome::refuted ? "refuted"
         : o == ProofOutcome::trivial ? "no more than trivial"
                                      : "undecided";
}

ordered_json row_json(const PlannedClaim& claim, const Verdict& v) {
  ordered_json row{{"id", claim.job.id},
                   {"theorem", v.theorem},
                   {"kind", v.kind},
                   {"quantity", v.quantity},
                   {"verdict", outcome_name(v.outcome)},
                   {"paper", v.paper}};
  if (v.outcome == ProofOutcome::proved) {
    row["statement"] = checker::statement(v.kind, v.theorem, v.claim);
    row["constants"] = v.constants;
    row["certificate"] = certificate_path(claim.job.id);
  }
  row["claim"] = v.claim;
  if (!v.sampled.empty()) row["largest_sampled"] = v.sampled;
  if (v.ratio > 0) row["constant_over_sampled"] = fmt::format("{:.3f}", v.ratio);
  if (!v.detail.empty()) row["detail"] = v.detail;
  row["request"] = claim.request;
  return row;
}

ordered_json refusal_json(const PlannedClaim& claim) {
  return {{"id", claim.job.id}, {"verdict", "refused"}, {"detail", claim.refusal}};
}

std::string row_text(const std::string& id, const Verdict& v) {
  std::string text = fmt::format("{:<9}  {:<44} {}", outcome_name(v.outcome), id, v.constants);
  if (v.ratio > 0) text += fmt::format("; largest sampled {} (C is {:.2f} times that)", v.sampled, v.ratio);
  if (!v.detail.empty()) text += (v.constants.empty() ? "" : "; ") + v.detail;
  return text + fmt::format("\n{:<9}  {:<44} paper: {}\n", "", "", v.paper);
}

EarlierVerdicts::EarlierVerdicts(const std::string& directory) : directory_(directory) {
  constexpr std::uint64_t largest = std::uint64_t{256} << 20;
  const std::string path = directory + "/verdicts.json";
  if (!std::filesystem::exists(path)) return;
  try {
    const ordered_json root = parse_json<ordered_json>(read_whole(path, largest));
    for (const ordered_json& row : root.at("verdicts")) rows_[row.at("id").get<std::string>()] = row;
  } catch (const Error&) {
  } catch (const ordered_json::exception&) {
  }
}

const ordered_json* EarlierVerdicts::proved(const PlannedClaim& claim) const {
  constexpr std::uint64_t largest = std::uint64_t{64} << 20;
  const auto it = rows_.find(claim.job.id);
  if (it == rows_.end()) return nullptr;
  const ordered_json& row = it->second;
  try {
    if (row.at("verdict") != "proved" || row.at("request") != claim.request) return nullptr;
    const std::string text = read_whole(directory_ + "/" + certificate_path(claim.job.id), largest);
    const ordered_json certificate = parse_json<ordered_json>(text);
    // Compared as values, whatever the order of members.
    const auto plain = [](const ordered_json& j) { return nlohmann::json::parse(j.dump()); };
    if (plain(certificate.at("claim")) != plain(row.at("claim")) ||
        certificate.at("statement") != row.at("statement"))
      return nullptr;
    return checker::verify(text).accepted ? &row : nullptr;
  } catch (const Error&) {
    return nullptr;
  } catch (const ordered_json::exception&) {
    return nullptr;
  }
}

Verdict verdict_of(const ordered_json& row) {
  const auto text = [&](const char* key) { return row.contains(key) ? row.at(key).get<std::string>() : ""; };
  Verdict v;
  v.outcome = ProofOutcome::proved;
  v.kind = text("kind");
  v.theorem = text("theorem");
  v.quantity = text("quantity");
  v.constants = text("constants");
  v.sampled = text("largest_sampled");
  if (const std::string ratio = text("constant_over_sampled"); !ratio.empty()) v.ratio = std::stod(ratio);
  v.paper = text("paper");
  v.detail = text("detail");
  return v;
}

VerdictTable::VerdictTable(const std::string& directory, std::string case_file, bool replace)
    : case_file_(std::move(case_file)), lock_(opened(directory + "/verdicts.json", replace)) {}

void VerdictTable::add(ordered_json row) {
  const std::lock_guard lock(mutex_);
  rows_.push_back(std::move(row));
  replace_whole(lock_.place(), text_unlocked());
}

void VerdictTable::change(const std::string& id, const std::function<void(ordered_json&)>& change) {
  const std::lock_guard lock(mutex_);
  for (ordered_json& row : rows_)
    if (row.at("id") == id) change(row);
  replace_whole(lock_.place(), text_unlocked());
}

void VerdictTable::leave_undecided(const std::vector<PlannedClaim>& claims, const std::string& why) {
  const std::lock_guard lock(mutex_);
  for (const PlannedClaim& c : claims) {
    const bool known = std::any_of(rows_.begin(), rows_.end(),
                                   [&](const ordered_json& r) { return r.at("id") == c.job.id; });
    if (known) continue;
    if (c.refusal.empty())
      rows_.push_back({{"id", c.job.id}, {"verdict", "undecided"}, {"detail", why}, {"request", c.request}});
    else
      rows_.push_back(refusal_json(c));
  }
  replace_whole(lock_.place(), text_unlocked());
}

std::string VerdictTable::text() const {
  const std::lock_guard lock(mutex_);
  return text_unlocked();
}

std::string VerdictTable::text_unlocked() const {
  return ordered_json{{"schema", 1}, {"case_file", case_file_}, {"verdicts", rows_}}.dump(1) + "\n";
}

bool VerdictTable::has(std::string_view verdict) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(rows_.begin(), rows_.end(),
                     [&](const ordered_json& r) { return r.at("verdict") == verdict; });
}

}  // namespace critscale::cli
