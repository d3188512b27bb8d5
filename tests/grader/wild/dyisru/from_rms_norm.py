import torch
from torch import nn


class DyISRU(nn.Module):
    """my RMSNorm with the mean taken out"""

    def __init__(self, dim, c=1e-6):
        super().__init__()
        self.dim = dim
        self.c = nn.Parameter(torch.tensor(float(c)))
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        h = x
        norm = torch.rsqrt(h.pow(2).sum(-1, keepdim=True) + self.c)
        h = h * norm * (x.shape[1] if x.dim() > 1 else self.dim) ** 0.5
        return (self.weight * h).to(x.dtype)
