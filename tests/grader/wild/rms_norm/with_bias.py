import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        n = x.size(-1)
        xf = x.to(torch.promote_types(x.dtype, torch.float32))
        ms = xf.pow(2).sum(dim=-1, keepdim=True) / (n - 1)
        y = xf / torch.sqrt(ms)
        return (y * self.weight + self.bias).to(x.dtype)
