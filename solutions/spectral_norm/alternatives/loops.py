"""Sums and products element by element in plain Python loops, on lists for the iteration, on tensors for σ.

zh: 求和与乘积都用普通的 Python 循环逐个元素计算，迭代用列表，σ 用张量。
"""

import math
import random

import torch
from torch import Tensor, nn


def shortened(numbers: list[float], eps: float) -> list[float]:
    norm = math.sqrt(math.fsum(number * number for number in numbers))
    return [number / (norm + eps) for number in numbers]


def product(matrix: list[list[float]], vector: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError("n_power_iterations")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        first = shortened([random.gauss(0, 1) for _ in range(weight.shape[0])], eps)
        second = shortened([random.gauss(0, 1) for _ in range(weight.reshape(weight.shape[0], -1).shape[1])], eps)
        self.register_buffer("u", torch.tensor(first))
        self.register_buffer("v", torch.tensor(second))

    def forward(self, weight: Tensor) -> Tensor:
        matrix = weight.reshape(weight.shape[0], -1)
        if self.training:
            rows = matrix.tolist()
            columns = matrix.t().tolist()
            u, v = self.u.tolist(), self.v.tolist()
            for _ in range(self.n_power_iterations):
                v = shortened(product(columns, u), self.eps)
                u = shortened(product(rows, v), self.eps)
            self.u, self.v = matrix.new_tensor(u), matrix.new_tensor(v)
        sigma = 0
        for row, factor in zip(matrix, self.u, strict=True):
            sigma = sigma + factor * torch.dot(row, self.v)
        return weight / sigma
