"""The iteration is a module of its own kind, the parametrisation inherits it; the first vectors come from the decomposition.

zh: 幂迭代自成一个模块，参数化继承它；最初的向量来自奇异值分解。
"""

import torch
from torch import Tensor, nn


class PowerIteration(nn.Module):
    def __init__(self, matrix: Tensor, count: int, eps: float) -> None:
        super().__init__()
        left, _, right = torch.linalg.svd(matrix.detach(), full_matrices=False)
        self.register_buffer("u", left[:, 0].clone())
        self.register_buffer("v", right[0].clone())
        self.count = count
        self.eps = eps

    @torch.no_grad()
    def improve(self, matrix: Tensor) -> None:
        for _ in range(self.count):
            for name, product in (("v", lambda: self.u @ matrix), ("u", lambda: matrix @ self.v)):
                vector = product()
                setattr(self, name, vector / torch.maximum(vector.norm(), torch.tensor(self.eps)))

    def stretch(self, matrix: Tensor) -> Tensor:
        return (matrix @ self.v) @ self.u


class SpectralNorm(PowerIteration):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        if n_power_iterations < 1:
            raise ValueError("one iteration is the least")
        super().__init__(rows(weight), n_power_iterations, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if self.training:
            self.improve(rows(weight))
        return weight / self.stretch(rows(weight))


def rows(weight: Tensor) -> Tensor:
    return weight.reshape(weight.shape[0], -1)
