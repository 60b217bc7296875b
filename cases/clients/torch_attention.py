"""Questions on attention answered by PyTorch's scaled_dot_product_attention, gradients by its autograd.

Usage: torch_attention.py float64|float32|bfloat16 [sdpa|eager|fused]
sdpa (default) takes PyTorch's own operator where it has what is asked, and `eager` elementwise operations of the same
type otherwise (softcap, sink, log-sum-exp); with `eager` all is made of those. Heads are repeated for grouped ones.
Where the operator has no scale of its own (PyTorch 1) the queries are multiplied beforehand. `fused` answers outputs of
self-attention alone, by the operator of nn.MultiheadAttention's fast path with projections that are the identity.
"""
import math
import sys

import torch
import torch.nn.functional as functional

import protocol

dtype = getattr(torch, sys.argv[1])
how = sys.argv[2] if len(sys.argv) > 2 else "sdpa"
torch.set_num_threads(1)

PUBLIC = getattr(functional, "scaled_dot_product_attention", None)
OLD = getattr(functional, "_scaled_dot_product_attention", None)


def tensor(value):
    return torch.tensor(protocol.nested(value), dtype=torch.float64).to(dtype)


def heads(value):
    """Heads, rows, width; batches are more heads."""
    x = tensor(value)
    return x.reshape(-1, *x.shape[-2:])


class Asked:
    def __init__(self, inputs):
        self.inputs = inputs
        self.quantity = inputs.get("quantity", "output")
        self.q, self.k, self.v = (heads(inputs[name]).requires_grad_() for name in "qkv")
        self.sink = None
        if "sink" in inputs:
            self.sink = torch.full((len(self.q), 1, 1), protocol.number(inputs["sink"]), dtype=dtype).requires_grad_()
        self.group = len(self.q) // len(self.k)

    def scale(self):
        given = self.inputs.get("scale")
        return protocol.number(given) if given else 1 / math.sqrt(self.q.shape[-1])

    def visible(self):
        """m x n, true where a row sees a key by its place."""
        m, n = self.q.shape[1], self.k.shape[1]
        causal = self.inputs.get("causal", "none")
        place = torch.arange(m)[:, None] + (n - m if causal == "bottom-right" else 0)
        distance = place - torch.arange(n)[None, :]
        seen = torch.ones(m, n, dtype=torch.bool)
        if causal != "none":
            seen &= distance >= 0
        if "window" in self.inputs:
            seen &= distance < int(self.inputs["window"])
        return seen

    def repeated(self):
        return self.k.repeat_interleave(self.group, 0), self.v.repeat_interleave(self.group, 0)

    def scores(self):
        """Capped and masked; minus infinity where a key is not visible."""
        k, _ = self.repeated()
        s = torch.matmul(self.q, k.transpose(-2, -1)) * self.scale()
        seen = self.visible()
        mask = tensor(self.inputs["mask"]) if "mask" in self.inputs else torch.zeros(seen.shape, dtype=dtype)
        seen &= ~torch.isneginf(mask)
        mask = mask.masked_fill(torch.isneginf(mask), 0)
        if "softcap" in self.inputs:
            c = protocol.number(self.inputs["softcap"])
            if self.inputs.get("softcap_after_mask") == "true":
                s = c * torch.tanh((s + mask) / c)
            else:
                s = c * torch.tanh(s / c) + mask
        elif "mask" in self.inputs:
            s = s + mask
        return s.masked_fill(~seen, -math.inf)

    def with_sink(self, s):
        return s if self.sink is None else torch.cat([s, self.sink.expand(-1, s.shape[1], 1)], -1)

    def eager(self):
        s = self.with_sink(self.scores())
        _, v = self.repeated()
        empty = torch.isneginf(s).all(-1, keepdim=True)
        p = torch.softmax(s.masked_fill(empty, 0), -1).masked_fill(empty, 0)
        return torch.matmul(p[..., : v.shape[1]], v)

    def operator(self):
        k, v = self.repeated()
        masked = "window" in self.inputs or self.inputs.get("causal") == "bottom-right" or "mask" in self.inputs
        mask, causal = None, not masked and self.inputs.get("causal") == "top-left"
        if masked:
            mask = self.visible()
            if "mask" in self.inputs:
                mask = tensor(self.inputs["mask"]).masked_fill(~mask, -math.inf)
        if PUBLIC:
            # PyTorch 2, which has never been run with this client: what is reported comes from PyTorch 1.
            given = {"scale": self.scale()} if "scale" in self.inputs else {}
            return PUBLIC(self.q[None], k[None], v[None], attn_mask=None if mask is None else mask, is_causal=causal, **given)[0]
        q = self.q if "scale" not in self.inputs else self.q * (self.scale() * math.sqrt(self.q.shape[-1]))
        return OLD(q[None], k[None], v[None], mask, 0.0, False, causal)[0][0]

    def output(self):
        own = {"softcap", "sink"} & set(self.inputs) or (OLD and not PUBLIC and "mask" in self.inputs)
        return self.eager() if how == "eager" or own else self.operator()

    def fused(self):
        """None where the operator has no such attention."""
        h, m, d = self.q.shape
        if self.quantity != "output" or self.q.shape != self.k.shape or self.q.shape != self.v.shape:
            return None
        if {"scale", "softcap", "sink", "mask"} & set(self.inputs):
            return None
        q, k, v = (x.detach().transpose(0, 1).reshape(1, m, h * d) for x in (self.q, self.k, self.v))
        one = torch.eye(h * d).to(dtype)
        none = torch.zeros(h * d, dtype=dtype)
        # Of the kinds of masks that it takes on a CPU, the one of full shape (2).
        hidden = (~self.visible()).expand(1, h, m, m).contiguous() if {"causal", "window"} & set(self.inputs) else None
        out, _ = torch._native_multi_head_attention(
            q, k, v, h * d, h, torch.cat([one] * 3), torch.cat([none] * 3), one, none, hidden, False, False,
            None if hidden is None else 2)
        return out.reshape(m, h, d).transpose(0, 1)

    def answer(self):
        if self.quantity == "lse":
            return torch.logsumexp(self.with_sink(self.scores()), -1)
        out = self.output()
        if self.quantity == "output":
            return out
        out.backward(heads(self.inputs["d_out"]))
        return {"dq": self.q, "dk": self.k, "dv": self.v, "dsink": self.sink}[self.quantity].grad


def answer(op, inputs):
    if op != "attention":
        return None
    asked = Asked(inputs)
    result = asked.fused() if how == "fused" else asked.answer()
    return None if result is None else result.detach().to(torch.float64).tolist()


protocol.serve(answer)
