"""My batch norm."""

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    """Batch norm for (N, C), (N, C, L) and (N, C, H, W)."""

    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> None:
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.track_running_stats = track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (2, 3, 4):
            raise ValueError(f"expected a 2D, 3D or 4D input, got {x.dim()}D")
        values_per_channel = x.numel() // x.shape[1]
        if self.training and values_per_channel == 1:
            raise ValueError("need more than one value per channel to train")

        inputs = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training or not self.track_running_stats:
            dims = [d for d in range(x.dim()) if d != 1]
            mean = inputs.mean(dims)
            var = inputs.var(dims, unbiased=False)
            if self.training and self.track_running_stats:
                self.update(mean.detach(), var.detach())
        else:
            mean = self.running_mean.to(inputs.dtype)
            var = self.running_var.to(inputs.dtype)

        shape = [1, -1] + [1] * (x.dim() - 2)
        normalised = (inputs - mean.view(shape)) / (var.sqrt().view(shape) + self.eps)
        if self.weight is not None and self.bias is not None:
            normalised = normalised * self.weight.view(shape) + self.bias.view(shape)
        return normalised.to(x.dtype)

    def update(self, mean: Tensor, var: Tensor) -> None:
        self.num_batches_tracked += 1
        momentum = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
        self.running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
        self.running_var.mul_(1 - momentum).add_(var, alpha=momentum)
