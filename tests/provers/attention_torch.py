"""PyTorch float64 against `critscale attention` on 200 random cases, forward and backward.

Usage: attention_torch.py PROGRAM FOLDER [CASES [SEED]]. Exit 77 where PyTorch or NumPy is missing.

PyTorch computes softmax attention in float64 and its gradients by autograd; scaled_dot_product_attention is used
where this version has it and the options allow it. Its values must be within what rounding allows of the certified
enclosures: for a sum of k terms of magnitude at most s, 2^-52 (k + 16) s, and the error of a score, that times
itself, as a relative error of every weight.
"""
import json
import os
import subprocess
import sys

try:
    import numpy as np
    import torch
except ImportError:
    print("PyTorch or NumPy is missing: skipped")
    sys.exit(77)

program, folder = sys.argv[1], sys.argv[2]
cases = int(sys.argv[3]) if len(sys.argv) > 3 else 200
random = np.random.default_rng(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
os.makedirs(folder, exist_ok=True)
unit = 2.0**-52
worst = {}
fused = getattr(torch.nn.functional, "scaled_dot_product_attention", None)


def chance(p):
    return random.random() < p


def certified(flags):
    done = subprocess.run([program, "attention", "--digits", "25", "--format", "json", *flags], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"critscale attention {' '.join(flags)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def ends(values):
    """Arrays of the lower and the upper ends."""
    if isinstance(values, dict):
        return float(values["lo"]), float(values["hi"])
    pairs = [ends(v) for v in values]
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])


def check(case, what, got, values, allowed):
    lo, hi = ends(values)
    lo, hi = np.asarray(lo), np.asarray(hi)
    got = got.reshape(lo.shape)
    away = np.maximum(np.maximum(lo - got, got - hi), 0)
    # The ends are read as float64 here: one unit of it is theirs.
    allowed = allowed + 2 * unit * np.abs(got)
    share = float((away / np.where(allowed > 0, allowed, 1)).max()) if away.size else 0.0
    worst[what] = max(worst.get(what, 0.0), share)
    if not share <= 1:
        sys.exit(f"case {case}, {what}: {share:.3g} times what rounding allows")


def one(case):
    kv_heads = int(random.integers(1, 3))
    heads = kv_heads * int(random.integers(1, 3))
    m, n, d, e = (int(random.integers(1, top)) for top in (12, 16, 9, 7))
    size = 10.0 ** random.integers(-2, 2)
    q, k = size * random.standard_normal((heads, m, d)), random.standard_normal((kv_heads, n, d))
    v, g = random.standard_normal((kv_heads, n, e)), random.standard_normal((heads, m, e))
    if chance(0.2):
        q, k, v, g = (a.astype(np.float16).astype(np.float64) for a in (q, k, v, g))
    flags = []
    for name, a in (("q", q), ("k", k), ("v", v), ("d-out", g)):
        path = os.path.join(folder, name + ".npy")
        np.save(path, a)
        flags += ["--" + name, path]
    scale = 1 / np.sqrt(d)
    if chance(0.3):
        scale = 0.375
        flags += ["--scale", "3/8"]
    visible = np.ones((m, n), dtype=bool)
    added = np.zeros((m, n))
    causal = chance(0.4)
    if causal:
        flags += ["--causal", "top-left"]
        visible &= np.tril(np.ones((m, n), dtype=bool))
    if chance(0.3):
        mask = random.random((m, n)) < 0.7
        mask[:, 0] = True
        visible &= mask
        np.save(os.path.join(folder, "mask.npy"), mask)
        flags += ["--mask", os.path.join(folder, "mask.npy")]
    elif chance(0.3):
        added = random.standard_normal((m, n))
        np.save(os.path.join(folder, "mask.npy"), added)
        flags += ["--mask", os.path.join(folder, "mask.npy")]
    cap = None
    if chance(0.3):
        cap = 5.0
        flags += ["--softcap", "5"]
    sink = None
    if chance(0.3):
        sink = 0.75
        flags += ["--sink", "3/4"]

    Q, K, V = (torch.tensor(a, requires_grad=True) for a in (q, k, v))
    H = torch.tensor(sink if sink is not None else 0.0, dtype=torch.float64, requires_grad=True)
    group = heads // kv_heads
    Kg, Vg = K.repeat_interleave(group, 0), V.repeat_interleave(group, 0)
    s = Q @ Kg.transpose(1, 2) * scale
    if cap is not None:
        s = cap * torch.tanh(s / cap)
    s = (s + torch.tensor(added)).masked_fill(~torch.tensor(visible), float("-inf"))
    logits = s if sink is None else torch.cat([s, H.expand(heads, m, 1)], 2)
    p = torch.softmax(logits, 2)[:, :, :n]
    o = p @ Vg
    if fused and cap is None and sink is None and not causal and scale == 1 / np.sqrt(d):
        o = fused(Q, Kg, Vg, attn_mask=torch.tensor(np.where(visible, added, -np.inf)))
    lse = torch.logsumexp(logits, 2)
    (o * torch.tensor(g)).sum().backward()

    r = certified(flags)
    number = lambda x: np.abs(x).max()
    length = lambda a: np.sqrt((a * a).sum(-1)).max()
    score = scale * length(q) * length(k) + number(added)
    if sink is not None:
        score = max(score, sink)
    # The relative error of a weight: of two scores, of the exponentials, of the sum.
    weight = unit * ((d + 16) * 2 * score + n + 16)
    D = 2 * length(g) * length(v)
    ds = D * (2 * weight + unit * (e + 16) * 2) * (2 if cap is not None else 1)
    check(case, "output", o.detach().numpy(), [h["output"] for h in r["heads"]],
          number(v) * (weight + unit * (n + 16)))
    check(case, "lse", lse.detach().numpy(), [h["lse"] for h in r["heads"]],
          unit * ((d + 16) * score + n + 16) + unit * score)
    check(case, "dq", Q.grad.numpy(), r["dq"], scale * number(k) * (ds + unit * (n + 16) * D))
    check(case, "dk", K.grad.numpy(), r["dk"], scale * number(q) * group * m * (ds + unit * (m + 16) * D))
    check(case, "dv", V.grad.numpy(), r["dv"], number(g) * group * m * (weight + unit * (m + 16)))
    if sink is not None:
        total = r["dsink"] if isinstance(r["dsink"], list) else [r["dsink"]]
        lo, hi = ends(total)
        check(case, "dsink", H.grad.numpy(), {"lo": lo.sum(), "hi": hi.sum()},
              heads * m * (ds + unit * 16 * heads * D))


for case in range(cases):
    one(case)
print(f"{cases} cases, PyTorch {torch.__version__}; the largest share of what rounding allows:",
      ", ".join(f"{what} {share:.3f}" for what, share in worst.items()))
