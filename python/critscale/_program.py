"""Runs the program `critscale` and reads its JSON, which is the contract. Uses _errors and _core.

The program runs as a process of its own: other Python threads go on meanwhile, Ctrl-C ends it, and its memory is
given back when it is done.
"""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

from ._core import Enclosure
from ._errors import Error, InputError, LimitError

try:
    from ._place import PROGRAM
except ImportError:
    PROGRAM = None

DONE, REFUTED, BAD_INPUT, UNDECIDED = range(4)


def path() -> str:
    """The program: that of the environment variable CRITSCALE_PROGRAM, else the one that was built or installed
    with the package, else the one on PATH."""
    named = os.environ.get("CRITSCALE_PROGRAM")
    if named:
        return named
    here = Path(__file__).resolve().parent
    if PROGRAM is not None and os.access(here / PROGRAM, os.X_OK):
        return str(here / PROGRAM)
    beside = Path(sys.executable).parent / "critscale"  # of an environment that is not active
    found = shutil.which("critscale") or (str(beside) if os.access(beside, os.X_OK) else None)
    if found is None:
        raise Error("the program critscale is not there; the environment variable CRITSCALE_PROGRAM may name it")
    return found


def run(arguments: list[str], accept: tuple[int, ...] = (DONE,), time_limit: Optional[float] = None) -> str:
    """Standard output. Raises what the program's exit code means unless it is one of `accept`."""
    command = [path(), "--quiet", *arguments]
    if time_limit is not None:
        command += ["--time-limit", str(time_limit)]
    if any("\0" in a for a in command):
        raise InputError("a text with a zero byte")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    if done.returncode in accept:
        return done.stdout
    message = done.stderr.strip().removeprefix("critscale: ") or f"the program ended with {done.returncode}"
    if done.returncode == BAD_INPUT:
        raise InputError(message)
    if done.returncode == UNDECIDED:
        raise LimitError(message)
    raise Error(message)


def values(node: Any) -> Any:
    """The JSON with every V as an Enclosure; a V without a value because it is undefined stays a dict."""
    if isinstance(node, list):
        return [values(v) for v in node]
    if not isinstance(node, dict):
        return node
    if {"value", "lo", "hi", "digits", "hex"} <= node.keys():
        return Enclosure.from_json(node) if node["hex"] is not None else node
    return {key: values(v) for key, v in node.items()}


def run_json(arguments: list[str], accept: tuple[int, ...] = (DONE,), time_limit: Optional[float] = None) -> Any:
    """The JSON that the program writes with `--format json`, with Enclosures for numbers."""
    return values(json.loads(run([*arguments, "--format", "json"], accept, time_limit)))
