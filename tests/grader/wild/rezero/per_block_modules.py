import torch
from torch import nn


class ReZero(nn.Module):
    def __init__(self, sublayers):
        super().__init__()
        self.fns = list(sublayers)
        self.mods = nn.ModuleList([f for f in sublayers if isinstance(f, nn.Module)])
        self.alphas = nn.ParameterList([nn.Parameter(torch.zeros(1)) for _ in self.fns])

    def branch(self, i, x):
        if float(self.alphas[i]) == 0.0:
            with torch.no_grad():
                return self.fns[i](x)
        return self.fns[i](x)

    def forward(self, x):
        if not self.training:
            total = sum(self.alphas[i] * self.branch(i, x) for i in range(len(self.fns)))
            return (x + total).to(x.dtype)
        h = x
        for i in range(len(self.fns)):
            h = h + (self.alphas[i] * self.branch(i, h)).to(h.dtype)
        return h
