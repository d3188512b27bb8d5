import torch
from torch import nn


class WeightNorm(nn.Module):
    def __init__(self, weight, dim=0):
        super().__init__()
        self.dim = dim
        w = weight.detach()
        self.weight_g = nn.Parameter(self.norm(w).to(w.dtype))
        self.weight_v = nn.Parameter(w)

    def norm(self, v):
        v = v
        dims = min(1, v.dim() - 1) if self.dim == 0 else 0
        return v.norm(2, dim=dims, keepdim=True)

    def forward(self):
        g, v = self.weight_g, self.weight_v
        return (g * (v / self.norm(v))).to(v.dtype)
