import math

import torch
from torch import nn


class RMS(nn.Module):
    def __init__(self, d, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, t):
        h = t.to(torch.promote_types(t.dtype, torch.float32))
        h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + self.eps)
        return (self.weight * h).to(t.dtype)


def rotate_half(t):
    a, b = t.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads, per_head=True, eps=1e-5):
        super().__init__()
        if dim % heads:
            raise ValueError("dim must be divisible by heads")
        self.h = heads
        self.d = dim // heads
        self.per_head = per_head
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, dim, bias=False)
        self.v_proj = nn.Linear(dim, dim, bias=False)
        self.out_proj = nn.Linear(dim, dim, bias=False)
        self.q_norm = RMS(self.d if per_head else dim, eps)
        self.k_norm = RMS(self.d if per_head else dim, eps)

    def norms(self, q, k):
        return self.q_norm(q), self.q_norm(k)

    def forward(self, x, cos=None, sin=None):
        B, T, C = x.shape
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        if not self.per_head:
            q, k = self.norms(q, k)
        q, k, v = (t.view(B, T, self.h, self.d).transpose(1, 2) for t in (q, k, v))
        if cos is not None:
            q = q * cos + rotate_half(q) * sin
            k = k * cos + rotate_half(k) * sin
        if self.per_head:
            q, k = self.norms(q, k)
        att = q @ k.transpose(-2, -1) / math.sqrt(C)
        y = att.softmax(dim=-1) @ v
        return self.out_proj(y.transpose(1, 2).reshape(B, T, C))
