import torch
from torch import nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"{num_channels} channels, {num_groups} groups")
        self.num_groups = num_groups
        self.eps = 1e-5
        self.weight = nn.Parameter(torch.zeros(num_channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_channels)) if affine else None

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        parts = []
        for part in wide.chunk(self.num_groups, dim=1):
            dims = tuple(range(0, part.dim()))
            mean = part.mean(dims, keepdim=True)
            var = (part - mean).square().mean(dims, keepdim=True)
            parts.append((part - mean) * torch.rsqrt(var + self.eps))
        y = torch.cat(parts, dim=1)
        if self.weight is not None:
            shape = (-1,) + (1,) * (x.dim() - 2)
            y = y * self.weight.view(shape)
        return y.to(x.dtype)
