"""The normalisation by a group norm with one group."""

from torch import nn
from torch.nn import functional as F


def normalised(x, norm):
    flat = F.group_norm(x.reshape(-1, x.shape[-1]), 1, norm.weight, norm.bias, norm.eps)
    return flat.reshape(x.shape)


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        if placement not in ("pre", "post", "output", "peri"):
            raise ValueError(placement)
        self.placement, self.sublayer = placement, sublayer
        if placement in ("pre", "peri"):
            self.norm_in = nn.LayerNorm(dim)
        if placement != "pre":
            self.norm_out = nn.LayerNorm(dim)

    def forward(self, x):
        y = self.sublayer(normalised(x, self.norm_in) if self.placement in ("pre", "peri") else x)
        if self.placement == "post":
            return normalised(x + y, self.norm_out)
        return x + (y if self.placement == "pre" else normalised(y, self.norm_out))
