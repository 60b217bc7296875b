// Flags and case-file keys of random keys, as jobs.
#include "inputs/random_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>

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
  static constexpr std::array used{
      "keys",     "dim",     "kappa",      "sigma",       "rho",         "n",     "gamma",
      "beta",     "digits",  "quantities", "aligned_key", "transitions", "draws", "seed",
      "max_bits", "threads", "time_limit", "inverse",     "geometry",    "terms", "sets"};
  for (const Entry& e : s.entries)
    if (std::find(used.begin(), used.end(), e.key) == used.end())
      throw InputError(fmt::format("{}: {} is no parameter of random keys", e.values.at(0).where, e.key));
  if (!s.bands.empty()) throw InputError("bands are no parameter of random keys");
}

/// Everything but the axes.
RandomJob common(const Specification& s, RandomQuestion question) {
  RandomJob job;
  job.question = question;
  job.id = s.id;
  job.why = s.why;
  job.where = s.where;
  const Text *keys = s.find_single("keys"), *geometry = s.find_single("geometry");
  if (keys && geometry) throw InputError("give keys or a geometry, not both");
  if (!keys && !geometry) throw InputError("--keys is needed: sphere or gaussian");
  job.inputs.emplace_back(keys ? "keys" : "geometry", keys ? keys->text : geometry->text);
  if (!keys) keys = geometry;
  job.keys.law = located(keys->where, [&] { return key_law(keys->text); });
  if (const Text* t = s.find_single("aligned_key")) job.keys.aligned = read_truth(*t);
  if (!job.keys.aligned) job.inputs.emplace_back("aligned_key", "false");
  if (const Text* t = s.find_single("transitions")) job.transitions = read_truth(*t);
  if (const Text* t = s.find_single("terms")) job.terms = read_count(*t, 1, 64);
  if (const Text* t = s.find_single("draws")) job.draws = read_count(*t, 2, most_draws);
  if (const Text* t = s.find_single("sets")) job.sets = read_count(*t, 2, most_draws);
  if (job.draws > 0 && job.sets > 0) throw InputError("give draws or sets, not both");
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
  if (job.sets > 0) {
    job.inputs.emplace_back("sets", std::to_string(job.sets));
    job.inputs.emplace_back("seed", std::to_string(job.seed));
  }
  return job;
}

void check_limit(const RandomJob& job) {
  if (!job.scale) throw InputError("gamma or beta is needed");
  if (!job.scale->coefficient.is_point() || !job.scale->offset.is_point())
    throw InputError("limits need an exact beta, found a box");
}

void check_boundary(const RandomJob& job) {
  if (job.scale) throw InputError("gamma and beta are what a boundary finds: leave them out");
  if (!job.n && !job.keys.kappa)
    throw InputError(
        "with a fixed dim or sigma n is needed: kappa = m/ln n tends to 0 and no gamma is critical");
  if (job.terms > 0 && job.keys.law != random::KeyLaw::sphere)
    throw InputError(
        "the lines of Gaussian keys have closed forms, not series: g_self = kappa (1 - (1 - 2/kappa)^(1/2)), "
        "g_cond = (2 kappa)^(1/2)");
  if (job.n) validate(random::Row{job.keys, *job.n, critical_scale({1, 1})});
}

void check(const RandomJob& job) {
  validate(job.keys);
  if (job.question == RandomQuestion::limit) return check_limit(job);
  if (job.question == RandomQuestion::boundary) return check_boundary(job);
  if (job.inverse) return;
  if (job.n && job.scale) validate(random::Row{job.keys, *job.n, *job.scale});
  if (job.n && !job.scale && !job.transitions)
    throw InputError("with n, gamma or beta is needed (or --transitions)");
  if (!job.n && !job.keys.kappa)
    throw InputError("without n the limit at fixed kappa is meant: kappa is needed in place of dim or sigma");
  if (!job.n && (job.transitions || job.draws > 0 || job.sets > 0))
    throw InputError("transitions, draws and sets need n");
  if ((job.draws > 0 || job.sets > 0) && !job.scale) throw InputError("draws and sets need gamma or beta");
  if (!job.n && job.scale &&
      (job.scale->power != 1 || job.scale->offset != RationalBox{0, 0} || !job.scale->coefficient.is_point()))
    throw InputError("in the limit beta is gamma ln n with an exact gamma");
}

}  // namespace

