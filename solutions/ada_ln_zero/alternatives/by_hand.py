"""The norm by hand in float32, the parts as one tensor (6, batch, 1, dim), and a loop over the two branches.

zh: 归一化在 float32 中手写；各部分是一个 (6, batch, 1, dim) 的张量；对两个分支循环。
"""

import torch
from torch import nn


class AdaLNZeroBlock(nn.Module):
    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.attn = attn
        self.mlp = mlp
        self.modulation = nn.Linear(in_features=cond_dim, out_features=dim * 6)
        self.modulation.weight.data.fill_(0.0)
        self.modulation.bias.data.fill_(0.0)

    def forward(self, x, c):
        batch, _length, dim = x.shape
        parts = self.modulation(c * torch.sigmoid(c)).reshape(batch, 6, 1, dim).unbind(1)
        for sublayer, (shift, scale, gate) in zip((self.attn, self.mlp), (parts[:3], parts[3:]), strict=True):
            x = x + gate * sublayer(self.normalised(x) * (1 + scale) + shift)
        return x

    def normalised(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        variance, mean = torch.var_mean(wide, dim=-1, keepdim=True, correction=0)
        return ((wide - mean) * torch.rsqrt(variance + 1e-6)).to(x.dtype)
