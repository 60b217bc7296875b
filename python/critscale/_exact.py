"""Python numbers as the exact texts that the command line reads. Uses _errors."""
from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, Union

from ._errors import InputError

#: A number, or a text as the command line reads it.
Exact = Union[int, float, Fraction, Decimal, str]


def text(value: Any, what: str) -> str:
    """The exact text of a number; texts are left as they are.

    >>> text(0.5, "gamma"), text(Decimal("0.1"), "gamma"), text("10^(10^15)", "n")
    ('1/2', '1/10', '10^(10^15)')
    """
    if isinstance(value, str):
        return value
    if hasattr(value, "dtype") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, bool):
        raise TypeError(f"{what}: expected a number or an exact text, found {value!r}")
    if isinstance(value, Rational):
        numerator, denominator = int(value.numerator), int(value.denominator)
    elif isinstance(value, (float, Decimal)):
        if not math.isfinite(value):
            raise InputError(f"{what}: {value} is no number")
        numerator, denominator = value.as_integer_ratio()
    else:
        raise TypeError(f"{what}: expected a number or an exact text, found {type(value).__name__}")
    return str(numerator) if denominator == 1 else f"{numerator}/{denominator}"


def texts(value: Any, what: str) -> list[str]:
    """One text, or one a member of a list, tuple or array."""
    if value is None:
        return []
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return [text(value, what)]
    return [text(v, what) for v in value]


def box(lo: Exact, hi: Exact) -> str:
    """All numbers from lo to hi, as a parameter of `evaluate`.

    >>> box(0.25, "1/2")
    '[1/4,1/2]'
    """
    return f"[{text(lo, 'box')},{text(hi, 'box')}]"
