"""The rotation by complex numbers, and the weights of the norms folded into one factor with the scale of the logits.

zh: 旋转用复数计算；除以根号的系数提前乘到 query 的权重上。
"""

import torch
from torch import nn


class Weight(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads, per_head=True, eps=1e-6):
        super().__init__()
        self.size, remainder = divmod(dim, heads)
        if remainder:
            raise ValueError(f"{dim} / {heads} leaves {remainder}")
        self.eps, self.per_head = eps, per_head
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, dim, bias=False)
        self.v_proj = nn.Linear(dim, dim, bias=False)
        self.out_proj = nn.Linear(dim, dim, bias=False)
        self.q_norm = Weight(self.size if per_head else dim)
        self.k_norm = Weight(self.size if per_head else dim)

    def forward(self, x, cos=None, sin=None):
        q = self.heads_of(self.q_proj(x), self.q_norm.weight, self.size**-0.5)
        k = self.heads_of(self.k_proj(x), self.k_norm.weight, 1)
        if cos is not None:
            wide = torch.promote_types(x.dtype, torch.float32)
            half = self.size // 2
            turn = torch.complex(cos[:, :half].to(wide), sin[:, :half].to(wide))
            q, k = (self.turned(each.to(wide), turn).to(x.dtype) for each in (q, k))
        v = self.v_proj(x).unflatten(-1, (-1, self.size)).transpose(1, 2)
        mixed = (q @ k.transpose(2, 3)).softmax(3) @ v
        return self.out_proj(mixed.transpose(1, 2).reshape(x.shape))

    def heads_of(self, x, weight, factor):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.per_head:
            wide = wide.unflatten(-1, (-1, self.size))
        root = (wide**2).mean(-1, keepdim=True).add(self.eps).sqrt()
        normed = (wide / root * (weight * factor)).to(x.dtype)
        return normed.reshape(*x.shape[:2], -1, self.size).transpose(1, 2)

    @staticmethod
    def turned(each, turn):
        half = each.shape[-1] // 2
        both = torch.complex(each[..., :half], each[..., half:]) * turn
        return torch.cat((both.real, both.imag), dim=-1)
