import torch
import torch.nn.functional as F
from torch import nn


class HeadNorm(nn.Module):
    def __init__(self, n, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rms = wide.square().mean(dim=-1, keepdim=True).sqrt()
        return (wide / (rms + self.eps) * self.weight).to(x.dtype)


def rope(x, cos, sin):
    half = x.shape[-1] // 2
    x1, x2 = x[..., :half], x[..., half:]
    c, s = cos[:, None, :half], sin[:, None, :half]
    # complex multiplication by hand
    return torch.cat((x1 * c + x2 * s, x2 * c - x1 * s), dim=-1)


class QKNormAttention(nn.Module):
    def __init__(self, dim, heads, per_head=True, eps=1e-6):
        super().__init__()
        self.n_head = heads
        self.head_dim = dim // heads
        self.per_head = per_head
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(dim, dim, bias=False))
        self.q_norm = HeadNorm(self.head_dim if per_head else dim, eps)
        self.k_norm = HeadNorm(self.head_dim if per_head else dim, eps)
        self.scale = self.head_dim**-0.5

    def forward(self, x, cos=None, sin=None):
        shape = (*x.shape[:2], self.n_head, self.head_dim)
        # scaling the queries is cheaper than scaling the logits
        q = self.q_proj(x) * self.scale
        k = self.k_proj(x)
        v = self.v_proj(x).reshape(shape)
        if self.per_head:
            q, k = self.q_norm(q.reshape(shape)), self.k_norm(k.reshape(shape))
        else:
            q, k = self.q_norm(q).reshape(shape), self.k_norm(k).reshape(shape)
        if cos is not None:
            q, k = rope(q, cos, sin), rope(k, cos, sin)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, scale=1.0, is_causal=True)
        return self.out_proj(y.transpose(1, 2).flatten(2))
