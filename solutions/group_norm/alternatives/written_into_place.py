"""Two loops, over samples and groups; every result is written into its place in an empty output.

zh: 对样本和组做两重循环；每个结果写进空的输出张量中自己的位置。
"""

import torch
from torch import Tensor, nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        size, rest = divmod(num_channels, num_groups)
        if rest != 0:
            raise ValueError(f"groups of {size} channels leave {rest} over")
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)
        if affine:
            self.weight = nn.Parameter(torch.empty(num_channels))
            self.bias = nn.Parameter(torch.empty(num_channels))
            self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        size = self.num_channels // self.num_groups
        y = torch.empty(x.shape, dtype=wide.dtype, device=x.device)
        for sample in range(x.shape[0]):
            for first in range(0, self.num_channels, size):
                own = wide[sample, first : first + size]
                deviation = torch.sqrt(torch.mean((own - own.mean()) ** 2) + self.eps)
                y[sample, first : first + size] = (own - own.mean()) / deviation
        if self.affine:
            y *= self.weight.reshape(-1, *[1] * (x.dim() - 2))
            y += self.bias.reshape(-1, *[1] * (x.dim() - 2))
        return y.to(x.dtype)
