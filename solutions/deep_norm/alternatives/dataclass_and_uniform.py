"""A dataclass for the coefficients, torch.add for the scaled sum, and uniform numbers of the same spread.

zh: 系数放在 dataclass 中，带缩放的和用 torch.add，权重取标准差相同的均匀分布随机数。
"""

import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class DeepNormCoefficients:
    encoder_alpha: float | None
    encoder_beta: float | None
    decoder_alpha: float | None
    decoder_beta: float | None


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    alone = not (encoder_layers and decoder_layers)
    encoder = decoder = (None, None)
    if decoder_layers:
        sublayers = (2 if alone else 3) * decoder_layers
        decoder = (sublayers**0.25, (4 * sublayers) ** -0.25)
    if encoder_layers:
        sublayers = 2 * encoder_layers
        encoder = (sublayers**0.25, (4 * sublayers) ** -0.25)
        if not alone:
            depth = encoder_layers**0.25 * decoder_layers**0.0625
            encoder = (0.81 * depth, 0.87 * depth**-1)
    return DeepNormCoefficients(*encoder, *decoder)


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.alpha, self.sublayer, self.norm = alpha, sublayer, nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(torch.add(self.sublayer(x), x, alpha=self.alpha))


@torch.no_grad()
def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for linear in (query, key, value, out, fc1, fc2):
        bound = math.sqrt(6 / (linear.in_features + linear.out_features))
        if linear is not query and linear is not key:
            bound *= beta
        linear.weight.uniform_(-bound, bound)
        if linear.bias is not None:
            linear.bias.zero_()
