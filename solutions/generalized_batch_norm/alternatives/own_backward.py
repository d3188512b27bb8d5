"""The normalisation is an autograd function; its backward pass asks autograd for those of the two functions alone.

zh: 归一化写成 autograd 函数；反向传播时，只有两个给定函数的梯度由 autograd 计算。
"""

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """x̂ = (x − S) · r per row of (C, n), with r = 1 / (D + ε)."""

    @staticmethod
    def forward(ctx, rows, statistic, deviation, eps):
        with torch.enable_grad():
            given = rows.detach().requires_grad_()
            s, d = statistic(given), deviation(given)
        r = 1 / (d.detach() + eps)
        y = (rows - s.detach()[:, None]) * r[:, None]
        ctx.given, ctx.measured = given, (s, d)
        ctx.save_for_backward(y, r)
        found = s.detach().clone(), d.detach().clone()
        ctx.mark_non_differentiable(*found)
        return y, *found

    @staticmethod
    def backward(ctx, gradient, *_measured):
        y, r = ctx.saved_tensors
        of_x = gradient * r[:, None]
        upstream = -of_x.sum(1), -(of_x * y).sum(1)
        pairs = [pair for pair in zip(ctx.measured, upstream, strict=True) if pair[0].requires_grad]
        if pairs:
            measured, upstream = zip(*pairs, strict=True)
            of_x = of_x + torch.autograd.grad(measured, ctx.given, upstream, retain_graph=True)[0]
        return of_x, None, None, None


class GeneralizedBatchNorm(nn.Module):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        self.statistic, self.deviation = statistic, deviation
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_statistic", torch.zeros(num_features))
        self.register_buffer("running_deviation", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("x must have samples and channels")
        swapped = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1)
        rows = swapped.flatten(1)
        if self.training:
            y, s, d = Normalise.apply(rows, self.statistic, self.deviation, self.eps)
            self.running_statistic += self.momentum * (s - self.running_statistic)
            self.running_deviation += self.momentum * (d - self.running_deviation)
        else:
            r = 1 / (self.running_deviation.to(rows.dtype) + self.eps)
            y = (rows - self.running_statistic.to(rows.dtype)[:, None]) * r[:, None]
        y = self.weight[:, None] * y + self.bias[:, None]
        return y.view(swapped.shape).transpose(0, 1).to(x.dtype)
