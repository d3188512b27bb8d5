"""PyTorch's RMS norm in the place of the layer norms, as in the authors' models."""

import torch
from torch import nn


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        self.sublayers = nn.ModuleList(sublayers)
        self.norms = nn.ModuleList(torch.nn.RMSNorm(dim) for _ in sublayers)
        self.post_layers = int(len(sublayers) * post_ratio)

    def forward(self, x):
        for number, (norm, sublayer) in enumerate(zip(self.norms, self.sublayers, strict=True)):
            x = norm(x + sublayer(x)) if number < self.post_layers else x + sublayer(norm(x))
        return x
