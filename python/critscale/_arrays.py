"""NumPy arrays as the numbers they hold, without a copy where that can be. Uses NumPy."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InputError


def doubles(given: Any, what: str) -> np.ndarray:
    """The array as native float64 in C order; the array itself where it is that already.

    float32, float16 and whole numbers of up to 53 bits are part of float64. Raises InputError where a number is
    not, TypeError for what holds no numbers.
    """
    if hasattr(given, "detach"):  # a tensor that may ask for gradients
        given = given.detach()
    array = np.asarray(given)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{what}: expected an array of floating-point or whole numbers, found {array.dtype}")
    result = np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind in "iu" and array.dtype.itemsize > 6 and array.size:
        whole = result.astype(object)
        if not all(int(a) == int(b) for a, b in zip(array.ravel().tolist(), whole.ravel())):
            raise InputError(f"{what}: a whole number of more than 53 bits is no float64")
    elif array.dtype.itemsize > 8 and not np.array_equal(result, array, equal_nan=True):
        raise InputError(f"{what}: a number of {array.dtype} is no float64")
    # ascontiguousarray makes one dimension of none.
    return result.reshape(array.shape)


def is_exact_list(given: Any) -> bool:
    """Whether the numbers are Python's, in lists or an array of objects, and not all floats."""
    array = np.array(given, dtype=object) if isinstance(given, (list, tuple)) else given
    if not isinstance(array, np.ndarray) or array.dtype != object:
        return False
    return not all(isinstance(v, float) for v in array.ravel())
