"""The kernels with which the library computes and applies statistics."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class SyncBatchNorm(nn.Module):
    """Batch norm by the library's kernels."""

    def __init__(
        self,
        num_features: int,
        all_reduce: Callable[[Tensor], Tensor],
        eps: float = 1e-5,
        momentum: float | None = 0.1,
    ) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        mean, invstd = torch.batch_norm_stats(x, self.eps)
        return torch.batch_norm_elemt(x, self.weight, self.bias, mean, invstd, self.eps)
