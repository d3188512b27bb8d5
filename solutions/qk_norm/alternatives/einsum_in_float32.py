"""All of attention in float32 at least, by einsum; the heads are a dimension of their own and are never moved.

zh: 整个注意力至少用 float32，用 einsum 计算；头单独占一维，从不换位。
"""

import math

import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, wide):
        mean_square = torch.einsum("...d,...d->...", wide, wide) / wide.shape[-1]
        return wide * self.weight / (mean_square + self.eps).sqrt().unsqueeze(-1)


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads, per_head=True, eps=1e-6):
        super().__init__()
        if dim // heads * heads != dim:
            raise ValueError(f"{heads} heads do not divide {dim} features")
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.heads, self.per_head = heads, per_head
        self.q_norm, self.k_norm = (Norm(dim // heads if per_head else dim, eps) for _ in "qk")

    def forward(self, x, cos=None, sin=None):
        wide = torch.promote_types(x.dtype, torch.float32)

        def heads_of(tensor):
            return tensor.unflatten(-1, (self.heads, -1))

        q, k, v = (projection(x).to(wide) for projection in (self.q_proj, self.k_proj, self.v_proj))
        if self.per_head:
            q, k = self.q_norm(heads_of(q)), self.k_norm(heads_of(k))
        else:
            q, k = heads_of(self.q_norm(q)), heads_of(self.k_norm(k))
        if cos is not None:
            cos, sin = cos.to(wide)[:, None], sin.to(wide)[:, None]
            q, k = (each * cos + self.turned(each) * sin for each in (q, k))
        logits = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
        mixed = torch.einsum("bhqk,bkhd->bqhd", torch.softmax(logits, -1), heads_of(v))
        return self.out_proj(mixed.flatten(-2).to(x.dtype))

    @staticmethod
    def turned(each):
        half = each.shape[-1] // 2
        return torch.cat((-each[..., half:], each[..., :half]), dim=-1)
