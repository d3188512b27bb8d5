import torch
from torch import nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps = 1e-5
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        for name, start in (("running_mean", torch.zeros), ("running_var", torch.zeros)):
            self.register_buffer(name, start(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if x.dim() not in (3, 4):
            raise ValueError("rank")
        y = x.flatten(2).to(torch.promote_types(x.dtype, torch.float32))
        if y.shape[-1] == 1 and (self.training or self.running_mean is None):
            raise ValueError("one value")
        mean, var = y.mean(-1), y.var(-1, correction=0)
        if self.training and self.running_mean is not None:
            with torch.no_grad():
                self.running_mean += self.momentum * (mean.mean(0) - self.running_mean)
                self.running_var += self.momentum * (y.var(-1).mean(0) - self.running_var)
        y = (y - mean.unsqueeze(-1)) / (var.unsqueeze(-1) + self.eps).sqrt()
        if self.weight is not None:
            y = y * self.weight.unsqueeze(-1) + self.bias.unsqueeze(-1)
        return y.reshape(x.shape).to(x.dtype)
