"""Weight normalisation (Salimans and Kingma 2016): a weight as lengths times directions."""

import torch
from torch import Tensor, nn


class WeightNorm(nn.Module):
    """g · v / ‖v‖: every slice of v along dim has a length of its own, taken over all other dimensions."""

    def __init__(self, weight: Tensor, dim: int = 0) -> None:
        super().__init__()
        self.dim = dim
        self.g = nn.Parameter(self.lengths(weight.detach()).to(weight.dtype))
        self.v = nn.Parameter(weight.detach().clone())

    def forward(self) -> Tensor:
        directions = self.v / self.lengths(self.v)  # in float32 or wider, as the lengths are
        return (self.g * directions).to(self.v.dtype)

    def lengths(self, v: Tensor) -> Tensor:
        """One length per slice, in the shape of v with all sizes 1 but that of dim."""
        wide = torch.promote_types(v.dtype, torch.float32)
        slices = v.movedim(self.dim, 0).reshape(v.shape[self.dim], -1)  # a row each, whatever the number of dimensions
        lengths = torch.linalg.vector_norm(slices.to(wide), dim=1)
        return lengths.reshape([-1 if d == self.dim else 1 for d in range(v.dim())])
