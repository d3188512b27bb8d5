import torch
import torch.nn as nn


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)  # only for its parameters
        self.sublayer = sublayer
        self.layer = layer

    def layer_norm(self, x):
        h = x
        mean = h.mean(-1, keepdim=True)
        var = h.var(-1, keepdim=True)
        h = (h - mean) / torch.sqrt(var + 1e-6)
        return (h * self.norm.weight + self.norm.bias).to(x.dtype)

    def forward(self, x):
        h = self.layer_norm(x)
        out = self.sublayer(h) / self.layer**0.5
        return x + out
