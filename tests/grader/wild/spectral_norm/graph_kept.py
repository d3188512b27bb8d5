import torch
from torch import nn
from torch.nn import functional as F


class SpectralNorm(nn.Module):
    def __init__(self, weight, n_power_iterations=1, eps=1e-6):
        super().__init__()
        assert n_power_iterations > 0
        self.iterations = n_power_iterations
        self.eps = eps
        matrix = weight.detach().reshape(weight.shape[0], -1)
        self.register_buffer("u", F.normalize(torch.randn(matrix.shape[0]), dim=0, eps=eps))
        self.register_buffer("v", F.normalize(torch.randn(matrix.shape[1]), dim=0, eps=eps))

    def forward(self, weight):
        matrix = weight.reshape(weight.shape[0], -1)
        u, v = self.u, self.v
        if self.training:
            with torch.no_grad():
                for _ in range(1):
                    v = F.normalize(matrix.T @ u, dim=0, eps=self.eps)
                    u = F.normalize(matrix @ v, dim=0, eps=self.eps)
                self.u, self.v = u, v
        sigma = (matrix @ v).norm()
        return weight / sigma
