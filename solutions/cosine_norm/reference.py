"""Cosine normalisation (Luo et al. 2017): a linear layer whose outputs are cosines."""

import torch
from torch import Tensor, nn


class CosineLinear(nn.Module):
    """Output k is the cosine of the angle between x and row k of the weight."""

    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(out_features, in_features))

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        cosines = self.unit(x.to(wide)) @ self.unit(self.weight.to(wide)).T  # (…, in) @ (in, out)
        return cosines.to(x.dtype)

    def unit(self, vectors: Tensor) -> Tensor:
        """Each row over its length, or over eps where it is shorter than that."""
        lengths = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
        return vectors / lengths.clamp(min=self.eps)
