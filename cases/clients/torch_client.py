"""torch.softmax and torch.logsumexp, torch.special.entr, and an attention row made of them.

Usage: torch_client.py float64|float32|float16|bfloat16
"""
import sys

import torch

import protocol

dtype = getattr(torch, sys.argv[1])


def tensor(texts):
    return torch.tensor([protocol.number(t) for t in texts], dtype=torch.float64).to(dtype)


def answer(op, inputs):
    if op == "softmax":
        result = torch.softmax(tensor(inputs["logits"]), dim=0)
    elif op == "logsumexp":
        result = torch.logsumexp(tensor(inputs["logits"]), dim=0)
    elif op == "entropy":
        p = torch.softmax(tensor(inputs["logits"]), dim=0)
        result = torch.special.entr(p).sum()
    elif op == "attention_row":
        d = protocol.number(inputs.get("d", "1"))
        values = torch.stack([tensor(row) for row in inputs["values"]])
        result = torch.softmax(tensor(inputs["scores"]) * d**-0.5, dim=0) @ values
    else:
        return None
    return result.to(torch.float64).tolist()


protocol.serve(answer)
