"""Plain functions do the arithmetic, a base class keeps the running statistics, and the layer takes away what is switched off.

zh: 普通函数负责计算，基类保存滑动统计量，层再去掉没有开启的部分。
"""

import torch
from torch import Tensor, nn


def moments(values: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and mean square deviation of every instance of (N, C, n), as (N, C, 1)."""
    mean = values.mean(-1, keepdim=True)
    return mean, (values - mean).square().mean(-1, keepdim=True)


def standardised(values: Tensor, mean: Tensor, var: Tensor, eps: float) -> Tensor:
    return values.sub(mean).div(var.add(eps).sqrt())


def check(x: Tensor, one_value_will_do: bool) -> None:
    if x.dim() not in (3, 4):
        raise ValueError("InstanceNorm takes 3 or 4 dimensions")
    if x.shape[2:].numel() < 2 and not one_value_will_do:
        raise ValueError("InstanceNorm needs two values per channel")


class Tracked(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(size))
        self.register_buffer("running_var", torch.ones(size))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    @torch.no_grad()
    def observe(self, mean: Tensor, var: Tensor, momentum: float) -> None:
        for buffer, value in ((self.running_mean, mean), (self.running_var, var)):
            buffer.copy_(torch.lerp(buffer.to(value.dtype), value.mean(0).flatten(), momentum))


class Normalisation(Tracked):
    """Every option switched on; `InstanceNorm` takes away what is not wanted."""

    def __init__(self, num_features, eps, momentum):
        super().__init__(num_features)
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))


class InstanceNorm(Normalisation):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__(num_features, eps, momentum)
        if not affine:
            self.weight = self.bias = None
        if not track_running_stats:
            self.running_mean = self.running_var = self.num_batches_tracked = None

    @property
    def tracks(self) -> bool:
        return self.running_mean is not None

    def forward(self, x: Tensor) -> Tensor:
        remembers = self.tracks and not self.training
        check(x, one_value_will_do=remembers)
        values = x.flatten(2)
        values = values.to(torch.promote_types(values.dtype, torch.float32))
        if remembers:
            mean, var = self.running_mean.unsqueeze(-1), self.running_var.unsqueeze(-1)
        else:
            mean, var = moments(values)
            if self.tracks:
                n = values.shape[-1]
                self.observe(mean, var * n / (n - 1), self.momentum)
        y = standardised(values, mean, var, self.eps)
        if self.weight is not None:
            y = y.mul(self.weight.unsqueeze(-1)).add(self.bias.unsqueeze(-1))
        return y.unflatten(2, x.shape[2:]).type_as(x)
