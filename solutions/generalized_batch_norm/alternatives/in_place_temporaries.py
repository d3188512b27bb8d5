"""The result is built in place in a tensor of its own, apart from what the functions were given; both modes are methods.

zh: 结果在自己新建的张量中原地算出，与交给函数的张量分开；两种模式各写成一个方法。
"""

import torch
from torch import Tensor, nn


class GeneralizedBatchNorm(nn.Module):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        self.get_statistic, self.get_deviation = statistic, deviation
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_statistic", torch.zeros(num_features))
        self.register_buffer("running_deviation", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("GeneralizedBatchNorm wants at least (N, C)")
        own = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        shape = [own.shape[1] if axis == 1 else 1 for axis in range(own.dim())]
        statistic, deviation = self.of_the_batch(x.to(own.dtype)) if self.training else self.of_the_past(own.dtype)
        own.sub_(statistic.reshape(shape))
        y = own.div(deviation.add(self.eps).reshape(shape)).mul(self.weight.reshape(shape))
        y += self.bias.reshape(shape)
        return y.to(x.dtype)

    def of_the_batch(self, wide: Tensor) -> tuple[Tensor, Tensor]:
        rows = torch.stack([channel.flatten() for channel in wide.unbind(1)])
        statistic, deviation = self.get_statistic(rows), self.get_deviation(rows)
        with torch.no_grad():
            self.running_statistic.mul_(1 - self.momentum).add_(statistic, alpha=self.momentum)
            self.running_deviation.mul_(1 - self.momentum).add_(deviation, alpha=self.momentum)
        return statistic, deviation

    def of_the_past(self, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        return self.running_statistic.to(dtype), self.running_deviation.to(dtype)
