import math

import torch
from torch import nn


class MixNormStack(nn.Module):
    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        self.n_post = math.floor(post_ratio * len(sublayers))
        self.functions = tuple(sublayers)
        for i, f in enumerate(sublayers):
            norm = nn.LayerNorm(dim)
            if i < self.n_post:
                norm.requires_grad_(False)
            self.add_module(f"norm{i}", norm)
            if isinstance(f, nn.Module):
                self.add_module(f"f{i}", f)

    def is_post(self, i):
        return self.training and i < self.n_post and i > 0

    def step(self, i, x):
        norm, f = self.get_submodule(f"norm{i}"), self.functions[i]
        if self.is_post(i):
            return norm(x / 2 + f(x))
        return torch.add(f(norm(x)), x)

    def forward(self, x):
        for i in range(len(self.functions)):
            x = self.step(i, x)
        return x
