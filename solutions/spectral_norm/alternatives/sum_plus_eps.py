"""‖·‖ + eps for max(‖·‖, eps); σ is a sum of products over a broadcast u and v; the forwards are counted in a buffer that is not saved.

zh: 用 ‖·‖ + eps 代替 max(‖·‖, eps)；σ 是 u 和 v 广播之后的乘积之和；前向次数记在一个不保存的缓冲区里。
"""

import torch
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if not n_power_iterations >= 1:
            raise ValueError("n_power_iterations must be positive")
        self.eps, self.n_power_iterations = eps, n_power_iterations
        self.register_buffer("forwards", torch.zeros((), dtype=torch.long), persistent=False)
        for name, size in (("u", len(weight)), ("v", weight.numel() // len(weight))):
            start = torch.empty(size).normal_()
            self.register_buffer(name, start / start.norm())

    def forward(self, weight: Tensor) -> Tensor:
        table = weight.reshape(len(weight), -1)
        if self.training:
            self.forwards += 1
            self.power_iteration(table.detach())
        u, v = self.u.clone(), self.v.clone()  # the next forward writes into both
        sigma = (u[:, None] * table * v).sum()
        return weight / sigma

    @torch.no_grad()
    def power_iteration(self, table: Tensor) -> None:
        for _ in range(self.n_power_iterations):
            for old, new in ((self.v, lambda: (table * self.u[:, None]).sum(0)), (self.u, lambda: (table * self.v).sum(1))):
                product = new()
                old.copy_(product / (product.square().sum().sqrt() + self.eps))
