"""PyTorch's order, u before v, written into the buffers; σ is taken with copies. Fifteen iterations when it is built; normalize.

zh: 采用 PyTorch 的顺序，先 u 后 v，写进缓冲区；σ 用它们的副本计算。构造时迭代十五次；使用 normalize。
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations <= 0:
            raise ValueError("n_power_iterations must be positive")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        matrix = self.flat(weight)
        self.register_buffer("u", F.normalize(matrix.new_empty(matrix.size(0)).normal_(), dim=0, eps=eps))
        self.register_buffer("v", F.normalize(matrix.new_empty(matrix.size(1)).normal_(), dim=0, eps=eps))
        self.power_method(matrix, 15)

    def flat(self, weight: Tensor) -> Tensor:
        return weight.unsqueeze(1) if weight.ndim == 1 else weight.flatten(1)

    @torch.no_grad()
    def power_method(self, matrix: Tensor, count: int) -> None:
        for _ in range(count):
            F.normalize(torch.mv(matrix, self.v), dim=0, eps=self.eps, out=self.u)
            F.normalize(torch.mv(matrix.H, self.u), dim=0, eps=self.eps, out=self.v)

    def forward(self, weight: Tensor) -> Tensor:
        matrix = self.flat(weight)
        if self.training:
            self.power_method(matrix, self.n_power_iterations)
        return weight / torch.vdot(self.u.clone(), torch.mv(matrix, self.v.clone()))

    def right_inverse(self, weight: Tensor) -> Tensor:
        return weight
