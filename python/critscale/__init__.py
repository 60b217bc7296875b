"""Critscale: attention at long context with guaranteed error bounds.

The functions are named as the subcommands of the program `critscale`. Numbers that go in are exact; numbers that
come out are Enclosures, or structured arrays with fields value, lo and hi.

>>> import critscale
>>> critscale.evaluate(rho="1/3", n=1000, gamma="critical", digits=12).self_weight
Enclosure(0.500250125063)
"""
from ._attention import attention
from ._commands import Table, boundary, check, layers, limit, random, read_table, schedule, table, verify
from ._conformance import Question, assert_conforms, questions
from ._core import Enclosure, Evaluation
from ._errors import Error, InputError, LimitError, UndecidedError, UndefinedError
from ._evaluate import Grid, evaluate
from ._exact import box
from ._results import Result, Results, Verdict
from ._tokens import tokens
from ._version import __version__

__all__ = [
    "Enclosure", "Error", "Evaluation", "Grid", "InputError", "LimitError", "Question", "Result", "Results", "Table",
    "UndecidedError", "UndefinedError", "Verdict", "__version__", "assert_conforms", "attention", "boundary", "box",
    "check", "evaluate", "layers", "limit", "questions", "random", "read_table", "schedule", "table", "tokens", "verify",
]  # fmt: skip
