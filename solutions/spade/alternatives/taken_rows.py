"""The nearest labels are taken by whole-number indices; the norm is a layer of its own, whose buffers are assigned anew.

zh: 最近的标签用整数下标取出；归一化是单独的一个层，它的缓冲区重新赋值。
"""

import torch
from torch import nn


class PlainBatchNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.eps = eps
        self.register_buffer("running_mean", torch.zeros(size))
        self.register_buffer("running_var", torch.ones(size))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        rows = x.transpose(0, 1).flatten(1).to(torch.promote_types(x.dtype, torch.float32))
        mean, var = self.running_mean.to(rows.dtype), self.running_var.to(rows.dtype)
        if self.training:
            n = rows.shape[1]
            if n < 2:
                raise ValueError("one value per channel")
            mean = rows.sum(1) / n
            squares = (rows - mean[:, None]).square().sum(1)
            var = squares / n
            self.num_batches_tracked = self.num_batches_tracked + 1
            self.running_mean = (0.9 * self.running_mean + 0.1 * mean.detach()).to(self.running_mean.dtype)
            self.running_var = (0.9 * self.running_var + 0.1 * squares.detach() / (n - 1)).to(self.running_var.dtype)
        y = (rows - mean[:, None]) * (var + self.eps).rsqrt()[:, None]
        return y.unflatten(1, (x.shape[0], *x.shape[2:])).transpose(0, 1)


def nearest(labels, height, width):
    """Row i of the result is row floor(i · H' / H), and so are the columns."""
    rows = torch.arange(height) * labels.shape[2] // height
    columns = torch.arange(width) * labels.shape[3] // width
    return labels[:, :, rows[:, None], columns]


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=128, eps=1e-5):
        super().__init__()
        self.norm = nn.Sequential(PlainBatchNorm(num_features, eps))
        self.shared = nn.Conv2d(label_channels, hidden, 3, 1, 1)
        self.gamma = nn.Conv2d(hidden, num_features, 3, 1, 1)
        self.beta = nn.Conv2d(hidden, num_features, 3, 1, 1)

    def forward(self, x, label_map):
        if x.dim() != 4:
            raise ValueError(f"four dimensions are needed, not {x.dim()}")
        activated = self.shared(nearest(label_map, *x.shape[2:])).clamp(min=0)
        normalised = self.norm(x)
        y = normalised + self.gamma(activated) * normalised + self.beta(activated)
        return y.to(x.dtype)
