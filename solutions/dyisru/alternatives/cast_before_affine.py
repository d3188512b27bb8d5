"""Back in the input's dtype before weight and bias, which follow into that dtype; they come from a class above.

zh: 在 weight 和 bias 之前就转换回输入的 dtype，两者也随之转换；它们来自父类。
"""

import torch
from torch import Tensor, nn


class Affine(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((dim,), 1.0))
        self.bias = nn.Parameter(torch.full((dim,), 0.0))

    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.bias.to(x.dtype), x, self.weight.to(x.dtype))


class DyISRU(Affine):
    def __init__(self, dim: int, c: float = 1.0) -> None:
        super().__init__(dim)
        self.c = nn.Parameter(torch.tensor(float(c)))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        squashed = wide.div((wide.square() + self.c).sqrt()).mul(wide.shape[-1] ** 0.5)
        return super().forward(squashed.to(x.dtype))
