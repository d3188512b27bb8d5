import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        if affine:
            self.weight = nn.Parameter(torch.ones(num_features))
            self.bias = nn.Parameter(torch.zeros(num_features))
        else:
            self.weight = self.bias = None
        self.running_mean = torch.zeros(num_features) if track_running_stats else None
        self.running_var = torch.ones(num_features) if track_running_stats else None
        self.num_batches_tracked = torch.tensor(0) if track_running_stats else None

    def forward(self, x):
        assert x.dim() in (2, 3, 4)
        n = x.numel() / x.shape[1]
        assert not self.training or n > 1
        dims = tuple(d for d in range(x.dim()) if d != 1)
        view = tuple(-1 if d == 1 else 1 for d in range(x.dim()))
        xf = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training or self.running_mean is None:
            mean = xf.mean(dims)
            var = (xf - mean.view(view)).square().mean(dims)
            if self.training and self.running_mean is not None:
                with torch.no_grad():
                    self.num_batches_tracked = self.num_batches_tracked + 1
                    m = self.momentum or 1.0 / self.num_batches_tracked.item()
                    self.running_mean = (1 - m) * self.running_mean + m * mean
                    self.running_var = (1 - m) * self.running_var + m * var * n / (n - 1)
        else:
            mean, var = self.running_mean, self.running_var
        y = (xf - mean.view(view)) / (var.sqrt() + self.eps).view(view)
        if self.weight is not None:
            y = y * self.weight.view(view) + self.bias.view(view)
        return y.to(x.dtype)
