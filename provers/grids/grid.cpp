// Expansion of specifications into exact configurations.
#include "grids/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::cli {

namespace {

/// Rows are counted in JSON and in shards.
constexpr std::size_t most_points = std::size_t{1} << 50;

/// A flag or key that is on or off.
bool read_switch(const Text& t) {
  if (t.text == "true") return true;
  if (t.text == "false") return false;
  throw InputError(fmt::format("{}: expected true or false, found '{}'", t.where, t.text));
}

RationalBox point_box(const Rational& v) { return {v, v}; }

/// The geometry as it grows with n ([phases]), for its first threshold.
Profile growth_profile(const Geometry& geometry, const Specification& s) {
  const auto exact = [](const RationalBox& r) {
    if (!r.is_point())
      throw InputError("'critical' needs exact inner products, found the box " + to_string(r));
    return r.lo;
  };
  if (const auto* simplex = std::get_if<Simplex>(&geometry)) return simplex_profile(exact(simplex->rho));
  const auto& bands = std::get<Bands>(geometry).bands;
  Profile profile;
  for (std::size_t l = 0; l < bands.size(); ++l)
    profile.push_back({exact(bands[l].r), parse_size(s.bands[l].size.text)});
  return profile;
}

RationalBox read_gamma(const Text& t, const Geometry& geometry, const Specification& s) {
  return located(t.where, [&]() -> RationalBox {
    if (t.text.starts_with('[')) return parse_box(t.text);
    const GammaText gamma = parse_gamma_text(t.text);
    if (gamma.threshold == 0) return point_box(gamma.factor);
    return point_box(gamma.resolve(thresholds(growth_profile(geometry, s))));
  });
}

LogitScale read_scale(const Text* gamma, const Text* ratio, const Text* beta, const Geometry& geometry,
                      const Specification& s) {
  if ((gamma != nullptr) + (ratio != nullptr) + (beta != nullptr) != 1)
    throw InputError("exactly one of gamma, gamma_ratio and beta is needed");
  if (gamma) return critical_scale(read_gamma(*gamma, geometry, s));
  if (ratio)
    return located(ratio->where, [&] {
      const auto* simplex = std::get_if<Simplex>(&geometry);
      if (!simplex || !simplex->rho.is_point() || simplex->rho.lo == 1)
        throw InputError("gamma_ratio = gamma (1 - rho) needs a simplex with an exact rho < 1");
      const RationalBox r = parse_box(ratio->text);
      const Rational delta = 1 - simplex->rho.lo;
      return critical_scale({r.lo / delta, r.hi / delta});
    });
  return located(beta->where, [&] {
    if (beta->text.starts_with('['))
      return LogitScale{{Rational(0), Rational(0)}, Rational(0), parse_box(beta->text)};
    return logit_scale(parse_beta(beta->text));
  });
}

}  // namespace

Grid::Grid(const Specification& s, GridOptions options) : specification_(s), options_(options) {
  if (const Text* t = s.find_single("analytic")) analytic_ = read_switch(*t);
  const Text* geometry = s.find_single("geometry");
  if (geometry && geometry->text != "simplex" && geometry->text != "bands")
    throw InputError(
        fmt::format("{}: expected simplex or bands, found '{}'", geometry->where, geometry->text));
  const bool bands = geometry ? geometry->text == "bands" : !s.bands.empty();
  located(s.where, [&] {
    if (bands && s.bands.empty())
      throw InputError("a banded geometry needs bands (r and size, innermost first)");
    if (!bands && !s.bands.empty()) throw InputError("bands were given, but the geometry is simplex");
    if (bands && s.find("rho")) throw InputError("rho belongs to the simplex; bands have their own r");
    if (!bands && !s.find("rho")) throw InputError("the simplex needs rho");
    if (options_.with_n && !s.find("n")) throw InputError("n is needed");
  });
  for (const Entry& e : s.entries) {
    const bool scale = e.key == "gamma" || e.key == "gamma_ratio" || e.key == "beta";
    if (!is_parameter(e.key) || (e.key == "n" && !options_.with_n) || (scale && !options_.with_scale))
      continue;
    Axis axis{e.key, {}, 0, {}};
    for (const Text& t : e.values)
      for (ValueRange& r : value_ranges(t)) {
        axis.count += r.size();
        axis.ranges.push_back(std::move(r));
      }
    constexpr std::size_t kept = 65536;
    for (std::size_t i = 0; i < axis.count && axis.count <= kept; ++i)
      axis.values.push_back(read(e.key, axis.text(i)));
    if (__builtin_mul_overflow(size_, axis.count, &size_) || size_ > most_points)
      throw InputError(fmt::format("{}: more than {} points", e.values[0].where, most_points));
    axes_.push_back(std::move(axis));
  }
}

Text Grid::Axis::text(std::size_t i) const {
  for (const ValueRange& r : ranges) {
    if (i < r.size()) return r[i];
    i -= r.size();
  }
  throw std::out_of_range("a grid's axis");
}

struct Grid::Chosen {
  std::array<const Value*, 8> values{};

  static std::size_t place(std::string_view key) {
    const auto keys = parameter_keys();
    return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
  }
  const Value*& operator[](std::string_view key) { return values.at(place(key)); }
  const Value* operator[](std::string_view key) const { return values.at(place(key)); }
  const Text* text(std::string_view key) const {
    const Value* v = (*this)[key];
    return v ? &v->text : nullptr;
  }
  /// The box of a key (or the number `otherwise`), which is added to the point's inputs.
  RationalBox read(std::string_view key, long otherwise, Point& p) const {
    const Value* v = (*this)[key];
    const RationalBox box = !v       ? point_box(otherwise)
                            : v->box ? *v->box
                                     : located(v->text.where, [&] { return parse_box(v->text.text); });
    p.inputs.emplace_back(key, v && v->box ? v->canonical : to_string(box));
    return box;
  }
};

