"""The norm is an autograd function with a backward pass by hand, and queries, keys and values come from one matrix product.

zh: 归一化写成 autograd 函数，反向由手工推导；q、k、v 合为一次矩阵乘法。
"""

import torch
from torch import nn
from torch.nn import functional as F


class Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        scale = (wide.square().mean(-1, keepdim=True) + eps).rsqrt()
        normed = wide * scale
        ctx.save_for_backward(normed, scale, weight)
        return (normed * weight).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        normed, scale, weight = ctx.saved_tensors
        wide = dy.to(normed.dtype)
        g = wide * weight
        dx = scale * (g - normed * (g * normed).mean(-1, keepdim=True))
        dweight = (wide * normed).reshape(-1, weight.numel()).sum(0)
        return dx.to(dy.dtype), dweight.to(weight.dtype), None


class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return Normalise.apply(x, self.weight, self.eps)


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads, per_head=True, eps=1e-6):
        super().__init__()
        if dim % heads:
            raise ValueError
        self.heads, self.per_head = heads, per_head
        self.q_proj = nn.Linear(dim, dim, False)
        self.k_proj = nn.Linear(dim, dim, False)
        self.v_proj = nn.Linear(dim, dim, False)
        self.out_proj = nn.Linear(dim, dim, False)
        self.q_norm, self.k_norm = Norm([dim, dim // heads][per_head], eps), Norm([dim, dim // heads][per_head], eps)

    def forward(self, x, cos=None, sin=None):
        batch, length, dim = x.shape
        matrix = torch.cat((self.q_proj.weight, self.k_proj.weight, self.v_proj.weight))
        q, k, v = F.linear(x, matrix).chunk(3, dim=-1)
        if not self.per_head:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k, v = (each.reshape(batch, length, self.heads, -1).permute(0, 2, 1, 3) for each in (q, k, v))
        if self.per_head:
            q, k = self.q_norm(q), self.k_norm(k)
        if cos is not None:
            sign = torch.ones_like(cos)
            sign[:, : cos.shape[-1] // 2] = -1
            q, k = (each * cos + each.roll(each.shape[-1] // 2, -1) * (sign * sin) for each in (q, k))
        share = (q / (dim // self.heads) ** 0.5 @ k.transpose(-1, -2)).softmax(-1)
        return self.out_proj((share @ v).permute(0, 2, 1, 3).reshape(batch, length, dim))
