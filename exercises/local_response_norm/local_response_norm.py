"""Local response normalisation, by hand. `normgrade show local_response_norm` tells the task, `normgrade check local_response_norm` grades
this file."""

from torch import Tensor


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """(N, C, *) → the same shape and dtype. Divides every number by a power of the squares in a window of `size` neighbouring channels."""
    # A ValueError where x has fewer than 3 dimensions.
    raise NotImplementedError(
        "sum the squares over a window of channels, and divide x by (k + alpha / size · that sum) to the power of beta"
    )
