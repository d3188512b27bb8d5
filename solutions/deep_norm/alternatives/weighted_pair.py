"""Skip and branch are stacked and contracted with (α, 1); the coefficients come from a table of sublayers; rand_like for uniform numbers.

zh: 把跳跃连接和残差分支叠在一起，与 (α, 1) 缩并；系数由子层数的表算出；权重用 rand_like 的均匀随机数。
"""

from types import SimpleNamespace

import torch
from torch import nn


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    result = SimpleNamespace(encoder_alpha=None, encoder_beta=None, decoder_alpha=None, decoder_beta=None)
    if encoder_layers:
        deep = 2.0 * encoder_layers
        result.encoder_alpha, result.encoder_beta = deep**0.25, (4 * deep) ** -0.25
    if decoder_layers:
        deep = (3.0 if encoder_layers else 2.0) * decoder_layers
        result.decoder_alpha, result.decoder_beta = deep**0.25, (4 * deep) ** -0.25
    if encoder_layers and decoder_layers:
        root = encoder_layers**0.25 * decoder_layers**0.0625
        result.encoder_alpha, result.encoder_beta = 0.81 * root, 0.87 / root
    return result


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.alpha, self.sublayer = float(alpha), sublayer
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        pair = torch.stack((x, self.sublayer(x)), dim=-1)
        return self.norm(pair @ torch.tensor([self.alpha, 1.0], dtype=x.dtype, device=x.device))


@torch.no_grad()
def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for linear, gain in zip((query, key, value, out, fc1, fc2), [1.0] * 2 + [beta] * 4, strict=True):
        bound = gain * (6 / sum(linear.weight.shape)) ** 0.5
        linear.weight.copy_((torch.rand_like(linear.weight) * 2 - 1) * bound)
        if linear.bias is not None:
            linear.bias.zero_()
