"""The normalisation by a group norm with one group."""

from torch import nn
from torch.nn import functional as F


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        self.sublayers = nn.ModuleList(sublayers)
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in sublayers)
        self.post_layers = int(len(sublayers) * post_ratio)

    def forward(self, x):
        for number, (norm, sublayer) in enumerate(zip(self.norms, self.sublayers, strict=True)):
            x = self.normalised(x + sublayer(x), norm) if number < self.post_layers else x + sublayer(self.normalised(x, norm))
        return x

    def normalised(self, x, norm):
        return F.group_norm(x.reshape(-1, x.shape[-1]), 1, norm.weight, norm.bias, norm.eps).reshape(x.shape)
