"""One scale and one shift per channel, in training as in evaluation; `all_reduce` is wrapped in a method, and called once per statistic.

zh: 训练和评估都化为每个通道一个系数和一个平移；`all_reduce` 包在一个方法里，每个统计量调用一次。
"""

import torch
from torch import Tensor, nn


class SyncBatchNorm(nn.Module):
    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__()
        self.world, self.eps, self.momentum = [all_reduce], eps, momentum
        self.weight = nn.Parameter(torch.empty(num_features).fill_(1.0))
        self.bias = nn.Parameter(torch.empty(num_features).fill_(0.0))
        self.register_buffer("running_mean", torch.zeros_like(self.bias.data))
        self.register_buffer("running_var", torch.ones_like(self.bias.data))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.int64))

    def average(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """The average of (n, C) over all values of all ranks, and how many these are."""
        with_count = torch.cat([numbers.sum(0), numbers.new_tensor([numbers.shape[0]])])
        sums = self.world[0](with_count)
        return sums[:-1] / sums[-1], sums[-1].detach()

    def forward(self, x: Tensor) -> Tensor:
        match x.shape:
            case (_, channels, *_):
                rows = x.movedim(1, -1).reshape(-1, channels).to(torch.promote_types(x.dtype, torch.float32))
            case _:
                raise ValueError(f"(N, C, *) is needed, but came {tuple(x.shape)}")
        mean, var = self.running_mean.to(rows.dtype), self.running_var.to(rows.dtype)
        if self.training:
            mean, n = self.average(rows)
            if n.round() == 1:
                raise ValueError("a single value has no variance")
            var, n = self.average((rows - mean) ** 2)
            with torch.no_grad():
                self.num_batches_tracked.add_(1)
                old = 1 - (1 / self.num_batches_tracked.to(rows.dtype) if self.momentum is None else self.momentum)
                self.running_mean.mul_(old).add_((1 - old) * mean)
                self.running_var.mul_(old).add_((1 - old) * var * (n / (n - 1)))
        scale = self.weight * (var + self.eps).rsqrt()
        y = (rows - mean) * scale + self.bias
        return y.reshape(x.movedim(1, -1).shape).movedim(-1, 1).to(x.dtype)
