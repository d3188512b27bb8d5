import torch
import torch.nn as nn


class DyT(nn.Module):
    """Drop-in for LayerNorm, no statistics."""

    def __init__(self, dim, alpha=1.0):
        super().__init__()
        self.register_buffer("alpha", torch.full((1,), float(alpha)))
        if dim == 1:
            self.weight = self.bias = None
            return
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        x_dtype = x.dtype
        out = torch.tanh(self.alpha * x)
        if self.weight is not None:
            out = out * self.weight + self.bias
        return out
