"""One cosine at a time, as the definition has it: a sum of products over the product of the guarded lengths.

zh: 按定义逐个求余弦：乘积之和，除以两个带下限的长度之积。
"""

import torch
from torch import Tensor, nn


class CosineLinear(nn.Module):
    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.rand(out_features, in_features) - 0.5)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        length_of_x = self.guarded(wide)
        outputs = []
        for row in self.weight.to(wide.dtype):
            outputs.append((wide * row).sum(-1) / (length_of_x * self.guarded(row)))
        return torch.stack(outputs, dim=-1).to(x.dtype)

    def guarded(self, vectors: Tensor) -> Tensor:
        return torch.maximum(torch.linalg.norm(vectors, dim=-1), vectors.new_tensor(self.eps))
