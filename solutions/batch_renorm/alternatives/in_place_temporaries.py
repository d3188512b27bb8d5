"""The result is built in place in tensors of its own; both modes are functions of their own.

zh: 结果在自己新建的张量中原地算出；两种模式各写成一个函数。
"""

import torch
from torch import Tensor, nn


class BatchRenorm(nn.Module):
    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.01):
        super().__init__()
        self.r_max, self.d_max, self.eps, self.momentum = r_max, d_max, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("BatchRenorm wants at least (N, C)")
        own = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        shape = [own.shape[1] if axis == 1 else 1 for axis in range(own.dim())]
        y = self.in_training(own, shape) if self.training else self.in_evaluation(own, shape)
        y = y.mul(self.weight.reshape(shape))
        y += self.bias.reshape(shape)
        return y.to(x.dtype)

    def in_training(self, own: Tensor, shape: list[int]) -> Tensor:
        rest = [axis for axis in range(own.dim()) if axis != 1]
        mean = own.mean(rest, keepdim=True)
        own.sub_(mean)
        std = own.pow(2).mean(rest, keepdim=True).add_(self.eps).sqrt_()
        past_mean, past_std = (each.to(own.dtype).reshape(shape) for each in (self.running_mean, self.running_std))
        r = std.detach().div(past_std).clamp_(min=1 / self.r_max, max=self.r_max)
        d = mean.detach().sub(past_mean).div_(past_std).clamp_(min=-self.d_max, max=self.d_max)
        with torch.no_grad():
            self.running_mean.mul_(1 - self.momentum).add_(mean.flatten(), alpha=self.momentum)
            self.running_std.mul_(1 - self.momentum).add_(std.flatten(), alpha=self.momentum)
        return own.div(std).mul(r).add(d)

    def in_evaluation(self, own: Tensor, shape: list[int]) -> Tensor:
        return own.sub_(self.running_mean.reshape(shape)).div(self.running_std.to(own.dtype).reshape(shape))
