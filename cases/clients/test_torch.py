"""PyTorch's softmax and attention rows against certified values: a test of ten lines, run by `cases/clients/run`."""
import critscale
import torch


def softmax(z):
    return torch.softmax(torch.from_numpy(z), dim=0)


def attention_row(scores, values, d=1):
    return torch.softmax(torch.from_numpy(scores) * d**-0.5, dim=0) @ torch.from_numpy(values)


def test_kernels():
    critscale.assert_conforms(softmax, "softmax", dtype="float32")
    critscale.assert_conforms(attention_row, "attention_row", dtype=torch.float64)
