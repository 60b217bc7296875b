// Attention of given queries, keys and values, one head at a time. Uses tokens/attention.hpp and
// structured.hpp.
#include "critscale/tokens/attention.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>

#include "enclosure.hpp"
#include "failures.hpp"
#include "module.hpp"
#include "structured.hpp"

namespace critscale::python {

namespace {

using Doubles = py::array_t<double, py::array::c_style>;
using Bytes = py::array_t<unsigned char, py::array::c_style>;

std::span<const double> span_of(const Doubles& a) { return {a.data(), static_cast<std::size_t>(a.size())}; }

/// What Python gives for one key head; the arrays are not copied, and are held while the work lasts.
struct Arrays {
  Doubles k, v;
  std::optional<Bytes> visible;
  std::optional<Doubles> bias;

  AttentionHead head(const Doubles& q) const {
    AttentionHead h;
    h.m = static_cast<std::size_t>(q.shape(0));
    h.n = static_cast<std::size_t>(k.shape(0));
    h.d = static_cast<std::size_t>(q.shape(1));
    h.e = static_cast<std::size_t>(v.shape(1));
    h.q = span_of(q);
    h.k = span_of(k);
    h.v = span_of(v);
    if (visible) h.visible = {visible->data(), static_cast<std::size_t>(visible->size())};
    if (bias) h.bias = span_of(*bias);
    return h;
  }
};

/// beta(n) as the schedule of that name has it.
Schedule unit_scale(const LogitScale& scale) {
  if (!scale.coefficient.is_point() || !scale.offset.is_point())
    throw InputError("beta: expected a number or [c*](log n)^k [+ b], found a box");
  return schedule_of(scale);
}

AttentionOptions options_of(const py::dict& given) {
  AttentionOptions o;
  const auto value = [&](const char* key) -> py::object { return given[key]; };
  const auto number = [&](const char* key) -> std::optional<Rational> {
    if (value(key).is_none()) return std::nullopt;
    return rational(value(key), key);
  };
  o.scale = number("scale");
  o.softcap = number("softcap");
  o.sink = number("sink");
  o.softcap_after_bias = py::cast<bool>(value("softcap_after_mask"));
  if (!value("gamma").is_none()) o.unit_beta = unit_scale(critical_scale(gamma(value("gamma")).box));
  if (!value("beta").is_none()) o.unit_beta = unit_scale(beta(value("beta")));
  if (!value("schedule").is_none()) {
    Schedule s = default_schedule(py::cast<std::string>(value("schedule")));
    for (const auto& [key, text] :
         py::cast<std::vector<std::pair<std::string, std::string>>>(value("constants")))
      set_constant(s, key, text);
    validate(s);
    o.schedule = s;
  }
  const auto causal = py::cast<std::string>(value("causal"));
  o.causal = causal == "top-left"       ? Causal::top_left
             : causal == "bottom-right" ? Causal::bottom_right
                                        : Causal::none;
  if (!value("window").is_none()) o.window = py::cast<std::size_t>(value("window"));
  o.rows = py::cast<std::vector<std::size_t>>(value("rows"));
  for (const std::string& name : py::cast<std::vector<std::string>>(value("quantities")))
    o.quantities.push_back(row_quantity_by_name(name));
  o.digits = py::cast<long>(value("digits"));
  o.max_bits = py::cast<long>(value("max_bits"));
  o.checkpoint = interruptible();
  return o;
}

Outward or_else(const std::optional<Ball>& x, double otherwise) {
  return x ? outward(*x) : exactly(otherwise);
}

/// One number a row.
template <class F>
py::array row_numbers(const std::vector<AttentionRow>& rows, F&& f) {
  const OutwardArray r({rows.size()});
  for (std::size_t i = 0; i < rows.size(); ++i) r.data()[i] = f(rows[i]);
  return r.array();
}

/// A list of numbers a row.
py::array row_lists(const std::vector<AttentionRow>& rows, std::vector<Ball> AttentionRow::*list,
                    std::size_t width) {
  const OutwardArray r({rows.size(), width});
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < width; ++j) {
      const std::vector<Ball>& values = rows[i].*list;
      r.data()[i * width + j] = j < values.size() ? outward(values[j]) : exactly(0);
    }
  return r.array();
}

py::array one_quantity(const std::vector<AttentionRow>& rows, RowQuantity q, const AttentionHead& head) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  switch (q) {
    case RowQuantity::output:
      return row_lists(rows, &AttentionRow::output, head.e);
    case RowQuantity::weights:
      return row_lists(rows, &AttentionRow::weights, head.n);
    case RowQuantity::lse:
      return row_numbers(rows, [](const AttentionRow& r) { return or_else(r.lse, -infinity); });
    case RowQuantity::max_weight:
      return row_numbers(rows, [](const AttentionRow& r) { return or_else(r.max_weight, nan); });
    case RowQuantity::entropy:
      return row_numbers(rows, [](const AttentionRow& r) { return or_else(r.entropy, nan); });
    case RowQuantity::participation:
      return row_numbers(rows, [](const AttentionRow& r) { return or_else(r.participation, nan); });
    case RowQuantity::self_weight:
      return row_numbers(rows, [](const AttentionRow& r) { return or_else(r.self_weight, nan); });
  }
  throw Error("a quantity of a row without a name");
}

/// Structured arrays by name: one entry, or one list, a row.
py::dict attend_head(const Doubles& q, const Doubles& k, const Doubles& v,
                     const std::optional<Bytes>& visible, const std::optional<Doubles>& bias,
                     const py::dict& options) {
  const Arrays arrays{k, v, visible, bias};
  const AttentionHead head = arrays.head(q);
  const AttentionOptions o = options_of(options);
  const std::vector<AttentionRow> rows = without_gil([&] { return attend(head, o); });
  py::dict r;
  for (const RowQuantity quantity : o.quantities)
    r[py::str(std::string(name(quantity)))] = one_quantity(rows, quantity, head);
  return r;
}

/// (list of dq, dk, dv, dsink or None) for the query heads that share one key head.
py::tuple head_gradients(const std::vector<Doubles>& q, const Doubles& k, const Doubles& v,
                         const std::vector<Doubles>& d_out, const std::optional<Bytes>& visible,
                         const std::optional<Doubles>& bias, const py::dict& options) {
  const Arrays arrays{k, v, visible, bias};
  std::vector<AttentionHead> heads;
  std::vector<std::span<const double>> gradients;
  for (const Doubles& one : q) heads.push_back(arrays.head(one));
  for (const Doubles& one : d_out) gradients.push_back(span_of(one));
  const AttentionOptions o = options_of(options);
  const AttentionGradients g = without_gil([&] { return attention_gradients(heads, gradients, o); });
  py::list dq;
  for (const std::vector<Ball>& one : g.dq) dq.append(outward_array(one, {heads[0].m, heads[0].d}));
  py::object dsink = py::none();
  if (!g.dsink.empty()) dsink = outward_array(g.dsink, {g.dsink.size()});
  return py::make_tuple(dq, outward_array(g.dk, {heads[0].n, heads[0].d}),
                        outward_array(g.dv, {heads[0].n, heads[0].e}), dsink);
}

}  // namespace

void add_attention(py::module_& m) {
  m.def("attend_head", &attend_head);
  m.def("head_gradients", &head_gradients);
  py::list names;
  for (const RowQuantity q : row_quantities()) names.append(py::str(std::string(name(q))));
  m.attr("row_quantities") = py::tuple(names);
}

}  // namespace critscale::python
