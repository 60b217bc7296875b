"""Correct code is never accused: NumPy, SciPy and PyTorch answer random and adversarial questions, and `critscale check`
must find every value within what rounding allows. Prints the largest and the mean ratio of error to allowance.

Usage: correct_code.py CRITSCALE FOLDER [QUESTIONS] [LONGEST] [SEED]
QUESTIONS (default 10000) are shared by the four formats; the longest rows have LONGEST keys (default 2048). Packages
that are missing are left out, and said so. Exit code 1 where correct code was accused, 77 without NumPy.
"""
import importlib.util
import json
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
ORDERS = ("forward", "reversed", "pairwise", "online1", "online7", "online64")

# Format, its --arithmetic, the clients that answer in it: name, command, another arithmetic.
NUMPY = {"fp64": ["float64"], "fp32": ["float32"], "bf16": ["bfloat16"], "fp16": ["float16", "float16-sums"]}
LIBRARIES = {"fp64": "float64", "fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


def rounded(x, form):
    """x rounded to a format, as a double."""
    if form == "fp64":
        return x
    if form == "fp32":
        return struct.unpack("f", struct.pack("f", x))[0]
    if form == "fp16":
        return struct.unpack("e", struct.pack("e", max(-65504.0, min(65504.0, x))))[0]
    (bits,) = struct.unpack("I", struct.pack("f", x))
    return struct.unpack("f", struct.pack("I", (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000))[0]


def exact(x):
    """The decimal that is exactly this double."""
    if x == float("-inf"):
        return "-inf"
    f = Fraction(x)
    places = f.denominator.bit_length() - 1
    digits = str(abs(f.numerator) * 5**places).rjust(places + 1, "0")
    text = digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"
    return ("-" if x < 0 else "") + text


def scores(rng, n, kind):
    """Rows that are hard in different ways."""
    gauss = lambda scale: [rng.gauss(0, scale) for _ in range(n)]
    return {
        "spread 1": lambda: gauss(1),
        "spread 8": lambda: gauss(8),
        "spread 60": lambda: gauss(60),
        "ties": lambda: [0.5] * n,
        "two values": lambda: [rng.choice((-0.25, 3.0)) for _ in range(n)],
        "ascending": lambda: [j / 4 for j in range(n)],
        "descending": lambda: [-j / 16 for j in range(n)],
        "one dominates": lambda: [30.0 if j == n // 2 else rng.gauss(0, 1) for j in range(n)],
        "alternating": lambda: [20.0 * (-1) ** j for j in range(n)],
        "far above 0": lambda: [1000 + rng.gauss(0, 1) for _ in range(n)],
        "far below 0": lambda: [-1000 * abs(rng.gauss(0, 1)) for _ in range(n)],
        "cancelling": lambda: [-math_log(n) + rng.gauss(0, 1e-3) for _ in range(n)],
        "tiny": lambda: [rng.gauss(0, 1e-6) for _ in range(n)],
        "masked": lambda: [x if j == 0 or rng.random() < 0.6 else float("-inf") for j, x in enumerate(gauss(4))],
    }[kind]()


def math_log(n):
    import math

    return math.log(n)


KINDS = ("spread 1", "spread 8", "spread 60", "ties", "two values", "ascending", "descending", "one dominates",
         "alternating", "far above 0", "far below 0", "cancelling", "tiny", "masked")


def question(rng, form, n, index):
    """One TOML case."""
    kind = KINDS[index // 4 % len(KINDS)]
    op = ("softmax", "logsumexp", "entropy", "attention_row")[index % 4]
    row = " ".join(exact(rounded(x, form)) for x in scores(rng, n, kind))
    lines = ["[[case]]", f'id = "{index}"', f'op = "{op}"']
    if op != "attention_row":
        return "\n".join(lines + [f'logits = "{row}"'])
    spread = rng.choice((1, 1, 1 / 64, 100))
    center = 1 if spread < 1 else 0
    columns = rng.choice((1, 2, 4))
    values = "; ".join(" ".join(exact(rounded(rng.gauss(center, spread), form)) for _ in range(columns)) for _ in range(n))
    lines += [f'scores = "{row}"', f'values = "{values}"']
    if rng.random() < 0.7:
        lines.append(f'd = "{rng.choice((1, 2, 64, 96, 128))}"')
    if rng.random() < 0.3:
        lines.append(f'softcap = "{rng.choice((2, 30, 50))}"')
    if rng.random() < 0.3:
        lines.append(f'sink = "{rng.choice(("0", "-3.5", "4"))}"')
    if rng.random() < 0.2:
        lines.append(f'visible = "{rng.randint(1, n)}"')
    return "\n".join(lines)


def write_cases(path, form, count, longest, seed):
    rng = random.Random(f"{seed} {form}")
    with open(path, "w") as file:
        file.write('digits = 40\ncolumns = ["lo", "hi"]\n')
        for i in range(count):
            # One in 101 is long: every operation has its share.
            n = rng.randint(longest // 8 + 1, longest) if longest > 0 and i % 101 == 100 else rng.randint(1, 40)
            file.write("\n" + question(rng, form, n, i) + "\n")


def clients(form):
    """Name, command, arithmetic."""
    python = sys.executable
    for name in NUMPY[form]:
        for order in ORDERS:
            arithmetic = "fp16,accumulate=fp16" if name == "float16-sums" else form
            yield f"NumPy {name}, {order}", f"{python} {HERE}/numpy_client.py {name} {order}", arithmetic
    if importlib.util.find_spec("scipy") and form != "bf16":
        arithmetic = "fp16,accumulate=fp16" if form == "fp16" else form
        yield f"SciPy {LIBRARIES[form]}", f"{python} {HERE}/scipy_client.py {LIBRARIES[form]}", arithmetic
    # PyTorch's softmax does not exist for float16 on all processors.
    if importlib.util.find_spec("torch") and form != "fp16":
        # Its product of a bfloat16 vector and matrix keeps sums in bfloat16 (1.13).
        arithmetic = "bf16,accumulate=bf16" if form == "bf16" else form
        yield f"PyTorch {LIBRARIES[form]}", f"{python} {HERE}/torch_client.py {LIBRARIES[form]}", arithmetic


def main():
    if importlib.util.find_spec("numpy") is None:
        print("NumPy is not there")
        sys.exit(77)
    program, folder = sys.argv[1], sys.argv[2]
    count, longest, seed = (int(a) for a in (sys.argv[3:] + ["10000", "2048", "15"][len(sys.argv) - 3:])[:3])
    os.makedirs(folder, exist_ok=True)
    for package in ("scipy", "torch"):
        if importlib.util.find_spec(package) is None:
            print(f"{package} is not there: left out")
    accused = 0
    print(f"{'implementation':32} {'values':>8} {'outside':>8} {'suspicious':>10} {'largest':>9} {'mean':>9}")
    for form in NUMPY:
        cases, table = f"{folder}/{form}.toml", f"{folder}/{form}.csv"
        write_cases(cases, form, count // len(NUMPY), longest, seed)
        subprocess.run([program, "table", cases, "--force", "-o", table], check=True)
        for name, command, arithmetic in clients(form):
            report = f"{folder}/report.json"
            run = subprocess.run([program, "check", table, "--run", command, "--arithmetic", arithmetic, "--format", "json",
                                  "--worst", "5", "--force", "-o", report])
            if run.returncode not in (0, 1, 3):
                sys.exit(f"{name}: no report")
            with open(report) as file:
                r = json.load(file)
            wrong = r["wrong"] + r["undecided"] + len(r["missing"])
            accused += wrong
            print(f"{name:32} {r['values']:8} {wrong:8} {r['suspicious']:10} {r['largest_ratio']:>9} {r['mean_ratio']:>9}",
                  flush=True)
            for f in [f for f in r["worst"] if f["verdict"] == "wrong"][:3]:
                print("   ", f["op"], f["label"], "expected", f["expected"], "found", f["found"], "ratio", f["ratio"],
                      f["id"][:200])
    sys.exit(1 if accused else 0)


main()
