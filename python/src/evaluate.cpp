// The quantities of the layer at one point and on grids. Uses model/, asymptotics/ and oneTBB.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/model/evaluate.hpp"
#include "critscale/model/number_cache.hpp"
#include "enclosure.hpp"
#include "failures.hpp"
#include "module.hpp"
#include "structured.hpp"

namespace critscale::python {

namespace {

/// gamma, where it is a multiple of the first threshold.
RationalBox resolved(const Gamma& g, const Geometry& geometry, const std::vector<Size>& sizes) {
  if (!g.of_threshold) return g.box;
  const auto exact = [](const RationalBox& r) {
    if (!r.is_point())
      throw InputError(fmt::format("gamma: 'critical' needs exact inner products, found {}", to_string(r)));
    return r.lo;
  };
  Profile profile;
  if (const auto* simplex = std::get_if<Simplex>(&geometry)) {
    profile = simplex_profile(exact(simplex->rho));
  } else {
    const auto& bands = std::get<Bands>(geometry).bands;
    for (std::size_t l = 0; l < bands.size(); ++l) profile.push_back({exact(bands[l].r), sizes[l]});
  }
  const std::vector<Rational> all = thresholds(profile);
  if (all.empty()) throw InputError("gamma: 'critical' where there is no threshold");
  const Rational v = all[0] * *g.of_threshold;
  return {v, v};
}

/// The bands of a list of pairs (r, size), innermost first, at one n.
Bands bands_of(py::handle list, std::vector<Size>& sizes) {
  Bands r;
  for (const py::handle item : py::cast<py::sequence>(list)) {
    if (!py::isinstance<py::sequence>(item) || py::isinstance<py::str>(item) || py::len(item) != 2)
      throw py::type_error(fmt::format("bands: expected pairs (r, size), found {}", brief(item)));
    const auto pair = py::cast<py::sequence>(item);
    r.bands.push_back({box(pair[0], "bands: r"), PowerProduct()});
    sizes.push_back(size(pair[1], "bands: size"));
  }
  return r;
}

/// What is asked of every point.
struct Request {
  std::vector<Quantity> quantities;
  long digits = 0;
  Bits max_bits = 0;
};

Request request(py::handle quantities, long digits, py::handle max_bits) {
  Request r{{}, digits, max_bits.is_none() ? 0 : py::cast<long>(max_bits)};
  constexpr Bits fewest = 32;
  if (!max_bits.is_none() && r.max_bits < fewest)
    throw InputError(fmt::format("max_bits: expected at least {}, found {}", fewest, r.max_bits));
  if (quantities.is_none()) {
    r.quantities.assign(all_quantities().begin(), all_quantities().end());
    return r;
  }
  if (py::isinstance<py::str>(quantities)) {
    r.quantities.push_back(quantity_by_name(py::cast<std::string>(quantities)));
    return r;
  }
  for (const py::handle name : quantities) {
    if (!py::isinstance<py::str>(name))
      throw py::type_error(fmt::format("quantities: expected names, found {}", brief(name)));
    const Quantity q = quantity_by_name(py::cast<std::string>(name));
    if (std::find(r.quantities.begin(), r.quantities.end(), q) == r.quantities.end())
      r.quantities.push_back(q);
  }
  return r;
}

/// The values at one point, made into Enclosures as they are asked for.
class PointValues {
 public:
  PointValues(Evaluation e, long digits) : evaluation_(std::move(e)), digits_(digits) {}

  py::object beta() const { return wrap(evaluation_.beta); }
  py::list names() const {
    py::list r;
    for (const QuantityValues& q : evaluation_.quantities)
      if (!q.undefined) r.append(py::str(std::string(name(q.quantity))));
    return r;
  }
  py::dict undefined() const {
    py::dict r;
    for (const QuantityValues& q : evaluation_.quantities)
      if (q.undefined) r[py::str(std::string(name(q.quantity)))] = *q.undefined;
    return r;
  }
  /// An empty object where the name is none of those asked for.
  py::object find(const std::string& wanted) const {
    if (wanted == "beta") return beta();
    for (const QuantityValues& q : evaluation_.quantities) {
      if (name(q.quantity) != wanted) continue;
      if (q.undefined) throw UndefinedError(fmt::format("{} is undefined: {}", wanted, *q.undefined));
      if (!is_per_band(q.quantity)) return wrap(q.values[0]);
      py::tuple r(q.values.size());
      for (std::size_t i = 0; i < q.values.size(); ++i) r[i] = wrap(q.values[i]);
      return r;
    }
    return {};
  }
  py::object attribute(const std::string& wanted) const {
    if (py::object r = find(wanted)) return r;
    throw py::attribute_error(fmt::format("no quantity {} was asked for", wanted));
  }
  py::object item(const std::string& wanted) const {
    if (py::object r = find(wanted)) return r;
    throw py::key_error(wanted);
  }

