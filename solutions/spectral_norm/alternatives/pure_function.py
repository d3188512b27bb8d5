"""A pure function of the weight and the vectors returns σ and the new vectors, which are then assigned; v is registered before u.

zh: 一个纯函数接受权重和两个向量，返回 σ 和新的向量，再赋给缓冲区；v 先于 u 注册。
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def stretched(matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """uᵀ W v, of which u and v are constants."""
    return torch.dot(u.detach(), torch.mv(matrix, v.detach()))


def iterated(matrix: Tensor, u: Tensor, v: Tensor, times: int, eps: float) -> tuple[Tensor, Tensor]:
    for _ in range(times):
        v = F.normalize(torch.mv(matrix.mT, u), dim=0, eps=eps)
        u = F.normalize(torch.mv(matrix, v), dim=0, eps=eps)
    return u, v


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError(f"{n_power_iterations} iterations")
        self.options = {"times": n_power_iterations, "eps": eps}
        with torch.no_grad():
            rows = weight.flatten(1) if weight.dim() > 1 else weight.unsqueeze(1)
            v = F.normalize(torch.rand(rows.shape[1]) + 0.1, dim=0)
            self.register_buffer("v", v.to(weight.dtype))
            self.register_buffer("u", F.normalize(rows @ self.v, dim=0, eps=eps))

    def forward(self, weight: Tensor) -> Tensor:
        rows = weight.flatten(1) if weight.dim() > 1 else weight.unsqueeze(1)
        u, v = self.u, self.v
        if self.training:
            with torch.inference_mode(False), torch.no_grad():
                self.u, self.v = u, v = iterated(rows.detach(), u, v, **self.options)
        return weight.div(stretched(rows, u, v))
