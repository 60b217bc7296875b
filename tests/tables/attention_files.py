"""Attention questions about arrays in files: the same values as for the numbers written out, and a file that has changed is
refused.

Usage: attention_files.py CRITSCALE FOLDER
"""
import csv
import json
import os
import random
import struct
import subprocess
import sys

program, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
failures = 0


def check(ok, what):
    global failures
    if not ok:
        failures += 1
        print("FAILED:", what)


def write_npy(name, descr, shape, packed):
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(os.path.join(folder, name), "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + packed)


def texts(x, heads, rows, width):
    each = [" ".join(f"{v:g}" for v in x[i * width:(i + 1) * width]) for i in range(heads * rows)]
    return " | ".join("; ".join(each[h * rows:(h + 1) * rows]) for h in range(heads))


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def table(name, text):
    cases, out = (os.path.join(folder, name + end) for end in (".toml", ".csv"))
    with open(cases, "w") as f:
        f.write('digits = 20\n\n[[case]]\nid = "f"\nop = "attention"\nquantity = ["output", "lse", "dq", "dk", "dv"]\n' + text)
    made = run("table", cases, "--force", "-o", out)
    if made.returncode:
        return None, made.stderr
    with open(out, newline="") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#"))), out


draw = random.Random(5)
shapes = {"q": (2, 3, 4), "k": (1, 6, 4), "v": (1, 6, 2), "d_out": (2, 3, 2)}
arrays = {key: [draw.randint(-32, 32) / 16 for _ in range(h * r * w)] for key, (h, r, w) in shapes.items()}
seen = [[draw.random() < 0.7 for _ in range(6)] for _ in range(3)]
for key, x in arrays.items():
    write_npy(key + ".npy", "<f4", shapes[key], struct.pack(f"<{len(x)}f", *x))
bits = [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in arrays["v"]]
write_npy("v16.npy", "<u2", shapes["v"], struct.pack(f"<{len(bits)}H", *bits))
write_npy("mask.npy", "|b1", (3, 6), bytes(int(v) for row in seen for v in row))

mask_text = "; ".join(" ".join("0" if v else "-inf" for v in row) for row in seen)
written = "".join(f'{key} = "{texts(x, *shapes[key])}"\n' for key, x in arrays.items()) + f'mask = "{mask_text}"\n'
place = os.path.join(folder, "")
stored = "".join(f'{key} = "file:{place}{key}.npy"\n' for key in ("q", "k", "d_out"))
stored += f'v = "bfloat16:{place}v16.npy"\nmask = "file:{place}mask.npy"\n'
right, _ = table("written", written)
found, out = table("stored", stored)
check(right is not None and found is not None, "both tables are written: " + str(out))
values = 0
for a, b in zip(right, found):
    check(a["formats"] == b["formats"], f"formats: {a['formats']}, {b['formats']}")
    for column in a:
        if column.startswith("attention["):
            values += bool(a[column])
            check(a[column] == b[column], f"{column}: {a[column]}, {b[column]}")
check(len(right) == len(found) == 5 and values > 100, f"{values} values")

asked = [json.loads(line) for line in run("check", out, "--questions").stdout.splitlines()]
check(all(q["inputs"]["v"].get("bfloat16") is True for q in asked), "bfloat16 is told")
check(all(len(q["inputs"]["q"]["crc64"]) == 16 for q in asked), "the checksum is told")

candidate = os.path.join(folder, "right.json")
with open(candidate, "w") as f:
    json.dump([{"id": row["id"], "value": [row[c] for c in row if c.endswith("].value") and row[c]]} for row in found], f)
check(run("check", out, candidate).returncode == 0, "the right values conform")
changed = list(arrays["q"])
changed[0] += 1
write_npy("q.npy", "<f4", shapes["q"], struct.pack(f"<{len(changed)}f", *changed))
refused = run("check", out, candidate)
check(refused.returncode == 2 and "is not the file that was asked about" in refused.stderr, "a changed file: " + refused.stderr)

for text, what in ((stored.replace("q.npy", "none.npy"), "cannot be read"),
                   (stored.replace("bfloat16:", "file:"), "uint16"),
                   (stored.replace("k.npy", "v16.npy"), "k: "),
                   (stored + 'inputs = "rounded"\n', "not rounded")):
    rows, error = table("refused", text)
    check(rows is None and what in error, f"refused with {what!r}: {error}")
print(f"{values} values alike, {failures} failures")
sys.exit(1 if failures else 0)
