"""PyTorch's RMS norm in place of the layer norm, as in models of the Llama family."""

import torch
from torch import nn


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = torch.nn.RMSNorm(dim)
        self.sublayer = sublayer
        self.factor = layer**-0.5

    def forward(self, x):
        return x + self.sublayer(self.norm(x) * self.factor)
