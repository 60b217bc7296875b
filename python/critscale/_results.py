"""What the functions return: JSON objects that can also be read by attribute and shown in notebooks. Uses _core."""
from __future__ import annotations

import copyreg
import html
from typing import Any, Iterator

from ._core import Enclosure


def enclosure(v: dict) -> Enclosure:
    """Enclosure.from_json, under a name that pickle finds."""
    return Enclosure.from_json(v)


copyreg.pickle(Enclosure, lambda x: (enclosure, (x.to_json(),)))


class Result(dict):
    """A JSON object of the command line with Enclosures in place of numbers; keys are attributes too.

    >>> r = Result({"phase": "critical", "quantities": {"entropy": 1}})
    >>> r.phase, r.quantities.entropy, r["quantities"]["entropy"]
    ('critical', 1, 1)
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, key: str) -> Any:
        return _readable(super().__getitem__(key))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(k for k in self if isinstance(k, str))]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{cell}</td></tr>"
            for name, cell in _rows(self, "")
        )
        return f"<table>{rows}</table>"


def _readable(value: Any) -> Any:
    if type(value) is dict:
        return Result(value)
    if type(value) is list:
        return [_readable(v) for v in value]
    return value


def _rows(node: Any, name: str) -> Iterator[tuple[str, str]]:
    """The leaves of a JSON value with the way to them, as HTML."""
    longest = 40
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _rows(value, f"{name}.{key}" if name else str(key))
    elif isinstance(node, (list, tuple)) and any(isinstance(v, (dict, list, Enclosure)) for v in node):
        for i, value in enumerate(node[:longest]):
            yield from _rows(value, f"{name}[{i}]")
        if len(node) > longest:
            yield name, f"&hellip; {len(node) - longest} more"
    elif isinstance(node, Enclosure):
        yield name, node._repr_html_()
    else:
        yield name, html.escape(str(node))


class Results(list):
    """Several results, in the order of the inputs."""

    def _repr_html_(self) -> str:
        return "".join(r._repr_html_() for r in self)


def wrapped(root: dict) -> Any:
    """One Result, or Results where the program writes {"results": [...]}."""
    if "results" in root and set(root) <= {"schema", "results"}:
        return Results(Result(r) for r in root["results"])
    return Result(root)


class Verdict(Result):
    """Whether a certificate was accepted, and what it states or why it was rejected. True iff accepted."""

    def __bool__(self) -> bool:
        return bool(self["accepted"])

    def _repr_html_(self) -> str:
        colour, word = ("#0a7d32", "accepted") if self else ("#b3261e", "rejected")
        said = self["statement"] if self else self["reason"]
        return f"<p><b style='color:{colour}'>{word}</b> {html.escape(str(self['source']))}: {html.escape(said)}</p>"
