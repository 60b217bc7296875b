"""Checks that NumPy reads FOLDER/table.npy and table.npz and finds the numbers of FOLDER/table.csv."""

import csv
import sys

import numpy as np

TYPES = {"binary64": np.float64, "binary32": np.float32, "binary16": np.float16}


def main(folder):
    with open(f"{folder}/table.csv", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    # A column for every value of the longest row: more header than NumPy reads from files it is not told to trust.
    arrays = {kind: np.load(f"{folder}/table.{kind}", max_header_size=1_000_000) for kind in ("npy", "npz")}
    compared = 0
    for i, row in enumerate(rows):
        for name, text in row.items():
            number = TYPES.get(name.rpartition(".")[2])
            for kind, array in arrays.items():
                found = array[name][i]
                if number is None:
                    continue
                # An answer shorter than the longest one has no value here: nan.
                right = number(text) if text else number("nan")
                if found.dtype != number or not (found == right or np.isnan(found) and np.isnan(right)):
                    sys.exit(f"{kind}, row {i}, {name}: found {found!r}, the CSV has {text!r}")
                compared += 1
    print(f"NumPy {np.__version__} reads table.npy and table.npz: {compared} numbers are those of table.csv")


main(sys.argv[1])
