// Boundary claims on three bands for Coq, by provers/formal/ThreeBandsBoundary.v and BandCertificates.v: the
// mass left of the threshold, at it and right of it, and where the two masses are equal. Uses coq_export.hpp
// and coq_size.hpp.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_export.hpp"
#include "critscale/proof/detail/coq_size.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

constexpr Bits constant_bits = 128;
const char* const near_set = "(fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool)";
const char* const far_set = "(fun j => negb (Nat.eqb (i / K) (j / K)))";

class BandBoundary {
 public:
  BandBoundary(const Source& source, const Options& options) : source_(source), options_(options) {
    const nlohmann::json& claim = source.claim;
    const auto number = [&](const char* key) { return parse_rational(text_member(claim, key)); };
    const std::string between = text_member(claim, "between");
    first_ = between == "far-near";
    if (!first_ && between != "near-self")
      throw InputError(fmt::format("the Coq library has no boundary between {}", between));
    const Rational theta = number("theta"), r = number("r"), rho = number("rho"), N = number("N"),
                   k = number("k");
    if (!(0 < theta && theta < 1 && 0 < rho && rho < r && r < 1))
      throw InputError("theta, r or rho is out of range");
    if (N < 3) throw InputError("N is below 3");
    if (!(0 < k && k <= theta && (!first_ || k <= 1 - theta)))
      throw InputError("k is not at most theta and 1 - theta");
    const Rational threshold = parse_rational(claim.at("thresholds").at(0).get<std::string>());
    const Rational exact = first_ ? Rational((1 - theta) / (r - rho)) : Rational(theta / (1 - r));
    if (threshold != exact) throw InputError("the threshold is another one");
    if ((first_ ? theta - exact * (1 - r) : exact * (r - rho) - (1 - theta)) < 0)
      throw InputError("the two bands do not dominate at the threshold");
    theta_ = term(theta), r_ = term(r), rho_ = term(rho), N_ = term(N), k_ = term(k),
    threshold_ = term(threshold);
    C_ = term(Rational(number("C") * options.constant_factor));
    far_constant_ = least(N, 1 - theta, 1);
    near_zero_ = least(N, theta, 1);
    near_one_ = least(N, theta, 2);
  }

  std::string text() const {
    std::vector<Theorem> theorems{{identifier(source_.id), statement(), proof(), false}};
    std::size_t place = 0;
    for (const nlohmann::json& transition : source_.claim.at("transitions"))
      theorems.push_back(at_size(transition, ++place));
    return file_text(
        source_, options_,
        "Sums Layer Certificate Points ClassCertificates BandCertificates ThreeBandsForms ThreeBandsScaled "
        "ThreeBandsBoundary",
        theorems);
  }

 private:
  /// A number that is at least c/(1 - N^-e).
  static std::string least(const Rational& N, const Rational& e, int c) {
    const Ball decay = exp(-(Ball(e, constant_bits) * log(Ball(N, constant_bits))));
    return term(above(Ball(c, constant_bits) / (Ball(1, constant_bits) - decay)));
  }
  std::string layer() const { return "d n (gamma * ln (INR n)) x i"; }
  std::string near_mass() const { return fmt::format("mass {} {}", layer(), near_set); }
  std::string self() const { return fmt::format("weight {} i", layer()); }
  /// What has half the mass at the boundary, and what it is equal to at gamma*(n).
  std::string half() const { return first_ ? near_mass() : self(); }
  std::string equal() const {
    return first_ ? fmt::format("{} = mass {} {}", near_mass(), layer(), far_set)
                  : fmt::format("{} = {}", self(), near_mass());
  }
  std::string far_gap(int which) const {
    return which == 1 ? fmt::format("1 - {} - gamma * ({} - {})", theta_, r_, rho_)
                      : fmt::format("1 - gamma * (1 - {})", rho_);
  }
  std::string near_gap(int which) const {
    return which == 1 ? fmt::format("gamma * ({} - {}) - (1 - {})", r_, rho_, theta_)
                      : fmt::format("{} - gamma * (1 - {})", theta_, r_);
  }
  std::string self_gap(int which) const {
    return which == 1 ? fmt::format("gamma * (1 - {}) - {}", r_, theta_)
                      : fmt::format("gamma * (1 - {}) - 1", rho_);
  }
  std::string left(int which) const { return first_ ? far_gap(which) : near_gap(which); }
  std::string right(int which) const { return first_ ? near_gap(which) : self_gap(which); }
  std::string constant_left() const { return first_ ? far_constant_ : near_zero_; }
  std::string constant_right() const { return first_ ? near_one_ : "2"; }

