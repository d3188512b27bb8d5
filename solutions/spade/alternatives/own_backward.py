"""Normalisation and modulation are one autograd function with a backward pass of its own.

zh: 归一化和调制合成一个 autograd 函数，有自己的反向。
"""

import torch
import torch.nn.functional as F
from torch import nn


class Modulated(torch.autograd.Function):
    """(1 + γ) · x̂ + β; `from_batch` says whether mean and r = 1 / √(var + ε) depend on x."""

    @staticmethod
    def forward(ctx, x, gamma, beta, mean, r, from_batch):
        normalised = (x - mean) * r
        ctx.save_for_backward(normalised, gamma, r)
        ctx.from_batch = from_batch
        return (1 + gamma) * normalised + beta

    @staticmethod
    def backward(ctx, d):
        normalised, gamma, r = ctx.saved_tensors
        g = (1 + gamma) * d
        if ctx.from_batch:
            of_mean = g.mean((0, 2, 3), keepdim=True)
            of_var = (g * normalised).mean((0, 2, 3), keepdim=True)
            g = g - of_mean - normalised * of_var
        return g * r, d * normalised, d, None, None, None


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=128, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.shared = nn.Conv2d(label_channels, hidden, 3, padding=1)
        self.gamma = nn.Conv2d(hidden, num_features, 3, padding=1)
        self.beta = nn.Conv2d(hidden, num_features, 3, padding=1)
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x, label_map):
        if x.dim() != 4:
            raise ValueError("(N, C, H, W) is needed")
        if self.training and x[:, 0].numel() == 1:
            raise ValueError("more than one value per channel is needed")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        with torch.no_grad():
            if self.training:
                var, mean = torch.var_mean(wide, (0, 2, 3), correction=1)
                self.num_batches_tracked += 1
                self.running_mean.lerp_(mean.to(self.running_mean.dtype), 0.1)
                self.running_var.lerp_(var.to(self.running_var.dtype), 0.1)
                n = x[:, 0].numel()
                var = var * (n - 1) / n
            else:
                mean, var = self.running_mean.to(wide.dtype), self.running_var.to(wide.dtype)
            r = (var + self.eps).rsqrt()
        hidden = F.threshold(self.shared(F.interpolate(label_map, x.shape[2:])), 0.0, 0.0)
        gamma, beta = self.gamma(hidden).to(wide.dtype), self.beta(hidden).to(wide.dtype)
        return Modulated.apply(wide, gamma, beta, mean.view(1, -1, 1, 1), r.view(1, -1, 1, 1), self.training).to(x.dtype)
