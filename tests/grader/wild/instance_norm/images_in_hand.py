import torch
from torch import nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
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
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if x.dim() != 4:
            raise ValueError("images only")
        axes = tuple(range(2, x.dim()))
        x32 = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training or self.running_mean is None:
            mu = x32.mean(axes, keepdim=True)
            sigma2 = ((x32 - mu) ** 2).mean(axes, keepdim=True)
        else:
            mu = self.running_mean.reshape(1, -1, *[1] * len(axes))
            sigma2 = self.running_var.reshape(1, -1, *[1] * len(axes))
        if self.training and self.running_mean is not None:
            with torch.no_grad():
                self.running_mean += self.momentum * (mu.mean(0).flatten() - self.running_mean)
                self.running_var += self.momentum * (x32.var(axes).mean(0) - self.running_var)
        out = (x32 - mu) / (torch.sqrt(sigma2) + self.eps)
        if self.affine:
            out = out * self.weight.reshape(-1, *[1] * len(axes)) + self.bias.reshape(-1, *[1] * len(axes))
        return out