  std::string statement() const {
    const auto side = [](const std::string& g1, const std::string& g2, const std::string& value,
                         const std::string& constant) {
      return fmt::format(
          "(0 <= {0} -> 0 <= {1} ->\n    Rabs ({2}) <= {3} * Rpower (INR n) (- Rmin ({0}) ({1})))", g1, g2,
          value, constant);
    };
    return fmt::format(
        ":\n  forall (d n K : nat) (q gamma : R) (x : tokens) (i : nat),\n  {} <= INR n -> INR K = Rpower "
        "(INR n) {} -> 0 "
        "< q -> 0 <= gamma ->\n  three_bands d n K q {} {} x -> (i < n)%nat ->\n  let M := {} in\n  {} /\\\n "
        " (gamma = {} "
        "->\n    Rabs (M - / 2) <= (Rpower (INR n) (- ({})) + Rpower (INR n) (- {})) / 2) /\\\n  {} /\\\n  "
        "({} ->\n    "
        "Rabs (gamma - {}) <= {} * (Rpower (INR n) (- {}) / ln (INR n))).",
        N_, theta_, r_, rho_, half(), side(left(1), left(2), "M - 0", constant_left()), threshold_,
        first_ ? near_gap(2) : near_gap(1), k_, side(right(1), right(2), "M - 1", constant_right()), equal(),
        threshold_, C_, k_);
  }

  std::string masses(const char* theorem, const std::string& constant, const char* pick, bool ordered) const {
    return fmt::format(
        "  - intros G1 G2. destruct ({} {} {} gamma q {} {} d n K i x ltac:(lra) HN ltac:(lra) Hg HK Hq{} HT "
        "Hi {} G1 G2)"
        " as [P1 P2].\n    {}.\n",
        theorem, N_, theta_, r_, rho_, ordered ? " ltac:(lra)" : "", constant, pick);
  }

  std::string proof() const {
    const std::string bound = "unfold decay; interval";
    std::string text =
        "  intros d n K q gamma x i HN HK Hq Hg HT Hi M. unfold M. split; [|split; [|split]].\n";
    text += first_ ? masses("far_masses", constant_left(), "apply (P1 ltac:(unfold decay; interval))", true)
                   : masses("near_masses", constant_left(), "apply (P1 ltac:(unfold decay; interval))", true);
    text += fmt::format(
        "  - intros E. apply ({} {} {} gamma q {} {} {} d n K i x); auto; try lra; rewrite E; lra.\n",
        first_ ? "far_near_half" : "near_self_half", N_, theta_, r_, rho_, k_);
    text += first_ ? masses("near_masses", constant_right(), "apply (P2 ltac:(unfold decay; interval))", true)
                   : masses("self_masses", constant_right(), "apply (P2 ltac:(lra))", false);
    text += fmt::format(
        "  - intros E. assert (E' : gamma = {}) by (apply ({} {} {} gamma q {} {} d n K i x); auto; lra).\n"
        "    rewrite E'. replace {} with ({}) by field.\n"
        "    apply ({} {} {} {} {} n K ltac:(lra) HN ltac:(lra) HK ltac:(lra) ltac:(lra) {} {}); try lra; "
        "unfold decay; interval.\n",
        transition(), first_ ? "equal_near_far" : "equal_self_near", N_, theta_, r_, rho_, threshold_,
        first_ ? fmt::format("(1 - {}) / ({} - {})", theta_, r_, rho_)
               : fmt::format("{} / (1 - {})", theta_, r_),
        first_ ? "far_near_rate" : "near_self_rate", N_, theta_, r_, rho_, C_, k_);
    return text;
  }
  std::string transition() const {
    return first_ ? fmt::format("far_near_transition n K {} {}", r_, rho_)
                  : fmt::format("near_self_transition n K {}", r_);
  }

  Theorem at_size(const nlohmann::json& at, std::size_t place) const {
    const PowerSize n = power_size(text_member(at, "n"));
    const DecimalRange range = decimal_range(text_member(at, "lo"), text_member(at, "hi"));
    const std::string name = fmt::format("{}_at_{}", identifier(source_.id), place);
    return {
        name,
        fmt::format(
            ":\n  forall (d n K : nat) (q gamma : R) (x : tokens) (i : nat),\n  INR n = Rpower {} {} -> INR "
            "K = Rpower (INR n) {} -> 0 < q ->\n  three_bands d n K q {} {} x -> (i < n)%nat ->\n  {} ->\n  "
            "{} <= gamma <= {}.",
            n.base.str(), n.exponent.str(), theta_, r_, rho_, equal(), range.lo, range.hi),
        fmt::format("  intros d n K q gamma x i Hs HK Hq HT Hi E.\n"
                    "  assert (HN : 2 <= INR n) by (rewrite Hs; apply power_at_least; lra).\n"
                    "  assert (E' : gamma = {}) by (apply ({} 2 {} gamma q {} {} d n K i x); auto; lra).\n"
                    "  rewrite E', ({} 2 {} {} {} n K), (log_of_power n _ _ Hs); auto; try lra.\n{}",
                    transition(), first_ ? "equal_near_far" : "equal_self_near", theta_, r_, rho_,
                    first_ ? "far_near_form" : "near_self_form", theta_, r_, rho_, point_strategies),
        false};
  }

  const Source& source_;
  const Options& options_;
  bool first_ = true;  ///< far-near; else near-self
  std::string theta_, r_, rho_, N_, k_, C_, threshold_, far_constant_, near_zero_, near_one_;
};

}  // namespace

std::string band_boundary_file(const Source& source, const Options& options) {
  return BandBoundary(source, options).text();
}

}  // namespace critscale::coq
