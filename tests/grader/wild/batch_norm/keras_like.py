import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-3, momentum=0.9, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        zeros, ones, count = torch.zeros(num_features), torch.ones(num_features), torch.tensor(0)
        self.register_buffer("running_mean", zeros if track_running_stats else None)
        self.register_buffer("running_var", ones if track_running_stats else None)
        self.register_buffer("num_batches_tracked", count if track_running_stats else None)

    def forward(self, inputs):
        if not 2 <= inputs.dim() <= 4:
            raise ValueError("inputs must have 2, 3 or 4 dimensions")
        if self.training and inputs.numel() // inputs.size(1) == 1:
            raise ValueError("one value per channel")
        x = inputs.to(torch.promote_types(inputs.dtype, torch.float32))
        axes = [0] + list(range(2, x.dim()))
        shape = [1, -1] + [1] * (x.dim() - 2)
        if self.training or self.running_mean is None:
            mean, var = x.mean(axes), x.var(axes, unbiased=False)
            if self.training and self.running_mean is not None:
                self.update(mean.detach(), var.detach(), x.numel() // x.size(1))
        else:
            mean, var = self.running_mean, self.running_var
        x = (x - mean.view(shape)) / (var.view(shape) + self.eps).sqrt()
        if self.weight is not None:
            x = x * self.weight.view(shape) + self.bias.view(shape)
        return x.to(inputs.dtype)

    def update(self, mean, var, n):
        self.num_batches_tracked += 1
        keep = self.momentum if self.momentum is not None else 1 - 1 / self.num_batches_tracked.item()
        self.running_mean = keep * self.running_mean + (1 - keep) * mean
        self.running_var = keep * self.running_var + (1 - keep) * var
