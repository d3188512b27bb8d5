"""Attention with normalised queries and keys (Henry et al. 2020), by RMS norm as in Qwen 3, Gemma 3 and OLMo 2."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """y = γ · x / √(mean(x²) + ε), over the last dimension."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean_square = wide.square().mean(dim=-1, keepdim=True)
        y = wide / torch.sqrt(mean_square + self.eps)
        return (y * self.weight).to(x.dtype)


class QKNormAttention(nn.Module):
    """softmax(q̂ · k̂ᵀ / √d) · v in each head, where q̂ and k̂ are normalised per head or over all heads at once."""

    def __init__(self, dim: int, heads: int, per_head: bool = True, eps: float = 1e-6) -> None:
        super().__init__()
        if dim % heads != 0:
            raise ValueError(f"{dim} features cannot be split into {heads} heads")
        self.heads = heads
        self.per_head = per_head
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, dim, bias=False)
        self.v_proj = nn.Linear(dim, dim, bias=False)
        self.out_proj = nn.Linear(dim, dim, bias=False)
        size = dim // heads if per_head else dim
        self.q_norm = RMSNorm(size, eps)
        self.k_norm = RMSNorm(size, eps)

    def forward(self, x: Tensor, cos: Tensor | None = None, sin: Tensor | None = None) -> Tensor:
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        if not self.per_head:
            q, k = self.q_norm(q), self.k_norm(k)  # all heads at once
        q, k, v = self.split(q), self.split(k), self.split(v)
        if self.per_head:
            q, k = self.q_norm(q), self.k_norm(k)
        if cos is not None and sin is not None:
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        logits = q @ k.mT / q.shape[-1] ** 0.5
        mixed = logits.softmax(dim=-1) @ v  # (batch, heads, length, dim / heads)
        return self.out_proj(mixed.transpose(1, 2).flatten(2))

    def split(self, x: Tensor) -> Tensor:
        """(batch, length, dim) → (batch, heads, length, dim / heads)"""
        batch, length, dim = x.shape
        return x.reshape(batch, length, self.heads, dim // self.heads).transpose(1, 2)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the numbers i and i + d/2 of each position by its angle."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin
