import torch
from torch import nn


class L1BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_dev", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("expected at least 2D input")
        dims = [d for d in range(x.dim()) if d != 1]
        shape = [-1 if d == 1 else 1 for d in range(x.dim())]
        h = x
        if self.training:
            n = x.numel() // x.shape[1]
            if n == 1:
                raise ValueError("Expected more than 1 value per channel when training")
            mu = h.mean(dims)
            dev = (h - mu.view(shape)).abs().sum(dims) / max(n - 1, 1)
            with torch.no_grad():
                self.running_mean.copy_((1 - self.momentum) * self.running_mean + self.momentum * mu)
                self.running_dev.copy_((1 - self.momentum) * self.running_dev + self.momentum * dev)
                self.num_batches_tracked += 1
        else:
            mu, dev = self.running_mean, self.running_dev
        y = (h - mu.view(shape)) / torch.sqrt(dev.view(shape) ** 2 + self.eps)
        y = self.weight.view(shape) * y + self.bias.view(shape)
        return y.to(x.dtype)
