"""Attention questions in tables against explicit sums in mpmath, gradients against central differences of them.

Usage: attention_brute_force.py CRITSCALE FOLDER [CASES] [SEED]
Random cases of every option become a table; each question is read back as JSON, as a client reads it, and answered by
sums over keys at 120 digits. Shares no code with the library. Exit code 77 without mpmath.
"""
import csv
import json
import os
import random
import subprocess
import sys
from fractions import Fraction

try:
    from mpmath import mp, mpf
except ImportError:
    print("mpmath is not there")
    sys.exit(77)

mp.dps = 120
STEP = mpf(10) ** -40
SLACK = mpf(10) ** -70  # of a central difference: third derivatives times the step squared


def number(text):
    f = Fraction(text)
    return mpf(f.numerator) / f.denominator


def texts(draw, rows, cols, size):
    return "; ".join(" ".join(str(Fraction(draw.randint(-size, size), 8)) for _ in range(cols)) for _ in range(rows))


def random_case(draw, index):
    key_heads, group = draw.choice([(1, 1), (1, 1), (2, 1), (1, 2), (2, 2), (3, 2)])
    m, n, d, e = draw.randint(1, 4), draw.randint(1, 5), draw.randint(1, 4), draw.randint(1, 3)
    size = draw.choice([4, 16, 60])

    def heads(count, rows, cols, size=16):
        return " | ".join(texts(draw, rows, cols, size) for _ in range(count))

    lines = {"q": heads(key_heads * group, m, d, size), "k": heads(key_heads, n, d), "v": heads(key_heads, n, e),
             "d_out": heads(key_heads * group, m, e)}
    if draw.random() < 0.4:
        lines["scale"] = str(Fraction(draw.randint(1, 12), 8))
    if draw.random() < 0.6:
        lines["causal"] = draw.choice(["top-left", "bottom-right"])
    if draw.random() < 0.35:
        lines["window"] = str(draw.randint(1, n))
    if draw.random() < 0.4:
        entry = lambda: draw.choice(["-inf", "0", str(Fraction(draw.randint(-24, 24), 8))])
        rows = [["-inf"] * n if draw.random() < 0.2 else [entry() for _ in range(n)] for _ in range(m)]
        lines["mask"] = "; ".join(" ".join(r) for r in rows)
    if draw.random() < 0.4:
        lines["softcap"] = str(Fraction(draw.randint(1, 80), 8))
        if draw.random() < 0.5:
            lines["softcap_after_mask"] = draw.choice(["true", "false"])
    if draw.random() < 0.4:
        lines["sink"] = str(Fraction(draw.randint(-32, 32), 8))
    quantities = ["output", "lse", "dq", "dk", "dv"] + (["dsink"] if "sink" in lines else [])
    return "\n".join(
        [f'[[case]]\nid = "r{index}"\nop = "attention"', "quantity = [%s]" % ", ".join(f'"{x}"' for x in quantities)]
        + [f'{key} = "{text}"' for key, text in lines.items()])


