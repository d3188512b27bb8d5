import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-8, elementwise_affine=True, bias=True):
        super().__init__()
        self.eps = eps
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.weight = nn.Parameter(torch.ones(1)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(1)) if elementwise_affine and bias else None

    def forward(self, x):
        axes = tuple(range(-len(self.normalized_shape), 0))
        h = x
        mean = torch.mean(h, dim=axes, keepdim=True)
        variance = torch.var(h, dim=axes, keepdim=True)
        normalised = h / (variance**0.5 + self.eps)
        if self.weight is not None:
            normalised = normalised * self.weight
        if self.bias is not None:
            normalised = normalised + self.bias
        return normalised.to(x.dtype)
