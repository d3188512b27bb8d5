"""max(‖x‖, ε) as a ReLU: relu(‖x‖ − ε) + ε.

zh: 把 max(‖x‖, ε) 写成 ReLU：relu(‖x‖ − ε) + ε。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(dim**0.5))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        divisor = torch.relu(wide.norm(dim=-1, keepdim=True) - self.eps) + self.eps
        return torch.mul(self.g, wide.div(divisor)).type_as(x)
