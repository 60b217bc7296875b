// Explicit tokens. Uses tokens/ and structured.hpp.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "critscale/tokens/layer.hpp"
#include "enclosure.hpp"
#include "failures.hpp"
#include "module.hpp"
#include "structured.hpp"

namespace critscale::python {

namespace {

using Doubles = py::array_t<double, py::array::c_style>;

/// Two dimensions of doubles, one row after the other; or (n, d, list of numbers).
TokenSet token_set(const py::object& given) {
  if (py::isinstance<Doubles>(given)) {
    const auto a = py::cast<Doubles>(given);
    return {static_cast<std::size_t>(a.shape(0)), static_cast<std::size_t>(a.shape(1)),
            std::vector<double>(a.data(), a.data() + a.size())};
  }
  const auto triple = py::cast<py::tuple>(given);
  std::vector<Rational> entries;
  for (const py::handle x : triple[2]) entries.push_back(rational(x, "tokens"));
  return {py::cast<std::size_t>(triple[0]), py::cast<std::size_t>(triple[1]), std::move(entries)};
}

/// Balls as Enclosures, one or a list of them.
class Wrap {
 public:
  Wrap(long digits, bool as_enclosures) : digits_(digits), as_enclosures_(as_enclosures) {}

  py::object operator()(const Ball& x) const { return py::cast(Enclosure(x, digits_)); }
  py::object operator()(const std::optional<Ball>& x) const { return x ? (*this)(*x) : py::none(); }
  py::object operator()(const std::vector<Ball>& values) const {
    if (!as_enclosures_) return outward_array(values, {values.size()});
    py::list r;
    for (const Ball& x : values) r.append((*this)(x));
    return r;
  }
  /// Numbers that may be infinite.
  py::object operator()(const std::vector<std::optional<Ball>>& values) const {
    if (as_enclosures_) {
      py::list r;
      for (const auto& x : values) r.append((*this)(x));
      return r;
    }
    const OutwardArray r({values.size()});
    for (std::size_t i = 0; i < values.size(); ++i)
      r.data()[i] = values[i] ? outward(*values[i]) : exactly(std::numeric_limits<double>::infinity());
    return r.array();
  }

 private:
  long digits_;
  bool as_enclosures_;
};

py::dict geometry_dict(const TokenGeometry& g, const Wrap& wrap) {
  py::dict r;
  r["n"] = g.n;
  r["d"] = g.d;
  r["rho_min"] = wrap(g.rho_min);
  r["rho_max"] = wrap(g.rho_max);
  r["rho_mean"] = wrap(g.rho_mean);
  r["thresholds"] = py::make_tuple(wrap(g.first_threshold), wrap(g.last_threshold));
  return r;
}

py::dict layer_dict(const TokenValues& v, const Wrap& wrap) {
  py::dict r;
  r["beta"] = wrap(v.beta);
  const auto put = [&](const char* name, const std::vector<Ball>& values) {
    if (!values.empty()) r[name] = wrap(values);
  };
  put("log_partition", v.log_partition);
  put("self_weight", v.self_weight);
  if (v.inner_products) {
    py::dict p;
    p["min"] = wrap(v.inner_products->min);
    p["max"] = wrap(v.inner_products->max);
    p["mean"] = wrap(v.inner_products->mean);
    r["inner_products"] = p;
  }
  put("output_norm2", v.output_norm2);
  if (v.angle_ratio) r["angle_ratio"] = wrap(*v.angle_ratio);
  if (v.jacobian_norm) r["jacobian_norm"] = wrap(*v.jacobian_norm);
  put("participation", v.participation);
  put("entropy", v.entropy);
  py::dict pairs;
  for (const TokenPair& p : v.pairs)
    pairs[py::make_tuple(p.i, p.j)] = py::make_tuple(wrap(p.input), wrap(p.output));
  if (!v.pairs.empty()) r["pairs"] = pairs;
  return r;
}

/// (geometry, gap counting or None, a layer for each scale). A scale is (gamma or None, beta or None).
py::tuple token_values(const py::object& tokens, const std::vector<std::pair<py::object, py::object>>& scales,
                       const py::object& alpha, const std::vector<std::string>& quantities,
                       const std::vector<std::pair<std::size_t, std::size_t>>& pairs, long digits,
                       Bits max_bits, bool gap_counting, bool as_enclosures) {
  TokenOptions options;
  for (const std::string& name : quantities) options.quantities.push_back(quantity_by_name(name));
  if (quantities.empty()) options.quantities.assign(token_quantities().begin(), token_quantities().end());
  options.pairs = pairs;
  options.digits = digits;
  options.max_bits = max_bits;
  options.checkpoint = interruptible();
  std::vector<LogitScale> layers;
  for (const auto& [g, b] : scales) {
    if (g.is_none()) {
      layers.push_back(beta(b));
      continue;
    }
    const Gamma number = gamma(g);
    if (number.of_threshold || !number.box.is_point())
      throw InputError("gamma: explicit tokens have no single threshold; expected a number");
    layers.push_back(critical_scale(number.box));
  }
  const Rational residual = rational(alpha, "alpha");
  TokenSet set = token_set(tokens);
  TokenGeometry geometry;
  std::vector<RowGaps> gaps;
  std::vector<TokenValues> values;
  without_gil([&] {
    const TokenModel model(std::move(set));
    geometry = model.geometry(digits, max_bits, options.checkpoint);
    if (gap_counting) gaps = model.gap_counting(digits, max_bits, options.checkpoint);
    for (const LogitScale& s : layers) values.push_back(model.evaluate(s, residual, options));
  });
  const Wrap wrap(digits, as_enclosures);
  py::object counted = py::none();
  if (gap_counting) {
    std::vector<std::optional<Ball>> lambda, contact;
    for (const RowGaps& row : gaps) {
      lambda.push_back(row.lambda);
      contact.push_back(row.contact);
    }
    counted = py::dict(py::arg("lambda_") = wrap(lambda), py::arg("contact_gap") = wrap(contact));
  }
  py::list results;
  for (const TokenValues& v : values) results.append(layer_dict(v, wrap));
  return py::make_tuple(geometry_dict(geometry, wrap), counted, results);
}

}  // namespace

void add_tokens(py::module_& m) {
  m.def("token_values", &token_values);
  py::list names;
  for (const Quantity q : token_quantities()) names.append(py::str(std::string(name(q))));
  m.attr("token_quantities") = py::tuple(names);
}

}  // namespace critscale::python
