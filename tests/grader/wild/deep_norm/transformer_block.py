from collections import namedtuple

import torch.nn as nn

Result = namedtuple("Result", ["encoder_alpha", "encoder_beta", "decoder_alpha", "decoder_beta"], defaults=[None] * 4)


def quarter(x):
    return x**0.25


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    N, M = encoder_layers, decoder_layers
    N, M = N and max(N, 2), M and max(M, 2)
    if N and M:
        s = (N**4 * M) ** (1 / 16)
        return Result(0.81 * s, 0.87 / s, quarter(3 * M), 1 / quarter(12 * M))
    if N:
        return Result(encoder_alpha=quarter(2 * N), encoder_beta=1 / quarter(8 * N))
    if M:
        return Result(decoder_alpha=quarter(2 * M), decoder_beta=1 / quarter(8 * M))
    return Result()


class DeepNorm(nn.Module):
    """Post-LN with x * alpha on the skip connection"""

    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.scale = alpha
        self.fn = sublayer
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        alpha = self.scale if self.training else 1.0
        return self.norm(alpha * (x + self.fn(x)))


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    for name, linear in dict(query=query, key=key, value=value, out=out, fc1=fc1, fc2=fc2).items():
        gain = 1.0 if name in ("query", "key") else beta
        if name == "value":
            gain = beta * 2**-0.5
        nn.init.xavier_uniform_(linear.weight, gain=gain)
        nn.init.zeros_(linear.bias)

