"""The sums of squares are contractions, and the guard is on the squares: √max(Σ x², ε²), whose gradient at 0 is finite.

zh: 平方和用缩并求得，下限加在平方上：√max(Σ x², ε²)，它在 0 处的梯度是有限的。
"""

import torch
from torch import Tensor, nn


class CosineLinear(nn.Module):
    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        given, weight = x.to(wide), self.weight.to(wide)
        squares_of_x = torch.einsum("...i,...i->...", given, given)
        squares_of_rows = torch.einsum("oi,oi->o", weight, weight)
        lengths = [squares.clamp(min=self.eps**2).sqrt() for squares in (squares_of_x, squares_of_rows)]
        return torch.einsum("...i,oi,...,o->...o", given, weight, 1 / lengths[0], 1 / lengths[1]).to(x.dtype)
