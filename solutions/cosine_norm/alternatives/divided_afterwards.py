"""The dot products first, by F.linear; then they are divided by both lengths. A subclass of the library's linear layer.

zh: 先用 F.linear 求点积，再除以两个长度。继承库中的线性层。
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class CosineLinear(nn.Linear):
    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        super().__init__(in_features, out_features, bias=False)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        given, weight = x.to(wide), self.weight.to(wide)
        length_of_x = given.norm(dim=-1, keepdim=True).clamp_min(self.eps)
        length_of_rows = weight.norm(dim=1).clamp_min(self.eps)
        return (F.linear(given, weight) / length_of_x / length_of_rows).to(x.dtype)
