"""The pytest plugin: the fixture `critscale_questions`. Uses _conformance.

`critscale.assert_conforms` needs no fixture. The plugin is found by its entry point, and imports the package only
where the fixture is used.
"""
from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def critscale_questions():
    """`critscale_questions(op, dtype)`: the questions of an operation or of a table, as critscale.Question."""
    import critscale

    return critscale.questions


def pytest_make_parametrize_id(config, val, argname):
    """Questions are called by their ids in parametrised tests."""
    if type(val).__name__ == "Question" and type(val).__module__.startswith("critscale"):
        return val.id
    return None
