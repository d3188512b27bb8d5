import torch
from torch import nn


class L1BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_dev", torch.ones(num_features))

    def forward(self, x):
        if x.dim() not in (2, 4):
            raise ValueError("(N, C) or (N, C, H, W)")
        v = x.to(torch.promote_types(x.dtype, torch.float32))
        axes = tuple(i for i in range(v.dim()) if i != 1)
        col = lambda t: t.reshape(1, -1, *[1] * (v.dim() - 2))
        if self.training:
            mean = v.mean(axes)
            centre = v.transpose(0, 1).flatten(1).median(dim=1).values
            dev = (v - col(centre)).abs().mean(axes)
            m = self.momentum
            with torch.no_grad():
                self.running_mean += m * (mean - self.running_mean)
                self.running_dev += m * (dev + self.eps - self.running_dev)
            dev = dev.detach()
        else:
            mean, dev = self.running_mean, self.running_dev
        y = (v - col(mean)) / (col(dev) + self.eps)
        return (y * col(self.weight) + col(self.bias))
