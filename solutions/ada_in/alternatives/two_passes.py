"""Statistics in two passes by plain sums: first the mean, then the mean of the squared differences.

zh: 统计量由普通求和分两遍得出：先求均值，再求离差平方的均值。
"""

import torch
from torch import Tensor


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    if content.dim() != 4 or style.dim() != 4:
        raise ValueError(f"expected two images (N, C, H, W), got {content.dim()} and {style.dim()} dimensions")
    c = content.to(torch.promote_types(content.dtype, torch.float32))
    s = style.to(torch.promote_types(style.dtype, torch.float32))
    c = c - c.mean(dim=(-2, -1), keepdim=True)
    level = s.mean(dim=(-2, -1), keepdim=True)
    content_var = c.square().mean(dim=(-2, -1), keepdim=True)
    style_var = (s - level).square().mean(dim=(-2, -1), keepdim=True)
    return (c * torch.rsqrt(content_var + eps) * torch.sqrt(style_var + eps) + level).to(content.dtype)
