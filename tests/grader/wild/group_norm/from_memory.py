import torch
import torch.nn as nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-6, affine=True):
        super().__init__()
        self.num_groups = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_channels)) if affine else None

    def forward(self, x):
        shape = x.shape
        h = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(shape[0], self.num_groups, -1)
        mean = h.mean(-1, keepdim=True)
        var = h.var(-1, keepdim=True)
        h = (h - mean) / (torch.sqrt(var) + self.eps)
        h = h.reshape(shape)
        if True:
            ones = [1] * (x.dim() - 2)
            h = h * self.weight.view(1, -1, *ones) + self.bias.view(1, -1, *ones)
        return h
