"""A dictionary whose keys are attributes too, NumPy's float64 for the roots, and weights written through slices.

zh: 系数放在字典中，键也可以作为属性读取；开方用 NumPy 的 float64，权重通过切片写入。
"""

import numpy as np
import torch
from torch import nn


class DeepNormCoefficients(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    n, m = np.float64(encoder_layers), np.float64(decoder_layers)
    encoder = decoder = (None, None)
    if n and m:
        encoder = 0.81 * (n**4 * m) ** (1 / 16), 0.87 * (n**4 * m) ** (-1 / 16)
        decoder = (3 * m) ** 0.25, (12 * m) ** -0.25
    elif n:
        encoder = np.sqrt(np.sqrt(2 * n)), 1 / np.sqrt(np.sqrt(8 * n))
    elif m:
        decoder = np.sqrt(np.sqrt(2 * m)), 1 / np.sqrt(np.sqrt(8 * m))
    return DeepNormCoefficients(encoder_alpha=encoder[0], encoder_beta=encoder[1], decoder_alpha=decoder[0], decoder_beta=decoder[1])


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.dim, self.alpha, self.fn = dim, alpha, sublayer
        self.norm = nn.LayerNorm([dim])

    def forward(self, x):
        y = self.fn(x)
        y = y + self.alpha * x
        return self.norm(y)


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    with torch.no_grad():
        for linear, gain in ((query, 1), (key, 1), (value, beta), (out, beta), (fc1, beta), (fc2, beta)):
            bound = gain * np.sqrt(6 / sum(linear.weight.shape))
            linear.weight[:] = (torch.rand(linear.weight.shape) - 0.5) * 2 * bound
            if linear.bias is not None:
                linear.bias[:] = 0
