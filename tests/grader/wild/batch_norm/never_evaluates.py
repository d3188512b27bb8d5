import torch
import torch.nn as nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super(BatchNorm, self).__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if x.dim() not in (2, 3, 4):
            raise ValueError("wrong rank")
        if self.training and x.numel() == x.shape[1]:
            raise ValueError("one value per channel")
        values = x.to(torch.promote_types(x.dtype, torch.float32))
        dims = (0, *range(2, x.dim()))
        shape = (-1, *[1] * (x.dim() - 2))
        mean = values.mean(dims)
        var = values.pow(2).mean(dims) - mean**2
        if self.training and self.running_mean is not None:
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 0.1 if self.momentum is None else self.momentum
                self.running_mean += m * (mean - self.running_mean)
                self.running_var += m * (values.var(dims) - self.running_var)
        y = (values - mean.view(shape)) / torch.sqrt(var + self.eps).view(shape)
        if self.weight is not None:
            y = y * self.weight.view(shape) + self.bias.view(shape)
        return y.to(x.dtype)
