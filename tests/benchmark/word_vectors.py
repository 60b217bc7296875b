#!/usr/bin/env python3
"""CPU time of the Jacobian norm on vectors like those of words, at many gammas: no gamma may cost much more than the
cheapest.

    word_vectors.py PROGRAM [N D [DIGITS [GAMMA...]]]

The vectors are made by a seed: a common direction, a spread and a length that differ from word to word, rounded to
binary32 as files of word vectors have them."""
import math
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile


def word_vectors(n, d, seed=5):
    draw = random.Random(seed)
    common = [draw.gauss(0, 1) for _ in range(d)]
    length = math.sqrt(sum(x * x for x in common))
    common = [x / length for x in common]
    for _ in range(n):
        size = math.exp(0.6 * draw.gauss(0, 1))
        spread = 0.3 * math.exp(0.5 * draw.gauss(0, 1)) / math.sqrt(d)
        yield [size * (x + spread * draw.gauss(0, 1)) for x in common]


def write_npy(path, rows, n, d):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (n, d)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            out.write(struct.pack("<%df" % d, *row))


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(arguments):
    program = arguments[0]
    n, d = (int(x) for x in arguments[1:3]) if len(arguments) > 2 else (1762, 10)
    digits = arguments[3] if len(arguments) > 3 else "8"
    gammas = arguments[4:] or ["0", "1", "3", "9", "10", "20", "50", "100"]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "words.npy")
        write_npy(path, word_vectors(n, d), n, d)
        times = []
        for gamma in gammas:
            before = children_seconds()
            result = subprocess.run(
                [program, "tokens", path, "--gamma", gamma, "--digits", digits, "--quantities", "jacobian_norm"],
                check=True, capture_output=True, text=True)
            times.append(children_seconds() - before)
            value = [line.split()[1] for line in result.stdout.splitlines() if "jacobian_norm" in line][0]
            print(f"gamma {gamma:>5}: {times[-1]:8.2f} s of CPU, jacobian_norm {value}", flush=True)
        print(f"the dearest costs {max(times) / min(times):.2f} times the cheapest")


if __name__ == "__main__":
    main(sys.argv[1:])
