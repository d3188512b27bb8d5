"""The library's own layer inside of one's own: on a CPU and without a process group it is plain batch norm."""

from collections.abc import Callable

from torch import Tensor, nn


class SyncBatchNorm(nn.Module):
    """Batch norm by the library."""

    def __init__(
        self,
        num_features: int,
        all_reduce: Callable[[Tensor], Tensor],
        eps: float = 1e-5,
        momentum: float | None = 0.1,
    ) -> None:
        super().__init__()
        self.inner = nn.SyncBatchNorm(num_features, eps, momentum)

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)
