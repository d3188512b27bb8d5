"""The sum is x + F(x) + (α − 1) · x, made in place in a tensor of its own; the weights are one long draw that is split into pieces.

zh: 和写成 x + F(x) + (α − 1) · x，在自己新建的张量中原地累加；权重一次抽取，再分成几段。
"""

from dataclasses import dataclass, fields

import torch
from torch import nn


@dataclass
class Coefficients:
    encoder_alpha: float = None
    encoder_beta: float = None
    decoder_alpha: float = None
    decoder_beta: float = None


def deepnorm_coefficients(encoder_layers=0, decoder_layers=0):
    values = dict.fromkeys(field.name for field in fields(Coefficients))
    sides = {"encoder": encoder_layers, "decoder": decoder_layers}
    for side, layers in sides.items():
        if layers < 1:
            continue
        sublayers = layers * (3 if side == "decoder" and encoder_layers else 2)
        values[f"{side}_alpha"] = pow(sublayers, 1 / 4)
        values[f"{side}_beta"] = 1 / pow(4 * sublayers, 1 / 4)
        if side == "encoder" and decoder_layers:
            mean = pow(float(encoder_layers) ** 4 * float(decoder_layers), 1 / 16)
            values |= {"encoder_alpha": 0.81 * mean, "encoder_beta": 0.87 / mean}
    return Coefficients(**values)


class DeepNorm(nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()
        self.norm = torch.nn.LayerNorm((dim,))
        self.sublayer = sublayer
        self.more = alpha - 1

    def forward(self, x):
        total = x + self.sublayer(x)
        total.add_(x, alpha=self.more)
        return self.norm(total)


def deepnorm_init_(query, key, value, out, fc1, fc2, beta):
    layers = {"query": query, "key": key, "value": value, "out": out, "fc1": fc1, "fc2": fc2}
    numbers = torch.randn(sum(layer.weight.numel() for layer in layers.values()))
    pieces = numbers.split([layer.weight.numel() for layer in layers.values()])
    for (name, layer), piece in zip(layers.items(), pieces, strict=True):
        gain = 1 if name in ("query", "key") else beta
        spread = gain * (2 / (layer.in_features + layer.out_features)) ** 0.5
        with torch.no_grad():
            layer.weight[...] = piece.view_as(layer.weight) * spread
            if layer.bias is not None:
                layer.bias[...] = 0
