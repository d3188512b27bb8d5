"""Modulation, norms and sums are computed in float32 at least; the sublayers are given the dtype of x. The condition is repeated.

zh: 调制、归一化和求和至少用 float32；子层收到的是 x 的 dtype。条件沿长度重复。
"""

import torch
from torch import nn
from torch.nn import functional as F


class AdaLNZeroBlock(nn.Module):
    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.attention = attn
        self.feed_forward = mlp
        self.modulation = self.zeroed(nn.Linear(cond_dim, 6 * dim))

    @staticmethod
    def zeroed(linear):
        linear.load_state_dict({name: torch.zeros_like(tensor) for name, tensor in linear.state_dict().items()})
        return linear

    def branch(self, wide, function, dtype, shift, scale, gate):
        normed = F.layer_norm(wide, (wide.shape[-1],), eps=1e-6)
        return wide + gate * function(torch.addcmul(shift, normed, scale + 1).to(dtype)).to(wide.dtype)

    def forward(self, x, c):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        weight, bias = self.modulation.weight.to(wide.dtype), self.modulation.bias.to(wide.dtype)
        parts = F.linear(F.silu(c.to(wide.dtype)), weight, bias)
        parts = parts[:, None, :].expand(-1, x.shape[1], -1).unflatten(-1, (2, 3, -1))
        wide = self.branch(wide, self.attention, x.dtype, *parts[:, :, 0].unbind(2))
        return self.branch(wide, self.feed_forward, x.dtype, *parts[:, :, 1].unbind(2)).to(x.dtype)
