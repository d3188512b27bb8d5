"""The norm is written by hand as well, the coefficients are logarithms, and the weights are drawn by torch.normal.

zh: 层归一化也是手写的，系数通过对数计算，权重由 torch.normal 抽取。
"""

from math import exp, log
from types import SimpleNamespace

import torch
from torch import nn


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    found = dict.fromkeys(["encoder_alpha", "encoder_beta", "decoder_alpha", "decoder_beta"])
    if encoder_layers and decoder_layers:
        mixed = (4 * log(encoder_layers) + log(decoder_layers)) / 16
        found |= {"encoder_alpha": 0.81 * exp(mixed), "encoder_beta": 0.87 * exp(-mixed)}
        found |= {"decoder_alpha": exp(log(3 * decoder_layers) / 4), "decoder_beta": exp(-log(12 * decoder_layers) / 4)}
    else:
        for side, layers in (("encoder", encoder_layers), ("decoder", decoder_layers)):
            if layers:
                found |= {f"{side}_alpha": exp(log(2 * layers) / 4), f"{side}_beta": exp(-log(8 * layers) / 4)}
    return SimpleNamespace(**found)


class Norm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        var, mean = torch.var_mean(wide, dim=-1, keepdim=True, correction=0)
        return ((wide - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias).to(x.dtype)


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.norm = Norm(dim)
        self.sublayer = sublayer
        self.alpha = float(alpha)

    def forward(self, x, *args, **kwargs):
        return self.norm(self.sublayer(x, *args, **kwargs) + self.alpha * x)


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for linear, gain in zip((query, key, value, out, fc1, fc2), (1.0, 1.0, beta, beta, beta, beta), strict=True):
        std = gain * (2 / sum(linear.weight.shape)) ** 0.5
        with torch.no_grad():
            linear.weight.copy_(torch.normal(0.0, std, tuple(linear.weight.shape)))
            if linear.bias is not None:
                linear.bias.fill_(0.0)
