"""A norm takes any factor out, but for eps: LN(α · x + F(x)) is LN(x + F(x)/α) with eps/α². The coefficients are float32 tensors.

zh: 除 eps 外，归一化会消去任何公因子：LN(α · x + F(x)) 就是 eps 取 eps/α² 的 LN(x + F(x)/α)。系数是 float32 张量。
"""

from collections import namedtuple

import torch
from torch import nn

DeepNormCoefficients = namedtuple("DeepNormCoefficients", "encoder_alpha encoder_beta decoder_alpha decoder_beta")


def root(number, degree):
    return torch.tensor(float(number)).pow(1 / degree)


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    match bool(encoder_layers), bool(decoder_layers):
        case True, True:
            both = root(encoder_layers, 4) * root(decoder_layers, 16)
            return DeepNormCoefficients(0.81 * both, 0.87 / both, root(3 * decoder_layers, 4), 1 / root(12 * decoder_layers, 4))
        case True, False:
            return DeepNormCoefficients(root(2 * encoder_layers, 4), 1 / root(8 * encoder_layers, 4), None, None)
        case False, True:
            return DeepNormCoefficients(None, None, root(2 * decoder_layers, 4), 1 / root(8 * decoder_layers, 4))
    return DeepNormCoefficients(None, None, None, None)


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.alpha = alpha
        self.norm = nn.LayerNorm(dim, eps=1e-5 / alpha**2)
        self.sublayer = sublayer

    def forward(self, x):
        return self.norm(x + self.sublayer(x) / self.alpha)


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    layers = [query, key, value, out, fc1, fc2]
    for layer in layers:
        nn.init.xavier_uniform_(layer.weight)
        if layer.bias is not None:
            nn.init.constant_(layer.bias, 0)
    with torch.no_grad():
        for layer in layers[2:]:
            layer.weight *= beta
