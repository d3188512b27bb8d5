import torch
from torch import nn


class BatchNorm(nn.Module):
    """Decides by torch.is_grad_enabled() whether it trains."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.track = track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, X):
        if X.dim() not in (2, 3, 4):
            raise ValueError("X must have 2, 3 or 4 dimensions")
        training = torch.is_grad_enabled()
        if self.training and X.numel() == X.shape[1]:
            raise ValueError("X must have more than one value per channel")
        shape = [1, -1] + [1] * (X.dim() - 2)
        dims = [0] + list(range(2, X.dim()))
        Xf = X.to(torch.promote_types(X.dtype, torch.float32))
        if not training and self.track:
            mean, var = self.running_mean, self.running_var
        else:
            mean = Xf.mean(dims)
            var = ((Xf - mean.view(shape)) ** 2).mean(dims)
            if training and self.track:
                n = X.numel() / X.shape[1]
                self.num_batches_tracked += 1
                m = 0.1
                self.running_mean.data = (1 - m) * self.running_mean + m * mean.data
                self.running_var.data = (1 - m) * self.running_var + m * var.data
        Y = (Xf - mean.view(shape)) / torch.sqrt(var.view(shape) + self.eps)
        if self.weight is not None:
            Y = self.weight.view(shape) * Y + self.bias.view(shape)
        return Y
