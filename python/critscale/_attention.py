"""attention: queries, keys and values in arrays, forward and backward. Uses _core and _arrays."""
from __future__ import annotations

from typing import Any, Iterable, Optional, Union

import numpy as np

from . import _core
from ._arrays import doubles
from ._errors import InputError
from ._exact import Exact, text
from ._results import Result


def _heads(given: Any, what: str) -> np.ndarray:
    array = doubles(given, what)
    if not 2 <= array.ndim <= 4:
        raise InputError(
            f"{what}: expected (rows, width), (heads, rows, width) or (batch, heads, rows, width), found {array.shape}"
        )
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def _require(fits: bool, message: str) -> None:
    if not fits:
        raise InputError(message)


def _mask(mask: Any, m: int, n: int) -> tuple[Optional[np.ndarray], Optional[np.ndarray]]:
    """(visible, bias)."""
    if mask is None:
        return None, None
    array = np.asarray(mask)
    _require(array.shape == (m, n), f"mask: expected ({m}, {n}), found {array.shape}")
    if array.dtype == bool:
        return np.ascontiguousarray(array).view(np.uint8), None
    return None, doubles(mask, "mask")


def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    d_out: Any = None,
    scale: Optional[Exact] = None,
    gamma: Optional[Exact] = None,
    beta: Optional[Exact] = None,
    causal: Optional[str] = None,
    window: Optional[int] = None,
    mask: Any = None,
    softcap: Optional[Exact] = None,
    softcap_after_mask: bool = False,
    sink: Optional[Exact] = None,
    schedule: Optional[str] = None,
    constants: Optional[dict[str, Exact]] = None,
    rows: Optional[Iterable[int]] = None,
    quantities: Union[str, Iterable[str], None] = None,
    digits: int = 10,
    max_bits: Optional[int] = None,
) -> Result:
    """Attention of explicit arrays of shape (rows, width), (heads, rows, width) or (batch, heads, rows, width).

    Every entry is the exact number stored; float64 arrays in C order are not copied. Results are structured arrays
    (value, lo, hi): `output`, `lse`, `max_weight`, `entropy`, `participation`, `self_weight`, and `weights` where
    named in `quantities`; with `d_out`, the gradient of the output, also `dq`, `dk`, `dv` and, with a sink, `dsink`.
    Their leading axes are those of q. Fewer key heads than query heads are grouped heads. `mask` has shape (m, n):
    bool, true is visible, or numbers added to the scores. `causal` is "top-left" or "bottom-right".

    >>> import numpy as np, critscale
    >>> r = critscale.attention([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [0.0]], scale=1, digits=15)
    >>> r.output["value"]
    array([[0.73105858]])
    >>> bool((r.output["lo"] <= np.e / (1 + np.e)).all())
    True
    """
    _require(causal in (None, "top-left", "bottom-right"), f"causal: expected top-left or bottom-right, found {causal!r}")
    _require(gamma is None or beta is None, "give either gamma or beta")
    _require(not softcap_after_mask or softcap is not None, "softcap_after_mask needs softcap")
    _require(window is None or window >= 1, f"window: expected at least 1, found {window}")
    shape = np.shape(q)
    Q, K, V = _heads(q, "q"), _heads(k, "k"), _heads(v, "v")
    batch, heads, m, d = Q.shape
    _, key_heads, n, e = V.shape
    _require(K.shape[3] == d, f"queries {Q.shape} and keys {K.shape} differ in width")
    _require(K.shape[:3] == V.shape[:3], f"keys {K.shape} and values {V.shape} differ in number, heads or batch")
    _require(K.shape[0] == batch, f"queries {Q.shape} and keys {K.shape} differ in batch")
    _require(key_heads > 0 and heads % key_heads == 0, f"{heads} query heads are no multiple of {key_heads} key heads")
    G = None
    if d_out is not None:
        G = _heads(d_out, "d_out")
        _require(G.shape == (batch, heads, m, e), f"d_out {G.shape} is not shaped like the output")
    names = [quantities] if isinstance(quantities, str) else list(quantities or ())
    if quantities is None:
        names = [name for name in _core.row_quantities if name != "weights"]
    wanted = [int(r) for r in (rows if rows is not None else ())]
    _require(all(0 <= r < m for r in wanted), f"rows: expected rows from 0 to {m - 1}")
    options = {
        "scale": scale, "gamma": gamma, "beta": beta, "softcap": softcap, "sink": sink,
        "softcap_after_mask": softcap_after_mask, "causal": causal or "", "window": window, "schedule": schedule,
        "constants": [(key, text(value, key)) for key, value in (constants or {}).items()],
        "rows": wanted, "quantities": names, "digits": digits, "max_bits": max_bits or 0,
    }  # fmt: skip
    visible, bias = _mask(mask, m, n)
    group = heads // key_heads
    found: dict[str, list[np.ndarray]] = {name: [] for name in names}
    gradients: dict[str, list[Any]] = {"dq": [], "dk": [], "dv": [], "dsink": []}
    for b in range(batch):
        for a in range(key_heads):
            of_group = range(a * group, (a + 1) * group)
            for h in of_group:
                for name, array in _core.attend_head(Q[b, h], K[b, a], V[b, a], visible, bias, options).items():
                    found[name].append(array)
            if G is not None:
                dq, dk, dv, dsink = _core.head_gradients(
                    [Q[b, h] for h in of_group], K[b, a], V[b, a], [G[b, h] for h in of_group], visible, bias, options
                )
                gradients["dq"] += dq
                gradients["dk"].append(dk)
                gradients["dv"].append(dv)
                gradients["dsink"].append(dsink)
    lead, key_lead = shape[:-2], np.shape(k)[:-2]
    result = Result({name: _stacked(arrays, lead) for name, arrays in found.items()})
    if G is not None:
        result["dq"] = _stacked(gradients["dq"], lead)
        result["dk"], result["dv"] = (_stacked(gradients[name], key_lead) for name in ("dk", "dv"))
        if sink is not None:
            result["dsink"] = np.concatenate(gradients["dsink"]).reshape(lead)
    return result


def _stacked(arrays: list[np.ndarray], lead: tuple[int, ...]) -> np.ndarray:
    return np.stack(arrays).reshape(tuple(lead) + arrays[0].shape)
