"""The library's own layer inside of one's own, which hands everything on to it."""

from torch import Tensor, nn


class BatchNorm(nn.Module):
    """Batch norm by the library."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> None:
        super().__init__()
        self.inner = nn.modules.batchnorm.BatchNorm2d(num_features, eps, momentum, affine, track_running_stats)

    def forward(self, x: Tensor) -> Tensor:
        rest = x.shape[2:].numel()
        return self.inner(x.reshape(*x.shape[:2], rest, 1)).reshape(x.shape)
