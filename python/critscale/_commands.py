"""The functions that run the program: limit, boundary, schedule, layers, random, table, check; and verify, which
does not. Uses _program, _results and _exact."""
from __future__ import annotations

import csv
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core, _program
from ._errors import InputError
from ._exact import Exact, text, texts
from ._results import Result, Results, Verdict, wrapped

PathLike = Union[str, "os.PathLike[str]"]


def _flags(**given: Any) -> list[str]:
    """--name=value for every value; lists repeat the flag, True is a flag alone."""
    r: list[str] = []
    for name, value in given.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            r.append(flag)
            continue
        r += [f"{flag}={t}" for t in texts(value, name.rstrip("_"))]
    return r


def _bands(bands: Optional[Iterable[tuple[Exact, Exact]]]) -> list[str]:
    r = []
    for band in bands or ():
        if isinstance(band, str) or len(band) != 2:
            raise TypeError(f"bands: expected pairs (r, size), found {band!r}")
        r.append(f"--band=r={text(band[0], 'bands: r')},size={text(band[1], 'bands: size')}")
    return r


def _quantities(names: Union[str, Iterable[str], None]) -> list[str]:
    return [f"--quantities={n}" for n in ([names] if isinstance(names, str) else names or ())]


def _cases(case_file: Optional[PathLike]) -> list[str]:
    return [] if case_file is None else [os.fspath(case_file)]


def limit(
    case_file: Optional[PathLike] = None,
    *,
    rho: Any = None,
    bands: Optional[Sequence[tuple[Exact, Exact]]] = None,
    gamma: Any = None,
    beta: Any = None,
    alpha: Any = None,
    q: Any = None,
    d: Any = None,
    quantities: Union[str, Iterable[str], None] = None,
    terms: int = 2,
    digits: int = 30,
    time_limit: Optional[float] = None,
) -> Any:
    """Phase, exact limits, rates and leading terms as n grows: the JSON of `critscale limit`, as a Result.

    >>> import critscale
    >>> r = critscale.limit(rho="1/3", gamma="critical", quantities="jacobian_norm")
    >>> r.phase, r.thresholds, r.quantities.jacobian_norm.limit
    ('critical', ['3/2'], '1/4')
    """
    arguments = ["limit", *_cases(case_file), *_bands(bands), *_quantities(quantities)]
    arguments += _flags(rho=rho, gamma=gamma, beta=beta, alpha=alpha, q=q, d=d, terms=terms, digits=digits)
    return wrapped(_program.run_json(arguments, time_limit=time_limit))


def boundary(
    case_file: Optional[PathLike] = None,
    *,
    rho: Any = None,
    bands: Optional[Sequence[tuple[Exact, Exact]]] = None,
    n: Any = None,
    alpha: Any = None,
    solve: Optional[str] = None,
    gamma_range: Optional[tuple[Exact, Exact]] = None,
    diagram: Optional[str] = None,
    digits: int = 30,
    time_limit: Optional[float] = None,
) -> Any:
    """Exact thresholds and certified transitions at finite n: the JSON of `critscale boundary`, as a Result.

    >>> import critscale
    >>> r = critscale.boundary(rho="1/3", n=10**6, digits=20)
    >>> r.thresholds, r.transitions
    (['3/2'], [Enclosure(1.4999998914263252373)])
    """
    between = None
    if gamma_range is not None:
        between = ":".join(text(v, "gamma_range") for v in gamma_range)
    arguments = ["boundary", *_cases(case_file), *_bands(bands)]
    arguments += _flags(rho=rho, n=n, alpha=alpha, solve=solve, gamma_range=between, diagram=diagram, digits=digits)
    return wrapped(_program.run_json(arguments, time_limit=time_limit))


