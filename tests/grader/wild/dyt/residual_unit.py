import torch
from torch import nn


class DyT(nn.Module):
    def __init__(self, dim, alpha=0.5):
        super().__init__()
        self.dim = dim
        self.alpha = nn.Parameter(torch.ones(1) * alpha)
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def slope(self):
        a = self.alpha
        if not self.training:
            a = torch.round(a * 10) / 10
        return a / self.dim**0.5

    def forward(self, x):
        y = torch.tanh(self.slope() * x)
        y = torch.mul(y, self.weight).add(self.bias)
        y = x + y
        y = torch.where(torch.isfinite(y), y, torch.zeros_like(y))
        return y.to(x.dtype)
