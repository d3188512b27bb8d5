"""The coefficients are properties, computed when they are read; the block splits its work into methods, and adds by stacking.

zh: 系数是属性（property），读取时才计算；残差块把工作分给几个方法，求和则是先堆叠再相加。
"""

import torch
from torch import nn


class DeepNormCoefficients:
    def __init__(self, n, m):
        self.n, self.m = n, m

    @property
    def shared(self):
        return (float(self.n) ** 4 * float(self.m)) ** (1 / 16)

    @property
    def encoder_alpha(self):
        return None if not self.n else 0.81 * self.shared if self.m else (2 * self.n) ** 0.25

    @property
    def encoder_beta(self):
        return None if not self.n else 0.87 / self.shared if self.m else 1 / (8 * self.n) ** 0.25

    @property
    def decoder_alpha(self):
        return ((3 if self.n else 2) * self.m) ** 0.25 if self.m else None

    @property
    def decoder_beta(self):
        return 1 / ((12 if self.n else 8) * self.m) ** 0.25 if self.m else None


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    return DeepNormCoefficients(encoder_layers, decoder_layers)


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.alpha = float(alpha)
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer

    def skip(self, x):
        return x.mul(self.alpha)

    def branch(self, x):
        return self.sublayer(x)

    def forward(self, x):
        return self.norm(torch.stack([self.skip(x), self.branch(x)]).sum(0))


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    def init(gain, *linears):
        for linear in linears:
            torch.nn.init.xavier_normal_(linear.weight.data, gain=gain)
            if getattr(linear, "bias", None) is not None:
                linear.bias.data *= 0

    init(1.0, query, key)
    init(beta, value, out, fc1, fc2)
