#!/usr/bin/env python3
"""THEORY-statements.md names theorems of provers/formal as File.name: each is a Theorem or Corollary of that file, its assumptions are
printed (Assumptions.v), and Statements.v prints it, and prints nothing else. Where the library is compiled, Coq prints them here.

Usage: statements.py SOURCE_DIR
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
formal = root / "provers/formal"
errors = []


def named(text):
    """The theorems a page names, in its order: (file, name) of `File.name`, not of `File.v`."""
    return [(f, n) for f, n in dict.fromkeys(re.findall(r"`([A-Z]\w*)\.(\w+)`", text)) if n not in ("v", "md")]


def printed_by_coq(names):
    """What coqc says of Statements.v: the names it printed a statement of; None where nothing is compiled."""
    if shutil.which("coqc") is None or not all((formal / f"{file}.vo").exists() for file, _ in names):
        return None
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "Statements.v"
        copy.write_text((formal / "Statements.v").read_text())
        run = subprocess.run(["coqc", "-q", "-Q", formal, "Critscale", copy], capture_output=True, text=True)
    if run.returncode != 0:
        errors.append("coqc does not accept Statements.v: " + run.stderr.strip())
    return set(re.findall(r"^(\w+\.\w+)\n? *: forall", run.stdout, re.M)) | set(re.findall(r"^(\w+\.\w+)\n +:", run.stdout, re.M))


names = named((root / "provers/THEORY-statements.md").read_text())
if len(names) < 50:
    errors.append(f"THEORY-statements.md names {len(names)} theorems only: is its table read?")
assumptions = (formal / "Assumptions.v").read_text()
for file, name in names:
    source = formal / f"{file}.v"
    if not source.exists() or not re.search(rf"^ *(Theorem|Corollary) +{name}\b", source.read_text(), re.M):
        errors.append(f"{file}.{name}: {file}.v has no such theorem")
    if not re.search(rf"\b{file}\.{name}[,)]", assumptions):
        errors.append(f"{file}.{name}: Assumptions.v does not print what it rests on")
statements = [tuple(c.split(".")) for c in re.findall(r"^Check (\w+\.\w+)\.$", (formal / "Statements.v").read_text(), re.M)]
errors += [f"{file}.{name}: not in Statements.v" for file, name in names if (file, name) not in statements]
errors += [f"{file}.{name}: in Statements.v, but not in THEORY-statements.md" for file, name in statements if (file, name) not in names]

printed = printed_by_coq(statements)
if printed is not None:
    errors += [f"{file}.{name}: Coq prints no statement" for file, name in statements if f"{file}.{name}" not in printed]
print("\n".join(errors) or f"{len(names)} theorems named, all there, " +
      ("Coq not asked" if printed is None else f"{len(printed)} statements printed by Coq"))
sys.exit(1 if errors else 0)
