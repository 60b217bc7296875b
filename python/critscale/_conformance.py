"""Whether a Python function computes what a reference table says. Uses _program, _commands and NumPy.

A question goes to the function as arrays of the type that is asked for: the numbers in the tables are exact in the
formats they are meant for, and rows whose numbers a format does not hold are not asked.
"""
from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _program
from ._commands import PathLike, plain
from ._errors import InputError

_CASES = Path(__file__).resolve().parent / "cases"

#: The cases of the package that ask about each operation.
_FILES = {
    "softmax": "implementers-softmax", "logsumexp": "implementers-softmax", "entropy": "implementers-softmax",
    "attention_row": "implementers-softmax", "layer": "implementers-layers", "jacobian_norm": "implementers-layers",
    "schedule": "implementers-layers", "attention": "attention",
}  # fmt: skip

#: Types of arrays, by the names of the arithmetics. NumPy has no bfloat16: its numbers come as float32.
_DTYPES = {"fp64": np.float64, "fp32": np.float32, "fp16": np.float16, "bf16": np.float32}
_NAMES = {"float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "double": "fp64",
          "float": "fp32", "half": "fp16"}  # fmt: skip


def _format(dtype: Any) -> str:
    """fp64, fp32, fp16 or bf16 for a NumPy type, a torch type or a name."""
    name = dtype if isinstance(dtype, str) else str(dtype)
    if isinstance(dtype, type) or isinstance(dtype, np.dtype):
        name = np.dtype(dtype).name
    name = name.removeprefix("torch.")
    name = _NAMES.get(name, name)
    if name not in _DTYPES:
        raise InputError(f"dtype: expected one of {', '.join([*_NAMES, *_DTYPES])}, found {dtype!r}")
    return name


def _number(content: str) -> float:
    if content.lower() in ("-inf", "inf", "nan"):
        return float(content)
    return float(Fraction(content))


def _numbers(content: Any) -> Any:
    return [_numbers(v) for v in content] if isinstance(content, list) else _number(content)


class Question:
    """One question of a table: `op`, and `inputs` by name.

    Lists and matrices are arrays of the type asked for; single numbers are ints or floats, yes and no are bools, names
    are texts.
    `arguments` are the arrays in order, `options` the rest: `function(*arguments, **options)`.
    """

    #: The inputs that are given by position.
    POSITIONAL = ("logits", "scores", "values", "tokens", "q", "k", "v")

    def __init__(self, line: dict, dtype: type) -> None:
        self.id: str = line["id"]
        self.op: str = line["op"]
        self.inputs: dict[str, Any] = {}
        for key, value in line["inputs"].items():
            self.inputs[key] = self._input(key, value, dtype)

    @staticmethod
    def _input(key: str, value: Any, dtype: type) -> Any:
        if key == "quantities":
            return value
        if isinstance(value, list):
            with np.errstate(over="ignore"):
                return np.array(_numbers(value), dtype=np.float64).astype(dtype)
        try:
            exact = Fraction(value)
        except ValueError:
            return {"true": True, "false": False}.get(value, value)
        return int(exact) if exact.denominator == 1 else float(exact)

    @property
    def arguments(self) -> list[np.ndarray]:
        return [self.inputs[k] for k in self.POSITIONAL if k in self.inputs]

    @property
    def options(self) -> dict[str, Any]:
        return {k: v for k, v in self.inputs.items() if k not in self.POSITIONAL}

    def __repr__(self) -> str:
        return f"<Question {self.id}>"


_written: dict[str, Path] = {}


def _cases_of(op: str) -> str:
    """The package's cases for an operation: the defaults of their file, and the tables [[case]] with that `op`."""
    content = (_CASES / f"{_FILES[op]}.toml").read_text(encoding="utf-8")
    defaults, *cases = content.split("[[case]]")
    return "[[case]]".join([defaults, *(c for c in cases if f'op = "{op}"' in c)])


