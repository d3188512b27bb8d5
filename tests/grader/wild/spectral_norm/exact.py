import torch
from torch import nn


class SpectralNorm(nn.Module):
    def __init__(self, weight, n_power_iterations=1, eps=1e-12):
        super().__init__()
        if n_power_iterations < 0:
            raise ValueError("negative number of iterations")
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        w = weight.reshape(weight.shape[0], -1)
        u, v = torch.randn(w.shape[0]), torch.randn(w.shape[1])
        self.register_buffer("u", u)
        self.register_buffer("v", v / v.norm())

    def forward(self, weight):
        w = weight.reshape(weight.shape[0], -1)
        if self.training:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    v = torch.mv(w.t(), self.u)
                    self.v = v / v.norm().clamp(min=self.eps)
                    u = torch.mv(w, self.v)
                    self.u = u / u.norm().clamp(min=self.eps)
        sigma = self.u @ w @ self.v
        return weight / sigma.sqrt()
