#!/usr/bin/env python3
"""Files of `critscale prove --coq` whose statement was made false: coqc must reject every one.

Usage: mutations.py DIR [--library FOLDER] [--most N] [--least N] [--seconds S] [--bands]

DIR holds files that coqc accepted. The mutations of a tail: the constant a quarter of itself (the claim's own is
at most three times the largest sampled value), the limit moved by 1/100, the ratio gamma (1 - rho) of another phase,
norm and inner product exchanged in `simplex`; of a value: the interval beside itself; of a class's upper bound: a quarter of
it (more than half of it is attained); on three bands (--bands) also gamma
of another phase, a residual where the limit has none, and tokens of two clusters for two of one.
As a control each file is accepted unchanged, in the same way and within the same limit, before its mutations are tried.

One coqtop reads all of them. Each text has S seconds of its processor time; a coqtop that is over is killed and another
one started. A false statement may send `interval` halving for hours, so that a mutation out of time is rejected (and
said to be out of time); a control out of time is a failure. The last line is 'N passed, N failed'. Exit code 77 without
coqtop or files.
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

backstop = 100  # wall seconds for each second of processor time; beyond that coqtop is stuck, not busy


class OutOfTime(Exception):
    """The coqtop has used up its processor time, and was killed."""


class Coq:
    """A coqtop that is told one file after the other."""

    def __init__(self, library, log):
        self.library = library
        self.log = log
        self.count = 0
        self.loaded = set()
        self.start()

    def start(self):
        self.loaded.clear()
        self.process = subprocess.Popen(
            ["coqtop", "-q", "-Q", str(self.library), "Critscale"], stdin=subprocess.PIPE, stdout=open(self.log, "w"),
            stderr=subprocess.STDOUT, bufsize=0)

    def restart(self):
        self.process.kill()
        self.process.wait()
        self.start()

    def processor_seconds(self):
        """User and system time of the coqtop until now."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, text, seconds):
        """What coqtop answers to the text; OutOfTime after so many seconds of its processor time."""
        self.count += 1
        mark = f"Mark{self.count}End"
        start = os.path.getsize(self.log)
        limit, deadline = self.processor_seconds() + seconds, time.monotonic() + backstop * seconds
        self.process.stdin.write(f"{text}\nFail Check {mark}.\n".encode())
        while True:
            time.sleep(0.02)
            with open(self.log, "rb") as file:
                file.seek(start)
                answer = file.read().decode(errors="replace")
            if f"{mark} was not found" in " ".join(answer.split()):
                return answer
            if self.process.poll() is not None:
                sys.exit(f"coqtop has ended with exit code {self.process.returncode}")
            if self.processor_seconds() > limit:
                self.restart()
                raise OutOfTime
            if time.monotonic() > deadline:
                sys.exit(f"coqtop has not answered within {backstop * seconds} s, and is not busy")

    def accepts(self, text, theorem, number, seconds):
        """Whether the theorem is proved, in a module of its own."""
        text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
        imports = "\n".join(re.findall(r"^From .*?\.$", text, flags=re.M))
        body = re.sub(r"^(From|Print Assumptions) .*?\.$", "", text, flags=re.M)
        if imports not in self.loaded:
            # (what loading the libraries takes is not the proof's)
            self.ask(imports, 300)
            self.loaded.add(imports)
        # the same with what a failed proof leaves open closed
        self.ask(f"{imports}\nModule M{number}.\n{body}\nAbort All.\nEnd M{number}.\n", seconds)
        answer = " ".join(self.ask(f"Check M{number}.{theorem}.", seconds).split())
        return f"M{number}.{theorem} :" in answer or re.search(rf"{theorem}\s*:\s*forall", answer) is not None


def changed(text, old, new, count=0):
    result = re.sub(old, new, text, count=count)
    return result if result != text else None


def mutations(name, text):
    """Pairs of what was done and the false text."""
    constant = re.search(r"<=\s+(\(?[\d/ ]+\)?) \* \(?Rpower \(INR n\)", text)
    if name.startswith(("theorem_2", "partition")) and "near_simplex" not in text and constant:
        yield "a quarter of the constant", (
            text[:constant.start(1)] + f"({constant.group(1)} / 4)" + text[constant.end(1):])
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
        yield "a quarter of the constant", (
            text[:constant.start(1)] + f"({constant.group(1)} / 4)" + text[constant.end(1):])
        yield "another limit", changed(
            text, r"(Rabs \((?:output_inner|angle_ratio|jacobian_norm) [^;]*?alpha x(?: i j)? - )(.*?)(\) <=\n)",
            r"\g<1>(1 / 10 + \2)\3", 1)
        if re.search(r" gamma = \S.* ->", text):
            # At a boundary: four times as far the token itself has all the mass.
            yield "another phase", changed(text, r" gamma = (\([^()]*\)|\d+) ->", r" gamma = 4 * \1 ->")
        elif "Rabs (jacobian_norm" in text:
            yield "a residual", changed(text, r" alpha = 0 ->", " alpha = 1 ->")
        # (where the far band has all the mass, two tokens of different clusters have the same limit)
        if "(i / K = j / K)%nat" in text and not re.match(r"theorem_C_2_far_inner", name):
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
    parser.add_argument("--seconds", type=float, default=20, help="processor time for each text")
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
    bands = [p for p in files if "three_bands d n K" in p.read_text() and outputs.search(p.stem) and not p.stem.startswith("value")]
    with tempfile.TemporaryDirectory() as scratch:
        coq = Coq(arguments.library, os.path.join(scratch, "log"))
        counts = try_all(coq, bands if arguments.bands else simplex, arguments.most, arguments.seconds)
        coq.process.stdin.close()
    controls, rejected, out_of_time, failed = counts
    if rejected + failed < arguments.least:
        sys.exit(f"only {rejected} mutations; are the certificates of cases/paper.toml in {arguments.directory}?")
    print(f"{controls} unchanged files accepted, {rejected} mutations rejected, {out_of_time} of them out of time")
    print(f"{controls + rejected} passed, {failed} failed")
    return 1 if failed else 0


def try_all(coq, files, most, seconds):
    """How many controls were accepted, mutations rejected, of these by time, and how many of both were not."""
    number = controls = rejected = out_of_time = failed = done = 0
    for path in files:
        texts = [("unchanged", path.read_text(), True)]
        for what, mutant in mutations(path.stem, path.read_text()):
            if mutant is None:
                sys.exit(f"{path.stem}: the mutation '{what}' changes nothing")
            texts.append((what, mutant, False))
        for what, text, wanted in texts[:1 + most - done] if done < most and len(texts) > 1 else []:
            number += 1
            over, before = False, coq.processor_seconds()
            try:
                accepted = coq.accepts(text, path.stem, number, seconds)
                said = f"{'accepted' if accepted else 'rejected'} in {coq.processor_seconds() - before:.1f} s"
            except OutOfTime:
                accepted, over, said = False, True, f"out of time after {seconds} s"
            good = accepted == wanted
            controls, rejected = controls + (good and wanted), rejected + (good and not wanted)
            out_of_time, failed = out_of_time + (good and over), failed + (not good)
            print(f"{'ok' if good else 'FAILED'}: {path.stem}: {what}: {said}", flush=True)
        done += len(texts) - 1
    return controls, rejected, out_of_time, failed


if __name__ == "__main__":
    sys.exit(main())
