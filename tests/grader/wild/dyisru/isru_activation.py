import math

import torch
import torch.nn as nn


def isru(x, alpha):
    return x / torch.sqrt(1 + alpha * x * x)


class DyISRU(nn.Module):
    def __init__(self, dim, c=1.0):
        super().__init__()
        self.scale = math.sqrt(dim)
        self.c = nn.Parameter(torch.ones(1, 1) * 1.0)
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        y = isru(x.to(torch.promote_types(x.dtype, torch.float32)), self.c)
        y = self.weight * (self.scale * y) + self.bias
        y = torch.clamp(y, -self.scale, self.scale)
        return y.to(x.dtype)
