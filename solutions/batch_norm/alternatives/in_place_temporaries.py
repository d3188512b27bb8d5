"""The result is built in place in a tensor of its own; a helper that is no part of the state is a buffer with persistent=False.

zh: 结果在自己新建的张量中原地算出；不属于状态的辅助量是 persistent=False 的缓冲区。
"""

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.momentum = momentum
        self.track_running_stats = track_running_stats
        self.eps = eps
        self.register_buffer("values_per_channel", torch.tensor(0), persistent=False)
        self.register_parameter("weight", nn.Parameter(torch.ones(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (2, 3, 4):
            raise ValueError("only (N, C), (N, C, L) and (N, C, H, W) are known")
        shape = [1, -1] + [1] * (x.dim() - 2)
        axes = [axis for axis in range(x.dim()) if axis != 1]
        result = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        if self.training or not self.track_running_stats:
            n = result.numel() // result.size(1)
            self.values_per_channel.fill_(n)
            if self.training and n == 1:
                raise ValueError("one value per channel says nothing about its variance")
            mean = result.mean(axes, keepdim=True)
            result = result.sub_(mean)
            var = (result * result).mean(axes, keepdim=True)
            if self.training and self.track_running_stats:
                self.update(mean.detach().flatten(), var.detach().flatten() * n / (n - 1))
        else:
            result = result.sub_(self.running_mean.to(result.dtype).view(shape))
            var = self.running_var.to(result.dtype).view(shape)
        result = result.mul(var.add(self.eps).rsqrt_())
        if self.weight is not None:
            result = result.mul(self.weight.view(shape)).add_(self.bias.view(shape))
        return result.to(x.dtype)

    @torch.no_grad()
    def update(self, mean: Tensor, var: Tensor) -> None:
        count = self.num_batches_tracked.item() + 1
        self.num_batches_tracked.fill_(count)
        rate = self.momentum if self.momentum is not None else 1.0 / count
        self.running_mean.copy_(mean * rate + self.running_mean * (1.0 - rate))
        self.running_var.copy_(var * rate + self.running_var * (1.0 - rate))
