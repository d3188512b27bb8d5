import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        x_ = x
        rms = torch.sqrt(torch.mean(x_ * x_, dim=-1, keepdim=True) + self.eps**2)
        return (x_ / rms * self.weight.data).to(x.dtype)
