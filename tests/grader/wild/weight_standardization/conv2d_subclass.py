import torch
from torch import nn
from torch.nn import functional as F


class WSConv2d(nn.Conv2d):
    """nn.Conv2d, only the weight is standardized first (BiT / authors' repo)"""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, eps=1e-6):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
        self.eps = eps

    def forward(self, x):
        wide = torch.promote_types(x.dtype, torch.float32)
        weight = self.weight
        weight_mean = weight.mean(dim=1, keepdim=True).mean(dim=2, keepdim=True).mean(dim=3, keepdim=True)
        weight = weight - weight_mean
        std = weight.flatten(1).std(dim=1).view(-1, 1, 1, 1) + self.eps
        weight = (weight / std.expand_as(weight)).to(wide)
        bias = self.bias.to(wide) if self.bias is not None else None
        out = F.conv2d(x.to(wide), weight, bias, self.stride, self.padding, 1, self.groups)
        return out.to(x.dtype)
