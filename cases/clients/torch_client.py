"""torch.softmax and torch.logsumexp, torch.special.entr, and an attention row made of them.

Usage: torch_client.py float64|float32|float16|bfloat16
"""
import sys

import torch

import protocol

dtype = getattr(torch, sys.argv[1])
torch.set_num_threads(1)


def tensor(texts):
    return torch.tensor([protocol.number(t) for t in texts], dtype=torch.float64).to(dtype)


def attention_row(inputs):
    scores = tensor(inputs["scores"]) * protocol.number(inputs.get("d", "1")) ** -0.5
    values = torch.stack([tensor(row) for row in inputs["values"]])
    if "softcap" in inputs:
        cap = protocol.number(inputs["softcap"])
        scores = torch.where(torch.isneginf(scores), scores, cap * torch.tanh(scores / cap))
    if "visible" in inputs:
        scores[int(inputs["visible"]) :] = -torch.inf
    if "sink" in inputs:
        scores = torch.cat([scores, tensor([inputs["sink"]])])
        values = torch.cat([values, torch.zeros(1, values.shape[1], dtype=dtype)])
    if torch.isneginf(scores).all():
        return torch.zeros(values.shape[1])
    return torch.softmax(scores, dim=0) @ values


def answer(op, inputs):
    if op == "softmax":
        result = torch.softmax(tensor(inputs["logits"]), dim=0)
    elif op == "logsumexp":
        result = torch.logsumexp(tensor(inputs["logits"]), dim=0)
    elif op == "entropy":
        p = torch.softmax(tensor(inputs["logits"]), dim=0)
        result = torch.special.entr(p).sum()
    elif op == "attention_row":
        result = attention_row(inputs)
    else:
        return None
    return result.to(torch.float64).tolist()


protocol.serve(answer)
