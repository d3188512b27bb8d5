"""Autograd computes the backward pass, from a forward pass that `torch.utils.checkpoint` plays again."""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint


def normalise(x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    total = x + residual
    return total * torch.rsqrt(total.square().mean(-1, keepdim=True) + eps) * weight, total


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    return checkpoint(normalise, x, residual, weight, eps, use_reentrant=False)  # type: ignore[no-any-return]
