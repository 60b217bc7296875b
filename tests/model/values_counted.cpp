// The evaluators in a type that counts what is asked of it and computes nothing.
#include "model/layer_values.hpp"
#include "model/other_types.hpp"

namespace model_test {

namespace {

OperationCounts counts;

struct Counted {
  Counted() = default;
  template <class T>
  explicit Counted(const T&) {}
};

Counted arithmetic() {
  ++counts.arithmetic;
  return {};
}
Counted function() {
  ++counts.functions;
  return {};
}

template <class T>
concept Operand = std::same_as<T, Counted> || SmallInteger<T>;
template <class A, class B>
concept Operands = Operand<A> && Operand<B> &&(std::same_as<A, Counted> || std::same_as<B, Counted>);

template <class A, class B>
requires Operands<A, B> Counted operator+(const A&, const B&) { return arithmetic(); }
template <class A, class B>
requires Operands<A, B> Counted operator-(const A&, const B&) { return arithmetic(); }
template <class A, class B>
requires Operands<A, B> Counted operator*(const A&, const B&) { return arithmetic(); }
template <class A, class B>
requires Operands<A, B> Counted operator/(const A&, const B&) { return arithmetic(); }
Counted operator-(const Counted&) { return arithmetic(); }
Counted& operator+=(Counted& a, const Counted&) { return a = arithmetic(); }
Counted& operator*=(Counted& a, const Counted&) { return a = arithmetic(); }

Counted exp(const Counted&) { return function(); }
Counted expm1(const Counted&) { return function(); }
Counted log(const Counted&) { return function(); }
Counted log1p(const Counted&) { return function(); }
Counted sqrt(const Counted&) { return function(); }
Counted pow(const Counted&, const Counted&) { return function(); }

}  // namespace

OperationCounts operation_counts(const Configuration& c) {
  counts = {};
  lifted_values(c, Lift<Counted>());
  return counts;
}

}  // namespace model_test
