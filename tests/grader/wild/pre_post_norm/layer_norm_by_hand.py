import torch
from torch import nn


def ln(x, norm):
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    mu = h.mean(dim=-1, keepdim=True)
    var = h.var(dim=-1, keepdim=True)
    return ((h - mu) / (var + norm.eps).sqrt() * norm.weight + norm.bias).to(x.dtype)


class _Base(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer


class PostNorm(_Base):
    def forward(self, x):
        return ln(x + self.sublayer(x), self.norm)


class PreNorm(_Base):
    def forward(self, x):
        x += self.sublayer(ln(x, self.norm))
        return x


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.blocks = [PreNorm(dim, f) for f in sublayers]
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        h = h - h.mean(-1, keepdim=True)
        return (h / (h.square().mean(-1, keepdim=True) + self.norm.eps).sqrt()).to(x.dtype)
