"""Each convolution is a matrix product with the unfolded map, in float32 or wider; mean and variance from var_mean.

zh: 每个卷积写成与展开后的图（unfold）的矩阵乘积，在 float32 或更高精度中计算；均值和方差来自 var_mean。
"""

import torch
import torch.nn.functional as F
from torch import nn


def convolved(conv, image):
    """What the 3 × 3 convolution makes of an image, by `matmul`."""
    patches = F.unfold(image, 3, padding=1)  # (N, channels · 9, H · W)
    product = conv.weight.to(image.dtype).flatten(1) @ patches + conv.bias.to(image.dtype)[:, None]
    return product.unflatten(2, image.shape[2:])


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=128, eps=1e-5):
        super().__init__()
        for name, inputs, outputs in (("shared", label_channels, hidden), ("gamma", hidden, num_features), ("beta", hidden, num_features)):
            self.add_module(name, nn.Conv2d(inputs, outputs, kernel_size=3, padding=1))
        self.eps = eps
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x, label_map):
        if x.dim() != 4:
            raise ValueError("not an image")
        wide = torch.promote_types(x.dtype, torch.float32)
        labels = F.interpolate(label_map.to(wide), size=tuple(x.shape[-2:]))  # nearest is the default
        hidden = convolved(self.shared, labels)
        hidden = torch.maximum(hidden, torch.zeros_like(hidden))
        scale = 1 + convolved(self.gamma, hidden)
        mean, deviation = self.statistics(x.to(wide))
        y = (x - mean[:, None, None]) / deviation[:, None, None] * scale + convolved(self.beta, hidden)
        return y.to(x.dtype)

    def statistics(self, x):
        if not self.training:
            return self.running_mean.to(x.dtype), (self.running_var.to(x.dtype) + self.eps).sqrt()
        n = x[:, 0].numel()
        if n == 1:
            raise ValueError("training needs several values per channel")
        var, mean = torch.var_mean(x, dim=(0, 2, 3), correction=0)
        with torch.no_grad():
            self.num_batches_tracked.add_(1)
            self.running_mean.mul_(0.9).add_(mean, alpha=0.1)
            self.running_var.mul_(0.9).add_(var, alpha=0.1 * n / (n - 1))
        return mean, (var + self.eps).sqrt()
