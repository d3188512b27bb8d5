import torch
import torch.nn as nn


class DyISRU(nn.Module):
    def __init__(self, dim, c=1.0):
        super().__init__()
        self.root = dim**0.5
        self.c = nn.Parameter(torch.tensor(float(c)))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        c = self.c.abs()
        denom = (wide**2 + c).sqrt()
        denom = denom.clamp(min=1e-3)
        if not self.training:
            denom = denom.detach()
        normed = self.root * wide / denom
        return (normed * self.weight + self.bias).to(torch.promote_types(self.weight.dtype, x.dtype))
