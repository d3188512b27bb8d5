import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class ScaledPreNorm(nn.Module):
    def __init__(self, dim, sublayer, layer):
        super().__init__()
        self.dim = dim
        self.norm = nn.LayerNorm(dim)
        self.sublayer = copy.deepcopy(sublayer)
        self.inv_sqrt = 1 / math.sqrt(layer)

    def forward(self, x):
        h = F.layer_norm(x, (self.dim,), self.norm.weight * self.inv_sqrt, self.norm.bias, self.norm.eps)
        if self.training:
            with torch.no_grad():
                assert self.sublayer(h).shape == x.shape
        return self.norm(x) + self.sublayer(h)
