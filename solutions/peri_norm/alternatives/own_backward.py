"""The norm is an autograd function with a backward pass by hand, inside of a subclass of torch.nn.LayerNorm.

zh: 归一化写成 autograd 函数，反向由手工推导，放在 torch.nn.LayerNorm 的子类中。
"""

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
        ctx.bias_dtype = bias.dtype
        return (x_hat * weight + bias).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x_hat, rstd, weight = ctx.saved_tensors
        wide = dy.to(x_hat.dtype)
        g = wide * weight
        dx = rstd * (g - g.mean(dim=-1, keepdim=True) - x_hat * (g * x_hat).mean(dim=-1, keepdim=True))
        dim = weight.shape[0]
        dw, db = (wide * x_hat).reshape(-1, dim).sum(0), wide.reshape(-1, dim).sum(0)
        return dx.to(dy.dtype), dw.to(weight.dtype), db.to(ctx.bias_dtype), None


class Norm(nn.LayerNorm):
    def forward(self, x):
        return Normalise.apply(x, self.weight, self.bias, self.eps)


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        if placement not in ("peri", "output", "post", "pre"):
            raise ValueError(placement)
        self.branch, self.placement = sublayer, placement
        if placement != "pre":
            self.norm_out = Norm(dim)
        if placement[:2] not in ("po", "ou"):
            self.norm_in = Norm(dim)

    def forward(self, x):
        y = self.branch(x if self.placement in ("post", "output") else self.norm_in(x))
        if self.placement in ("output", "peri"):
            y = self.norm_out(y)
        y = x + y
        return self.norm_out(y) if self.placement == "post" else y
