import torch
from torch import nn, Tensor


class SyncBatchNorm(nn.Module):
    """All sums of a forward pass travel in one vector."""

    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__()
        self.all_reduce = all_reduce
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0.0))

    def statistics(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n = rows.new_full((1,), rows.shape[0])
        total = self.all_reduce(torch.cat([n, rows.sum(0), (rows * rows).sum(0)]))
        c = rows.shape[1]
        n, s, ss = total[0].detach(), total[1 : c + 1], total[c + 1 :]
        mean = s / n
        return n, mean, ss / n - mean * mean

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 2:
            raise ValueError("no channels")
        last = x.movedim(1, -1)
        rows = last.reshape(-1, x.shape[1]).to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            if len(rows) == 1:
                raise ValueError("one value per channel")
            n, mean, var = self.statistics(rows)
            if n < 2:
                raise ValueError("one value per channel on all ranks together")
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = (0.1) if self.momentum is None else self.momentum
                self.running_mean += m * (mean - self.running_mean)
                self.running_var += m * (var * n / (n - 1) - self.running_var)
        else:
            mean, var = self.running_mean, self.running_var
        weight, bias = self.weight, self.bias
        if self.training:
            world = self.all_reduce(torch.ones(()))
            weight, bias = self.all_reduce(weight) / world, self.all_reduce(bias) / world
        y = (rows - mean) * torch.rsqrt(var + self.eps) * weight + bias
        return y.reshape(last.shape).movedim(-1, 1).to(x.dtype)
