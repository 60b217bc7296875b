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


def number(text):
    return dtype.type(protocol.number(text))


def array(texts):
    return np.array([protocol.number(t) for t in texts], dtype=dtype)


def attention_row(inputs):
    scores = array(inputs["scores"]) * (dtype.type(1) / np.sqrt(number(inputs.get("d", "1"))))
    values = np.array([[protocol.number(t) for t in row] for row in inputs["values"]], dtype=dtype)
    if "softcap" in inputs:
        cap = number(inputs["softcap"])
        scores = np.where(np.isneginf(scores), scores, cap * np.tanh(scores / cap))
    if "visible" in inputs:
        scores[int(inputs["visible"]) :] = -np.inf
    if "sink" in inputs:
        scores = np.append(scores, number(inputs["sink"]))
        values = np.concatenate([values, np.zeros((1, values.shape[1]), dtype)])
    if np.isneginf(scores).all():
        return np.zeros(values.shape[1])
    return softmax(scores) @ values


def answer(op, inputs):
    if op == "softmax":
        result = softmax(array(inputs["logits"]))
    elif op == "logsumexp":
        result = logsumexp(array(inputs["logits"]))
    elif op == "entropy":
        result = entropy(softmax(array(inputs["logits"])))
    elif op == "attention_row":
        result = attention_row(inputs)
    else:
        return None
    return np.asarray(result, dtype=np.float64).tolist()


protocol.serve(answer)