def _table_of(op: str) -> Path:
    """The table of the package's cases for an operation, written once a process."""
    if not _written:
        folder = Path(tempfile.mkdtemp(prefix="critscale-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _written[""] = folder
    if op not in _written:
        cases = _written[""] / f"{op}.toml"
        cases.write_text(_cases_of(op), encoding="utf-8")
        _program.run(["table", str(cases), "--force", "-o", str(cases.with_suffix(".csv"))])
        _written[op] = cases.with_suffix(".csv")
    return _written[op]


def _place(op_or_table: PathLike) -> Path:
    if isinstance(op_or_table, str) and op_or_table in _FILES:
        return _table_of(op_or_table)
    place = Path(op_or_table)
    if place.suffix != ".csv":
        raise InputError(
            f"{os.fspath(op_or_table)!r} is neither a table (.csv) nor an operation: {', '.join(_FILES)}"
        )
    return place


def questions(op_or_table: PathLike, dtype: Any = np.float64) -> list[Question]:
    """The questions of a table (.csv), or those of the package's tables for an operation.

    >>> import critscale
    >>> first = critscale.questions("softmax", "float32")[0]
    >>> first.op, first.inputs["logits"]
    ('softmax', array([0., 0.], dtype=float32))
    """
    place = _place(op_or_table)
    name = _format(dtype)
    lines = _program.run(["check", str(place), "--questions", "--arithmetic", name]).splitlines()
    return [Question(json.loads(line), _DTYPES[name]) for line in lines]


def assert_conforms(
    function: Callable[..., Any],
    op_or_table: PathLike,
    dtype: Any = np.float64,
    tolerance: str = "rounding",
    *,
    arithmetic: Optional[str] = None,
    worst: int = 10,
) -> None:
    """Fails with a report unless `function` gives the right values for the questions of a table.

    `op_or_table` is softmax, logsumexp, entropy, attention_row, attention, layer, jacobian_norm or schedule, or a table
    (.csv) that `table` wrote from cases with an operation. The function is called as `function(*arrays, **options)`,
    with arrays of `dtype`: softmax(logits), attention_row(scores, values, d=64), attention(q, k, v, quantity="dq",
    d_out=..., causal="top-left"), layer(tokens, beta=2, alpha=0). What it returns may be anything that NumPy takes for
    an array.

    `tolerance` is "rounding", what correct code may err in this arithmetic; "torch", PyTorch's rtol and atol;
    "exact"; or "ulp=K". `arithmetic` says more than the dtype does: "fp16,accumulate=fp32".

    >>> import numpy as np, critscale
    >>> def softmax(z):
    ...     e = np.exp(z - z.max())
    ...     return e / e.sum()
    >>> critscale.assert_conforms(softmax, "softmax", dtype=np.float32)
    """
    __tracebackhide__ = True
    place = _place(op_or_table)
    stated = arithmetic or _format(dtype)
    answers = []
    for question in questions(op_or_table, dtype):
        answers.append({"id": question.id, "value": plain(_answer(function, question))})
    if not answers:
        raise InputError(f"{os.fspath(op_or_table)}: no row has inputs that {_format(dtype)} holds exactly")
    with tempfile.TemporaryDirectory(prefix="critscale-") as folder:
        candidate = Path(folder) / f"{getattr(function, '__name__', 'function')}.json"
        candidate.write_text(json.dumps(answers), encoding="utf-8")
        command = ["check", str(place), str(candidate), "--tolerance", tolerance, "--arithmetic", stated]
        report = _program.run([*command, "--worst", str(worst)], (0, 1, 3))
    if not report:
        raise InputError(f"{os.fspath(op_or_table)}: the check gave no report")
    first = report.splitlines()[0]
    if " conforms: " not in first:
        named = report.replace(str(candidate), candidate.stem, 1).replace(str(place), os.fspath(op_or_table), 1)
        raise AssertionError(named)


def _answer(function: Callable[..., Any], question: Question) -> Any:
    __tracebackhide__ = True
    with np.errstate(all="ignore"):
        return function(*question.arguments, **question.options)
