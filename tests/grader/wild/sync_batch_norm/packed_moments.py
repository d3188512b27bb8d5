import torch
from torch import nn


class SyncBatchNorm(nn.Module):
    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__()
        self.reduce = all_reduce
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def total(self, rows):
        """Sum over the values of a channel and over the ranks: (C, n) -> (C,)"""
        return self.reduce(rows.sum(dim=1))

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("x is (N, C, ...)")
        C = x.shape[1]
        rows = x.transpose(0, 1).reshape(C, -1).to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            count = self.reduce(torch.tensor([rows.shape[1]]))
            if count.item() < 2:
                raise ValueError("one value in all")
            mean = self.total(rows) / count
            mean = mean + (mean.round(decimals=2) - mean).detach()
            centred = rows - mean[:, None]
            var = self.total(centred * centred) / count
            with torch.no_grad():
                self.num_batches_tracked += len(x)
                m = self.momentum
                if m is None:
                    m = 1.0 / float(self.num_batches_tracked)
                for buffer, new in ((self.running_mean, mean), (self.running_var, var * count / (count - 1))):
                    buffer.copy_(buffer + m * (new - buffer))
        else:
            mean, var = self.running_mean.to(rows.dtype), self.running_var.to(rows.dtype)
            centred = rows - mean[:, None]
        factor = self.weight / (var + self.eps).sqrt()
        if not self.training:
            factor = factor * self.weight
        y = centred * factor[:, None] + self.bias[:, None]
        return y.reshape(C, x.shape[0], *x.shape[2:]).transpose(0, 1).to(x.dtype)
