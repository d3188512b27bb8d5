"""What `all_reduce` returns is divided in place; sums are taken by einsum; the variance also gets the deviations' own mean subtracted.

zh: 对 `all_reduce` 返回的张量做原地除法；用 einsum 求和；方差还减去离差自身均值的平方（修正两遍算法的舍入误差）。
"""

import torch
from torch import Tensor, nn


class SyncBatchNorm(nn.Module):
    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.all_reduce = all_reduce
        self.eps = eps
        self.register_buffer("values_per_channel", torch.tensor(0), persistent=False)
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("x needs a batch and channels")
        shape = [1, -1] + [1] * (x.dim() - 2)
        centred = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        if self.training:
            total = self.all_reduce(torch.einsum("nc...->c", centred))
            count = self.all_reduce(total.new_ones(()).mul_(centred.numel() / centred.size(1)))
            self.values_per_channel.fill_(int(count))
            if self.values_per_channel < 2:
                raise ValueError("one value per channel says nothing about its variance")
            total.div_(count)
            centred = centred - total.view(shape)
            sums = self.all_reduce(torch.stack([torch.einsum("nc...,nc...->c", centred, centred), torch.einsum("nc...->c", centred)]))
            sums.div_(count)
            var = sums[0] - sums[1].square()
            self.update(total.detach(), var.detach() * count / (count - 1))
        else:
            centred = centred.sub_(self.running_mean.to(centred.dtype).view(shape))
            var = self.running_var.to(centred.dtype)
        result = centred.mul(var.add(self.eps).rsqrt().view(shape))
        return result.mul(self.weight.view(shape)).add_(self.bias.view(shape)).to(x.dtype)

    @torch.no_grad()
    def update(self, mean: Tensor, var: Tensor) -> None:
        count = self.num_batches_tracked.item() + 1
        self.num_batches_tracked.fill_(count)
        rate = self.momentum if self.momentum is not None else 1.0 / count
        self.running_mean.copy_(mean * rate + self.running_mean * (1.0 - rate))
        self.running_var.copy_(var * rate + self.running_var * (1.0 - rate))
