"""Runs pytest on one file with the built package: run.py FOLDER FILE. Exit code 77 where pytest or NumPy is missing."""
import importlib.util
import os
import subprocess
import sys

for needed in ("pytest", "numpy"):
    if importlib.util.find_spec(needed) is None:
        print(f"skipped: Python has no {needed}")
        sys.exit(77)
environment = dict(os.environ, PYTHONPATH=sys.argv[1], PYTHONDONTWRITEBYTECODE="1")
sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", sys.argv[2]], env=environment))
