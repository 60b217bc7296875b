# Attention forward and backward written plainly in NumPy float64 with OpenBLAS: what binary64 costs without error
# bounds. Usage: attention_numpy.py FOLDER N D makes q.npy k.npy v.npy g.npy there and prints wall and processor
# seconds of the best of three runs, forward, then forward and backward.
import os
import sys
import time

import numpy as np

folder, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random = np.random.default_rng(1)
q, k, v, g = (random.standard_normal((n, d)) for _ in range(4))
for name, a in zip("qkvg", (q, k, v, g)):
    np.save(os.path.join(folder, name + ".npy"), a)


def forward():
    s = q @ k.T
    s /= np.sqrt(d)
    top = s.max(axis=1, keepdims=True)
    s -= top
    np.exp(s, out=s)
    total = s.sum(axis=1, keepdims=True)
    s /= total
    return s, s @ v, top + np.log(total)


def both():
    p, o, lse = forward()
    own = (g * o).sum(axis=1, keepdims=True)
    dv = p.T @ g
    ds = g @ v.T
    ds -= own
    ds *= p
    ds /= np.sqrt(d)
    return o, lse, ds @ k, ds.T @ q, dv


def time_it(name, f):
    best = None
    for _ in range(3):
        start, begun = time.perf_counter(), time.process_time()
        values = f()
        took = time.perf_counter() - start, time.process_time() - begun
        best = took if best is None else min(best, took)
    print(name, *("%.4f" % t for t in best))
    return values


time_it("forward", forward)
o, _, dq, dk, dv = time_it("both", both)
for name, a in (("output", o), ("dq", dq), ("dk", dk), ("dv", dv)):
    print("%s[0][0] %.6g" % (name, a[0, 0]))
