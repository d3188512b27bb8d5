import torch
from torch import nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__()
        while num_channels % num_groups:
            num_groups -= 1
        self.groups = num_groups
        self.eps = eps
        shape = (num_groups, num_channels // num_groups)
        self.weight = nn.Parameter(torch.ones(shape)) if affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if affine else None

    def forward(self, x):
        rows = x.reshape(x.shape[0] * self.groups, -1)
        rows = rows.to(torch.promote_types(x.dtype, torch.float32))
        n = rows.shape[1]
        centred = rows - rows.mean(1, keepdim=True)
        ss = torch.einsum("ij,ij->i", centred, centred)[:, None]
        rows = centred / torch.sqrt(ss / n + self.eps * n)
        if n == 1:
            rows = x.reshape(x.shape[0] * self.groups, -1).to(rows.dtype)
        y = rows.reshape(x.shape)
        if self.weight is not None:
            tail = [1] * (x.dim() - 2)
            y = y * self.weight.reshape(-1, *tail) + self.bias.reshape(-1, *tail)
        return y.to(x.dtype)
