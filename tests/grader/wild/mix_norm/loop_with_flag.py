import math

import torch.nn as nn


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        self.fs = list(sublayers)
        self.mods = nn.ModuleList(f for f in self.fs if isinstance(f, nn.Module))
        L = len(self.fs)
        self.p = max(1, math.floor(L * post_ratio))
        make = lambda: nn.LayerNorm(dim, eps=1e-12)
        self.pre = nn.ModuleList(make() for _ in range(L - self.p))
        self.post = nn.ModuleList(make() for _ in range(self.p))

    def norm_of(self, i):
        return self.post[i] if i < self.p else self.pre[i - self.p]

    def forward(self, x):
        for i, f in enumerate(self.fs):
            ln = self.norm_of(i)
            if i >= self.p:
                x = ln(x + f(x))
            else:
                x = x + f(ln(x))
        return x
