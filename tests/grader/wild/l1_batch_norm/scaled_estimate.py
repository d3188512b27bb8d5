import math

import torch
import torch.nn as nn


class L1BatchNorm(nn.Module):
    """Batch norm without squares (good for low precision hardware)."""

    def __init__(self, num_features, eps=1e-5, momentum=0.9):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_dev", torch.ones(num_features))

    def update(self, name, new):
        old = getattr(self, name)
        m = 1 - self.momentum
        old.copy_(torch.lerp(old, new.detach().to(old.dtype), m))

    def forward(self, x):
        if x.ndim < 2:
            raise ValueError("x has no channels")
        X = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(1, -1)
        rows = X.reshape(-1, X.shape[-1])  # channels last
        mu = rows.mean(0)
        if self.training:
            c = rows - mu
            dev = (c * torch.sign(rows)).mean(0) * math.sqrt(math.pi / 2)
            with torch.no_grad():
                self.update("running_mean", mu)
                self.update("running_dev", dev)
        else:
            with torch.no_grad():
                self.update("running_mean", mu)
            mu, dev = self.running_mean.to(X.dtype), self.running_dev.to(X.dtype)
        out = (X - mu) / (dev + self.eps) * self.weight + self.bias
        return out.transpose(1, -1).to(x.dtype)
