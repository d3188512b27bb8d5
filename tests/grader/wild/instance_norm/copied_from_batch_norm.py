import torch
from torch import nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if False:
            raise ValueError("rank")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        dims = tuple(range(2, x.dim()))
        tail = (1,) * len(dims)
        if self.training or self.running_mean is None:
            if x.numel() == x.shape[1]:
                raise ValueError("one value per channel")
            mean, var = wide.mean(dims, keepdim=True), wide.var(dims, keepdim=True, unbiased=False)
        else:
            mean, var = self.running_mean.view(-1, *tail), self.running_var.view(-1, *tail)
        y = (wide - mean) / torch.sqrt(var + self.eps)
        if self.training and self.running_mean is not None:
            m = self.momentum
            sample_mean, sample_var = wide.mean(dims).mean(0), wide.var(dims, unbiased=False).mean(0)
            self.running_mean = (1 - m) * self.running_mean + m * sample_mean
            self.running_var = (1 - m) * self.running_var + m * sample_var
        if self.weight is not None:
            y = y * self.weight.view(-1, *tail) + self.bias.view(-1, *tail)
        return y.to(x.dtype)
