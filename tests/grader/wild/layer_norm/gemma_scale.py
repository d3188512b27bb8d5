import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-6, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.axes = tuple(range(-len(shape), 0))
        self.eps = eps
        if elementwise_affine:
            self.weight = nn.Parameter(torch.zeros(shape))
        else:
            self.register_parameter("weight", None)
        if elementwise_affine and bias:
            self.bias = nn.Parameter(torch.zeros(shape))
        else:
            self.register_parameter("bias", None)

    def forward(self, x):
        h = x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
        centred = h - h.mean(self.axes, keepdim=True)
        y = centred / torch.sqrt(centred.pow(2).mean(self.axes, keepdim=True) + self.eps)
        if self.weight is not None:
            y = y * (1 + self.weight)
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
