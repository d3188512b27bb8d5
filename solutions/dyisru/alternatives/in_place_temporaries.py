"""The denominator is built in place in a tensor of its own; √dim is a buffer that is not kept.

zh: 分母在自己新建的张量中原地算出；√dim 是一个不保存的缓冲区。
"""

import torch
from torch import Tensor, nn


class DyISRU(nn.Module):
    def __init__(self, dim: int, c: float = 1.0) -> None:
        super().__init__()
        self.register_buffer("root_dim", torch.tensor(float(dim)).sqrt(), persistent=False)
        self.c = nn.Parameter(torch.tensor([float(c)]))
        self.register_parameter("weight", nn.Parameter(torch.empty(dim)))
        self.register_parameter("bias", nn.Parameter(torch.empty(dim)))
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        denominator = (wide * wide).add_(self.c).sqrt_()
        root_dim = x.shape[-1] ** 0.5 if x.dtype == torch.float64 else self.root_dim.to(wide.dtype)
        return (wide / denominator).mul_(root_dim).mul(self.weight).add_(self.bias).type_as(x)