random::KeyLaw key_law(const std::string& text) {
  if (text == "sphere") return random::KeyLaw::sphere;
  if (text == "gaussian" || text == "gaussian-scores") return random::KeyLaw::gaussian;
  throw InputError(fmt::format("expected keys of a kind (sphere, gaussian), found {}", in_quotes(text)));
}

bool is_random_geometry(const Specification& s) {
  const Text* t = s.find_single("geometry");
  return t && (t->text == "sphere" || t->text == "gaussian-scores");
}

bool asks_random_keys(const std::vector<Specification>& specifications, const RandomFlags& flags) {
  const auto count = std::count_if(specifications.begin(), specifications.end(), is_random_geometry);
  if (count == 0 && flags.given())
    throw InputError(
        "--dim, --kappa, --sigma and --no-aligned-key belong to --geometry sphere or gaussian-scores");
  if (count != 0 && count != std::ssize(specifications))
    throw InputError("cases with random keys and other cases belong in two files");
  return count != 0;
}

random::Keys read_keys(const Specification& s) {
  RandomJob job = common(s, RandomQuestion::row);
  for (const char* key : {"dim", "kappa", "sigma", "rho"})
    if (const Text* t = s.find_single(key)) set(job, key, *t);
  validate(job.keys);
  return job.keys;
}

RandomFlags::RandomFlags(CLI::App& command, RandomQuestion question) : question_(question) {
  add_text_list(command, "--dim", dim_, "Random keys: m, the sphere's dimension (Gaussian: variance 1/m)");
  add_text_list(command, "--kappa", kappa_, "Random keys: m = kappa ln n in place of --dim");
  add_text_list(command, "--sigma", sigma_, "Gaussian scores: standard deviation in place of --dim");
  command.add_flag("--no-aligned-key", no_aligned_key_, "Random keys: the query is not itself among them");
  if (question != RandomQuestion::row) return;
  command.add_option("--keys", keys_, "How the keys are drawn: sphere or gaussian");
  command.add_flag("--transitions", transitions_, "Also the g with E A_ii = 1/2 and with E W = 1 (sphere)");
  command.add_option("--draws", draws_, "Draw so many rows (--seed) and put mean and standard error beside");
  command.add_option("--sets", sets_,
                     "Draw so many whole sets (--seed) and average the certified values of all their rows");
  command.add_option("--g", inverse_, "The inverse question: the kappas whose lines pass through this g");
}

bool RandomFlags::given() const {
  return !keys_.empty() || !dim_.empty() || !kappa_.empty() || !sigma_.empty() || no_aligned_key_ ||
         transitions_ || !draws_.empty() || !sets_.empty() || !inverse_.empty();
}

void RandomFlags::add_to(Specification& s) const {
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
  add("sets", "--sets", {sets_});
  add("inverse", "--g", {inverse_});
  if (no_aligned_key_) add("aligned_key", "--no-aligned-key", {"false"});
  if (transitions_) add("transitions", "--transitions", {"true"});
}

std::vector<RandomJob> RandomFlags::jobs(const SharedFlags& shared) const {
  if (given() && !shared.case_file().empty())
    throw InputError("give either a case file or parameters, not both");
  return jobs(shared, shared.specifications(given()));
}

std::vector<RandomJob> RandomFlags::jobs(const SharedFlags& shared,
                                         std::vector<Specification> specifications) const {
  std::vector<RandomJob> jobs;
  for (Specification& s : specifications) {
    add_to(s);
    located(s.where, [&] {
      require_unused(s);
      if (s.find("gamma") && s.find("beta")) throw InputError("give gamma or beta, not both");
      std::vector<RandomJob> product{common(s, question_)};
      product[0].options = shared.run_options(s);
      if (product[0].inverse && !s.find("kappa") && !s.find("dim") && !s.find("sigma"))
        product[0].keys.kappa = 1;
      for (const char* key : axes) {
        const Entry* e = s.find(key);
        if (!e || (question_ == RandomQuestion::limit && std::string_view(key) == "n")) continue;
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
        job.transitions = job.transitions || (question_ == RandomQuestion::boundary && job.n &&
                                              job.keys.law == random::KeyLaw::sphere);
        jobs.push_back(std::move(job));
      }
    });
  }
  return jobs;
}

}  // namespace critscale::cli
