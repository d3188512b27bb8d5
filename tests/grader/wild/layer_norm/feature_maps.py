import torch
from torch import nn


class LayerNorm(nn.Module):
    """Normalises a feature map (N, C, H, W) per sample."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self.eps = eps
        self.n = len(shape)
        self.weight = nn.Parameter(torch.ones(*shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(*shape)) if elementwise_affine and bias else None

    def forward(self, x):
        dtype = x.dtype
        h = x
        dims = list(range(1, x.dim()))
        mean = h.mean(dim=dims, keepdim=True)
        std = h.var(dim=dims, keepdim=True, unbiased=False).sqrt()
        y = (h - mean) / (std + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y += self.bias
        return y.to(dtype)
