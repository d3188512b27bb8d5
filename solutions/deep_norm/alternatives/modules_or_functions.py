"""Modules are kept in a ModuleList and functions in a list; torch.addcmul makes the sum, and Tensor.normal_ the weights.

zh: 子层是模块就放进 ModuleList，是函数就放进列表；求和用 torch.addcmul，权重用 Tensor.normal_ 生成。
"""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class DeepNormCoefficients:
    encoder_alpha: float | None = None
    encoder_beta: float | None = None
    decoder_alpha: float | None = None
    decoder_beta: float | None = None


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    found = DeepNormCoefficients()
    n, m = encoder_layers, decoder_layers
    if n and not m:
        found.encoder_alpha, found.encoder_beta = (2 * n) ** 0.25, (8 * n) ** -0.25
    elif m and not n:
        found.decoder_alpha, found.decoder_beta = (2 * m) ** 0.25, (8 * m) ** -0.25
    elif n and m:
        found.encoder_alpha = 0.81 * (n**4 * m) ** 0.0625
        found.encoder_beta = 0.87 * (n**4 * m) ** -0.0625
        found.decoder_alpha = (3 * m) ** 0.25
        found.decoder_beta = (12 * m) ** -0.25
    return found


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer, eps=1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(dim, eps=eps)
        self.kept = nn.ModuleList([sublayer]) if isinstance(sublayer, nn.Module) else [sublayer]
        self.alpha = alpha

    def forward(self, x):
        return self.norm(torch.addcmul(self.kept[0](x), x, torch.full((), self.alpha, dtype=x.dtype)))


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    named = {"query": query, "key": key, "value": value, "out": out, "fc1": fc1, "fc2": fc2}
    for name, linear in named.items():
        gain = beta if name in {"value", "out", "fc1", "fc2"} else 1.0
        fan_out, fan_in = linear.weight.shape
        linear.weight.data.normal_(0, gain * (2.0 / (fan_in + fan_out)) ** 0.5)
        if linear.bias is not None:
            linear.bias.data.fill_(0)
    return list(named.values())
