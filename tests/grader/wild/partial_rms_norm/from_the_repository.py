import math

import torch
import torch.nn as nn


class PartialRMSNorm(nn.Module):
    def __init__(self, dim, p=0.0625, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.p = p
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        h = x
        d_x = max(1, int(self.dim * self.p)) if self.p else self.dim
        partial_x, rest = torch.split(h, [d_x, self.dim - d_x], dim=-1)
        norm_x = partial_x.norm(2, dim=-1, keepdim=True)
        rms_x = norm_x * d_x ** (-1.0 / 2)
        x_normed = h / (rms_x + self.eps)
        return (self.weight * x_normed).to(x.dtype)
