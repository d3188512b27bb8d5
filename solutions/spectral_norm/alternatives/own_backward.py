"""The division is an autograd function whose backward pass was derived on paper: G / σ − (Σ G · W) / σ² · u vᵀ.

zh: 除法写成 autograd 函数，反向由自己在纸上推导：G / σ − (Σ G · W) / σ² · u vᵀ。
"""

import torch
from torch import Tensor, nn


class Divide(torch.autograd.Function):
    @staticmethod
    def forward(ctx, matrix, u, v):
        sigma = torch.dot(u, matrix @ v)
        ctx.save_for_backward(matrix, u, v, sigma)
        return matrix / sigma

    @staticmethod
    def backward(ctx, gradient):
        matrix, u, v, sigma = ctx.saved_tensors
        along = (gradient * matrix).sum() / sigma**2
        return gradient / sigma - along * torch.outer(u, v), None, None


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if not n_power_iterations >= 1:
            raise ValueError("n_power_iterations has to be 1 or more")
        self.n_power_iterations, self.eps = n_power_iterations, eps
        rest = weight[0].numel()
        for name, size in (("u", weight.shape[0]), ("v", rest)):
            self.register_buffer(name, weight.new_full((size,), size**-0.5) * torch.randn(size).sign())

    def forward(self, weight: Tensor) -> Tensor:
        matrix = weight.reshape(weight.shape[0], -1)
        if self.training:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    right = torch.linalg.multi_dot([self.u, matrix]) if matrix.shape[1] > 1 else self.u @ matrix
                    self.v = right / torch.clamp_min(torch.sqrt(torch.sum(right**2)), self.eps)
                    left = matrix @ self.v
                    self.u = left / torch.clamp_min(torch.sqrt(torch.sum(left**2)), self.eps)
        return Divide.apply(matrix, self.u, self.v).reshape(weight.shape)
