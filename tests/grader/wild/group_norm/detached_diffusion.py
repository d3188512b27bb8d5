import torch
from torch import nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-6, affine=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("uneven groups")
        self.num_groups = num_groups
        self.eps = eps
        self.affine = affine
        if affine:
            self.weight = nn.Parameter(torch.ones(num_channels))
            self.bias = nn.Parameter(torch.zeros(num_channels))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)

    def forward(self, x):
        b, c, *spatial = x.shape
        h = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(b, self.num_groups, -1)
        var, mean = torch.var_mean(h.detach(), dim=2, unbiased=False, keepdim=True)
        h = (h - mean) / torch.sqrt(var + self.eps)
        h = h.reshape(b, c, *spatial)
        if self.affine:
            h = h * self.weight.reshape(1, c, *[1] * len(spatial)) + self.bias.reshape(1, c, *[1] * len(spatial))
        return h
