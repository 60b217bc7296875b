#include "inputs/random_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>

#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::cli {

namespace {

constexpr long most_draws = 100000000;

/// Keys that may be lists, in the order of the output.
constexpr std::array axes{"dim", "kappa", "sigma", "rho", "n", "gamma", "beta"};

bool read_truth(const Text& t) {
  if (t.text == "true") return true;
  if (t.text == "false") return false;
  throw InputError(fmt::format("{}: expected true or false, found {}", t.where, in_quotes(t.text)));
}

/// Sets one parameter from its text.
void set(RandomJob& job, const std::string& key, const Text& t) {
  located(t.where, [&] {
    std::string canonical;
    if (key == "n") {
      job.n = parse_context_length(t.text);
      canonical = job.n->to_string();
    } else if (key == "gamma") {
      const RationalBox box = parse_box(t.text);
      job.scale = critical_scale(box);
      canonical = to_string(box);
    } else if (key == "beta") {
      if (t.text.starts_with("[")) {
        const RationalBox box = parse_box(t.text);
        job.scale = LogitScale{{0, 0}, 0, box};
        canonical = to_string(box);
      } else {
        const BetaSpec beta = parse_beta(t.text);
        job.scale = logit_scale(beta);
        canonical = to_string(beta);
      }
    } else {
      const Rational x = parse_rational(t.text);
      canonical = to_string(x);
      if (key == "dim") job.keys.dimension = x;
      if (key == "kappa") job.keys.kappa = x;
      if (key == "sigma") job.keys.sigma = x;
      if (key == "rho") job.keys.rho = x;
    }
    job.inputs.emplace_back(key, canonical);
  });
}

void require_unused(const Specification& s) {
  static constexpr std::array used{"keys",  "dim",  "kappa",    "sigma",      "rho",         "n",
                                   "gamma", "beta", "digits",   "quantities", "aligned_key", "transitions",
                                   "draws", "seed", "max_bits", "threads",    "time_limit",  "inverse"};
  for (const Entry& e : s.entries)
    if (std::find(used.begin(), used.end(), e.key) == used.end())
      throw InputError(fmt::format("{}: {} is no parameter of random keys", e.values.at(0).where, e.key));
  if (!s.bands.empty()) throw InputError("bands are no parameter of random keys");
}

/// Everything but the axes.
RandomJob common(const Specification& s) {
  RandomJob job;
  job.id = s.id;
  job.why = s.why;
  job.where = s.where;
  const Text* keys = s.find_single("keys");
  if (!keys) throw InputError("--keys is needed: sphere or gaussian");
  job.keys.law = located(keys->where, [&] { return key_law(keys->text); });
  job.inputs.emplace_back("keys", keys->text);
  if (const Text* t = s.find_single("aligned_key")) job.keys.aligned = read_truth(*t);
  if (!job.keys.aligned) job.inputs.emplace_back("aligned_key", "false");
  if (const Text* t = s.find_single("transitions")) job.transitions = read_truth(*t);
  if (const Text* t = s.find_single("draws")) job.draws = read_count(*t, 2, most_draws);
  if (const Text* t = s.find_single("seed")) job.seed = read_count(*t, 0, 1L << 62);
  if (const Text* t = s.find_single("inverse"))
    job.inverse = located(t->where, [&] { return parse_rational(t->text); });
  if (job.inverse) job.inputs.emplace_back("g", to_string(*job.inverse));
  if (const Entry* e = s.find("quantities")) {
    job.all_quantities = false;
    for (const Text& t : e->values)
      job.quantities.push_back(located(t.where, [&] { return random::expectation_by_name(t.text); }));
  } else {
    for (const random::Expectation e2 : random::all_expectations())
      if (is_defined(e2, job.keys)) job.quantities.push_back(e2);
  }
  if (job.draws > 0) {
    job.inputs.emplace_back("draws", std::to_string(job.draws));
    job.inputs.emplace_back("seed", std::to_string(job.seed));
  }
  return job;
}

void check(const RandomJob& job) {
  validate(job.keys);
  if (job.inverse) return;
  if (job.n && job.scale) validate(random::Row{job.keys, *job.n, *job.scale});
  if (job.n && !job.scale && !job.transitions)
    throw InputError("with n, gamma or beta is needed (or --transitions)");
  if (!job.n && !job.keys.kappa)
    throw InputError("without n the limit at fixed kappa is meant: kappa is needed in place of dim or sigma");
  if (!job.n && (job.transitions || job.draws > 0)) throw InputError("transitions and draws need n");
  if (job.draws > 0 && !job.scale) throw InputError("draws need gamma or beta");
  if (!job.n && job.scale &&
      (job.scale->power != 1 || job.scale->offset != RationalBox{0, 0} || !job.scale->coefficient.is_point()))
    throw InputError("in the limit beta is gamma ln n with an exact gamma");
}

}  // namespace

