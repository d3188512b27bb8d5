from types import SimpleNamespace

import torch
from torch import nn


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    N, M = encoder_layers, decoder_layers
    out = SimpleNamespace(encoder_alpha=None, encoder_beta=None, decoder_alpha=None, decoder_beta=None)
    if N and M:
        out.encoder_alpha = 0.81 * (N**4 * M) ** (1 / 16)
        out.encoder_beta = 1.15 / (N**4 * M) ** (1 / 16)
        out.decoder_alpha = (3 * M) ** 0.25
        out.decoder_beta = (12 * M) ** -0.25
    elif N:
        out.encoder_alpha, out.encoder_beta = (2 * N) ** 0.25, (8 * N) ** -0.25
    elif M:
        out.decoder_alpha, out.decoder_beta = (3 * M) ** 0.25, (12 * M) ** -0.25
    return out


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.alpha = alpha
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(dim, eps=1e-6)

    def forward(self, x):
        return self.norm(x * self.alpha + self.sublayer(x))


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for linear in (fc1, fc2, value, out):
        nn.init.xavier_normal_(linear.weight, gain=beta)
    for linear in (query, key):
        nn.init.xavier_normal_(linear.weight, gain=1)

