"""The result is built in place in a tensor of its own; a helper that is no part of the state is a buffer with persistent=False.

zh: 结果在自己新建的张量中原地算出；不属于状态的辅助量是 persistent=False 的缓冲区。
"""

import torch
from torch import Tensor, nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps = eps
        self.tracks = track_running_stats
        self.momentum = momentum
        self.register_buffer("positions", torch.tensor(0), persistent=False)
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.int64) if track_running_stats else None)
        self.register_buffer("running_var", torch.full((num_features,), 1.0) if track_running_stats else None)
        self.register_buffer("running_mean", torch.full((num_features,), 0.0) if track_running_stats else None)
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 3 or x.ndim > 4:
            raise ValueError(f"no positions, or too many dimensions: {x.ndim}")
        result = x.to(torch.promote_types(x.dtype, torch.float32), copy=True).flatten(2)
        if self.tracks and not self.training:
            var = self.running_var.to(result.dtype)[None, :, None]
            result = result.sub_(self.running_mean.to(result.dtype)[None, :, None])
        else:
            if result.size(2) < 2:
                raise ValueError("one value per channel")
            self.positions.fill_(result.size(2))
            mean = result.mean(2, keepdim=True)
            result = result.sub_(mean)
            var = result.square().mean(2, keepdim=True)
            if self.tracks:
                self.follow(mean.detach(), var.detach() * result.size(2) / (result.size(2) - 1))
        result = result * var.add(self.eps).rsqrt_()
        if self.weight is not None:
            result = result.mul(self.weight[:, None]).add_(self.bias[:, None])
        return result.view(x.shape).to(x.dtype)

    @torch.no_grad()
    def follow(self, mean: Tensor, var: Tensor) -> None:
        for buffer, new in ((self.running_mean, mean), (self.running_var, var)):
            buffer.copy_(new.mean((0, 2)).mul_(self.momentum).add_(buffer, alpha=1 - self.momentum))
