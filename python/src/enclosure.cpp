// Uses enclosure.hpp.
#include "enclosure.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "critscale/number/errors.hpp"
#include "critscale/number/rounding.hpp"
#include "failures.hpp"

namespace critscale::python {

Enclosure::Enclosure(PrintedValue printed, const std::string& lo_hex, const std::string& hi_hex)
    : ends_(Ends{Dyadic::from_hex(lo_hex), Dyadic::from_hex(hi_hex)}), printed_(std::move(printed)) {
  if (!(ends_->lo <= ends_->hi)) throw InputError(fmt::format("[{}, {}] is no interval", lo_hex, hi_hex));
}

const Enclosure::Ends& Enclosure::ends() const {
  if (!ends_) {
    const HexEnclosure hex = hex_enclosure(*ball_);
    ends_ = Ends{Dyadic::from_hex(hex.lo), Dyadic::from_hex(hex.hi)};
  }
  return *ends_;
}

const PrintedValue& Enclosure::printed() const {
  if (!printed_) printed_ = print(*ball_, asked_);
  return *printed_;
}

Dyadic Enclosure::middle() const {
  Dyadic r;
  arf_add(r.raw(), lo().raw(), hi().raw(), ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_mul_2exp_si(r.raw(), r.raw(), -1);
  return r;
}

double Enclosure::nearest() const {
  if (!lo().is_finite() || !hi().is_finite())
    throw LimitError(fmt::format("[{}, {}] has no middle", lo().to_hex(), hi().to_hex()));
  // The sum of ends whose exponents are far apart would fill the memory.
  const std::uint64_t low = round_to(binary64, lo()), high = round_to(binary64, hi());
  if (low == high) return as_double(low);
  const double a = as_double(low), b = as_double(high);
  return a / 2 + b / 2;
}

std::partial_ordering order(const Dyadic& a, const Rational& b) {
  const int sign_of_b = b < 0 ? -1 : b > 0 ? 1 : 0;
  if (!a.is_finite() || a.sign() != sign_of_b || sign_of_b == 0) {
    if (a.is_nan()) return std::partial_ordering::unordered;
    if (!a.is_finite()) return a.sign() <=> 0;
    return a.sign() <=> sign_of_b;
  }
  // |a| lies in [2^(e-1), 2^e), |b| in (2^(k-1), 2^(k+1)).
  detail::Fmpz e;
  arf_abs_bound_lt_2exp_fmpz(e.x, a.raw());
  const Integer exponent = e.integer();
  const long k = static_cast<long>(msb(Integer(abs(numerator(b))))) - static_cast<long>(msb(denominator(b)));
  if (exponent < k - 1) return 0 <=> sign_of_b;
  if (exponent > k + 3) return sign_of_b <=> 0;
  const Rational exact = a.to_rational(std::numeric_limits<long>::max() / 4);
  return exact < b   ? std::partial_ordering::less
         : exact > b ? std::partial_ordering::greater
                     : std::partial_ordering::equivalent;
}

namespace {

/// Another number that an Enclosure is compared with, as the interval of what it may be.
struct Other {
  std::optional<Rational> number;
  const Enclosure* enclosure = nullptr;
};

/// Nothing where x is no number.
std::optional<Other> other(py::handle x) {
  if (py::isinstance<Enclosure>(x)) return Other{std::nullopt, &py::cast<const Enclosure&>(x)};
  try {
    if (auto v = number_of(x, "comparison")) return Other{std::move(v), nullptr};
  } catch (const py::builtin_exception&) {
  }
  return std::nullopt;
}

std::partial_ordering with_lo(const Dyadic& a, const Other& b) {
  return b.enclosure ? a <=> b.enclosure->lo() : order(a, *b.number);
}
std::partial_ordering with_hi(const Dyadic& a, const Other& b) {
  return b.enclosure ? a <=> b.enclosure->hi() : order(a, *b.number);
}

/// x < y and x <= y for all, some or no numbers of the two.
Truth less(const Enclosure& x, const Other& y) {
  return with_lo(x.hi(), y) < 0 ? Truth::yes : with_hi(x.lo(), y) >= 0 ? Truth::no : Truth::unknown;
}
Truth less_equal(const Enclosure& x, const Other& y) {
  return with_lo(x.hi(), y) <= 0 ? Truth::yes : with_hi(x.lo(), y) > 0 ? Truth::no : Truth::unknown;
}
Truth equal(const Enclosure& x, const Other& y) {
  if (with_lo(x.hi(), y) < 0 || with_hi(x.lo(), y) > 0) return Truth::no;
  const bool points = with_hi(x.lo(), y) == 0 && with_lo(x.hi(), y) == 0;
  return points ? Truth::yes : Truth::unknown;
}

template <class F>
py::object compared(const Enclosure& x, py::handle y, F&& f) {
  const auto o = other(y);
  if (!o) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  const Truth t = f(x, *o);
  if (t == Truth::unknown)
    throw Undecided(fmt::format("the comparison of [{}, {}] with {} is not decided: more digits may do",
                                x.printed().lo, x.printed().hi, brief(y)));
  return py::bool_(t == Truth::yes);
}

bool contains(const Enclosure& x, py::handle y) {
  const auto o = other(y);
  if (!o) throw py::type_error(fmt::format("expected a number or an Enclosure, found {}", brief(y)));
  return with_lo(x.lo(), *o) <= 0 && with_hi(x.hi(), *o) >= 0;
}

std::string text(const Enclosure& x) {
  const PrintedValue& p = x.printed();
  return p.value ? *p.value : fmt::format("[{}, {}]", p.lo, p.hi);
}

py::object decimal(const Enclosure& x) {
  const PrintedValue& p = x.printed();
  if (!p.value) throw Undecided(fmt::format("[{}, {}] has no certain digit", p.lo, p.hi));
  return py::module_::import("decimal").attr("Decimal")(*p.value);
}

py::dict json(const Enclosure& x) {
  const PrintedValue& p = x.printed();
  py::dict r;
  r["value"] = p.value ? py::object(py::str(*p.value)) : py::none();
  r["lo"] = p.lo;
  r["hi"] = p.hi;
  r["digits"] = p.digits;
  const HexEnclosure hex = x.hex();
  py::list ends;
  ends.append(hex.lo);
  ends.append(hex.hi);
  r["hex"] = ends;
  return r;
}

Enclosure from_json(const py::dict& v) {
  PrintedValue p;
  if (!v["value"].is_none()) p.value = py::cast<std::string>(v["value"]);
  p.lo = py::cast<std::string>(v["lo"]);
  p.hi = py::cast<std::string>(v["hi"]);
  p.digits = py::cast<long>(v["digits"]);
  const auto ends = py::cast<py::list>(v["hex"]);
  return {std::move(p), py::cast<std::string>(ends[0]), py::cast<std::string>(ends[1])};
}

Dyadic radius(const Enclosure& x) {
  Dyadic r;
  arf_sub(r.raw(), x.hi().raw(), x.lo().raw(), ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_mul_2exp_si(r.raw(), r.raw(), -1);
  return r;
}

/// Whether sums of the ends fit in memory; throws LimitError where they do not.
const Enclosure& moderate(const Enclosure& x) {
  fraction(x.lo());
  fraction(x.hi());
  return x;
}

}  // namespace

void add_enclosure(py::module_& m) {
  py::class_<Enclosure> c(m, "Enclosure",
                          "A real number with proof: it lies in [lo, hi], and both ends are exact.\n\n"
                          ">>> import critscale\n"
                          ">>> x = critscale.evaluate(rho='1/3', n=10**6, gamma=1, digits=12).self_weight\n"
                          ">>> x\n"
                          "Enclosure(0.00990099990198)\n"
                          ">>> x.lo < x.hi, float(x), x.contains(x.mid)\n"
                          "(True, 0.0099009999019801, True)\n"
                          ">>> x < 0.01\n"
                          "True\n");
  c.def_property_readonly(
       "lo", [](const Enclosure& x) { return fraction(x.lo()); }, "The lower end, a Fraction.")
      .def_property_readonly(
          "hi", [](const Enclosure& x) { return fraction(x.hi()); }, "The upper end, a Fraction.")
      .def_property_readonly(
          "mid", [](const Enclosure& x) { return fraction(moderate(x).middle()); },
          "The middle of [lo, hi], a Fraction.")
      .def_property_readonly(
          "rad", [](const Enclosure& x) { return fraction(radius(moderate(x))); },
          "Half the width of [lo, hi], a Fraction.")
      .def_property_readonly(
          "digits", [](const Enclosure& x) { return x.printed().digits; },
          "How many digits of the printed value are certified.")
      .def_property_readonly(
          "value", [](const Enclosure& x) { return x.printed().value; },
          "The decimal within one unit of its last digit, a text; None where not a digit is certain.")
      .def_property_readonly(
          "exact", [](const Enclosure& x) { return x.lo() == x.hi(); },
          "Whether the number is known exactly.")
      .def_property_readonly(
          "hex",
          [](const Enclosure& x) {
            const HexEnclosure h = x.hex();
            return py::make_tuple(h.lo, h.hi);
          },
          "Both ends as exact hexadecimal texts, of any size.")
      .def("contains", &contains, py::arg("x"),
           "Whether [lo, hi] contains a number, or all of another enclosure.")
      .def(
          "overlaps",
          [](const Enclosure& x, const Enclosure& y) { return x.lo() <= y.hi() && y.lo() <= x.hi(); },
          py::arg("x"), "Whether two enclosures have a number in common.")
      .def("decimal", &decimal,
           "The printed value as a Decimal. Raises UndecidedError without a certain digit.")
      .def("to_json", &json, "The number as the command line writes it: value, lo, hi, digits, hex.")
      .def_static("from_json", &from_json, py::arg("v"), "Reads what to_json and the command line write.")
      .def("__str__", &text)
      .def("__repr__", [](const Enclosure& x) { return fmt::format("Enclosure({})", text(x)); })
      .def("_repr_html_",
           [](const Enclosure& x) {
             return fmt::format("<code title=\"[{}, {}]\">{}</code>", x.printed().lo, x.printed().hi,
                                text(x));
           })
      .def("__float__", &Enclosure::nearest)
      .def("__bool__",
           [](const Enclosure& x) {
             const Other zero{Rational(0), nullptr};
             const Truth t = equal(x, zero);
             if (t == Truth::unknown) throw Undecided("whether the number is 0 is not decided");
             return t == Truth::no;
           })
      .def("__lt__", [](const Enclosure& x, py::handle y) { return compared(x, y, less); })
      .def("__le__", [](const Enclosure& x, py::handle y) { return compared(x, y, less_equal); })
      .def("__gt__",
           [](const Enclosure& x, py::handle y) {
             return compared(x, y, [](const auto& a, const auto& b) { return !less_equal(a, b); });
           })
      .def("__ge__",
           [](const Enclosure& x, py::handle y) {
             return compared(x, y, [](const auto& a, const auto& b) { return !less(a, b); });
           })
      .def("__eq__", [](const Enclosure& x, py::handle y) { return compared(x, y, equal); })
      .def("__ne__", [](const Enclosure& x, py::handle y) {
        return compared(x, y, [](const auto& a, const auto& b) { return !equal(a, b); });
      });
  // Equality is not always decided, so there is no hash.
  c.attr("__hash__") = py::none();
}

}  // namespace critscale::python
