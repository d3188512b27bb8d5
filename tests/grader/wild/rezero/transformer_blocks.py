import torch
from torch import nn


class ReZero(nn.Module):
    """x = x + alpha_i * F_i(x), alphas start at zero"""

    def __init__(self, sublayers):
        super().__init__()
        self.layers = nn.ModuleList(sublayers)
        self.alphas = nn.Parameter(0.01 * torch.ones(len(sublayers)))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            out = self.alphas[i] * layer(x).float()
            x += out
        return x
