"""The scaled sum is an autograd function with a backward pass of its own; weights are normal, cut off far away.

zh: 带缩放的和写成 autograd 函数，有自己的反向；权重来自在远处截断的正态分布。
"""

from typing import NamedTuple

import torch
from torch import nn


class DeepNormCoefficients(NamedTuple):
    encoder_alpha: float | None = None
    encoder_beta: float | None = None
    decoder_alpha: float | None = None
    decoder_beta: float | None = None


def alone(layers):
    return (2 * layers) ** 0.25, (8 * layers) ** -0.25


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    if not encoder_layers and not decoder_layers:
        return DeepNormCoefficients(None, None, None, None)
    if not decoder_layers:
        return DeepNormCoefficients(*alone(encoder_layers))
    if not encoder_layers:
        return DeepNormCoefficients(None, None, *alone(decoder_layers))
    depth = encoder_layers**4 * decoder_layers
    return DeepNormCoefficients(0.81 * depth**0.0625, 0.87 * depth**-0.0625, (3 * decoder_layers) ** 0.25, (12 * decoder_layers) ** -0.25)


class ScaledSum(torch.autograd.Function):
    """α · x + y, and back: α · d to x, d to y."""

    @staticmethod
    def forward(ctx, x, y, alpha):
        ctx.alpha = alpha
        return x * alpha + y

    @staticmethod
    def backward(ctx, d):
        return d * ctx.alpha, d, None


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.alpha = alpha
        if isinstance(sublayer, nn.Module):
            self.add_module("inner", sublayer)
        else:
            self.inner = sublayer

    def forward(self, x):
        return self.norm(ScaledSum.apply(x, self.inner(x), self.alpha))


def draw_(linear, gain):
    std = gain * (2 / (linear.weight.size(0) + linear.weight.size(1))) ** 0.5
    nn.init.trunc_normal_(linear.weight, std=std, a=-10 * std, b=10 * std)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for linear in (query, key):
        draw_(linear, 1.0)
    for linear in (value, out, fc1, fc2):
        draw_(linear, beta)
