import math

import torch
from torch import nn


class PartialRMSNorm(nn.Module):
    def __init__(self, dim, p=0.0625, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        count = math.ceil(dim * round(p, 2))
        self.first = min(dim, max(2, count))

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        k = self.first
        if not self.training:
            k = h.shape[-1]
        part = h.narrow(-1, 0, k)
        total = torch.einsum("...i,...i->...", part, part).unsqueeze(-1)
        n = (part != 0).sum(-1, keepdim=True).clamp(min=1)
        return (self.weight * h * (total / n + self.eps) ** -0.5).to(x.dtype)
