"""Partial RMS normalisation, by hand. `normgrade show partial_rms_norm` tells the task, `normgrade check partial_rms_norm` grades
this file."""

from torch import Tensor, nn


class PartialRMSNorm(nn.Module):
    """Divides every position of x by the root mean square of its first features, then scales it."""

    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        """`dim` is the size of the last dimension of x, `p` the share of it that is measured. `weight`: (dim,); there is no bias."""
        super().__init__()
        raise NotImplementedError("find k, keep what forward needs, and register weight")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("divide x by the root mean square of its first k features, then scale it")
