"""Memory, threads, Ctrl-C, doctests and stubs."""
import ast
import doctest
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import critscale


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_is_flat_over_many_calls():
    array = np.array([[1.0, 0.0], [0.5, 1.0], [0.25, -1.0]])

    def calls(count):
        for i in range(count):
            e = critscale.evaluate(rho="1/3", n=1000, gamma=1.5, digits=15, quantities=("self_weight", "band_weights"))
            e.self_weight.hi, e.band_weights[0].value
            if i % 20 == 0:
                critscale.evaluate(rho=[0.25, 0.5], n=1000, gamma=1, quantities="entropy")
                critscale.tokens(array, gamma=1, quantities="entropy")
            if i % 50 == 0:
                with pytest.raises(critscale.InputError):
                    critscale.evaluate(rho=2, n=1000, gamma=1)

    calls(5000)
    before = resident()
    calls(100_000)
    # 100,000 lost objects of 48 bytes would be more.
    assert resident() - before < 4 << 20


def test_two_threads_at_once():
    results = {}

    def work(name, rho):
        results[name] = [critscale.evaluate(rho=rho, n=1000 + i, gamma=1, digits=20).entropy.hex for i in range(300)]

    threads = [threading.Thread(target=work, args=(i, rho)) for i, rho in enumerate(["1/3", "1/3", "1/2"])]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results[0] == results[1] != results[2]


def test_other_threads_go_on_meanwhile():
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks[0]
    critscale.evaluate(rho=np.linspace(0.1, 0.9, 4000), n=1000, gamma=1)
    during = ticks[0] - before
    stop.set()
    thread.join()
    assert during >= 2


LONG = {
    "grid": "critscale.evaluate(rho=np.linspace(0.1, 0.9, 10**7), n=1000, gamma=1)",
    "tokens": "critscale.tokens(np.random.default_rng(0).normal(size=(4000, 512)), gamma=1, digits=200)",
    "program": "critscale.layers(10**9, rho='1/3', n=10**6, gamma=1, alpha=2)",
}


@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_stops_long_work(work):
    code = (
        "import critscale, numpy as np, sys\nprint('begun', flush=True)\n"
        f"try:\n    {LONG[work]}\n    print('done')\nexcept KeyboardInterrupt:\n    print('stopped')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped\n"


MODULES = ["critscale", *(f"critscale.{m.name}" for m in pkgutil.iter_modules(critscale.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    module = importlib.import_module(name)
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False)
    for test in finder.find(module, name, module=False if name.endswith("_core") else None):
        runner.run(test)
    assert runner.failures == 0


def test_every_public_function_has_an_example():
    for name in critscale.__all__:
        thing = getattr(critscale, name)
        if callable(thing) and not isinstance(thing, type) and name not in ("questions",):
            assert ">>>" in thing.__doc__ or name == "read_table", name


def test_stubs_name_what_the_module_has():
    tree = ast.parse((Path(critscale.__file__).parent / "_core.pyi").read_text())
    stubbed = {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    stubbed |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
    module = importlib.import_module("critscale._core")
    there = {n for n in dir(module) if not n.startswith("__")}
    assert stubbed | {"Error", "InputError", "LimitError", "UndecidedError", "UndefinedError"} == there
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            members = {m.name for m in node.body if isinstance(m, ast.FunctionDef) and not m.name.startswith("__")}
            real = {m for m in vars(getattr(module, node.name)) if not m.startswith("__")}
            assert members == real - {"_pybind11_conduit_v1_"}, node.name
    assert (Path(critscale.__file__).parent / "py.typed").exists()
