"""The largest number and the sum are brought up to date together, number by number, as in FlashAttention.

zh: 最大值与和一起逐个更新，与 FlashAttention 一样。
"""

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    parts = x.to(torch.promote_types(x.dtype, torch.float32)).unbind(dim)
    largest = torch.full_like(parts[0], -torch.inf)
    total = torch.zeros_like(parts[0])
    for part in parts:
        new = torch.maximum(largest, part.detach())
        shift = torch.where(new == -torch.inf, torch.zeros_like(new), new)  # nothing but −∞ so far
        total = total * torch.exp(largest - shift) + torch.exp(part - shift)
        largest = new
    shift = torch.where(largest == -torch.inf, torch.zeros_like(largest), largest)
    return torch.stack([torch.exp(part - shift) / total for part in parts], dim).type_as(x)
