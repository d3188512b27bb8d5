import torch
from torch import nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=False, track_running_stats=False):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if x.dim() not in (3, 4):
            raise ValueError("3 or 4 dimensions")
        h = x
        dims = list(range(2, x.dim()))
        shape = [1, -1] + [1] * len(dims)
        if self.training or self.running_mean is None:
            if x.shape[2:].numel() == 1:
                raise ValueError("one value per channel")
            mean = h.mean(dims, keepdim=True)
            var = h.var(dims, keepdim=True, unbiased=False)
            if self.running_mean is not None:
                with torch.no_grad():
                    self.running_mean.copy_((1 - self.momentum) * self.running_mean + self.momentum * mean.sum(0).flatten())
                    self.running_var.copy_((1 - self.momentum) * self.running_var + self.momentum * h.var(dims).sum(0))
        else:
            mean, var = self.running_mean.view(shape), self.running_var.view(shape)
        y = (h - mean) / (var + self.eps).sqrt()
        if self.weight is not None:
            y = y * self.bias.view(shape) + self.weight.view(shape)
        return y.to(x.dtype)
