"""The positions are flattened into one dimension: (N, C, n). `var_mean`, `rsqrt`, and `lerp_` for the buffers.

zh: 位置展平成一维：(N, C, n)。统计量用 `var_mean` 和 `rsqrt`，缓冲区用 `lerp_`。
"""

import torch
from torch import Tensor, nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features))
            self.register_buffer("running_var", torch.ones(num_features))
            self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))
        else:
            self.running_mean = self.running_var = self.num_batches_tracked = None

    def forward(self, x: Tensor) -> Tensor:
        if not 3 <= x.ndim <= 4:
            raise ValueError(f"expected 3 or 4 dimensions, got {x.ndim}")
        flat = x.reshape(x.size(0), x.size(1), -1)
        wide = flat if flat.dtype in (torch.float32, torch.float64) else flat.to(torch.float32)
        n = wide.size(2)
        if self.track_running_stats and not self.training:
            var, mean = self.running_var[:, None], self.running_mean[:, None]
        else:
            if n <= 1:
                raise ValueError(f"expected more than one value per channel, got {n}")
            var, mean = torch.var_mean(wide, dim=-1, correction=0, keepdim=True)
            if self.track_running_stats:
                self.update(mean.detach(), var.detach() * (n / (n - 1)))
        out = (wide - mean) * torch.rsqrt(var + self.eps)
        if self.affine:
            out = torch.addcmul(self.bias[:, None], out, self.weight[:, None])
        return out.view(x.shape).to(x.dtype)

    def update(self, mean: Tensor, var: Tensor) -> None:
        self.running_mean.lerp_(mean.mean((0, 2)).to(self.running_mean.dtype), self.momentum)
        self.running_var.lerp_(var.mean((0, 2)).to(self.running_var.dtype), self.momentum)
