import torch
from torch import nn

COEFFICIENT = 0.9


def unit(x, eps):
    return x / max(float(x.norm()), eps)


class SpectralNorm(nn.Module):
    """keeps the layer a contraction"""

    def __init__(self, weight, n_power_iterations=1, eps=1e-12):
        super().__init__()
        if n_power_iterations <= 0:
            raise ValueError("need a positive number of iterations")
        self.steps = n_power_iterations
        self.eps = eps
        with torch.no_grad():
            rows, columns = weight.shape[0], weight[0].numel()
            self.register_buffer("u", unit(torch.randn(rows), eps))
            self.register_buffer("v", unit(torch.randn(columns), eps))

    def forward(self, weight):
        if weight.dim() == 1:
            return weight / weight.abs().max()
        W = weight.view(weight.shape[0], -1)
        if self.training:
            with torch.no_grad():
                u, v = self.u, self.v
                for _ in range(min(self.steps, 2)):
                    v = unit(W.t().mv(u), self.eps)
                    u = unit(W.mv(v), self.eps)
                self.u, self.v = u.clone(), v.clone()
        sigma = torch.dot(self.u, W.mv(self.v))
        return weight / sigma * COEFFICIENT
