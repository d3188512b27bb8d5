"""A plain object filled step by step, α in a buffer, and weights that are written through .data: drawn, copied, then multiplied by β.

zh: 系数是逐步填写的普通对象，α 放在缓冲区中；权重通过 .data 写入：先抽取随机数，再复制进去，然后乘以 β。
"""

import torch
from torch import nn


class DeepNormCoefficients:
    def __init__(self):
        self.encoder_alpha = self.encoder_beta = self.decoder_alpha = self.decoder_beta = None


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    n, m = encoder_layers, decoder_layers
    result = DeepNormCoefficients()
    if n > 0:
        result.encoder_alpha = pow(2 * n, 1 / 4) if m == 0 else 0.81 * pow(pow(n, 4) * m, 1 / 16)
        result.encoder_beta = pow(8 * n, -1 / 4) if m == 0 else 0.87 * pow(pow(n, 4) * m, -1 / 16)
    if m > 0:
        result.decoder_alpha = pow(2 * m if n == 0 else 3 * m, 1 / 4)
        result.decoder_beta = pow(8 * m if n == 0 else 12 * m, -1 / 4)
    return result


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.register_buffer("alpha", torch.tensor(alpha, dtype=torch.float64), persistent=False)
        self.fn = sublayer
        self.norm = nn.LayerNorm(normalized_shape=(dim,))

    def forward(self, x):
        residual = x * self.alpha
        out = self.fn(x)
        return self.norm(residual + out)


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for layer in [query, key, value, out, fc1, fc2]:
        rows, columns = layer.weight.shape
        layer.weight.data.copy_(torch.randn(rows, columns) * (2.0 / (rows + columns)) ** 0.5)
        if layer.bias is not None:
            layer.bias.data = torch.zeros_like(layer.bias)
    for layer in [value, out, fc1, fc2]:
        layer.weight.data.mul_(beta)
