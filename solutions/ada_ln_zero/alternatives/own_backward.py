"""Norm and modulation are one autograd function with a backward pass by hand.

zh: 归一化与调制写成一个 autograd 函数，反向由手工推导。
"""

import torch
from torch import nn


class Modulated(torch.autograd.Function):
    """LN(x) · (1 + scale) + shift of (batch, length, dim); shift and scale are (batch, dim)."""

    @staticmethod
    def forward(ctx, x, shift, scale):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        centred = wide - wide.mean(-1, keepdim=True)
        rstd = (centred.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
        x_hat, factor = centred * rstd, 1 + scale[:, None].to(wide.dtype)
        ctx.save_for_backward(x_hat, rstd, factor)
        return (x_hat * factor + shift[:, None]).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x_hat, rstd, factor = ctx.saved_tensors
        wide = dy.to(x_hat.dtype)
        g = wide * factor
        dx = rstd * (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True))
        return dx.to(dy.dtype), wide.sum(1).to(dy.dtype), (wide * x_hat).sum(1).to(dy.dtype)


class AdaLNZeroBlock(nn.Module):
    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.modulation = nn.Linear(cond_dim, 6 * dim)
        for parameter in self.modulation.parameters():
            nn.init.zeros_(parameter)
        self.f, self.g = attn, mlp

    def forward(self, x, c):
        a, b, gate1, d, e, gate2 = self.modulation(nn.functional.silu(c)).chunk(6, 1)
        x = self.f(Modulated.apply(x, a, b)) * gate1.unsqueeze(1) + x
        return self.g(Modulated.apply(x, d, e)) * gate2.unsqueeze(1) + x
