"""The sums over positions are einsums; the buffers are assigned anew, from detached values.

zh: 对位置的求和用 einsum；缓冲区用切断梯度的值重新赋值。
"""

import torch
from torch import Tensor, nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.register_parameter("weight", nn.Parameter(torch.ones(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (3, 4):
            raise ValueError(f"no batch of channels with positions: {tuple(x.shape)}")
        flat = x.flatten(2).to(torch.promote_types(x.dtype, torch.float32))
        n = flat.shape[2]
        if n == 1 and (self.training or self.running_var is None):
            raise ValueError("one value per channel")
        if self.training or self.running_var is None:
            mean = torch.einsum("ncp->nc", flat) / n
            centred = flat - mean[..., None]
            total = torch.einsum("ncp,ncp->nc", centred, centred)
            scale = 1 / torch.sqrt(total / n + self.eps)
            if self.training and self.running_var is not None:
                self.running_mean = self.blend(self.running_mean, mean.detach())
                self.running_var = self.blend(self.running_var, total.detach() / (n - 1))
        else:
            centred = flat - self.running_mean[:, None]
            scale = (1 / torch.sqrt(self.running_var.to(flat.dtype) + self.eps)).expand(x.shape[:2])
        if self.weight is not None:
            scale = scale * self.weight
        y = torch.einsum("ncp,nc->ncp", centred, scale)
        if self.bias is not None:
            y = y + self.bias[:, None]
        return y.to(x.dtype).reshape(x.shape)

    def blend(self, old: Tensor, new: Tensor) -> Tensor:
        """The buffer, moved towards the average of (N, C) over the samples."""
        average = torch.einsum("nc->c", new) / new.shape[0]
        return ((1 - self.momentum) * old + self.momentum * average).to(old.dtype)
