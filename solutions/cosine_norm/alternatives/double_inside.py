"""Everything between the two casts is computed in float64; torch.where picks the divisor.

zh: 两次类型转换之间，一切都在 float64 中计算；用 torch.where 选出除数。
"""

import torch
from torch import Tensor, nn


class CosineLinear(nn.Module):
    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        super().__init__()
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.empty(out_features, in_features)))
        nn.init.kaiming_uniform_(self.weight, a=5**0.5)

    def forward(self, x: Tensor) -> Tensor:
        return (self.unit(x.double()) @ self.unit(self.weight.double()).mT).to(x.dtype)

    def unit(self, vectors: Tensor) -> Tensor:
        lengths = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
        return vectors / torch.where(lengths < self.eps, self.eps, lengths)
