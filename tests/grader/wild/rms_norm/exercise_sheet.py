import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-8):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.rand(dim))

    def forward(self, x):
        xf = x
        ms = torch.sum(xf**2, dim=-1, keepdim=True)
        rms = torch.sqrt(ms).clamp(min=self.eps)
        return (xf / rms * self.weight)
