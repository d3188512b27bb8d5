import math

import torch
from torch import nn


class LayerNorm(nn.Module):
    """scale/offset as in haiku, names as in torch"""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        if x.dim() == len(self.shape):
            x = x.unsqueeze(0)
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        n = math.prod(self.shape)
        axes = tuple(range(-len(self.shape), 0))
        mean = wide.sum(axes, keepdim=True) / n
        centred = wide - mean
        var = torch.square(centred).sum(axes, keepdim=True) / n
        inv = torch.rsqrt(var + self.eps)
        y = centred * inv
        y = torch.clip(y, -3.0, 3.0)
        if self.weight is not None and self.weight.requires_grad:
            y = y * self.weight
        if self.bias is not None and self.bias.requires_grad:
            y = y + self.bias
        return y.to(x.dtype)
