# The overall quantities of one layer on explicit tokens (theory 1, 1.1), written plainly in NumPy float64
# with OpenBLAS: what binary64 costs without error bounds. Usage: tokens_numpy.py TOKENS.npy GAMMA
import sys
import time

import numpy as np


def layer(x, gamma):
    n, d = x.shape
    beta = gamma * np.log(n)
    r = np.linalg.norm(x, axis=1)
    y = x / r[:, None]
    G = y @ y.T
    E = np.exp(beta * (G - 1))
    A = E / E.sum(axis=1)[:, None]
    m = A @ y
    p = m @ y.T
    p_own = np.diagonal(p)
    Y = np.einsum("ij,ij->i", m, m)
    # Jacobian (theory 1.1).
    bracket = (d - 1) + 2 * beta * (G * p - p_own[:, None]) + beta**2 * (1 - 2 * p + Y[:, None]) * (1 - G * G)
    blocks = (A / r[None, :]) ** 2 * bracket
    np.fill_diagonal(blocks, 0)
    U = A * (G - p_own[:, None])
    image = U @ y
    C2 = np.einsum("ij,ij->i", A @ (G * G), A) - 2 * np.einsum("ij,ij->i", A, p * p) + Y * Y
    T = (1 - Y) - np.einsum("ij,ij->i", U, G - p_own[:, None])
    V = C2 - np.einsum("ij,ij->i", image, image)
    a = np.diagonal(A)
    own = (a * a * (d - 1) + 2 * a * beta * T + beta**2 * V) / r**2
    eta = (own.sum() + blocks.sum()) / (n * d)
    # Outputs (alpha = 0).
    out = m / np.sqrt(Y)[:, None]
    cosine = out @ out.T
    upper = np.triu_indices(n, 1)
    before, after = G[upper], cosine[upper]
    ratio = np.mean((1 - after) / (1 - before))
    return {
        "rho_min": before.min(), "rho_max": before.max(), "rho_mean": before.mean(),
        "inner_products.min": after.min(), "inner_products.max": after.max(), "inner_products.mean": after.mean(),
        "angle_ratio": ratio, "jacobian_norm": eta,
    }


tokens = np.load(sys.argv[1])
best = None
for _ in range(3):
    start = time.perf_counter()
    values = layer(tokens, float(sys.argv[2]))
    seconds = time.perf_counter() - start
    best = seconds if best is None else min(best, seconds)
print(best)
for name, value in values.items():
    print(name, repr(float(value)))
