import torch
from torch import nn


class RMSNorm(nn.Module):
    """For inputs of shape (batch, length, features)."""

    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = torch.ones(dim)

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        ms = torch.einsum("bsd,bsd->bs", h, h).unsqueeze(-1) / x.shape[-1]
        with torch.no_grad():
            r = torch.rsqrt(ms + self.eps)
        return (h * r * self.weight).to(x.dtype)
