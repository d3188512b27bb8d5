import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        if affine:
            self.weight = nn.Parameter(torch.ones(num_features))
            self.bias = nn.Parameter(torch.zeros(num_features))
        else:
            self.weight = self.bias = None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)

    def forward(self, x):
        if x.dim() not in (2, 3, 4):
            raise ValueError("2, 3 or 4 dimensions")
        if self.training and x.numel() == x.shape[1]:
            raise ValueError("one value per channel")
        dims = (0, 2, 3)
        v = (1, -1, 1, 1)
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training or self.running_mean is None:
            mean = wide.mean(dims)
            var = wide.var(dims, unbiased=False)
        else:
            mean, var = self.running_mean, self.running_var
        y = (wide - mean.view(v)) / torch.sqrt(var.view(v))
        if self.affine:
            y = y * self.weight.view(v) + self.bias.view(v)
        if self.training and self.running_mean is not None:
            momentum = self.momentum
            self.running_mean = (1 - momentum) * self.running_mean + momentum * mean.detach()
            self.running_var = (1 - momentum) * self.running_var + momentum * wide.detach().var(dims)
        return y.to(x.dtype)
