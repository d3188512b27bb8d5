import torch
from torch import nn, Tensor


class InstanceNorm(nn.Module):
    """fold (N, C, ...) to (1, N*C, ...), the old batch norm trick"""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False, track_running_stats: bool = False):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.register_parameter("weight", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def track(self, mean: Tensor, var: Tensor) -> None:
        for old, new in ((self.running_mean, mean), (self.running_var, var)):
            old.mul_(1 - self.momentum).add_(self.momentum * new.detach())

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 3 and x.dim() != 4:
            raise ValueError(f"got {x.dim()} dimensions")
        N, C = x.shape[:2]
        rows = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(N * C, -1)
        L = rows.shape[1]
        if self.training or self.running_mean is None:
            if L == 1 and self.training:
                raise ValueError("a single value has no variance")
            mean = rows.mean(1)
            var = rows.var(1, unbiased=False)
            if self.running_mean is not None:
                self.track(mean.view(N, C).mean(0), var.view(N, C).mean(0) * L / (L - 1))
                mean, var = mean.detach(), var.detach()
        else:
            mean, var = self.running_mean.repeat(N), self.running_var.repeat(N)
        rows = (rows - mean[:, None]) / var[:, None].clamp(min=self.eps).sqrt()
        y = rows.reshape(x.shape)
        if self.affine:
            tail = (1,) * (x.dim() - 2)
            y = y * (1 + self.weight.view(C, *tail)) + self.bias.view(C, *tail)
        return y.to(x.dtype)
