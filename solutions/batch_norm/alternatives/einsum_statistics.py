"""The sums over samples and positions are einsums; the buffers are assigned anew, from detached values.

zh: 对样本和位置的求和用 einsum；缓冲区用切断梯度的值重新赋值。
"""

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.register_parameter("weight", nn.Parameter(torch.ones(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (2, 3, 4):
            raise ValueError(f"no batch of channels: {tuple(x.shape)}")
        flat = x.reshape(x.shape[0], x.shape[1], -1).to(torch.promote_types(x.dtype, torch.float32))
        n = flat.shape[0] * flat.shape[2]
        if self.training and n < 2:
            raise ValueError("more than one value per channel is needed in training")
        if self.training or self.running_var is None:
            mean = torch.einsum("ncp->c", flat) / n
            centred = flat - mean[:, None]
            total = torch.einsum("ncp,ncp->c", centred, centred)
            deviation = torch.sqrt(total / n + self.eps)
            if self.training and self.running_var is not None:
                self.num_batches_tracked = self.num_batches_tracked + 1
                weight = 1.0 / self.num_batches_tracked if self.momentum is None else self.momentum
                self.running_mean = blend(self.running_mean, mean.detach(), weight)
                self.running_var = blend(self.running_var, (total / (n - 1)).detach(), weight)
        else:
            centred = flat - self.running_mean[:, None]
            deviation = torch.sqrt(self.running_var.to(flat.dtype) + self.eps)
        y = torch.einsum("ncp,c->ncp", centred, 1 / deviation)
        if self.weight is not None:
            y = torch.einsum("ncp,c->ncp", y, self.weight.to(y.dtype)) + self.bias[:, None]
        return y.to(x.dtype).reshape(x.shape)


def blend(old: Tensor, new: Tensor, weight: float | Tensor) -> Tensor:
    """(1 − weight) · old + weight · new, in the dtype of `old`."""
    return ((1 - weight) * old + weight * new).to(old.dtype)
