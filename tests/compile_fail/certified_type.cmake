# Nothing enters a certified type by rounding that nobody asked for, and no comparison of its values
# is a bool. Included by the file of each type, whose prologue says which type `Certified` is.
prologue([[
#include <string>

using namespace critscale;
extern Certified a, b;
extern const Rational third;
extern const std::string text;
]])

# Construction.
must_not_compile(from_double [[Certified c(0.1);]] "deleted" [[Certified c = Certified::exactly(0.1);]])
must_not_compile(from_float [[Certified c(0.1f);]] "deleted" [[Certified c = Certified::exactly(0.1f);]])
must_not_compile(from_long_double [[Certified c(0.1L);]] "deleted" [[Certified c(1L);]])
must_not_compile(from_double_with_precision [[Certified c(0.1, 128);]] "deleted" [[Certified c(third, 128);]])
must_not_compile(converted_from_double [[Certified c = 0.1;]] "conversion from 'double'" [[Certified c = Certified(1);]])
must_not_compile(assigned_from_double [[a = 0.1;]] "no match for 'operator='.*'double'" [[a = b;]])
must_not_compile(from_rational [[Certified c(third);]] "no matching function.*Rational" [[Certified c(third, 64);]])
must_not_compile(from_string [[Certified c(text);]] "no matching function.*string"
                 [[Certified c(Rational(1, 10), 64);]])
must_not_compile(from_string_with_precision [[Certified c(text, 64);]] "no matching function.*string"
                 [[Certified c(Integer(10), 64);]])
must_not_compile(from_literal [[Certified c("0.1", 64);]] "no matching function.*char" [[Certified c(1, 64);]])
must_not_compile(from_char [[Certified c('1');]] "no matching function.*char" [[Certified c(1);]])
must_not_compile(from_char_with_precision [[Certified c('1', 64);]] "no matching function.*char"
                 [[Certified c(1, 64);]])
must_not_compile(from_bool [[Certified c(true);]] "no matching function.*bool" [[Certified c(1);]])
must_not_compile(from_bool_with_precision [[Certified c(true, 64);]] "no matching function.*bool"
                 [[Certified c(1, 64);]])

# Arithmetic.
must_not_compile(plus_double [[a + 0.1;]] "no match for 'operator\\+'" [[a + 1;]])
must_not_compile(double_minus [[0.1 - a;]] "no match for 'operator-'" [[1 - a;]])
must_not_compile(times_double [[a * 0.1;]] "no match for 'operator\\*'" [[a * 3;]])
must_not_compile(over_float [[a / 0.1f;]] "no match for 'operator/'" [[a / 10;]])
must_not_compile(plus_equals_double [[a += 0.1;]] "no match for 'operator\\+='" [[a += 1;]])
must_not_compile(plus_rational [[a + third;]] "no match for 'operator\\+'" [[a + Certified(third, 64);]])
must_not_compile(rational_times [[third * a;]] "no match for 'operator\\*'" [[Certified(third, 64) * a;]])
must_not_compile(times_equals_rational [[a *= third;]] "no match for 'operator\\*='"
                 [[a *= Certified(third, 64);]])
must_not_compile(plus_bool [[a + true;]] "no match for 'operator\\+'" [[a + 1;]])
must_not_compile(plus_char [[a + 'a';]] "no match for 'operator\\+'" [[a + 97;]])
must_not_compile(to_double [[double x = a;]] "cannot convert" [[Dyadic x = a.lower();]])

# Comparison.
must_not_compile(less_than [[a < b;]] "no match for 'operator<'" [[less(a, b);]])
must_not_compile(less_than_integer [[a < 1;]] "no match for 'operator<'" [[less(a, Certified(1));]])
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
