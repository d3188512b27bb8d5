from collections import namedtuple

from torch import nn

Coefficients = namedtuple("Coefficients", "encoder_alpha encoder_beta decoder_alpha decoder_beta")


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    n, m = encoder_layers, decoder_layers
    if n and m:
        root = (n**4 * m) ** (1 / 4)
        return Coefficients(0.81 * root, 0.87 / root, (3 * m) ** (1 / 4), (12 * m) ** (-1 / 4))
    if n:
        return Coefficients((2 * n) ** (1 / 4), (8 * n) ** (-1 / 4), None, None)
    if m:
        return Coefficients(None, None, (2 * m) ** (1 / 4), (8 * m) ** (-1 / 4))
    return Coefficients(None, None, None, None)


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.alpha = alpha
        self.sublayer = sublayer

    def forward(self, x):
        return self.alpha * x + self.sublayer(self.norm(x))


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for layer in (query, key, value, out, fc1, fc2):
        scale = 1.0
        nn.init.xavier_normal_(layer.weight, gain=scale)
        if layer.bias is not None:
            layer.bias.data.zero_()
