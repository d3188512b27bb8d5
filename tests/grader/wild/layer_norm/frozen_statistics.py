import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super(LayerNorm, self).__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(normalized_shape)) if elementwise_affine and bias else None

    def forward(self, x):
        n_dims = 1 if isinstance(self.normalized_shape, int) else len(self.normalized_shape)
        axes = tuple(range(x.dim() - n_dims, x.dim()))
        xf = x.to(torch.promote_types(x.dtype, torch.float32))
        with torch.no_grad():
            mean = xf.mean(axes, keepdim=True)
            var = xf.var(axes, keepdim=True)
        out = (xf - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out