 private:
  py::object wrap(const Ball& x) const { return py::cast(Enclosure(x, digits_)); }

  Evaluation evaluation_;
  long digits_;
};

PointValues evaluate_point(py::handle rho, py::handle bands, py::handle n, py::handle gamma_value,
                           py::handle beta_value, py::handle alpha, py::handle q, py::handle d,
                           py::handle quantities, long digits, py::handle max_bits, bool analytic) {
  Configuration c;
  c.n = context_length(n);
  c.analytic = analytic;
  std::vector<Size> sizes;
  if (!rho.is_none()) {
    c.geometry = Simplex{box(rho, "rho")};
  } else {
    Bands b = bands_of(bands, sizes);
    for (std::size_t l = 0; l < sizes.size(); ++l) b.bands[l].size = resolve(sizes[l], c.n);
    c.geometry = std::move(b);
  }
  c.scale = gamma_value.is_none() ? beta(beta_value)
                                  : critical_scale(resolved(gamma(gamma_value), c.geometry, sizes));
  c.alpha = box(alpha, "alpha");
  c.q = box(q, "q");
  c.d = d.is_none() ? c.n : resolve(size(d, "d"), c.n);
  const Request what = request(quantities, digits, max_bits);
  return {without_gil([&] { return certified(c, what.quantities, what.digits, what.max_bits); }), digits};
}

/// The values of one parameter of a grid, and which of them each point has.
template <class Value>
struct Axis {
  std::vector<Value> values;
  std::vector<std::int64_t> index;  ///< empty: all points have the first value

  const Value& at(std::size_t point) const {
    return values[index.empty() ? 0 : static_cast<std::size_t>(index[point])];
  }
};

/// From (list of values, array of indices or None), or nothing from None.
template <class Value, class Read>
std::optional<Axis<Value>> axis(py::handle given, std::size_t points, Read&& read) {
  if (given.is_none()) return std::nullopt;
  const auto pair = py::cast<py::tuple>(given);
  Axis<Value> r;
  for (const py::handle v : pair[0]) r.values.push_back(read(v));
  if (!pair[1].is_none()) {
    const auto index = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(pair[1]);
    r.index.assign(index.data(), index.data() + index.size());
  }
  const auto is_value = [&](std::int64_t i) {
    return i >= 0 && static_cast<std::size_t>(i) < r.values.size();
  };
  if (r.values.empty() || (!r.index.empty() && r.index.size() != points) ||
      !std::all_of(r.index.begin(), r.index.end(), is_value))
    throw InputError("the axes of a grid do not fit");
  return r;
}

/// A grid: one geometry or a rho an axis, and every other parameter on an axis.
class GridPoints {
 public:
  GridPoints(std::size_t points, py::handle bands, const py::tuple& axes)
      : points_(points),
        rho_(axis<RationalBox>(axes[0], points, [](py::handle x) { return box(x, "rho"); })),
        n_(*axis<PowerProduct>(axes[1], points, context_length)),
        gamma_(axis<Gamma>(axes[2], points, gamma)),
        beta_(axis<LogitScale>(axes[3], points, beta)),
        alpha_(*axis<RationalBox>(axes[4], points, [](py::handle x) { return box(x, "alpha"); })),
        q_(*axis<RationalBox>(axes[5], points, [](py::handle x) { return box(x, "q"); })),
        d_(axis<Size>(axes[6], points, [](py::handle x) { return size(x, "d"); })) {
    if (!rho_) bands_ = bands_of(bands, sizes_);
  }

  std::size_t points() const { return points_; }
  std::size_t bands() const { return rho_ ? 1 : sizes_.size(); }
  Configuration operator[](std::size_t i) const {
    Configuration c;
    c.n = n_.at(i);
    if (rho_) {
      c.geometry = Simplex{rho_->at(i)};
    } else {
      Bands b = bands_;
      for (std::size_t l = 0; l < sizes_.size(); ++l) b.bands[l].size = resolve(sizes_[l], c.n);
      c.geometry = std::move(b);
    }
    c.scale = gamma_ ? critical_scale(resolved(gamma_->at(i), c.geometry, sizes_)) : beta_->at(i);
    c.alpha = alpha_.at(i);
    c.q = q_.at(i);
    c.d = d_ ? resolve(d_->at(i), c.n) : c.n;
    return c;
  }

