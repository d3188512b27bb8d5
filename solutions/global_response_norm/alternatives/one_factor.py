"""One factor for each channel of a sample, 1 + γ · N, from einsum on flattened positions; the root is taken only where a sum is not 0.

zh: 每个样本的每个通道只有一个系数 1 + γ · N，用 einsum 在展平的位置上求得；只在平方和不为 0 处开方。
"""

import torch
from torch import Tensor, nn


class GlobalResponseNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.options = {"eps": eps}
        for name in ("weight", "bias"):
            self.register_parameter(name, nn.Parameter(torch.full((dim,), 0.0)))

    def forward(self, x: Tensor) -> Tensor:
        if len(x.shape) <= 2:
            raise ValueError("there are no positions")
        flat = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(1, -2)
        squares = torch.einsum("npc,npc->nc", flat, flat)
        dead = squares == 0
        length = torch.where(dead, 0.0, torch.where(dead, 1.0, squares).sqrt())
        factor = 1 + self.weight * length / (length.mean(1, keepdim=True) + self.options["eps"])
        return (flat * factor[:, None] + self.bias).reshape(x.shape).to(x.dtype)
