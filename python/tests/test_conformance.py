"""assert_conforms and the plugin: right functions pass, wrong ones fail with the slip's name."""
import subprocess
import sys

import numpy as np
import pytest

import critscale
from critscale import InputError


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def logsumexp(z):
    if not np.isfinite(z.max()):
        return z.max()
    return np.log(np.exp((z - z.max()).astype(np.float64)).sum()) + z.max()


def entropy(z):
    p = softmax(z.astype(np.float64))
    return -(p[p > 0] * np.log(p[p > 0])).sum()


def attention_row(scores, values, d=1, softcap=None, sink=None, visible=None):
    z = scores.astype(np.float64) / np.sqrt(d)
    if softcap is not None:  # what is masked stays masked
        z = np.where(np.isfinite(z), softcap * np.tanh(z / softcap), z)
    values = values.astype(np.float64)
    if visible is not None:
        z, values = z[:visible], values[:visible]
    top = max([*z[np.isfinite(z)], *([] if sink is None else [sink])], default=0)
    weights = np.exp(z - top)
    total = weights.sum() + (0 if sink is None else np.exp(sink - top))
    return weights @ values / total if total > 0 else np.zeros(values.shape[1])


def attention(q, k, v, quantity="output", d_out=None, scale=None, causal=None, window=None, mask=None, softcap=None,
              softcap_after_mask=False, sink=None):  # fmt: skip
    """Heads, rows, columns in float64; what is asked of it, forward or backward."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    d_out = np.zeros((*q.shape[:2], v.shape[2])) if d_out is None else d_out.astype(np.float64)
    group, m, n = len(q) // len(k), q.shape[1], k.shape[1]
    scale = q.shape[2] ** -0.5 if scale is None else scale
    place = np.arange(m)[:, None] + (n - m if causal == "bottom-right" else 0)
    distance = place - np.arange(n)[None, :]
    seen = np.ones((m, n), bool) if causal is None else distance >= 0
    if window is not None:
        seen &= (distance < window) & (distance >= 0)
    added = np.zeros((m, n)) if mask is None else np.asarray(mask, np.float64)
    seen &= np.isfinite(added)
    added = np.where(np.isfinite(added), added, 0)
    found = {"output": np.empty((*q.shape[:2], v.shape[2])), "lse": np.empty(q.shape[:2]), "dq": np.empty_like(q),
             "dk": np.zeros_like(k), "dv": np.zeros_like(v), "dsink": np.zeros(len(q))}  # fmt: skip
    for a, (queries, g) in enumerate(zip(q, d_out)):
        keys, values = k[a // group], v[a // group]
        raw = scale * queries @ keys.T + (added if softcap_after_mask else 0)
        z = raw if softcap is None else softcap * np.tanh(raw / softcap)
        z = np.where(seen, z + (0 if softcap_after_mask else added), -np.inf)
        top = np.maximum(z.max(axis=1), -np.inf if sink is None else sink)
        top = np.where(np.isfinite(top), top, 0)[:, None]
        e = np.exp(z - top)
        extra = 0 if sink is None else np.exp(sink - top)
        total = e.sum(axis=1, keepdims=True) + extra
        p = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
        with np.errstate(divide="ignore"):
            found["lse"][a] = (np.log(total) + top)[:, 0]
        found["output"][a] = out = p @ values
        d = (g * out).sum(axis=1, keepdims=True)
        s = p * (g @ values.T - d)
        if softcap is not None:
            s *= 1 - np.tanh(raw / softcap) ** 2
        found["dq"][a] = scale * s @ keys
        found["dk"][a // group] += scale * s.T @ queries
        found["dv"][a // group] += p.T @ g
        if sink is not None:
            found["dsink"][a] = -(extra / total * d).sum()
    return found[quantity]


def test_attention_forward_and_backward():
    critscale.assert_conforms(attention, "attention", dtype=np.float64)


def test_a_wrong_corner_of_the_mask_is_named():
    def wrong(*arrays, causal=None, **rest):
        return attention(*arrays, causal=causal and "top-left", **rest)

    with pytest.raises(AssertionError, match="explained"):
        critscale.assert_conforms(wrong, "attention", dtype=np.float64)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, "float16", np.dtype("f4"), "fp64"])
def test_a_right_softmax_conforms(dtype):
    critscale.assert_conforms(softmax, "softmax", dtype=dtype)


def test_other_operations():
    critscale.assert_conforms(attention_row, "attention_row", dtype=np.float32)
    critscale.assert_conforms(logsumexp, "logsumexp", dtype=np.float32, tolerance="torch")


@pytest.mark.parametrize(
    "wrong",
    [lambda z: np.exp(z) / np.exp(z).sum(), lambda z: np.zeros_like(z), lambda z: softmax(2 * z), lambda z: softmax(z)[::-1],
     lambda z: softmax(z)[:-1], lambda z: softmax(z) * np.float32(1.001)],
    ids=["overflow", "zeros", "doubled", "reversed", "short", "off"],
)  # fmt: skip
def test_wrong_functions_fail(wrong):
    with pytest.raises(AssertionError) as caught:
        critscale.assert_conforms(wrong, "softmax", dtype=np.float32)
    assert "does not conform" in str(caught.value) and "worst first" in str(caught.value)


def test_the_slip_is_named():
    with pytest.raises(AssertionError, match="explained"):
        critscale.assert_conforms(lambda scores, values, d=1, **rest: attention_row(scores, values, d * d, **rest), "attention_row")


def test_tables_and_questions(tmp_path):
    cases = tmp_path / "own.toml"
    cases.write_text('[[case]]\nid = "own"\nop = "softmax"\nlogits = ["0 1 2", "5 -inf"]\n')
    place = tmp_path / "own.csv"
    critscale.table(cases, place)
    critscale.assert_conforms(softmax, place)
    asked = critscale.questions(place, np.float32)
    assert [q.op for q in asked] == ["softmax"] * 2 and asked[1].inputs["logits"].tolist() == [5, -np.inf]
    assert asked[0].arguments[0].dtype == np.float32 and asked[0].options == {}
    with pytest.raises(InputError):
        critscale.assert_conforms(softmax, "speed")
    with pytest.raises(InputError):
        critscale.assert_conforms(softmax, "softmax", dtype="int8")
    with pytest.raises(ZeroDivisionError):
        critscale.assert_conforms(lambda z: 1 / 0, "softmax")


def test_the_fixture(critscale_questions):
    assert all(q.op == "entropy" for q in critscale_questions("entropy", np.float64))


PLUGIN = '''
import numpy as np, pytest, critscale
from fractions import Fraction

@pytest.mark.parametrize("question", critscale.questions("softmax", np.float32))
def test_sums_to_one(question):
    p = np.exp(question.inputs["logits"] - question.inputs["logits"].max())
    assert abs((p / p.sum()).sum() - 1) < 1e-6

def test_conforms(critscale_questions):
    assert len(critscale_questions("softmax", np.float16)) > 3
    critscale.assert_conforms(lambda z: np.exp(z) / np.exp(z).sum(), "softmax", dtype=np.float32)
'''


def test_the_plugin_in_another_project(tmp_path):
    (tmp_path / "test_kernel.py").write_text(PLUGIN)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
                          capture_output=True, text=True, cwd=tmp_path)  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed" in done.stdout and "does not conform" in done.stdout
    assert "softmax;" in done.stdout or "passed" in done.stdout