 private:
  std::size_t points_;
  std::optional<Axis<RationalBox>> rho_;
  Bands bands_;
  std::vector<Size> sizes_;
  Axis<PowerProduct> n_;
  std::optional<Axis<Gamma>> gamma_;
  std::optional<Axis<LogitScale>> beta_;
  Axis<RationalBox> alpha_, q_;
  std::optional<Axis<Size>> d_;
};

/// Calls f(first, end) on all points in parallel, looking at Ctrl-C between.
template <class F>
void each_block(std::size_t points, F&& f) {
  const auto checkpoint = interruptible();
  constexpr std::size_t block = 64, at_once = 4096;
  for (std::size_t start = 0; start < points; start += at_once) {
    checkpoint();
    tbb::parallel_for(tbb::blocked_range<std::size_t>(start, std::min(start + at_once, points), block),
                      [&](const tbb::blocked_range<std::size_t>& r) {
                        checkpoint();
                        f(r.begin(), r.end());
                      });
  }
}

/// One quantity of a grid: `width` numbers a point.
struct Column {
  Outward* data;
  std::size_t width;

  void put(std::size_t point, const QuantityValues& q) const {
    for (std::size_t b = 0; b < width; ++b)
      data[point * width + b] = q.undefined ? undefined_outward() : outward(q.values[b]);
  }
};

/// Structured arrays, one a quantity, of one entry a point, or of one row a point with an entry a band. nan
/// where undefined.
py::dict evaluate_grid(std::size_t points, py::handle bands, const py::tuple& axes, py::handle quantities,
                       long digits, py::handle max_bits) {
  const GridPoints grid(points, bands, axes);
  const Request what = request(quantities, digits, max_bits);
  py::dict r;
  std::vector<Column> columns;
  for (const Quantity q : what.quantities) {
    const std::size_t width = is_per_band(q) ? grid.bands() : 1;
    const OutwardArray a(is_per_band(q) ? std::vector{points, width} : std::vector{points});
    columns.push_back({a.data(), width});
    r[py::str(std::string(name(q)))] = a.array();
  }
  const OutwardArray betas({points});
  r["beta"] = betas.array();
  without_gil([&] {
    each_block(points, [&](std::size_t first, std::size_t end) {
      NumberCache cache;
      for (std::size_t i = first; i < end; ++i) {
        const Evaluation e = certified(grid[i], what.quantities, what.digits, what.max_bits, &cache);
        betas.data()[i] = outward(e.beta);
        for (std::size_t k = 0; k < columns.size(); ++k) columns[k].put(i, e.quantities[k]);
      }
    });
  });
  return r;
}

}  // namespace

void add_evaluate(py::module_& m) {
  py::class_<PointValues>(m, "Evaluation",
                          "The quantities of one layer, by name as attributes and as items.\n\n"
                          ">>> import critscale\n"
                          ">>> e = critscale.evaluate(rho='1/3', n=100, gamma='critical', digits=10)\n"
                          ">>> e.self_weight, e['inner_products'][0]\n"
                          "(Enclosure(0.5025125628), Enclosure(0.6722018763))\n"
                          ">>> 'entropy' in e, len(e)\n"
                          "(True, 10)\n")
      .def_property_readonly("beta", &PointValues::beta, "The logit scale.")
      .def_property_readonly("undefined", &PointValues::undefined,
                             "The quantities that have no value here, with the reason.")
      .def("keys", &PointValues::names, "The names of the quantities that have a value.")
      .def("__getattr__", &PointValues::attribute)
      .def("__getitem__", &PointValues::item)
      .def("__contains__", [](const PointValues& v,
                              const std::string& name) { return py::cast<bool>(v.names().contains(name)); })
      .def("__len__", [](const PointValues& v) { return py::len(v.names()); })
      .def("__iter__", [](const PointValues& v) { return py::iter(v.names()); })
      .def("__dir__", [](py::object self) {
        py::list r = py::type::of(self).attr("__dict__").attr("keys")().cast<py::object>();
        return r + self.attr("keys")();
      });
  m.def("evaluate_point", &evaluate_point);
  m.def("evaluate_grid", &evaluate_grid);
  py::list names;
  for (const Quantity q : all_quantities()) names.append(py::str(std::string(name(q))));
  m.attr("quantities") = py::tuple(names);
}

}  // namespace critscale::python
