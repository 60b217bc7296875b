#!/usr/bin/env python3
"""Certificates for Coq that rest on no axiom of the processor's integers and floats: the same statements, with `interval` over Z.

Usage: integers.py DIR [--library FOLDER] [--only TEXT ...] [--seconds S]

DIR holds files of `critscale prove --coq` that coqc accepted. Of each (whose name starts with one of the texts) DIR/integers/NAME.v is written and
compiled: every call of `interval` is given a precision, which makes it compute with numbers m 2^e, and IntegerFloats.v has m and e in Z.
Nothing but the imports and the calls of `interval` changes. One is accepted where Coq's `Print Assumptions` names the axioms of the
real numbers only; one that is not accepted within S seconds of processor time (300) is named, and its file removed. Prints a table.
Exit code 1 where one was not accepted, 77 without coqc or files.
"""
import argparse
import pathlib
import re
import resource
import shutil
import subprocess
import sys

precision = 60
reals = {"ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec",
         "FunctionalExtensionality.functional_extensionality_dep", "Classical_Prop.classic"}


def over_integers(text):
    """The same file with `interval` over Z; its last import decides which `interval` is meant."""
    head, scope, body = text.partition("Open Scope R_scope.\n")
    tactic = "From Interval Require Import Tactic.\n"
    if tactic not in head or not scope:
        return None
    head = head.replace(tactic, "") + "From Critscale Require Import IntegerFloats.\n"
    body = re.sub(r"\binterval with \((?![^)]*i_prec)", f"interval with (i_prec {precision}, ", body)
    return head + scope + re.sub(r"\binterval(?! with|\w)", f"interval with (i_prec {precision})", body)


def statements(text):
    """Every Lemma and Theorem without its proof, in order."""
    return re.findall(r"^(?:Lemma|Theorem) .*?(?=^Proof)", text, re.M | re.S)


def compiled(path, library, theorem, seconds):
    """What coqc says: the assumed axioms, or None; what went wrong; processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(["coqc", "-q", "-Q", library, "Critscale", path], capture_output=True, text=True,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if run.returncode != 0:
        error = re.search(r"Error:(.*)", run.stderr, re.S)
        return None, " ".join(error.group(1).split())[:100] if error else f"ended by its limit of {seconds:g} s", took
    names = set(re.findall(r"^([\w.]+)(?= :|\n)", run.stdout.partition("Axioms:\n")[2], re.M))
    if not names:
        return None, f"Coq said nothing of what {theorem} rests on", took
    return names, "", took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=300)
    arguments = parser.parse_args()
    sources = [p for p in sorted(arguments.directory.glob("*.v")) if p.stem not in ("Statements", "Assumptions")
               and p.with_suffix(".vo").exists() and (not arguments.only or p.stem.startswith(tuple(arguments.only)))]
    if shutil.which("coqc") is None or not sources:
        print(f"skipped: Coq is not installed, or {arguments.directory} has no such compiled certificates (provers/formal/run)")
        return 77
    target = arguments.directory / "integers"
    target.mkdir(exist_ok=True)
    bad = 0
    print(f"{'claim':<60} {'kernel':<13} {'assumed':<20} seconds", flush=True)
    for source in sources:
        text, theorem, path = source.read_text(), source.stem, target / source.name
        mine = over_integers(text)
        if mine is None or statements(mine) != statements(text):
            sys.exit(f"{source} is not a file of `critscale prove --coq` as this program knows it")
        path.write_text(f"{mine}\nPrint Assumptions {theorem}.\n")
        names, error, took = compiled(path, arguments.library, theorem, arguments.seconds)
        if names is not None and not names <= reals:
            error = "rests on " + min(names - reals)
        accepted = not error
        bad += not accepted
        print(f"{theorem:<60} {'accepted' if accepted else 'not accepted':<13} {'reals' if accepted else '':<20} {took:.1f}"
              + (f"\n    {error}" if error else ""), flush=True)
        if not accepted:
            for end in (".v", ".vo", ".vok", ".vos", ".glob"):
                path.with_suffix(end).unlink(missing_ok=True)
    print(f"{len(sources) - bad} accepted, {bad} not accepted")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
