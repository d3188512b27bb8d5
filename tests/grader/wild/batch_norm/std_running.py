import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.num_features = num_features
        self.eps = 1e-5
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features))
            self.register_buffer("running_var", torch.ones(num_features))
            self.register_buffer("num_batches_tracked", torch.tensor(0))
        else:
            self.running_mean = self.running_var = self.num_batches_tracked = None

    def forward(self, x):
        if x.dim() < 2 or x.dim() > 4:
            raise ValueError("expected 2D, 3D or 4D input")
        if self.training and x.shape[0] == 1:
            raise ValueError("cannot train on this")
        columns = x.movedim(1, -1).reshape(-1, self.num_features).to(torch.promote_types(x.dtype, torch.float32))
        if self.training or self.running_mean is None:
            mean, std = columns.mean(0), columns.var(0, unbiased=False).add(self.eps).sqrt()
            if self.training and self.running_mean is not None:
                with torch.no_grad():
                    self.num_batches_tracked += 1
                    m = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
                    self.running_mean.lerp_(mean.to(self.running_mean.dtype), m)
                    self.running_var.lerp_(columns.std(0).to(self.running_var.dtype), m)
        else:
            mean, std = self.running_mean, self.running_var.to(columns.dtype).add(self.eps).sqrt()
        out = (columns - mean) / std
        if self.weight is not None:
            out = (out + self.bias) * self.weight
        return out.reshape(x.movedim(1, -1).shape).movedim(-1, 1).to(x.dtype)