random::KeyLaw key_law(const std::string& text) {
  if (text == "sphere") return random::KeyLaw::sphere;
  if (text == "gaussian") return random::KeyLaw::gaussian;
  throw InputError(fmt::format("expected keys of a kind (sphere, gaussian), found {}", in_quotes(text)));
}

RandomFlags::RandomFlags(CLI::App& command) {
  command.add_option("--keys", keys_, "How the keys are drawn: sphere or gaussian");
  add_text_list(command, "--dim", dim_, "m: the sphere's dimension (Gaussian: variance 1/m)");
  add_text_list(command, "--kappa", kappa_, "m = kappa ln n in place of --dim");
  add_text_list(command, "--sigma", sigma_, "Standard deviation of Gaussian scores in place of --dim");
  command.add_flag("--no-aligned-key", no_aligned_key_, "The query is not itself among the keys");
  command.add_flag("--transitions", transitions_, "Also the g with E A_ii = 1/2 and with E W = 1 (sphere)");
  command.add_option("--draws", draws_, "Draw so many rows (--seed) and put mean and standard error beside");
  command.add_option("--g", inverse_, "The inverse question: the kappas whose lines pass through this g");
}

std::vector<RandomJob> RandomFlags::jobs(const SharedFlags& shared) const {
  const bool own = !keys_.empty() || !dim_.empty() || !kappa_.empty() || !sigma_.empty() || no_aligned_key_ ||
                   transitions_ || !draws_.empty() || !inverse_.empty();
  if (own && !shared.case_file().empty()) throw InputError("give either a case file or parameters, not both");
  std::vector<RandomJob> jobs;
  for (Specification s : shared.specifications(own)) {
    const auto add = [&](const char* key, const char* flag, const std::vector<std::string>& values) {
      Entry e{key, {}};
      for (const std::string& v : values)
        if (!v.empty()) e.values.push_back({v, flag});
      if (!e.values.empty()) s.entries.push_back(std::move(e));
    };
    add("keys", "--keys", {keys_});
    add("dim", "--dim", dim_);
    add("kappa", "--kappa", kappa_);
    add("sigma", "--sigma", sigma_);
    add("draws", "--draws", {draws_});
    add("inverse", "--g", {inverse_});
    if (no_aligned_key_) add("aligned_key", "--no-aligned-key", {"false"});
    if (transitions_) add("transitions", "--transitions", {"true"});
    located(s.where, [&] {
      require_unused(s);
      if (s.find("gamma") && s.find("beta")) throw InputError("give gamma or beta, not both");
      std::vector<RandomJob> product{common(s)};
      product[0].options = shared.run_options(s);
      if (product[0].inverse && !s.find("kappa") && !s.find("dim") && !s.find("sigma"))
        product[0].keys.kappa = 1;
      for (const char* key : axes) {
        const Entry* e = s.find(key);
        if (!e) continue;
        std::vector<RandomJob> next;
        for (const RandomJob& job : product)
          for (const Text& text : e->values)
            for (const Text& t : expand(text)) {
              next.push_back(job);
              set(next.back(), key, t);
            }
        product = std::move(next);
      }
      for (RandomJob& job : product) {
        check(job);
        jobs.push_back(std::move(job));
      }
    });
  }
  return jobs;
}

}  // namespace critscale::cli
