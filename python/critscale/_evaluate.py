"""evaluate: the quantities of one layer, at a point or on a grid. Uses _core and NumPy."""
from __future__ import annotations

import html
from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np

from . import _core
from ._errors import InputError
from ._exact import Exact

_SINGLE = (str, int, float)


def _is_many(value: Any) -> bool:
    if value is None or isinstance(value, _SINGLE):
        return False
    return isinstance(value, (list, tuple, range)) or getattr(value, "ndim", 0) > 0


def evaluate(
    *,
    rho: Any = None,
    bands: Optional[Sequence[tuple[Exact, Exact]]] = None,
    n: Any,
    gamma: Any = None,
    beta: Any = None,
    alpha: Any = 0,
    q: Any = 1,
    d: Any = None,
    quantities: Union[str, Iterable[str], None] = None,
    digits: Optional[int] = None,
    max_bits: Optional[int] = None,
    analytic: bool = False,
) -> Union[_core.Evaluation, "Grid"]:
    """The quantities of one attention layer, each with an interval that contains the true value.

    The geometry is a simplex, every pair of tokens with inner product `rho`, or `bands`: pairs (r, size),
    innermost first. The logit scale is beta = gamma ln n, or `beta` itself. Numbers are exact: an int, Fraction,
    Decimal or text such as "1/3"; a float is the number it is. `n` may be "10^(10^15)", `gamma` "critical".

    Where a parameter is a list, a range or an array, all are broadcast as NumPy does it, and a Grid comes back.
    A point has 30 certified digits unless `digits` says otherwise; a grid, which is kept in binary64, has 16.

    Raises InputError for parameters without meaning, LimitError at the limit of precision.

    >>> import critscale
    >>> e = critscale.evaluate(rho="1/3", n="10^(10^15)", gamma="3/2", digits=20)
    >>> e.self_weight, e.inner_products
    (Enclosure(0.50000000000000000000), (Enclosure(0.66666666666666666667),))
    >>> g = critscale.evaluate(rho=[0.25, 0.5], n=1000, gamma=2, quantities="self_weight")
    >>> g.self_weight["value"].round(4)
    array([0.9694, 0.5003])
    >>> bool((g.self_weight["lo"] < g.self_weight["hi"]).all())
    True
    """
    if (rho is None) == (bands is None):
        raise InputError("give either rho or bands")
    if (gamma is None) == (beta is None):
        raise InputError("give either gamma or beta")
    many = (
        _is_many(gamma) or _is_many(rho) or _is_many(n) or _is_many(beta) or _is_many(alpha) or _is_many(q) or _is_many(d)
    )
    if not many:
        return _core.evaluate_point(
            rho, bands, n, gamma, beta, alpha, q, d, quantities, 30 if digits is None else digits, max_bits, analytic
        )
    if analytic:
        raise InputError("analytic: not on grids")
    return _grid(bands, (rho, n, gamma, beta, alpha, q, d), quantities, 16 if digits is None else digits, max_bits)


def _array(value: Any) -> np.ndarray:
    """Its members as they are: a list with texts or Fractions is one of objects."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, range) or hasattr(value, "__array__"):
        return np.asarray(value)
    r = np.array(value, dtype=object)
    return r


def _grid(bands: Any, parameters: tuple, quantities: Any, digits: int, max_bits: Optional[int]) -> "Grid":
    arrays = [_array(p) if _is_many(p) else None for p in parameters]
    shape = np.broadcast_shapes(*(a.shape for a in arrays if a is not None))
    axes: list[Any] = []
    for parameter, array in zip(parameters, arrays):
        if parameter is None:
            axes.append(None)
        elif array is None:
            axes.append(([parameter], None))
        else:
            index = np.arange(array.size, dtype=np.int64).reshape(array.shape)
            axes.append((array.ravel().tolist(), np.ascontiguousarray(np.broadcast_to(index, shape)).ravel()))
    points = int(np.prod(shape, dtype=np.int64))
    if points == 0:
        axes = [a if a is None or a[0] else ([_ANY[i]], None) for i, a in enumerate(axes)]
    found = _core.evaluate_grid(points, bands, tuple(axes), quantities, digits, max_bits)
    return Grid({name: a.reshape(shape + a.shape[1:]) for name, a in found.items()}, shape)


#: Values for the parameters of a grid without points.
_ANY = (0, 2, 1, 1, 0, 1, 2)


class Grid(dict):
    """Structured arrays by name: fields `value`, `lo` and `hi` in binary64, the last two rounded outward; nan where
    a quantity is undefined. Quantities with one value a band have one more axis."""

    def __init__(self, arrays: dict[str, np.ndarray], shape: tuple[int, ...]) -> None:
        super().__init__(arrays)
        self.shape = shape

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def _repr_html_(self) -> str:
        most = 20
        names = list(self)
        head = "".join(f"<th>{html.escape(n)}</th>" for n in names)
        columns = [self[n]["value"].reshape(int(np.prod(self.shape)), -1) for n in names]
        rows = "".join(
            "<tr>" + "".join(f"<td>{', '.join(f'{v:.6g}' for v in c[i])}</td>" for c in columns) + "</tr>"
            for i in range(min(most, len(columns[0])))
        )
        more = len(columns[0]) - most
        note = f"<p>{more} more points</p>" if more > 0 else ""
        return f"<table><tr>{head}</tr>{rows}</table>{note}"


def _evaluation_html(self: _core.Evaluation) -> str:
    rows = [("beta", self.beta), *((name, self[name]) for name in self)]
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>"
        f"{', '.join(x._repr_html_() for x in (v if isinstance(v, tuple) else (v,)))}</td></tr>"
        for name, v in rows
    )
    return f"<table>{cells}</table>"


_core.Evaluation._repr_html_ = _evaluation_html
