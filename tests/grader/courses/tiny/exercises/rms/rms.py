"""Root mean square, by hand."""

from torch import Tensor


def rms(x: Tensor, eps: float = 1e-5) -> Tensor:
    """(…, d) → the same shape and dtype."""
    raise NotImplementedError("divide every row by its root mean square")
