"""tokens: explicit tokens in arrays. Uses _core, _arrays and _results."""
from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np

from . import _core
from ._arrays import doubles, is_exact_list
from ._errors import InputError
from ._exact import Exact
from ._results import Result


def _rows(given: Any) -> Any:
    if is_exact_list(given):
        array = np.array(given, dtype=object)
        if array.ndim != 2:
            raise InputError(f"tokens: expected two dimensions, one row a token, found {array.ndim}")
        return (*array.shape, array.ravel().tolist())
    array = doubles(given, "tokens")
    if array.ndim != 2:
        raise InputError(f"tokens: expected two dimensions, one row a token, found {array.ndim}")
    return array


def _many(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]


def tokens(
    array: Any,
    *,
    gamma: Any = None,
    beta: Any = None,
    alpha: Exact = 0,
    quantities: Union[str, Iterable[str], None] = None,
    pairs: Sequence[tuple[int, int]] = (),
    digits: int = 10,
    max_bits: Optional[int] = None,
    gap_counting: bool = False,
    enclosures: bool = False,
) -> Result:
    """Explicit tokens, one row a token: inner products, thresholds, and the layer at each gamma or beta.

    Every entry is the exact number stored; lists of ints, Fractions, Decimals and exact texts stay exact. Up to ten
    digits come from binary64 with proved error bounds. Quantities with one value a token are structured arrays with
    fields value, lo and hi, or lists of Enclosures with `enclosures`. `gamma` and `beta` may be lists: `layers` has
    a result for each. With `gap_counting` also the Lambda of every row and its contact gap.

    >>> import critscale
    >>> r = critscale.tokens([[1, 0], [0, 1], [1, 1]], gamma=1, quantities=["self_weight", "angle_ratio"])
    >>> r.geometry.rho_max, r.layers[0]["angle_ratio"]
    (Enclosure(0.7071067812), Enclosure(0.1351535491))
    >>> r.layers[0]["self_weight"]["value"].round(6)
    array([0.485863, 0.485863, 0.40821 ])
    """
    names = [quantities] if isinstance(quantities, str) else list(quantities or ())
    scales = [(g, None) for g in _many(gamma)] + [(None, b) for b in _many(beta)]
    geometry, gaps, values = _core.token_values(
        _rows(array), scales, alpha, names, [tuple(p) for p in pairs], digits, max_bits or 0, gap_counting, enclosures
    )
    result = Result({"geometry": geometry, "layers": [Result(v) for v in values]})
    if gaps is not None:
        result["gap_counting"] = {"lambda": gaps["lambda_"], "contact_gap": gaps["contact_gap"]}
    return result
