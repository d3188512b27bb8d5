"""Works in place on a copy of the content; the deviation is a length divided by the root of the number of positions.

zh: 在内容的副本上原地计算；标准差写成长度除以位置数的平方根。
"""

import torch
from torch import Tensor, linalg


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    for name, x in {"content": content, "style": style}.items():
        if len(x.shape) != 4:
            raise ValueError(f"{name} has {len(x.shape)} dimensions, not 4")
    wide = torch.promote_types(content.dtype, torch.float32)
    result = content.to(wide, copy=True)
    result -= content.to(wide).mean([2, 3], keepdim=True)
    variance = result.pow(2).mean([2, 3], keepdim=True)
    manner = style.to(wide)
    level = manner.mean([2, 3], keepdim=True)
    spread = linalg.vector_norm(manner - level, dim=(2, 3), keepdim=True).square().div(style[0, 0].numel()).add_(eps).sqrt()
    return result.mul(spread).div_(variance.add_(eps).sqrt_()).add_(level).to(content.dtype)
