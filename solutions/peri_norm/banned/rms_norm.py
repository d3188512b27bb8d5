"""PyTorch's RMS norm in the place of the layer norms, as in Gemma 2 and OLMo 2."""

import torch
from torch import nn


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        if placement not in ("pre", "post", "output", "peri"):
            raise ValueError(placement)
        self.placement, self.sublayer = placement, sublayer
        if placement in ("pre", "peri"):
            self.norm_in = torch.nn.RMSNorm(dim)
        if placement != "pre":
            self.norm_out = torch.nn.RMSNorm(dim)

    def forward(self, x):
        y = self.sublayer(self.norm_in(x) if self.placement in ("pre", "peri") else x)
        if self.placement == "post":
            return self.norm_out(x + y)
        return x + (y if self.placement == "pre" else self.norm_out(y))
