import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        wide = torch.promote_types(x.dtype, torch.float32)
        squares = x.pow(2).to(wide)
        y = x.to(wide) * torch.rsqrt(squares.mean(-1, keepdim=True) + self.eps)
        return (y * self.weight).to(x.dtype)
