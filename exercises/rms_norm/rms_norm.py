"""RMS normalisation, by hand. `normgrade show rms_norm` tells the task, `normgrade check rms_norm` grades this file."""

from torch import Tensor, nn


class RMSNorm(nn.Module):
    """Divides every position of x by its root mean square over the last dimension, then scales it."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        """`dim` is the size of the last dimension of x. `weight` has the shape (dim,); there is no bias."""
        super().__init__()
        raise NotImplementedError("keep the arguments that forward needs, and register weight")

    def forward(self, x: Tensor) -> Tensor:
        """(…, dim) → the same shape and dtype."""
        raise NotImplementedError("divide x by its root mean square over the last dimension, then scale it")
