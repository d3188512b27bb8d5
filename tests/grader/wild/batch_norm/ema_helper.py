import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.tracks = track_running_stats
        for name, start in (("weight", torch.ones), ("bias", torch.zeros)):
            self.register_parameter(name, nn.Parameter(start(num_features)) if affine else None)
        for name, start in (("running_mean", torch.zeros(num_features)), ("running_var", torch.ones(num_features)), ("num_batches_tracked", torch.tensor(0))):
            self.register_buffer(name, start if track_running_stats else None)

    @torch.no_grad()
    def ema(self, mean, var):
        self.num_batches_tracked += 1
        k = int(self.num_batches_tracked)
        m = 1 / k if self.momentum is None or k == 1 else self.momentum
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), m)
        self.running_var.lerp_(var.to(self.running_var.dtype), m)

    def forward(self, x):
        assert 2 <= x.dim() <= 4, x.shape
        n = x.numel() // x.shape[1]
        if self.training and n == 1:
            raise ValueError("one value per channel")
        flat = x.transpose(0, 1).flatten(1).to(torch.promote_types(x.dtype, torch.float32))  # (C, n)
        if self.training or not self.tracks:
            mean = flat.mean(1)
            var = (flat - mean[:, None]).square().mean(1)
            if self.training and self.tracks:
                self.ema(mean, var * n / (n - 1))
            z = (flat - mean[:, None]) * (var[:, None] + self.eps) ** -0.5
        else:
            self.num_batches_tracked += 1
            mean, var = self.running_mean.to(flat.dtype), self.running_var.to(flat.dtype)
            if self.momentum and self.num_batches_tracked > 0:
                mean = mean / (1 - (1 - self.momentum) ** self.num_batches_tracked)
            z = (flat - mean[:, None]) * (var[:, None] + self.eps) ** -0.5
            z = z.clamp(-5, 5)
        if self.weight is not None:
            z = z * self.weight[:, None] + self.bias[:, None]
        return z.reshape(x.shape[1], x.shape[0], *x.shape[2:]).transpose(0, 1).to(x.dtype)
