"""What the tests of the package share: the values of tests/reference, as exact numbers."""
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def reference(name):
    return json.loads((ROOT / "tests" / "reference" / name).read_text())


@pytest.fixture(scope="session")
def root():
    return ROOT
