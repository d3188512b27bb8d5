"""Two calls: counts and sums in one tensor, then the centred moments of each rank, shifted to the mean of all (Chan et al. 1983).

zh: 只调用两次：个数与和放在一个张量里；然后合并各 rank 的中心矩，并修正到全体均值（Chan 等，1983）。
"""

import torch
from torch import Tensor, nn


class SyncBatchNorm(nn.Module):
    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__()
        self.all_reduce, self.eps, self.momentum = all_reduce, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 2:
            raise ValueError(f"expected at least 2 dimensions, got {x.ndim}")
        wide = x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)
        axes = [axis for axis in range(x.ndim) if axis != 1]
        column = [-1 if axis == 1 else 1 for axis in range(x.ndim)]
        if self.training:
            mean, var = self.of_all_ranks(wide, axes)
        else:
            mean, var = self.running_mean.to(wide.dtype), self.running_var.to(wide.dtype)
        normalised = (wide - mean.view(column)) * torch.rsqrt(var.view(column) + self.eps)
        scaled = torch.addcmul(self.bias.to(wide.dtype).view(column), normalised, self.weight.to(wide.dtype).view(column))
        return scaled.to(x.dtype)

    def of_all_ranks(self, wide: Tensor, axes: list[int]) -> tuple[Tensor, Tensor]:
        own_var, own_mean = torch.var_mean(wide, axes, correction=0)
        own_count = torch.full_like(own_mean, wide.numel() // wide.shape[1])
        count, total = self.all_reduce(torch.stack([own_count, own_count * own_mean]))
        if bool((count < 1.5).any()):
            raise ValueError("more than one value per channel is needed")
        mean = total / count
        var = self.all_reduce(own_count * (own_var + (own_mean - mean) ** 2)) / count
        self.update(mean.detach(), (var * count / (count - 1)).detach())
        return mean, var

    def update(self, mean: Tensor, var: Tensor) -> None:
        self.num_batches_tracked.add_(1)
        step = self.momentum if self.momentum is not None else 1.0 / self.num_batches_tracked.item()
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), step)
        self.running_var.lerp_(var.to(self.running_var.dtype), step)
