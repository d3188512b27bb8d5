"""Sample by sample: weight and bias of F.layer_norm are 1 + scale and shift; the gate is applied by addcmul.

zh: 逐个样本：F.layer_norm 的权重和偏置就是 1 + scale 和 shift；门控用 addcmul。
"""

import torch
from torch import nn
from torch.nn import functional as F


class AdaLNZeroBlock(nn.Module):
    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.sublayer1, self.sublayer2 = attn, mlp
        self.modulation = nn.Linear(cond_dim, 6 * dim)
        nn.init.constant_(self.modulation.weight, 0)
        nn.init.constant_(self.modulation.bias, 0)

    @staticmethod
    def prepared(x, shift, scale):
        return torch.stack([F.layer_norm(one, one.shape[-1:], 1 + b, a, 1e-6) for one, a, b in zip(x, shift, scale, strict=True)])

    def forward(self, x, c):
        shift1, scale1, gate1, shift2, scale2, gate2 = torch.tensor_split(self.modulation(F.silu(c)), 6, dim=1)
        x = torch.addcmul(x, gate1[:, None], self.sublayer1(self.prepared(x, shift1, scale1)))
        return torch.addcmul(x, gate2[:, None], self.sublayer2(self.prepared(x, shift2, scale2)))
