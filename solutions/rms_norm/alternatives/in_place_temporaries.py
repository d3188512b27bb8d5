"""The result is built in place in a tensor of its own; a helper that is no part of the state is a buffer with persistent=False.

zh: 结果在自己新建的张量中原地算出；不属于状态的辅助量是 persistent=False 的缓冲区。
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    positions_seen: Tensor

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.register_buffer("positions_seen", torch.tensor(0), persistent=False)
        self.register_parameter("weight", nn.Parameter(torch.empty(dim)))
        nn.init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        self.positions_seen += x.numel() // self.dim
        result = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        denominator = result.pow(2).sum(-1, keepdim=True).div_(self.dim).add_(self.eps).sqrt_()
        result = result.div(denominator)
        return torch.mul(result, self.weight).to(x.dtype)
