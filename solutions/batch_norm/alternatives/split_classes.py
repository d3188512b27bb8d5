"""A base class keeps the running statistics, plain functions do the arithmetic, and the layer joins the two.

zh: 基类保存滑动统计量，普通函数负责计算，层把两者结合起来。
"""

import torch
from torch import Tensor, nn


def channel_rows(x: Tensor) -> Tensor:
    """(N, C, …) → (C, n), in float32 or wider."""
    return x.movedim(1, 0).flatten(1).to(torch.promote_types(x.dtype, torch.float32))


def restored(rows: Tensor, x: Tensor) -> Tensor:
    """(C, n) → the shape and dtype of x."""
    return rows.unflatten(1, (x.shape[0], *x.shape[2:])).movedim(0, 1).to(x.dtype)


def column(vector: Tensor, like: Tensor) -> Tensor:
    return vector.to(like.dtype).unsqueeze(1)


class RunningStatistics(nn.Module):
    def __init__(self, size, momentum):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("running_mean", torch.zeros(size) if size else None)
        self.register_buffer("running_var", torch.ones(size) if size else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if size else None)

    @property
    def tracks(self) -> bool:
        return self.running_mean is not None

    @torch.no_grad()
    def observe(self, rows: Tensor) -> None:
        var, mean = torch.var_mean(rows, 1)
        self.num_batches_tracked += 1
        fraction = 1 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
        for buffer, value in ((self.running_mean, mean), (self.running_var, var)):
            buffer.copy_(torch.lerp(buffer.to(value.dtype), value, fraction))


class BatchNorm(RunningStatistics):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__(num_features if track_running_stats else None, momentum)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (2, 3, 4):
            raise ValueError("BatchNorm takes 2, 3 or 4 dimensions")
        rows = channel_rows(x)
        if self.training:
            if rows.shape[1] < 2:
                raise ValueError("BatchNorm needs two values per channel to train on")
            if self.tracks:
                self.observe(rows)
        return restored(self.transformed(rows), x)

    def transformed(self, rows: Tensor) -> Tensor:
        if self.tracks and not self.training:
            mean, var = column(self.running_mean, rows), column(self.running_var, rows)
        else:
            var, mean = torch.var_mean(rows, 1, keepdim=True, correction=0)
        normalised = rows.sub(mean).div(var.add(self.eps).sqrt())
        if self.weight is None:
            return normalised
        return normalised.mul(column(self.weight, rows)).add(column(self.bias, rows))
