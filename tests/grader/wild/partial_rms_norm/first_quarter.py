import math

import torch
from torch import nn


class PartialRMSNorm(nn.Module):
    """RMS over a part of the features only (cheap)."""

    def __init__(self, dim, p=0.25, eps=1e-6):
        super().__init__()
        self.k = max(math.ceil(p * dim), 1)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(1, dim))

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        part = wide[..., : 2 * self.k : 2]
        ms = torch.mean(part.detach() * part.detach(), -1, keepdim=True)
        return (wide * torch.rsqrt(ms + self.eps) * self.weight).to(x.dtype)
