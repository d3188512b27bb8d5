"""As torch.nn.SyncBatchNorm does it: an autograd function, whose own backward pass calls `all_reduce` on two sums of gradients.

zh: 与 torch.nn.SyncBatchNorm 的做法相同：写成 autograd 函数，反向自己推导，并对两个梯度之和调用 `all_reduce`。
"""

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """Per row of (C, n): x̂, the mean, the variance and the count of all ranks; only x̂ has a gradient."""

    @staticmethod
    def forward(ctx, rows, all_reduce, eps):
        count = all_reduce(torch.full((1,), float(rows.shape[1]), dtype=rows.dtype))
        if count.item() < 1.5:
            raise ValueError("one value per channel on all ranks together")
        mean = all_reduce(rows.sum(1)) / count
        centred = rows - mean[:, None]
        var = all_reduce((centred * centred).sum(1)) / count
        r = torch.rsqrt(var + eps)
        normalised = centred * r[:, None]
        ctx.save_for_backward(normalised, r, count)
        ctx.all_reduce = all_reduce
        ctx.mark_non_differentiable(mean, var, count)
        return normalised, mean, var, count

    @staticmethod
    def backward(ctx, gradient, *_):
        normalised, r, count = ctx.saved_tensors
        sums = torch.stack([gradient.sum(1), (gradient * normalised).sum(1)])
        of_all, along = ctx.all_reduce(sums) / count
        return r[:, None] * (gradient - of_all[:, None] - normalised * along[:, None]), None, None


class SyncBatchNorm(nn.Module):
    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__()
        self.reduce, self.eps, self.momentum = all_reduce, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("no channels")
        swapped = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1)
        rows = swapped.flatten(1)
        if self.training:
            y, mean, var, count = Normalise.apply(rows, self.reduce, self.eps)
            with torch.no_grad():
                self.num_batches_tracked += 1
                share = self.momentum if self.momentum is not None else 1 / self.num_batches_tracked.item()
                self.running_mean += share * (mean - self.running_mean)
                self.running_var += share * (var * count / (count - 1) - self.running_var)
        else:
            y = (rows - self.running_mean.to(rows.dtype)[:, None]) * (self.running_var.to(rows.dtype) + self.eps).rsqrt()[:, None]
        y = self.weight[:, None] * y + self.bias[:, None]
        return y.view(swapped.shape).transpose(0, 1).to(x.dtype)
