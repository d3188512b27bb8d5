import torch
from torch import nn


class SyncBatchNorm(nn.Module):
    def __init__(self, num_features, all_reduce, eps=1e-3, momentum=0.1):
        super().__init__()
        self.all_reduce = all_reduce
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("x: (N, C, ...)")
        dims = (0,) + tuple(range(2, x.dim()))
        view = (1, -1) + (1,) * (x.dim() - 2)
        h = x
        if self.training:
            mine = x.numel() // x.shape[1]
            count = mine * int(self.all_reduce(torch.ones(())))
            if count == 1:
                raise ValueError("more than one value per channel please")
            mean = self.all_reduce(h.sum(dims)) / count
            var = self.all_reduce(((h - mean.view(view)) ** 2).sum(dims)) / count
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
                unbiased = var * mine / max(mine - 1, 1)
                self.running_mean.mul_(1 - m).add_(m * mean)
                self.running_var.mul_(1 - m).add_(m * unbiased)
        else:
            mean, var = self.running_mean, self.running_var
            world = self.all_reduce(torch.ones(()))
            mean = self.all_reduce(mean) / world
        y = (h - mean.view(view)) / (var.view(view) + self.eps).sqrt()
        return (y * self.weight.view(view) + self.bias.view(view)).to(x.dtype)
