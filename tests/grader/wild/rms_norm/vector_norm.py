import math

import torch
from torch import nn


class RMSNorm(nn.Module):
    """x / (‖x‖ / √d + eps), as in the authors' repository."""

    def __init__(self, dim, eps=1e-8):
        super().__init__()
        self.d = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        norm_x = x.norm(2, dim=-1, keepdim=True)
        rms_x = norm_x * self.d ** (-1.0 / 2)
        x_normed = x / (rms_x + self.eps)
        return self.weight * x_normed
