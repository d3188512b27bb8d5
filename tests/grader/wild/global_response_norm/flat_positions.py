import torch
from torch import nn


class GlobalResponseNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        if x.ndim < 3:
            raise ValueError(f"no positions in {tuple(x.shape)}")
        # all positions in one axis -> (batch, positions, dim)
        f = x.flatten(1, -2)
        energy = torch.einsum("npd,npd->nd", f, f)
        g = energy.sqrt()
        n = g / (g.sum(-1, keepdim=True) + self.eps)  # as in the paper
        scaled = torch.einsum("npd,nd->npd", f, n)
        y = (scaled + self.bias) * self.weight
        return (y + f).reshape(x.shape).to(x.dtype)
