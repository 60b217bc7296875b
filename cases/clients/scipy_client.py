"""scipy.special.softmax and logsumexp, scipy.stats.entropy, and an attention row made of them.

Usage: scipy_client.py float64|float32|float16
"""
import sys
import warnings

import numpy as np
from scipy.special import logsumexp, softmax
from scipy.stats import entropy

import protocol

warnings.simplefilter("ignore")
dtype = np.dtype(sys.argv[1])


def array(texts):
    return np.array([protocol.number(t) for t in texts], dtype=dtype)


def answer(op, inputs):
    if op == "softmax":
        result = softmax(array(inputs["logits"]))
    elif op == "logsumexp":
        result = logsumexp(array(inputs["logits"]))
    elif op == "entropy":
        result = entropy(softmax(array(inputs["logits"])))
    elif op == "attention_row":
        scale = dtype.type(1) / np.sqrt(dtype.type(protocol.number(inputs.get("d", "1"))))
        values = np.array([[protocol.number(t) for t in row] for row in inputs["values"]], dtype=dtype)
        result = softmax(array(inputs["scores"]) * scale) @ values
    else:
        return None
    return np.asarray(result, dtype=np.float64).tolist()


protocol.serve(answer)
