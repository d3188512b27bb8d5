"""Local response normalisation (Krizhevsky et al. 2012), with alpha divided by the size of the window as in PyTorch."""

import torch
from torch import Tensor, nn


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """y = x / (k + α/n · Σ x²)^β, where the sum runs over a window of n neighbouring channels at the same position."""
    if x.dim() < 3:
        raise ValueError(f"x should be (N, C, *) with at least one dimension behind the channels, but has the shape {tuple(x.shape)}")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    squares = wide.square().movedim(1, -1)  # channels last, where pad begins
    padded = nn.functional.pad(squares, (size // 2, (size - 1) // 2))  # zeros beyond the first and the last channel
    mean = padded.unfold(-1, size, 1).mean(dim=-1)  # one window of `size` numbers per channel, zeros counted
    denominator = (k + alpha * mean.movedim(-1, 1)) ** beta
    y = wide / denominator
    return y.to(x.dtype)