def schedule(
    schedule: Union[str, Sequence[str], None] = None,
    *,
    config: Optional[PathLike] = None,
    rho: Any = None,
    bands: Optional[Sequence[tuple[Exact, Exact]]] = None,
    threshold: Any = None,
    tokens: Optional[PathLike] = None,
    n: Any = None,
    position: Any = None,
    digits: int = 30,
    time_limit: Optional[float] = None,
    **constants: Any,
) -> Any:
    """Verdicts on scaling schedules: the JSON of `critscale schedule`, as a Result or Results.

    `constants` are the schedule's, such as train_length, logit_scale, coefficient, factor, head_dim. `config` is a
    model's config.json in place of a schedule's name.

    >>> import critscale
    >>> r = critscale.schedule("ssmax", rho="1/3", coefficient="3/16", logit_scale=8)
    >>> r.limit.phase
    'critical'
    """
    names = [schedule] if isinstance(schedule, str) else list(schedule or ())
    arguments = ["schedule", *(f"--schedule={s}" for s in names), *_bands(bands)]
    arguments += _flags(rho=rho, n=n, position=position, threshold=threshold, digits=digits, **constants)
    arguments += [f"--{k}={os.fspath(v)}" for k, v in (("config", config), ("tokens", tokens)) if v is not None]
    return wrapped(_program.run_json(arguments, time_limit=time_limit))


def layers(
    layers: Any,
    *,
    rho: Any = None,
    bands: Optional[Sequence[tuple[Exact, Exact]]] = None,
    n: Any,
    gamma: Any = None,
    beta: Any = None,
    alpha: Any = None,
    q: Any = None,
    d: Any = None,
    jacobian: bool = False,
    digits: int = 30,
    time_limit: Optional[float] = None,
) -> Any:
    """Norms and inner products after many layers: the JSON of `critscale layers`, as a Result.

    >>> import critscale
    >>> r = critscale.layers([1, 10], rho="1/3", n=1000, gamma=2, digits=8)
    >>> [state.layers for state in r.by_layers]
    [1, 10]
    """
    arguments = ["layers", *_bands(bands)]
    arguments += _flags(layers=layers, rho=rho, n=n, gamma=gamma, beta=beta, alpha=alpha, q=q, d=d, jacobian=jacobian)
    return wrapped(_program.run_json([*arguments, f"--digits={digits}"], time_limit=time_limit))


def random(
    *,
    keys: str = "sphere",
    dim: Any = None,
    kappa: Any = None,
    n: Any = None,
    gamma: Any = None,
    beta: Any = None,
    rho: Any = None,
    aligned_key: bool = True,
    digits: int = 30,
    time_limit: Optional[float] = None,
    **more: Any,
) -> Any:
    """Certified expectations over random keys: the JSON of `critscale random`, as a Result.

    >>> import critscale
    >>> critscale.random(keys="sphere", kappa=2, digits=20).thresholds.g_self
    Enclosure(1.4265443496311339483)
    """
    arguments = ["random", *_flags(keys=keys, dim=dim, kappa=kappa, n=n, gamma=gamma, beta=beta, rho=rho)]
    arguments += _flags(no_aligned_key=not aligned_key, digits=digits, **more)
    return wrapped(_program.run_json(arguments, time_limit=time_limit))


class Table:
    """A reference table: its rows as exact texts, and its columns as arrays."""

    def __init__(self, content: str) -> None:
        lines = content.splitlines()
        self.about = [line[2:] for line in lines if line.startswith("# ")]
        reader = csv.reader(line for line in lines if not line.startswith("#"))
        self.columns = next(reader, [])
        self.rows = [dict(zip(self.columns, row)) for row in reader]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, column: str) -> list[str]:
        if column not in self.columns:
            raise KeyError(column)
        return [row[column] for row in self.rows]

    def array(self, column: str) -> np.ndarray:
        """The column as float64, each entry the double next to the text; nan for empty cells."""
        return np.array([float(v) if v else np.nan for v in self[column]])

    def _repr_html_(self) -> str:
        most = 20
        names = [c for c in self.columns if c not in ("why",)]
        show = [Result({c: r[c] for c in names if r[c]}) for r in self.rows[:most]]
        more = f"<p>{len(self) - most} more rows</p>" if len(self) > most else ""
        return "".join(r._repr_html_() for r in show) + more


