"""The result is built in place in tensors of its own; both modes are functions of their own.

zh: 结果在自己新建的张量中原地算出；两种模式各写成一个函数。
"""

import torch
from torch import Tensor, nn


class L1BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_dev", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("L1BatchNorm wants at least (N, C)")
        own = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        shape = [own.shape[1] if axis == 1 else 1 for axis in range(own.dim())]
        centred, dev = self.by_the_batch(own, shape) if self.training else self.by_the_past(own, shape)
        y = centred.div(dev.add(self.eps)).mul(self.weight.reshape(shape))
        y += self.bias.reshape(shape)
        return y.to(x.dtype)

    def by_the_batch(self, own: Tensor, shape: list[int]) -> tuple[Tensor, Tensor]:
        rest = [axis for axis in range(own.dim()) if axis != 1]
        mean = own.mean(rest, keepdim=True)
        own.sub_(mean)
        dev = own.abs().mean(rest, keepdim=True)
        with torch.no_grad():
            self.running_mean.mul_(1 - self.momentum).add_(mean.flatten(), alpha=self.momentum)
            self.running_dev.mul_(1 - self.momentum).add_(dev.flatten(), alpha=self.momentum)
        return own, dev

    def by_the_past(self, own: Tensor, shape: list[int]) -> tuple[Tensor, Tensor]:
        return own.sub_(self.running_mean.reshape(shape)), self.running_dev.reshape(shape).to(own.dtype)