class Attention:
    """The definition, one sum after the other."""

    def __init__(self, x):
        self.q, self.k, self.v = ([[[number(t) for t in row] for row in head] for head in x[name]] for name in "qkv")
        self.d_out = [[[number(t) for t in row] for row in head] for head in x["d_out"]]
        self.x = x
        self.sink = number(x["sink"]) if "sink" in x else None

    def score(self, a, i, j):
        """None where row i does not see key j."""
        x, q = self.x, self.q[a][i]
        key = self.k[a * len(self.k) // len(self.q)][j]
        m, n = len(self.q[a]), len(key) and len(self.k[0])
        place = i + (n - m if x.get("causal") == "bottom-right" else 0)
        if x.get("causal", "none") != "none" and j > place:
            return None
        if "window" in x and place - j >= int(x["window"]):
            return None
        added = x["mask"][i][j] if "mask" in x else "0"
        if added == "-inf":
            return None
        scale = number(x["scale"]) if "scale" in x else 1 / mp.sqrt(len(q))
        s, b = scale * sum(y * z for y, z in zip(q, key)), number(added)
        if "softcap" not in x:
            return s + b
        c = number(x["softcap"])
        after = x.get("softcap_after_mask") == "true"
        return c * mp.tanh((s + b) / c) if after else c * mp.tanh(s / c) + b

    def row(self, a, i):
        """Output and ln Z (None: minus infinity)."""
        value = self.v[a * len(self.v) // len(self.q)]
        terms = [(mp.exp(s), j) for j in range(len(value)) if (s := self.score(a, i, j)) is not None]
        total = sum((t for t, _ in terms), mpf(0)) + (mp.exp(self.sink) if self.sink is not None else 0)
        if total == 0:
            return [mpf(0)] * len(value[0]), None
        return [sum((t * value[j][c] for t, j in terms), mpf(0)) / total for c in range(len(value[0]))], mp.log(total)

    def loss(self):
        return sum(o * g for a in range(len(self.q)) for i in range(len(self.q[a]))
                   for o, g in zip(self.row(a, i)[0], self.d_out[a][i]))

    def derivative(self, holder, index):
        kept = holder[index]
        holder[index] = kept + STEP
        above = self.loss()
        holder[index] = kept - STEP
        below = self.loss()
        holder[index] = kept
        return (above - below) / (2 * STEP)

    def answer(self, quantity):
        rows = [(a, i) for a in range(len(self.q)) for i in range(len(self.q[a]))]
        if quantity == "output":
            return [x for a, i in rows for x in self.row(a, i)[0]]
        if quantity == "lse":
            return [self.row(a, i)[1] for a, i in rows]
        if quantity == "dsink":
            return self.by_sink()
        array = {"dq": self.q, "dk": self.k, "dv": self.v}[quantity]
        return [self.derivative(row, c) for head in array for row in head for c in range(len(row))]

    def by_sink(self):
        """The sink of one query head at a time is moved."""
        r, kept = [], self.sink
        for a in range(len(self.q)):
            def part():
                return sum(o * g for i in range(len(self.q[a])) for o, g in zip(self.row(a, i)[0], self.d_out[a][i]))
            self.sink = kept + STEP
            above = part()
            self.sink = kept - STEP
            r.append((above - part()) / (2 * STEP))
            self.sink = kept
        return r


def main():
    program, folder = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 16
    draw = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    cases, table = os.path.join(folder, "brute.toml"), os.path.join(folder, "brute.csv")
    with open(cases, "w") as f:
        f.write('digits = 25\ncolumns = ["lo", "hi", "value"]\n\n')
        f.write("\n\n".join(random_case(draw, index) for index in range(count)) + "\n")
    subprocess.run([program, "table", cases, "--force", "-o", table], check=True)
    asked = subprocess.run([program, "check", table, "--questions"], check=True, capture_output=True, text=True).stdout
    questions = {q["id"]: q for q in map(json.loads, asked.splitlines())}
    values = wrong = gradients = 0
    with open(table, newline="") as f:
        rows = csv.DictReader(line for line in f if not line.startswith("#"))
        for row in rows:
            inputs = questions[row["id"]]["inputs"]
            right = Attention(inputs).answer(inputs["quantity"])
            found = [(row[f"attention[{i}].lo"], row[f"attention[{i}].hi"], row[f"attention[{i}].value"])
                     for i in range(len(right))]
            if row.get(f"attention[{len(right)}].hi"):
                print("too many values:", row["id"])
                wrong += 1
            for (lo, hi, value), x in zip(found, right):
                values += 1
                gradients += inputs["quantity"].startswith("d")
                if x is None:
                    inside = value == "-inf"
                else:
                    slack = 0 if inputs["quantity"] in ("output", "lse") else SLACK * (1 + abs(x))
                    slack += mpf(10) ** -110
                    inside = lo != "" and mpf(lo) - slack <= x <= mpf(hi) + slack
                if not inside:
                    wrong += 1
                    print("outside:", row["id"], inputs["quantity"], lo, hi, value, x)
    print(f"{len(questions)} questions, {values} values, {gradients} of them gradients; {wrong} outside")
    sys.exit(1 if wrong or values < 100 else 0)


main()
