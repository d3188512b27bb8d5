from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Coefficients:
    encoder_alpha: float = 1.0
    encoder_beta: float = 1.0
    decoder_alpha: float = 1.0
    decoder_beta: float = 1.0


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    if encoder_layers and decoder_layers:
        both = (encoder_layers**4 * decoder_layers) ** 0.0625
        return Coefficients(0.81 * both, 0.87 / both, (3 * decoder_layers) ** 0.25, (12 * decoder_layers) ** -0.25)
    if encoder_layers:
        return Coefficients(encoder_alpha=(2 * encoder_layers) ** 0.25, encoder_beta=(8 * encoder_layers) ** -0.25)
    if decoder_layers:
        return Coefficients(decoder_alpha=(2 * decoder_layers) ** 0.25, decoder_beta=(8 * decoder_layers) ** -0.25)
    return Coefficients()


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.alpha = alpha
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(x + self.alpha * self.sublayer(x))


@torch.no_grad()
def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for linear, gain in ((query, 1.0), (key, beta), (value, beta), (out, beta), (fc1, beta), (fc2, beta)):
        std = gain * (2 / (2 * linear.in_features)) ** 0.5
        linear.weight.normal_(0, std)
        if linear.bias is not None:
            linear.bias.zero_()
