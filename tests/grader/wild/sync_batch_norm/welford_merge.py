import torch
from torch import nn


class SyncBatchNorm(nn.Module):
    # parallel variance (Chan et al.): M2 = sum of M2_r + sum of n_r (mean_r - mean)^2

    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__()
        self.sync = all_reduce
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        for name, start in (("running_mean", 0.0), ("running_var", 1.0)):
            self.register_buffer(name, torch.full((num_features,), start))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.int64))

    def pooled(self, h, dims, n_r):
        n = self.sync(torch.tensor(float(n_r)))
        mean_r = h.mean(dims, keepdim=True)
        mean = self.sync(mean_r * n_r) / n
        m2_r = ((h - mean_r) ** 2).sum(dims, keepdim=True)
        within = self.sync(m2_r)
        between = self.sync((mean_r - mean) ** 2) * n / self.sync(torch.ones(()))
        return n, mean, (within + between) / n

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("x should be at least (N, C)")
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        dims = [d for d in range(h.dim()) if d != 1]
        per_channel = [1, -1] + [1] * (h.dim() - 2)
        if self.training:
            n_r = x.shape[0]
            n, mean, var = self.pooled(h, dims, n_r)
            if n <= 1:
                raise ValueError("nothing to estimate a variance from")
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1.0 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
                old, new = (m, 1 - m)
                self.running_mean.copy_(old * self.running_mean + new * mean.flatten())
                self.running_var.copy_(old * self.running_var + new * (var * n / (n - 1)).flatten())
            mean = mean.detach()
        else:
            mean, var = self.running_mean.view(per_channel), self.running_var.view(per_channel)
        y = (h - mean) / torch.sqrt(var + self.eps)
        y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y
