"""Two norms, one for each branch, and a Sequential of SiLU and the Linear that is also called `modulation`; the parts by slices.

zh: 每个分支一个归一化；各部分用切片取出。
"""

import torch
from torch import nn


class AdaLNZeroBlock(nn.Module):
    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.dim = dim
        self.norm1 = nn.LayerNorm(dim, elementwise_affine=False, eps=1e-6)
        self.norm2 = nn.LayerNorm(dim, elementwise_affine=False, eps=1e-6)
        self.attn, self.mlp = attn, mlp
        self.activation = nn.SiLU()
        self.modulation = nn.Linear(cond_dim, 6 * dim, bias=True)
        with torch.no_grad():
            for parameter in self.modulation.parameters():
                parameter.zero_()

    def forward(self, x, c):
        parts = self.modulation(self.activation(c))
        shift1, scale1, gate1, shift2, scale2, gate2 = (parts[:, None, i * self.dim : (i + 1) * self.dim] for i in range(6))
        normed = self.norm1(x)
        x = x + gate1 * self.attn(normed + normed * scale1 + shift1)
        normed = self.norm2(x)
        return x + gate2 * self.mlp(normed + normed * scale2 + shift2)
