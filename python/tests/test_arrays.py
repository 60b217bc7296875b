"""tokens and attention on arrays: types, layouts, shapes, and values beside NumPy's."""
from fractions import Fraction

import numpy as np
import pytest

import critscale
from critscale import InputError

TOKENS = np.array([[1.0, 0.0, 0.5], [0.0, 2.0, 0.25], [1.5, 1.0, -1.0], [0.5, 0.5, 0.5]])


def encloses(found, right, slack=0.0):
    """Whether [lo, hi] reaches within `slack` of values that NumPy rounds."""
    return bool(((found["lo"] - slack <= right) & (right <= found["hi"] + slack)).all())


def layer(x, beta):
    y = x / np.linalg.norm(x, axis=1, keepdims=True)
    s = beta * (y @ y.T)
    w = np.exp(s - s.max(axis=1, keepdims=True))
    return np.log(w.sum(axis=1)) + s.max(axis=1), np.diag(w) / w.sum(axis=1)


def test_tokens_beside_numpy():
    found = critscale.tokens(TOKENS, beta=3)["layers"][0]
    lse, own = layer(TOKENS, 3.0)
    assert encloses(found["log_partition"], lse, 1e-14) and encloses(found["self_weight"], own, 1e-15)


@pytest.mark.parametrize(
    "array",
    [TOKENS.astype("f4"), TOKENS.astype("f2"), TOKENS.astype(">f8"), np.asfortranarray(TOKENS), TOKENS[::-1][::-1],
     np.repeat(TOKENS, 2, axis=0)[::2], TOKENS.tolist(), [[Fraction(v) for v in row] for row in TOKENS.tolist()],
     (TOKENS * 4).astype("i8") / 4, TOKENS.astype("g")],
    ids=["f4", "f2", "big-endian", "fortran", "reversed", "strided", "lists", "fractions", "ints", "longdouble"],
)  # fmt: skip
def test_token_layouts(array):
    wanted = critscale.tokens(TOKENS, gamma=2)["layers"][0]
    found = critscale.tokens(array, gamma=2)["layers"][0]
    for name in ("log_partition", "self_weight", "entropy"):
        a, b = wanted[name], found[name]
        assert (np.maximum(a["lo"], b["lo"]) <= np.minimum(a["hi"], b["hi"])).all()
        assert (np.abs(a["value"] - b["value"]) <= 2e-10).all()


@pytest.mark.parametrize(
    "array",
    [np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(3), np.float64(3.0), np.zeros((2, 2)), np.array([[1.0, np.nan], [1, 2]]),
     np.array([[1.0, np.inf], [1, 2]]), np.array([["a", "b"]]), np.array([[1j, 2], [1, 2]]), "text", None, [[1, 2], [3]],
     np.array([[2**60 + 1, 1], [1, 1]]), np.zeros((1, 2, 3)), [[True, False]]],
    ids=["none", "flat", "1-d", "0-d", "zero", "nan", "inf", "texts", "complex", "text", "None", "ragged", "54 bits", "3-d", "bool"],
)  # fmt: skip
def test_bad_tokens(array):
    with pytest.raises((InputError, TypeError, ValueError)):
        critscale.tokens(array, gamma=1)


def test_tokens_are_not_changed_and_not_kept():
    given = TOKENS.copy()
    critscale.tokens(given, gamma=1)
    assert (given == TOKENS).all()
    given[0, 0] = 7  # nobody holds it


def test_token_options():
    r = critscale.tokens(TOKENS, gamma=[1, 2], gap_counting=True, quantities="angle_ratio", pairs=[(0, 1)])
    assert len(r["layers"]) == 2 and r["gap_counting"]["lambda"].shape == (4,)
    assert set(r["layers"][0]) == {"beta", "angle_ratio", "pairs"}
    for wrong in (dict(gamma="critical"), dict(gamma=-1), dict(quantities=["speed"]), dict(pairs=[(0, 9)])):
        with pytest.raises(InputError):
            critscale.tokens(TOKENS, **{"gamma": 1, **wrong})


