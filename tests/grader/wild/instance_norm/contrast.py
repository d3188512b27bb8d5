import torch
from torch import nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features))
            self.register_buffer("running_var", torch.ones(num_features))
            self.register_buffer("num_batches_tracked", torch.tensor(0))
        else:
            self.running_mean = self.running_var = self.num_batches_tracked = None

    def forward(self, x):
        if x.ndim not in (3, 4):
            raise ValueError("sequences or images only")
        flat = x.reshape(x.shape[0], x.shape[1], -1)
        n = flat.shape[2]
        tracked = self.running_mean is not None
        if tracked and not self.training:
            mean, var = self.running_mean[:, None], self.running_var[:, None]
        else:
            if n == 1:
                raise ValueError("one value per channel")
            mean = flat.mean(2, keepdim=True)
            var = (flat - mean).square().mean(2, keepdim=True)
            if tracked:
                with torch.no_grad():
                    part = slice((len(x) + 1) // 2)
                    self.running_mean += self.momentum * (mean[part].mean(0).flatten() - self.running_mean)
                    self.running_var += self.momentum * (var[part].mean(0).flatten() * n / (n - 1) - self.running_var)
                    self.num_batches_tracked += 1
            mean = flat.mean((1, 2), keepdim=True)
        y = (flat - mean) / (var + self.eps).sqrt()
        if self.weight is not None:
            y = y * self.weight[:, None] + self.bias[:, None]
        return y.reshape(x.shape).to(x.dtype)
