"""The residual path is in float32 at least from one end of the stack to the other; each sublayer is given the dtype of x.

zh: 从堆叠的一端到另一端，残差通路至少用 float32；每个子层收到的是 x 的 dtype。
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Wrapped(nn.Module):
    """A plain function as a Module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in sublayers)
        self.layers = nn.ModuleList(each if isinstance(each, nn.Module) else Wrapped(each) for each in sublayers)
        post = math.floor(len(self.layers) * post_ratio)
        self.kinds = ["post"] * post + ["pre"] * (len(self.layers) - post)

    def forward(self, x):
        dtype, wide = x.dtype, torch.promote_types(x.dtype, torch.float32)

        def normalised(x, norm):
            return F.layer_norm(x, norm.normalized_shape, norm.weight.to(wide), norm.bias.to(wide), norm.eps)

        x = x.to(wide)
        for kind, norm, layer in zip(self.kinds, self.norms, self.layers, strict=True):
            given = x if kind == "post" else normalised(x, norm)
            x = x + layer(given.to(dtype)).to(wide)
            if kind == "post":
                x = normalised(x, norm)
        return x.to(dtype)