// What is malformed is left to the grid point that uses it, which names it in its turn.
Grid::Value Grid::read(const std::string& key, Text text) {
  Value v{std::move(text), {}, {}, {}};
  try {
    if (key == "rho" || key == "alpha" || key == "q") {
      v.box = parse_box(v.text.text);
    } else if (key == "gamma" && v.text.text.starts_with('[')) {
      v.box = parse_box(v.text.text);
    } else if (key == "gamma") {
      const GammaText gamma = parse_gamma_text(v.text.text);
      if (gamma.threshold == 0) v.box = point_box(gamma.factor);
    } else if (key == "n") {
      v.length = parse_context_length(v.text.text);
      v.canonical = v.length->to_string();
    }
  } catch (const InputError&) {
  }
  if (v.box) v.canonical = to_string(*v.box);
  return v;
}

// On a simplex whose values have a meaning each for itself, with d = n, every condition is on one
// parameter: each value once is enough.
bool Grid::is_separable() const {
  return specification_.bands.empty() && std::all_of(axes_.begin(), axes_.end(), [](const Axis& axis) {
           return !axis.values.empty() && std::all_of(axis.values.begin(), axis.values.end(),
                                                      [](const Value& v) { return v.box || v.length; });
         });
}

std::size_t Grid::deciding_points() const {
  if (!is_separable()) return size_;
  std::size_t r = 0;
  for (const Axis& axis : axes_) r += axis.count;
  return r;
}

std::size_t Grid::deciding_point(std::size_t i) const {
  if (!is_separable()) return i;
  std::size_t stride = 1;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    if (i < axis->count) return i * stride;
    i -= axis->count;
    stride *= axis->count;
  }
  return 0;
}

Choice Grid::choose(std::size_t i) const {
  Choice choice;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    choice.set(axis->key, axis->text(i % axis->count));
    i /= axis->count;
  }
  return choice;
}

void Grid::read_geometry(const Chosen& choice, Point& p) const {
  const Specification& s = specification_;
  Configuration& c = p.configuration;
  if (s.bands.empty()) {
    p.inputs.emplace_back("geometry", "simplex");
    const RationalBox rho = choice.read("rho", 0, p);
    // Before anything is derived from rho.
    if (rho.lo < 0 || rho.hi > 1)
      throw InputError(fmt::format("rho must lie in [0, 1], found {}", to_string(rho)));
    c.geometry = Simplex{rho};
    return;
  }
  Bands bands;
  for (const BandText& b : s.bands)
    bands.bands.push_back({located(b.r.where, [&] { return parse_box(b.r.text); }),
                           located(b.size.where, [&] { return resolve(parse_size(b.size.text), c.n); })});
  p.inputs.emplace_back("geometry", "bands");
  for (std::size_t l = 0; l < bands.bands.size(); ++l) {
    p.inputs.emplace_back(fmt::format("band[{}].r", l), to_string(bands.bands[l].r));
    p.inputs.emplace_back(fmt::format("band[{}].size", l), bands.bands[l].size.to_string());
  }
  c.geometry = std::move(bands);
}

void Grid::read_logit_scale(const Chosen& choice, Point& p) const {
  const Value* gamma = choice["gamma"];
  LogitScale& scale = p.configuration.scale;
  if (gamma && gamma->box && !choice["gamma_ratio"] && !choice["beta"]) {
    scale = critical_scale(*gamma->box);
    p.inputs.emplace_back("gamma", gamma->canonical);
    return;
  }
  const Text* beta = choice.text("beta");
  scale = read_scale(choice.text("gamma"), choice.text("gamma_ratio"), beta, p.configuration.geometry,
                     specification_);
  if (beta)
    p.inputs.emplace_back("beta", beta->text);
  else
    p.inputs.emplace_back("gamma", to_string(scale.coefficient));
}

Point Grid::operator[](std::size_t i) const {
  Chosen choice;
  std::deque<Value> made;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    const std::size_t k = i % axis->count;
    choice[axis->key] =
        axis->values.empty() ? &made.emplace_back(read(axis->key, axis->text(k))) : &axis->values[k];
    i /= axis->count;
  }
  return located(specification_.where, [&] {
    Point p;
    p.inputs.reserve(8 + 2 * specification_.bands.size());
    Configuration& c = p.configuration;
    c.analytic = analytic_;
    const Value& n = *choice["n"];
    c.n = n.length ? *n.length : located(n.text.where, [&] { return parse_context_length(n.text.text); });
    const std::string n_text = n.length ? n.canonical : c.n.to_string();
    read_geometry(choice, p);
    p.inputs.emplace_back("n", n_text);
    read_logit_scale(choice, p);
    c.alpha = choice.read("alpha", 0, p);
    c.q = choice.read("q", 1, p);
    const Text* d = choice.text("d");
    c.d = d ? located(d->where, [&] { return resolve(parse_size(d->text), c.n); }) : c.n;
    p.inputs.emplace_back("d", d ? c.d.to_string() : n_text);
    if (c.analytic) p.inputs.emplace_back("analytic", "true");
    validate(c);
    return p;
  });
}

}  // namespace critscale::cli
