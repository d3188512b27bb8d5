import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

    def forward(self, x):
        size = 1
        for n in self.shape:
            size *= n
        rows = x.view(-1, size).to(torch.promote_types(x.dtype, torch.float32))
        mu = rows.mean(1, keepdim=True)
        sd = rows.var(1, keepdim=True, unbiased=False).sqrt().clamp(min=self.eps)
        y = ((rows - mu) / sd).view(x.shape)
        if self.bias is not None:
            y = y + self.bias
        if self.weight is not None:
            y = y * self.weight
        return y.to(x.dtype)
