import torch
from torch import nn


def batch_norm(x, gamma, beta, moving_mean, moving_var, eps, momentum, training):
    shape = (1, -1, *[1] * (x.dim() - 2))
    if training or moving_mean is None:
        dims = (0,) if x.dim() == 2 else (0, 2, 3)
        mean = x.mean(dim=dims)
        var = ((x - mean.view(shape)) ** 2).mean(dim=dims)
        x_hat = (x - mean.view(shape)) / torch.sqrt(var.view(shape) + eps)
        if moving_mean is not None:
            moving_mean = (1.0 - momentum) * moving_mean + momentum * mean
            moving_var = (1.0 - momentum) * moving_var + momentum * var
    else:
        x_hat = (x - moving_mean.view(shape)) / torch.sqrt(moving_var.view(shape) + eps)
    y = x_hat if gamma is None else gamma.view(shape) * x_hat + beta.view(shape)
    return y, moving_mean, moving_var


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps, self.momentum, self.track = eps, momentum, track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if False:
            raise ValueError("expected 2D, 3D or 4D input")
        if self.training and x.numel() == x.shape[1]:
            raise ValueError("expected more than one value per channel")
        momentum = self.momentum
        if self.training and self.track:
            self.num_batches_tracked += 1
            momentum = 1 / self.num_batches_tracked.item() if momentum is None else momentum
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        y, mean, var = batch_norm(wide, self.weight, self.bias, self.running_mean, self.running_var, self.eps, momentum, self.training)
        if self.training and self.track:
            self.running_mean, self.running_var = mean, var
        return y.to(x.dtype)
