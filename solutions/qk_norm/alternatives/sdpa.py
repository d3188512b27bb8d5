"""Attention by `F.scaled_dot_product_attention`; the weights of the norms stand in ParameterDicts.

zh: 注意力用 `F.scaled_dot_product_attention`；归一化的权重放在 ParameterDict 中。
"""

import torch
from torch import nn
from torch.nn import functional as F


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads, per_head=True, eps=1e-6):
        super().__init__()
        if dim % heads:
            raise ValueError("dim must be a multiple of heads")
        self.heads, self.head_dim, self.per_head, self.eps = heads, dim // heads, per_head, eps
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            self.add_module(name, nn.Linear(dim, dim, bias=False))
        size = self.head_dim if per_head else dim
        self.q_norm = nn.ParameterDict({"weight": nn.Parameter(torch.ones(size))})
        self.k_norm = nn.ParameterDict({"weight": nn.Parameter(torch.ones(size))})

    def norm(self, x, weight):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return (wide * scale).to(x.dtype) * weight

    def forward(self, x, cos=None, sin=None):
        batch, length, dim = x.shape
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        if not self.per_head:
            q, k = self.norm(q, self.q_norm["weight"]), self.norm(k, self.k_norm["weight"])
        q, k, v = (each.view(batch, length, self.heads, self.head_dim) for each in (q, k, v))
        if self.per_head:
            q, k = self.norm(q, self.q_norm["weight"]), self.norm(k, self.k_norm["weight"])
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        if cos is not None:
            half = self.head_dim // 2
            q, k = (torch.cat((-each[..., half:], each[..., :half]), -1) * sin + each * cos for each in (q, k))
        mixed = F.scaled_dot_product_attention(q, k, v)
        return self.out_proj(mixed.transpose(1, 2).reshape(batch, length, dim))
