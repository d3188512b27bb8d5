"""Every rank weighs its own averages by its share of all values; a base class keeps the running statistics.

zh: 每个 rank 用自己占全体数值的比例给自己的平均值加权；滑动统计量由基类保存。
"""

import torch
from torch import Tensor, nn


class RunningStatistics(nn.Module):
    def __init__(self, size, momentum):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("running_mean", torch.zeros(size))
        self.register_buffer("running_var", torch.ones(size))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    @torch.no_grad()
    def observe(self, mean: Tensor, var: Tensor) -> None:
        self.num_batches_tracked += 1
        fraction = 1 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
        for buffer, value in ((self.running_mean, mean), (self.running_var, var)):
            buffer.copy_(torch.lerp(buffer.to(value.dtype), value, fraction))


class SyncBatchNorm(RunningStatistics):
    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__(num_features, momentum)
        self.eps = eps
        self.sum_over_ranks = all_reduce
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("SyncBatchNorm takes (N, C, *)")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows = wide.movedim(1, 0).flatten(1)
        if self.training:
            with torch.no_grad():
                count = int(self.sum_over_ranks(torch.tensor([rows.shape[1]])))
            if count == 1:
                raise ValueError("SyncBatchNorm needs two values per channel to train on")
            share = rows.shape[1] / count
            mean = self.sum_over_ranks(share * rows.mean(1, keepdim=True))
            var = self.sum_over_ranks(share * (rows - mean).square().mean(1, keepdim=True))
            self.observe(mean.squeeze(1), var.squeeze(1) * (count / (count - 1)))
        else:
            mean, var = self.running_mean.to(rows.dtype)[:, None], self.running_var.to(rows.dtype)[:, None]
        y = rows.sub(mean).div(var.add(self.eps).sqrt())
        y = y.mul(self.weight.to(rows.dtype)[:, None]).add(self.bias.to(rows.dtype)[:, None])
        return y.unflatten(1, (x.shape[0], *x.shape[2:])).movedim(0, 1).to(x.dtype)
