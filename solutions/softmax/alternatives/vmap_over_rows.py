"""A softmax of one row, mapped over all the other dimensions.

zh: 先写一行的 softmax，再用 vmap 映射到其余各维。
"""

import torch
from torch import Tensor


def of_one_row(row: Tensor) -> Tensor:
    e = torch.exp(row - row.amax(0))
    return e / e.sum()


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    rows = x.transpose(dim, -1)
    function = of_one_row
    for _each in range(x.dim() - 1):
        function = torch.vmap(function)
    return function(rows.to(torch.promote_types(x.dtype, torch.float32))).transpose(dim, -1).to(x.dtype)
