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

    @staticmethod
    def deviation(c):
        """(C, n) centred -> (C,)"""
        size = c.abs()
        size = torch.minimum(size, 2 * size.mean(1, keepdim=True))
        return size.mean(1)

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("(N, C, ...)")
        C = x.shape[1]
        rows = x.movedim(1, 0).reshape(C, -1).to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            mean = torch.einsum("cn->c", rows) / rows.shape[1]
            dev = self.deviation(rows - mean[:, None])
            m = self.momentum
            self.running_mean = torch.lerp(self.running_mean, mean.detach().to(self.running_mean.dtype), m)
            if len(x) > 1:
                self.running_dev = torch.lerp(self.running_dev, dev.detach().to(self.running_dev.dtype), m)
        else:
            mean, dev = self.running_mean, self.running_dev
        y = (rows - mean[:, None]) / (dev + self.eps)[:, None] * self.weight[:, None]
        if self.training:
            y = y + self.bias[:, None]
        return y.reshape(C, x.shape[0], *x.shape[2:]).movedim(0, 1).to(x.dtype)
