"""A loop over the heads, whose outputs are joined in the end; the softmax is written by hand, and the pairs turn one half at a time.

zh: 逐个头循环，最后拼接；softmax 手写；旋转时两半分别计算。
"""

import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        length = torch.linalg.vector_norm(wide, dim=-1, keepdim=True)
        return (self.weight * (wide / (length**2 / wide.shape[-1] + self.eps) ** 0.5)).to(x.dtype)


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads, per_head=True, eps=1e-6):
        super().__init__()
        if heads > dim or dim % heads > 0:
            raise ValueError("no")
        self.size, self.per_head = dim // heads, per_head
        self.k_norm = Norm(self.size if per_head else dim, eps)
        self.q_norm = Norm(self.size if per_head else dim, eps)
        self.out_proj = nn.Linear(dim, dim, bias=False)
        self.v_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, dim, bias=False)
        self.q_proj = nn.Linear(dim, dim, bias=False)

    def forward(self, x, cos=None, sin=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        if not self.per_head:
            q, k = self.q_norm(q), self.k_norm(k)
        parts = zip(q.split(self.size, -1), k.split(self.size, -1), v.split(self.size, -1), strict=True)
        return self.out_proj(torch.cat([self.head(*part, cos, sin) for part in parts], dim=-1))

    def head(self, q, k, v, cos, sin):
        if self.per_head:
            q, k = self.q_norm(q), self.k_norm(k)
        if cos is not None:
            q, k = self.turned(q, cos, sin), self.turned(k, cos, sin)
        wide = torch.promote_types(q.dtype, torch.float32)
        logits = (q.to(wide) @ k.to(wide).mT) * self.size**-0.5
        powers = torch.exp(logits - logits.detach().amax(-1, keepdim=True))
        return (powers / powers.sum(-1, keepdim=True)).to(v.dtype) @ v

    @staticmethod
    def turned(x, cos, sin):
        half = x.shape[-1] // 2
        a, b = x[..., :half], x[..., half:]
        c, s = cos[:, :half], sin[:, :half]
        return torch.cat((a * c - b * s, b * c + a * s), dim=-1)
