"""Softmax: exp(x) / Σ exp(x), at any magnitude."""

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Every row along `dim` becomes positive weights whose sum is 1."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    largest = wide.detach().amax(dim, keepdim=True)  # a shift of a row changes nothing, so it needs no gradient
    e = torch.exp(wide - largest)
    y = e / e.sum(dim, keepdim=True)
    return y.to(x.dtype)
