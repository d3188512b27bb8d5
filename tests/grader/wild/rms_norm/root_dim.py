import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.scale = dim**0.5
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        y = wide / wide.norm(dim=-1, keepdim=True).clamp_min(1e-12) * self.scale
        return (y * (self.weight + 1))
