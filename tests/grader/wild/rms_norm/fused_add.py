import torch
from torch import nn


class RMSNorm(nn.Module):
    """y = w * x / rms(x), safe against overflow"""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(1, dim))

    def rms(self, h):
        peak = h.abs().amax(-1, keepdim=True)
        return peak * ((h / peak).pow(2).mean(-1, keepdim=True) + self.eps / peak**2).sqrt()

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        h = torch.nan_to_num(h)
        w = self.weight.half().to(h.dtype)
        return (w * (h / self.rms(h))).to(x.dtype)
