import torch
from torch import nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-3, momentum=0.1, affine=True, track_running_stats=False):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.track = track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if x.dim() not in (3, 4):
            raise ValueError("expected 3D or 4D input")
        n, c = x.shape[:2]
        flat = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(n, c, -1)
        if (self.training or not self.track) and flat.shape[2] == 1:
            raise ValueError("one value per channel")
        mean = flat.mean(2)
        var = flat.var(2)
        if self.track:
            if self.training:
                with torch.no_grad():
                    self.running_mean.lerp_(mean.mean(0).to(self.running_mean.dtype), self.momentum)
                    self.running_var.lerp_(flat.var(2).mean(0).to(self.running_var.dtype), self.momentum)
            else:
                mean, var = self.running_mean[None].to(flat.dtype), self.running_var[None].to(flat.dtype)
        y = (flat - mean[..., None]) / torch.sqrt(var[..., None] + self.eps)
        y = y.reshape(x.shape)
        if self.weight is not None:
            shape = [1, c] + [1] * (x.dim() - 2)
            y = y * self.weight.view(shape) + self.bias.view(shape)
        return y.to(x.dtype)
