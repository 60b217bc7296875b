"""The Python package beside the library and the program: python.py BENCH_POINTS PROGRAM. Prints ratios.

Points: `evaluate` on scalars against the library's loop, CPU time of one thread, in turns. Grids: 90,000 rows as one
call against `critscale table` with the same quantities, wall time with all cores, in turns.
"""
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

import numpy as np

import critscale

bench, program = sys.argv[1:]
COUNT, ROUNDS = 10_000, 5


def library():
    return float(subprocess.run([bench, str(COUNT)], capture_output=True, text=True, check=True).stdout.split()[0])


def package():
    rho, gamma = Fraction(1, 3), Fraction(3, 2)
    start = time.process_time()
    for _ in range(COUNT):
        critscale.evaluate(rho=rho, n=1000, gamma=gamma)
    return time.process_time() - start


points = [(library(), package()) for _ in range(ROUNDS)]
for a, b in points:
    print(f"{COUNT} points: library {a:.3f} s, package {b:.3f} s, ratio {b / a:.2f}")
print(f"best of each: {min(b for _, b in points) / min(a for a, _ in points):.2f}")

QUANTITIES = ["self_weight", "inner_products", "output_norm2", "jacobian_norm", "entropy"]
rho, gamma = np.linspace(1, 300, 300) / 512, np.linspace(1, 300, 300) / 128
for _ in range(2):
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run(
            [program, "--quiet", "table", "--n", "10^6", "--rho", "1/512:300/512:300", "--gamma", "1/128:300/128:300",
             *(f"--quantities={q}" for q in QUANTITIES), "--digits", "16", "-o", folder + "/t.csv"], check=True)  # fmt: skip
        table = time.perf_counter() - start
    start = time.perf_counter()
    critscale.evaluate(rho=rho[:, None], n=10**6, gamma=gamma[None, :], quantities=QUANTITIES)
    grid = time.perf_counter() - start
    print(f"90000 rows: table {table:.2f} s, one call {grid:.2f} s, ratio {grid / table:.2f}")