def reference_attention(q, k, v, scale, mask=None):
    s = scale * q @ k.T
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return p @ v, p


RNG = np.random.default_rng(1)
Q, K, V = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 4)), RNG.normal(size=(5, 3))


def test_attention_beside_numpy():
    found = critscale.attention(Q, K, V, scale=0.5, quantities=["output", "weights", "lse", "max_weight"])
    out, p = reference_attention(Q, K, V, 0.5)
    assert encloses(found.output, out, 1e-14) and encloses(found.weights, p, 1e-15)
    assert encloses(found.max_weight, p.max(axis=1), 1e-15)
    causal = critscale.attention(Q, K, V, scale=0.5, causal="top-left")
    masked = critscale.attention(Q, K, V, scale=0.5, mask=np.tril(np.ones((5, 5), bool)))
    # The same values; a mask's zeros are added to the scores, and that may round.
    assert (causal.output["value"] == masked.output["value"]).all()
    for r in (causal, masked):
        assert encloses(r.output, reference_attention(Q, K, V, 0.5, np.tril(np.ones((5, 5), bool)))[0], 1e-14)


def test_attention_layouts_and_heads():
    wanted = critscale.attention(Q, K, V).output
    for change in (np.asfortranarray, lambda a: a.astype(">f8"), lambda a: np.repeat(a, 2, axis=1)[:, ::2], lambda a: a.tolist()):
        assert (critscale.attention(change(Q), change(K), change(V)).output == wanted).all()
    q = np.stack([Q, Q[::-1], Q, Q])[None]
    r = critscale.attention(q, K[None, None], V[None, None], d_out=np.ones((1, 4, 5, 3)))
    assert r.output.shape == (1, 4, 5, 3) and (r.output[0, 0] == wanted).all() and (r.output[0, 1] == wanted[::-1]).all()
    assert r.dq.shape == (1, 4, 5, 4) and r.dk.shape == (1, 1, 5, 4) and r.dv.shape == (1, 1, 5, 3)


def test_gradients_beside_differences():
    g = RNG.normal(size=(5, 3))
    r = critscale.attention(Q, K, V, d_out=g, scale=0.5, sink=0)
    h = 2.0**-20

    def value(q, k, v):
        s = 0.5 * q @ k.T
        e = np.exp(s)
        return (g * (e @ v / (e.sum(axis=1, keepdims=True) + 1))).sum()

    for name, args in (("dq", (Q, K, V)), ("dk", (Q, K, V)), ("dv", (Q, K, V))):
        at = ("dq", "dk", "dv").index(name)
        for i, j in ((0, 0), (2, 1), (4, 2)):
            up, down = [a.copy() for a in args], [a.copy() for a in args]
            up[at][i, j] += h
            down[at][i, j] -= h
            assert abs((value(*up) - value(*down)) / (2 * h) - r[name]["value"][i, j]) < 1e-8
    assert r.dsink.shape == ()


def test_bad_attention():
    for wrong in (dict(q=Q[:, :3]), dict(v=V[:4]), dict(q=Q[0]), dict(mask=np.ones((2, 2), bool)), dict(causal="left"),
                  dict(rows=[9]), dict(quantities="speed"), dict(window=0), dict(softcap_after_mask=True),
                  dict(d_out=np.ones((2, 2))), dict(q=np.full((5, 4), np.nan)), dict(gamma=1, beta=1), dict(scale="x")):  # fmt: skip
        with pytest.raises((InputError, TypeError)):
            critscale.attention(**{"q": Q, "k": K, "v": V, **wrong})
    nothing = critscale.attention(Q, K, V, mask=np.zeros((5, 5), bool))
    assert (nothing.output["value"] == 0).all() and (nothing.lse["value"] == -np.inf).all()


def test_arrays_are_not_copied():
    from critscale._arrays import doubles

    assert doubles(Q, "q") is Q or np.shares_memory(doubles(Q, "q"), Q)
