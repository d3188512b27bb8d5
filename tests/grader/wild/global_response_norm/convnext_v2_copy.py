import torch
import torch.nn as nn


class GlobalResponseNorm(nn.Module):
    """GRN (Global Response Normalization) layer, channels last"""

    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        if x.dim() < 3:
            raise ValueError("need (N, H, W, C)")
        xf = x.to(torch.promote_types(x.dtype, torch.float32))
        Gx = torch.norm(xf, p=2, dim=(1, 2), keepdim=True)
        Nx = Gx / (Gx.mean(dim=-1, keepdim=True) + 1e-6)
        return (self.weight * (xf * Nx) + self.bias + xf)
