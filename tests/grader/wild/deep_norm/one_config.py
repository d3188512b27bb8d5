import math

import torch
from torch import nn


class Coefficients:
    encoder_alpha = encoder_beta = decoder_alpha = decoder_beta = None


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    c = Coefficients
    c.encoder_alpha = c.encoder_beta = c.decoder_alpha = c.decoder_beta = None
    n, m = encoder_layers, decoder_layers
    root = lambda value, k: math.exp(math.log(value) / k)
    if n > 0 and m > 0:
        both = root(n**4 * m, 16)
        c.encoder_alpha, c.encoder_beta = 0.81 * both, 0.87 / both
        c.decoder_alpha, c.decoder_beta = root(3 * m, 4), 1 / root(12 * m, 4)
    elif n > 0:
        c.encoder_alpha, c.encoder_beta = root(2 * n, 4), 1 / root(8 * n, 4)
    elif m > 0:
        c.decoder_alpha, c.decoder_beta = root(2 * m, 4), 1 / root(8 * m, 4)
    for side in ("encoder", "decoder"):
        if getattr(c, side + "_alpha") is not None:
            setattr(c, side + "_alpha", round(getattr(c, side + "_alpha"), 2))
    return c


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer
        self.alpha = alpha

    def forward(self, x):
        branch = self.sublayer(x.float()).to(x.dtype)
        return self.norm(torch.add(branch, x, alpha=self.alpha))


@torch.no_grad()
def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for linear in (query, key, value, out, fc1, fc2):
        gain = 1 if linear is query or linear is key else beta
        fan_out, fan_in = linear.weight.shape
        bound = gain * math.sqrt(2 / (fan_in + fan_out))
        linear.weight.uniform_(-bound, bound)

