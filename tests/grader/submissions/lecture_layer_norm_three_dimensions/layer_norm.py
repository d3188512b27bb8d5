"""A lecture's layer norm for images: normalized_shape must be (C, H, W) and nothing else."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        channels, height, width = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels, height, width)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(channels, height, width)) if elementwise_affine and bias else None

    def forward(self, x):
        mean = x.mean(dim=(1, 2, 3), keepdim=True)
        var = x.var(dim=(1, 2, 3), keepdim=True, unbiased=False)
        out = (x - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out
