#!/usr/bin/env python3
"""Files of `critscale prove --coq` whose statement was made false: coqc must reject every one.

Usage: mutations.py DIR [--library FOLDER] [--most N] [--least N]

DIR holds files that coqc accepted. The mutations of a tail: the constant a quarter of itself (the claim's own is
at most three times the largest sampled value), the limit moved by 1/100, the ratio gamma (1 - rho) of another phase,
norm and inner product exchanged in `simplex`; of a value: the interval beside itself; of a class's upper bound: a quarter of
it (more than half of it is attained); on three bands (--bands) also r and rho exchanged, and tokens of two clusters for one. As a control the unchanged files are accepted in the same way. Every call of `interval`
gets 20 s. One coqtop reads all of them. The last line is
'N passed, N failed'. Exit code 77 without coqtop or files.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time


class Coq:
    """A coqtop that is told one file after the other."""

    def __init__(self, library, log):
        self.log = log
        self.process = subprocess.Popen(
            ["coqtop", "-q", "-Q", str(library), "Critscale"], stdin=subprocess.PIPE, stdout=open(log, "w"),
            stderr=subprocess.STDOUT, bufsize=0)
        self.count = 0

    def ask(self, text, seconds=300):
        self.count += 1
        mark = f"Mark{self.count}End"
        start = os.path.getsize(self.log)
        self.process.stdin.write(f"{text}\nFail Check {mark}.\n".encode())
        deadline = time.time() + seconds
        while time.time() < deadline:
            time.sleep(0.02)
            answer = open(self.log, errors="replace").read()[start:]
            if f"{mark} was not found" in " ".join(answer.split()):
                return answer
        sys.exit(f"coqtop has not answered within {seconds} s")

    def accepts(self, text, theorem, number):
        """Whether the theorem is proved, in a module of its own."""
        text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
        imports = "\n".join(re.findall(r"^From .*?\.$", text, flags=re.M))
        body = re.sub(r"^(From|Print Assumptions) .*?\.$", "", text, flags=re.M)
        # the same with what a failed proof leaves open closed
        self.ask(f"{imports}\nModule M{number}.\n{body}\nAbort All.\nEnd M{number}.\n")
        answer = " ".join(self.ask(f"Check M{number}.{theorem}.").split())
        return f"M{number}.{theorem} :" in answer or re.search(rf"{theorem}\s*:\s*forall", answer) is not None


def changed(text, old, new, count=0):
    result = re.sub(old, new, text, count=count)
    return result if result != text else None


def mutations(name, text):
    """Pairs of what was done and the false text."""
    constant = re.search(r"<= (\(?[\d/ ]+\)?) \* \(?Rpower \(INR n\)", text)
    if name.startswith(("theorem_2", "partition")) and "near_simplex" not in text and constant:
        old = re.escape("<= " + constant.group(1))
        yield "a quarter of the constant", changed(text, old, f"<= ({constant.group(1)} / 4)")
        yield "another limit", changed(text, r"(Rabs \([^;]*? -\n    \()(.*?)(\)\) <=)", r"\g<1>1 / 100 + (\2)\3", 1)
        for old, new in ((r"gamma \* \(1 - rho\) = 1 ", "gamma * (1 - rho) = 2 "),
                         (r"\(1 / 10\) <= gamma \* \(1 - rho\) <= \(9 / 10\)", "(11 / 10) <= gamma * (1 - rho) <= 5"),
                         (r"\(11 / 10\) <= gamma \* \(1 - rho\) <= 5", "(1 / 10) <= gamma * (1 - rho) <= (9 / 10)")):
            mutant = changed(text, old, new)
            # (ln Z - gamma ln n is at most n^(1-g) below the threshold too)
            if mutant and name != "partition_supercritical_log_partition":
                yield "another phase", mutant
        yield "norm and inner product exchanged", changed(text, r"simplex d n q rho x", "simplex d n rho q x")
    if "near_simplex" in text:
        yield "a quarter of the bound", changed(
            text, r"<= (\(\d+ / \d+\))((?: \* Rpower \(INR n\) .*)?\.\nProof)", r"<= (\1 / 4)\2")
    if "three_bands d n K q r rho x" in text and constant:
        old = re.escape("<= " + constant.group(1))
        yield "a quarter of the constant", changed(text, old, f"<= ({constant.group(1)} / 4)")
        yield "another limit", changed(
            text, r"(Rabs \((?:output_inner|angle_ratio|jacobian_norm) [^;]*? - \()(.*?)(\)\) <=\n)", r"\g<1>1 / 10 + (\2)\3", 1)
        yield "r and rho exchanged", changed(text, r"three_bands d n K q r rho x", "three_bands d n K q rho r x")
        if "(i / K = j / K)%nat" in text:
            yield "tokens of two clusters", changed(text, r"i <> j -> \(i / K = j / K\)%nat", "i <> j -> (i / K <> j / K)%nat")
    if name.startswith("value"):
        yield "the interval below", changed(
            text, r"  (\(?-? ?[\d/ ]+\)?(?: \* Rpower 10 (?:\([^)]*\)|\S+))?) <=\n(.*?)<= (\(?[^<]*?\)?)\.\nProof",
            r"  (2 * (\1) - (\3)) <=\n\2<= (\1).\nProof", 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "provers/formal")
    parser.add_argument("--most", type=int, default=60, help="mutations tried")
    parser.add_argument("--least", type=int, default=1, help="with fewer the test fails")
    parser.add_argument("--bands", action="store_true", help="inner products, angle ratio and Jacobian norm of three bands")
    arguments = parser.parse_args()
    if shutil.which("coqtop") is None or not list(arguments.directory.glob("*.vo")):
        print(f"skipped: Coq is not installed, or {arguments.directory} has no compiled certificates (provers/formal/run)")
        return 77
    files = sorted(p for p in arguments.directory.glob("*.v") if p.stem not in ("Statements", "Assumptions"))
    # Of the classes those with an upper bound that some configuration comes near to.
    simplex = [p for p in files if "_kept_" in p.stem and "jacobian" not in p.stem and "near_simplex d n" in p.read_text()]
    simplex += [p for p in files if re.search(r"\bsimplex d n", p.read_text())]
    outputs = re.compile(r"_(inner_products|angle_ratio|jacobian_norm)")
    bands = [p for p in files if "three_bands d n K" in p.read_text() and outputs.search(p.stem)]
    simplex = bands if arguments.bands else simplex
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        coq = Coq(arguments.library, os.path.join(scratch, "log"))
        number = 0

        def check(path, what, text, wanted):
            nonlocal number, passed, failed
            number += 1
            accepted = coq.accepts(text.replace("interval with", "timeout 20 interval with"), path.stem, number)
            good = accepted == wanted
            passed, failed = passed + good, failed + (not good)
            print(f"{'ok' if good else 'FAILED'}: {path.stem}: {what}: {'accepted' if accepted else 'rejected'}", flush=True)

        for path in simplex[:2] + simplex[-1:]:
            check(path, "unchanged", path.read_text(), True)
        done = 0
        for path in simplex:
            for what, mutant in mutations(path.stem, path.read_text()):
                if mutant is None:
                    sys.exit(f"{path.stem}: the mutation '{what}' changes nothing")
                if done < arguments.most:
                    check(path, what, mutant, False)
                done += 1
        coq.process.stdin.close()
        if min(done, arguments.most) < arguments.least:
            sys.exit(f"only {done} mutations; are the certificates of cases/paper.toml in {arguments.directory}?")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
