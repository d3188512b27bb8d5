"""A lecture's layer norm: std divides by n − 1, eps joins the deviation, the default eps is 1e-6."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-6, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.gamma = nn.Parameter(torch.ones(shape)) if elementwise_affine else 1
        self.beta = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else 0
        self.dims = tuple(range(-len(shape), 0))
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        centre = wide.mean(self.dims, keepdim=True)
        spread = wide.std(self.dims, keepdim=True)
        return (self.gamma * (wide - centre) / (spread + self.eps) + self.beta).to(x.dtype)
