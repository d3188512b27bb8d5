"""The norm is an autograd function with a backward pass by hand; the stack is a fold over steps that are chosen when it is built.

zh: 归一化写成 autograd 函数，反向由手工推导；堆叠是对若干步的折叠，每一步在构造时选定。
"""

from functools import reduce

import torch
from torch import nn


class Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        centred = wide - wide.mean(dim=-1, keepdim=True)
        rstd = (centred.square().mean(dim=-1, keepdim=True) + eps).rsqrt()
        x_hat = centred * rstd
        ctx.save_for_backward(x_hat, rstd, weight)
        return (x_hat * weight + bias).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x_hat, rstd, weight = ctx.saved_tensors
        wide = dy.to(x_hat.dtype)
        g = wide * weight
        dx = rstd * (g - g.mean(dim=-1, keepdim=True) - x_hat * (g * x_hat).mean(dim=-1, keepdim=True))
        dim = weight.shape[0]
        dw, db = (wide * x_hat).reshape(-1, dim).sum(0), wide.reshape(-1, dim).sum(0)
        return dx.to(dy.dtype), dw.to(weight.dtype), db.to(weight.dtype), None


class Norm(nn.LayerNorm):
    def forward(self, x):
        return Normalise.apply(x, self.weight, self.bias, self.eps)


def post(x, layer):
    return layer["norm"](x + layer["f"](x))


def pre(x, layer):
    return x + layer["f"](layer["norm"](x))


class Wrapped(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.ModuleDict({"norm": Norm(dim), "f": each if isinstance(each, nn.Module) else Wrapped(each)}) for each in sublayers
        )
        count, cut = len(sublayers), int(len(sublayers) * post_ratio)
        self.steps = [post] * cut + [pre] * (count - cut)

    def forward(self, x):
        return reduce(lambda x, pair: pair[0](x, pair[1]), zip(self.steps, self.layers, strict=True), x)
