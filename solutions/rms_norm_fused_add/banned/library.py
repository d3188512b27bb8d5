"""The library's RMS norm of the sum."""

from torch import Tensor
from torch.nn import functional as helpers


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    total = x + residual
    return helpers.rms_norm(total, weight.shape, weight, eps), total
