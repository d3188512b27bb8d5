"""u and v are made columns, (out, 1) and (rest, 1), for the products; new values go in by `.data`; the first v is made of the first u.

zh: 做乘积时 u 和 v 变成列 (out, 1) 和 (rest, 1)；新值通过 `.data` 写入；最初的 v 由最初的 u 算出。
"""

import torch
from torch import Tensor, nn


def column_of_length_one(x: Tensor, eps: float) -> Tensor:
    return x / torch.clamp(x.pow(2).sum().sqrt(), min=eps)


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations in (0,) or n_power_iterations < 0:
            raise ValueError("too few iterations")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        self.height = weight.shape[0]
        u = column_of_length_one(torch.randn(self.height, 1, dtype=weight.dtype), eps)
        v = column_of_length_one(weight.data.reshape(self.height, -1).T @ u, eps)
        self.register_buffer("u", u.squeeze(1))
        self.register_buffer("v", v.squeeze(1))
        self.u.requires_grad_(False)

    def forward(self, weight: Tensor) -> Tensor:
        w = weight.reshape(self.height, -1)
        u, v = self.u.unsqueeze(1), self.v.unsqueeze(1)
        if self.training:
            k = 0
            while k < self.n_power_iterations:
                v = column_of_length_one(torch.matmul(w.data.t(), u), self.eps)
                u = column_of_length_one(torch.matmul(w.data, v), self.eps)
                k += 1
            self.u.data = u.flatten()
            self.v.data = v.flatten()
        sigma = torch.matmul(u.t(), torch.matmul(w, v))
        return (w / sigma).reshape(weight.shape)
