import torch
from torch import nn


class LayerNormFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        mean = x.mean(-1, keepdim=True)
        rstd = (x.var(-1, keepdim=True, unbiased=False) + eps).rsqrt()
        x_hat = (x - mean) * rstd
        ctx.save_for_backward(x_hat, rstd)
        return x_hat

    @staticmethod
    def backward(ctx, grad):
        x_hat, rstd = ctx.saved_tensors
        return rstd * (grad - grad.mean(-1, keepdim=True)), None


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = 1e-5
        self.weight = nn.Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine and bias else None

    def forward(self, x):
        flat = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(-len(self.normalized_shape))
        y = LayerNormFunction.apply(flat, self.eps).reshape(x.shape)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y
