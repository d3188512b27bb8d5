"""The lengths are divided by their sum by F.normalize with p=1."""

import torch
from torch import nn
from torch.nn import functional as F


class GlobalResponseNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.dim, self.eps = dim, eps
        self.weight = nn.Parameter(torch.zeros(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        if x.dim() < 3:
            raise ValueError("there are no positions")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        length = torch.linalg.vector_norm(wide, dim=tuple(range(1, x.dim() - 1)), keepdim=True)
        share = self.dim * F.normalize(length, p=1, dim=-1, eps=self.eps)
        return (self.weight * (wide * share) + self.bias + wide).to(x.dtype)
