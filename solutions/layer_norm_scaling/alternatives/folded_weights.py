"""The factor multiplies the weight and the bias of the norm, before the norm is taken with them.

zh: 因子先乘到归一化的权重和偏置上，再用它们做归一化。
"""

from torch import nn
from torch.nn import functional as F


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.f = sublayer
        self.factor = layer**-0.5

    def forward(self, x):
        norm = self.norm
        return x + self.f(F.layer_norm(x, norm.normalized_shape, norm.weight * self.factor, norm.bias * self.factor, norm.eps))
