"""Attention rows written out in NumPy, in stated formats and orders of summation.

Usage: numpy_client.py FORMAT ORDER
FORMAT: float64, float32, bfloat16 and float16 (sums in float32), float16-sums (sums in float16 too)
ORDER: forward, reversed, pairwise, online1, online7, online64 (online softmax in blocks of so many keys)
"""
import sys

import numpy as np

import protocol


class Format:
    """Numbers are held in `dtype` after `round`; sums in `sums`."""

    def __init__(self, name):
        self.dtype = np.dtype({"float64": np.float64, "float32": np.float32, "bfloat16": np.float32}.get(name, np.float16))
        self.sums = self.dtype if name in ("float64", "float16-sums") else np.dtype(np.float32)
        self.is_bfloat16 = name == "bfloat16"

    def round(self, x):
        x = np.asarray(x).astype(self.dtype)
        if not self.is_bfloat16:
            return x
        bits = x.view(np.uint32)
        # Ties to even: half a unit less one, and one more where the kept part is odd.
        kept = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
        return np.where(np.isfinite(x), kept.view(np.float32), x)

    def array(self, texts):
        return self.round(np.array([protocol.number(t) for t in texts], dtype=np.float64))


class Row:
    """One row of scores; `order` says how sums are taken."""

    def __init__(self, form, order):
        self.f = form
        self.order = order
        self.block = int(order[6:]) if order.startswith("online") else None

    def sum(self, terms):
        """Over the first axis, in the format of sums."""
        t = terms.astype(self.f.sums)
        if len(t) == 0:
            return np.zeros(t.shape[1:], self.f.sums)
        if self.order == "pairwise":
            while len(t) > 1:
                odd = t[-1:] if len(t) % 2 else t[:0]
                t = np.concatenate([t[0 : len(t) - 1 : 2] + t[1::2], odd])
            return t[0]
        if self.order == "reversed":
            t = t[::-1]
        return np.add.accumulate(t, axis=0, dtype=self.f.sums)[-1]

    def exp(self, scores, top):
        with np.errstate(invalid="ignore"):
            return np.where(np.isneginf(scores), 0, self.f.round(np.exp(self.f.round(scores - top)))).astype(self.f.dtype)

    def top_and_sum(self, scores):
        if self.block is None:
            top = scores.max()
            return top, self.f.round(self.sum(self.exp(scores, top)))
        top, total, _ = self.online(scores, np.zeros((len(scores), 0), self.f.dtype))
        return top, total

    def online(self, scores, values):
        """Maximum, sum of exponentials and sum of exponentials times values, one block of keys after the other."""
        top = self.f.dtype.type(-np.inf)
        total = self.f.sums.type(0)
        out = np.zeros(values.shape[1], self.f.sums)
        for start in range(0, len(scores), self.block):
            s, v = scores[start : start + self.block], values[start : start + self.block]
            higher = max(top, s.max())
            if np.isneginf(higher):
                continue
            if not np.isneginf(top) and higher > top:
                factor = np.exp((self.f.sums.type(top) - self.f.sums.type(higher)))
                total, out = total * factor, out * factor
            top = higher
            e = self.exp(s, top)
            total = total + np.add.accumulate(e.astype(self.f.sums))[-1]
            if out.size:
                products = e[:, None].astype(self.f.sums) * v.astype(self.f.sums)
                out = out + np.add.accumulate(products, axis=0)[-1]
        return top, self.f.round(total), out

    def softmax(self, scores):
        top, total = self.top_and_sum(scores)
        return self.f.round(self.exp(scores, top) / total)

    def logsumexp(self, scores):
        top, total = self.top_and_sum(scores)
        return self.f.round(top + self.f.round(np.log(total)))

    def entropy(self, scores):
        p = self.softmax(scores)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(p == 0, 0, self.f.round(p * self.f.round(np.log(p)))).astype(self.f.dtype)
        return self.f.round(-self.sum(terms))

    def output(self, inputs):
        f = self.f
        scores = f.array(inputs["scores"])
        values = np.stack([f.array(row) for row in inputs["values"]])
        if "d" in inputs:
            d = f.round(protocol.number(inputs["d"]))
            scores = f.round(scores * f.round(f.dtype.type(1) / f.round(np.sqrt(d))))
        if "softcap" in inputs:
            c = f.round(protocol.number(inputs["softcap"]))
            with np.errstate(invalid="ignore"):
                capped = f.round(c * f.round(np.tanh(f.round(scores / c))))
            scores = np.where(np.isneginf(scores), scores, capped)
        if "visible" in inputs:
            scores = np.where(np.arange(len(scores)) < int(inputs["visible"]), scores, f.dtype.type(-np.inf))
        if "sink" in inputs:
            scores = np.append(scores, f.round(protocol.number(inputs["sink"])))
            values = np.concatenate([values, np.zeros((1, values.shape[1]), f.dtype)])
        if np.isneginf(scores).all():
            return np.zeros(values.shape[1])
        if self.block is not None:
            _, total, out = self.online(scores, values)
            return f.round(out / total)
        p = self.softmax(scores)
        return f.round(self.sum(p[:, None].astype(f.sums) * values.astype(f.sums)))


def main():
    form = Format(sys.argv[1])
    row = Row(form, sys.argv[2])

    def answer(op, inputs):
        if op == "attention_row":
            result = row.output(inputs)
        elif op in ("softmax", "logsumexp", "entropy"):
            result = getattr(row, op)(form.array(inputs["logits"]))
        else:
            return None
        return np.asarray(result, dtype=np.float64).tolist()

    protocol.serve(answer)


main()
