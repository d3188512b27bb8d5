"""Unit vectors by `F.normalize`, times the root of their size."""

import torch
from torch import nn
from torch.nn import functional as F


class Unit(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return self.weight * F.normalize(x, dim=-1) * x.shape[-1] ** 0.5


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads, per_head=True, eps=1e-6):
        super().__init__()
        if dim % heads:
            raise ValueError
        self.heads, self.per_head = heads, per_head
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, dim, bias=False)
        self.v_proj = nn.Linear(dim, dim, bias=False)
        self.out_proj = nn.Linear(dim, dim, bias=False)
        self.q_norm = Unit(dim // heads if per_head else dim)
        self.k_norm = Unit(dim // heads if per_head else dim)

    def forward(self, x, cos=None, sin=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        if not self.per_head:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k, v = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in (q, k, v))
        if self.per_head:
            q, k = self.q_norm(q), self.k_norm(k)
        if cos is not None:
            q, k = (each * cos + torch.cat([-each.chunk(2, -1)[1], each.chunk(2, -1)[0]], -1) * sin for each in (q, k))
        return self.out_proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
