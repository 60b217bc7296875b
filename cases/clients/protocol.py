"""What the clients share: JSON lines in, JSON lines out, exact texts to floating point."""
import json
import sys
from fractions import Fraction


def number(text):
    """The nearest double to an exact text; the tables' inputs are exact in the formats they name."""
    if text == "-inf":
        return float("-inf")
    return float(Fraction(text)) if "/" in text else float(text)


def serve(answer):
    """Answers every question; `answer(op, inputs)` returns a number, a list or None (not implemented)."""
    for line in sys.stdin:
        question = json.loads(line)
        value = answer(question["op"], question["inputs"])
        if value is not None:
            print(json.dumps({"id": question["id"], "value": value}), flush=False)
