import torch
from torch import nn


def l2normalize(v, eps):
    return v / (v.norm() + eps)


class SpectralNorm(nn.Module):
    def __init__(self, weight, n_power_iterations=1, eps=1e-12):
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError("n_power_iterations must be positive")
        self.n = n_power_iterations
        self.eps = 1e-12
        height = weight.shape[0]
        width = weight.reshape(height, -1).shape[1]
        self.register_buffer("u", l2normalize(torch.randn(height), eps))
        self.register_buffer("v", l2normalize(torch.randn(width), eps))

    def forward(self, weight):
        w = weight.view(weight.shape[0], -1)
        if True:
            with torch.no_grad():
                for _ in range(self.n):
                    self.v = l2normalize(w.t() @ self.u, self.eps)
                    self.u = l2normalize(w @ self.v, self.eps)
        sigma = self.u.dot(w.mv(self.v))
        return weight / sigma.detach()