def table(
    case_file: Optional[PathLike] = None,
    output: Optional[PathLike] = None,
    *,
    rho: Any = None,
    bands: Optional[Sequence[tuple[Exact, Exact]]] = None,
    n: Any = None,
    gamma: Any = None,
    beta: Any = None,
    alpha: Any = None,
    q: Any = None,
    d: Any = None,
    quantities: Union[str, Iterable[str], None] = None,
    digits: int = 30,
    force: bool = False,
    time_limit: Optional[float] = None,
) -> Optional[Table]:
    """A reference table, by `critscale table`: written to `output` (.csv .json .npy .npz .h .tex), or returned.

    >>> import critscale
    >>> t = critscale.table(rho=["1/3", "1/2"], n=100, gamma=2, quantities="self_weight", digits=10)
    >>> t["self_weight.value"]
    ['0.8242059161', '0.5025125628']
    """
    arguments = ["table", *_cases(case_file), *_bands(bands), *_quantities(quantities)]
    arguments += _flags(rho=rho, n=n, gamma=gamma, beta=beta, alpha=alpha, q=q, d=d, force=force)
    if case_file is None:
        arguments.append(f"--digits={digits}")
    if output is not None:
        _program.run([*arguments, "-o", os.fspath(output)], time_limit=time_limit)
        return None
    with tempfile.TemporaryDirectory(prefix="critscale-") as folder:
        place = Path(folder) / "table.csv"
        _program.run([*arguments, "-o", str(place)], time_limit=time_limit)
        return Table(place.read_text(encoding="utf-8"))


def plain(value: Any) -> Any:
    """A value that check reads: numbers, or lists of them, as texts that keep every bit."""
    if hasattr(value, "detach"):
        value = value.detach()
    array = np.asarray(value)
    if array.dtype == object:
        return [plain(v) for v in array] if array.ndim else text(value, "value")
    if array.dtype.kind not in "fiu":
        raise TypeError(f"expected numbers, found {array.dtype}")
    numbers = array.astype(np.float64) if array.dtype.kind == "f" and array.dtype.itemsize <= 8 else array
    if numbers.ndim == 0:
        return repr(numbers.item())
    return [plain(v) for v in numbers]


def check(
    table: PathLike,
    candidate: Union[PathLike, Mapping[str, Any], None] = None,
    *,
    run: Optional[str] = None,
    tolerance: str = "rounding",
    arithmetic: Optional[str] = None,
    time_limit: Optional[float] = None,
) -> Result:
    """Another implementation's values against a table, by `critscale check`: its JSON report, as a Result.

    `candidate` is a file, or the values by the table's ids. `run` is a command that answers questions instead.

    >>> import critscale, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = os.path.join(folder, "t.csv")
    ...     critscale.table(rho="1/3", n=100, gamma=2, quantities="self_weight", output=place)
    ...     t = critscale.read_table(place)
    ...     good = critscale.check(place, dict(zip(t["id"], t.array("self_weight.binary64"))))
    ...     bad = critscale.check(place, {t["id"][0]: 0.82})
    >>> good.conforms, bad.conforms
    (True, False)
    """
    with tempfile.TemporaryDirectory(prefix="critscale-") as folder:
        arguments = ["check", os.fspath(table)]
        if isinstance(candidate, Mapping):
            place = Path(folder) / "candidate.json"
            place.write_text(json.dumps([{"id": k, "value": plain(v)} for k, v in candidate.items()]))
            arguments.append(str(place))
        elif candidate is not None:
            arguments.append(os.fspath(candidate))
        arguments += _flags(run=run, tolerance=tolerance, arithmetic=arithmetic)
        found = _program.run([*arguments, "--format", "json"], (0, 1, 3), time_limit)
        if not found:
            _program.run([*arguments, "--format", "json"], (0,), time_limit)
    report = json.loads(found)
    return Result({"conforms": report["verdict"] == "conforms", **report})


def read_table(path: PathLike) -> Table:
    """A table that was written to a .csv file."""
    return Table(Path(path).read_text(encoding="utf-8"))


def _certificate(source: Any) -> tuple[str, str]:
    if isinstance(source, Mapping):
        return json.dumps(source), "certificate"
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return source, "certificate"
    try:
        return Path(source).read_text(encoding="utf-8"), os.fspath(source)
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"{os.fspath(source)}: {e}") from None


def verify(certificates: Any) -> Any:
    """Re-checks certificates with the independent checker: a file, a dict or JSON text, or a list of those.

    >>> import critscale
    >>> bool(critscale.verify("{}")), critscale.verify("{}").reason
    (False, 'schema is missing')
    """
    if isinstance(certificates, (str, os.PathLike, Mapping)):
        content, source = _certificate(certificates)
        accepted, said = _core.verify_text(content)
        return Verdict({"source": source, "accepted": accepted, "statement" if accepted else "reason": said})
    return Results(verify(c) for c in certificates)


__all__ = ["Table", "boundary", "check", "layers", "limit", "random", "read_table", "schedule", "table", "verify"]
