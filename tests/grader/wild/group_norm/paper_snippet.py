import torch
import torch.nn as nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-3, affine=True):
        super(GroupNorm, self).__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.G = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_channels)) if affine else None

    def forward(self, x):
        N, C = x.shape[0], x.shape[1]
        y = x.reshape(N, self.G, C // self.G, -1)
        mean = y.mean(dim=(2, 3), keepdim=True)
        std = y.std(dim=(2, 3), keepdim=True, unbiased=False)
        y = (y - mean) / (std + self.eps)
        y = y.reshape(x.shape)
        if self.weight is not None:
            shape = [1, C] + [1] * (x.dim() - 2)
            y = y * self.weight.view(shape) + self.bias.view(shape)
        return y
