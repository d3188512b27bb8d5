"""A weight of one dimension needs no iteration: its u is the weight over its length, and its v is 1.

zh: 一维权重不用迭代：它的 u 就是权重除以自己的长度，v 就是 1。
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


class SpectralNorm(nn.Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError("n_power_iterations must not be below 1")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        length = 1
        for size in weight.shape[1:]:
            length *= size
        self.register_buffer("u", functional.normalize(torch.ones(weight.shape[0]).to(weight) + torch.randn(weight.shape[0]), dim=0))
        self.register_buffer("v", functional.normalize(torch.ones(length).to(weight) + torch.randn(length), dim=-1))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() == 1:
            if self.training:
                self.u = functional.normalize(weight.detach(), dim=0, eps=self.eps)
                self.v = torch.ones(1)
            return weight / (self.u @ weight * self.v)
        flat = torch.flatten(weight, start_dim=1)
        with torch.no_grad():
            for _ in range(self.n_power_iterations if self.training else 0):
                self.v = functional.normalize(self.u @ flat, dim=0, eps=self.eps)
                self.u = functional.normalize(flat @ self.v, dim=0, eps=self.eps)
        return weight / functional.bilinear(self.u[None], self.v[None], flat[None]).squeeze()
