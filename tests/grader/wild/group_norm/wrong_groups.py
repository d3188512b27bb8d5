import torch
from torch import nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__()
        if num_groups > num_channels:
            raise ValueError("too many groups")
        self.groups = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_channels))
        self.bias = nn.Parameter(torch.zeros(num_channels))

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        per = self.groups
        h = h.reshape(x.shape[0], -1, per * x[0, 0].numel())
        h = h - h.mean(2, keepdim=True)
        h = h / h.pow(2).mean(2, keepdim=True).sqrt().clamp(min=self.eps)
        h = h.reshape(x.shape)
        if self.weight is not None:
            tail = (1,) * (x.dim() - 2)
            h = self.weight.view(-1, *tail) * h + self.bias.view(-1, *tail)
        return h.to(x.dtype)
