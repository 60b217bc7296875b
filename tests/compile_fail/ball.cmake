# Nothing enters a Ball by rounding that nobody asked for, and no comparison of Balls is a bool.
prologue([[
#include <string>

#include "critscale/number/ball.hpp"

using namespace critscale;
extern Ball a, b;
extern const Rational third;
extern const std::string text;
]])

# Construction.
must_not_compile(from_double [[Ball c(0.1);]] "deleted" [[Ball c = Ball::exactly(0.1);]])
must_not_compile(from_float [[Ball c(0.1f);]] "deleted" [[Ball c = Ball::exactly(0.1f);]])
must_not_compile(from_long_double [[Ball c(0.1L);]] "deleted" [[Ball c(1L);]])
must_not_compile(from_double_with_precision [[Ball c(0.1, 128);]] "deleted" [[Ball c(third, 128);]])
must_not_compile(converted_from_double [[Ball c = 0.1;]] "conversion from 'double'" [[Ball c = Ball(1);]])
must_not_compile(assigned_from_double [[a = 0.1;]] "no match for 'operator='.*'double'" [[a = b;]])
must_not_compile(from_rational [[Ball c(third);]] "no matching function.*Rational" [[Ball c(third, 64);]])
must_not_compile(from_string [[Ball c(text);]] "no matching function.*string"
                 [[Ball c(Rational(1, 10), 64);]])
must_not_compile(from_string_with_precision [[Ball c(text, 64);]] "no matching function.*string"
                 [[Ball c(Integer(10), 64);]])
must_not_compile(from_literal [[Ball c("0.1", 64);]] "no matching function.*char" [[Ball c(1, 64);]])
must_not_compile(from_char [[Ball c('1');]] "no matching function.*char" [[Ball c(1);]])
must_not_compile(from_char_with_precision [[Ball c('1', 64);]] "no matching function.*char"
                 [[Ball c(1, 64);]])
must_not_compile(from_bool [[Ball c(true);]] "no matching function.*bool" [[Ball c(1);]])
must_not_compile(from_bool_with_precision [[Ball c(true, 64);]] "no matching function.*bool"
                 [[Ball c(1, 64);]])

# Arithmetic.
must_not_compile(plus_double [[a + 0.1;]] "no match for 'operator\\+'" [[a + 1;]])
must_not_compile(double_minus [[0.1 - a;]] "no match for 'operator-'" [[1 - a;]])
must_not_compile(times_double [[a * 0.1;]] "no match for 'operator\\*'" [[a * 3;]])
must_not_compile(over_float [[a / 0.1f;]] "no match for 'operator/'" [[a / 10;]])
must_not_compile(plus_equals_double [[a += 0.1;]] "no match for 'operator\\+='" [[a += 1;]])
must_not_compile(plus_rational [[a + third;]] "no match for 'operator\\+'" [[a + Ball(third, 64);]])
must_not_compile(rational_times [[third * a;]] "no match for 'operator\\*'" [[Ball(third, 64) * a;]])
must_not_compile(times_equals_rational [[a *= third;]] "no match for 'operator\\*='"
                 [[a *= Ball(third, 64);]])
must_not_compile(plus_bool [[a + true;]] "no match for 'operator\\+'" [[a + 1;]])
must_not_compile(plus_char [[a + 'a';]] "no match for 'operator\\+'" [[a + 97;]])
must_not_compile(to_double [[double x = a;]] "cannot convert" [[Dyadic x = a.midpoint();]])

# Comparison.
must_not_compile(less_than [[a < b;]] "no match for 'operator<'" [[less(a, b);]])
must_not_compile(less_than_integer [[a < 1;]] "no match for 'operator<'" [[less(a, Ball(1));]])
must_not_compile(at_least [[a >= b;]] "no match for 'operator>='" [[greater_equal(a, b);]])
must_not_compile(equals [[a == b;]] "no match for 'operator=='" [[equal(a, b);]])
must_not_compile(differs [[a != b;]] "no match for 'operator!='" [[!equal(a, b);]])
must_not_compile(as_condition [[if (a) return;]] "to 'bool'" [[if (certainly(!a.is_zero())) return;]])
must_not_compile(truth_as_condition [[if (less(a, b)) return;]] "to 'bool'"
                 [[if (certainly(less(a, b))) return;]])
must_not_compile(truth_negated_as_condition [[if (!less(a, b)) return;]] "to 'bool'"
                 [[if (possibly(!less(a, b))) return;]])
must_not_compile(truth_as_bool [[bool x = less(a, b);]] "cannot convert 'critscale::Truth' to 'bool'"
                 [[bool x = possibly(less(a, b));]])
must_not_compile(truth_and [[if (less(a, b) && less(b, a)) return;]] "no match for 'operator&&'|to 'bool'"
                 [[if (certainly(less(a, b) & less(b, a))) return;]])
