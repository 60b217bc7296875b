"""A test of one's own kernel: softmax and one attention row, computed block by block with a running maximum, must err by no
more than correct float32 code may. Run it with: PYTHONPATH=build/release/python python3 -m pytest examples/python"""
from fractions import Fraction

import numpy as np

import critscale

BLOCK = 64


def online_row(scores, values, d=1):
    """One row of attention, keys in blocks; what was summed is rescaled when the maximum grows."""
    f = scores.dtype.type
    z = scores / f(np.sqrt(d))
    top, total, out = f(-np.inf), f(0), np.zeros(values.shape[1], values.dtype)
    for first in range(0, len(z), BLOCK):
        block = slice(first, first + BLOCK)
        new_top = max(top, z[block].max())
        if new_top == -np.inf:
            continue
        kept = np.exp(top - new_top)
        weights = np.exp(z[block] - new_top)
        total = total * kept + weights.sum()
        out = out * kept + weights @ values[block]
        top = new_top
    return out / total if total > 0 else out


def softmax(z):
    return online_row(z, np.eye(len(z), dtype=z.dtype))


def test_softmax():
    critscale.assert_conforms(softmax, "softmax", dtype=np.float32)


def test_a_certified_value():
    # At the critical scale a token keeps n/(2n - 1) of the weight, a little over one half.
    n = 10**6
    weight = critscale.evaluate(rho="1/3", n=n, gamma="critical", digits=12).self_weight
    assert weight > Fraction(1, 2) and weight.contains(Fraction(n, 2 * n - 1))
